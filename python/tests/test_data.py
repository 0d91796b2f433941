from pathlib import Path

import numpy as np
import pytest

import tench
from tench.data import BULLET, ROW

LABELLED = """\
rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 20 | 31 | 1.0
8/2k5/3p1p2/2pPpP2/2P1P3/1K6/8/8 b - - 20 60 | -12 | 0.5
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQ - 0 30 | 110 | 0.0
8/2k5/3p1p2/2pPpP2/2P1P3/1K6/8/8 b - - 20 60 | -12 | 0.5
"""

CSV = "fen,result\n{fen},1\n{fen},1\n"


@pytest.fixture
def text() -> str:
    Path("positions.txt").write_text(LABELLED)
    return "positions.txt"


def test_columns_are_those_of_the_file_and_share_its_memory(text):
    view = tench.view(text)
    assert len(view) == 4
    assert view.scores.tolist() == [31, -12, 110, -12]
    assert view.results.tolist() == [2, 1, 0, 1]
    assert view.black_to_move.tolist() == [True, True, False, True]
    assert view.fullmoves.tolist() == [20, 60, 30, 60]
    for column in (view.scores, view.results, view.depths):
        assert np.shares_memory(column, view.rows)
        with pytest.raises(ValueError):
            column[0] = 1
    assert [fen.split()[0] for fen in view.fens()] == [
        line.split()[0] for line in LABELLED.splitlines()
    ]
    assert view.counts["positions"] == view.counts["kept"] == 4


def test_boards_are_the_pieces_by_square(text):
    boards = tench.view(text).boards()
    assert (boards.shape, boards.dtype) == ((4, 64), np.int8)
    letters = ".PNBRQKkqrbnp"
    for board, line in zip(boards, LABELLED.splitlines(), strict=True):
        ranks = [board[8 * rank : 8 * rank + 8] for rank in range(7, -1, -1)]
        drawn = "/".join("".join(letters[piece] for piece in rank) for rank in ranks)
        for empty in range(8, 0, -1):
            drawn = drawn.replace("." * empty, str(empty))
        assert drawn == line.split()[0]


def test_filters_and_unique_are_those_of_the_command_line(text):
    assert tench.view(text, max_score=100).scores.tolist() == [31, -12, -12]
    unique = tench.view(text, unique=True)
    assert (len(unique), unique.counts["kept"], unique.counts["positions"]) == (3, 3, 4)
    assert sorted(unique.scores.tolist()) == [-12, 31, 110]
    with pytest.raises(ValueError):
        unique.scores[0] = 1
    assert tench.view(text, keep="winner").scores.tolist() == []
    with pytest.raises(Exception, match="max_scor"):
        tench.view(text, max_scor=100)
    with pytest.raises(tench.UsageError):
        tench.view("nothing.txt")


def test_files_of_rows_are_mapped(text):
    view = tench.view(text)
    view.save("positions.marlin")
    again = tench.View.open("positions.marlin")
    assert isinstance(again.rows, np.memmap)
    assert np.array_equal(again.rows, view.rows)
    assert again[again.scores > 0].scores.tolist() == [31, 110]
    assert tench.write_view("positions.bin", text)["kept"] == 4
    bullet = tench.mapped("positions.bin")
    assert (bullet.dtype, len(bullet)) == (BULLET, 4)
    # Labels for the side to move.
    assert sorted(bullet["score"].tolist()) == sorted([-31, 12, 110, 12])
    Path("cut.marlin").write_bytes(bytes(33))
    with pytest.raises(tench.RunError, match="33 bytes"):
        tench.View.open("cut.marlin")
    assert ROW.itemsize == BULLET.itemsize == 32


def test_positions_without_a_score_stay_where_each_is_taken_once():
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 20"
    Path("some.csv").write_text(CSV.format(fen=fen))
    every = tench.view("some.csv", unscored=True)
    once = tench.view("some.csv", unscored=True, unique=True)
    assert (len(every), len(once)) == (2, 1)
    assert every.scores.tolist() == [tench.NO_SCORE] * 2
    assert once.scores.tolist() == [tench.NO_SCORE]
    assert once.fens() == every.fens()[:1]


def test_a_view_is_saved_over_the_file_that_it_is_mapped_from(text):
    tench.view(text).save("positions.marlin")
    view = tench.View.open("positions.marlin")[2:]
    view.save("positions.marlin")
    assert view.scores.tolist() == [110, -12]
    assert tench.View.open("positions.marlin").scores.tolist() == [110, -12]
    assert [path.name for path in Path.cwd().glob("*.marlin*")] == ["positions.marlin"]
    assert not list(Path.cwd().glob(".*"))


def test_a_run_is_a_source():
    outcome = tench.match("builtin", "builtin", nodes=500, games=4, progress=False)
    view = tench.view(outcome.run, min_ply=0, tactical=True, checks=True)
    assert len(view) > 20
    frame = view.to_frame()
    assert list(frame.columns) == ["fen", "score", "result", "depth", "black_to_move"]
    assert set(frame["result"]) <= {0.0, 0.5, 1.0}


def test_a_wrong_filter_or_no_source_is_named(text):
    for wrong in {"foo": 3}, {"min_ply": "abc"}:
        with pytest.raises(tench.UsageError, match="filters: "):
            tench.view(text, **wrong)
        with pytest.raises(tench.UsageError, match="filters: "):
            tench.write_view("o.marlin", text, **wrong)
    with pytest.raises(tench.UsageError, match="there is no source"):
        tench.view()
