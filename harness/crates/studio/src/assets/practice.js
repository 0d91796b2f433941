// Puzzles: a position, a move, the verdict.

import { Board } from "./board.js";

function byId(id) {
  return document.getElementById(id);
}

class Practice {
  #csrf;
  #board = new Board(byId("board-frame"), { label: "puzzle" });
  #form = byId("practice-form");
  #puzzle = null;
  #fen = "";
  #moves = [];
  #over = true;

  constructor(root) {
    this.#csrf = root.dataset.csrf;
    this.#board.enableDrag((uci) => this.#answer({ move: uci }));
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
    byId("solution").addEventListener("click", () => this.#answer({ give_up: "yes" }));
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (this.#form.elements[name]) this.#form.elements[name].value = value;
    }
    this.#next();
  }

  async #post(path, fields) {
    const body = new URLSearchParams({ csrf: this.#csrf, ...fields });
    const answer = await fetch(path, { method: "POST", body });
    const value = await answer.json();
    if (answer.ok) return value;
    this.#say(value.error, true);
    return null;
  }

  #say(text, wrong = false) {
    byId("verdict").textContent = text;
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
    this.#show(puzzle.fen, null);
    const side = puzzle.fen.split(" ")[1] === "w" ? "White" : "Black";
    byId("puzzle-turn").textContent = puzzle.mate_in ? `${side} to move: mate in ${puzzle.mate_in}` : `${side} to move`;
    byId("puzzle-source").textContent = `${puzzle.id}, rated ${puzzle.rating}`;
    this.#tellSolver(puzzle.solver);
    this.#say("Find the best move.");
  }

  #tellSolver(rating) {
    byId("solver").textContent = `Your rating: ${rating}`;
  }

  #show(fen, last, arrows = []) {
    this.#fen = fen;
    const flipped = this.#puzzle.fen.split(" ")[1] === "b";
    this.#board.show({ fen, last, arrows, flipped, animate: true });
  }

  async #answer(fields) {
    if (this.#over || !this.#puzzle) return false;
    const value = await this.#post("/practice/answer", { id: this.#puzzle.id, moves: this.#moves.join(" "), ...fields });
    if (!value) {
      this.#show(this.#fen, null);
      return false;
    }
    if (value.verdict === "right") {
      this.#moves.push(value.move, value.reply);
      this.#show(value.fen, value.reply);
      this.#say("Right. Go on.");
      return true;
    }
    this.#over = true;
    this.#tellSolver(value.solver);
    if (value.verdict === "solved") {
      this.#show(value.fen, value.move);
      this.#say("Solved.");
      return true;
    }
    this.#show(this.#puzzle.fen, null, [{ uci: value.best, kind: "green" }]);
    this.#say(`The best move is ${value.san}. This puzzle comes back tomorrow.`);
    return false;
  }
}

export function startPractice() {
  const root = byId("practice");
  if (root) new Practice(root);
}
