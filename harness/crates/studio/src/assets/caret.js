// A caret on a board: pieces are picked up and put down by keys alone.

import { make } from "./board.js";

const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const HELP = "Arrow keys go from square to square. Enter picks a piece up and puts it down. Escape puts it back, and then leaves the board.";

function pieceName(letter) {
  return `${letter === letter.toUpperCase() ? "white" : "black"} ${PIECES[letter.toLowerCase()]}`;
}

function counted(count, one) {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

export class Caret {
  #board;
  #element;
  #square = null;
  #spoken = make("p", { class: "visually-hidden", role: "status" });
  // A click moves pieces by itself and leaves the keys to the page.
  #clicked = false;

  constructor(board, host) {
    this.#board = board;
    this.#element = board.element;
    const help = make("p", { class: "visually-hidden", id: "caret-help" }, HELP);
    host.append(help, this.#spoken);
    for (const [name, value] of Object.entries({ tabindex: 0, role: "application", "aria-roledescription": "chess board", "aria-describedby": "caret-help" })) {
      this.#element.setAttribute(name, value);
    }
    this.#element.addEventListener("pointerdown", () => this.#pointed(), { capture: true });
    this.#element.addEventListener("focus", () => this.#focused());
    this.#element.addEventListener("blur", () => this.#board.showCaret(null));
    this.#element.addEventListener("keydown", (event) => this.#key(event));
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => setTimeout(() => { this.#clicked = false; }), true);
    }
  }

  #pointed() {
    this.#clicked = true;
    this.#element.blur();
  }

  #focused() {
    if (this.#clicked) {
      this.#element.blur();
      return;
    }
    this.#square ??= this.#board.startSquare;
    this.#board.showCaret(this.#square);
    this.#say(this.#described());
  }

  #say(text) {
    // The same text twice is not read twice.
    this.#spoken.textContent = this.#spoken.textContent === text ? `${text}\u00a0` : text;
  }

  // The square, what stands there, and whether the piece that is held may go there.
  #described() {
    const letter = this.#board.pieceOn(this.#square);
    const may = this.#board.reach?.includes(this.#square) ? (letter ? ", may be taken" : ", may go here") : "";
    return `${this.#square}, ${letter ? pieceName(letter) : "empty"}${may}`;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key in STEPS) this.#step(STEPS[key]);
    else if (key === "Enter" || key === " ") this.#press();
    else if (key === "Escape") this.#leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step([right, up]) {
    const turn = this.#board.flipped ? -1 : 1;
    const file = "abcdefgh".indexOf(this.#square[0]) + turn * right;
    const rank = Number(this.#square[1]) + turn * up;
    // At the edge it stays.
    if (file >= 0 && file < 8 && rank >= 1 && rank <= 8) this.#square = "abcdefgh"[file] + rank;
    this.#board.showCaret(this.#square);
    this.#say(this.#described());
  }

  #press() {
    const letter = this.#board.pieceOn(this.#square);
    const held = this.#board.chosen && this.#board.pieceOn(this.#board.chosen);
    const done = this.#board.press(this.#square);
    if (done === "chosen") {
      const { reach } = this.#board;
      const count = reach ? `, ${counted(reach.length, "move")}${reach.length ? `: ${reach.join(" ")}` : ""}` : "";
      this.#say(`${pieceName(letter)} on ${this.#square} picked up${count}`);
    } else if (done === "released") this.#say(`${pieceName(letter)} put back on ${this.#square}`);
    else if (done === "moved") this.#say(`${pieceName(held)} to ${this.#square}`);
    else if (done === "placed") this.#say(this.#described());
    else if (!letter) this.#say(`${this.#square} is empty`);
  }

  #leave() {
    const { chosen } = this.#board;
    if (!chosen) {
      this.#element.blur();
      return;
    }
    this.#board.release();
    this.#say(`${pieceName(this.#board.pieceOn(chosen))} put back on ${chosen}`);
  }
}
