// The clocks of both players of a board.

import { SIDES } from "./places.js";

const EVERY = 100;

export class Clocks {
  #page;
  #receivedAt = 0;
  // The version of the game whose empty clock was reported.
  #flagged;

  constructor(page) {
    this.#page = page;
    setInterval(() => this.show(), EVERY);
  }

  // A newer state has come, with the times of now.
  received() {
    this.#receivedAt = performance.now();
  }

  show() {
    const { game, version, turn, flipped } = this.#page;
    const order = flipped ? SIDES : [...SIDES].reverse();
    ["top", "bottom"].forEach((place, index) => {
      const element = document.querySelector(`.player.${place} .clock`);
      let text = "";
      if (game?.clocks) {
        const side = order[index];
        const runs = game.running && !game.over && turn === side;
        const left = game.clocks[SIDES.indexOf(side)] - (runs ? performance.now() - this.#receivedAt : 0);
        text = clockText(left);
        if (left <= 0 && runs && this.#page.control && this.#flagged !== version) {
          this.#flagged = version;
          this.#page.act("flag");
        }
      }
      if (element.textContent !== text) element.textContent = text;
    });
  }
}

function clockText(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const shown = seconds < 10 ? rest.toFixed(1).padStart(4, "0") : String(Math.floor(rest)).padStart(2, "0");
  return `${minutes}:${shown}`;
}
