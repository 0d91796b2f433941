#!/usr/bin/env python3
"""Replays a PGN of variants by the rules of python-chess, and compares the results.

    pip install chess
    python3 harness/tests/variant_games.py GAMES.pgn

Prints a line a game: variant, result, and whether the last position has ended by the rules.
"""

import sys

import chess.pgn

with open(sys.argv[1], encoding="utf-8") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors, (game.headers, game.errors)
        board = game.end().board()
        outcome = board.outcome(claim_draw=True)
        result = game.headers["Result"]
        if game.headers.get("Termination") == "normal":
            # python-chess claims draws of three repetitions and fifty moves a move earlier.
            assert outcome is not None and outcome.result() == result, (game.headers, board.fen(), outcome)
        print(game.headers["Variant"], result, "over" if outcome else "going on", sep="\t")
