#!/usr/bin/env python3
"""Replays a PGN of variants by the rules of python-chess, and compares the results.

    pip install chess
    python3 harness/tests/variant_games.py GAMES.pgn

Prints a line a game: variant, result, and whether the last position has ended by the rules. No position
before the last may have: a game ends as soon as it is over.
"""

import sys

import chess.pgn


def ended(board):
    """The result of a game that has ended by the rules with its last move, or None."""
    outcome = board.outcome()
    if outcome is not None:
        return outcome.result()
    return "1/2-1/2" if board.is_repetition(3) or board.halfmove_clock >= 100 else None


with open(sys.argv[1], encoding="utf-8") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors, (game.headers, game.errors)
        board = game.board()
        for move in game.mainline_moves():
            assert ended(board) is None, (game.headers, board.fen(), ended(board))
            board.push(move)
        result = game.headers["Result"]
        last = ended(board)
        if game.headers["Termination"] == "normal":
            assert last == result, (game.headers, board.fen(), last)
        print(game.headers["Variant"], result, "over" if last else "going on", sep="\t")
