// A chess board: an SVG that is built once and then changed by differences of positions.
//
// The page holds the shapes of the pieces as symbols `piece-p` to `piece-k`.

const SVG_SPACE = "http://www.w3.org/2000/svg";
const SQUARE = 45;
const SIDE = 8 * SQUARE;
const DRAG_FROM = 5;
const PROMOTIONS = [["q", "Queen"], ["n", "Knight"], ["r", "Rook"], ["b", "Bishop"]];
const lessMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

// An HTML element with attributes and children; text stays text.
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// The same for an SVG element.
export function makeSvg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Squares are numbered from a8 (0) along the rows to h1 (63).
function squareOf(text) {
  const file = text.charCodeAt(0) - 97;
  const row = 56 - text.charCodeAt(1);
  return file >= 0 && file < 8 && row >= 0 && row < 8 ? row * 8 + file : null;
}

function squareName(square) {
  return "abcdefgh"[square % 8] + (8 - Math.floor(square / 8));
}

// The two squares of a move in UCI notation; null if it is none.
function squaresOf(uci) {
  if (!uci || uci.length < 4) return null;
  const [from, to] = [squareOf(uci), squareOf(uci.slice(2))];
  return from === null || to === null ? null : [from, to];
}

// The letter of the piece on each square, or null; null where the FEN has no readable board.
function placementOf(fen) {
  const squares = [];
  for (const letter of fen.trim().split(/\s+/)[0].replaceAll("/", "")) {
    if (letter >= "1" && letter <= "8") squares.push(...Array(Number(letter)).fill(null));
    else if ("pnbrqkPNBRQK".includes(letter)) squares.push(letter);
    else return null;
  }
  return squares.length === 64 ? squares : null;
}

function isWhite(letter) {
  return letter === letter.toUpperCase();
}

function arrowOutline([x0, y0], [x1, y1]) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  // Along the arrow and across it, from its start.
  const neck = length - 20;
  const corners = [[12, -3.5], [neck, -3.5], [neck, -11], [length - 2, 0], [neck, 11], [neck, 3.5], [12, 3.5]];
  const points = corners.map(([along, across]) => {
    const [x, y] = [x0 + along * dx - across * dy, y0 + along * dy + across * dx];
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return `M${points.join("L")}z`;
}

function darkSquares() {
  let path = "";
  for (let square = 0; square < 64; square += 1) {
    const [column, row] = [square % 8, Math.floor(square / 8)];
    if ((column + row) % 2) path += `M${column * SQUARE} ${row * SQUARE}h${SQUARE}v${SQUARE}h-${SQUARE}z`;
  }
  return path;
}

// A frame that is seen on light and dark squares and over pieces.
function caretMark() {
  const frames = ["outer", "inner"].map((name) => makeSvg("rect", { class: name, x: 2.5, y: 2.5, width: SQUARE - 5, height: SQUARE - 5, rx: 3 }));
  return makeSvg("g", { class: "caret", visibility: "hidden" }, ...frames);
}

export class Board {
  #label;
  #host;
  #svg;
  #marks;
  #targets;
  #pieceLayer;
  #arrowLayer;
  #coordinates;
  #pieces = new Map();
  #flipped = false;
  #fen = "";
  #turn = "w";
  #chosen = null;
  #drag = null;
  // The open choice of a promotion: the pawn's square, and what ends it without a choice.
  #promotion = null;
  // From where to where pieces may go (`e2e4`); null where that is not known.
  #legal = null;
  #caret = caretMark();
  #caretSquare = null;
  #last = null;
  #onMove = () => false;
  #onOther = () => {};
  // Who gets the squares instead, and while what is true.
  #squares = { onSquare: () => {}, active: () => false };

  constructor(host, { label = "chess position" } = {}) {
    this.#label = label;
    this.#host = host;
    this.#marks = [0, 1].map(() => makeSvg("rect", { class: "last", width: SQUARE, height: SQUARE, visibility: "hidden" }));
    this.#marks.push(makeSvg("rect", { class: "chosen", width: SQUARE, height: SQUARE, visibility: "hidden" }));
    this.#targets = makeSvg("g", { class: "targets" });
    this.#pieceLayer = makeSvg("g");
    this.#arrowLayer = makeSvg("g");
    const along = (index) => ({ x: (index + 1) * SQUARE - 3, y: SIDE - 4, "text-anchor": "end" });
    const up = (index) => ({ x: 3, y: index * SQUARE + 12 });
    this.#coordinates = [along, up].map((place) =>
      Array.from({ length: 8 }, (_, index) => makeSvg("text", { class: "coordinate", ...place(index) })),
    );
    this.#svg = makeSvg(
      "svg",
      { class: "board", viewBox: `0 0 ${SIDE} ${SIDE}`, role: "img", "aria-label": label },
      makeSvg("rect", { class: "light", width: SIDE, height: SIDE }),
      makeSvg("path", { class: "dark", d: darkSquares() }),
      ...this.#marks,
      ...this.#coordinates.flat(),
      this.#targets,
      this.#pieceLayer,
      this.#arrowLayer,
      this.#caret,
    );
    this.#writeCoordinates();
    host.append(this.#svg);
  }

  // Draws a position; false if the FEN has no readable board.
  // `squares` are marked with a frame; `turn` tells whose pieces can be moved where that is not the
  // side to move.
  show({ fen, last = null, arrows = [], squares: framed = [], turn = null, flipped = false, animate = false }) {
    const wanted = placementOf(fen);
    if (!wanted) return false;
    const turned = flipped !== this.#flipped;
    const slide = animate && !turned && !lessMotion.matches;
    const same = fen === this.#fen && !turned;
    const toMove = fen.split(/\s+/)[1] === "b" ? "b" : "w";
    this.#turn = turn ?? toMove;
    if (fen !== this.#fen || turn !== null) this.allow([]);
    this.#fen = fen;
    this.#flipped = flipped;
    // A piece that is dragged stays under the pointer, also when the opponent moves meanwhile; a pawn
    // whose promotion is being chosen stays, too.
    const dragged = this.#drag?.square ?? this.#promotion?.from;
    const stays = dragged !== undefined && !turned && wanted[dragged] === this.#pieces.get(dragged)?.letter;
    if (!same && !(stays && this.#canMove(dragged))) this.#endDrag();
    if (turned) {
      this.#writeCoordinates();
      this.showCaret(this.#caretSquare);
    }
    this.#svg.classList.toggle("animated", slide && !this.#drag);
    const squares = squaresOf(last);
    this.#last = squares;
    this.#movePieces(wanted, squares, slide);
    [0, 1].forEach((index) => this.#mark(index, squares ? squares[index] : null));
    this.#drawArrows(arrows, framed);
    const label = `${this.#label}, ${toMove === "b" ? "black" : "white"} to move`;
    const named = squares ? `, last move ${squareName(squares[0])} to ${squareName(squares[1])}` : "";
    this.#svg.setAttribute("aria-label", label + named);
    return true;
  }

  // The legal moves of the position that is shown: their squares are marked when a piece is chosen.
  allow(legal) {
    this.#svg.toggleAttribute("data-legal", legal.length > 0);
    this.#legal = legal.length ? new Set(legal.map((uci) => uci.slice(0, 4))) : null;
    this.#showTargets();
  }

  // Lets pieces be moved with a pointer. `onMove` gets the move in UCI notation; if it returns
  // false, or a promise of false, the piece goes back. `onOther` is called for a piece of the other side.
  enableDrag(onMove, onOther = () => {}) {
    [this.#onMove, this.#onOther] = [onMove, onOther];
    this.#svg.classList.add("draggable");
    this.#host.classList.add("board-host");
    this.#svg.addEventListener("pointerdown", (event) => this.#pointerDown(event));
    this.#svg.addEventListener("pointermove", (event) => this.#pointerMove(event));
    this.#svg.addEventListener("pointerup", (event) => this.#pointerUp(event));
    this.#svg.addEventListener("pointercancel", () => this.#endDrag());
  }

  // Tells which square is clicked while `active` says so, and from where to where a pointer is dragged; nothing is moved then.
  enableSquares(onSquare, active) {
    this.#squares = { onSquare, active };
    let from = null;
    this.#svg.addEventListener("pointerdown", (event) => {
      if (!active() || event.button !== 0) return;
      event.stopImmediatePropagation();
      from = this.#squareAt(this.#place(event));
    }, { capture: true });
    this.#svg.addEventListener("pointerup", (event) => {
      if (from === null || !active()) return;
      event.stopImmediatePropagation();
      const to = this.#squareAt(this.#place(event));
      if (to !== null) onSquare(squareName(to), squareName(from));
      from = null;
    }, { capture: true });
    this.#svg.addEventListener("pointercancel", () => { from = null; });
  }

  // Tells from where to where a pointer is dragged with Shift held, or with its second button.
  enableArrows(onArrow) {
    let from = null;
    this.#svg.addEventListener("contextmenu", (event) => event.preventDefault());
    this.#svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 2 && !(event.button === 0 && event.shiftKey)) return;
      event.stopImmediatePropagation();
      from = this.#squareAt(this.#place(event));
    }, { capture: true });
    this.#svg.addEventListener("pointerup", (event) => {
      if (from === null) return;
      const to = this.#squareAt(this.#place(event));
      if (to !== null) onArrow(squareName(from), squareName(to));
      from = null;
    });
  }

  // The drawing, which has the focus while keys move a caret on it.
  get element() {
    return this.#svg;
  }

  get flipped() {
    return this.#flipped;
  }

  // The square of the piece that is picked up; null for none.
  get chosen() {
    return this.#chosen === null ? null : squareName(this.#chosen);
  }

  // The squares where it may go; null where that is not known.
  get reach() {
    const { chosen } = this;
    if (chosen === null || !this.#legal) return null;
    return [...this.#legal].filter((uci) => uci.startsWith(chosen)).map((uci) => uci.slice(2));
  }

  // Where a caret begins: on the last move's square, or on the king of who is to move.
  get startSquare() {
    if (this.#last) return squareName(this.#last[1]);
    const king = [...this.#pieces].find(([, { letter }]) => letter === (this.#turn === "w" ? "K" : "k"));
    return squareName(king?.[0] ?? 52);
  }

  // The letter of the piece on a square; null without one.
  pieceOn(name) {
    return this.#pieces.get(squareOf(name))?.letter ?? null;
  }

  // Frames a square; null frames none.
  showCaret(name) {
    this.#caretSquare = name;
    this.#caret.setAttribute("visibility", name === null ? "hidden" : "visible");
    if (name !== null) this.#caret.setAttribute("transform", `translate(${this.#corner(squareOf(name))})`);
  }

  // Does what a click on a square does, and tells what that was.
  press(name) {
    const square = squareOf(name);
    if (this.#squares.active()) {
      this.#squares.onSquare(name);
      return "placed";
    }
    if (this.#leads(square)) {
      this.#tryMove(this.#chosen, square);
      return "moved";
    }
    const again = this.#chosen === square;
    this.#choose(!again && this.#canMove(square) ? square : null);
    if (again) return "released";
    if (this.#chosen !== null) return "chosen";
    if (this.#pieces.has(square)) this.#onOther();
    return "nothing";
  }

  // Puts the piece back that is picked up.
  release() {
    this.#choose(null);
  }

  #corner(square) {
    const seen = this.#flipped ? 63 - square : square;
    return [(seen % 8) * SQUARE, Math.floor(seen / 8) * SQUARE];
  }

  #centre(square) {
    return this.#corner(square).map((at) => at + SQUARE / 2);
  }

  #writeCoordinates() {
    const [files, ranks] = this.#coordinates;
    files.forEach((text, index) => { text.textContent = "abcdefgh"[this.#flipped ? 7 - index : index]; });
    ranks.forEach((text, index) => { text.textContent = this.#flipped ? index + 1 : 8 - index; });
  }

  #mark(index, square) {
    const mark = this.#marks[index];
    mark.setAttribute("visibility", square === null ? "hidden" : "visible");
    if (square === null) return;
    const [x, y] = this.#corner(square);
    mark.setAttribute("x", x);
    mark.setAttribute("y", y);
  }

  #movePieces(wanted, last, slide) {
    const leaving = new Map();
    for (const [square, piece] of this.#pieces) {
      if (wanted[square] !== piece.letter) leaving.set(square, piece);
    }
    for (const square of leaving.keys()) this.#pieces.delete(square);
    wanted.forEach((letter, square) => {
      if (!letter || this.#pieces.has(square)) return;
      const from = origin(leaving, letter, square, last);
      const piece = from === null ? this.#newPiece(letter) : leaving.get(from);
      leaving.delete(from);
      this.#become(piece, letter);
      // Above the others while it moves; its old place must be known before the new one is set.
      if (slide && from !== null) {
        this.#pieceLayer.append(piece.use);
        getComputedStyle(piece.use).getPropertyValue("transform");
      }
      this.#pieces.set(square, piece);
    });
    for (const piece of leaving.values()) piece.use.remove();
    const held = this.#drag?.square ?? this.#promotion?.from;
    for (const [square, piece] of this.#pieces) {
      if (square !== held) this.#put(piece, this.#corner(square));
    }
  }

  #newPiece(letter) {
    const use = makeSvg("use", { width: SQUARE, height: SQUARE });
    this.#pieceLayer.append(use);
    return { use, letter: null, at: "" };
  }

  #become(piece, letter) {
    if (piece.letter === letter) return;
    piece.letter = letter;
    piece.use.setAttribute("class", isWhite(letter) ? "white" : "black");
    piece.use.setAttribute("href", `#piece-${letter.toLowerCase()}`);
  }

  #put(piece, [x, y]) {
    const at = `translate(${x}px, ${y}px)`;
    if (piece.at === at) return;
    piece.at = at;
    piece.use.style.transform = at;
  }

  #drawArrows(arrows, framed) {
    const drawn = arrows.flatMap(({ uci, kind }) => {
      const squares = squaresOf(uci);
      if (!squares || squares[0] === squares[1]) return [];
      const outline = arrowOutline(...squares.map((square) => this.#centre(square)));
      return [makeSvg("path", { class: `arrow ${kind}`, d: outline })];
    });
    const frames = framed.map(({ square, kind }) => {
      const [x, y] = this.#corner(squareOf(square));
      return makeSvg("rect", { class: `square-mark ${kind}`, x: x + 2, y: y + 2, width: SQUARE - 4, height: SQUARE - 4 });
    });
    this.#arrowLayer.replaceChildren(...frames, ...drawn);
  }

  // The place of a pointer in units of the drawing.
  #place(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.#svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  #squareAt([x, y]) {
    if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) return null;
    const seen = Math.floor(y / SQUARE) * 8 + Math.floor(x / SQUARE);
    return this.#flipped ? 63 - seen : seen;
  }

  #canMove(square) {
    const piece = this.#pieces.get(square);
    return Boolean(piece) && isWhite(piece.letter) === (this.#turn === "w");
  }

  // Does a square, after a piece was chosen, say where it goes? Another piece of the same side is chosen
  // instead, unless the king castles by it.
  #leads(square) {
    return this.#chosen !== null && this.#chosen !== square && (!this.#canMove(square) || this.#castlesBy(square));
  }

  #pointerDown(event) {
    if (event.button !== 0) return;
    const square = this.#squareAt(this.#place(event));
    if (square === null) return;
    if (this.#leads(square)) {
      event.preventDefault();
      this.#tryMove(this.#chosen, square);
      return;
    }
    const again = this.#chosen === square;
    this.#choose(this.#canMove(square) ? square : null);
    if (this.#chosen === null) {
      if (this.#pieces.has(square)) this.#onOther();
      return;
    }
    event.preventDefault();
    this.#svg.setPointerCapture(event.pointerId);
    this.#drag = { square, again, from: [event.clientX, event.clientY], moving: false };
  }

  #pointerMove(event) {
    const drag = this.#drag;
    if (!drag) return;
    const away = Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]);
    if (!drag.moving && away < DRAG_FROM) return;
    const piece = this.#pieces.get(drag.square);
    if (!drag.moving) {
      drag.moving = true;
      this.#svg.classList.remove("animated");
      this.#pieceLayer.append(piece.use);
    }
    this.#put(piece, this.#place(event).map((at) => at - SQUARE / 2));
  }

  #pointerUp(event) {
    const drag = this.#drag;
    if (!drag) return;
    this.#drag = null;
    if (!drag.moving) {
      if (drag.again) this.#choose(null);
      return;
    }
    const to = this.#squareAt(this.#place(event));
    if (to === null || to === drag.square) {
      this.#goBack(drag.square);
    } else {
      this.#tryMove(drag.square, to);
    }
  }

  #choose(square) {
    this.#chosen = square;
    this.#mark(2, square);
    this.#showTargets();
  }

  // Does the chosen king castle with the rook of this square?
  #castlesBy(square) {
    const rook = this.#pieces.get(square);
    return rook?.letter.toLowerCase() === "r" && this.#castling(this.#chosen, square) !== null;
  }

  // The legal castling that a way of the king means: to its own new square, or to the rook's.
  #castling(from, to) {
    const king = this.#pieces.get(from)?.letter;
    if (king?.toLowerCase() !== "k" || !this.#legal) return null;
    const row = from - (from % 8);
    const moves = [...this.#legal].filter((uci) => uci.startsWith(squareName(from)));
    const found = moves.find((uci) => {
      const target = squareOf(uci.slice(2));
      const letter = this.#pieces.get(target)?.letter;
      // Chess960 writes it to the rook's square, usual chess as two steps.
      const byRook = letter?.toLowerCase() === "r" && isWhite(letter) === isWhite(king);
      if (!byRook && !(Math.abs(target - from) === 2 && target - (target % 8) === row)) return false;
      const short = target > from;
      const [lands, rook] = byRook ? [row + (short ? 6 : 2), target] : [target, row + (short ? 7 : 0)];
      return to === lands || to === rook;
    });
    return found ?? null;
  }

  // Dots where the chosen piece may go; rings where it takes something, or castles.
  #showTargets() {
    const from = this.#chosen === null ? null : squareName(this.#chosen);
    const moves = from === null || !this.#legal ? [] : [...this.#legal].filter((uci) => uci.startsWith(from));
    const marks = moves.map((uci) => {
      const to = squareOf(uci.slice(2));
      const [x, y] = this.#corner(to);
      const [cx, cy] = this.#centre(to);
      if (!this.#pieces.has(to)) return makeSvg("circle", { cx, cy, r: 7 });
      return makeSvg("rect", { x: x + 2, y: y + 2, width: SQUARE - 4, height: SQUARE - 4, rx: 9, class: "taken" });
    });
    this.#targets.replaceChildren(...marks);
  }

  #endDrag() {
    const drag = this.#drag;
    this.#drag = null;
    if (drag?.moving) this.#goBack(drag.square);
    this.#choose(null);
    this.#promotion?.cancel();
  }

  #goBack(square) {
    const piece = this.#pieces.get(square);
    if (piece) this.#put(piece, this.#corner(square));
  }

  async #tryMove(from, to) {
    const piece = this.#pieces.get(from);
    this.#choose(null);
    this.#put(piece, this.#corner(to));
    const last = isWhite(piece.letter) ? to < 8 : to >= 56;
    const promotes = piece.letter.toLowerCase() === "p" && last;
    const way = squareName(from) + squareName(to);
    const meant = this.#legal?.has(way) ? way : (this.#castling(from, to) ?? way);
    const suffix = promotes ? await this.#askPromotion(from, to) : "";
    const taken = suffix === null ? false : await this.#onMove(meant + suffix);
    if (taken === false && this.#pieces.get(from) === piece) this.#goBack(from);
  }

  // Asks which piece a pawn becomes: a column of buttons from the square of promotion on. Null if
  // something else is clicked, with Escape, or if the position changes.
  #askPromotion(from, to) {
    this.#promotion?.cancel();
    const piece = this.#pieces.get(from);
    const [x, y] = this.#corner(to).map((at) => at / SQUARE);
    const down = y === 0;
    const buttons = PROMOTIONS.map(([letter, name]) => {
      const use = makeSvg("use", { width: SQUARE, height: SQUARE, href: `#piece-${letter}`, class: isWhite(piece.letter) ? "white" : "black" });
      const drawing = makeSvg("svg", { viewBox: `0 0 ${SQUARE} ${SQUARE}`, class: "board", "aria-hidden": "true" }, use);
      return make("button", { type: "button", "aria-label": name, title: name, "data-piece": letter }, drawing);
    });
    const label = `Promote on ${squareName(to)} to`;
    const box = make("div", { class: "promotion", role: "dialog", "aria-label": label }, ...(down ? buttons : [...buttons].reverse()));
    box.style.left = `${x * 12.5}%`;
    box.style[down ? "top" : "bottom"] = "0";
    return new Promise((resolve) => {
      const before = document.activeElement;
      // The release of the pointer that opened the choice is no choice.
      let pressed = null;
      const elsewhere = (event) => { if (!box.contains(event.target)) end(null); };
      const end = (letter) => {
        if (this.#promotion?.cancel !== cancel) return;
        this.#promotion = null;
        document.removeEventListener("pointerdown", elsewhere, true);
        const focused = box.contains(document.activeElement);
        box.remove();
        if (focused && before?.isConnected) before.focus({ preventScroll: true });
        resolve(letter);
      };
      const cancel = () => end(null);
      this.#promotion = { from, cancel };
      // The click that opened the choice has passed the document in its capturing phase already.
      document.addEventListener("pointerdown", elsewhere, true);
      buttons.forEach((button) => {
        button.addEventListener("pointerdown", () => { pressed = button; });
        button.addEventListener("click", (event) => { if (event.detail === 0 || pressed === button) end(button.dataset.piece); });
      });
      box.addEventListener("keydown", (event) => promotionKey(event, [...box.children], end));
      this.#host.append(box);
      buttons[0].focus({ preventScroll: true });
    });
  }
}

// Keys of the choice of a promotion: arrows and Tab go from piece to piece, a letter chooses one, Escape none.
function promotionKey(event, buttons, end) {
  const { key } = event;
  const now = buttons.indexOf(document.activeElement);
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Tab: event.shiftKey ? -1 : 1 };
  const known = PROMOTIONS.some(([letter]) => letter === key.toLowerCase());
  if (key === "Escape") end(null);
  else if (key in steps) buttons[(now + steps[key] + buttons.length) % buttons.length].focus();
  else if (known && !event.ctrlKey && !event.metaKey && !event.altKey) end(key.toLowerCase());
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// The square from which a piece comes: that of the move, where a pawn may have become something
// else, or the nearest one with the same piece.
function origin(leaving, letter, square, last) {
  const moved = last && square === last[1] ? leaving.get(last[0]) : null;
  const promoted = moved && moved.letter.toLowerCase() === "p" && isWhite(moved.letter) === isWhite(letter);
  if (moved && (moved.letter === letter || promoted)) return last[0];
  let [nearest, least] = [null, Infinity];
  for (const [from, piece] of leaving) {
    const away = Math.hypot((from % 8) - (square % 8), Math.floor(from / 8) - Math.floor(square / 8));
    if (piece.letter === letter && away < least) [nearest, least] = [from, away];
  }
  return nearest;
}
