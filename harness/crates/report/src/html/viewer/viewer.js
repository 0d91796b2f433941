// A game viewer: board, moves, evaluation graph, keys. The element `[data-viewer]` holds the game as
// JSON in a script element.

import { Board, make, makeSvg } from "./board.js";
import { Graph } from "./graph.js";

const PLAY_EVERY = 800;
const COPIED_FOR = 1500;
// Pixels that a wheel turns for a move, and that a finger goes to the side.
const WHEEL_STEP = 50;
const SWIPE = 30;
const PIECES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight" };
const ICONS = {
  first: "M5 4h2v12H5zM16 4v12l-8-6z",
  back: "M14 4v12l-9-6z",
  play: "M5 3l12 7-12 7z",
  pause: "M5 4h4v12H5zM11 4h4v12h-4z",
  forward: "M6 4v12l9-6z",
  last: "M13 4h2v12h-2zM4 4v12l8-6z",
  flip: "M6 2l4 5H7.2v11H4.8V7H2zM14 18l-4-5h2.8V2h2.4v11H18z",
  swing: "M2.2 4 7.5 10.8 11 7.3 16 13.4V10h2v7h-7v-2h3.6l-3.7-4.6-3.5 3.5L.6 5.2z",
};
const viewers = [];
const groups = new Map();
let active = null;

// Turns all elements `[data-viewer]` in a part of the page into viewers.
export function mountViewers(scope) {
  for (const root of scope.querySelectorAll("[data-viewer]")) mount(root);
}

export function mount(root) {
  const data = root.querySelector("script[type='application/json']");
  if (!data || root.dataset.mounted) return;
  root.dataset.mounted = "true";
  if (viewers.length === 0) listen();
  for (const old of viewers.filter((viewer) => !viewer.root.isConnected)) forget(old);
  const viewer = new Viewer(root, JSON.parse(data.textContent));
  viewers.push(viewer);
  viewer.open();
}

function forget(viewer) {
  viewer.pause();
  viewers.splice(viewers.indexOf(viewer), 1);
  if (active === viewer) active = null;
  for (const group of groups.values()) group.viewers = group.viewers.filter((other) => other !== viewer);
}

// Keys and addresses are for all viewers of a page.
function listen() {
  document.addEventListener("keydown", (event) => {
    const viewer = event.defaultPrevented ? null : listener(event);
    if (viewer?.key(event)) event.preventDefault();
  });
  window.addEventListener("hashchange", () => viewers.forEach((viewer) => viewer.openAddress()));
}

// The viewer that a key is for: the one with the focus; without a focus, the one used last.
function listener(event) {
  const { target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return null;
  if (target.closest?.("input, textarea, select, [contenteditable]")) return null;
  if (event.key === " " && target.closest?.("button, a, summary")) return null;
  const within = viewers.find((viewer) => viewer.root.contains(target));
  if (within || (target !== document.body && target !== document.documentElement)) return within ?? null;
  return active ?? viewers.find((viewer) => viewer.root.isConnected) ?? null;
}

function clockOf(milliseconds) {
  const tenths = Math.max(0, Math.floor(milliseconds / 100));
  const [hours, minutes, seconds] = [Math.floor(tenths / 36000), Math.floor(tenths / 600) % 60, Math.floor(tenths / 10) % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (hours) return `${hours}:${two(minutes)}:${two(seconds)}`;
  return `${minutes}:${two(seconds)}.${tenths % 10}`;
}

function groupedNumber(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function spentText(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

// A move as it is spoken: `Nxf3+` is `knight takes f3, check`.
function spokenMove(san) {
  const end = san.endsWith("#") ? ", mate" : san.endsWith("+") ? ", check" : "";
  const move = san.replace(/[+#!?]+$/, "");
  if (/^[O0]-[O0]-[O0]$/.test(move)) return `castles long${end}`;
  if (/^[O0]-[O0]$/.test(move)) return `castles short${end}`;
  const [, piece, from, takes, to, promoted] = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=?([QRBN]))?$/.exec(move) ?? [];
  if (!to) return san;
  const words = [piece ? PIECES[piece] : "", from, takes ? "takes" : "", to].filter(Boolean);
  if (promoted) words.push(`promotes to ${PIECES[promoted]}`);
  return words.join(" ") + end;
}

function icon(name) {
  return makeSvg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, makeSvg("path", { d: ICONS[name] }));
}

async function copyText(field, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that were not loaded over a safe connection have no clipboard: the browser copies what is selected.
    const kept = field.value;
    field.value = text;
    field.select();
    document.execCommand("copy");
    field.value = kept;
  }
}

class Viewer {
  #game;
  #ply = -1;
  #flipped = false;
  #timer = 0;
  #movers;
  #group = null;
  #buttons = {};
  #moves = [];
  #players = {};
  #board;
  #graph;
  #list;
  #line;
  #fen;
  #spoken;

  constructor(root, game) {
    this.root = root;
    this.#game = game;
    // After a move of White it is Black's turn.
    this.#movers = game.plies.map(({ fen }) => (fen.split(" ")[1] === "b" ? "white" : "black"));
    this.#join(root.dataset.synchronous);
    this.#spoken = make("p", { class: "visually-hidden", "aria-live": "polite" });
    root.append(make("div", { class: "viewer" }, this.#left(), this.#right(), this.#spoken));
    root.addEventListener("pointerdown", () => { active = this; });
    root.addEventListener("focusin", () => { active = this; });
  }

  get gameKey() {
    return String(this.#game.key ?? "");
  }

  // Shows the position that the address names, else the start.
  open() {
    if (!this.openAddress()) this.#show(0);
  }

  // Goes to the ply of the address if that is one of this game; an address without a game means the
  // first viewer.
  openAddress() {
    const address = new URLSearchParams(location.hash.slice(1));
    const game = address.get("game");
    const own = game === null ? viewers[0] === this : game === this.gameKey;
    const ply = own ? address.get("ply") : null;
    if (ply === null || !/^\d+$/.test(ply)) return false;
    if (Number(ply) !== this.#ply) this.#show(Number(ply));
    // A link below the board, such as a move to blame, shows what it leads to.
    this.root.querySelector(".viewer-board")?.scrollIntoView({ block: "nearest" });
    return true;
  }

  go(ply) {
    const before = this.#ply;
    this.#show(ply);
    if (this.#ply !== before) this.#writeAddress();
    if (!this.#group?.together.checked) return;
    for (const other of this.#group.viewers) if (other !== this) other.#show(ply);
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#buttons.play.replaceChildren(icon("play"));
    this.#name(this.#buttons.play, "Play", "Space");
  }

  // True if a key means something here.
  key({ key }) {
    const acts = {
      ArrowLeft: () => this.#step(-1),
      ArrowRight: () => this.#step(1),
      Home: () => this.#stepTo(0),
      End: () => this.#stepTo(this.#game.plies.length),
      " ": () => this.#play(),
      f: () => this.#flip(),
      s: () => this.#jump(),
    };
    acts[key]?.();
    return key in acts;
  }

  // Viewers with the same name of a group can be moved together, by a box in the first of them.
  #join(name) {
    if (!name) return;
    const known = groups.get(name);
    if (known?.viewers.length) {
      this.#group = known;
      known.choice.hidden = false;
    } else {
      const together = make("input", { type: "checkbox" });
      const choice = make("label", { class: "together" }, together, " Move both games together");
      choice.hidden = true;
      this.#group = { viewers: [], together, choice, white: this.#game.white };
      together.addEventListener("change", () => { if (together.checked) this.go(this.#ply); });
      groups.set(name, this.#group);
    }
    this.#group.viewers.push(this);
  }

  #left() {
    const frame = make("div", { class: "viewer-board" });
    this.#board = new Board(frame, { label: `${this.#game.white} against ${this.#game.black}` });
    this.#listenOnBoard(frame);
    const column = make("div", { class: "viewer-left" });
    for (const side of ["black", "white"]) {
      const clock = make("span", { class: "clock" });
      const name = make("span", { class: "name" }, this.#game[side]);
      const row = make("div", { class: "player" }, make("span", { class: `colour ${side}`, title: side }), name, clock);
      this.#players[side] = { row, clock };
    }
    column.append(this.#players.black.row, frame, this.#players.white.row, this.#controls());
    if (this.#group?.viewers[0] === this) column.append(this.#group.choice);
    return column;
  }

  // The wheel and swipes to the sides go through the moves.
  #listenOnBoard(frame) {
    let turned = 0;
    frame.addEventListener("wheel", (event) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      turned += event.deltaY;
      if (Math.abs(turned) < WHEEL_STEP) return;
      this.#step(turned > 0 ? 1 : -1);
      turned = 0;
    }, { passive: false });
    let from = null;
    frame.addEventListener("pointerdown", ({ clientX, clientY, pointerType }) => {
      from = pointerType === "mouse" ? null : [clientX, clientY];
    });
    frame.addEventListener("pointerup", ({ clientX, clientY }) => {
      if (!from) return;
      const [right, down] = [clientX - from[0], clientY - from[1]];
      from = null;
      if (Math.abs(right) > SWIPE && Math.abs(right) > 2 * Math.abs(down)) this.#step(right < 0 ? 1 : -1);
    });
    frame.addEventListener("pointercancel", () => { from = null; });
  }

  #controls() {
    const last = this.#game.plies.length;
    const controls = [
      ["first", "First position", "Home", () => this.#stepTo(0)],
      ["back", "Back", "left arrow", () => this.#step(-1)],
      ["play", "Play", "Space", () => this.#play()],
      ["forward", "Forward", "right arrow", () => this.#step(1)],
      ["last", "Last position", "End", () => this.#stepTo(last)],
      ["flip", "Turn the board", "f", () => this.#flip()],
      ["swing", "Jump to the swing", "s", () => this.#jump()],
    ];
    const bar = make("div", { class: "viewer-buttons", role: "group", "aria-label": "Moves" });
    for (const [name, label, key, act] of controls) {
      if (name === "swing" && this.#swingPly() === null) continue;
      const button = make("button", { type: "button", class: "button" }, icon(name));
      this.#name(button, label, key);
      button.addEventListener("click", act);
      this.#buttons[name] = button;
      bar.append(button);
    }
    return bar;
  }

  #name(button, label, key) {
    button.setAttribute("aria-label", label);
    button.title = `${label} (${key})`;
  }

  #right() {
    const kinds = { white: "one", black: "two" };
    // The other game of a pair has the colours exchanged: a curve keeps the look of its player.
    if (this.#group && this.#group.white === this.#game.black && this.#game.white !== this.#game.black) {
      [kinds.white, kinds.black] = ["two", "one"];
    }
    this.#graph = new Graph(this.#game, this.#movers, kinds, (ply) => this.#stepTo(ply), (ply) => this.#named(ply));
    this.#line = make("p", { class: "viewer-line" });
    this.#list = this.#moveList();
    return make("div", { class: "viewer-right" }, this.#line, this.#list, this.#graph.element, this.#exports());
  }

  #exports() {
    this.#fen = make("input", { readonly: "", spellcheck: "false", "aria-label": "FEN of the position" });
    const copy = (label, text) => {
      const button = make("button", { type: "button", class: "button" }, label);
      button.addEventListener("click", async () => {
        await copyText(this.#fen, text());
        button.textContent = "Copied";
        this.#spoken.textContent = `${label}: copied`;
        setTimeout(() => { button.textContent = label; }, COPIED_FOR);
      });
      return button;
    };
    const link = () => {
      this.#writeAddress();
      return location.href;
    };
    return make("div", { class: "viewer-exports" }, this.#fen, copy("Copy FEN", () => this.#fen.value), copy("Copy link", link));
  }

  // A move as a tooltip has it: `12… Nf6 −0.35`.
  #named(ply) {
    const move = this.#game.plies[ply - 1];
    if (!move) return "Start position";
    const { fen, san, score } = move;
    const [, turn, , , , number] = fen.split(" ");
    const before = turn === "b" ? `${number}.` : `${number - 1}…`;
    return `${before} ${san}${score ? ` ${score}` : ""}`;
  }

  #moveList() {
    const list = make("ol", { class: "moves" });
    let number = Number(this.#game.start.split(/\s+/)[5]) || 1;
    let row = null;
    this.#game.plies.forEach((ply, index) => {
      const white = this.#movers[index] === "white";
      if (!row || white) {
        row = make("li", {}, make("span", { class: "number" }, `${number}.`));
        if (!white) row.append(make("span", { class: "skipped" }, "…"));
        list.append(row);
      }
      if (!white) number += 1;
      const button = make("button", { type: "button", tabindex: -1 }, make("span", {}, ply.san));
      button.append(make("small", {}, ply.score ?? (ply.book ? "book" : "")));
      if (index + 1 === this.#swingPly()) {
        button.classList.add("swing");
        button.title = "The score of the loser fell most here";
      }
      button.addEventListener("click", () => this.#stepTo(index + 1));
      this.#moves.push(button);
      row.append(button);
    });
    const end = [this.#game.result, this.#game.reason || this.#game.ending].filter(Boolean).join(" · ");
    return make("div", { class: "moves-box scroll", role: "group", "aria-label": "Moves" }, list, make("p", { class: "soft" }, end));
  }

  #swingPly() {
    const { swing } = this.#game;
    return swing === null || swing === undefined ? null : swing + 1;
  }

  #step(by) {
    this.#stepTo(this.#ply + by);
  }

  // What a user asks for ends the playing.
  #stepTo(ply) {
    if (this.#timer) this.pause();
    this.go(ply);
  }

  #jump() {
    if (this.#swingPly() !== null) this.#stepTo(this.#swingPly());
  }

  #flip() {
    this.#flipped = !this.#flipped;
    const [top, bottom] = this.#flipped ? ["white", "black"] : ["black", "white"];
    const frame = this.root.querySelector(".viewer-board");
    frame.before(this.#players[top].row);
    frame.after(this.#players[bottom].row);
    this.#show(this.#ply);
  }

  #play() {
    if (this.#timer) {
      this.pause();
      return;
    }
    const last = this.#game.plies.length;
    if (last === 0) return;
    if (this.#ply === last) this.go(0);
    this.#buttons.play.replaceChildren(icon("pause"));
    this.#name(this.#buttons.play, "Pause", "Space");
    this.#timer = setInterval(() => {
      this.go(this.#ply + 1);
      if (this.#ply === last || !this.root.isConnected) this.pause();
    }, PLAY_EVERY);
  }

  #show(asked) {
    const { plies, start } = this.#game;
    const ply = Math.max(0, Math.min(plies.length, asked));
    const step = Math.abs(ply - this.#ply) === 1 && this.#ply >= 0;
    const before = this.#ply;
    this.#ply = ply;
    const move = ply ? plies[ply - 1] : null;
    const fen = move ? move.fen : start;
    this.#board.show({ fen, last: move?.uci ?? null, flipped: this.#flipped, animate: step });
    this.#showClocks();
    this.#markMove(before, ply);
    this.#describe(move, before !== -1);
    this.#fen.value = fen;
    for (const name of ["first", "back"]) this.#buttons[name].setAttribute("aria-disabled", ply === 0);
    for (const name of ["forward", "last"]) this.#buttons[name].setAttribute("aria-disabled", ply === plies.length);
    this.#tell(ply, fen);
  }

  #showClocks() {
    for (const side of ["white", "black"]) {
      const own = this.#game.plies.slice(0, this.#ply).filter((_, index) => this.#movers[index] === side);
      const clock = own.at(-1)?.clock ?? null;
      this.#players[side].clock.textContent = clock === null ? "" : clockOf(clock);
    }
  }

  #markMove(before, now) {
    const [old, button] = [this.#moves[before - 1], this.#moves[now - 1]];
    old?.removeAttribute("aria-current");
    button?.setAttribute("aria-current", "step");
    // One stop for the tab key: the current move, or the first one.
    (old ?? this.#moves[0])?.setAttribute("tabindex", -1);
    (button ?? this.#moves[0])?.setAttribute("tabindex", 0);
    if (old && old === document.activeElement) (button ?? this.#moves[0]).focus({ preventScroll: true });
    const box = this.#list;
    const row = button?.parentElement;
    if (!row) box.scrollTop = 0;
    else if (row.offsetTop < box.scrollTop) box.scrollTop = row.offsetTop;
    else if (row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = row.offsetTop + row.offsetHeight - box.clientHeight;
    }
  }

  #describe(move, speak) {
    const facts = [];
    let spoken = "Start position";
    if (move) {
      const side = this.#movers[this.#ply - 1] === "white" ? "White" : "Black";
      spoken = `${side}: ${spokenMove(move.san)}${move.score ? `, ${move.score}` : ""}`;
      if (move.book) facts.push("book");
      if (move.score) facts.push(move.score);
      if (move.depth) facts.push(`depth ${move.depth}`);
      if (move.nodes) facts.push(`${groupedNumber(move.nodes)} nodes`);
      if (move.ms !== null && move.ms !== undefined) facts.push(spentText(move.ms));
    }
    const name = make("strong", {}, move ? move.san : "Start position");
    this.#line.replaceChildren(name, facts.length ? ` ${facts.join(" · ")}` : "");
    this.#graph.mark(this.#ply, spoken);
    if (speak && !this.#timer) this.#spoken.textContent = spoken;
  }

  // Forms of the page can take up the position.
  #tell(ply, fen) {
    const scope = this.root.closest("section, [data-game]");
    for (const [selector, value] of [["input[data-fen-of-viewer]", fen], ["input[data-ply-of-viewer]", ply]]) {
      for (const field of scope?.querySelectorAll(selector) ?? []) field.value = value;
    }
    this.root.dispatchEvent(new CustomEvent("tench:ply", { bubbles: true, detail: { ply, fen } }));
  }

  #writeAddress() {
    const address = new URLSearchParams({ ply: this.#ply });
    if (viewers.length > 1) address.set("game", this.gameKey);
    try {
      history.replaceState(history.state, "", `#${address}`);
    } catch {
      // Browsers refuse too many changes in a short time; the next one tells the place.
    }
  }
}
