// What was played in the position that is shown, and games between engines from it.

import { request, withCode } from "./answers.js";
import { make } from "./board.js";

const COLUMNS = ["Move", "Games", "White won", "Drawn", "Black won"];

export class Explorer {
  #page;
  #details = document.getElementById("explorer");
  #source = document.getElementById("explorer-source");
  #rows = document.getElementById("explorer-rows");
  // The newest question: the answer to an older one may come after its own.
  #asked = 0;

  constructor(page) {
    this.#page = page;
    this.#details.addEventListener("toggle", () => this.ask());
    this.#source.addEventListener("change", () => this.ask());
    document.getElementById("playout-form")?.addEventListener("submit", async (event) => {
      event.preventDefault();
      const value = await page.post("playout", { node: page.cursor, ...Object.fromEntries(new FormData(event.target)) });
      if (value) location.href = `/start?yaml=${encodeURIComponent(value.run)}`;
    });
  }

  open() {
    this.#details.open = true;
  }

  // The position has changed.
  async ask() {
    if (!this.#details.open) return;
    const asked = (this.#asked += 1);
    const query = new URLSearchParams({ node: this.#page.cursor, source: this.#source.value.trim() });
    const wait = setTimeout(() => { if (this.#asked === asked) this.#rows.textContent = "Games are being read…"; }, 300);
    try {
      const value = await request(`/board/${this.#page.id}/explorer?${query}`);
      if (this.#asked === asked) this.#show(value);
    } catch (error) {
      if (this.#asked === asked) this.#rows.replaceChildren(...withCode(error.message));
    } finally {
      clearTimeout(wait);
    }
  }

  #show({ games, of, moves, named }) {
    const number = (count) => count.toLocaleString("en");
    const parts = [make("p", { class: "soft" }, `${number(games)} of ${number(of)} ${of === 1 ? "game" : "games"}`)];
    if (moves.length) {
      const head = make("tr", {}, ...COLUMNS.map((name, index) => make("th", index ? { class: "number" } : {}, name)));
      parts.push(make("table", {}, make("thead", {}, head), make("tbody", {}, ...moves.map((played) => this.#row(played)))));
    }
    if (named.length) parts.push(make("ul", { class: "named-games" }, ...named.map((game) => make("li", {}, this.#game(game)))));
    this.#rows.replaceChildren(...parts);
  }

  #row({ uci, san, games, results }) {
    const button = make("button", { type: "button", class: "button" }, san);
    button.addEventListener("click", () => this.#page.playMove(uci));
    const shares = results.map((count) => `${Math.round((100 * count) / games)} %`);
    return make("tr", {}, make("td", {}, button), ...[games, ...shares].map((text) => make("td", { class: "number" }, text)));
  }

  // A game of the ledger has its page; one of a file is opened on a board of its own.
  #game({ title, address, file, game }) {
    if (address) return make("a", { href: address }, title);
    if (!this.#page.control) return title;
    const field = (name, value) => make("input", { type: "hidden", name, value });
    const form = make("form", { method: "post", action: "/pgn/open" }, field("csrf", this.#page.csrf), field("file", file), field("game", game));
    form.append(make("button", { class: "button" }, title));
    return form;
  }
}
