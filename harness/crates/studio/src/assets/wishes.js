// What a sentence asks for, done on a board page.

import { request } from "./answers.js";
import { Remarks } from "./remarks.js";
import { speak } from "./speech.js";

const SIDES = ["white", "black"];

function byId(id) {
  return document.getElementById(id);
}

// Characters of a sentence that are repeated.
const MOST_SHOWN = 120;

function short(text) {
  return `“${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}”`;
}

// What of a sentence nothing was made of.
function left(unread) {
  return unread?.length ? ` (not understood: ${unread.map(short).join(", ")})` : "";
}

function notUnderstood(text, { shown, unread }) {
  if (shown) return shown;
  const parts = unread?.length ? ` Unknown words: ${unread.map(short).join(", ")}.` : "";
  return `${short(text)} is not understood; “help” shows what can be asked.${parts}`;
}

function question({ shown, unread }) {
  return `${shown}${left(unread)}`;
}

export class Wishes {
  #page;
  #remarks;

  constructor(page) {
    this.#page = page;
    this.#remarks = new Remarks(page);
  }

  // Asks the server what a sentence means; what it understood is shown, then done.
  async wish(text, ask) {
    const body = new URLSearchParams({ csrf: this.#page.csrf, node: this.#page.cursor, text });
    const value = await request(`/board/${this.#page.id}/ask`, { method: "POST", body });
    if (value.intent === "model") ask.offerCalls(value, (call) => this.#do(call, ask));
    else if (value.intent === "text") await this.#page.loading.offer(text);
    else if (value.intent === "line") await this.#page.playLine(value.moves);
    else if (value.intent === "unknown") ask.say(notUnderstood(text, value));
    else if (value.others?.length) {
      const readings = [value, ...value.others];
      ask.offerReadings(`Did you mean${left(value.unread)}:`, readings, (one) => this.#settle(one, ask));
    } else await this.#settle(value, ask);
  }

  // Does what was understood, after a second step if it is asked about.
  async #settle(value, ask) {
    if (this.#isAsked(value)) ask.offerAction(question(value), () => this.#do(value, ask));
    else await this.#do(value, ask);
  }

  // Whether it is done after a second step only. What leaves the page is offered in any case.
  #isAsked({ confirm, run, page, describe }) {
    if (run || (page && !describe)) return false;
    const { game } = this.#page;
    return confirm === "always" || (confirm === "in_game" && Boolean(game && !game.over));
  }

  async #do(wish, ask) {
    const { intent, slots } = wish;
    ask.say(question(wish));
    const wishes = {
      move: () => this.#move(wish, ask),
      play_opening: () => this.#playOpening(wish, ask),
      flip: () => { if (!slots.side || (slots.side === "black") !== this.#page.flipped) this.#page.place("flip"); },
      take_back: () => this.#page.act("takeback", wish.from === undefined ? {} : { from: wish.from }),
      go_to: () => (wish.node === undefined ? this.#goTo(slots, ask) : this.#page.go(wish.node)),
      new_game: () => this.#askedGame(slots),
      set_level: () => this.#setLevel(slots, ask),
      resign: () => this.#page.command("resign"),
      offer_draw: () => this.#page.command("draw"),
      hint: () => this.#page.advice("hint", slots.engine, slots.limit),
      evaluate: () => this.#page.advice("evaluate", slots.engine, slots.limit),
      threat: () => this.#page.advice("threat", slots.engine, slots.limit),
      comment_game: () => this.#comment(ask),
      mark_move: () => this.#remarks.mark(slots, ask),
      comment_move: () => this.#remarks.comment(slots, ask),
      opening_name: () => ask.say(byId("opening-name").textContent || "It has no name."),
      engine_on: () => this.#page.analysis.turn(true, slots.engine, slots.lines),
      engine_off: () => this.#page.analysis.turn(false),
      delete_board: () => this.#page.remove(),
      edit_position: () => this.#page.editor.open(slots),
      explorer: () => this.#page.explorer.open(),
      practice: () => { location.href = `/practice?${new URLSearchParams(slots)}`; },
      export: () => (slots.file || slots.what === "picture" ? this.#page.sharing.save(slots) : byId(`copy-${slots.what}`).click()),
      speech_on: () => { byId("speak").checked = true; },
      speech_off: () => { byId("speak").checked = false; },
    };
    if (wishes[intent]) await wishes[intent]();
    else if (wish.describe) await this.#remarks.describe(wish, ask);
    else if (wish.run) ask.offer(question(wish), `/start?yaml=${encodeURIComponent(wish.run)}`);
    else if (wish.page) ask.offer(question(wish), wish.page);
    else ask.say(`${question(wish)}: there is no such page or run.`);
  }

  // Plays a move; of several that may be meant one is chosen by its button.
  #move({ slots, shown }, ask) {
    if (slots.uci) return this.#page.playMove(slots.uci);
    if (!slots.which) return ask.say(`${shown}: not legal here`);
    return ask.offerMoves(shown, slots.which, (uci) => this.#page.playMove(uci));
  }

  // Comments on the game: from the review that is written in it, or after a new one.
  async #comment(ask) {
    byId("analysis").open = true;
    if (!this.#page.insight.summary()) {
      if (!(await this.#page.act("review", {}))) return;
      await this.#page.insight.reviewed();
    }
    const text = this.#page.insight.summary() || "There is nothing to comment on.";
    ask.say(text);
    speak(text);
  }

  // Puts the moves of an opening on the board; against an engine it is a new game that follows them.
  async #playOpening({ slots, moves }, ask) {
    if (!moves) return ask.say("No opening of the list has this name.");
    const game = this.#page.game;
    const engine = game ? (game.white.engine ?? game.black.engine) : null;
    if (engine) {
      const black = slots.side === "black";
      const [white, other] = black ? [engine, "human"] : ["human", engine];
      const level = game.white.level ?? game.black.level ?? "";
      return this.#page.newGame({ white, black: other, level, opening: slots.opening });
    }
    if (game && !game.over) return ask.say("End the game first.");
    this.#page.go(0);
    await this.#page.playLine(moves);
    if (slots.side && (slots.side === "black") !== this.#page.flipped) this.#page.place("flip");
    return true;
  }

  #setLevel({ level, by = 1 }, ask) {
    const { game } = this.#page;
    const now = game?.white.level ?? game?.black.level ?? null;
    const relative = { lower: -1, higher: 1 }[level];
    if (relative && now === null) return ask.say("No engine with levels plays on this board.");
    const wanted = relative ? Math.min(9, Math.max(1, now + relative * by)) : (level ?? "");
    return this.#page.act("level", { level: wanted });
  }

  #goTo({ place, move, side, count = 1, back = 0 }, ask) {
    const places = { start: "first", end: "last", next: "forward", previous: "back" };
    if (place) {
      for (let step = 0; step < Math.min(count, 500); step += 1) this.#page.place(places[place]);
      // "The second last position".
      for (let step = 0; step < Math.min(back, 500); step += 1) this.#page.place("back");
      return true;
    }
    const wanted = this.#remarks.numbered(move, side ?? "white");
    return wanted ? this.#page.go(wanted.id) : ask.say(`There is no move ${move}${side ? ` of ${side}` : ""}.`);
  }

  #askedGame({ level, engine, colour, clock, chess960, opening, fen, here }) {
    const { game } = this.#page;
    const other = game && !game.black.engine ? "white" : "black";
    const sides = { random: SIDES[Math.floor(Math.random() * 2)], other };
    const side = sides[colour] ?? colour ?? "white";
    const opponent = engine ?? "builtin";
    const seats = side === "black" ? { white: opponent, black: "human" } : { white: "human", black: opponent };
    const rest = { level: level ?? "", clock: clock === "none" ? "" : (clock ?? ""), opening: opening ?? "", fen: fen ?? "" };
    return this.#page.newGame({ ...seats, ...rest, here: here ?? "", chess960: chess960 ? "yes" : "" });
  }
}
