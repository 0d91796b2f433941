// What changes on an open page, as the server sends it.

import { LiveBoards } from "./boards.js";
import { replaceContent } from "./lists.js";
import { onConnection, subscribe } from "./streams.js";

// The markup of each part as it was sent last.
const shown = new Map();

// The markup is the server's own, with all data in it escaped.
function fragment({ id, html }) {
  if (shown.get(id) === html) return;
  shown.set(id, html);
  const element = document.getElementById(id);
  if (element) replaceContent(element, html);
  document.dispatchEvent(new CustomEvent("tench:fragment", { detail: { id, html } }));
}

function connection(status) {
  const element = document.getElementById("connection");
  if (!element) return;
  const live = status === "live";
  element.classList.toggle("live", live);
  element.classList.toggle("lost", !live);
  element.textContent = live ? "live" : "reconnecting…";
}

export function startLive() {
  const { topic } = document.body.dataset;
  if (!topic) return;
  onConnection(connection);
  const host = document.getElementById("boards");
  const boards = host ? new LiveBoards(host) : null;
  // Boards of a run that is over stand still: its games are below.
  document.addEventListener("tench:fragment", ({ detail: { id, html } }) => {
    if (host && id === "progress") host.hidden = html === "";
  });
  const games = boards && {
    boards: (list) => boards.snapshot(list),
    begin: (game) => boards.begin(game),
    move: (move) => boards.move(move),
    end: (end) => boards.end(end),
  };
  subscribe(topic, { fragment, ...games });
}
