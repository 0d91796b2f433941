// The evaluation graph of a game.

import { make, makeSvg } from "./board.js";

const GRAPH = { width: 600, height: 100 };

// Winning chances from -1 to 1: the same step in centipawns counts for less in a decided game.
function chances(cp) {
  const clamped = Math.max(-1000, Math.min(1000, cp));
  return 2 / (1 + Math.exp(-0.004 * clamped)) - 1;
}

function heightOf(cp) {
  return (GRAPH.height / 2) * (1 - 0.96 * chances(cp));
}

// The scores of both players over the game, by which one can also go to a move.
export class Graph {
  #plies;
  #movers;
  #curves;
  #now;
  #area;
  #go;
  #cursor;
  #tip = make("span", { class: "graph-tip", "aria-hidden": "true", hidden: "" });

  // `go` goes to a position, `name` gives the words for one.
  constructor(game, movers, kinds, go, name) {
    this.#plies = Math.max(1, game.plies.length);
    this.#movers = movers;
    this.#go = go;
    this.#cursor = makeSvg("line", { class: "cursor", x1: 0, x2: 0, y1: 0, y2: GRAPH.height, visibility: "hidden" });
    const line = (kind, x) => makeSvg("line", { class: kind, x1: x, x2: x, y1: 0, y2: GRAPH.height });
    const level = (cp) => makeSvg("line", { class: cp ? "level" : "zero", x1: 0, x2: GRAPH.width, y1: heightOf(cp), y2: heightOf(cp) });
    this.#now = line("now", 0);
    const swing = game.swing === null || game.swing === undefined ? [] : [line("swing", this.#x(game.swing + 1))];
    this.#curves = new Map(["white", "black"].map((side) => [side, makeSvg("path", { class: `curve ${kinds[side]}` })]));
    this.draw(game.plies);
    const size = { viewBox: `0 0 ${GRAPH.width} ${GRAPH.height}`, preserveAspectRatio: "none", "aria-hidden": "true" };
    const svg = makeSvg("svg", size, ...[-300, -100, 0, 100, 300].map(level), ...swing, ...this.#curves.values(), this.#cursor, this.#now);
    const labels = [300, 100, 0, -100, -300].map((cp) => {
      const label = make("span", { class: "level-label", "aria-hidden": "true" }, cp > 0 ? `+${cp / 100}` : String(cp / 100).replace("-", "−"));
      label.style.top = `${(100 * heightOf(cp)) / GRAPH.height}%`;
      return label;
    });
    const slider = { role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": game.plies.length };
    const label = "Evaluation graph, position in the game";
    this.#area = make("div", { class: "graph-area", "aria-label": label, ...slider }, svg, ...labels, this.#tip);
    this.#area.addEventListener("pointerdown", (event) => this.#down(event));
    this.#area.addEventListener("pointermove", (event) => {
      this.#point(event);
      this.#hover(this.#plyAt(event), name);
    });
    this.#area.addEventListener("pointerleave", () => this.#leave());
    const legend = make("figcaption", { class: "legend" });
    for (const side of ["white", "black"]) {
      const stroke = makeSvg("path", { class: `curve ${kinds[side]}`, d: "M1 4H27" });
      const sample = makeSvg("svg", { viewBox: "0 0 28 8", class: "sample", "aria-hidden": "true" }, stroke);
      // A game without names has those of the sides.
      const name = game[side].toLowerCase() === side ? game[side] : `${game[side]} (${side})`;
      legend.append(make("span", {}, sample, ` ${name}`));
    }
    this.element = make("figure", { class: "graph" }, this.#area, legend);
  }

  // Draws the scores of as many moves as before.
  draw(plies) {
    for (const [side, curve] of this.#curves) curve.setAttribute("d", this.#path(plies, side));
  }

  mark(ply, text) {
    this.#now.setAttribute("x1", this.#x(ply));
    this.#now.setAttribute("x2", this.#x(ply));
    this.#area.setAttribute("aria-valuenow", ply);
    this.#area.setAttribute("aria-valuetext", text);
  }

  #x(ply) {
    return (GRAPH.width * ply) / this.#plies;
  }

  // A side's own scores joined; a move of it without a score leaves a gap. A score between gaps is a dot.
  #path(plies, side) {
    let [path, joins] = ["", false];
    plies.forEach(({ cp }, index) => {
      if (this.#movers[index] !== side) return;
      const known = cp !== null && cp !== undefined;
      if (known) {
        const place = `${this.#x(index + 1).toFixed(1)} ${heightOf(cp).toFixed(1)}`;
        path += joins ? `L${place}` : `M${place}h0`;
      }
      joins = known;
    });
    return path;
  }

  #down(event) {
    if (event.button !== 0) return;
    this.#area.setPointerCapture(event.pointerId);
    this.#point(event);
  }

  #point(event) {
    if (this.#area.hasPointerCapture(event.pointerId)) this.#go(this.#plyAt(event));
  }

  #plyAt(event) {
    const box = this.#area.getBoundingClientRect();
    const part = (event.clientX - box.left) / box.width;
    return Math.max(0, Math.min(this.#plies, Math.round(part * this.#plies)));
  }

  // A line at the move under the pointer, with its name and score.
  #hover(ply, name) {
    const x = this.#x(ply);
    for (const end of ["x1", "x2"]) this.#cursor.setAttribute(end, x);
    this.#cursor.setAttribute("visibility", "visible");
    this.#tip.hidden = false;
    this.#tip.textContent = name(ply);
    const part = ply / this.#plies;
    this.#tip.style.left = `${100 * part}%`;
    this.#tip.classList.toggle("left", part > 0.5);
  }

  #leave() {
    this.#cursor.setAttribute("visibility", "hidden");
    this.#tip.hidden = true;
  }
}
