// The form of a new run: its fields are written into the YAML, whose command line is shown.

import { request, withCode } from "./answers.js";
import { make } from "./board.js";
import { RunFile } from "./runfile.js";

const PLAN_AFTER = 200;
// Servers and browsers take addresses of this length.
const LONGEST_ADDRESS = 6_000;
const LIMITS = ["tc", "movetime", "nodes", "depth"];

function byId(id) {
  return document.getElementById(id);
}

// A value in YAML: plain where nothing else could be meant.
function scalar(text) {
  if (/^-?(0|[1-9]\d{0,14})(\.\d*[1-9])?$/.test(text)) return text;
  return /^[A-Za-z./][\w.+/=~-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|\.)$/i.test(text) ? text : JSON.stringify(text);
}

function games(count) {
  return Math.round(count).toLocaleString("en");
}

// The expected length of a test, as a table and a sentence.
function planned({ rows, draws, most, most_is_proven: proven, games95 }) {
  // Of a test with enough games nothing stays undecided.
  const open = rows.some(({ undecided }) => undecided >= 0.005);
  const head = make("tr", {}, ...["True difference", "Passes", ...(open ? ["Undecided"] : []), "Games"].map((text, place) => make("th", { scope: "col", ...(place ? { class: "number" } : {}) }, text)));
  const share = (value) => make("td", { class: "number" }, `${(100 * value).toFixed(0)} %`);
  const lines = rows.map(({ nelo, elo, pass, undecided, games: mean }) => make("tr", {}, make("td", {}, `${nelo.toFixed(1)} nElo (${elo.toFixed(1)} Elo)`.replaceAll("-", "−")), share(pass), ...(open ? [share(undecided)] : []), make("td", { class: "number" }, games(mean))));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines));
  const end = proven ? `It ends after ${games(most)} games for sure` : `It gives up after ${games(most)} games`;
  const usual = games95 ? `; half way between the hypotheses 95 of 100 tests end within ${games(games95)}` : "";
  return [
    make("p", { class: "soft" }, `Expected length by the true difference, if ${100 * draws} % of games are drawn. ${end}${usual}.`),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Expected length" }, table),
  ];
}

// The words of a command line, none of which is broken at its hyphens.
function words(line) {
  return line.split(" ").flatMap((word, number) => [number ? " " : "", make("span", { class: "word" }, word)]);
}

class RunForm {
  #form = byId("run-form");
  #yaml = byId("yaml");
  #options = [];
  // What engines were asked for, by engine.
  #declared = new Map();
  #timer = 0;
  #planned = "";
  #csrf = document.querySelector("input[name=csrf]").value;

  constructor() {
    this.#yaml.addEventListener("input", () => {
      this.#leaveAside();
      this.#later();
    });
    if (this.#form) this.#mount();
    this.#leaveAside();
    this.#show();
    // The browser may have put back what was typed.
    window.addEventListener("pageshow", () => this.#show());
    if (this.#yaml.dataset.sent !== undefined) this.#keepInAddress();
  }

  #mount() {
    this.#options = JSON.parse(byId("engine-options")?.dataset.options ?? "[]");
    this.#form.addEventListener("input", (event) => {
      if (event.target.dataset.option === undefined && !event.target.closest("#run-file")) this.#write();
    });
    for (const button of this.#form.querySelectorAll("[data-preset]")) {
      button.addEventListener("click", () => this.#preset(JSON.parse(button.dataset.preset)));
    }
    const host = byId("run-file");
    if (host) new RunFile(host, this.#csrf, (path) => this.#takeFile(path));
    for (const button of this.#form.querySelectorAll("[data-choose]")) {
      button.addEventListener("click", () => this.#choose(button, button.parentElement.querySelector("input"), ""));
    }
    byId("engine-options")?.addEventListener("toggle", () => this.#showOptions());
    for (const input of this.#form.querySelectorAll("[data-engine]")) {
      input.addEventListener("change", () => this.#showOptions());
    }
  }

  // A command line has other flags than the fields: it counts, and they are left aside until the text is YAML again.
  #leaveAside() {
    if (!this.#form) return;
    const first = this.#yaml.value.split("\n").find((line) => line.trim());
    this.#form.disabled = first !== undefined && !/^\s*(#|-|[\w-]+\s*:(\s|$))/.test(first);
    byId("left-aside").hidden = !this.#form.disabled;
  }

  // What was typed is in the address: going back to a page that was sent, or loading it again, shows it.
  #keepInAddress() {
    const address = `/start?${new URLSearchParams({ yaml: this.#yaml.value })}`;
    if (address.length < LONGEST_ADDRESS) history.replaceState(history.state, "", address);
  }

  #field(flag) {
    return this.#form.querySelector(`[data-flag="${flag}"]`);
  }

  // A file that was written here is the argument of the run.
  #takeFile(path) {
    this.#form.querySelector("[data-argument='0']").value = path;
    this.#write();
  }

  #preset(values) {
    for (const [flag, value] of Object.entries(values)) {
      if (flag.startsWith("file.")) this.#form.querySelector(`[data-file="${flag.slice(5)}"]`).value = value;
      else if (LIMITS.includes(flag)) {
        byId("limit-kind").value = flag;
        byId("limit-value").value = value;
      } else this.#field(flag).value = value;
    }
    this.#write();
  }

  // The flags that a field of the form has.
  #own() {
    const flags = [...this.#form.querySelectorAll("[data-flag]")].map((field) => field.dataset.flag);
    return new Set(["command", "arguments", ...flags, ...(byId("limit-kind") ? LIMITS : []), ...(byId("engine-options") ? ["option"] : [])]);
  }

  // The YAML of the fields; lines of other flags stay.
  #write() {
    const own = this.#own();
    const others = this.#yaml.value.split("\n").filter((line) => line.trim() && !own.has(line.replace(/^#\s*/, "").split(":")[0].trim().replaceAll("_", "-")));
    const inputs = [...this.#form.querySelectorAll("[data-argument]")];
    const words = inputs.map((input) => input.value.trim()).filter(Boolean);
    const lines = [`command: ${this.#form.dataset.command}`];
    if (words.length) lines.push(`arguments: [${words.map(scalar).join(", ")}]`);
    // Where each engine has its own limit, their lines stay.
    if (byId("limit-value")) byId("limit-value").disabled = byId("limit-kind").value === "";
    const limit = byId("limit-kind")?.value && byId("limit-value").value.trim();
    if (limit) lines.push(`${byId("limit-kind").value}: ${scalar(limit)}`);
    for (const field of this.#form.querySelectorAll("[data-flag]")) {
      if (field.value.trim()) lines.push(`${field.dataset.flag}: ${scalar(field.value.trim())}`);
    }
    if (this.#options.length) lines.push(`option: [${this.#options.map(scalar).join(", ")}]`);
    this.#yaml.value = `${[...lines, ...others].join("\n")}\n`;
    this.#later();
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#keepInAddress();
      this.#show();
    }, PLAN_AFTER);
  }

  // The command line that the YAML makes, and how long a test will take.
  async #show() {
    const line = byId("command-line");
    const yaml = this.#yaml.value;
    const isNewest = () => this.#yaml.value === yaml;
    try {
      const body = new URLSearchParams({ csrf: this.#csrf, yaml });
      const value = await request("/start/line", { method: "POST", body });
      // The answer to an older text may come after that to a newer one.
      if (!isNewest()) return;
      if (value.line === undefined) line.replaceChildren(...withCode(value.wrong));
      else line.replaceChildren(...words(value.line));
      line.classList.toggle("wrong", value.line === undefined);
    } catch (error) {
      if (isNewest()) line.replaceChildren(...withCode(error.message));
    }
    await this.#plan();
  }

  async #plan() {
    const host = byId("plan");
    if (!host) return;
    const [elo0, elo1] = ["elo0", "elo1"].map((flag) => this.#field(flag).value.trim() || this.#field(flag).placeholder);
    const [bounds, stop_futile, max_games] = ["bounds", "stop-futile", "max-games"].map((flag) => this.#field(flag).value.trim());
    const query = String(new URLSearchParams({ elo0, elo1, bounds, stop_futile, max_games }));
    if (query === this.#planned) return;
    this.#planned = query;
    host.setAttribute("aria-busy", "true");
    try {
      const plan = await request(`/start/plan?${query}`);
      if (query === this.#planned) host.replaceChildren(...planned(plan));
    } catch (error) {
      host.replaceChildren(...withCode(`These bounds are no test. ${error.message}`));
    } finally {
      if (query === this.#planned) host.removeAttribute("aria-busy");
    }
  }

  #engines() {
    return [...new Set([...this.#form.querySelectorAll("[data-engine]")].map((input) => input.value.trim()).filter(Boolean))];
  }

  // A table of the options that each engine declares, with their ranges.
  #showOptions() {
    const details = byId("engine-options");
    if (!details?.open) return;
    byId("options-host").replaceChildren(...this.#engines().map((engine) => this.#optionsOf(engine)));
  }

  // The options of an engine, as soon as it has answered; one that has is not asked again.
  #optionsOf(engine) {
    const legend = make("legend", {}, engine);
    const box = make("fieldset", { "aria-busy": "true" }, legend, make("p", { class: "soft" }, "The engine is asked…"));
    if (!this.#declared.has(engine)) this.#declared.set(engine, request(`/start/options?${new URLSearchParams({ engine })}`));
    const show = (...parts) => {
      box.replaceChildren(legend, ...parts);
      box.removeAttribute("aria-busy");
    };
    this.#declared.get(engine).then(({ options = [], note }) => {
      const fields = options.filter(({ type }) => type !== "button").map((option) => this.#option(engine, option));
      show(...(note ? [make("p", { class: "soft" }, ...withCode(note))] : []), ...fields);
    }).catch((error) => {
      this.#declared.delete(engine);
      show(make("p", { class: "wrong" }, ...withCode(error.message)));
    });
    return box;
  }

  #option(engine, { name, type, default: usual, min, max, choices }) {
    const key = `${engine}.${name}=`;
    const given = this.#options.find((text) => text.startsWith(key)) ?? this.#options.find((text) => text.startsWith(`${name}=`));
    const value = given?.slice(given.indexOf("=") + 1) ?? String(usual);
    const field = type === "combo" || type === "check"
      ? make("select", { "data-option": name }, ...(choices ?? ["true", "false"]).map((choice) => make("option", { value: choice }, choice)))
      : make("input", { "data-option": name, ...(type === "spin" ? { type: "number", min, max } : {}) });
    field.value = value;
    const range = type === "spin" ? `${min} to ${max}, ` : "";
    field.addEventListener("change", () => {
      this.#options = this.#options.filter((text) => !text.startsWith(key));
      if (field.value !== String(usual)) this.#options.push(`${key}${field.value}`);
      this.#write();
    });
    return make("label", {}, name, field, make("span", { class: "soft" }, `${range}usually ${usual === "" ? "empty" : usual}`));
  }

  // A list of the files of a folder below a field.
  async #choose(button, input, folder) {
    const old = button.parentElement.parentElement.querySelector(".file-list");
    if (old && folder === "") {
      old.remove();
      return;
    }
    const list = make("span", { class: "file-list", role: "group", "aria-label": "Files" });
    list.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      list.remove();
      button.focus();
    });
    const entry = (text, act) => {
      const made = make("button", { type: "button", class: "button" }, text);
      made.addEventListener("click", act);
      return made;
    };
    try {
      const value = await request(`/start/files?${new URLSearchParams({ folder, ends: button.dataset.choose })}`);
      const path = (name) => `${value.folder.replace(/\/$/, "")}/${name}`;
      const up = value.folder.replace(/\/[^/]*$/, "") || "/";
      list.append(make("span", { class: "soft" }, value.folder), entry("../", () => this.#choose(button, input, up)));
      list.append(...value.folders.map((name) => entry(`${name}/`, () => this.#choose(button, input, path(name)))));
      list.append(...value.files.map((name) => entry(name, () => {
        input.value = path(name);
        list.remove();
        input.dispatchEvent(new Event("input", { bubbles: true }));
        input.dispatchEvent(new Event("change", { bubbles: true }));
        input.focus();
      })));
      if (!value.files.length) list.append(make("span", { class: "soft" }, "no such file here"));
    } catch (error) {
      list.append(make("span", { class: "wrong" }, ...withCode(error.message)));
    }
    old?.remove();
    button.parentElement.after(list);
    list.querySelector("button")?.focus();
  }
}

new RunForm();
