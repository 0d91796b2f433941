// The panels of a board that are open stay open when the page is loaded again; each tab has its own.

const KEPT = ["annotate", "analysis", "explorer", "share"];

export function keepPanels(board) {
  const key = `panels-${board}`;
  const panels = KEPT.map((id) => document.getElementById(id)).filter(Boolean);
  const kept = (sessionStorage.getItem(key) ?? "").split(" ");
  for (const panel of panels) {
    if (kept.includes(panel.id)) panel.open = true;
    panel.addEventListener("toggle", () => {
      const open = panels.filter((one) => one.open).map((one) => one.id);
      sessionStorage.setItem(key, open.join(" "));
    });
  }
}
