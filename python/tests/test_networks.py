import os
import re
import subprocess
from pathlib import Path

import chess
import numpy as np
import pytest

import tench

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2k5/3p1p2/2pPpP2/2P1P3/1K6/8/8 b - - 20 60",
    "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 6",
]


def said_by_the_engine(fens: list[str], file: str) -> list[int]:
    """The values of the engine's command `eval`, for the side to move."""
    lines = [f"setoption name EvalFile value {file}"]
    for fen in fens:
        lines += [f"position fen {fen}", "eval"]
    engine = os.environ["TENCH_ENGINE"]
    run = subprocess.run(
        [engine], input="\n".join([*lines, "quit"]), capture_output=True, text=True
    )
    pawns = re.findall(r"([+-]\d+\.\d+) pawns for White", run.stdout)
    signs = [1 if fen.split()[1] == "w" else -1 for fen in fens]
    return [sign * round(100 * float(one)) for sign, one in zip(signs, pawns, strict=True)]


@pytest.mark.skipif("TENCH_ENGINE" not in os.environ, reason="TENCH_ENGINE names no engine")
def test_values_are_the_engines():
    games = tench.match("builtin", "builtin", nodes=300, games=4, progress=False)
    fens = FENS + tench.view(games.run, min_ply=0).fens()[:200]
    values = tench.Network.embedded().evaluate(fens)
    assert values.dtype == np.int32
    assert values.tolist() == said_by_the_engine(fens, "embedded")


def test_rows_and_fens_have_the_same_values():
    Path("some.txt").write_text("".join(f"{fen} | 0 | 0.5\n" for fen in FENS))
    view = tench.view("some.txt", min_ply=0, tactical=True)
    network = tench.Network.embedded()
    assert network.evaluate(view).tolist() == network.evaluate(FENS).tolist()
    assert network.evaluate([]).tolist() == []
    assert tench.Network.classical().evaluate(FENS).tolist() != network.evaluate(FENS).tolist()


def test_what_is_no_position_or_no_network_is_named():
    with pytest.raises(tench.UsageError, match="position 1"):
        tench.Network.embedded().evaluate([FENS[0], "8/8/8/8/8/8/8/8 w - - 0 1"])
    with pytest.raises(tench.RunError, match="missing"):
        tench.Network.load("missing.nnue")
    Path("wrong.nnue").write_bytes(b"no network")
    with pytest.raises(tench.RunError, match="wrong"):
        tench.Network.load("wrong.nnue")


def test_a_position_alone_is_no_list():
    network = tench.Network.embedded()
    for wrong in (FENS[0], chess.Board()):
        with pytest.raises(tench.UsageError, match=r"evaluate\(\[position\]\)"):
            network.evaluate(wrong)
    with pytest.raises(tench.UsageError, match="1 is no position"):
        network.evaluate([1])
