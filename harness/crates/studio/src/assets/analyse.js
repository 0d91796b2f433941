// "Analyse" at every game and every position of a page: a board of its own with the lines of an engine.

import { make } from "./board.js";

// The token of the page's forms; a page for looking only has none.
function token() {
  return document.querySelector("input[name=csrf]")?.value ?? document.querySelector("[data-csrf]")?.dataset.csrf ?? document.body.dataset.csrf ?? null;
}

// Opens a board: `fen` is where the game begins, `moves` are its moves in UCI notation, and `ply` of them have
// been played in the position that is shown.
export function analyse({ fen = "", moves = "", ply = 0, ...tags }) {
  const fields = { csrf: token(), do: "analyse", fen, moves, ply, ...tags };
  const inputs = Object.entries(fields).map(([name, value]) => make("input", { type: "hidden", name, value }));
  const form = make("form", { method: "post", action: "/boards" }, ...inputs);
  document.body.append(form);
  form.submit();
}

// A button that asks `read` what to analyse when it is clicked.
export function analyseButton(read) {
  const button = make("button", { type: "button", class: "button analyse" }, "Analyse");
  button.addEventListener("click", () => analyse(read()));
  return button;
}

function readViewer(root) {
  const game = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const moves = game.plies.map(({ uci }) => uci).join(" ");
  const chess960 = game.variant === "Chess960" ? { chess960: "yes" } : {};
  return { fen: game.start, moves, ply: root.dataset.ply ?? 0, White: game.white, Black: game.black, Result: game.result, ...chess960 };
}

// Boards are of chess and Chess960.
function isChess(root) {
  const { variant } = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  return variant === undefined || variant === "Chess960";
}

function addButtons() {
  if (!token()) return;
  for (const root of document.querySelectorAll("[data-viewer][data-mounted]:not(:has(.analyse))")) {
    if (isChess(root)) root.querySelector(".viewer-exports")?.append(analyseButton(() => readViewer(root)));
  }
  for (const position of document.querySelectorAll(".position:not(:has(.analyse))")) {
    const fen = position.querySelector(":scope > code")?.textContent.trim();
    if (fen) position.append(analyseButton(() => ({ fen })));
  }
  for (const code of document.querySelectorAll("td > code.fen:not(:has(+ .analyse))")) {
    code.after(analyseButton(() => ({ fen: code.textContent.trim() })));
  }
}

export function startAnalyse() {
  document.addEventListener("tench:ply", ({ target, detail }) => { target.dataset.ply = detail.ply; });
  document.addEventListener("tench:replaced", addButtons);
  addButtons();
}
