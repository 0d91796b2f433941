// Moves and answers that the browser says aloud.

// Says a text, if that was switched on and the browser can.
export function speak(text) {
  const isOn = document.getElementById("speak").checked && window.speechSynthesis;
  if (!text || !isOn) return;
  speechSynthesis.cancel();
  speechSynthesis.speak(new SpeechSynthesisUtterance(text));
}

// A move in words: "knight takes f6, check".
export function spokenSan(san) {
  const names = { K: "king ", Q: "queen ", R: "rook ", B: "bishop ", N: "knight " };
  if (san.startsWith("O-O-O")) return "castles long";
  if (san.startsWith("O-O")) return "castles short";
  return san
    .replace(/[KQRBN]/g, (letter) => names[letter])
    .replace("x", " takes ")
    .replace("=", " becomes ")
    .replace("+", ", check")
    .replace("#", ", checkmate");
}
