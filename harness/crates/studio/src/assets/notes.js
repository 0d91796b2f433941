// What is noted at a move: its comment and its clock. What is typed stays with the move at which it was begun until it
// is saved.

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
  // What was typed and is not saved yet, by node.
  #drafts = { comment: new Map(), clock: new Map() };

  constructor(page) {
    this.#page = page;
    for (const what of Object.keys(FIELDS)) {
      fieldOf(what).addEventListener("input", ({ target }) => {
        this.#drafts[what].set(Number(target.dataset.node), target.value);
        this.#sayChanges();
      });
    }
    document.getElementById("save-comment").addEventListener("click", () => this.#save());
    window.addEventListener("beforeunload", (event) => {
      if (this.#drafts.comment.size + this.#drafts.clock.size > 0) event.preventDefault();
    });
  }

  // Notes at moves that were deleted are gone with them.
  keepOf(nodes) {
    for (const drafts of Object.values(this.#drafts)) {
      for (const node of [...drafts.keys()].filter((id) => !nodes.has(id))) drafts.delete(node);
    }
  }

  // Shows the notes at a move; what is being typed stays in its field.
  show(node) {
    for (const what of Object.keys(FIELDS)) {
      const field = fieldOf(what);
      const isTyped = field === document.activeElement && this.#drafts[what].has(Number(field.dataset.node));
      if (isTyped) continue;
      field.dataset.node = node.id;
      const text = this.#drafts[what].get(node.id) ?? node[what] ?? "";
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
      for (const [node, text] of [...drafts]) {
        if (!(await this.#page.act(what, { node, text }))) return;
        // What was typed meanwhile is another text.
        if (drafts.get(node) === text) drafts.delete(node);
      }
    }
    this.#page.showNotes();
  }
}
