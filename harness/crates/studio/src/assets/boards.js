// Boards of games in progress. Slots keep their places: a new game takes that of a finished one.

import { Board, make } from "./board.js";

const MOST = 16;
// Moves that follow each other faster than this are not animated, in milliseconds.
const ANIMATE_FROM = 400;

function clockText(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "";
  const tenths = Math.max(0, Math.floor(milliseconds / 100));
  const [minutes, seconds] = [Math.floor(tenths / 600), Math.floor(tenths / 10) % 60];
  return `${minutes}:${String(seconds).padStart(2, "0")}.${tenths % 10}`;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

class Slot {
  #black = line("black");
  #white = line("white");
  #foot = make("p", { class: "live-foot" });
  #board;
  #drawnAt = 0;
  #at = null;
  game = null;
  // Free for another game.
  over = true;
  ending = {};
  changed = 0;

  constructor(host) {
    const frame = make("div", { class: "live-frame" });
    this.element = make("article", { class: "live-board" }, this.#black.row, frame, this.#white.row, this.#foot);
    this.#board = new Board(frame, { label: "game in progress" });
    host.append(this.element);
  }

  begin(game) {
    this.game = { ...game, score: { ...game.score }, clock: { ...game.clock } };
    this.over = false;
    this.ending = {};
    this.#at = game.at ?? null;
  }

  move(event) {
    const { game } = this;
    game.fen = event.fen;
    game.last = event.uci;
    game.ply = event.ply;
    game.san = event.san;
    game.depth = event.depth;
    game.score[event.side] = event.score;
    game.clock[event.side] = event.clock;
    this.#at = event.at ?? null;
  }

  end(event) {
    this.over = true;
    this.ending = event;
  }

  // Draws the newest position. Returns when its move was made, if that was not drawn before.
  draw(now) {
    const { game } = this;
    const animate = now - this.#drawnAt >= ANIMATE_FROM;
    this.#drawnAt = now;
    this.#board.show({ fen: game.fen, last: game.last, flipped: false, animate });
    for (const [side, row] of [["white", this.#white], ["black", this.#black]]) {
      setText(row.name, game[side] ?? "");
      setText(row.clock, clockText(game.clock[side]));
      setText(row.score, game.score[side] ?? "");
    }
    setText(this.#foot, this.over ? endText(this.ending) : moveText(game));
    this.element.classList.toggle("over", this.over);
    this.element.setAttribute("aria-label", `${game.white} against ${game.black}`);
    const at = this.#at;
    this.#at = null;
    return at;
  }
}

function moveText({ fen, san, last, ply, depth }) {
  if (!last) return "start position";
  if (!san) return `ply ${ply}`;
  const [, turn, , , , number] = fen.split(" ");
  const before = turn === "b" ? `${number}.` : `${number - 1}…`;
  return `${before} ${san}${depth ? `, depth ${depth}` : ""}`;
}

function endText({ result, ending }) {
  return [result ?? "over", ending].filter(Boolean).join(" · ");
}

function line(side) {
  const [name, clock, score] = ["name", "clock", "score"].map((part) => make("span", { class: part }));
  const row = make("div", { class: `player ${side}` }, make("span", { class: `colour ${side}` }), name, clock, score);
  return { row, name, clock, score };
}

export class LiveBoards {
  #host;
  #slots = [];
  #dirty = new Set();
  #asked = false;
  #count = 0;

  // `data-boards` of the host may tell how many games to expect: their places are there at once.
  constructor(host) {
    this.#host = host;
    const expected = Math.min(MOST, Number(host.dataset.boards) || 0);
    for (let count = 0; count < expected; count += 1) this.#slots.push(new Slot(host));
  }

  // All games as they stand: after a connection, or when events were lost.
  snapshot(list) {
    const keys = new Set(list.map((game) => game.key));
    for (const slot of this.#slots) {
      if (slot.over || keys.has(slot.game.key)) continue;
      slot.end({});
      this.#touch(slot);
    }
    list.forEach((game) => this.begin(game));
  }

  begin(game) {
    const slot = this.#find(game.key) ?? this.#free();
    slot.begin(game);
    this.#touch(slot);
  }

  move(event) {
    const slot = this.#find(event.key);
    if (!slot) {
      // The beginning of a fast game may not have been sent.
      const { key, fen, uci, ply, white = "", black = "" } = event;
      this.begin({ key, fen, ply, white, black, last: uci });
      this.move(event);
    } else if (!slot.over) {
      slot.move(event);
      this.#touch(slot);
    }
  }

  end(event) {
    const slot = this.#find(event.key);
    if (!slot) return;
    slot.end(event);
    this.#touch(slot);
  }

  #find(key) {
    return this.#slots.find((slot) => slot.game?.key === key);
  }

  // An empty slot, that of the game that ended first, a new one, or that of the game that was quiet longest.
  #free() {
    const oldest = (slots) => slots.reduce((a, b) => (a && a.changed <= b.changed ? a : b), null);
    const free = oldest(this.#slots.filter((slot) => slot.over));
    if (free) return free;
    if (this.#slots.length >= MOST) return oldest(this.#slots);
    const slot = new Slot(this.#host);
    this.#slots.push(slot);
    return slot;
  }

  #touch(slot) {
    slot.changed = this.#count += 1;
    this.#dirty.add(slot);
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now) {
    this.#asked = false;
    const at = [...this.#dirty].map((slot) => slot.draw(now)).filter((when) => when !== null);
    this.#dirty.clear();
    if (at.length) document.dispatchEvent(new CustomEvent("tench:drawn", { detail: { at } }));
  }
}
