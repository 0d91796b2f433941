// Which columns a table shows; the browser remembers it.

import { make } from "./board.js";

function stored(name) {
  try {
    return new Set(JSON.parse(localStorage.getItem(`columns-${name}`)) ?? []);
  } catch {
    return new Set();
  }
}

function apply(table, hidden) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, index) => {
    if (!head.dataset.column) return;
    const off = hidden.has(head.dataset.column);
    for (const row of table.rows) if (row.cells[index]) row.cells[index].hidden = off;
  });
}

function menu(table) {
  const name = table.dataset.columns;
  const hidden = stored(name);
  const boxes = [...table.tHead.querySelectorAll("[data-column]")].map((head) => {
    const box = make("input", { type: "checkbox" });
    box.checked = !hidden.has(head.dataset.column);
    box.addEventListener("change", (event) => {
      event.stopPropagation();
      if (box.checked) hidden.delete(head.dataset.column);
      else hidden.add(head.dataset.column);
      localStorage.setItem(`columns-${name}`, JSON.stringify([...hidden]));
      apply(table, hidden);
    });
    // A list that is filtered takes every input as a wish.
    box.addEventListener("input", (event) => event.stopPropagation());
    return make("label", {}, box, ` ${head.textContent.trim()}`);
  });
  const details = make("details", { class: "columns-menu", id: `columns-${name}` }, make("summary", {}, "Columns"), ...boxes);
  table.closest(".scroll").before(details);
  apply(table, hidden);
}

function mount() {
  for (const table of document.querySelectorAll("table[data-columns]:not([data-with-menu])")) {
    table.dataset.withMenu = "";
    menu(table);
  }
}

export function startColumns() {
  document.addEventListener("tench:replaced", mount);
  mount();
}
