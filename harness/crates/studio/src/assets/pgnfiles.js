// Uploading a PGN file: it is sent as it is, piece by piece, however large.

import { request, withCode } from "./answers.js";
import { make } from "./board.js";

// Asks whether a file may be replaced.
function asked(host, reason) {
  return new Promise((resolve) => {
    const button = (id, text, value) => {
      const made = make("button", { type: "button", class: "button", id }, text);
      made.addEventListener("click", () => resolve(value));
      return made;
    };
    const no = button("upload-keep", "Keep it", false);
    host.replaceChildren(`${reason} `, button("upload-replace", "Replace it", true), " ", no);
    no.focus();
  });
}

const form = document.getElementById("pgn-upload");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const state = document.getElementById("upload-state");
  const [file] = form.elements.file.files;
  state.classList.remove("wrong");
  state.textContent = `${file.name} is sent…`;
  try {
    const send = async (replace) => {
      const query = new URLSearchParams({ csrf: form.dataset.csrf, name: file.name, replace });
      return request(`/pgn/upload?${query}`, { method: "POST", body: file });
    };
    let value = await send("");
    if (value.replaces) {
      if (!(await asked(state, value.error))) {
        state.textContent = "The file is not uploaded.";
        return;
      }
      value = await send("yes");
    }
    location.href = `/pgn/games?file=${encodeURIComponent(value.name)}`;
  } catch (error) {
    state.replaceChildren(...withCode(error.message));
    state.classList.add("wrong");
  }
});
