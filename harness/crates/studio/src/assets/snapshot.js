// A board as a file: its SVG with the styles of the page, drawn to a PNG; and texts as files.

import { makeSvg } from "./board.js";

const PIXELS = 800;

// Marks of a board that belong to the mouse and the keyboard.
const OF_POINTER = ".caret, .targets, .chosen";

// All styles of the page: of rules for the root of the page the attributes say which count.
function styles() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.map((rule) => rule.cssText).join("\n");
}

// The shapes of pieces that the board uses.
function shapes(svg) {
  const names = new Set([...svg.querySelectorAll("use")].map((use) => use.getAttribute("href")));
  return [...names].map((name) => document.querySelector(name)?.cloneNode(true)).filter(Boolean);
}

// The board as a PNG.
export async function boardPicture(svg, pixels = PIXELS) {
  const copy = svg.cloneNode(true);
  for (const mark of copy.querySelectorAll(OF_POINTER)) mark.remove();
  for (const { name, value } of document.documentElement.attributes) {
    if (!copy.hasAttribute(name)) copy.setAttribute(name, value);
  }
  copy.setAttribute("width", pixels);
  copy.setAttribute("height", pixels);
  copy.prepend(makeSvg("style", {}, styles()), makeSvg("defs", {}, ...shapes(svg)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [pixels, pixels];
  canvas.getContext("2d").drawImage(image, 0, 0, pixels, pixels);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// Gives the user a file.
export function saveAs(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
