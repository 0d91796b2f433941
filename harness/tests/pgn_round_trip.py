#!/usr/bin/env python3
"""Random annotated games, written by python-chess, copied by our reader and writer, compared as trees.

    pip install chess
    cargo build --release -p tench-harness --example pgn_copy
    python3 harness/tests/pgn_round_trip.py target/release/examples/pgn_copy [GAMES]

`write GAMES` prints the games, and `compare FILE FILE` compares games with their copy.
"""

import io
import multiprocessing
import pathlib
import random
import re
import subprocess
import sys

import chess
import chess.engine
import chess.pgn
import chess.svg

# Games that a process takes at once.
BLOCK = 100

WORDS = "a plan with e4, (brackets) ; and [signs] 1. e4 $5 über “quotes” % here".split()


def annotate(node, rng):
    if rng.random() < 0.3:
        node.comment = " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))
    if rng.random() < 0.2:
        node.nags.update(rng.sample(range(1, 140), rng.randint(1, 3)))
    if rng.random() < 0.1:
        squares = rng.sample(range(64), 4)
        node.set_arrows([
            chess.svg.Arrow(squares[0], squares[1], color=rng.choice(["green", "red", "yellow", "blue"])),
            chess.svg.Arrow(squares[2], squares[2], color="red"),
        ])
    if rng.random() < 0.1:
        node.set_clock(rng.randint(0, 7200))
    if rng.random() < 0.1:
        node.set_emt(rng.randint(0, 300))
    if rng.random() < 0.1:
        score = rng.choice([chess.engine.Cp(rng.randint(-900, 900)), chess.engine.Mate(rng.choice([-3, 5]))])
        node.set_eval(chess.engine.PovScore(score, chess.WHITE), rng.choice([None, rng.randint(1, 40)]))


def grow(node, board, depth, length, rng):
    for _ in range(length):
        moves = list(board.legal_moves)
        if not moves:
            return
        chosen = rng.sample(moves, min(len(moves), 1 + (depth < 3 and rng.random() < 0.15) + (depth < 3 and rng.random() < 0.05)))
        for other in chosen[1:]:
            if not node.variations:
                node.add_variation(chosen[0])
            variation = node.add_variation(other)
            if rng.random() < 0.3:
                variation.starting_comment = " ".join(rng.choices(WORDS, k=3))
            annotate(variation, rng)
            after = board.copy(stack=False)
            after.push(other)
            grow(variation, after, depth + 1, rng.randint(0, 12), rng)
        main = node.variations[0] if node.variations else node.add_variation(chosen[0])
        annotate(main, rng)
        board.push(main.move)
        node = main


def random_game(number, rng):
    game = chess.pgn.Game()
    # python-chess writes quotes in tags without their escape.
    game.headers["White"] = f"Player {number}"
    game.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    if rng.random() < 0.2:
        game.setup(chess.Board.from_chess960_pos(rng.randrange(960)))
    if rng.random() < 0.3:
        game.comment = "before the first move"
    grow(game, game.board(), 0, rng.randint(0, 80), rng)
    return game


def plain(comment):
    text = comment if isinstance(comment, str) else " ".join(comment)
    text = re.sub(r"\[%(csl|cal|clk|emt|eval) [^\]]*\]", " ", text)
    return " ".join(text.split())


def shape(node):
    """What a node says, and its children, as plain values; without recursion along the main line."""
    lines = []
    stack = [(0, node)]
    while stack:
        depth, at = stack.pop()
        arrows = sorted(str(arrow) for arrow in at.arrows())
        move = at.move.uci() if at.parent else at.board().fen()
        lines.append((depth, move, plain(at.comment), plain(at.starting_comment), sorted(at.nags), arrows,
                      at.clock(), at.emt(), str(at.eval()), at.eval_depth()))
        stack.extend((depth + 1, child) for child in reversed(at.variations))
    return lines


def tags(game):
    """All but the start position, which is compared as the root of the tree: of a game of Chess960 that
    begins as usual we write it, and python-chess does not."""
    return {name: value for name, value in game.headers.items() if name not in ("SetUp", "FEN")}


def block(asked):
    """The positions of some games that come back equal; ends the program where one does not."""
    program, first, count = asked
    text = written(first, count)
    done = subprocess.run([program], input=text.encode(), capture_output=True, check=True)
    if done.stderr:
        raise SystemExit(done.stderr.decode()[:2000])
    return compared(text, done.stdout.decode(), range(first, first + count))


def written(first, count):
    """Some games; the same however many processes there are."""
    rng = random.Random(f"23 {first}")
    return "".join(f"{random_game(number, rng)}\n\n" for number in range(first, first + count))


def compared(text, copy, numbers):
    """The positions of games that are equal to their copies; ends the program where one is not."""
    ours, theirs = io.StringIO(copy), io.StringIO(text)
    nodes = 0
    for number in numbers:
        before, after = chess.pgn.read_game(theirs), chess.pgn.read_game(ours)
        if before is None or after is None:
            raise SystemExit(f"game {number} is missing")
        one, other = shape(before), shape(after)
        nodes += len(one)
        if one != other or tags(before) != tags(after):
            different = [pair for pair in zip(one, other) if pair[0] != pair[1]]
            raise SystemExit(f"game {number}:\n{different[:3]}\n{tags(before)} {tags(after)}\n{before}\n\n{after}")
    if chess.pgn.read_game(ours) is not None:
        raise SystemExit("there are more games than were read")
    return nodes


def checked(asked):
    """What is wrong with a block as text: a process of a pool cannot end the program."""
    try:
        return block(asked)
    except SystemExit as wrong:
        return str(wrong)


def main():
    if sys.argv[1] == "write":
        sys.stdout.write(written(0, int(sys.argv[2])))
        return
    if sys.argv[1] == "compare":
        text, copy = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[2:])
        count = len(re.findall(r"^\[Event ", text, re.MULTILINE))
        print(f"{count} games, {compared(text, copy, range(count))} positions: equal as trees")
        return
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    blocks = [(program, first, min(BLOCK, count - first)) for first in range(0, count, BLOCK)]
    nodes = 0
    with multiprocessing.Pool() as pool:
        for result in pool.imap_unordered(checked, blocks):
            if isinstance(result, str):
                sys.exit(result)
            nodes += result
    print(f"{count} games, {nodes} positions: equal as trees")


if __name__ == "__main__":
    main()
