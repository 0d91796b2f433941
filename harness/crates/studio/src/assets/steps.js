// Ways to another position of a board: its buttons, keys, the mouse wheel, and links.

import { nodeOfLink } from "./places.js";

// Pixels that a wheel turns for a move.
const WHEEL_STEP = 50;
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "flip" };

export function mountSteps(page) {
  for (const button of document.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => page.place(button.dataset.go));
  }
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && page.ask) page.ask.focus();
    else if (KEYS[event.key]) page.place(KEYS[event.key]);
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => {
    // A link within the page names no position.
    const node = nodeOfLink(page.nodes, location.hash);
    if (node !== null) page.go(node);
  });
  let turned = 0;
  document.getElementById("board-frame").addEventListener("wheel", (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    // Fine wheels and touchpads turn in many small steps.
    turned += event.deltaY;
    if (Math.abs(turned) < WHEEL_STEP) return;
    page.place(turned > 0 ? "forward" : "back");
    turned = 0;
  }, { passive: false });
}
