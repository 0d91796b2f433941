import math
import random
import threading

import optuna
import pytest

import tench
from tench.optuna import TenchSampler


def played(first: float, second: float, pairs: int, chance: random.Random) -> list[int]:
    """Pairs of games between two strengths in Elo, of which half are drawn."""
    counts = [0] * 5
    for _ in range(pairs):
        points = 0
        for _ in range(2):
            score = 1 / (1 + 10 ** ((second - first) / 400))
            win = max(score - 0.25, 0)
            roll = chance.random()
            points += 2 if roll < win else 1 if roll < win + 0.5 else 0
        counts[points] += 1
    return counts


def test_a_tuner_finds_the_optimum_of_noisy_matches_whoever_plays_them():
    chance = random.Random(3)

    def strength(values):
        return -0.05 * (values["a"] - 60) ** 2 - 40 * math.log(values["b"] / 2.0) ** 2

    def duel(first, second, pairs):
        return played(strength(first), strength(second), pairs, chance)

    parameters = {"a": (0, 100, 20), "b": tench.Parameter("b", 0.2, 20.0, 8.0, scale="log")}
    result = tench.tune(duel, parameters, games=4000, workers=2, progress=False)
    start = strength({"a": 20, "b": 8.0})
    assert strength(result.best) > 0.2 * start, result
    assert result.recommendation.gain[0] > 0
    frame = result.to_frame()
    assert list(frame.columns)[:2] == ["first_a", "first_b"]
    assert frame[["ll", "ld", "dd", "dw", "ww"]].to_numpy().sum() * 2 >= 4000


def test_asking_and_telling_repeats_with_the_seed():
    def path(seed):
        tuner = tench.Tuner({"x": (0, 1000, 100)}, games=400, seed=seed)
        told = []
        for number in range(30):
            [trial] = tuner.ask()
            told.append((trial.first["x"], trial.second["x"]))
            tuner.tell(trial, [0, number % 2, 1, 1, 0])
        return told, tuner.recommend().best

    assert path(1) == path(1) != path(2)


@pytest.mark.parametrize("method", ["auto", "spsa", "bayes", "cmaes", "nelder-mead"])
def test_a_number_is_minimised(method):
    def value(at):
        return (at["x"] - 0.2) ** 2 + 3 * (at["y"] - 7) ** 2 / 100 + 5

    result = tench.minimize(
        value, {"x": (-1.0, 1.0, 0.9), "y": (0, 20, 18)}, method=method, progress=False
    )
    assert value(result.best) - 5 < 0.15 * (value({"x": 0.9, "y": 18}) - 5), result
    assert isinstance(result.best["y"], int)


def test_what_goes_wrong_is_said():
    with pytest.raises(tench.UsageError, match="no tuning method `otto`"):
        tench.Tuner({"x": (0, 10)}, method="otto", games=100)
    with pytest.raises(tench.UsageError, match="outside"):
        tench.Tuner({"x": (0, 10, 11)}, games=100)
    with pytest.raises(tench.UsageError, match="evaluations"):
        tench.Tuner({"x": (0, 10)})
    tuner = tench.Tuner({"x": (0, 10)}, games=100)
    [trial] = tuner.ask()
    tuner.tell(trial, [0] * 5)
    with pytest.raises(tench.UsageError, match="has its result already"):
        tuner.tell(trial, [0, 0, 1, 0, 0])


def test_an_objective_that_fails_ends_the_loop_and_the_tuner_goes_on():
    tuner = tench.Tuner({"x": (0, 100, 10)}, evaluations=100)
    calls = []

    def value(at):
        calls.append(at)
        if len(calls) == 30:
            raise ZeroDivisionError
        return -abs(at["x"] - 50)

    with pytest.raises(ZeroDivisionError):
        tench.maximize(value, tuner, progress=False)
    result = tench.maximize(value, tuner, progress=False)
    assert abs(result.best["x"] - 50) <= 10


class Watched(tench.Tuner):
    """A tuner that notes what it is asked and told."""

    def __init__(self, **arguments):
        super().__init__({"x": (0, 100, 10)}, **arguments)
        self.asked, self.told = [], {}

    def ask(self, count=1):
        trials = super().ask(count)
        self.asked += trials
        return trials

    def tell(self, trial, result):
        super().tell(trial, result)
        self.told[trial.id] = list(result)


@pytest.mark.parametrize("method", ["bayes", "spsa"])
@pytest.mark.parametrize("workers", [1, 3])
def test_every_trial_is_told_when_the_objective_fails(method, workers):
    tuner = Watched(method=method, games=400)
    begun = threading.Barrier(workers)
    numbers = iter(range(100))

    def duel(first, second, pairs):
        number = next(numbers)
        if number < workers:
            begun.wait()
        if number == workers:
            raise ZeroDivisionError
        return [0, 0, pairs, 0, 0]

    with pytest.raises(ZeroDivisionError):
        tench.tune(duel, tuner, workers=workers, progress=False)
    assert sorted(tuner.told) == sorted(trial.id for trial in tuner.asked)
    results = list(tuner.told.values())
    # What is finished counts, whoever else fails.
    assert sum(any(result) for result in results) >= workers
    assert [0] * 5 in results
    for trial in tuner.asked:
        with pytest.raises(tench.UsageError, match="has its result already"):
            tuner.tell(trial, [0] * 5)
    assert tench.tune(lambda *_: [0, 0, 8, 0, 0], tuner, workers=workers, progress=False).trials


@pytest.mark.parametrize("workers", [1, 3])
def test_every_trial_is_told_when_a_value_is_no_number(workers):
    tuner = Watched(evaluations=20)
    with pytest.raises(tench.UsageError):
        tench.maximize(lambda _: None, tuner, workers=workers, progress=False)
    assert tuner.told == {trial.id: [0] * 5 for trial in tuner.asked}


def test_one_worker_is_this_thread():
    threads = set()

    def value(at):
        threads.add(threading.current_thread())
        return at["x"]

    tench.maximize(value, {"x": (0, 10)}, evaluations=10, progress=False)
    assert threads == {threading.current_thread()}


def test_an_objective_without_results_comes_to_an_end():
    tuner = tench.Tuner({"x": (0, 100, 10)}, games=20, method="spsa")
    result = tench.tune(lambda *_: [0] * 5, tuner, progress=False)
    assert len(result.trials) == 20
    with pytest.raises(tench.UsageError, match="five counts"):
        tench.tune(lambda *_: [1, 2, 3], {"x": (0, 100)}, games=20, progress=False)


def test_the_sampler_of_optuna_learns_from_pairs_of_trials():
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = TenchSampler(evaluations=200, start={"x": -8.0, "n": 90})
    study = optuna.create_study(sampler=sampler, direction="maximize")
    noise = random.Random(1)

    def value(trial):
        x = trial.suggest_float("x", -10, 10)
        n = trial.suggest_int("n", 0, 100, step=5)
        trial.suggest_categorical("kind", ["a", "b"])
        if trial.number == 5:
            raise optuna.TrialPruned
        return -((x - 2) ** 2) - (n - 40) ** 2 / 50 + noise.gauss(0, 2)

    study.optimize(value, n_trials=200)
    assert study.trials[0].params["x"] == -8.0
    assert all(trial.params["n"] % 5 == 0 for trial in study.trials)
    best = sampler.recommend().best
    assert abs(best["x"] - 2) < 2.5 and abs(best["n"] - 40) < 16, best


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ({"x": 5}, "`x`: 5 is no range"),
        ({"x": (5,)}, "no range"),
        ({"x": "ab"}, "no range"),
        ({"x": ("a", "b")}, "'a' is no number"),
        ([("x", 0, 10)], "is no parameter"),
    ],
)
def test_what_is_no_range_is_named(ranges, words):
    with pytest.raises(tench.UsageError, match=words):
        tench.Tuner(ranges, games=10)


@pytest.mark.parametrize("result", [None, 0.5, "abcde", [0.5, 0, 0, 0, 0], [math.nan] * 5])
def test_an_objective_of_matches_returns_counts(result):
    with pytest.raises(tench.UsageError, match="result: "):
        tench.tune(lambda first, second, pairs: result, {"x": (0, 9)}, games=20, progress=False)


@pytest.mark.parametrize("find", [tench.maximize, tench.minimize])
def test_an_objective_of_numbers_returns_numbers(find):
    for value in None, "1.5":
        with pytest.raises(tench.UsageError, match="is no number"):
            find(lambda at, value=value: value, {"x": (0, 9)}, evaluations=4, progress=False)


def test_a_run_has_games_and_workers():
    for wrong in {"games": 0}, {"games": -5}, {"workers": 0}:
        with pytest.raises(tench.UsageError, match="is less than 1"):
            tench.tune(lambda *_: [0, 0, 1, 0, 0], {"x": (0, 9)}, progress=False, **wrong)
    with pytest.raises(tench.UsageError, match="evaluations: 0"):
        tench.maximize(lambda at: 1.0, {"x": (0, 9)}, evaluations=0, progress=False)


def test_the_sampler_is_there_without_another_import():
    assert tench.optuna.TenchSampler is TenchSampler
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = tench.nosuch
