// Texts (and pictures) that are pasted, typed, dropped or chosen: what they are is shown, and whatever would be replaced
// is asked about, before anything is put on the board.

import { withCode } from "./answers.js";
import { make } from "./board.js";
import { isPicture } from "./picture.js";

// Characters of a text that a form can send.
const MOST = 150_000;

function byId(id) {
  return document.getElementById(id);
}

// A file as text: UTF-8, UTF-16 with its mark, or else Windows-1252.
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = (first, second) => bytes[0] === first && bytes[1] === second;
  if (mark(0xff, 0xfe)) return new TextDecoder("utf-16le").decode(bytes);
  if (mark(0xfe, 0xff)) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

export class Loading {
  #page;
  #report = byId("load-report");

  constructor(page) {
    this.#page = page;
    byId("load-pgn").addEventListener("click", () => this.offer(byId("pgn").value));
    byId("pgn-file").addEventListener("change", (event) => this.#file(event.target.files[0]));
    document.addEventListener("paste", (event) => {
      const [file] = event.clipboardData.files;
      const text = event.clipboardData.getData("text/plain");
      const takesText = event.target.closest?.("input, textarea, select, [contenteditable]");
      // A field takes no picture.
      if (takesText && (text.trim() || !isPicture(file))) return;
      if (!file && !text.trim()) return;
      event.preventDefault();
      if (text.trim()) this.offer(text);
      else this.#file(file);
    });
    document.addEventListener("dragover", (event) => {
      if ([...event.dataTransfer.types].some((type) => type === "Files" || type === "text/plain")) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
      const [file] = event.dataTransfer.files;
      const text = event.dataTransfer.getData("text/plain");
      if (event.target.closest?.("input, textarea") && !isPicture(file)) return;
      if (!file && !text) return;
      event.preventDefault();
      if (file) this.#file(file);
      else this.offer(text);
    });
  }

  async #file(file) {
    if (!file) return;
    if (isPicture(file)) {
      this.#page.editor.readPicture(file);
      return;
    }
    if (file.size > MOST) {
      this.#say(`${file.name} has ${Math.ceil(file.size / 1000)} kB: open it with “PGN files”, which lists its games.`, true);
      return;
    }
    byId("pgn").value = await textOf(file);
    await this.offer(byId("pgn").value);
  }

  #say(text, wrong = false) {
    this.#report.replaceChildren(make("p", wrong ? { class: "wrong" } : {}, ...withCode(text)));
  }

  // Takes away what was said of an earlier text; a question stays until it is answered.
  settle() {
    if (!this.#report.querySelector("button")) this.#report.replaceChildren();
  }

  // Shows what a text is; it is put on the board at once if nothing of it and nothing of the board is lost.
  async offer(text, game = 1) {
    if (text.length > MOST) {
      this.#say(`The text has ${Math.ceil(text.length / 1000)} kB: save it as a file, and open that with “PGN files”.`, true);
      return;
    }
    this.#report.replaceChildren();
    const value = await this.#page.post("read", { text, game }, (reason) => this.#say(reason, true));
    if (!value) return;
    const { read, left, titles, count, replaces } = value;
    if (!replaces && !left.length && count === 1) {
      await this.#load(text, game, read);
      return;
    }
    const parts = [make("p", {}, count > 1 ? `The text has ${count} games or positions. Number ${game}: ${read}.` : `Read: ${read}.`)];
    if (count > 1) parts.push(this.#choice(text, game, titles, count));
    if (left.length) {
      const items = left.map((part) => make("li", {}, ...withCode(part)));
      parts.push(make("p", { class: "wrong" }, "Not read:"), make("ul", { id: "not-read" }, ...items));
    }
    if (replaces) parts.push(make("p", {}, `This board has ${replaces}, which would be replaced.`));
    const here = this.#button("load-here", replaces ? "Replace it" : "Put it on this board", () => this.#load(text, game, read, left));
    const other = this.#button("load-there", "Open on a new board", () => this.#open(text, game));
    const none = this.#button("load-not", "Leave it", () => this.#report.replaceChildren());
    parts.push(make("div", { class: "actions" }, here, other, none));
    this.#report.replaceChildren(...parts);
    (replaces ? other : here).focus();
  }

  #button(id, text, act) {
    const button = make("button", { type: "button", class: "button", id }, text);
    button.addEventListener("click", act);
    return button;
  }

  // Which of several games.
  #choice(text, game, titles, count) {
    const options = titles.map((title, at) => {
      const option = make("option", { value: at + 1 }, `${at + 1}. ${title}`);
      option.selected = at + 1 === game;
      return option;
    });
    const select = make("select", { id: "load-game" }, ...options);
    select.addEventListener("change", () => this.offer(text, Number(select.value)));
    const more = count > titles.length ? ` The first ${titles.length} are listed; “PGN files” lists all.` : "";
    return make("label", {}, "Game or position ", select, more);
  }

  async #load(text, game, read, left = []) {
    if (!(await this.#page.act("load", { text, game, replace: "yes" }))) return;
    this.#page.go(0);
    const rest = left.length ? ` Not read: ${left.join("; ")}` : "";
    this.#say(`On the board: ${read}.${rest}`);
  }

  // A form, so that the answer leads to the new board.
  #open(text, game) {
    const fields = { csrf: this.#page.csrf, do: "text", text, game };
    const inputs = Object.entries(fields).map(([name, value]) => {
      const input = make("textarea", { name, hidden: "" });
      input.value = value;
      return input;
    });
    const form = make("form", { method: "post", action: "/boards", hidden: "" }, ...inputs);
    document.body.append(form);
    form.submit();
  }

  // Asks whether something of the board may be lost; true if so.
  confirm(reason, [does, leaves] = ["Replace it", "Keep it"]) {
    return new Promise((resolve) => {
      const answer = (value) => {
        this.#report.replaceChildren();
        resolve(value);
      };
      const yes = this.#button("replace-yes", does, () => answer(true));
      const no = this.#button("replace-no", leaves, () => answer(false));
      this.#report.replaceChildren(make("p", {}, ...withCode(reason)), make("div", { class: "actions" }, yes, no));
      no.focus();
    });
  }
}
