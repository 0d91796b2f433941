// The games before and after the one that is shown, in the list from which it was opened: the list as it was filtered and sorted.

const KEY = "games-list";

// Notes the list that is left by one of its links.
function noteList({ target }) {
  const link = target.closest?.("#games tbody a[href^='/run/']");
  if (!link) return;
  const links = [...link.closest("tbody").querySelectorAll("tr")].map((row) => row.querySelector("a[href^='/run/']")?.getAttribute("href"));
  const paths = links.filter(Boolean).map((href) => href.split("#")[0]);
  sessionStorage.setItem(KEY, JSON.stringify({ address: location.pathname + location.search, paths }));
}

// Leads to the neighbours in that list, and back to it.
function follow() {
  const pages = document.querySelector(".game-head nav.pages");
  if (!pages) return;
  const { address, paths } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
  const at = paths?.indexOf(decodeURI(location.pathname)) ?? -1;
  if (at < 0) return;
  const links = [...pages.querySelectorAll("a")];
  const named = (text) => links.find((link) => link.textContent === text);
  for (const [text, path] of [["Previous game", paths[at - 1]], ["Next game", paths[at + 1]]]) {
    const link = named(text) ?? document.createElement("a");
    link.textContent = text;
    if (path === undefined) link.remove();
    else {
      link.href = path;
      if (!link.isConnected) pages.insertBefore(link, named("All games"));
    }
  }
  const all = named("All games");
  all.href = address;
  all.textContent = "Back to the list";
}

export function startNeighbours() {
  document.addEventListener("click", noteList);
  follow();
}
