// Copies of the position and the game of a board, links to it, and files.

import { boardPicture, saveAs } from "./snapshot.js";

const ENDS = { picture: "png", pgn: "pgn", fen: "fen" };

export class Sharing {
  #page;

  constructor(page) {
    this.#page = page;
    const onClick = (id, act) => document.getElementById(id).addEventListener("click", act);
    onClick("copy-fen", () => this.copy(page.fen, "FEN"));
    onClick("copy-link", () => this.copy(`${location.origin}/board/${page.id}${page.link}`, "link"));
    onClick("copy-position-link", () => this.copy(`${location.origin}/boards?fen=${encodeURIComponent(page.fen)}`, "link"));
    onClick("copy-pgn", async () => {
      const answer = await this.#pgn().catch(() => null);
      if (answer?.ok) this.copy(await answer.text(), "PGN");
      else page.say("The studio gives no PGN of this board.", true);
    });
    document.getElementById("download-pgn").href = this.#pgnAddress();
    onClick("save-picture", () => this.save({ what: "picture" }));
  }

  #pgnAddress() {
    return `/board/${this.#page.id}/game.pgn`;
  }

  #pgn() {
    return fetch(this.#pgnAddress());
  }

  // `more` is said of it where it is copied.
  async copy(text, what, more = "") {
    try {
      await navigator.clipboard.writeText(text);
      this.#page.say(`The ${what} is copied.${more}`);
    } catch {
      this.#page.say(`The browser does not let the ${what} be copied.`, true);
    }
  }

  // Gives the user the position or the game as a file; of a picture, with this side below.
  async save({ what, file, side, pixels }) {
    const name = file?.split(/[\\/]/).at(-1) || `${what === "pgn" ? "game" : "position"}.${ENDS[what]}`;
    try {
      saveAs(await this.#asFile(what, side, pixels), name);
    } catch {
      return this.#page.say(`The browser makes no file of the ${what}.`, true);
    }
    return this.#page.say(`${name} is saved by the browser, in the folder of its downloads.`);
  }

  async #asFile(what, side, pixels) {
    if (what === "fen") return new Blob([`${this.#page.fen}\n`], { type: "text/plain" });
    if (what === "pgn") {
      const answer = await this.#pgn();
      if (!answer.ok) throw new Error("no PGN");
      return answer.blob();
    }
    const turned = side !== undefined && (side === "black") !== this.#page.flipped;
    if (turned) this.#page.place("flip");
    const picture = await boardPicture(document.querySelector("#board-frame svg.board"), pixels);
    if (turned) this.#page.place("flip");
    return picture;
  }
}
