// What changes on an open page, told by the server.

import { LiveBoards } from "./boards.js";
import { replaceContent } from "./lists.js";

const RELOADED = "tench-reloaded-for";
const AGAIN_AFTER = 1000;
const HIDDEN_FOR = 10000;

class Live {
  #path;
  #source = null;
  #timer = 0;
  #hidden = 0;
  #shown = new Map();
  #boards;

  constructor(path) {
    this.#path = path;
    const host = document.getElementById("boards");
    this.#boards = host ? new LiveBoards(host) : null;
    // An open connection keeps a page out of the back/forward cache.
    window.addEventListener("pagehide", () => this.#close());
    window.addEventListener("pageshow", () => this.#open());
    // Browsers allow six connections to a server: pages that nobody sees give theirs back.
    document.addEventListener("visibilitychange", () => {
      clearTimeout(this.#hidden);
      if (document.hidden) this.#hidden = setTimeout(() => this.#close(), HIDDEN_FOR);
      else this.#open();
    });
    this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    if (this.#source) return;
    const source = new EventSource(this.#path);
    this.#source = source;
    const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
    source.addEventListener("open", () => connection(true));
    source.addEventListener("error", () => this.#failed());
    on("hello", hello);
    on("fragment", ({ id, html }) => this.#fragment(id, html));
    if (!this.#boards) return;
    on("boards", (list) => this.#boards.snapshot(list));
    on("begin", (game) => this.#boards.begin(game));
    on("move", (move) => this.#boards.move(move));
    on("end", (end) => this.#boards.end(end));
  }

  #close() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  // The browser connects again by itself unless the answer was an error.
  #failed() {
    connection(false);
    if (this.#source?.readyState !== EventSource.CLOSED) return;
    this.#close();
    this.#timer = setTimeout(() => this.#open(), AGAIN_AFTER);
  }

  // The markup is the server's own, with all data in it escaped.
  #fragment(id, html) {
    if (this.#shown.get(id) === html) return;
    this.#shown.set(id, html);
    const element = document.getElementById(id);
    if (element) replaceContent(element, html);
    document.dispatchEvent(new CustomEvent("tench:fragment", { detail: { id, html } }));
  }
}

// A page of another version of the program loads itself again, once for each version.
function hello({ build }) {
  const own = document.body.dataset.build;
  if (!own || own === build || sessionStorage.getItem(RELOADED) === build) return;
  sessionStorage.setItem(RELOADED, build);
  location.reload();
}

function connection(live) {
  const element = document.getElementById("connection");
  if (!element) return;
  element.classList.toggle("live", live);
  element.classList.toggle("lost", !live);
  element.textContent = live ? "live" : "reconnecting…";
}

export function startLive() {
  const path = document.body.dataset.events;
  if (path) new Live(path);
}
