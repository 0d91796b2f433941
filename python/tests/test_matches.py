import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

import tench
from tench import _keywords, _tench
from tench.engines import resolved
from tench.progress import RunProgress


@pytest.mark.parametrize("engine_first", [True, False])
def test_a_string_and_an_engine_of_that_name_are_two_engines(engine_first):
    weak = tench.Engine("stockfish", options={"Skill Level": 0}, limit="depth=1")
    names, entries, limits = resolved([weak, "stockfish"] if engine_first else ["stockfish", weak])
    own = names[0 if engine_first else 1]
    assert sorted(names) == ["stockfish", own] and own != "stockfish"
    assert list(entries) == [own]
    assert limits == [f"--limit={own}:depth=1"]
    assert resolved([weak, weak])[0] == ["stockfish", "stockfish"]


@pytest.mark.parametrize(
    ("command", "keywords", "others"),
    [
        (
            "match",
            _keywords.MatchFlags,
            {"max_games", "alpha", "beta", "model", "bounds", "stop_futile", "draw_ratio"},
        ),
        ("sprt", _keywords.PlayFlags, set()),
        ("race", _keywords.RaceFlags, {"stop_futile"}),
        ("suite", _keywords.SuiteFlags, set()),
    ],
)
def test_keywords_are_the_flags_of_the_commands(command, keywords, others):
    flags = {flag.replace("-", "_") for flag in _tench.flags(command)}
    assert keywords.__optional_keys__ - others == flags - OWN_ARGUMENTS


# Flags that are arguments of the functions, and those of printing, which they have no use for.
OWN_ARGUMENTS = {
    "define",
    "option",
    "limit",
    "elo0",
    "elo1",
    "base",
    "plan",
    "candidate_counts",
    "simulations",
    "json_stream",
    "report_every",
}


def test_a_match_with_a_foreign_engine_is_in_the_ledger_and_in_the_outcome(stockfish):
    events = []
    weak = tench.Engine(stockfish, name="weak", options={"Skill Level": 0}, limit="depth=1")
    outcome = tench.match(
        "builtin", weak, nodes=3000, games=6, on_event=events.append, progress=False
    )
    assert outcome.wins + outcome.draws + outcome.losses == 6 == len(outcome.games)
    assert sum(outcome.pentanomial) == 3
    assert outcome.wins >= 4, outcome
    assert {game.white for game in outcome.games} == {"builtin", "weak"}
    assert sum(game.points for game in outcome.games) == outcome.wins + outcome.draws / 2
    assert all("[White " in game.pgn for game in outcome.games)
    kinds = {event["event"] for event in events}
    assert {
        "run_started",
        "game_started",
        "move",
        "game_ended",
        "statistics",
        "run_finished",
    } <= kinds
    ended = [event for event in events if event["event"] == "game_ended"]
    by_game = {(game.pair, game.game): game.result for game in outcome.games}
    assert {game.game for game in outcome.games} == {1, 2}
    assert {(one["pair"], one["game"]): one["result"] for one in ended} == by_game
    assert (outcome.folder / "games.pgn").is_file()
    assert tench.load(outcome.run).summary == outcome.summary
    listed = tench.runs()[-1]
    assert listed["run"] == outcome.run
    assert listed["games"] == 6
    assert listed["title"].startswith("builtin")
    assert listed["result"]


def test_a_match_at_fixed_nodes_repeats():
    results = []
    for _ in range(2):
        outcome = tench.match("builtin", "builtin", nodes=300, games=4, seed=5, progress=False)
        results.append([(game.result, game.plies) for game in outcome.games])
    assert results[0] == results[1]


def test_search_parameters_of_the_linked_engine_are_options():
    weak = tench.Engine("builtin", name="blind", options={"EvalFile": "classical"})
    outcome = tench.match("builtin", weak, nodes=500, games=2, progress=False)
    assert outcome.summary["engines"][1]["options"] == {"EvalFile": "classical"}


def test_a_curve_has_so_many_points_at_most_and_ends_with_the_last_pair():
    outcome = tench.match("builtin", "builtin", nodes=100, games=14, progress=False)
    for points in (1, 3, 4, 6, 7, 100):
        curve = outcome.curve(points)
        assert len(curve) <= points
        assert curve[-1][0] == 14
        assert curve[-1][1].value == pytest.approx(outcome.elo.value, abs=1e-9)
        assert curve[-1][1].error95 == pytest.approx(outcome.elo.error95)
    assert [games for games, *_ in outcome.curve()] == [2, 4, 6, 8, 10, 12, 14]


def test_events_that_nobody_wants_are_not_made():
    seen = []
    words = ["--nodes=100", "--games=2", "--", "builtin", "builtin"]
    wanted = list(RunProgress.EVENTS)
    settings = {
        "reports": "reports",
        "probe": True,
        "on_event": lambda event: seen.append(event["event"]),
        "events": wanted,
        "on": None,
    }
    _tench.run("match", words, {}, settings)
    assert {"run_started", "statistics", "run_finished"} <= set(seen) <= set(wanted)


def test_an_sprt_ends_with_its_verdict(stockfish):
    weak = tench.Engine(stockfish, options={"Skill Level": 0}, limit="depth=1")
    outcome = tench.sprt(
        "builtin", weak, nodes=2000, elo0=0, elo1=200, alpha=0.2, beta=0.2, progress=False
    )
    assert outcome.verdict == "accepted"
    assert outcome.llr >= outcome.summary["bounds"][1]
    assert repr(outcome).endswith("accepted>")


def test_a_race_finds_the_best_of_its_candidates():
    outcome = tench.race(
        base="builtin",
        vary={"UCI_Elo": [800, 2200]},
        depth=10,
        elo1=200,
        batch=8,
        max_moves=40,
        options={"UCI_LimitStrength": True, "UCI_Elo": 800},
        progress=False,
    )
    assert outcome.summary["race"]["leader"] == "builtin UCI_Elo=2200"
    assert outcome.verdict == "accepted"
    assert tench.load(outcome.run).summary["race"] == outcome.summary["race"]


def test_wrong_arguments_say_what_to_do():
    with pytest.raises(tench.UsageError, match="--nodes"):
        tench.match("builtin", "builtin", node=5)
    with pytest.raises(tench.UsageError, match="did you mean `builtin`"):
        tench.match("builtin", "buildin", nodes=5)
    with pytest.raises(tench.UsageError, match="cannot be used with"):
        tench.match("builtin", "builtin", nodes=5, depth=3)
    with pytest.raises(tench.UsageError, match="no program"):
        tench.match("builtin", tench.Engine("no-such-engine", args=["-x"]), nodes=5)
    with pytest.raises(tench.RunError):
        tench.match("builtin", tench.Engine("true", name="quits"), nodes=5, games=2)


def test_an_exception_of_the_callback_ends_the_run_and_is_raised():
    def refuse(event):
        if event["event"] == "game_ended":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        tench.match(
            "builtin", "builtin", nodes=300, games=2000, jobs=1, on_event=refuse, progress=False
        )
    assert tench.runs()[-1]["status"] != "finished"
    outcome = tench.load()
    assert 1 <= len(outcome.games) < 2000


def test_other_threads_run_while_games_are_played():
    ticks = []
    over = threading.Event()

    def tick():
        while not over.wait(0.001):
            ticks.append(time.monotonic())

    ticking = threading.Thread(target=tick)
    ticking.start()
    began = time.monotonic()
    tench.match("builtin", "builtin", nodes=1000, games=8, jobs=1, progress=False)
    ended = time.monotonic()
    over.set()
    ticking.join()
    during = [tick for tick in ticks if began < tick < ended]
    # A held lock would leave none of them; a busy machine leaves fewer than one a millisecond.
    assert len(during) > 10


INTERRUPTED = """
import os, signal, tench
# A process that a shell has started in the background ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
def watch(event):
    if event["event"] == "game_ended":
        os.kill(os.getpid(), signal.SIGINT)
try:
    tench.match("builtin", "builtin", nodes=500, games=2000, jobs=2, on_event=watch, progress=False)
except KeyboardInterrupt as stopped:
    assert isinstance(stopped, tench.Interrupted), stopped
    print(stopped.run, len(tench.load(stopped.run).games), stopped)
"""


def test_ctrl_c_ends_after_the_games_under_way_and_the_run_goes_on_later():
    script = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert script.returncode == 0, script.stderr
    run, games, text = script.stdout.split(maxsplit=2)
    assert 1 <= int(games) < 100
    assert "harness resume" in text
    # What is under way was played to its end: none of the stored games was cut off.
    assert all(game.termination != "interrupted" for game in tench.load(run).games)

    def stop(event):
        if event["event"] == "statistics" and event["games"] >= int(games) + 4:
            raise StopIteration

    with pytest.raises(StopIteration):
        tench.resume(run, on_event=stop, progress=False)
    assert len(tench.load(run).games) >= int(games) + 4


KILLED = """
import sys, tench
def watch(event):
    if event["event"] == "move":
        print("playing", flush=True)
tench.match("builtin", sys.argv[1], tc="60+1", games=2, jobs=1, on_event=watch, progress=False)
"""


def test_a_killed_interpreter_leaves_no_engine_behind(stockfish):
    script = subprocess.Popen([sys.executable, "-c", KILLED, stockfish], stdout=subprocess.PIPE)
    assert script.stdout.readline() == b"playing\n"
    engines = children_named("stockfish", script.pid)
    assert engines
    script.send_signal(signal.SIGKILL)
    script.wait()
    script.stdout.close()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{engine}").exists() for engine in engines):
        assert time.monotonic() < deadline, "an engine outlives the process"
        time.sleep(0.05)


def children_named(name: str, parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:
            continue
        if fields["PPid"].strip() == str(parent) and fields["Name"].strip() == name:
            found.append(int(fields["Pid"]))
    return found


def test_an_unfinished_run_of_any_kind_is_loaded_or_says_that_it_has_no_result_yet():
    outcome = tench.match("builtin", "builtin", nodes=100, games=2, progress=False)

    def become(command: str, plan: dict[str, object] | None = None) -> None:
        # Closed before the next opens the ledger: `with` of a connection only commits.
        with closing(sqlite3.connect("reports/ledger.db")) as ledger, ledger:
            ledger.execute(
                "UPDATE runs SET command = ?, finished = NULL, summary = NULL", (command,)
            )
            if plan is not None:
                ledger.execute("UPDATE runs SET plan = ?", (json.dumps(plan),))

    become("match")
    assert tench.load().pentanomial == outcome.pentanomial
    become("play")
    [row] = tench.load()["players"]
    assert (row["wins"], row["draws"], row["losses"]) == (
        outcome.wins,
        outcome.draws,
        outcome.losses,
    )
    become("gate")
    assert tench.load()["verdict"] == "undecided"
    commit = {"hash": "0123456789", "subject": "a"}
    plan = {
        "config": {},
        "repository": "/a",
        "good": commit,
        "commits": [commit, commit],
        "elo": 10.0,
        "error": 0.05,
        "measure": {"test": "make {}"},
    }
    become("loop", plan)
    assert tench.load()["generations"] == []
    become("bisect", plan)
    assert tench.load()["verdict"] == "undecided"
    # Of a kind that this version does not know.
    become("unknown")
    with pytest.raises(tench.UsageError, match="is not finished and has no summary yet"):
        tench.load()


def test_the_ledger_is_that_of_the_command_line():
    tench.match("builtin", "builtin", nodes=100, games=2, progress=False, reports="elsewhere")
    with sqlite3.connect("elsewhere/ledger.db") as ledger:
        assert ledger.execute("SELECT count(*) FROM games").fetchone() == (2,)


def test_what_is_no_engine_or_no_limit_is_named():
    for wrong in (None, 5, ["builtin", "builtin"]):
        with pytest.raises(tench.UsageError, match="is no engine"):
            tench.match("builtin", wrong, nodes=10, games=2, progress=False)
    with pytest.raises(tench.UsageError, match="nodes=5000"):
        tench.match("builtin", "builtin", limit="10", games=2, progress=False)


def test_a_path_is_a_program():
    program = Path(os.environ["TENCH_ENGINE"])
    outcome = tench.match("builtin", program, nodes=100, games=2, progress=False)
    assert outcome.games[0].result in ("1-0", "1/2-1/2", "0-1")
    assert {outcome.games[0].white, outcome.games[0].black} == {"builtin", "tench"}
