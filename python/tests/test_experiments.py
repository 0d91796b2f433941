import pytest

import tench
from tench.progress import RunProgress

EXPERIMENT = {
    "engine": "builtin",
    "limit": "nodes=30",
    "method": "spsa",
    "games": 8,
    "seed": 3,
    "validation": {"games": 0},
    "parameters": {"rfp_margin": {"min": 20, "max": 160}},
}

TEXT = """\
engine: builtin
limit: nodes=30
method: spsa
games: 8
seed: 3
validation: {games: 0}
parameters:
  rfp_margin: {min: 20, max: 160}
"""


def test_a_file_and_its_content_are_the_same_experiment(tmp_path):
    file = tmp_path / "t.yaml"
    file.write_text(TEXT)
    events = []
    first = tench.experiment(file, jobs=1, progress=False, on_event=events.append)
    second = tench.experiment(EXPERIMENT, jobs=1, progress=False)
    assert first.summary["parameters"] == second.summary["parameters"]
    assert (first.games, first.method, list(first.start)) == (8, "spsa", ["rfp_margin"])
    assert first.validation is None and first.folder.joinpath("report.html").exists()
    assert tench.load(first.run) == first.summary
    kinds = [event["event"] for event in events]
    assert {"run_started", "tuned"} <= set(kinds)
    tuned = [event for event in events if event["event"] == "tuned"][-1]
    assert tuned["games"] == 8 and set(tuned["values"]) <= {"rfp_margin"}


def test_keywords_come_before_the_file():
    outcome = tench.experiment(EXPERIMENT, games=4, method="cmaes", seed=5, jobs=1, progress=False)
    assert (outcome.games, outcome.method) == (4, "cmaes")


def test_the_validation_is_a_match():
    tuned = {**EXPERIMENT, "validation": {"games": 4}}
    outcome = tench.experiment(tuned, jobs=1, progress=False)
    # None is played where the values found are not shown to be better.
    assert (outcome.validation is None) == (outcome.best == outcome.start)
    played = tench.match("builtin", "builtin", nodes=50, games=2, progress=False)
    validated = {**outcome.summary, "validation": played.summary}
    validation = tench.ExperimentOutcome(validated, "reports").validation
    assert isinstance(validation, tench.MatchOutcome) and validation.run == played.run


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"engine": "no-such-engine"}, "no-such-engine"),
        ({"method": "guessing"}, "guessing"),
        ({"parameters": {"rfp_margn": {}}}, "rfp_margin"),
        ({"colour": "red"}, "colour"),
        ({"games": 1}, "games"),
    ],
)
def test_what_is_wrong_is_told(changes, reason):
    with pytest.raises(tench.UsageError, match=reason):
        tench.experiment({**EXPERIMENT, **changes}, progress=False)
    with pytest.raises(tench.UsageError, match=r"missing\.yaml"):
        tench.experiment("missing.yaml", progress=False)


@pytest.mark.parametrize("on", ["", "nats://a b", "http://box"])
def test_an_address_that_is_none_is_refused(on):
    for call in (
        lambda: tench.match("builtin", "builtin", nodes=10, games=2, progress=False, on=on),
        lambda: tench.suite("bk", nodes=10, progress=False, on=on),
        lambda: tench.experiment(EXPERIMENT, progress=False, on=on),
    ):
        with pytest.raises(tench.UsageError, match="nats://HOST"):
            call()


def test_a_server_that_is_not_there_is_told_and_here_is_this_process():
    with pytest.raises((tench.RunError, tench.UsageError), match=r"127\.0\.0\.1:1"):
        tench.match("builtin", "builtin", nodes=10, games=2, progress=False, on="127.0.0.1:1")
    outcome = tench.match("builtin", "builtin", nodes=10, games=2, progress=False, on="here")
    assert sum(outcome.pentanomial) == 1


def test_ratings_of_results_of_games_and_of_a_file_are_the_same(tmp_path):
    outcome = tench.match(
        "builtin",
        tench.Engine("builtin", name="weak", limit="nodes=1"),
        tench.Engine("builtin", name="weaker", limit="depth=1"),
        nodes=500,
        games=4,
        format="round-robin",
        live_pgn=tmp_path / "live.pgn",
        progress=False,
    )
    of_games = tench.ratings(outcome.games)
    of_file = tench.ratings(outcome.folder / "games.pgn")
    of_live = tench.ratings(tmp_path / "live.pgn")
    of_results = tench.ratings((game.white, game.black, game.result) for game in outcome.games)
    for other in (of_file, of_live, of_results):
        assert other.summary["players"] == of_games.summary["players"]
    assert (len(of_games), of_games.games) == (3, 12)
    assert of_games["builtin"].games == 8 and of_games["builtin"].points <= 8
    assert of_games.to_frame().shape[0] == 3
    with pytest.raises(KeyError):
        of_games["other"]


@pytest.mark.parametrize(
    ("games", "keywords", "reason"),
    [
        ([], {}, "no finished game"),
        ([("a", "b", "2-0")], {}, "2-0"),
        ([("a", "b", 0.7)], {}, "0.7"),
        ([("a", "b", "1-0")], {"min_games": 5}, "5 games or more"),
        ("missing.pgn", {}, "missing.pgn"),
    ],
)
def test_what_cannot_be_rated_is_told(games, keywords, reason):
    with pytest.raises(tench.UsageError, match=reason):
        tench.ratings(games, **keywords)


def test_the_progress_line_shows_a_tuning_run(capsys):
    progress = RunProgress()
    progress({"event": "run_started", "command": "tune", "games": 8, "done": 0})
    progress({"event": "tuned", "games": 8, "values": {"margin": 7.25}, "gain": None})
    assert "margin 7.2" in capsys.readouterr().err
