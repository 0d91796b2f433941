// Browsers cut off without a word what does not fit into a field: it is said below the field.

import { make } from "./board.js";

const FIELDS = ":is(input, textarea)[maxlength]";

function lineOf(field) {
  const after = field.closest("label") ?? field;
  const line = after.nextElementSibling;
  return { after, line: line?.matches(".cut-off") ? line : null };
}

function say(field, lost) {
  const { after, line } = lineOf(field);
  if (!lost) {
    line?.remove();
    return;
  }
  const said = line ?? make("p", { class: "cut-off", role: "alert" });
  const most = field.maxLength.toLocaleString("en-US");
  said.textContent = `The field takes ${most} characters: the last ${lost.toLocaleString("en-US")} of what was entered are not in it.`;
  if (!line) after.after(said);
}

// Line ends count as one character.
function lost(field, text) {
  const chosen = field.selectionEnd - field.selectionStart;
  return Math.max(0, field.value.length - chosen + text.replaceAll("\r\n", "\n").length - field.maxLength);
}

export function startFits() {
  document.addEventListener("beforeinput", (event) => {
    const field = event.target;
    if (!field.matches?.(FIELDS) || event.isComposing) return;
    const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    say(field, text ? lost(field, text) : 0);
  });
}
