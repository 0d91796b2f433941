from pathlib import Path

import pytest

import tench

EASY = """\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "back rank";
k7/8/1K6/8/8/8/8/6Q1 w - - bm Qg8#; id "last rank";
"""


def test_a_suite_of_ones_own_is_searched_by_several_engines(stockfish):
    Path("easy.epd").write_text(EASY)
    events = []
    outcome = tench.suite(
        "easy.epd", "builtin", stockfish, depth=6, on_event=events.append, progress=False
    )
    assert (outcome.engine, outcome.positions) == ("builtin", 2)
    assert [other.engine for other in outcome.others] == ["stockfish"]
    first = outcome.results[0]
    assert (first.id, first.solved, first.move) == ("back rank", True, "d1d8")
    assert first.expected == ("Rd8#",)
    searched = [event for event in events if event["event"] == "searched"]
    assert [event["done"] for event in searched] == [1, 2, 3, 4]
    assert tench.load(outcome.run).solved == outcome.solved


def test_an_engines_own_limit_is_refused():
    engine = tench.Engine("builtin", name="quick", limit="depth=1")
    with pytest.raises(tench.UsageError, match="quick has the limit depth=1"):
        tench.suite("bk", engine, nodes=100)


def test_a_missing_suite_is_named():
    with pytest.raises(tench.UsageError, match="easi"):
        tench.suite("easi.epd", depth=3)


def test_a_faulty_line_is_shown():
    Path("wrong.epd").write_text(EASY + "8/8/8/8/8/8/8/8 w - - bm e4;\n")
    with pytest.raises(tench.UsageError, match=r"wrong.epd:3"):
        tench.suite("wrong.epd", depth=3)
