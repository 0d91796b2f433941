// A worker that all pages of a browser share: it has their connection to the events.

import { Stream } from "./stream.js";

// Pages tell every 20 seconds that they are there: one that ended without a word is forgotten.
const SILENT_FOR = 70000;
const LOOK_EVERY = 10000;
const stream = new Stream();
const heard = new Map();

self.addEventListener("connect", ({ ports: [port] }) => {
  const page = { post: (message) => port.postMessage(message) };
  port.addEventListener("message", ({ data }) => {
    if (data.topics.length) heard.set(page, Date.now());
    else heard.delete(page);
    stream.set(page, data.topics);
  });
  port.start();
});

setInterval(() => {
  for (const [page, at] of heard) {
    if (Date.now() - at < SILENT_FOR) continue;
    heard.delete(page);
    stream.set(page, []);
  }
}, LOOK_EVERY);
