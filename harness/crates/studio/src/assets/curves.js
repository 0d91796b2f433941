// Values of charts under the pointer: a hairline, a dot and a text. The charts come from the server,
// which may replace them at any time.

import { make, makeSvg } from "./board.js";

const CHART = "figure:has(svg[data-curve])";
const MARGIN = 8;
let shown = null;
let pointer = null;
// The point last shown: arrow keys go on from it in a chart that was replaced.
let lastIndex = null;

// The visible drawing of a chart, where it lies, and its points: `left,right,top,bottom;x0,x1,y0,y1;`
// and then of each curve its points, as two numbers each, or as four with the ends of their
// intervals. The first curve is the one that is shown.
function readChart(figure) {
  const drawings = [...figure.querySelectorAll("svg[data-curve]")];
  const svg = drawings.find((drawing) => drawing.getClientRects().length);
  if (!svg) return null;
  const [box, ends, main] = svg.dataset.curve.split(";").map((part) => part.split(",").map(Number));
  const [left, right, top, bottom] = box;
  const [x0, x1, y0, y1, width] = ends;
  const points = [];
  for (let at = 0; at + width <= main.length; at += width) points.push(main.slice(at, at + width));
  const plot = { box: [left, top, right, bottom], x: [x0, x1], y: [y0, y1] };
  // A chart may show a part.
  const seen = points.filter(([x]) => x >= x0 && x <= x1);
  return seen.length ? { figure, points: seen, plot, svg } : null;
}

// A value of a range to its place on the drawing.
function scale(value, [low, high], start, end) {
  return start + ((value - low) / (high - low || 1)) * (end - start);
}

function numberText(value, [low, high], signed) {
  const span = Math.abs(high - low);
  const fine = Math.min(20, Math.max(4, Math.ceil(2 - Math.log10(span))));
  const text = Math.abs(value).toFixed(span >= 10 ? 1 : span >= 1 ? 2 : fine);
  if (value < 0 && Number(text) !== 0) return `−${text}`;
  return signed ? `+${text}` : text;
}

function countText(value) {
  const [whole, part] = String(value).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part ? `${grouped}.${part.slice(0, 2)}` : grouped;
}

function valueText({ plot }, [x, y, low, high]) {
  const signed = plot.y[0] < 0;
  const number = (value) => numberText(value, plot.y, signed);
  const interval = low === undefined ? "" : ` (${number(low)} to ${number(high)})`;
  return `${countText(x)}: ${number(y)}${interval}`;
}

function nearest(points, x) {
  let best = 0;
  points.forEach((point, index) => {
    if (Math.abs(point[0] - x) < Math.abs(points[best][0] - x)) best = index;
  });
  return best;
}

function show(chart, index) {
  const { figure, points, plot, svg } = chart;
  const point = points[index];
  const [left, top, right, bottom] = plot.box;
  const x = scale(point[0], plot.x, left, right);
  const y = Math.min(bottom, Math.max(top, scale(point[1], plot.y, bottom, top)));
  if (shown?.svg !== svg) hide();
  if (!shown) {
    const line = makeSvg("line", { class: "hairline", y1: top, y2: bottom });
    const dot = makeSvg("circle", { class: "dot", r: 4 });
    const group = makeSvg("g", { class: "curve-marks", "aria-hidden": "true" }, line, dot);
    const box = make("div", { class: "curve-value", role: "status" });
    svg.append(group);
    figure.append(box);
    shown = { figure, svg, line, dot, group, box, index };
  }
  shown.index = index;
  lastIndex = index;
  for (const end of ["x1", "x2"]) shown.line.setAttribute(end, x);
  shown.dot.setAttribute("cx", x);
  shown.dot.setAttribute("cy", y);
  shown.box.textContent = valueText(chart, point);
  placeBox(figure, svg, x, y);
}

// Beside the point, but inside the figure.
function placeBox(figure, svg, x, y) {
  const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
  const frame = figure.getBoundingClientRect();
  const { box } = shown;
  const room = frame.width - box.offsetWidth;
  const beside = at.x - frame.left + MARGIN;
  const wanted = beside > room ? at.x - frame.left - MARGIN - box.offsetWidth : beside;
  const above = at.y - frame.top - box.offsetHeight - MARGIN;
  box.style.left = `${Math.max(0, Math.min(room, wanted))}px`;
  box.style.top = `${Math.max(0, above)}px`;
}

function hide() {
  shown?.group.remove();
  shown?.box.remove();
  shown = null;
  lastIndex = null;
}

function moved(event) {
  pointer = [event.clientX, event.clientY];
  pointAt(event.target);
}

function pointAt(target) {
  const figure = target?.closest?.(CHART);
  const chart = figure && target.closest("svg") ? readChart(figure) : null;
  if (!chart) {
    if (shown && shown.figure !== document.activeElement) hide();
    return;
  }
  const at = new DOMPoint(...pointer).matrixTransform(chart.svg.getScreenCTM().inverse());
  const [left, , right] = chart.plot.box;
  const x = scale(at.x, [left, right], ...chart.plot.x);
  show(chart, nearest(chart.points, x));
}

function key(event) {
  const figure = event.target.closest?.(CHART);
  if (!figure || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") hide();
  const chart = readChart(figure);
  const last = (chart?.points.length ?? 0) - 1;
  const now = shown && shown.figure !== figure ? null : lastIndex;
  const to = {
    ArrowLeft: now === null ? last : Math.max(0, now - 1),
    ArrowRight: now === null ? 0 : Math.min(last, now + 1),
    Home: 0,
    End: last,
  }[event.key];
  if (!chart || to === undefined) return;
  event.preventDefault();
  show(chart, to);
}

function makeFocusable() {
  for (const figure of document.querySelectorAll(CHART)) figure.tabIndex = 0;
}

// A chart was replaced under the pointer, or while it had the focus.
function replaced() {
  makeFocusable();
  if (!shown || shown.svg.isConnected) return;
  const focused = document.activeElement?.matches?.(CHART);
  shown = null;
  if (!focused && pointer) pointAt(document.elementFromPoint(...pointer));
}

export function startCurves() {
  makeFocusable();
  document.addEventListener("pointermove", moved);
  document.addEventListener("pointerleave", hide);
  document.addEventListener("keydown", key);
  document.addEventListener("focusout", (event) => { if (event.target === shown?.figure) hide(); });
  document.addEventListener("tench:replaced", replaced);
  document.addEventListener("tench:zoomed", hide);
}
