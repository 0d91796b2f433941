// What is noted at a move: its comment and its clock. What is typed stays with the move at which it was begun until it
// is saved, and replaces nothing without a word that another window has saved meanwhile.

// The fields by their names in the state.
const FIELDS = { comment: "comment", clock: "clock-after" };

function fieldOf(what) {
  return document.getElementById(FIELDS[what]);
}

// How PGN changes a comment when it is saved.
function changed(text) {
  const parts = [];
  if (/[{}]/.test(text)) parts.push("PGN ends a comment at a brace: { and } are saved as ( and ).");
  if (text.trim().includes("\n")) parts.push("PGN has comments of one line: its lines are joined.");
  return parts.join(" ");
}

export class Notes {
  #page;
  // What was typed and is not saved yet, by node: its text, and the note with which it was begun.
  #drafts = { comment: new Map(), clock: new Map() };

  constructor(page) {
    this.#page = page;
    for (const what of Object.keys(FIELDS)) {
      fieldOf(what).addEventListener("input", ({ target }) => {
        this.#typed(what, Number(target.dataset.node), target.value);
        this.#sayChanges();
      });
    }
    document.getElementById("save-comment").addEventListener("click", () => this.#save());
    window.addEventListener("beforeunload", (event) => {
      if (this.#drafts.comment.size + this.#drafts.clock.size > 0) event.preventDefault();
    });
  }

  #noted(what, node) {
    return this.#page.nodes.get(node)?.[what] ?? "";
  }

  #typed(what, node, text) {
    const draft = this.#drafts[what].get(node);
    if (draft) draft.text = text;
    else this.#drafts[what].set(node, { text, begun: this.#noted(what, node) });
  }

  // The nodes have other numbers: `newer` gives that of an old one, null where its move is gone. Returns the texts that were typed
  // at moves that are gone.
  follow(newer) {
    const lost = [];
    for (const [what, drafts] of Object.entries(this.#drafts)) {
      const old = [...drafts];
      drafts.clear();
      for (const [node, draft] of old) {
        const now = newer(node);
        if (now !== null) drafts.set(now, draft);
        else if (draft.text.trim() !== "") lost.push(draft.text);
      }
      const field = fieldOf(what);
      if (field.dataset.node !== undefined) field.dataset.node = newer(Number(field.dataset.node)) ?? "";
    }
    return lost;
  }

  // Shows the notes at a move; what is being typed stays in its field.
  show(node) {
    for (const what of Object.keys(FIELDS)) {
      const field = fieldOf(what);
      const isTyped = field === document.activeElement && this.#drafts[what].has(Number(field.dataset.node));
      if (isTyped) continue;
      field.dataset.node = node.id;
      const text = this.#drafts[what].get(node.id)?.text ?? node[what] ?? "";
      if (field.value !== text) field.value = text;
    }
    this.#sayChanges();
  }

  #sayChanges() {
    const line = document.getElementById("comment-changed");
    const text = changed(fieldOf("comment").value);
    if (line.textContent !== text) line.textContent = text;
  }

  async #save() {
    for (const [what, drafts] of Object.entries(this.#drafts)) {
      for (const [node, draft] of [...drafts]) {
        const noted = this.#noted(what, node);
        const { text } = draft;
        if (noted !== draft.begun && noted !== text) {
          draft.begun = noted;
          this.#page.say(`“${noted}” was saved at this move meanwhile; Save replaces it.`, true);
          return;
        }
        if (!(await this.#page.act(what, { node, text }))) return;
        draft.begun = this.#noted(what, node);
        // What was typed meanwhile is another text, and its node may have another number.
        const saved = [...drafts].find(([, one]) => one === draft && one.text === text);
        if (saved) drafts.delete(saved[0]);
      }
    }
    this.#page.showNotes();
  }
}
