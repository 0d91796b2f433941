// Tables that are sorted by a click on a column: those whose rows are all on the page. Lists that the server
// pages have links in their heads instead.

import { make } from "./board.js";

// Rows from which on a table can be sorted.
const MIN_ROWS = 3;

// Column and direction by the words of a table's head: parts of a live page are replaced.
const chosen = new Map();

function key(table) {
  return [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim()).join("|");
}

// The first number of a cell: "1,234 games", "−3.5 ± 2", "12 %".
function number(text) {
  const found = text.replaceAll(",", "").replaceAll("−", "-").match(/^[^\d-]{0,2}(-?\d+(\.\d+)?)/);
  return found ? Number(found[1]) : null;
}

function content(row, column) {
  const cell = row.cells[column];
  return (cell?.querySelector("time")?.dateTime ?? cell?.textContent ?? "").trim();
}

function compare(a, b) {
  const [first, second] = [number(a), number(b)];
  if (first !== null && second !== null && first !== second) return first - second;
  return a.localeCompare(b, "en", { numeric: true });
}

// Cells without a value come last in both directions.
function sort(table, column, ascending) {
  const [body] = table.tBodies;
  const rows = [...body.rows].map((row) => ({ row, text: content(row, column) }));
  const isEmpty = ({ text }) => text === "" || text === "–";
  rows.sort((a, b) => isEmpty(a) - isEmpty(b) || (ascending ? 1 : -1) * compare(a.text, b.text));
  body.append(...rows.map(({ row }) => row));
  [...table.tHead.rows[0].cells].forEach((cell, index) => {
    if (index === column) cell.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
  });
}

// Numbers begin with the largest, words with the first.
function choose(table, column) {
  const before = chosen.get(key(table));
  const isText = [...table.tBodies[0].rows].some((row) => content(row, column) !== "" && content(row, column) !== "–" && number(content(row, column)) === null);
  const ascending = before?.column === column ? !before.ascending : isText;
  chosen.set(key(table), { column, ascending });
  sort(table, column, ascending);
}

function canBeSorted(table) {
  const { tHead, tBodies, dataset } = table;
  if (!tHead || tBodies.length !== 1 || tHead.rows.length !== 1 || dataset.unsorted !== undefined) return false;
  if (tBodies[0].rows.length < MIN_ROWS || tHead.querySelector("a, button")) return false;
  // Of a list in parts only one is here.
  if (table.closest("[data-pages]")?.querySelector("nav.pages a")) return false;
  // A comparison has a run a column; cells that span several columns have no order.
  return !table.matches(".compare, .moves") && !table.querySelector("td[colspan], td[rowspan], th[rowspan]");
}

function mountTable(table) {
  if (table.dataset.sorted !== undefined || !canBeSorted(table)) return;
  const name = key(table);
  table.dataset.sorted = "";
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    // A head that only screen readers have is above buttons.
    if (!cell.textContent.trim() || cell.querySelector("input, .visually-hidden")) return;
    const button = make("button", { type: "button", class: "sort" });
    button.append(...cell.childNodes);
    button.addEventListener("click", () => choose(table, column));
    cell.append(button);
  });
  const before = chosen.get(name);
  if (before) sort(table, before.column, before.ascending);
}

function mount(root) {
  for (const table of root.querySelectorAll("main table")) mountTable(table);
}

export function startSorting() {
  mount(document);
  document.addEventListener("tench:replaced", () => mount(document));
}
