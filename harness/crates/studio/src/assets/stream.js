// The one connection of a browser to the events of the studio. Browsers allow six connections to a
// server: twenty pages with one each would block each other.

const AGAIN_AFTER = 1000;
// Pages that open together are asked for together.
const CHANGE_AFTER = 10;

export class Stream {
  #source = null;
  // The name of the connection, by which the server learns its topics.
  #name = null;
  // Each page with its topics. A page takes messages by `post`.
  #pages = new Map();
  // The topics that the server sends.
  #sent = new Set();
  // Those that are sent from the beginning again, for a page that came later.
  #again = new Set();
  #live = false;
  #timer = 0;
  #asking = false;
  #changed = false;

  // Sets the topics of a page; without one it is forgotten.
  set(page, topics) {
    const before = this.#pages.get(page) ?? new Set();
    for (const topic of topics) {
      if (!before.has(topic) && this.#sent.has(topic)) this.#again.add(topic);
    }
    if (topics.length) this.#pages.set(page, new Set(topics));
    else this.#pages.delete(page);
    if (topics.length && this.#live) page.post({ status: "live" });
    if (topics.length === before.size && topics.every((topic) => before.has(topic))) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#change(), CHANGE_AFTER);
  }

  #topics() {
    return new Set([...this.#pages.values()].flatMap((topics) => [...topics]));
  }

  #change() {
    if (!this.#pages.size) this.#close();
    else if (!this.#source) this.#open();
    else if (this.#name) this.#tellServer();
  }

  #open() {
    const source = new EventSource("/events");
    this.#source = source;
    source.addEventListener("message", ({ data }) => this.#take(JSON.parse(data)));
    source.addEventListener("error", () => this.#failed());
  }

  #close() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#lose();
    this.#source = null;
  }

  #lose() {
    this.#name = null;
    this.#live = false;
    this.#sent.clear();
    this.#again.clear();
  }

  // The browser connects again by itself unless the answer was an error.
  #failed() {
    this.#lose();
    this.#postAll({ status: "lost" });
    if (this.#source?.readyState !== EventSource.CLOSED) return;
    this.#close();
    this.#timer = setTimeout(() => this.#change(), AGAIN_AFTER);
  }

  #postAll(message) {
    for (const page of this.#pages.keys()) page.post(message);
  }

  #take({ topic, event, data }) {
    if (event === "hello") {
      this.#name = data.stream;
      this.#live = true;
      this.#sent.clear();
      this.#postAll({ status: "live" });
      this.#postAll({ hello: data });
      this.#tellServer();
      return;
    }
    for (const [page, topics] of this.#pages) if (topics.has(topic)) page.post({ topic, event, data });
  }

  // One question at a time: a newer one must not be overtaken by an older one.
  async #tellServer() {
    this.#changed = true;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#changed && this.#name) {
      this.#changed = false;
      await this.#ask();
    }
    this.#asking = false;
  }

  async #ask() {
    const name = this.#name;
    const topics = this.#topics();
    const again = [...this.#again].filter((topic) => topics.has(topic));
    this.#again.clear();
    this.#sent = topics;
    const query = new URLSearchParams([...[...topics].map((topic) => ["topic", topic]), ...again.map((topic) => ["again", topic])]);
    try {
      const answer = await fetch(`/events/${name}?${query}`);
      if (answer.ok || name !== this.#name) return;
      // The server has ended this connection.
      this.#close();
      this.#timer = setTimeout(() => this.#change(), AGAIN_AFTER);
    } catch {
      // The connection is lost, too, which is noticed there.
    }
  }
}
