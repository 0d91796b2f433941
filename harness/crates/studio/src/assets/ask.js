// The input for moves and wishes: what was understood is shown before it is done.

import { withCode } from "./answers.js";
import { make } from "./board.js";
import { speak } from "./speech.js";

export class Ask {
  #page;
  #wishes;
  #field = document.getElementById("ask-text");
  #output = document.getElementById("understood");
  #done = Promise.resolve();
  #listen = document.getElementById("listen");

  constructor(page, wishes) {
    this.#page = page;
    this.#wishes = wishes;
    document.getElementById("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#enqueue();
    });
    const recogniser = () => window.SpeechRecognition ?? window.webkitSpeechRecognition;
    if (!recogniser()) return;
    this.#listen.hidden = false;
    this.#listen.addEventListener("click", () => this.#hear(new (recogniser())()));
  }

  focus() {
    this.#field.focus();
  }

  say(text) {
    this.#output.replaceChildren(...withCode(text));
  }

  // Takes away what was said of what was done before; a question stays until it is answered.
  settle() {
    if (!this.#output.querySelector("button, a")) this.say("");
    this.#page.loading.settle();
  }

  // What leaves the page, or costs time, is done after a second step only.
  offer(text, address) {
    const link = make("a", { class: "button primary", href: address }, "Go");
    this.#output.replaceChildren(make("code", {}, text), " ", link);
    link.focus();
  }

  // What changes a game, or was not understood whole, is done after a second step only.
  offerAction(text, act) {
    const yes = make("button", { type: "button", class: "button primary", id: "do-it" }, "Do it");
    const no = make("button", { type: "button", class: "button", id: "do-not" }, "Leave it");
    yes.addEventListener("click", () => this.#queue(act));
    no.addEventListener("click", () => this.say("Nothing is done."));
    this.#output.replaceChildren(...withCode(`${text}? `), yes, " ", no);
    yes.focus();
  }

  // Moves of which one is meant.
  offerMoves(text, moves, play) {
    const buttons = moves.map(({ uci, san }) => {
      const button = make("button", { type: "button", class: "button" }, san);
      button.addEventListener("click", () => {
        this.say(san);
        this.#field.focus();
        this.#queue(() => play(uci));
      });
      return button;
    });
    this.#output.replaceChildren(...withCode(`${text} `), ...buttons.flatMap((button) => [button, " "]));
    buttons[0].focus();
  }

  // Readings of which one is meant, each a button that says what it does.
  offerReadings(text, readings, choose) {
    const buttons = readings.map((reading) => {
      const button = make("button", { type: "button", class: "button" }, reading.choice);
      button.addEventListener("click", () => {
        this.#field.focus();
        this.#queue(() => choose(reading));
      });
      return button;
    });
    this.#output.replaceChildren(...withCode(`${text} `), ...buttons.flatMap((button) => [button, " "]));
    buttons[0].focus();
  }

  // What a language model has answered: its text, and a button for each call, which is done when it
  // is clicked.
  offerCalls({ model, text, calls }, run) {
    const buttons = calls.map((call) => {
      const button = make("button", { type: "button", class: "button" }, call.shown);
      button.addEventListener("click", () => this.#queue(() => run(call)));
      return button;
    });
    this.#output.replaceChildren(make("span", { class: "soft" }, `${model}: `), text, ...buttons);
    speak(text);
    buttons[0]?.focus();
  }

  #hear(recognition) {
    recognition.lang = "en-US";
    recognition.addEventListener("result", (event) => {
      this.#field.value = event.results[0][0].transcript;
      this.#enqueue();
    });
    recognition.addEventListener("error", (event) => this.say(`Nothing was heard: ${event.error}`));
    recognition.start();
    this.say("Listening…");
  }

  // One after the other: what is typed next may build on what was typed before. What fails is said.
  #queue(work) {
    this.#done = this.#done.then(work).catch((error) => this.say(error.message));
  }

  #enqueue() {
    const text = this.#field.value.trim();
    this.#field.value = "";
    if (!text) return;
    this.#queue(() => this.#submit(text));
  }

  async #submit(text) {
    this.say("");
    this.settle();
    await this.#page.known();
    const move = this.#page.moveOf(text);
    if (move) {
      this.say(move.san);
      await this.#page.playMove(move.uci);
      return;
    }
    await this.#wishes.wish(text, this);
  }
}
