// The file of a tuning or of a gate, made from fields: the server checks and writes it.

import { request, withCode } from "./answers.js";
import { make } from "./board.js";

// A value in YAML: a number, or a text that is nothing else.
function value(text) {
  return /^-?\d+(\.\d+)?$/.test(text) ? text : JSON.stringify(text);
}

export class RunFile {
  #host;
  #csrf;
  #written;
  #parameters = [];

  // `written` is called with the path of each file.
  constructor(host, csrf, written) {
    this.#host = host;
    this.#csrf = csrf;
    this.#written = written;
    this.#button("read-parameters", () => this.#read());
    this.#button("write-file", () => this.#write());
  }

  #button(id, act) {
    const button = document.getElementById(id);
    button?.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await act();
      } catch (error) {
        this.#say(error.message, true);
      } finally {
        button.disabled = false;
      }
    });
  }

  #say(text, isWrong = false) {
    const state = document.getElementById("file-state");
    state.replaceChildren(...withCode(text));
    state.classList.toggle("wrong", isWrong);
  }

  #field(name) {
    const field = this.#host.querySelector(`[data-file="${name}"]`);
    return field.type === "checkbox" ? field.checked : field.value.trim();
  }

  // The value of a field, or what it shows while it is empty.
  #orUsual(name) {
    return this.#field(name) || this.#host.querySelector(`[data-file="${name}"]`).placeholder;
  }

  async #read() {
    const engine = this.#orUsual("engine");
    this.#say(`${engine} is asked for its parameters…`);
    const { note, parameters } = await request(`/start/parameters?${new URLSearchParams({ engine })}`);
    this.#parameters = parameters ?? [];
    this.#say(note ?? `Parameters of ${engine} that can be tuned: ${this.#parameters.length}. Tick those that are.`);
    document.getElementById("parameters-host").replaceChildren(...(this.#parameters.length ? [this.#table()] : []));
  }

  #table() {
    const heads = ["Tune", "Parameter", "Start", "From", "To", "Step"].map((text) => make("th", { scope: "col" }, text));
    const rows = this.#parameters.map((parameter) => {
      const box = make("input", { type: "checkbox", "data-tune": parameter.name, "aria-label": `Tune ${parameter.name}` });
      const number = (key) => {
        const field = make("input", { class: "short", inputmode: "decimal", "data-key": key, "aria-label": `${parameter.name}: ${key}` });
        field.value = String(Number(parameter[key].toPrecision(6)));
        field.addEventListener("input", () => { box.checked = true; });
        return make("td", {}, field);
      };
      return make("tr", {}, make("td", {}, box), make("td", {}, make("code", {}, parameter.name)), ...["start", "min", "max", "step"].map(number));
    });
    const table = make("table", { "data-unsorted": "" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
    return make("div", { class: "scroll parameters", tabindex: "0", role: "region", "aria-label": "Parameters of the engine" }, table);
  }

  // `NAME: { start: 75, min: 20, max: 160, step: 8 }` of each that is ticked; only what differs from the engine's.
  #chosen() {
    const lines = [];
    for (const row of this.#host.querySelectorAll("tr:has(:checked[data-tune])")) {
      const { tune: name } = row.querySelector("[data-tune]").dataset;
      const own = this.#parameters.find((parameter) => parameter.name === name);
      const keys = [...row.querySelectorAll("[data-key]")].filter(({ dataset, value: text }) => text.trim() !== "" && text.trim() !== String(Number(own[dataset.key].toPrecision(6))));
      const inner = keys.map(({ dataset, value: text }) => `${dataset.key}: ${value(text.trim())}`).join(", ");
      lines.push(`  ${JSON.stringify(name)}:${inner ? ` { ${inner} }` : ""}`);
    }
    return lines;
  }

  #tuneText() {
    const chosen = this.#chosen();
    if (!chosen.length) throw new Error("Read the engine's parameters, and tick those to tune.");
    if (!this.#field("limit") && this.#field("limit-kind") !== "nodes") throw new Error("Limit of a search: fill in how much, 8+0.08 of a clock, 100ms a move, or a depth.");
    const lines = [
      `engine: ${JSON.stringify(this.#orUsual("engine"))}`,
      `limit: ${JSON.stringify(`${this.#field("limit-kind")}=${this.#orUsual("limit")}`)}`,
      `games: ${this.#orUsual("games")}`,
      `validation: { games: ${this.#orUsual("validation")} }`,
    ];
    const options = this.#field("options").split(/[\s,]+/).filter(Boolean).map((option) => option.split("="));
    if (options.length) lines.push(`options: { ${options.map(([name, ...rest]) => `${JSON.stringify(name)}: ${JSON.stringify(rest.join("="))}`).join(", ")} }`);
    return `${[...lines, "parameters:", ...chosen].join("\n")}\n`;
  }

  #gateText() {
    const lines = [];
    const [base, suite, speed, sprt] = ["base", "suite", "speed", "sprt-limit"].map((name) => this.#field(name));
    if (base) lines.push(`base: ${JSON.stringify(base)}`);
    if (this.#field("bench")) lines.push("bench: {}");
    if (speed) lines.push(`speed: { at_least: ${value(speed)} }`);
    if (this.#field("conformance")) lines.push("conformance: {}");
    if (suite) lines.push(`suites: [{ suite: ${JSON.stringify(suite)}, nodes: ${this.#orUsual("suite-nodes")} }]`);
    if (sprt) {
      const rest = [`elo0: ${this.#orUsual("elo0")}`, `elo1: ${this.#orUsual("elo1")}`, `max_games: ${this.#orUsual("max-games")}`, `undecided: ${this.#field("undecided")}`];
      lines.push(`sprt: { ${[`${this.#field("sprt-limit-kind")}: ${value(sprt)}`, ...rest].join(", ")} }`);
    }
    if (!lines.some((line) => !line.startsWith("base"))) throw new Error("A gate needs a check: a suite, an SPRT, a speed, conformance or a signature.");
    return `${lines.join("\n")}\n`;
  }

  async #write() {
    const { kind } = this.#host.dataset;
    const text = kind === "tune" ? this.#tuneText() : this.#gateText();
    const body = new URLSearchParams({ csrf: this.#csrf, kind, text });
    const { path } = await request("/start/file", { method: "POST", body });
    this.#say(`Written: ${path}`);
    this.#written(path);
  }
}
