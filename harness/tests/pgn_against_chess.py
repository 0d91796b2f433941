#!/usr/bin/env python3
"""Games of PGN, written in many ways, read by python-chess and by our reader, and compared.

    pip install chess
    python3 harness/tests/pgn_against_chess.py write TEXTS SEED > texts
    cargo run --release -p tench-harness --example pgn_games < texts > read
    python3 harness/tests/pgn_against_chess.py compare TEXTS SEED read

Each text holds one game or a few, in spellings that are drawn by the seed. What was meant is known: our
reader has to find it, always. python-chess finds it as well, or the difference is one of EXPLAINED; these
are counted and printed. Of texts that were damaged it is not known what was meant: both readers find the
same, or refuse, or the difference is explained, too; what ours finds is never more than was meant.
"""

import io
import json
import logging
import multiprocessing
import random
import re
import sys

import chess
import chess.pgn

# Where python-chess reads something else, by the way in which a text is written.
EXPLAINED = {
    "blank": "a blank line within the moves ends the game for python-chess; for us the result does, or tags",
    "tag form": "python-chess leaves out tags that do not stand alone on a line, with blanks before the value",
    "figurine": "python-chess leaves out the figurine and reads a pawn's move, or none",
    "separator": "python-chess reads `e:d5` and `a8(Q)` as a part of the word, or leaves the word out",
    "letters": "python-chess does not read `Pe4`, `oo`, `0–0`, `exd6/ep` and castling as a king's move",
    "joined": "without a blank line python-chess reads the next game as part of the one before",
    "open": "what begins with `(` before the first move is a variation for us, and the moves for python-chess",
    "result": "python-chess does not know `½-½` and other dashes",
    "inner result": "a result within a variation is an illegal move for python-chess",
    "preface": "a comment in braces before the tags is a game of its own for python-chess",
    "word": "a word that is no move ends the game for us; python-chess leaves it out, and refuses games for their variations",
    "null": "a null move is no legal move for us",
    "truncated": "at the cut end python-chess leaves out what it cannot read, for us it ends the game",
    "space": "python-chess takes a blank line with a no-break space, or NUL, for moves, or the end",
}

# Games that others are made of, and texts that a process makes at once.
BASES = 400
BLOCK = 500

WORDS = "a plan with e4, (brackets) ; and [signs] 1. e4 $5 über “quotes” % here 1-0 [White \"x\"]".split(" ")
NAMES = ["alpha", "Müller", "Möller, J.", "x [y] z", "O'Neil", "a \"b\" c", "back\\slash", "", "é" * 150]
FIGURINES = {"N": "♘♞", "B": "♗♝", "R": "♖♜", "Q": "♕♛", "K": "♔♚"}


def base(number):
    """A game: the FEN of its start or none, whether it is Chess960, and of each ply the move, other
    spellings of it with what explains them, and a variation."""
    rng = random.Random(f"base {number}")
    board = chess.Board()
    kind = number % 5
    if kind == 1:
        board = chess.Board.from_chess960_pos(rng.randrange(960))
    if kind == 2:
        board = chess.Board(rng.choice(["8/P6k/8/8/8/8/p6K/8 w - - 0 1", "r3k2r/ppp1qppp/8/3pP3/8/8/PPPQ1PPP/R3K2R w KQkq d6 0 9",
                                        "4k3/8/8/8/1n3n2/8/P2Q2P1/N1N1K2R b K - 3 40"]))
    fen = board.fen() if kind in (1, 2) else None
    plies = []
    for _ in range(rng.choice([0, 1, 4, 8, 12, 20])):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        special = [move for move in moves if board.is_castling(move) or move.promotion or board.is_en_passant(move)]
        move = rng.choice(special if special and rng.random() < 0.6 else moves)
        other = rng.choice(moves)
        line = board.san(other)
        board.push(other)
        if any(board.legal_moves):
            line += " " + board.san(rng.choice(list(board.legal_moves)))
        board.pop()
        white, number_ = board.turn, board.fullmove_number
        plies.append((move.uci(), spellings(board, move), line, white, number_))
        board.push(move)
    return fen, kind == 1, plies


def spellings(board, move):
    """Words for a move, each with what explains that python-chess reads it in another way, or none."""
    san = board.san(move)
    plain = san.rstrip("+#")
    words = [(san, None)] * 3 + [(plain, None), (plain + "++", None), (plain + "!?", None), (plain + "+/-", None),
                                 (plain + "±", None), (plain + "=" if not move.promotion else plain, None)]
    if board.is_castling(move):
        zeros = plain.replace("O", "0")
        words += [(zeros, None), (zeros + "+", None), (plain.replace("-", "").lower(), "letters"),
                  (plain.replace("-", "–"), "letters")]
        return words
    source, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    letter = "" if plain[0] in "abcdefgh" else plain[0]
    promotion = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
    sign = "x" if board.is_capture(move) else "-"
    words += [(letter + source + sign + target + promotion, None), (letter + source + target + promotion, None)]
    if letter:
        words += [(rng_figurine(letter, source) + plain[1:], "figurine")]
    else:
        words += [("P" + plain, "letters")]
        # Of UCI.
        words += [(source + target + promotion[1:].lower(), None)]
    if "x" in plain:
        words += [(plain.replace("x", ""), None), (plain.replace("x", ":"), "separator")]
    if board.is_en_passant(move):
        words += [(plain + "e.p.", None), (plain + " e.p.", None), (plain + "/ep", "letters")]
    if promotion:
        bare = plain.split("=")[0]
        words += [(bare + promotion[1:], None), (f"{bare}({promotion[1:]})", "separator"), (bare + promotion.lower(), None)]
    return words


def rng_figurine(letter, source):
    return FIGURINES[letter][ord(source[0]) % 2]


class Text:
    """A text that is written, and what explains it."""

    def __init__(self, rng):
        self.rng = rng
        self.why = set()

    def maybe(self, share, why=None):
        drawn = self.rng.random() < share
        if drawn and why:
            self.why.add(why)
        return drawn

    def comment(self):
        rng = self.rng
        words = " ".join(rng.choices(WORDS, k=rng.randint(0, 8)))
        if rng.random() < 0.2:
            words += "\n" + " ".join(rng.choices(["so", "[Black", "\"y\"]", "1-0", "(", "{"], k=3))
        return "{" + words + "}"

    def tags(self, tags):
        text = ""
        for index, (name, value) in enumerate(tags):
            value = value.replace("\\", "\\\\")
            # Quotes need no escape.
            value = value.replace('"', '\\"') if self.rng.random() < 0.5 else value
            blanks = self.rng.choice([" ", " ", " ", "  ", "\t", "   \t"])
            between = index + 1 < len(tags)
            end = self.rng.choice(["\n", "\n", " \n", "\n\n"]) if between and self.rng.random() < 0.2 else "\n"
            if self.maybe(0.004, "tag form"):
                blanks = ""
            if self.maybe(0.004, "tag form"):
                text += self.rng.choice([" ", "\t"])
            if self.maybe(0.004, "tag form"):
                end = self.rng.choice(["", " "])
            if self.maybe(0.01):
                text += "% [White \"escaped {\"]\n" if text.endswith("\n") or not text else ""
            text += f'[{name}{blanks}"{value}"]{end}'
        if text and not text.endswith("\n"):
            text += "\n"
        return text

    def moves(self, plies, result, styles):
        out = []
        wrong = self.maybe(0.05)
        for index, (_, words, line, white, number) in enumerate(plies):
            if styles["numbers"] and (white or index == 0 or self.rng.random() < 0.2):
                number = self.rng.randint(2, 99) if wrong else number
                if white:
                    out.append(f"{number}" + self.rng.choice([". ", ". ", ".", " "]))
                else:
                    out.append(f"{number}" + self.rng.choice(["... ", "...", ". ... "]))
            word, why = self.rng.choice(words) if styles["spelling"] else words[0]
            # Each of these makes most texts ones that are explained.
            if why and self.rng.random() < 0.85:
                word, why = words[0]
            if why:
                self.why.add(why)
            out.append(word + " ")
            if styles["notes"] and self.rng.random() < 0.3:
                out.append(self.note(line))
            if self.rng.random() < styles["breaks"]:
                out.append(self.rng.choice(["\n", "\n", " \n ", "\t"]))
        # Between two words, where no word is inside a comment or a variation.
        if out and self.maybe(0.03, "blank"):
            out.insert(self.rng.randint(0, len(out)), "BLANK")
        return re.sub(r"\n\s*\n", "\n", "".join(out)).lstrip().replace("BLANK", "\n\n")

    def note(self, line):
        kind = self.rng.randrange(9)
        if kind == 0:
            return f"${self.rng.randint(0, 255)} "
        if kind == 1:
            return self.rng.choice(["± ", "∓ ", "= ", "!! ", "+- ", "⩲ "])
        if kind == 2:
            return "; " + " ".join(self.rng.choices(WORDS, k=3)) + "\n"
        if kind == 3:
            return "\n% escaped ( { 1-0\n"
        if kind in (4, 5):
            inner = f" ({line}) " if self.rng.random() < 0.3 and " " not in line else " "
            comment = self.comment() if self.rng.random() < 0.4 else ""
            result = self.rng.choice(["1-0", "*"]) if self.maybe(0.05, "inner result") else ""
            return f"({comment}{line}{inner}{result}) "
        return self.comment() * self.rng.choice([1, 1, 2]) + self.rng.choice(["", " ", "\n"])


def text(number, bases, seed):
    """The bytes of a text, what was meant (of a damaged one, what is meant at most), and what explains
    that python-chess reads it in another way."""
    rng = random.Random(f"{seed} {number}")
    out = Text(rng)
    meant, parts = [], []
    damaged = rng.random() < 0.1
    for index in range(rng.choice([1, 1, 1, 2, 3])):
        fen, chess960, plies = rng.choice(bases)
        plies = plies[:rng.randint(0, len(plies))] if rng.random() < 0.3 else plies
        styles = {"numbers": rng.random() < 0.9, "spelling": rng.random() < 0.5, "notes": rng.random() < 0.5,
                  "breaks": rng.choice([0, 0.1, 0.5])}
        result = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
        tags = [("Event", f"text {number}"), ("White", rng.choice(NAMES)), ("Black", rng.choice(NAMES)), ("Result", result)]
        if rng.random() < 0.2:
            tags = tags[:3]
        if fen:
            tags += [("SetUp", "1"), ("FEN", fen)]
        if chess960:
            tags += [("Variant", rng.choice(["Chess960", "Fischerandom"]))]
        rng.shuffle(tags)
        if not fen and index == 0 and rng.random() < 0.1 and plies:
            tags = []
        body = out.moves(plies, result, styles)
        if body.strip() == "" and rng.random() < 0.5:
            body = out.comment() + "\n"
        ending = result
        if result == "1/2-1/2" and out.maybe(0.03, "result"):
            ending = rng.choice(["½-½", "1/2–1/2"])
        if tags and out.maybe(0.05) and ("Result", result) in tags:
            ending = ""
        if damaged and rng.random() < 0.5:
            body, result = out_of_order(out, body), None
        head = ""
        if tags and out.maybe(0.01, "preface"):
            head = "{ written by a program }\n\n"
        if index == 0 and out.maybe(0.05):
            head += "% escaped\n"
        parts.append(head + out.tags(tags) + ("\n" if tags else "") + body + ending)
        meant.append({"tags": dict(tags), "moves": [ply[0] for ply in plies], "result": result})
    joint = "\n\n"
    if len(parts) > 1 and out.maybe(0.05, "joined"):
        # Lines that begin with % need the line end before them.
        on_one_line = all(part[-1] in "01*2" and part[0] != "%" for part in parts)
        joint = rng.choice(["\n", " ", ""]) if on_one_line else "\n"
    whole = joint.join(parts) + rng.choice(["\n", "\n", "", "\n\n\n"])
    if rng.random() < 0.1:
        whole = "\ufeff" + whole
    whole = whole.replace("\n", rng.choice(["\n", "\n", "\r\n", "\r"]))
    data = whole.encode("cp1252", "ignore") if is_latin(whole) and rng.random() < 0.5 else whole.encode()
    if damaged and rng.random() < 0.5:
        data = data[:rng.randint(0, len(data))]
        out.why.add("truncated")
    return data, meant, out.why, damaged


def is_latin(text):
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def out_of_order(out, body):
    """Moves with something in their midst that is none."""
    word, why = out.rng.choice([("rubbish", "word"), ("--", "null"), ("Ke9", "word"), (")", None), ("}", "word"), ("e4e5", "word"),
                                ("\0", "space"), ("\u00a0", "space"), ("Nf", "word"), ("(", "open"), ("Qh5h6h7", "word")])
    if why:
        out.why.add(why)
    at = body.find(" ", out.rng.randint(0, len(body)))
    at = at if at >= 0 else len(body)
    return f"{body[:at]} {word} {body[at:]}"


def decode(data):
    """As our reader does: UTF-8, and what is none byte by byte as Windows-1252."""
    text = ""
    while data:
        try:
            return text + data.decode()
        except UnicodeDecodeError as wrong:
            text += data[:wrong.start].decode() + "".join(single(byte) for byte in data[wrong.start:wrong.end])
            data = data[wrong.end:]
    return text


def single(byte):
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


def their_next(handle):
    try:
        return chess.pgn.read_game(handle)
    except IndexError as wrong:
        # Where a variation ends behind a move that it refuses.
        game = chess.pgn.Game()
        game.errors.append(wrong)
        return game


def theirs(data):
    """What python-chess reads: like ours, `error` where it refuses a game."""
    handle = io.StringIO(decode(data), newline=None)
    games = []
    while (game := their_next(handle)) is not None:
        if set(game.headers) == set(chess.pgn.Headers()) and not game.variations and game.headers["Result"] == "*":
            # A game of comments alone, or of nothing.
            if all(game.headers[name] in ("?", "*", "????.??.??") for name in game.headers) and not game.errors:
                continue
        tags = {name: re.sub(r'\\(["\\])', r"\1", value) for name, value in game.headers.items()}
        refused, moves = bool(game.errors), []
        try:
            board = game.board()
        except ValueError:
            refused = True
        else:
            # Behind a move that it refuses its board is another one.
            for move in [] if refused else game.mainline_moves():
                moves.append(board.uci(move, chess960=board.chess960))
                board.push(move)
        games.append({"tags": tags, "moves": moves, "result": tags.get("Result", "*"), "error": refused})
    return games


def same(one, other):
    """Whether two readers agree about a text."""
    return len(one) == len(other) and all(alike(a, b) for a, b in zip(one, other))


def alike(ours, other):
    if ours["error"] or other.get("error"):
        return bool(ours["error"]) and bool(other.get("error"))
    if ours["moves"] != other["moves"]:
        return False
    if other["result"] is not None and ours["result"] != other["result"]:
        return False
    unknown = ("?", "????.??.??", "*")
    names = {name for name, value in {**ours["tags"], **other["tags"]}.items() if name != "Result" and value not in unknown}
    return all(ours["tags"].get(name, "").strip() == other["tags"].get(name, "").strip() for name in names)


def is_part(ours, meant):
    """Whether what is read of a damaged text is no more than was meant."""
    lines = [game["moves"] for game in meant]
    return all(game["error"] or any(line[:len(game["moves"])] == game["moves"] for line in lines) for game in ours)


def block(asked):
    first, count, seed, lines = asked
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    bases = [base(number) for number in range(BASES)]
    counts, wrong = {}, []
    for number, line in zip(range(first, first + count), lines):
        data, meant, why, damaged = text(number, bases, seed)
        counts["games"] = counts.get("games", 0) + len(meant)
        ours, other = json.loads(line), theirs(data)
        if not damaged and not same(ours, meant):
            wrong.append((number, "what was meant", data, meant, ours))
        elif damaged and not is_part(ours, meant) and not same(ours, other):
            wrong.append((number, "more than was meant", data, meant, ours))
        elif same(ours, other):
            refused = any(game["error"] for game in ours)
            key = "both refuse a game" if refused else "equal"
            counts[key] = counts.get(key, 0) + 1
        elif why:
            for key in why:
                counts[key] = counts.get(key, 0) + 1
            counts["explained"] = counts.get("explained", 0) + 1
        else:
            wrong.append((number, "python-chess", data, other, ours))
    return counts, wrong


def written(asked):
    first, count, seed = asked
    bases = [base(number) for number in range(BASES)]
    return "".join(text(number, bases, seed)[0].hex() + "\n" for number in range(first, first + count))


def main():
    what, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    firsts = range(0, count, BLOCK)
    with multiprocessing.Pool() as pool:
        if what == "write":
            for part in pool.imap(written, [(first, min(BLOCK, count - first), seed) for first in firsts]):
                sys.stdout.write(part)
            return
        with open(sys.argv[4], encoding="utf-8") as file:
            lines = file.read().splitlines()
        if len(lines) != count:
            sys.exit(f"{len(lines)} texts were read of {count}")
        asked = [(first, min(BLOCK, count - first), seed, lines[first:first + BLOCK]) for first in firsts]
        totals, wrong = {}, []
        for counts, some in pool.imap(block, asked):
            wrong += some
            for key, value in counts.items():
                totals[key] = totals.get(key, 0) + value
    for number, what, data, wanted, ours in wrong[:5]:
        print(f"text {number}: not {what}\n{decode(data)!r}\n{wanted}\n{ours}\n")
    print(f"{count} texts with {totals.pop('games', 0)} games: {totals.pop('equal', 0)} equal, {totals.pop('both refuse a game', 0)} with a game that both refuse, "
          f"{totals.pop('explained', 0)} explained, {len(wrong)} wrong")
    for key, value in sorted(totals.items()):
        print(f"  {value:6} {key}: {EXPLAINED[key]}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
