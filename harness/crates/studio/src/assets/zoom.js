// A part of a chart: what is dragged over, or twice as near by a double click or +, fills the plot. The curves come
// from the server, whose drawings are stretched; the axes are drawn again.

import { make, makeSvg } from "./board.js";

const CHART = "figure:has(svg[data-curve])";
const GRID = "#020202";
const LABEL = "#010101";
// Pixels that a drag is long at least: a click moves a little, too.
const SHORTEST = 8;
// The part that a double click shows.
const NEARER = 0.5;
const MARGIN = 0.08;
const MAX_TICKS = 6;

// The ends of the horizontal axis of each chart of the page that shows a part, by its key: a chart that is replaced
// shows the same part again.
const parts = new Map();
// The whole drawing of each that shows a part.
const whole = new WeakMap();
let drag = null;
let clips = 0;

function numbers(text) {
  return text.split(",").map(Number);
}

// The plotting area of a drawing, the ends of its axes, and the points of all of its curves.
function read(svg) {
  const [box, ends, main, ...others] = svg.dataset.curve.split(";").map(numbers);
  const pairs = (list, width) => Array.from({ length: Math.floor(list.length / width) }, (_, at) => list.slice(at * width, (at + 1) * width));
  return { box, x: [ends[0], ends[1]], y: [ends[2], ends[3]], curves: [pairs(main, ends[4]), ...others.map((list) => pairs(list, 2))] };
}

function drawings(figure) {
  return [...figure.querySelectorAll("svg[data-curve]")];
}

function visible(figure) {
  return drawings(figure).find((svg) => svg.getClientRects().length);
}

// Its name among the charts of the page.
function keyOf(figure) {
  const title = (one) => one.closest("section")?.querySelector("h2, h3")?.textContent ?? "";
  const same = [...document.querySelectorAll(CHART)].filter((one) => title(one) === title(figure));
  return `${title(figure)} ${same.indexOf(figure)}`;
}

// Ends of the vertical axis around all that is seen between the ends of the horizontal one.
function rangeOf({ curves, y }, [from, to]) {
  const values = [];
  for (const points of curves) {
    points.forEach(([x, ...ys], at) => {
      // A line may cross the part between two points.
      const near = [points[at - 1], points[at + 1]].some((next) => next && (next[0] - from) * (x - from) < 0);
      if ((x >= from && x <= to) || near) values.push(...ys.filter(Number.isFinite));
    });
  }
  if (!values.length) return y;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low) * MARGIN || Math.abs(high) * MARGIN || 1;
  return [low - margin, high + margin];
}

// Round values between two ends.
function ticks([low, high], whole) {
  const rough = (high - low) / MAX_TICKS;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].find((factor) => factor * unit >= rough) * unit, whole ? 1 : 0);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const values = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) values.push(at * step);
  return values.map((value) => ({ value, text: value.toFixed(digits).replace("-", "−") }));
}

// A drawing of which a part fills the plot.
function part(original, [from, to]) {
  const chart = read(original);
  const [left, right, top, bottom] = chart.box;
  const range = rangeOf(chart, [from, to]);
  const between = (value, [a, b], [c, d]) => c + ((value - a) / (b - a)) * (d - c);
  const x = (old) => between(between(old, [left, right], chart.x), [from, to], [left, right]);
  const y = (old) => between(between(old, [bottom, top], chart.y), range, [bottom, top]);
  const svg = original.cloneNode(false);
  const id = `part-${(clips += 1)}`;
  const clip = makeSvg("clipPath", { id });
  clip.append(makeSvg("rect", { x: left, y: top, width: right - left, height: bottom - top }));
  const shapes = makeSvg("g", { "clip-path": `url(#${id})` });
  for (const shape of original.children) {
    const isAxis = shape.getAttribute("stroke") === GRID || (shape.tagName === "text" && shape.getAttribute("fill") === LABEL);
    if (!isAxis && !shape.matches(".curve-marks")) shapes.append(stretched(shape, x, y));
  }
  const size = original.querySelector(`text[fill="${LABEL}"]`)?.getAttribute("font-size") ?? 11;
  const label = (text, place) => {
    const element = makeSvg("text", { fill: LABEL, "font-size": size, "font-family": "sans-serif", ...place });
    element.textContent = text;
    return element;
  };
  const line = (place) => makeSvg("line", { stroke: GRID, ...place });
  const counted = chart.curves.every((points) => points.every(([at]) => Number.isInteger(at)));
  const axes = [line({ x1: left, y1: top, x2: left, y2: bottom }), line({ x1: left, y1: bottom, x2: right, y2: bottom })];
  for (const { value, text } of ticks([from, to], counted)) {
    const at = between(value, [from, to], [left, right]);
    axes.push(line({ x1: at, y1: top, x2: at, y2: bottom + 5 }), label(text, { x: at, y: bottom + 10, dy: "0.76em", "text-anchor": "middle" }));
  }
  for (const { value, text } of ticks(range, false)) {
    const at = between(value, range, [bottom, top]);
    axes.push(line({ x1: left - 5, y1: at, x2: right, y2: at }), label(text, { x: left - 10, y: at, dy: "0.5ex", "text-anchor": "end" }));
  }
  svg.append(clip, ...axes, shapes);
  const [box, ends, ...curves] = original.dataset.curve.split(";");
  svg.dataset.curve = [box, [from, to, ...range, ends.split(",").at(-1)].join(","), ...curves].join(";");
  return svg;
}

// A shape whose points are moved; a text keeps its place beside the axis.
function stretched(shape, x, y) {
  const copy = shape.cloneNode(true);
  const move = (name, to) => {
    if (copy.hasAttribute(name)) copy.setAttribute(name, to(Number(copy.getAttribute(name))));
  };
  const points = copy.getAttribute("points");
  if (points) {
    const moved = points.trim().split(/\s+/).map((point) => numbers(point)).map(([a, b]) => `${x(a).toFixed(2)},${y(b).toFixed(2)}`);
    copy.setAttribute("points", moved.join(" "));
  }
  for (const name of ["x1", "x2", "cx"]) move(name, x);
  for (const name of ["y1", "y2", "cy"]) move(name, y);
  if (copy.tagName === "text") move("y", y);
  return copy;
}

function show(figure, ends) {
  parts.set(keyOf(figure), ends);
  for (const drawing of drawings(figure)) {
    const original = whole.get(drawing) ?? drawing;
    const svg = part(original, ends);
    whole.set(svg, original);
    drawing.replaceWith(svg);
  }
  if (!figure.querySelector(".whole-chart")) {
    const button = make("button", { type: "button", class: "button whole-chart" }, "Whole chart");
    button.addEventListener("click", () => showWhole(figure));
    figure.append(button);
  }
  document.dispatchEvent(new CustomEvent("tench:zoomed"));
}

function showWhole(figure) {
  parts.delete(keyOf(figure));
  for (const drawing of drawings(figure)) {
    const original = whole.get(drawing);
    if (original) drawing.replaceWith(original);
  }
  const button = figure.querySelector(".whole-chart");
  const held = button === document.activeElement;
  button?.remove();
  if (held) figure.focus();
  document.dispatchEvent(new CustomEvent("tench:zoomed"));
}

// A place on the page as a value of the horizontal axis.
function valueAt(svg, clientX, clientY) {
  const { box: [left, right], x: [low, high] } = read(svg);
  const at = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  const share = Math.min(1, Math.max(0, (at.x - left) / (right - left)));
  return low + share * (high - low);
}

// Shows the part around a value that is `factor` as long as the one that is shown.
function scale(figure, value, factor) {
  const svg = visible(figure);
  if (!svg) return;
  const [low, high] = read(svg).x;
  const limits = read(whole.get(svg) ?? svg).x;
  const [from, to] = [low, high].map((end) => value + (end - value) * factor);
  const ends = [Math.max(from, limits[0]), Math.min(to, limits[1])];
  if (ends[0] === limits[0] && ends[1] === limits[1]) showWhole(figure);
  else show(figure, ends);
}

function begin(event) {
  const svg = event.target.closest?.("svg[data-curve]");
  const figure = svg?.closest(CHART);
  // A finger scrolls the page.
  if (!figure || event.button !== 0 || event.pointerType === "touch") return;
  drag = { figure, svg, from: event.clientX, y: event.clientY, box: null };
}

function move(event) {
  if (!drag || Math.abs(event.clientX - drag.from) < SHORTEST) return;
  event.preventDefault();
  const frame = drag.figure.getBoundingClientRect();
  const area = drag.svg.getBoundingClientRect();
  if (!drag.box) {
    drag.box = make("div", { class: "chosen-part", "aria-hidden": "true" });
    drag.figure.append(drag.box);
    getSelection()?.removeAllRanges();
  }
  const [low, high] = [drag.from, event.clientX].sort((a, b) => a - b).map((at) => Math.min(area.right, Math.max(area.left, at)) - frame.left);
  Object.assign(drag.box.style, { left: `${low}px`, width: `${high - low}px`, top: `${area.top - frame.top}px`, height: `${area.height}px` });
}

function end(event) {
  const done = drag;
  drag = null;
  if (!done?.box) return;
  done.box.remove();
  if (event.type !== "pointerup" || !done.svg.isConnected) return;
  const ends = [done.from, event.clientX].map((at) => valueAt(done.svg, at, done.y)).sort((a, b) => a - b);
  if (ends[1] > ends[0]) show(done.figure, ends);
}

function key(event) {
  const figure = event.target.closest?.(CHART);
  if (!figure || event.ctrlKey || event.altKey || event.metaKey || !["+", "-", "0"].includes(event.key)) return;
  const svg = visible(figure);
  if (!svg) return;
  event.preventDefault();
  const dot = svg.querySelector(".curve-marks .hairline");
  const { box: [left, right], x: [low, high] } = read(svg);
  const share = dot ? (Number(dot.getAttribute("x1")) - left) / (right - left) : 0.5;
  if (event.key === "0") showWhole(figure);
  else scale(figure, low + share * (high - low), event.key === "+" ? NEARER : 1 / NEARER);
}

function replaced() {
  for (const figure of document.querySelectorAll(CHART)) {
    const ends = parts.get(keyOf(figure));
    if (ends && !figure.querySelector(".whole-chart")) show(figure, ends);
  }
}

export function startZoom() {
  document.addEventListener("pointerdown", begin);
  document.addEventListener("pointermove", move);
  for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, end);
  document.addEventListener("keydown", key);
  document.addEventListener("dblclick", (event) => {
    const svg = event.target.closest?.("svg[data-curve]");
    const figure = svg?.closest(CHART);
    if (figure) scale(figure, valueAt(svg, event.clientX, event.clientY), NEARER);
  });
  document.addEventListener("tench:replaced", replaced);
}
