// What a page subscribes to of the events of the studio. All pages of a browser share one connection; a page
// that is hidden has none.

import { Stream } from "./stream.js";

const HIDDEN_FOR = 10000;
const HERE_EVERY = 20000;
const subscriptions = new Map();
const listeners = [];
let post = null;
let hiddenTimer = 0;
let away = false;

// Gets the events of a topic: `acts` has a function for each name of an event. Gives what ends it.
export function subscribe(topic, acts) {
  subscriptions.set(topic, acts);
  start();
  tell();
  return () => {
    if (subscriptions.get(topic) !== acts) return;
    subscriptions.delete(topic);
    tell();
  };
}

// Calls `act` whenever the connection begins, with `live`, and whenever it ends, with `lost`.
export function onConnection(act) {
  listeners.push(act);
}

function start() {
  if (post) return;
  post = shared() ?? alone();
  setInterval(() => { if (!away) tell(); }, HERE_EVERY);
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(() => leave(true), HIDDEN_FOR);
    else leave(false);
  });
  window.addEventListener("pagehide", () => leave(true));
  window.addEventListener("pageshow", ({ persisted }) => { if (persisted) leave(false); });
}

function leave(left) {
  if (away === left) return;
  away = left;
  tell();
}

function tell() {
  post({ topics: away ? [] : [...subscriptions.keys()] });
}

function shared() {
  if (!window.SharedWorker) return null;
  let instead = null;
  try {
    const worker = new SharedWorker(new URL("./streamworker.js", import.meta.url), { type: "module" });
    worker.port.addEventListener("message", ({ data }) => take(data));
    worker.port.start();
    // Where it does not start the page has a connection of its own.
    worker.addEventListener("error", () => {
      instead ??= alone();
      tell();
    });
    return (message) => (instead ? instead(message) : worker.port.postMessage(message));
  } catch {
    return null;
  }
}

function alone() {
  const stream = new Stream();
  const page = { post: take };
  return ({ topics }) => stream.set(page, topics);
}

function take({ status, hello, topic, event, data }) {
  if (status) listeners.forEach((act) => act(status));
  if (hello) renew(hello);
  if (topic !== undefined) subscriptions.get(topic)?.[event]?.(data);
}

const RELOADED = "tench-reloaded-for";

// A page of another version of the program loads itself again, once for each version.
function renew({ build }) {
  const own = document.body.dataset.build;
  if (!own || own === build || sessionStorage.getItem(RELOADED) === build) return;
  sessionStorage.setItem(RELOADED, build);
  location.reload();
}
