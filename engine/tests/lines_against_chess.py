#!/usr/bin/env python3
"""The lines of searches, checked by python-chess: a second opinion on engine/tests/line_checks.

    pip install chess
    cargo bench -p tench --bench lines -- 500 40 4000 transcript.jsonl
    python3 engine/tests/lines_against_chess.py transcript.jsonl

Each line of the transcript is a search: the game before it, the `go`, the output. Prints each fault and a
summary; the status is 1 if there is a fault.
"""

import json
import sys

import chess


def ending(board):
    """How the game has ended, if it has."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.is_fifty_moves():
        return "the fifty-move rule"
    if board.is_repetition(3):
        return "threefold repetition"
    return None


def value_after(words, key):
    return words[words.index(key) + 1] if key in words else None


def line_fault(board, words):
    """What is wrong with the moves of an `info` line, by themselves."""
    line = words[words.index("pv") + 1 :]
    for played, text in enumerate(line):
        if played and (over := ending(board)):
            return f"goes on with {text} after {over}"
        move = board.parse_uci(text) if text in [board.uci(move) for move in board.legal_moves] else None
        if move is None:
            return f"{text} is not legal"
        board.push(move)
    if (mate := value_after(words, "mate")) is None or {"lowerbound", "upperbound"} & set(words):
        return None
    plies = 2 * int(mate) - 1 if int(mate) > 0 else -2 * int(mate)
    if len(line) != plies or not board.is_checkmate():
        return f"is no mate in {mate}"
    return None


def faults(search):
    """Everything that is wrong with a search."""
    board = chess.Board(search["fen"], chess960=search["chess960"])
    for text in search["moves"]:
        board.push(board.parse_uci(text))
    lines = [line.split() for line in search["output"] if line.startswith("info ") and " pv " in line]
    for words in lines:
        if fault := line_fault(board.copy(), words):
            yield f"{fault}: {' '.join(words)}"
    best = search["output"][-1].split()
    first = [words for words in lines if value_after(words, "multipv") in (None, "1")][-1:]
    expected = first[0][first[0].index("pv") + 1 :][:2] if first else []
    if best[1::2] != (expected or ["0000"]):
        yield f"{' '.join(best)} is not the beginning of the last line {expected}"


def main():
    searches = found = 0
    with open(sys.argv[1], encoding="utf-8") as transcript:
        for line in transcript:
            search = json.loads(line)
            searches += 1
            for fault in faults(search):
                found += 1
                moves = " ".join(search["moves"])
                print(f"{search['fen']} moves {moves}; {search['go']}: {fault}")
    print(f"{searches} searches, {found} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
