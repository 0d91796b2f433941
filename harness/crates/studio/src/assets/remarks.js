// What a sentence writes down: signs and comments at moves, names and notes of runs.

import { reach } from "./answers.js";
import { signsOf } from "./movetree.js";

// The numbers of signs in PGN.
const NAGS = { "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6 };

export class Remarks {
  #page;

  constructor(page) {
    this.#page = page;
  }

  // The move with a number, of White or of Black: that of the main line before those of variations.
  numbered(number, side) {
    const isIt = ({ fen, san }) => {
      const [, turn, , , , next] = fen.split(" ");
      const own = turn === "b" ? "white" : "black";
      return san && own === side && Number(next) - (own === "black" ? 1 : 0) === number;
    };
    for (let id = 0; id !== undefined; [id] = this.#page.nodes.get(id).children) {
      if (isIt(this.#page.nodes.get(id))) return this.#page.nodes.get(id);
    }
    return [...this.#page.nodes.values()].find(isIt);
  }

  // The move that slots mean, or words that say why there is none.
  #node({ move, side, san, place }) {
    const nodes = this.#page.nodes;
    const bare = (text) => text.replace(/[+#]/g, "");
    const shown = nodes.get(this.#page.cursor);
    if (move !== undefined) {
      const found = this.numbered(move, side ?? "white");
      const named = `There is no move ${move}${side ? ` of ${side}` : ""}`;
      if (!found) return `${named}.`;
      return san && bare(found.san) !== bare(san) ? `${named} that is ${san}: it is ${found.san}.` : found;
    }
    if (san) {
      const found = [...nodes.values()].filter((node) => node.san && bare(node.san) === bare(san));
      if (found.length === 1) return found[0];
      return found.length ? `${san} was played more than once: name its number.` : `${san} was not played.`;
    }
    const wanted = place === undefined ? shown : this.#last(place === "last");
    return wanted?.san ? wanted : "There is no move here.";
  }

  // The last move of the game, or the last one of whoever plays it against an engine; without a game that of the main
  // line.
  #last(own) {
    const { game, nodes } = this.#page;
    const line = [nodes.get(0)];
    while (line.at(-1).children.length) line.push(nodes.get(line.at(-1).children[0]));
    if (!game) return line.at(-1);
    const before = (node) => line[line.indexOf(node) - 1];
    const tip = nodes.get(game.tip);
    const turn = tip.fen.split(" ")[1];
    const moved = turn === "w" ? game.black : game.white;
    return own && moved.engine ? before(tip) ?? tip : tip;
  }

  // Puts a sign at a move; one that it has stays. Or takes it away, or all signs where none is named.
  async mark(slots, ask) {
    const node = this.#node(slots);
    if (typeof node === "string") return ask.say(node);
    if (slots.remove) return this.#unmark(node, slots.sign, ask);
    const nag = NAGS[slots.sign];
    if (!(node.nags ?? []).includes(nag) && !(await this.#page.act("nag", { node: node.id, nag }))) return false;
    return ask.say(`${node.san}${signsOf([nag])}`);
  }

  async #unmark(node, sign, ask) {
    const isOne = (nag) => (sign ? nag === NAGS[sign] : Object.values(NAGS).includes(nag));
    const nags = (node.nags ?? []).filter(isOne);
    if (!nags.length) return ask.say(`${node.san} has no ${sign ?? "sign"}.`);
    for (const nag of nags) {
      if (!(await this.#page.act("nag", { node: node.id, nag }))) return false;
    }
    return ask.say(`${node.san} without ${signsOf(nags).trim()}`);
  }

  // Writes or removes the comment at a move. One that is there stays before what is written.
  async comment({ text = "", ...slots }, ask) {
    const node = this.#node(slots);
    if (typeof node === "string") return ask.say(node);
    const kept = text && node.comment ? `${node.comment} ${text}` : text;
    if (!(await this.#page.act("comment", { node: node.id, text: kept }))) return false;
    return ask.say(text ? `Written at ${node.san}.` : `No comment at ${node.san} any more.`);
  }

  // Names a run, or writes a note to it.
  async describe({ shown, describe }, ask) {
    const { id, name, note } = describe;
    const body = new URLSearchParams({ csrf: this.#page.csrf, name: name ?? "", note: note ?? "" });
    const answer = await reach(`/run/${id}/do/describe`, { method: "POST", body });
    return ask.say(answer.ok ? `${shown}: done.` : `The run was not changed: status ${answer.status}.`);
  }
}
