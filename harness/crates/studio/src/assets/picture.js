// A position from a picture: a screenshot that is pasted, dropped or chosen. The squares that were read
// stand in the editor; those in doubt are framed and listed until a click settles them.

import { request, withCode } from "./answers.js";
import { make } from "./board.js";
import { placement, placementFen } from "./lines.js";

// Bytes of a file that is sent; the server has the same limit.
const MOST = 16 * 1024 * 1024;
const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const ORIENTATIONS = {
  coordinates: "by its coordinates",
  pieces: "by its pieces",
  assumed: "nothing tells it: turn the position if it is wrong",
};

function byId(id) {
  return document.getElementById(id);
}

export function isPicture(file) {
  return Boolean(file?.type.startsWith("image/"));
}

function pieceName(letter) {
  return letter === "." ? "empty" : `${letter < "a" ? "white" : "black"} ${NAMES[letter.toLowerCase()]}`;
}

function squareName(at) {
  return "abcdefgh"[at % 8] + (8 - Math.floor(at / 8));
}

function indexOf(square) {
  return (8 - Number(square[1])) * 8 + square.charCodeAt(0) - 97;
}

export class Picture {
  #page;
  #editor;
  #report = byId("picture-report");
  // Squares in doubt that were not looked at: by name, with what else they may hold.
  #doubts = new Map();
  // Pictures that were sent; an answer that comes after a newer picture is dropped.
  #sent = 0;

  constructor(page, editor) {
    this.#page = page;
    this.#editor = editor;
    byId("picture-file").addEventListener("change", (event) => {
      this.offer(event.target.files[0]);
      event.target.value = "";
    });
  }

  // The squares that are framed.
  get marks() {
    return [...this.#doubts.keys()].map((square) => ({ square, kind: "red" }));
  }

  // Reads a picture into the editor.
  async offer(file) {
    if (!file) return;
    byId("editor").open = true;
    this.forget();
    const sent = this.#sent;
    if (file.size > MOST) {
      this.#say(`${file.name} has ${Math.ceil(file.size / 1e6)} MB, and 16 are read at most: crop it to the board.`, true);
      return;
    }
    this.#say("The picture is read…");
    try {
      const query = new URLSearchParams({ csrf: this.#page.csrf });
      const value = await request(`/picture?${query}`, { method: "POST", body: file });
      if (sent !== this.#sent) return;
      this.#show(value, await addressOf(file));
    } catch (error) {
      if (sent === this.#sent) this.#say(`No position. ${error.message}`, true);
    }
  }

  #say(text, wrong = false) {
    this.#report.replaceChildren(make("p", wrong ? { class: "wrong" } : {}, ...withCode(text)));
  }

  // The position is not that of the picture any more.
  forget() {
    this.#sent += 1;
    this.#doubts.clear();
    this.#report.replaceChildren();
  }

  #show({ fen, squares, black_below: blackBelow, orientation, notes }, address) {
    for (const { square, piece, alternative, confidence, uncertain } of squares) {
      if (uncertain) this.#doubts.set(square, { piece, alternative, confidence });
    }
    const count = squares.filter(({ piece }) => piece !== ".").length;
    const side = `${blackBelow ? "Black" : "White"} is below (${ORIENTATIONS[orientation]})`;
    const parts = [
      make("img", { src: address, alt: "The picture that was read", class: "picture-read" }),
      make("p", {}, `Read: ${count} ${count === 1 ? "piece" : "pieces"}. ${side}. The side to move and castling are not in a picture: check them.`),
    ];
    if (notes.length) parts.push(make("ul", {}, ...notes.map((note) => make("li", {}, note))));
    const turn = make("button", { type: "button", class: "button", id: "picture-turn" }, "Turn the position");
    turn.addEventListener("click", () => this.#turn());
    parts.push(make("div", { class: "actions" }, turn), make("div", { id: "picture-doubts" }));
    this.#report.replaceChildren(...parts);
    this.#editor.set(fen);
    this.#page.turnTo(blackBelow);
    this.#list();
  }

  // The squares in doubt, each with what it may hold instead.
  #list() {
    const host = byId("picture-doubts");
    if (!host) return;
    if (!this.#doubts.size) {
      host.replaceChildren(make("p", { role: "status" }, "No square is in doubt."));
      return;
    }
    const rows = [...this.#doubts].map(([square, { piece, alternative, confidence }]) => {
      const keep = this.#choice(square, piece, `${square} is ${pieceName(piece)}`);
      const other = this.#choice(square, alternative, `${square} is ${pieceName(alternative)}`);
      keep.title = `${Math.round(confidence * 100)} %`;
      return make("li", {}, make("span", {}, `${square}: `), keep, " ", other);
    });
    const text = `In doubt, framed on the board: ${rows.length} ${rows.length === 1 ? "square" : "squares"}. Choose here, or click a square to put the piece of the palette there.`;
    host.replaceChildren(make("p", {}, text), make("ul", { class: "picture-doubts" }, ...rows));
  }

  #choice(square, letter, label) {
    const button = make("button", { type: "button", class: "button", "aria-label": label }, pieceName(letter));
    button.addEventListener("click", () => {
      this.#editor.place(square, letter === "." ? null : letter);
      const next = byId("picture-doubts")?.querySelector("button") ?? byId("use-position");
      next.focus();
    });
    return button;
  }

  // A square was set by hand: it is not in doubt.
  settled(square) {
    if (this.#doubts.delete(square)) this.#list();
  }

  // The position seen from the other side.
  #turn() {
    const turned = (square) => squareName(63 - indexOf(square));
    this.#doubts = new Map([...this.#doubts].map(([square, doubt]) => [turned(square), doubt]));
    const [, turn = "w"] = this.#editor.fen.split(" ");
    const squares = placement(this.#editor.fen).reverse();
    this.#editor.set(`${placementFen(squares, turn).split(" ")[0]} ${turn} - - 0 1`, true);
    this.#page.turnTo(!this.#page.flipped);
    this.#list();
  }
}

// A file as an address that a page may show.
function addressOf(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", () => reject(new Error("the file cannot be read")));
    reader.readAsDataURL(file);
  });
}
