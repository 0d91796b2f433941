// The moves of a board with their variations, as buttons.

import { make } from "./board.js";

// The signs of the PGN standard (numeric annotation glyphs) and of ChessBase, as they are printed.
const SIGNS = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 8: "□", 9: "??", 10: "=", 11: "=", 12: "=", 13: "∞", 14: "⩲", 15: "⩱",
  16: "±", 17: "∓", 18: "+−", 19: "−+", 20: "+−", 21: "−+", 22: "⨀", 23: "⨀", 24: "○", 25: "○", 26: "○", 27: "○", 28: "○", 29: "○",
  30: "⟳", 31: "⟳", 32: "⟳", 33: "⟳", 34: "⟳", 35: "⟳", 36: "↑", 37: "↑", 38: "↑", 39: "↑", 40: "→", 41: "→",
  42: "=∞", 43: "=∞", 44: "=∞", 45: "=∞", 46: "=∞", 47: "=∞", 130: "⇆", 131: "⇆", 132: "⇆", 133: "⇆", 134: "⇆", 135: "⇆",
  136: "⊕", 137: "⊕", 138: "⊕", 139: "⊕", 140: "∆", 141: "∇", 142: "⌓", 143: "≤", 144: "==", 145: "RR", 146: "N",
  239: "⇔", 240: "⇗", 242: "⟫", 243: "⟪", 244: "✕", 245: "⊥",
};

// The sign of a glyph without one of its own says its number in words. Only what says how good a move is, is written to it.
export function signsOf(nags = []) {
  return nags.map((nag, place) => `${nag < 10 && place === 0 ? "" : " "}${SIGNS[nag] ?? `(note ${nag})`}`).join("");
}

// A result as tables show it.
export function resultText(result) {
  return result.replace("1/2-1/2", "½-½");
}

export class MoveTree {
  #host;
  #onChoose;
  #buttons = new Map();
  #current = null;

  constructor(host, onChoose) {
    this.#host = host;
    this.#onChoose = onChoose;
  }

  // Draws the moves below the start position. `nodes` maps numbers to nodes with their `children`.
  draw(nodes, result) {
    const focused = this.#host.contains(document.activeElement) ? document.activeElement.dataset.node : null;
    this.#buttons.clear();
    const line = make("div", { class: "tree-line" });
    const root = nodes.get(0);
    if (root.comment) line.append(make("span", { class: "remark" }, root.comment));
    this.#line(line, nodes, root, true);
    const end = result === "*" ? [] : [make("p", { class: "soft" }, resultText(result))];
    this.#host.replaceChildren(line, ...end);
    this.mark(this.#current);
    if (focused !== null) this.#buttons.get(Number(focused))?.focus({ preventScroll: true });
  }

  // Marks the move of the position that is shown.
  mark(id) {
    const old = this.#buttons.get(this.#current);
    old?.removeAttribute("aria-current");
    old?.setAttribute("tabindex", -1);
    this.#current = id;
    const button = this.#buttons.get(id);
    const stop = button ?? this.#buttons.values().next().value;
    stop?.setAttribute("tabindex", 0);
    button?.setAttribute("aria-current", "step");
    const box = this.#host;
    if (!button) box.scrollTop = 0;
    else if (button.offsetTop < box.scrollTop) box.scrollTop = button.offsetTop - 4;
    else if (button.offsetTop + button.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = button.offsetTop + button.offsetHeight - box.clientHeight + 4;
    }
  }

  #line(host, nodes, from, numbered) {
    let [node, number] = [from, numbered];
    while (node.children.length) {
      const [main, ...others] = node.children.map((id) => nodes.get(id));
      number = this.#move(host, main, number) || others.length > 0;
      for (const other of others) host.append(this.#variation(nodes, other));
      node = main;
    }
  }

  #variation(nodes, first) {
    const box = make("div", { class: "tree-variation" });
    if (first.before) box.append(make("span", { class: "remark" }, first.before));
    this.#line(box, nodes, first, this.#move(box, first, true));
    return box;
  }

  // Adds a move; true if something was said after it, so that the next one needs its number.
  #move(host, node, numbered) {
    const [, turn, , , , count] = node.fen.split(" ");
    const white = turn === "b";
    const number = white ? `${count}.` : numbered ? `${count - 1}…` : null;
    const button = make("button", { type: "button", tabindex: -1, "data-node": node.id }, node.san + signsOf(node.nags));
    button.addEventListener("click", () => this.#onChoose(node.id));
    this.#buttons.set(node.id, button);
    // A move stays on the line of its number.
    if (number) host.append(make("span", { class: "numbered" }, make("span", { class: "number" }, number), button));
    else host.append(button);
    if (!node.comment) return false;
    host.append(make("span", { class: "remark" }, node.comment));
    return true;
  }
}
