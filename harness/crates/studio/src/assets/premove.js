// A move that is made during the opponent's turn: it is kept until one's own, also when the page is loaded again.

export class Premove {
  #key;
  #kept;

  constructor(board) {
    this.#key = `premove-${board}`;
    this.#kept = JSON.parse(sessionStorage.getItem(this.#key) ?? "null");
  }

  // The move; null without one.
  get uci() {
    return this.#kept?.uci ?? null;
  }

  // Keeps a move that was made in the position to which these moves lead.
  set(uci, moves) {
    this.#kept = { uci, after: moves.join(" ") };
    sessionStorage.setItem(this.#key, JSON.stringify(this.#kept));
  }

  forget() {
    this.#kept = null;
    sessionStorage.removeItem(this.#key);
  }

  // Whether it was made in the position to which these moves lead.
  isOf(moves) {
    return this.#kept?.after === moves.join(" ");
  }
}
