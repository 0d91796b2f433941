// The evaluation graph of a board: what a review has written, and what engines have found meanwhile.

import { Graph } from "./graph.js";

// The slope of the logistic curve of winning chances, as in the graph.
const SLOPE = 0.004;
const MATE = 1000;

// Centipawns for White of `0.35,18` or `#-3`, as PGN writes them; null without one.
function written(text) {
  if (!text) return null;
  const [score] = text.split(",");
  if (score.startsWith("#")) return score.includes("-") ? -MATE : MATE;
  const pawns = Number(score);
  return Number.isFinite(pawns) ? 100 * pawns : null;
}

// The score of `0.35,18` or `#-3` as an analysis shows it: `+0.35`, `−M3`.
export function scoreText(text) {
  const [score] = (text ?? "").split(",");
  const sign = score.includes("-") ? "−" : "";
  if (score.startsWith("#")) return `${sign}M${score.replace(/[#+-]/g, "")}`;
  return written(text) === null ? score : `${sign || "+"}${Math.abs(Number(score)).toFixed(2)}`;
}

function fromChances(percent) {
  const x = Math.max(-0.96, Math.min(0.96, percent / 50 - 1));
  return Math.log((1 + x) / (1 - x)) / SLOPE;
}

export class BoardGraph {
  #page;
  #host = document.getElementById("board-graph");
  // What was found for White in the positions that were analysed here, by FEN: centipawns, and the score in
  // the engine's words.
  #found = new Map();
  #graph = null;
  #line = [];
  #drawn = "";
  #plies = 0;

  constructor(page) {
    this.#page = page;
  }

  // An engine has found White's chances in a position, and a score.
  found(fen, chances, score) {
    this.#found.set(fen, { cp: fromChances(chances), score });
    this.show();
  }

  // The moves, their evaluations or the position that is shown have changed.
  show() {
    this.#line = this.#mainLine();
    const plies = this.#line.slice(1).map(({ fen, eval: text }) => ({ cp: written(text) ?? this.#found.get(fen)?.cp ?? null }));
    const known = plies.filter(({ cp }) => cp !== null).length;
    this.#host.hidden = known < 2;
    if (known < 2) return;
    // A tenth of a pawn is less than a pixel.
    const text = plies.map(({ cp }) => (cp === null ? "" : Math.round(cp / 10))).join();
    if (text !== this.#drawn) {
      // Who points at the graph, or is on it with keys, keeps it.
      if (this.#graph && plies.length === this.#plies) this.#graph.draw(plies);
      else this.#draw(plies);
      [this.#drawn, this.#plies] = [text, plies.length];
    }
    const ply = this.#line.findIndex(({ id }) => id === this.#page.cursor);
    if (ply >= 0) this.#graph.mark(ply, this.#named(ply));
  }

  #draw(plies) {
    const game = { plies, white: "White's view", black: "", swing: null };
    this.#graph = new Graph(game, plies.map(() => "white"), { white: "one", black: "two" }, (ply) => this.#page.go(this.#line[ply].id), (ply) => this.#named(ply));
    const focused = this.#host.contains(document.activeElement);
    this.#host.replaceChildren(this.#graph.element);
    if (focused) this.#host.querySelector("[tabindex]").focus({ preventScroll: true });
  }

  #named(ply) {
    const node = this.#line[ply];
    if (!node?.san) return "Start position";
    const [, turn, , , , number] = node.fen.split(" ");
    const score = scoreText(node.eval) || this.#found.get(node.fen)?.score || "";
    return `${turn === "b" ? `${number}.` : `${number - 1}…`} ${node.san}${score ? ` ${score}` : ""}`;
  }

  #mainLine() {
    const { nodes } = this.#page;
    const line = [nodes.get(0)];
    while (line.at(-1).children.length) line.push(nodes.get(line.at(-1).children[0]));
    return line;
  }
}
