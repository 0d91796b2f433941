// What engines find in the position that is shown: lines, depth, arrows, the evaluation bar.

import { make } from "./board.js";
import { subscribe } from "./streams.js";

const ASK_AFTER = 120;
// On a narrow page the lines stand below the board, above all else: both are seen together.
const NARROW = matchMedia("(max-width: 860px)");
// Two pages that look at the same position have each an analysis of its own.
const PAGE = String(Math.random()).slice(2);

function short(count) {
  if (count === null || count === undefined) return "–";
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)} G`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`;
  return count >= 1e3 ? `${(count / 1e3).toFixed(0)} k` : String(count);
}

// The board after a move without knowledge of the rules: engines name legal moves only.
export function placedAfter(placement, uci) {
  const squares = [...placement];
  const at = (text) => (8 - Number(text[1])) * 8 + text.charCodeAt(0) - 97;
  const [from, to] = [at(uci), at(uci.slice(2))];
  const piece = squares[from];
  if (!piece) return squares;
  const kind = piece.toLowerCase();
  const row = Math.floor(from / 8) * 8;
  squares[from] = null;
  const castles = kind === "k" && (Math.abs(to - from) === 2 || (squares[to] && squares[to].toLowerCase() === "r" && (squares[to] < "a") === (piece < "a")));
  if (castles) {
    const short = to > from;
    const rook = squares[to]?.toLowerCase() === "r" ? to : row + (short ? 7 : 0);
    const letter = squares[rook];
    squares[rook] = null;
    squares[row + (short ? 6 : 2)] = piece;
    squares[row + (short ? 5 : 3)] = letter;
    return squares;
  }
  if (kind === "p" && from % 8 !== to % 8 && !squares[to]) squares[row + (to % 8)] = null;
  const grown = uci[4] ?? piece;
  squares[to] = uci[4] ? (piece < "a" ? grown.toUpperCase() : grown) : piece;
  return squares;
}

export function placement(fen) {
  return [...fen.split(/[ []/)[0].replaceAll(/[/~]/g, "")].flatMap((letter) => (letter > "0" && letter < "9" ? Array(Number(letter)).fill(null) : [letter]));
}

export function placementFen(squares, turn) {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((row) =>
    squares.slice(row * 8, row * 8 + 8).map((letter) => letter ?? "1").join("").replace(/1+/g, (ones) => ones.length),
  );
  return `${rows.join("/")} ${turn} - - 0 1`;
}

export class Analysis {
  #page;
  #host;
  #bar;
  #details;
  #end = null;
  #timer = 0;
  #shown = "";

  constructor(page) {
    this.#page = page;
    this.#details = document.getElementById("analysis");
    this.#host = document.getElementById("engine-lines");
    this.#bar = document.getElementById("evaluation-bar");
    this.#place();
    NARROW.addEventListener("change", () => this.#place());
    this.#details.addEventListener("toggle", () => this.ask());
    document.getElementById("analysis-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
    for (const id of ["engines", "lines"]) document.getElementById(id).addEventListener("change", () => this.ask());
  }

  #place() {
    document.getElementById(NARROW.matches ? "lines-below" : "lines-inside").append(this.#host);
  }

  get on() {
    return this.#details.open;
  }

  turn(on, engine = null, lines = null) {
    if (engine) document.getElementById("engines").value = engine;
    const field = document.getElementById("lines");
    if (lines) field.value = Math.min(lines, Number(field.max));
    if (this.#details.open === on) this.ask();
    this.#details.open = on;
  }

  // The position has changed.
  ask() {
    this.#stop();
    this.#bar.hidden = !this.on;
    if (!this.on) {
      if (this.#host.hasChildNodes()) this.#page.setArrows("engine", []);
      this.#host.replaceChildren();
      return;
    }
    this.#timer = setTimeout(() => this.#begin(), ASK_AFTER);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#end?.();
    this.#end = null;
  }

  #begin() {
    this.#shown = "";
    const field = document.getElementById("lines");
    const lines = Math.min(Number(field.max), Math.max(1, Math.trunc(Number(field.value)) || 1));
    const query = new URLSearchParams({
      node: this.#page.cursor,
      engines: document.getElementById("engines").value,
      lines,
      page: PAGE,
    });
    this.#end = subscribe(`analysis/${this.#page.id}?${query}`, {
      lines: (engines) => this.#show(engines),
      refused: ({ error }) => this.#host.replaceChildren(make("p", { class: "wrong" }, error)),
    });
  }

  #show(engines) {
    const text = JSON.stringify(engines);
    if (text === this.#shown) return;
    this.#shown = text;
    const best = engines.map((engine) => engine.lines[0]).find(Boolean);
    if (best) {
      this.#showBar(best);
      this.#page.found(best);
    }
    // Where the game is over, there is nothing to be worth.
    this.#bar.hidden = !best && engines.every(({ error }) => error);
    this.#page.setArrows("engine", engines.flatMap((engine) => (engine.lines[0]?.moves[0] ? [{ uci: engine.lines[0].moves[0].uci, kind: "best" }] : [])));
    this.#host.replaceChildren(...engines.map((engine) => this.#engine(engine)));
    document.dispatchEvent(new CustomEvent("tench:lines"));
  }

  #showBar({ chances, score }) {
    this.#bar.style.setProperty("--white", `${chances.toFixed(1)}%`);
    this.#bar.setAttribute("aria-valuenow", Math.round(chances));
    this.#bar.setAttribute("aria-valuetext", score);
  }

  #engine(engine) {
    const facts = `depth ${engine.depth ?? "–"} · ${short(engine.nodes)} nodes · ${short(engine.speed)}/s`;
    const head = make("p", { class: "engine-head" }, make("strong", {}, engine.name), ` ${engine.error ?? facts}`);
    const lines = engine.lines.map((line) => this.#line(line));
    return make("div", { class: "engine" }, head, make("ol", {}, ...lines));
  }

  #line(line) {
    const fen = this.#page.fen;
    const [, turn, , , , count] = fen.split(" ");
    let [number, white] = [Number(count), turn === "w"];
    let squares = placement(fen);
    const item = make("li", {}, make("strong", { class: "score" }, line.score));
    line.moves.forEach((move, index) => {
      squares = placedAfter(squares, move.uci);
      const after = placementFen(squares, white ? "b" : "w");
      const label = white ? `${number}. ${move.san}` : index === 0 ? `${number}… ${move.san}` : move.san;
      const button = make("button", { type: "button", tabindex: index ? -1 : 0 }, label);
      for (const name of ["mouseenter", "focus"]) button.addEventListener(name, () => this.#page.preview(after, move.uci));
      for (const name of ["mouseleave", "blur"]) button.addEventListener(name, () => this.#page.preview(null));
      button.addEventListener("click", () => this.#page.playLine(line.moves.slice(0, index + 1).map(({ uci }) => uci)));
      item.append(" ", button);
      if (!white) number += 1;
      white = !white;
    });
    return item;
  }
}
