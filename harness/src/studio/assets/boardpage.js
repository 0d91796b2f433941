// A board page: the state comes from the server after every change; which position is looked at is
// the page's own.

import { Analysis } from "./lines.js";
import { Ask } from "./ask.js";
import { Board, make } from "./board.js";
import { Editor } from "./editor.js";
import { MoveTree, signsOf } from "./movetree.js";

const AGAIN_AFTER = 1000;
const CLOCK_EVERY = 100;
const SIDES = ["white", "black"];
const COLOURS = { G: "green", R: "red", Y: "yellow", B: "blue" };

function byId(id) {
  return document.getElementById(id);
}

function clockText(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const shown = seconds < 10 ? rest.toFixed(1).padStart(4, "0") : String(Math.floor(rest)).padStart(2, "0");
  return `${minutes}:${shown}`;
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
  #premove = null;
  #receivedAt = 0;
  #asked = "";
  #analysis = null;
  #ask = null;
  #editor = null;

  constructor(root) {
    this.id = root.dataset.board;
    this.#csrf = root.dataset.csrf ?? null;
    this.#board = new Board(byId("board-frame"), { label: "board" });
    this.#tree = new MoveTree(byId("move-tree"), (id) => this.go(id));
    this.#state = { version: -1 };
    if (this.control) {
      this.#board.enableDrag((uci) => this.playMove(uci));
      this.#board.enableSquares((square) => this.#editing?.(square), () => this.#editing !== null);
      this.#board.enableArrows((from, to) => this.#drawn(from, to));
      this.#analysis = new Analysis(this);
      this.#ask = new Ask(this);
      this.#editor = new Editor(this);
      this.#mountControls();
    }
    this.#mountPlaces();
    const state = JSON.parse(byId("board-state").textContent);
    const { nodes } = state.tree;
    const asked = Number(new URLSearchParams(location.hash.slice(1)).get("node"));
    this.cursor = nodes.some((node) => node.id === asked) ? asked : (state.game?.tip ?? nodes[0].id);
    const own = state.game && this.control && state.game.white.engine && !state.game.black.engine;
    this.#flipped = Boolean(own);
    this.#take(state);
    this.#listen();
    setInterval(() => this.#showClocks(), CLOCK_EVERY);
  }

  get control() {
    return this.#csrf !== null;
  }

  get fen() {
    return this.#nodes.get(this.cursor).fen;
  }

  // The newest state; older ones that come late are dropped.
  #take(state) {
    if (state.version <= this.#state.version) return;
    const before = this.#state.game?.tip ?? null;
    const known = new Set(this.#nodes.keys());
    this.#state = state;
    this.#receivedAt = performance.now();
    this.#nodes = new Map(state.tree.nodes.map((node) => [node.id, { ...node, children: [] }]));
    for (const node of this.#nodes.values()) {
      if (node.parent !== undefined) this.#nodes.get(node.parent).children.push(node.id);
    }
    const tip = state.game?.tip ?? null;
    const followed = this.cursor === before && tip !== before && tip !== null;
    if (followed || !this.#nodes.has(this.cursor)) this.cursor = this.#nodes.has(tip) ? tip : 0;
    this.#tree.draw(this.#nodes, state.tree.result);
    this.#showGame();
    this.#show({ animate: followed, speak: followed && !known.has(this.cursor) });
    document.dispatchEvent(new CustomEvent("tench:board", { detail: { version: state.version } }));
    this.#playPremove();
  }

  #listen() {
    let source = null;
    const open = () => {
      source = new EventSource(`/board/${this.id}/events`);
      source.addEventListener("board", (event) => this.#take(JSON.parse(event.data)));
      source.addEventListener("error", () => {
        if (source.readyState === EventSource.CLOSED) setTimeout(open, AGAIN_AFTER);
      });
    };
    open();
    window.addEventListener("pagehide", () => source.close());
    window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  }

  // Asks the server for a change; true if it was made.
  async act(what, fields = {}) {
    const body = new URLSearchParams({ csrf: this.#csrf, ...fields });
    try {
      const answer = await fetch(`/board/${this.id}/do/${what}`, { method: "POST", body });
      const value = await answer.json();
      if (!answer.ok) throw new Error(value.error);
      this.#take(value);
      return true;
    } catch (error) {
      this.#say(error.message, true);
      return false;
    }
  }

  #say(text, wrong = false) {
    const line = byId("legal-note");
    line.textContent = text;
    line.classList.toggle("wrong", wrong);
  }

  // Plays a move in the position that is shown; in the engine's turn it is kept until its own.
  async playMove(uci) {
    const game = this.#state.game;
    if (game && !game.over && game.thinking && this.cursor === game.tip) {
      this.#premove = uci;
      this.#say(`Premove ${uci}: it is played if it is legal then.`);
      this.#show({});
      return false;
    }
    const child = this.#childWith(uci);
    if (child !== null && !(game && !game.over && this.cursor === game.tip)) {
      this.go(child);
      return true;
    }
    const from = this.cursor;
    const made = await this.act("move", { node: from, uci });
    if (!made) return false;
    if (this.cursor === from) this.go(this.#childWith(uci, from) ?? from);
    return true;
  }

  #playPremove() {
    const game = this.#state.game;
    if (!this.#premove || !game || game.thinking) return;
    const uci = this.#premove;
    this.#premove = null;
    if (!game.over && this.cursor === game.tip) this.playMove(uci);
  }

  // Castling may be written to the king's place or to the rook's.
  #childWith(uci, from = this.cursor) {
    const children = this.#nodes.get(from)?.children ?? [];
    return children.find((id) => this.#nodes.get(id).uci === uci) ?? null;
  }

  async playLine(moves) {
    for (const uci of moves) {
      if (!(await this.playMove(uci))) return;
    }
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
    this.cursor = id;
    this.#premove = null;
    this.#arrows.advice = [];
    this.#show({ animate: step, speak: true });
  }

  #show({ animate = false, speak = false }) {
    const node = this.#nodes.get(this.cursor);
    const marks = (node.marks ?? []).filter(({ from, to }) => from !== to);
    const arrows = [
      ...this.#arrows.engine,
      ...this.#arrows.advice,
      ...marks.map(({ from, to, colour }) => ({ uci: from + to, kind: COLOURS[colour] })),
    ];
    if (this.#premove) arrows.push({ uci: this.#premove, kind: "yellow" });
    const squares = (node.marks ?? []).filter(({ from, to }) => from === to).map(({ from, colour }) => ({ square: from, kind: COLOURS[colour] }));
    const game = this.#state.game;
    const waits = game && !game.over && game.thinking && this.cursor === game.tip;
    const turn = waits ? (node.fen.split(" ")[1] === "w" ? "b" : "w") : null;
    const shown = this.#preview ?? { fen: node.fen, last: node.uci || null };
    this.#board.show({ ...shown, arrows: this.#preview ? [] : arrows, squares, turn, flipped: this.#flipped, animate });
    this.#tree.mark(this.cursor);
    byId("board-fen").value = node.fen;
    byId("board-line").textContent = node.san ? `${moveText(node)}${node.eval ? ` · ${node.eval.split(",")[0]}` : ""}` : "Start position";
    const comment = byId("comment");
    if (comment && document.activeElement !== comment) comment.value = node.comment ?? "";
    for (const button of document.querySelectorAll("[data-nag]")) {
      button.setAttribute("aria-pressed", (node.nags ?? []).includes(Number(button.dataset.nag)));
    }
    if (speak && node.san) this.#speak(node);
    if (this.#asked !== `${this.cursor} ${node.fen}`) this.#askFacts(node);
    try {
      history.replaceState(history.state, "", `#node=${this.cursor}`);
    } catch {
      // Browsers refuse too many changes in a short time; the next one tells the place.
    }
  }

  #speak(node) {
    const side = node.fen.split(" ")[1] === "b" ? "White" : "Black";
    const spoken = `${side}: ${spokenSan(node.san)}`;
    byId("spoken").textContent = spoken;
    if (byId("speak").checked && window.speechSynthesis) {
      speechSynthesis.cancel();
      speechSynthesis.speak(new SpeechSynthesisUtterance(spokenSan(node.san)));
    }
  }

  // Legal moves and the opening of the position that is shown.
  async #askFacts({ id: node, fen }) {
    this.#asked = `${node} ${fen}`;
    this.#at = null;
    this.#analysis?.ask();
    this.#explore();
    try {
      const answer = await fetch(`/board/${this.id}/at/${node}`);
      if (!answer.ok || this.cursor !== node) return;
      this.#at = await answer.json();
    } catch {
      // Without an answer moves are checked when they are played.
      return;
    }
    const { opening, over } = this.#at;
    byId("opening-name").textContent = opening ? `${opening.eco} ${opening.name}` : "";
    if (over && !this.#state.game?.over) this.#say(`${over.result}: ${over.why}`);
    document.dispatchEvent(new CustomEvent("tench:at", { detail: this.#at }));
  }

  #showGame() {
    const { game, tree } = this.#state;
    const tag = (name) => tree.tags.find(([known]) => known === name)?.[1] ?? "";
    const names = { white: tag("White"), black: tag("Black") };
    const order = this.#flipped ? ["white", "black"] : ["black", "white"];
    ["top", "bottom"].forEach((place, index) => {
      const row = document.querySelector(`.player.${place}`);
      const side = order[index];
      const accuracy = tag(side === "white" ? "WhiteAccuracy" : "BlackAccuracy");
      row.querySelector(".name").textContent = (names[side] || side) + (accuracy ? ` · accuracy ${accuracy} %` : "");
    });
    const busy = this.#state.busy ?? "";
    let text = busy;
    if (game?.over) text = `${tree.result} · ${game.over}`;
    else if (game?.draw_offered !== null && game?.draw_offered !== undefined) text = `${game.draw_offered ? "White" : "Black"} offers a draw.`;
    else if (game?.thinking) text = `${game[this.#turn()].title} thinks…`;
    this.#say(busy || text);
    for (const what of ["takeback", "draw", "resign"]) {
      const button = document.querySelector(`[data-do="${what}"]`);
      if (button) button.disabled = !game || (what !== "takeback" && Boolean(game.over));
    }
    this.#showClocks();
  }

  #turn() {
    const tip = this.#nodes.get(this.#state.game.tip);
    return tip.fen.split(" ")[1] === "w" ? "white" : "black";
  }

  #showClocks() {
    const game = this.#state.game;
    const order = this.#flipped ? SIDES : [...SIDES].reverse();
    ["top", "bottom"].forEach((place, index) => {
      const element = document.querySelector(`.player.${place} .clock`);
      let text = "";
      if (game?.clocks) {
        const side = order[index];
        const runs = game.running && !game.over && this.#turn() === side;
        const spent = runs ? performance.now() - this.#receivedAt : 0;
        const left = game.clocks[SIDES.indexOf(side)] - spent;
        text = clockText(left);
        if (left <= 0 && runs && this.control && this.flagged !== this.#state.version) {
          this.flagged = this.#state.version;
          this.act("flag");
        }
      }
      if (element.textContent !== text) element.textContent = text;
    });
  }

  setArrows(kind, arrows) {
    this.#arrows[kind] = arrows;
    this.#show({});
  }

  preview(fen, last = null) {
    this.#preview = fen ? { fen, last } : null;
    this.#show({ animate: true });
  }

  // Shows a position that is being edited; null ends it.
  edit(fen, onSquare) {
    this.#editing = fen === null ? null : onSquare;
    this.#preview = fen === null ? null : { fen, last: null };
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

  #places(what) {
    const node = this.#nodes.get(this.cursor);
    const last = () => {
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

  #mountPlaces() {
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.#places(button.dataset.go));
    }
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "flip" };
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/" && this.#ask) this.#ask.focus();
      else if (keys[event.key]) this.#places(keys[event.key]);
      else return;
      event.preventDefault();
    });
    window.addEventListener("hashchange", () => this.go(Number(new URLSearchParams(location.hash.slice(1)).get("node"))));
    byId("explorer").addEventListener("toggle", () => this.#explore());
    byId("copy-fen").addEventListener("click", () => this.#copy(this.fen, "FEN"));
    byId("copy-link").addEventListener("click", () => this.#copy(location.href, "link"));
    byId("copy-pgn").addEventListener("click", async () => {
      const answer = await fetch(`/board/${this.id}/game.pgn`);
      this.#copy(await answer.text(), "PGN");
    });
    byId("download-pgn").href = `/board/${this.id}/game.pgn`;
  }

  async #copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.#say(`The ${what} is copied.`);
    } catch {
      this.#say(`The browser does not let the ${what} be copied.`, true);
    }
  }

  #mountControls() {
    const onClick = (id, act) => byId(id).addEventListener("click", act);
    for (const button of document.querySelectorAll("[data-do]")) {
      button.addEventListener("click", () => this.command(button.dataset.do));
    }
    for (const button of document.querySelectorAll("[data-nag]")) {
      button.addEventListener("click", () => this.act("nag", { node: this.cursor, nag: button.dataset.nag }));
    }
    for (const button of document.querySelectorAll("[data-edit]")) {
      button.addEventListener("click", () => this.act(button.dataset.edit, { node: this.cursor }));
    }
    onClick("save-comment", () => this.act("comment", { node: this.cursor, text: byId("comment").value }));
    onClick("mark-move", () => {
      const { uci } = this.#nodes.get(this.cursor);
      if (uci) this.#drawn(uci.slice(0, 2), uci.slice(2, 4));
    });
    onClick("clear-marks", () => this.act("marks", { node: this.cursor, marks: "" }));
    onClick("load-pgn", async () => {
      if (await this.act("load", { pgn: byId("pgn").value })) this.go(0);
    });
    onClick("review", () => this.act("review", { engine: byId("engines").value.split(",")[0] }));
    byId("new-game-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.newGame(Object.fromEntries(new FormData(event.target)));
    });
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

  // What a button or the assistant asks for.
  async command(what, fields = {}) {
    if (["hint", "threat", "evaluate"].includes(what)) return this.advice(what);
    return this.act(what, { node: this.cursor, ...fields });
  }

  async advice(what) {
    this.#say("An engine looks at the position…");
    const answer = await fetch(`/board/${this.id}/advice/${what}?node=${this.cursor}&engines=builtin`);
    const value = await answer.json();
    this.#say(value.text ?? value.error, !answer.ok);
    this.#ask?.say(value.text ?? "");
    this.setArrows("advice", value.arrow ? [{ uci: value.arrow, kind: what === "threat" ? "red" : "green" }] : []);
    return answer.ok;
  }

  // Asks the server what a sentence means; what it understood is shown, then done.
  async wish(text) {
    const body = new URLSearchParams({ csrf: this.#csrf, node: this.cursor, text });
    const answer = await fetch(`/board/${this.id}/ask`, { method: "POST", body });
    const value = await answer.json();
    if (!answer.ok) this.#ask.say(value.error);
    else if (value.intent === "unknown") this.#ask.say(`“${text}” is not understood; “help” shows what can be asked.`);
    else await this.#do(value);
  }

  async #do(wish) {
    const { intent, slots, shown } = wish;
    this.#ask.say(shown);
    const wishes = {
      move: () => (slots.uci ? this.playMove(slots.uci) : this.#ask.say(`${shown}: not legal here`)),
      play_opening: () => this.#playOpening(wish),
      flip: () => { if (!slots.side || (slots.side === "black") !== this.#flipped) this.#places("flip"); },
      take_back: () => this.act("takeback", { count: slots.count ?? 1 }),
      go_to: () => this.#goTo(slots),
      new_game: () => this.#askedGame(slots),
      set_level: () => this.act("level", { level: slots.level ?? "" }),
      resign: () => this.act("resign"),
      offer_draw: () => this.act("draw"),
      hint: () => this.advice("hint"),
      evaluate: () => this.advice("evaluate"),
      threat: () => this.advice("threat"),
      comment_game: () => this.act("review", {}),
      opening_name: () => this.#ask.say(byId("opening-name").textContent || "It has no name."),
      engine_on: () => this.#analysis.turn(true, slots.engine),
      engine_off: () => this.#analysis.turn(false),
      edit_position: () => this.#editor.open(slots.preset),
      explorer: () => { byId("explorer").open = true; },
      practice: () => { location.href = `/practice?${new URLSearchParams(slots)}`; },
      export: () => byId(`copy-${slots.what}`).click(),
      speech_on: () => { byId("speak").checked = true; },
      speech_off: () => { byId("speak").checked = false; },
    };
    if (wishes[intent]) await wishes[intent]();
    else if (wish.run) this.#ask.offer(shown, `/start?yaml=${encodeURIComponent(wish.run)}`);
    else if (wish.page) this.#ask.offer(shown, wish.page);
  }

  // Puts the moves of an opening on the board; against an engine it is a new game that follows them.
  async #playOpening({ slots, moves }) {
    if (!moves) return this.#ask.say("No opening of the list has this name.");
    const game = this.#state.game;
    const engine = game ? (game.white.engine ?? game.black.engine) : null;
    if (engine) {
      const black = slots.side === "black";
      const [white, other] = black ? [engine, "human"] : ["human", engine];
      const level = game.white.level ?? game.black.level ?? "";
      return this.newGame({ white, black: other, level, opening: slots.opening });
    }
    if (game && !game.over) return this.#ask.say("End the game first.");
    this.go(0);
    await this.playLine(moves);
    if (slots.side && (slots.side === "black") !== this.#flipped) this.#places("flip");
    return true;
  }

  #goTo({ place, move }) {
    const places = { start: "first", end: "last", next: "forward", previous: "back" };
    if (place) return this.#places(places[place]);
    const wanted = [...this.#nodes.values()].find(({ fen, san }) => san && fen.split(" ")[1] === "b" && Number(fen.split(" ")[5]) === move);
    return wanted ? this.go(wanted.id) : this.#ask.say(`There is no move ${move}.`);
  }

  #askedGame({ level, engine, colour, clock, chess960 }) {
    const side = colour === "random" ? SIDES[Math.floor(Math.random() * 2)] : (colour ?? "white");
    const other = engine ?? "builtin";
    const seats = side === "black" ? { white: other, black: "human" } : { white: "human", black: other };
    return this.newGame({ ...seats, level: level ?? "", clock: clock ?? "", chess960: chess960 ? "yes" : "" });
  }

  async #explore() {
    const node = this.cursor;
    if (!byId("explorer").open) return;
    const answer = await fetch(`/board/${this.id}/explorer?node=${node}`);
    const value = await answer.json();
    if (this.cursor !== node) return;
    const rows = byId("explorer-rows");
    if (!answer.ok) {
      rows.textContent = value.error;
      return;
    }
    const body = make("tbody", {}, ...value.moves.map((played) => this.#exploredRow(played)));
    const names = ["Move", "Games", "White won", "Drawn", "Black won"];
    const head = make("thead", {}, make("tr", {}, ...names.map((name, index) => make("th", index ? { class: "number" } : {}, name))));
    const note = `${value.games} of ${value.of} games`;
    rows.replaceChildren(make("p", { class: "soft" }, note), ...(value.moves.length ? [make("table", {}, head, body)] : []));
  }

  #exploredRow({ uci, san, games, results }) {
    const button = make("button", { type: "button", class: "button" }, san);
    button.addEventListener("click", () => this.playMove(uci));
    const shares = results.map((count) => `${Math.round((100 * count) / games)} %`);
    return make("tr", {}, make("td", {}, button), ...[games, ...shares].map((text) => make("td", { class: "number" }, text)));
  }
}

function moveText({ fen, san, nags }) {
  const [, turn, , , , number] = fen.split(" ");
  return `${turn === "b" ? `${number}.` : `${number - 1}…`} ${san}${signsOf(nags)}`;
}

function spokenSan(san) {
  const names = { K: "king ", Q: "queen ", R: "rook ", B: "bishop ", N: "knight " };
  if (san.startsWith("O-O-O")) return "castles long";
  if (san.startsWith("O-O")) return "castles short";
  return san
    .replace(/[KQRBN]/g, (letter) => names[letter])
    .replace("x", " takes ")
    .replace("=", " becomes ")
    .replace("+", ", check")
    .replace("#", ", checkmate");
}

export function startBoardPage() {
  const root = document.querySelector("[data-board]");
  if (root) new BoardPage(root);
}
