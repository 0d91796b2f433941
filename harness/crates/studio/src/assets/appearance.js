// How boards look and sound in this browser: colours, pieces, and a sound for moves, which is off unless it
// is switched on.

// A second set of pieces, of plain shapes; the first one is drawn by the server.
const PLAIN = {
  p: '<circle cx="22.5" cy="15.5" r="6.5"/><path d="M15 39h15l-3.6-15.6h-7.8z"/>',
  n: '<path d="M13.5 39c0-9 7.6-11 7.6-17.2l-8.2 4.4-3.2-4.2 6.2-9 4.2-2.2 1.8-4 3.2 4c6.4 2.2 9.4 8.4 9.4 15.2v13z"/><circle class="detail" cx="18.6" cy="16" r="1.1"/>',
  b: '<path d="M22.5 6.5c6.2 5 8.7 10 8.7 14.5 0 4-3.4 7.6-3.4 7.6H17.2s-3.4-3.6-3.4-7.6c0-4.5 2.5-9.5 8.7-14.500z"/><path d="M13.5 39l3.3-8h11.400l3.3 8z"/><path class="detail" d="M19 20l7-6"/>',
  r: '<path d="M12 8h5v4h3V8h5v4h3V8h5v10H12z"/><path d="M15 20h15l2 19H13z"/>',
  q: '<path d="M8.5 13.500l6.5 8.5 7.5-14 7.5 14 6.5-8.5-4.5 17.500h-19z"/><path d="M13 33h19v6H13z"/>',
  k: '<path d="M20.5 5.500h4v4h4v4h-4v4h-4v-4h-4v-4h4z"/><path d="M10.5 19.500h24l-3.5 12.500h-17z"/><path d="M13 33.500h19V39H13z"/>',
};
const FREQUENCY = { move: 330, take: 220 };
const LENGTH = 0.06;
const drawn = new Map();
let sound = null;

function stored(name) {
  try {
    return localStorage.getItem(`board-${name}`) ?? "";
  } catch {
    return "";
  }
}

function store(name, value) {
  try {
    localStorage.setItem(`board-${name}`, value);
  } catch {
    // A browser that stores nothing forgets it with the page.
  }
}

// Every board of a page draws the same symbols.
function showPieces(set) {
  for (const letter of "pnbrqk") {
    for (const symbol of document.querySelectorAll(`symbol#piece-${letter}`)) {
      if (!drawn.has(symbol)) drawn.set(symbol, symbol.innerHTML);
      symbol.innerHTML = set === "plain" ? PLAIN[letter] : drawn.get(symbol);
    }
  }
}

function apply() {
  document.documentElement.dataset.boardTheme = stored("theme");
  if (stored("pieces") || drawn.size) showPieces(stored("pieces"));
}

// A short sound of a move, if sounds are on.
export function playSound(kind) {
  if (stored("sounds") !== "on") return;
  sound ??= new AudioContext();
  // A browser holds sounds back until the page is used for the first time.
  if (sound.state === "suspended") sound.resume();
  const [tone, volume] = [sound.createOscillator(), sound.createGain()];
  tone.frequency.value = FREQUENCY[kind];
  volume.gain.setValueAtTime(0.2, sound.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + LENGTH);
  tone.connect(volume).connect(sound.destination);
  tone.start();
  tone.stop(sound.currentTime + LENGTH);
}

function mount(id, name, read, write) {
  const field = document.getElementById(id);
  if (!field) return;
  write(field, stored(name));
  field.addEventListener("change", () => {
    store(name, read(field));
    apply();
    if (name === "sounds") playSound("move");
  });
}

export function startAppearance() {
  apply();
  document.addEventListener("tench:replaced", () => { if (stored("pieces")) showPieces(stored("pieces")); });
  for (const name of ["theme", "pieces"]) {
    mount(`board-${name}`, name, ({ value }) => value, (field, value) => { field.value = value; });
  }
  mount("board-sounds", "sounds", ({ checked }) => (checked ? "on" : ""), (field, value) => { field.checked = value === "on"; });
}
