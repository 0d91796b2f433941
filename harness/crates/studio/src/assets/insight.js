// What the network sees on the board, and the mistakes of a reviewed game.

import { request, withCode } from "./answers.js";
import { make } from "./board.js";
import { signsOf } from "./movetree.js";

const WORDS = { 4: ["blunder", "blunders"], 2: ["mistake", "mistakes"], 6: ["inaccuracy", "inaccuracies"] };
const COLUMNS = "abcdefgh";

function pawns(centipawns) {
  return `${centipawns < 0 ? "−" : "+"}${(Math.abs(centipawns) / 100).toFixed(1)}`;
}

export class Insight {
  #page;
  #box = document.getElementById("show-seen");
  #note = document.getElementById("seen-note");
  #layer = make("div", { class: "seen-layer", "aria-hidden": "true" });
  #pieces = [];

  constructor(page) {
    this.#page = page;
    document.getElementById("board-frame").append(this.#layer);
    this.#box.addEventListener("change", () => this.ask());
  }

  // The position has changed.
  async ask() {
    this.#note.hidden = !this.#box.checked;
    this.#pieces = [];
    this.place();
    if (!this.#box.checked) return;
    const node = this.#page.cursor;
    let seen = null;
    try {
      seen = await request(`/board/${this.#page.id}/seen?node=${node}`);
    } catch (error) {
      this.#note.replaceChildren(...withCode(error.message));
      return;
    }
    if (this.#page.cursor !== node) return;
    if (!seen) {
      this.#note.textContent = "In check an evaluation without a search means nothing.";
      return;
    }
    this.#pieces = seen.pieces;
    const list = seen.pieces.map(({ piece, square, worth }) => `${piece.toUpperCase()}${square} ${pawns(worth)}`).join(", ");
    // The figures stand on the board; who cannot see it has them as a list.
    const hidden = make("span", { class: "visually-hidden" }, ` ${list}.`);
    this.#note.replaceChildren(`${pawns(seen.value)} for White without a search. On each piece: what its side would lose without it, in pawns.`, hidden);
    this.place();
  }

  // Puts the figures on their squares.
  place() {
    const { flipped } = this.#page;
    this.#layer.replaceChildren(...this.#pieces.map(({ square, worth }) => {
      const [column, row] = [COLUMNS.indexOf(square[0]), 8 - Number(square[1])];
      const [x, y] = flipped ? [7 - column, 7 - row] : [column, row];
      const figure = make("span", { class: worth < 0 ? "bad" : "" }, pawns(worth));
      figure.style.setProperty("--x", x);
      figure.style.setProperty("--y", y);
      return figure;
    }));
  }

  #mainLine() {
    const { nodes } = this.#page;
    const line = [];
    let node = nodes.get(0);
    while (node?.children.length) {
      node = nodes.get(node.children[0]);
      line.push(node);
    }
    return line;
  }

  // The moves of the main line that a review has signed, each with its remark.
  #signed() {
    return this.#mainLine().filter(({ nags = [] }) => nags.some((nag) => WORDS[nag]));
  }

  // Lists the mistakes with links to their positions.
  mistakes() {
    const host = document.getElementById("mistakes");
    const { tags } = this.#page;
    if (!tags.has("WhiteAccuracy") && !tags.has("BlackAccuracy")) {
      host.replaceChildren();
      return;
    }
    const items = this.#signed().map((node) => {
      const button = make("button", { type: "button" }, this.#named(node));
      button.addEventListener("click", () => this.#page.go(node.id));
      return make("li", {}, button, " ", node.comment ?? "");
    });
    host.replaceChildren(make("p", {}, this.summary()), make("ol", { class: "mistakes-list" }, ...items));
  }

  #named({ fen, san, nags }) {
    const [, turn, , , , number] = fen.split(" ");
    return `${turn === "b" ? `${number}.` : `${number - 1}…`} ${san}${signsOf(nags)}`;
  }

  // Accuracy and mistakes of both players in words; empty without a review.
  summary() {
    const { tags } = this.#page;
    const signed = this.#signed();
    const sides = [["White", "b"], ["Black", "w"]].filter(([name]) => tags.has(`${name}Accuracy`));
    const texts = sides.map(([name, after]) => {
      const own = signed.filter(({ fen }) => fen.split(" ")[1] === after);
      const counts = Object.entries(WORDS).map(([nag, [one, many]]) => {
        const count = own.filter(({ nags }) => nags.includes(Number(nag))).length;
        return count ? `${count} ${count === 1 ? one : many}` : "";
      });
      const list = counts.filter(Boolean).join(", ") || "no mistakes";
      return `${name}: accuracy ${tags.get(`${name}Accuracy`)} %, ${list}.`;
    });
    const worst = signed.find(({ nags }) => nags.includes(4)) ?? signed.find(({ nags }) => nags.includes(2));
    if (worst) texts.push(`It turned at ${this.#named(worst)}${worst.comment ? `: ${worst.comment}` : ""}.`);
    return texts.join(" ");
  }

  // Waits until a review has been written.
  reviewed() {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.summary()) return;
        document.removeEventListener("tench:board", look);
        resolve();
      };
      document.addEventListener("tench:board", look);
      look();
    });
  }
}
