// The position editor: a palette of pieces, and a FEN that follows.

import { make, makeSvg } from "./board.js";
import { placement, placementFen } from "./lines.js";
import { Picture } from "./picture.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const EMPTY = "8/8/8/8/8/8/8/8 w - - 0 1";
const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

// The name of the square at a place, `a8` first.
function name(at) {
  return "abcdefgh"[at % 8] + (8 - Math.floor(at / 8));
}

// The first four fields of a FEN, with the usual ones where it is cut off.
function fieldsOf(fen) {
  const given = fen.trim().split(/\s+/);
  return ["8/8/8/8/8/8/8/8", "w", "-", "-"].map((usual, at) => given[at] || usual).concat(given.slice(4));
}

export class Editor {
  #page;
  #details = document.getElementById("editor");
  #fen = document.getElementById("edit-fen");
  #piece = "P";
  #changes = {};
  #rights = [...document.querySelectorAll("[data-castling]")];
  #picture;
  // What stood on the squares when they were last shown.
  #before = null;

  constructor(page) {
    this.#page = page;
    this.#picture = new Picture(page, this);
    const palette = document.getElementById("palette");
    for (const letter of "KQRBNPkqrbnp") palette.append(this.#choice(letter));
    palette.append(this.#choice(null));
    this.#details.addEventListener("toggle", () => {
      if (this.#details.open) this.#fen.value = page.fen;
      else this.#picture.forget();
      this.#before = placement(this.#fen.value);
      this.#tickRights();
      this.#edit();
      if (this.#details.open) this.#change(this.#changes);
      this.#changes = {};
    });
    this.#fen.addEventListener("input", () => this.#shown());
    for (const box of this.#rights) box.addEventListener("change", () => this.#chooseRights());
    for (const button of this.#details.querySelectorAll("[data-preset]")) {
      button.addEventListener("click", () => this.preset(button.dataset.preset));
    }
    document.getElementById("use-position").addEventListener("click", async () => {
      if (await page.act("setup", { fen: this.#fen.value })) this.#details.open = false;
    });
  }

  // Opens, if it is closed, and changes what is set up. The event that it has opened comes later.
  open(changes = {}) {
    if (this.#details.open) this.#change(changes);
    else {
      this.#changes = changes;
      this.#details.open = true;
    }
    this.#fen.focus();
  }

  // A preset or a FEN, then pieces as `Qd1` and `qd8`, squares to empty as `-g1`, pieces to remove wherever they stand
  // as `-q`, the side to move, and rights to castle that are taken away, `-kq`, or the only ones, `=K`.
  #change({ preset = null, fen = null, edits = [], turn = null, rights = null }) {
    if (fen) this.#fen.value = fen;
    if (preset) this.preset(preset);
    for (const edit of edits) {
      const piece = edit.slice(1);
      const squares = piece.length === 1 ? this.#squaresOf(piece) : [piece];
      for (const square of squares) this.#put(square, edit[0] === "-" ? null : edit[0]);
    }
    const [, now = "w"] = this.#fen.value.split(" ");
    if (turn && turn[0] !== now) this.preset("turn");
    if (rights) this.#limitRights(rights);
    this.#shown();
  }

  #limitRights([sign, ...named]) {
    const fields = fieldsOf(this.#fen.value);
    const stays = (right) => named.includes(right) === (sign === "=");
    fields[2] = [...fields[2]].filter((right) => right !== "-" && stays(right)).join("") || "-";
    this.#fen.value = fields.join(" ");
  }

  // The squares on which a piece stands.
  #squaresOf(letter) {
    return placement(this.#fen.value).map((found, at) => (found === letter ? name(at) : null)).filter(Boolean);
  }

  preset(name) {
    const fields = fieldsOf(this.#fen.value);
    if (name === "start") this.#fen.value = START;
    else if (name === "empty") this.#fen.value = EMPTY;
    else {
      fields[1] = fields[1] === "w" ? "b" : "w";
      fields[3] = "-";
      this.#fen.value = fields.join(" ");
    }
    this.#shown();
  }

  get fen() {
    return this.#fen.value;
  }

  // Reads a picture of a board.
  readPicture(file) {
    this.#picture.offer(file);
  }

  // Sets the position; with `rights`, with the castling that its kings and rooks allow.
  set(fen, rights = false) {
    const fields = fen.split(" ");
    if (rights) fields[2] = castling(placement(fen));
    this.#fen.value = fields.join(" ");
    this.#before = placement(this.#fen.value);
    this.#shown();
  }

  // Puts a piece on a square; null empties it.
  place(square, letter) {
    this.#picture.settled(square);
    this.#put(square, letter);
  }

  // The FEN has changed: so do the board and the boxes. Squares of a picture that were changed are settled.
  #shown() {
    const squares = placement(this.#fen.value);
    squares.forEach((letter, at) => {
      if (letter !== this.#before?.[at]) this.#picture.settled(name(at));
    });
    this.#before = squares;
    this.#tickRights();
    this.#edit();
  }

  #edit() {
    const touched = (square, from = square) => (from === square ? this.#click(square) : this.#drag(from, square));
    this.#page.edit(this.#details.open ? this.#fen.value : null, touched, this.#picture.marks);
  }

  #tickRights() {
    const [, , rights = ""] = this.#fen.value.split(" ");
    for (const box of this.#rights) box.checked = rights.includes(box.dataset.castling);
  }

  // The boxes are the rights of the FEN.
  #chooseRights() {
    const fields = fieldsOf(this.#fen.value);
    fields[2] = this.#rights.filter(({ checked }) => checked).map(({ dataset }) => dataset.castling).join("") || "-";
    this.#fen.value = fields.join(" ");
    this.#edit();
  }

  #choice(letter) {
    const name = letter ? `${letter < "a" ? "white" : "black"} ${NAMES[letter.toLowerCase()]}` : "no piece";
    const input = make("input", { type: "radio", name: "piece", value: letter ?? "", "aria-label": name });
    input.checked = letter === this.#piece;
    input.addEventListener("change", () => { this.#piece = letter; });
    const shape = letter
      ? makeSvg("use", { width: 45, height: 45, href: `#piece-${letter.toLowerCase()}`, class: letter < "a" ? "white" : "black" })
      : makeSvg("path", { d: "M12 12 33 33M33 12 12 33", class: "no-piece" });
    return make("label", { class: "piece-choice", title: name }, input, makeSvg("svg", { viewBox: "0 0 45 45", class: "board", "aria-hidden": "true" }, shape));
  }

  // The chosen piece, or none where it stands already.
  #click(square) {
    const there = placement(this.#fen.value)[index(square)];
    this.#put(square, there === this.#piece ? null : this.#piece);
  }

  // A piece that is dragged to another square.
  #drag(from, to) {
    const piece = placement(this.#fen.value)[index(from)];
    if (piece === null) return;
    this.#put(from, null);
    this.#put(to, piece);
  }

  #put(square, piece) {
    const [, turn = "w"] = this.#fen.value.split(" ");
    const squares = placement(this.#fen.value);
    squares[index(square)] = piece;
    const board = placementFen(squares, turn).split(" ")[0];
    // A right that was taken away stays away while its king and rook stand.
    const before = castling(placement(this.#fen.value));
    const [, , rights = ""] = this.#fen.value.split(" ");
    const kept = [...rights].filter((right) => mayCastle(squares, right));
    const added = [...castling(squares)].filter((right) => !before.includes(right) && !kept.includes(right) && right !== "-");
    this.#fen.value = `${board} ${turn} ${[...kept, ...added].join("") || "-"} - 0 1`;
    this.#shown();
  }
}

// The place of a square among the 64, from a8.
function index(square) {
  return (8 - Number(square[1])) * 8 + square.charCodeAt(0) - 97;
}

// Castling that kings and rooks at their places allow.
function castling(squares) {
  const at = (name) => squares[index(name)];
  const can = [["K", "h1", "R", "e1"], ["Q", "a1", "R", "e1"], ["k", "h8", "r", "e8"], ["q", "a8", "r", "e8"]];
  const found = can.filter(([right, rook, letter, king]) => at(rook) === letter && at(king) === (right < "a" ? "K" : "k"));
  return found.map(([right]) => right).join("") || "-";
}

// Whether a right to castle has its king and rook, wherever Chess960 has them: `K` and `Q` are of the outer rooks, `A` to `H` of the
// rook on this file.
function mayCastle(squares, right) {
  const isWhite = right < "a";
  const row = squares.slice(isWhite ? 56 : 0, isWhite ? 64 : 8);
  const [king, rook] = isWhite ? ["K", "R"] : ["k", "r"];
  const at = row.indexOf(king);
  if (at < 0) return false;
  const side = right.toUpperCase();
  if (side === "K") return row.lastIndexOf(rook) > at;
  if (side === "Q") return row.includes(rook) && row.indexOf(rook) < at;
  return row[side.charCodeAt(0) - 65] === rook;
}
