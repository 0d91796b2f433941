"""Reads PGN files to their ends with python-chess: a line a file, with its games. Fails at any error."""

import sys

import chess.pgn

for name in sys.argv[1:]:
    count = 0
    with open(name, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            assert not game.errors, (name, game.errors)
            assert game.headers["Result"] == game.end().root().headers["Result"]
            for tag in ["Event", "White", "Black", "Round", "Date"]:
                assert game.headers[tag], (name, tag)
            count += 1
    print(name, count)
