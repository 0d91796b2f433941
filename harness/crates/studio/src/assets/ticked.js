// Runs that are ticked in the list: they stay so while the list is searched, sorted and turned over, and are compared together.

const BOXES = "#runs form[action='/compare'] input[type=checkbox][name=run]";

const ticked = new Set();

// The boxes of the list follow; what is ticked and not listed now is sent all the same, and said.
function show() {
  const form = document.querySelector("#runs form[action='/compare']");
  if (!form) return;
  const boxes = [...document.querySelectorAll(BOXES)];
  for (const box of boxes) box.checked = ticked.has(box.value);
  const listed = new Set(boxes.map(({ value }) => value));
  const others = [...ticked].filter((run) => !listed.has(run));
  form.querySelector("#ticked-elsewhere")?.remove();
  if (!others.length) return;
  const note = document.createElement("span");
  note.id = "ticked-elsewhere";
  note.className = "soft";
  for (const run of others) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: "run", value: run });
    note.append(field);
  }
  const forget = document.createElement("button");
  Object.assign(forget, { type: "button", className: "button", textContent: "Forget them" });
  forget.addEventListener("click", () => {
    for (const run of others) ticked.delete(run);
    show();
  });
  note.append(` and ${others.length} more, which this list does not show `, forget);
  form.append(note);
}

export function startTicked() {
  for (const box of document.querySelectorAll(`${BOXES.replace("input", "input:checked")}`)) ticked.add(box.value);
  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.(BOXES)) return;
    if (target.checked) ticked.add(target.value);
    else ticked.delete(target.value);
    show();
  });
  document.addEventListener("tench:replaced", show);
  // A page that is come back to has its ticks by the browser.
  window.addEventListener("pageshow", () => {
    for (const box of document.querySelectorAll(BOXES)) if (box.checked) ticked.add(box.value);
    show();
  });
}
