// Puzzles: a position, a move, the verdict.

import { analyse } from "./analyse.js";
import { request, withCode } from "./answers.js";
import { playSound } from "./appearance.js";
import { Board } from "./board.js";
import { Caret } from "./caret.js";

function byId(id) {
  return document.getElementById(id);
}

class Practice {
  #csrf;
  #board = new Board(byId("board-frame"), { label: "puzzle" });
  #form = byId("practice-form");
  #puzzle = null;
  #fen = "";
  #legal = [];
  #moves = [];
  #over = true;

  constructor(root) {
    this.#csrf = root.dataset.csrf;
    this.#board.enableDrag((uci) => this.#answer({ move: uci }), () => { if (!this.#over) this.#say("That piece is the other side's.", true); });
    new Caret(this.#board, byId("board-frame"));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#next();
    });
    byId("answer").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = byId("answer-text");
      if (field.value.trim()) this.#answer({ move: field.value.trim() });
      field.value = "";
    });
    byId("analyse-puzzle").addEventListener("click", () => analyse({ fen: this.#puzzle.fen }));
    byId("solution").addEventListener("click", () => this.#answer({ give_up: "yes" }));
    this.#next();
  }

  // What kind of puzzle is wanted; without a word about it one like the last.
  #wish(wish) {
    if (wish.theme !== undefined) for (const name of ["mate_in", "piece"]) this.#form.elements[name].value = "";
    for (const [name, value] of Object.entries(wish)) {
      if (this.#form.elements[name]) this.#form.elements[name].value = value;
    }
  }

  async #post(path, fields) {
    const body = new URLSearchParams({ csrf: this.#csrf, ...fields });
    try {
      return await request(path, { method: "POST", body });
    } catch (error) {
      this.#say(error.message, true);
      return null;
    }
  }

  #say(text, wrong = false) {
    byId("verdict").replaceChildren(...withCode(text));
    byId("verdict").classList.toggle("wrong", wrong);
  }

  async #next() {
    this.#say("An engine looks for a puzzle…");
    const wish = new URLSearchParams([...new FormData(this.#form)].filter(([, value]) => value));
    const puzzle = await this.#post(`/practice/next?${wish}`, {});
    if (!puzzle) return;
    this.#puzzle = puzzle;
    this.#moves = [];
    this.#over = false;
    byId("analyse-puzzle").hidden = true;
    this.#show(puzzle, null);
    const side = puzzle.fen.split(" ")[1] === "w" ? "White" : "Black";
    byId("puzzle-turn").textContent = puzzle.mate_in ? `${side} to move: mate in ${puzzle.mate_in}` : `${side} to move`;
    byId("puzzle-source").textContent = `${puzzle.id}, rated ${puzzle.rating}`;
    this.#tellSolver(puzzle);
    this.#say("Find the best move.");
  }

  // The rating with its 95 % interval: of few puzzles it says little.
  #tellSolver({ solver, deviation }) {
    byId("solver").textContent = `Your rating: ${solver} ± ${Math.round(1.96 * deviation)}`;
  }

  // Shows a position; with its legal moves where one is to be made.
  #show({ fen, legal = [] }, last, arrows = []) {
    [this.#fen, this.#legal] = [fen, legal];
    const flipped = this.#puzzle.fen.split(" ")[1] === "b";
    const takes = last && this.#board.pieceOn(last.slice(2, 4));
    this.#board.show({ fen, last, arrows, flipped, animate: true });
    if (last) playSound(takes ? "take" : "move");
    this.#board.allow(legal);
  }

  async #answer(fields) {
    // Behind the end only a sentence is read: "another one, please".
    if (!this.#puzzle || (this.#over && !/next|\s/i.test(fields.move ?? ""))) return false;
    const over = this.#over ? "yes" : "";
    const value = await this.#post("/practice/answer", { id: this.#puzzle.id, moves: this.#moves.join(" "), over, ...fields });
    if (!value) {
      this.#show({ fen: this.#fen, legal: this.#legal }, null);
      return false;
    }
    if (value.verdict === "next") {
      this.#wish(value.wish);
      await this.#next();
      return true;
    }
    if (value.verdict === "right") {
      this.#moves.push(value.move, value.reply);
      this.#show(value, value.reply);
      this.#say("Right. Go on.");
      return true;
    }
    this.#over = true;
    this.#tellSolver(value);
    byId("analyse-puzzle").hidden = false;
    if (value.verdict === "solved") {
      this.#show({ fen: value.fen }, value.move);
      this.#say("Solved.");
      return true;
    }
    this.#show({ fen: this.#puzzle.fen }, null, [{ uci: value.best, kind: "green" }]);
    this.#say(`${value.shown ? "" : "That is not it. "}The best move is ${value.san}. This puzzle comes back tomorrow${value.shown ? "; your rating stays" : ""}.`);
    return false;
  }
}

new Practice(byId("practice"));
