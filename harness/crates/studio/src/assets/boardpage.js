// A board page: the state comes from the server after every change; which position is looked at is
// the page's own.

import { request, withCode } from "./answers.js";
import { Analysis } from "./lines.js";
import { playSound } from "./appearance.js";
import { Ask } from "./ask.js";
import { Board, make } from "./board.js";
import { BoardGraph, scoreText } from "./boardgraph.js";
import { Caret } from "./caret.js";
import { Clocks } from "./clocks.js";
import { Editor } from "./editor.js";
import { Explorer } from "./explorer.js";
import { Insight } from "./insight.js";
import { Loading } from "./loading.js";
import { MoveTree, resultText, signsOf } from "./movetree.js";
import { Notes } from "./notes.js";
import { keepPanels } from "./panels.js";
import { SIDES, childWith, movesTo, nodeAfter, nodeOfLink, nodesOf, nodeWith, placeName } from "./places.js";
import { Premove } from "./premove.js";
import { Sharing } from "./sharing.js";
import { speak, spokenSan } from "./speech.js";
import { mountSteps } from "./steps.js";
import { subscribe } from "./streams.js";
import { Wishes } from "./wishes.js";

const COLOURS = { G: "green", R: "red", Y: "yellow", B: "blue" };

function byId(id) {
  return document.getElementById(id);
}

class BoardPage {
  id;
  cursor = 0;
  #csrf;
  #state;
  #nodes = new Map();
  #at = null;
  #board;
  #tree;
  #flipped = false;
  #arrows = { engine: [], advice: [] };
  #editing = null;
  #preview = null;
  #premove;
  // The move that the server was asked for and has not answered yet: from a node, in UCI.
  #asking = null;
  // The line below the board is about the end of the game in a position that was shown.
  #saysEnd = false;
  #notes = null;
  #clocks;
  #sharing;
  #facts = Promise.resolve();
  #asked = "";
  #analysis = null;
  #ask = null;
  #editor = null;
  #explorer;
  #insight = null;
  #graph = new BoardGraph(this);
  #loading = null;
  // The side that is played here where two people play: null for both.
  #side = null;

  constructor(root) {
    this.id = root.dataset.board;
    this.#csrf = root.dataset.csrf ?? null;
    this.#premove = new Premove(this.id);
    this.#board = new Board(byId("board-frame"), { label: "board" });
    this.#tree = new MoveTree(byId("move-tree"), (id) => this.go(id));
    this.#state = { version: -1 };
    this.#explorer = new Explorer(this);
    this.#side = this.control ? this.#invited() : null;
    if (this.control) {
      this.#board.enableDrag((uci) => this.#moved(uci), () => this.#notMovable());
      this.#board.enableSquares((square, from) => this.#editing?.(square, from), () => this.#editing !== null);
      this.#board.enableArrows((from, to) => this.#drawn(from, to));
      new Caret(this.#board, byId("board-frame"));
      this.#analysis = new Analysis(this);
      this.#ask = new Ask(this, new Wishes(this));
      this.#editor = new Editor(this);
      this.#insight = new Insight(this);
      this.#loading = new Loading(this);
      this.#mountControls();
    }
    this.#sharing = new Sharing(this);
    this.#clocks = new Clocks(this);
    mountSteps(this);
    const state = JSON.parse(byId("board-state").textContent);
    const nodes = nodesOf(state.tree);
    this.cursor = nodeOfLink(nodes, location.hash) ?? state.game?.tip ?? 0;
    // The reply to a premove may have come while the page was loaded.
    if (state.game && this.#premove.isOf(movesTo(nodes, this.cursor))) this.cursor = state.game.tip;
    const analyses = new URLSearchParams(location.hash.slice(1)).has("analyse");
    const own = state.game && this.control && state.game.white.engine && !state.game.black.engine;
    this.#flipped = Boolean(own) || this.#side === "black";
    this.#take(state);
    if (this.#premove.uci) this.#sayPremove();
    keepPanels(this.id);
    if (analyses) this.#analysis?.turn(true);
    subscribe(`board/${this.id}`, { board: (newer) => this.#take(newer) });
  }

  get control() {
    return this.#csrf !== null;
  }

  get csrf() {
    return this.#csrf;
  }

  get nodes() {
    return this.#nodes;
  }

  get game() {
    return this.#state.game;
  }

  get editor() {
    return this.#editor;
  }

  get analysis() {
    return this.#analysis;
  }

  get explorer() {
    return this.#explorer;
  }

  get insight() {
    return this.#insight;
  }

  get loading() {
    return this.#loading;
  }

  get tags() {
    return new Map(this.#state.tree.tags);
  }

  get flipped() {
    return this.#flipped;
  }

  get ask() {
    return this.#ask;
  }

  get sharing() {
    return this.#sharing;
  }

  // Of the state that is shown.
  get version() {
    return this.#state.version;
  }

  // The side whose turn it is in the game; null without one.
  get turn() {
    return this.#state.game ? this.#turn() : null;
  }

  // The part of an address that names the position that is shown.
  get link() {
    return `#at=${placeName(this.#nodes, this.cursor)}`;
  }

  // The side that a link invites to; it stays while the window is open.
  #invited() {
    const key = `side-${this.id}`;
    const asked = new URLSearchParams(location.search).get("as");
    if (SIDES.includes(asked)) sessionStorage.setItem(key, asked);
    const side = sessionStorage.getItem(key);
    return SIDES.includes(side) ? side : null;
  }

  // Is it the turn of somebody else, an engine or a person at another browser?
  #waits() {
    const game = this.#state.game;
    if (!game || game.over || this.cursor !== game.tip) return false;
    return game.thinking || (this.#side !== null && this.#turn() !== this.#side && !game[this.#turn()].engine);
  }

  get fen() {
    return this.#nodes.get(this.cursor).fen;
  }

  // The newest state; older ones that come late are dropped.
  #take(state) {
    // A restarted studio counts from 0, and its nodes have other numbers; so have those of a game that replaces another.
    const { since } = this.#state;
    const other = since !== undefined && state.since !== since;
    if (!other && state.version <= this.#state.version) return;
    const old = this.#nodes;
    const moves = old.has(this.cursor) ? movesTo(old, this.cursor) : null;
    const before = this.#state.game?.tip ?? null;
    const atTip = this.cursor === before;
    const known = new Set(this.#nodes.keys());
    this.#state = state;
    this.#clocks.received();
    this.#nodes = nodesOf(state.tree);
    const isGone = moves !== null && nodeWith(this.#nodes, moves) === null;
    if (moves) this.cursor = nodeAfter(this.#nodes, moves);
    const tip = state.game?.tip ?? null;
    let followed = atTip && tip !== null && tip !== (other ? this.cursor : before);
    // The stream may be faster than the answer to a move of this page.
    const own = this.#asking?.from === this.cursor ? childWith(this.#nodes, this.#asking.uci, this.cursor) : null;
    if ((followed || (isGone && !other)) && this.#nodes.has(tip)) this.cursor = tip;
    else if (own !== null) [this.cursor, followed] = [own, true];
    const lost = this.#notes?.follow((id) => nodeWith(this.#nodes, movesTo(old, id))) ?? [];
    this.#tree.draw(this.#nodes, state.tree.result);
    this.#showGame();
    this.#show({ animate: followed, speak: followed && !known.has(this.cursor) });
    if (lost.length > 0) this.say(`The move of a note that was not saved is gone: “${lost.join("”, “")}”.`, true);
    document.dispatchEvent(new CustomEvent("tench:board", { detail: { version: state.version } }));
    this.#playPremove();
  }

  // Asks the server for something of this board; null, and a note, if it refuses. What it would replace is
  // an answer.
  async post(path, fields = {}, refused = (reason) => this.say(reason, true)) {
    const body = new URLSearchParams({ csrf: this.#csrf, ...fields });
    try {
      return await request(`/board/${this.id}/${path}`, { method: "POST", body });
    } catch (error) {
      refused(error.message);
      return null;
    }
  }

  // Asks for a change; true if it was made.
  async act(what, fields = {}, again = true) {
    const value = await this.post(`do/${what}`, { since: this.#state.since ?? "", ...fields });
    if (value?.behind) return this.#follow(value.behind, fields) && again && this.act(what, fields, false);
    if (value?.error) {
      const words = ["takeback", "delete"].includes(what) ? ["Do it", "Leave it"] : undefined;
      return (await this.#loading.confirm(value.error, words)) && this.act(what, { ...fields, replace: "yes" });
    }
    if (value) this.#take(value);
    if (value?.done) this.say(value.done);
    return value !== null;
  }

  // The studio was started again, or another one has changed the board, since this page has heard of it: takes the
  // state of now, and the node of a request has the number there that its moves lead to. False, and a note, where they
  // are not in it.
  #follow(state, fields) {
    const moves = fields.node === undefined ? [] : movesTo(this.#nodes, Number(fields.node));
    this.#take(state);
    const node = nodeWith(this.#nodes, moves);
    if (node === null) {
      this.say("The board was changed elsewhere, or the studio was started again, without this position: nothing is changed.", true);
      return false;
    }
    if (fields.node !== undefined) fields.node = node;
    if (this.#asking) this.#asking.from = node;
    return true;
  }

  // A line below the board.
  say(text, wrong = false) {
    const line = byId("legal-note");
    this.#saysEnd = false;
    line.replaceChildren(...withCode(text));
    line.classList.toggle("wrong", wrong);
  }

  // A move by hand: what was said of earlier ones is over.
  #moved(uci) {
    this.#ask.settle();
    return this.playMove(uci);
  }

  // Plays a move in the position that is shown; in the engine's turn it is kept until its own.
  async playMove(uci) {
    const game = this.#state.game;
    if (this.#waits()) {
      // The same move once more takes it back.
      if (this.#premove.uci === uci) this.#premove.forget();
      else this.#premove.set(uci, movesTo(this.#nodes, game.tip));
      if (this.#premove.uci) this.#sayPremove();
      else this.say("The premove is taken back.");
      this.#show({});
      return false;
    }
    const child = childWith(this.#nodes, uci, this.cursor);
    if (child !== null && !(game && !game.over && this.cursor === game.tip)) {
      this.go(child);
      return true;
    }
    const from = this.cursor;
    this.#asking = { from, uci };
    const made = await this.act("move", { node: from, uci });
    const at = this.#asking?.from ?? from;
    this.#asking = null;
    if (!made) return false;
    if (this.cursor === at) this.go(childWith(this.#nodes, uci, at) ?? at);
    if (game && !game.over && at !== game.tip) this.say("This is a variation. The game waits at its last move: End shows it.");
    return true;
  }

  #sayPremove() {
    this.say(`Premove ${this.#premove.uci}: it is played if it is legal then.`);
  }

  // Plays the premove once the move that it waits for is there; where something else has happened it is dropped.
  async #playPremove() {
    const { game, tree } = this.#state;
    const { uci } = this.#premove;
    if (!uci) return;
    const moves = game ? movesTo(this.#nodes, game.tip) : [];
    if (!game) this.#dropPremove("no game is played");
    else if (game.over) this.#dropPremove(`the game is over, ${resultText(tree.result)}: ${game.over}`);
    else if (!this.#premove.isOf(moves) && !this.#premove.isOf(moves.slice(0, -1))) this.#dropPremove("the game has gone another way");
    else if (this.#premove.isOf(moves)) return;
    else if (this.#waits()) this.#dropPremove("it is not your turn");
    else if (this.cursor !== game.tip) this.#dropPremove("another position is shown");
    else {
      this.#premove.forget();
      // Why it is refused stands below the board then.
      if (!(await this.playMove(uci))) this.say(`The premove ${uci} is dropped. ${byId("legal-note").textContent}`, true);
    }
  }

  #dropPremove(why) {
    const { uci } = this.#premove;
    this.#premove.forget();
    this.#show({});
    this.say(`The premove ${uci} is dropped: ${why}.`, true);
  }

  async playLine(moves) {
    for (const uci of moves) {
      if (!(await this.playMove(uci))) return;
    }
  }

  // Waits until the legal moves of the position that is shown are known.
  known() {
    return this.#facts;
  }

  // The legal move that a text names as people or engines write it.
  moveOf(text) {
    const plain = (san) => san.replace(/[+#!?x=\s-]/g, "").replaceAll("0", "O");
    const wanted = plain(text);
    const legal = this.#at?.node === this.cursor ? this.#at.legal : [];
    const exact = legal.find(({ uci, san }) => uci === text.toLowerCase() || plain(san) === wanted);
    return exact ?? legal.find(({ san }) => plain(san).toLowerCase() === wanted.toLowerCase()) ?? null;
  }

  // Shows a position.
  go(id) {
    if (!this.#nodes.has(id)) return;
    const node = this.#nodes.get(id);
    const step = node.parent === this.cursor || this.#nodes.get(this.cursor)?.parent === id;
    const leaves = this.cursor !== id;
    this.cursor = id;
    this.#arrows.advice = [];
    this.#show({ animate: step, speak: true });
    if (leaves && this.#premove.uci) this.#dropPremove("another position is shown");
  }

  #show({ animate = false, speak = false }) {
    const node = this.#nodes.get(this.cursor);
    const marks = (node.marks ?? []).filter(({ from, to }) => from !== to);
    const arrows = [
      ...this.#arrows.engine,
      ...this.#arrows.advice,
      ...marks.map(({ from, to, colour }) => ({ uci: from + to, kind: COLOURS[colour] })),
    ];
    if (this.#premove.uci) arrows.push({ uci: this.#premove.uci, kind: "yellow" });
    const squares = (node.marks ?? []).filter(({ from, to }) => from === to).map(({ from, colour }) => ({ square: from, kind: COLOURS[colour] }));
    const turn = this.#waits() ? (node.fen.split(" ")[1] === "w" ? "b" : "w") : null;
    const shown = this.#preview ?? { fen: node.fen, last: node.uci || null };
    this.#board.show({ squares, ...shown, arrows: this.#preview ? [] : arrows, turn, flipped: this.#flipped, animate });
    this.#allow();
    this.#tree.mark(this.cursor);
    this.#insight?.place();
    this.#graph.show();
    byId("board-fen").value = node.fen;
    byId("board-line").textContent = node.san ? `${moveText(node)}${node.eval ? ` · ${scoreText(node.eval)}` : ""}` : "Start position";
    this.showNotes();
    for (const button of document.querySelectorAll("[data-nag]")) {
      button.setAttribute("aria-pressed", (node.nags ?? []).includes(Number(button.dataset.nag)));
    }
    if (speak && node.san) this.#speak(node);
    if (speak && animate && node.san) playSound(node.san.includes("x") ? "take" : "move");
    if (this.#asked !== `${this.cursor} ${node.fen}`) this.#facts = this.#askFacts(node);
    try {
      history.replaceState(history.state, "", this.link);
    } catch {
      // Browsers refuse too many changes in a short time; the next one tells the place.
    }
  }

  showNotes() {
    this.#notes?.show(this.#nodes.get(this.cursor));
  }

  // Why a piece that was touched cannot be moved.
  #notMovable() {
    const white = this.fen.split(" ")[1] === "w";
    if (this.#at?.node === this.cursor && this.#at.over) this.say(`The game is over: ${this.#at.over.why}.`, true);
    else if (this.#waits()) this.say(`A premove is one of ${white ? "Black" : "White"}'s pieces.`, true);
    else this.say(`It is ${white ? "White" : "Black"}'s turn.`, true);
  }

  // Marks legal moves once they are known; what is possible in another one's turn is not known yet.
  #allow() {
    const known = this.#at?.node === this.cursor && !this.#preview && !this.#waits();
    this.#board.allow(known ? this.#at.legal.map(({ uci }) => uci) : []);
  }

  #speak(node) {
    const side = node.fen.split(" ")[1] === "b" ? "White" : "Black";
    const spoken = `${side}: ${spokenSan(node.san)}`;
    byId("spoken").textContent = spoken;
    speak(spokenSan(node.san));
  }

  // Legal moves and the opening of the position that is shown.
  async #askFacts({ id: node, fen }) {
    this.#asked = `${node} ${fen}`;
    this.#at = null;
    this.#analysis?.ask();
    this.#explorer.ask();
    this.#insight?.ask();
    try {
      const answer = await fetch(`/board/${this.id}/at/${node}`);
      if (!answer.ok || this.cursor !== node) return;
      this.#at = await answer.json();
    } catch {
      // Without an answer moves are checked when they are played.
      return;
    }
    const { opening, over, tablebase } = this.#at;
    this.#allow();
    byId("tablebase").textContent = tablebase ?? "";
    byId("opening-name").textContent = opening ? `${opening.eco} ${opening.name}` : "";
    if (over && !this.#state.game?.over) {
      this.say(`${resultText(over.result)}: ${over.why}`);
      this.#saysEnd = true;
    } else if (this.#saysEnd) this.say("");
    document.dispatchEvent(new CustomEvent("tench:at", { detail: this.#at }));
  }

  #showGame() {
    const { game, tree } = this.#state;
    const tag = (name) => tree.tags.find(([known]) => known === name)?.[1] ?? "";
    const names = { white: tag("White") || "White", black: tag("Black") || "Black" };
    const order = this.#flipped ? ["white", "black"] : ["black", "white"];
    ["top", "bottom"].forEach((place, index) => {
      const row = document.querySelector(`.player.${place}`);
      const side = order[index];
      const accuracy = tag(side === "white" ? "WhiteAccuracy" : "BlackAccuracy");
      row.querySelector(".name").textContent = names[side] + (accuracy ? ` · accuracy ${accuracy} %` : "");
    });
    const busy = this.#state.busy ?? "";
    let text = busy;
    if (game?.over) text = `${resultText(tree.result)} · ${game.over}`;
    else if (game?.draw_offered !== null && game?.draw_offered !== undefined) text = `${game.draw_offered ? "White" : "Black"} offers a draw.`;
    else if (game?.thinking) text = `${game[this.#turn()].title} thinks…`;
    this.say(busy || text);
    if (this.#state.gone) this.say("This board was deleted.", true);
    if (this.#side && game && !game.over && !text) this.say(`You play ${this.#side}.`);
    this.#insight?.mistakes();
    for (const field of byId("tags-form")?.elements ?? []) {
      if (field.name && !field.dataset.edited) field.value = field.name === "Result" ? tree.result : tag(field.name);
    }
    for (const what of ["takeback", "draw", "resign"]) {
      const button = document.querySelector(`[data-do="${what}"]`);
      if (button) button.disabled = !game || (what !== "takeback" && Boolean(game.over));
    }
    this.#clocks.show();
  }

  #turn() {
    const tip = this.#nodes.get(this.#state.game.tip);
    return tip.fen.split(" ")[1] === "w" ? "white" : "black";
  }

  // An engine has found White's chances in the position that is shown, and a score.
  found({ chances, score }) {
    this.#graph.found(this.fen, chances, score);
  }

  setArrows(kind, arrows) {
    this.#arrows[kind] = arrows;
    this.#show({});
  }

  preview(fen, last = null) {
    this.#preview = fen ? { fen, last } : null;
    this.#show({ animate: true });
  }

  // Shows a position that is being edited, with some squares framed; null ends it.
  edit(fen, onSquare, squares = []) {
    this.#editing = fen === null ? null : onSquare;
    this.#preview = fen === null ? null : { fen, last: null, squares };
    this.#show({});
  }

  // Shows the board from one side: true from Black's.
  turnTo(flipped) {
    this.#flipped = flipped;
    this.#showGame();
    this.#show({});
  }

  #drawn(from, to) {
    const node = this.#nodes.get(this.cursor);
    const text = ({ colour, from: a, to: b }) => colour + a + (a === b ? "" : b);
    const marks = (node.marks ?? []).map(text);
    const drawn = `G${from}${from === to ? "" : to}`;
    const left = marks.filter((mark) => mark !== drawn);
    if (left.length === marks.length) left.push(drawn);
    this.act("marks", { node: this.cursor, marks: left.join(",") });
  }

  // Does what a button for a place does: first, back, forward, last, flip.
  place(what) {
    const node = this.#nodes.get(this.cursor);
    const last = () => {
      const { game } = this.#state;
      if (game && !game.over && this.cursor !== game.tip) return game.tip;
      let id = this.cursor;
      while (this.#nodes.get(id).children.length) [id] = this.#nodes.get(id).children;
      return id;
    };
    const flip = () => {
      this.#flipped = !this.#flipped;
      this.#showGame();
      this.#show({});
    };
    const places = { first: () => 0, back: () => node.parent ?? this.cursor, forward: () => node.children[0] ?? this.cursor, last };
    if (what === "flip") flip();
    else this.go(places[what]());
  }

  #mountControls() {
    const onClick = (id, act) => byId(id).addEventListener("click", act);
    for (const button of document.querySelectorAll("[data-do]")) {
      button.addEventListener("click", () => {
        if (button.dataset.do === "resign" && !confirm("Resign this game?")) return;
        this.command(button.dataset.do);
      });
    }
    for (const button of document.querySelectorAll("[data-nag]")) {
      button.addEventListener("click", () => this.act("nag", { node: this.cursor, nag: button.dataset.nag }));
    }
    for (const button of document.querySelectorAll("[data-edit]")) {
      button.addEventListener("click", () => this.act(button.dataset.edit, { node: this.cursor }));
    }
    this.#notes = new Notes(this);
    byId("tags-form").addEventListener("input", ({ target }) => { target.dataset.edited = "yes"; });
    byId("tags-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const known = this.tags.set("Result", this.#state.tree.result);
      for (const field of [...event.target.elements].filter(({ name }) => name)) {
        const { name, value } = field;
        if ((known.get(name) ?? "") !== value && !(await this.act("tag", { name, value }))) return;
        if (field.value === value) delete field.dataset.edited;
      }
    });
    for (const button of document.querySelectorAll("[data-invite]")) {
      button.addEventListener("click", () => this.#invite(button.dataset.invite));
    }
    onClick("mark-move", () => {
      const { uci } = this.#nodes.get(this.cursor);
      if (uci) this.#drawn(uci.slice(0, 2), uci.slice(2, 4));
    });
    onClick("clear-marks", () => this.act("marks", { node: this.cursor, marks: "" }));
    onClick("review", () => this.act("review", { engine: byId("engines").value.split(",")[0] }));
    byId("new-game-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.newGame(Object.fromEntries(new FormData(event.target)));
    });
  }

  // A link for the other player; this window plays the other side.
  #invite(side) {
    this.#side = side === "white" ? "black" : "white";
    sessionStorage.setItem(`side-${this.id}`, this.#side);
    this.#flipped = this.#side === "black";
    this.#showGame();
    this.#show({});
    const first = " A browser that does not know this studio yet opens the address with its token first, as `harness studio` printed it.";
    this.#sharing.copy(`${location.origin}/board/${this.id}?as=${side}`, "link", first);
  }

  async newGame(fields) {
    const { here, ...rest } = fields;
    if (here) rest.fen = this.fen;
    if (!(await this.act("new", rest))) return false;
    this.#flipped = Boolean(this.#state.game.white.engine) && !this.#state.game.black.engine;
    byId("new-game").open = false;
    byId("editor").open = false;
    this.#showGame();
    this.go(this.#state.game.tip);
    return true;
  }

  // Deletes the board; the list of the others follows.
  async remove() {
    if (await this.post("do/remove")) location.href = "/boards";
  }

  // What a button or the assistant asks for.
  async command(what, fields = {}) {
    if (["hint", "threat", "evaluate"].includes(what)) return this.advice(what);
    return this.act(what, { node: this.cursor, side: this.#side ?? "", ...fields });
  }

  async advice(what, engine = "builtin", limit = "") {
    this.say(`${engine} looks at the position…`);
    let value;
    try {
      value = await request(`/board/${this.id}/advice/${what}?node=${this.cursor}&engines=${encodeURIComponent(engine)}&limit=${encodeURIComponent(limit)}`);
    } catch (error) {
      this.say(error.message, true);
      this.#ask?.say("");
      return false;
    }
    this.say(value.text);
    this.#ask?.say(value.text);
    speak(value.text);
    this.setArrows("advice", value.arrow ? [{ uci: value.arrow, kind: what === "threat" ? "red" : "green" }] : []);
    return true;
  }
}

function moveText({ fen, san, nags }) {
  const [, turn, , , , number] = fen.split(" ");
  return `${turn === "b" ? `${number}.` : `${number - 1}…`} ${san}${signsOf(nags)}`;
}

new BoardPage(byId("board-page"));
