// Lists that change without a new page, questions before what cannot be undone, and keys.

const FILTER_AFTER = 250;
const ASK_AGAIN_AFTER = 2000;
// The markup of parts as the server sent it; scripts and users change what is shown.
const shownParts = new WeakMap();
let asked = null;
let filterTimer = 0;
let reloadTimer = 0;
let shownPath = location.pathname + location.search;

// Puts the server's own markup into an element. What the user did there stays: the focus, open
// details, scroll positions and, unless `fields` is false, what was typed and ticked.
export function replaceContent(element, html, { fields = true } = {}) {
  const keep = [keepOpen(element), keepScroll(element), fields ? keepFields(element) : null, keepFocus(element)];
  setParts(element, html);
  element.dispatchEvent(new CustomEvent("tench:replaced", { bubbles: true }));
  for (const restore of keep) restore?.();
}

// Remembers the parts of lists and fragments as the server sent them, before scripts change what is shown.
export function rememberParts() {
  for (const element of document.querySelectorAll("[data-pages], #running, #head, #progress, #result")) remember(element);
}

function remember(element) {
  for (const part of element.children) shownParts.set(part, part.outerHTML);
}

// Replaces the parts that differ: what stays is not laid out again.
function setParts(element, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const [old, parts] = [[...element.children], [...template.content.children]];
  const plain = element.childNodes.length === old.length && template.content.childNodes.length === parts.length;
  if (!plain || old.length !== parts.length) {
    element.replaceChildren(template.content);
    remember(element);
    return;
  }
  old.forEach((part, index) => {
    const key = parts[index].outerHTML;
    if ((shownParts.get(part) ?? part.outerHTML) === key) return;
    shownParts.set(parts[index], key);
    part.replaceWith(parts[index]);
  });
}

function keepOpen(element) {
  const known = [...element.querySelectorAll("details[id]")].map(({ id, open }) => [id, open]);
  return () => {
    for (const [id, open] of known) {
      const details = document.getElementById(id);
      if (details) details.open = open;
    }
  };
}

function keepScroll(element) {
  const boxes = () => [...element.querySelectorAll(".scroll")];
  const known = boxes().map(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
  return () => {
    boxes().slice(0, known.length).forEach((box, index) => {
      [box.scrollLeft, box.scrollTop] = known[index];
    });
  };
}

// A field is known by its id, a box to tick by its name and value.
function fieldKey(field) {
  if (field.type === "checkbox" || field.type === "radio") return `${field.name}=${field.value}`;
  return field.id;
}

function keepFields(element) {
  const all = () => [...element.querySelectorAll("input, textarea, select")].filter(fieldKey);
  const ticked = new Map();
  const typed = new Map();
  for (const field of all()) {
    const key = fieldKey(field);
    if (field.type === "checkbox" || field.type === "radio") {
      if (field.checked !== field.defaultChecked) ticked.set(key, field.checked);
    } else if (field.type !== "hidden" && field.type !== "file" && isChanged(field)) {
      typed.set(key, field.value);
    }
  }
  return () => {
    for (const field of all()) {
      const key = fieldKey(field);
      if (ticked.has(key)) field.checked = ticked.get(key);
      if (typed.has(key)) field.value = typed.get(key);
    }
  };
}

function isChanged(field) {
  if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected);
  return field.value !== field.defaultValue;
}

// By id, or by the place among what can have the focus.
function keepFocus(element) {
  const focused = document.activeElement;
  if (!focused || !element.contains(focused)) return null;
  const all = () => [...element.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
  const index = all().indexOf(focused);
  const selection = typeof focused.selectionStart === "number" ? [focused.selectionStart, focused.selectionEnd] : null;
  return () => {
    const other = focused.id ? document.getElementById(focused.id) : all()[index];
    if (!other || other.tagName !== focused.tagName) return;
    other.focus({ preventScroll: true });
    if (selection) other.setSelectionRange?.(...selection);
  };
}

function containerOf(element) {
  return element.closest("[data-pages]");
}

// Asks for a part of a list; a newer question makes an older one void. Without an answer that can be
// shown here the browser goes to the address itself.
async function load(container, address, { fields = false } = {}) {
  asked?.abort();
  const question = new AbortController();
  asked = question;
  container.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { headers: { "X-Fragment": "1" }, signal: question.signal });
    const html = await answer.text();
    if (!answer.ok || /^\s*<!doctype/i.test(html)) throw new Error(`no part of a list: ${answer.status}`);
    replaceContent(container, html, { fields });
    shownPath = location.pathname + location.search;
    return true;
  } catch (error) {
    // Without an answer the list stays as it is, and is asked for again.
    if (error instanceof TypeError) askAgain(container);
    else if (error.name !== "AbortError") location.href = address;
    return false;
  } finally {
    if (asked === question) settle(container);
  }
}

function askAgain(container) {
  if (!container.querySelector("[data-away]")) {
    const note = document.createElement("p");
    note.dataset.away = "";
    note.className = "wrong";
    note.setAttribute("role", "status");
    note.textContent = "The studio does not answer. The list is asked for again.";
    container.prepend(note);
  }
  setTimeout(() => { if (!container.hasAttribute("aria-busy")) load(container, location.href, { fields: true }); }, ASK_AGAIN_AFTER);
}

// A list that changed while it was being asked for may have been answered too early.
function settle(container) {
  container.removeAttribute("aria-busy");
  if (!("stale" in container.dataset)) return;
  delete container.dataset.stale;
  load(container, location.href, { fields: true });
}

async function follow(event) {
  const link = event.target.closest?.("nav.pages a[href], th a[href]");
  const container = link && containerOf(link);
  if (!container || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const inPages = link.closest("nav.pages");
  history.pushState({ pages: container.id }, "", link.href);
  if (!(await load(container, link.href))) return;
  if (document.activeElement === document.body) focusOn(container);
  if (inPages && container.getBoundingClientRect().top < 0) container.scrollIntoView();
}

// The control that was used is gone, as `Next` on the last part.
function focusOn(container) {
  const control = container.querySelector("nav.pages a[href]") ?? container;
  if (control === container) container.tabIndex = -1;
  control.focus({ preventScroll: true });
}

async function filter(form) {
  clearTimeout(filterTimer);
  const container = containerOf(form);
  const fields = [...new FormData(form)].filter(([, value]) => value !== "");
  const address = new URL(form.action);
  address.search = new URLSearchParams(fields);
  // Going back leaves the filter rather than a letter of it.
  const change = history.state?.filter ? "replaceState" : "pushState";
  history[change]({ pages: container.id, filter: true }, "", address);
  await load(container, address, { fields: true });
}

function filterSoon(event) {
  const form = event.target.closest?.("form[data-filter]");
  if (!form || !containerOf(form)) return;
  clearTimeout(filterTimer);
  filterTimer = setTimeout(() => { if (form.isConnected) filter(form); else filterAgain(form); }, FILTER_AFTER);
}

// The form was replaced while its user typed.
function filterAgain(form) {
  const forms = [...document.querySelectorAll("[data-pages] form[data-filter]")];
  const same = forms.find((other) => other.action === form.action);
  if (same) filter(same);
}

function submit(event) {
  const question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) {
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  if (!event.target.matches("form[data-filter]") || !containerOf(event.target)) return;
  event.preventDefault();
  filter(event.target);
}

function goBack() {
  // Another place in the same page is no other list.
  if (location.pathname + location.search === shownPath) return;
  const id = history.state?.pages;
  const container = (id && document.getElementById(id)) || document.querySelector("[data-pages]");
  if (container) load(container, location.href);
}

// A fragment `ID-version` tells that the list with this id, which has `data-refresh`, has changed.
function refresh({ detail: { id, html } }) {
  if (!id.endsWith("-version")) return;
  const list = document.getElementById(id.slice(0, -"-version".length));
  if (!list?.matches("[data-pages][data-refresh]") || list.dataset.refresh === html) return;
  list.dataset.refresh = html;
  // A user's own question has precedence.
  if (list.hasAttribute("aria-busy")) list.dataset.stale = "";
  else load(list, location.href, { fields: true });
}

// `data-reload="500"`: what is shown is not complete yet, and is asked for again so many milliseconds
// later; the list around it, or else the whole page.
function reloadLater() {
  const element = document.querySelector("[data-reload]");
  clearTimeout(reloadTimer);
  if (!element) return;
  reloadTimer = setTimeout(() => {
    const container = containerOf(element);
    if (!container) location.reload();
    else if (!container.hasAttribute("aria-busy")) load(container, location.href, { fields: true });
  }, Number(element.dataset.reload));
}

function moveAlongRows(by) {
  const rows = [...document.querySelectorAll("[data-pages] tbody tr")].filter((row) => row.querySelector("a[href]"));
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  const next = now < 0 ? (by > 0 ? 0 : rows.length - 1) : now + by;
  rows[next]?.querySelector("a[href]").focus();
}

function keys(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable], dialog")) return;
  const acts = {
    "/": () => document.querySelector("#search, input[type=search]"),
    j: () => moveAlongRows(1),
    k: () => moveAlongRows(-1),
    "?": () => document.querySelector("dialog#keys")?.showModal(),
  };
  if (!(event.key in acts)) return;
  const field = acts[event.key]();
  if (event.key === "/" && !field) return;
  event.preventDefault();
  field?.focus();
  field?.select?.();
}

export function startLists() {
  document.addEventListener("click", follow);
  document.addEventListener("submit", submit, true);
  document.addEventListener("input", filterSoon);
  document.addEventListener("change", (event) => { if (event.target.matches("select")) filterSoon(event); });
  document.addEventListener("keydown", keys);
  document.addEventListener("tench:fragment", refresh);
  document.addEventListener("tench:replaced", reloadLater);
  reloadLater();
  window.addEventListener("popstate", goBack);
}
