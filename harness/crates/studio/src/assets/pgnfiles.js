// Uploading a PGN file: it is sent as it is, piece by piece, however large.

export function startPgnFiles() {
  const form = document.getElementById("pgn-upload");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const state = document.getElementById("upload-state");
    const [file] = form.elements.file.files;
    state.classList.remove("wrong");
    state.textContent = `${file.name} is sent…`;
    try {
      const query = new URLSearchParams({ csrf: form.dataset.csrf, name: file.name });
      const answer = await fetch(`/pgn/upload?${query}`, { method: "POST", body: file });
      const value = await answer.json();
      if (!answer.ok) throw new Error(value.error);
      location.href = `/pgn/games?file=${encodeURIComponent(value.name)}`;
    } catch (error) {
      state.textContent = error.message;
      state.classList.add("wrong");
    }
  });
}
