"""Tuners with an ask/tell interface, and small loops around them.

A tuner's trial is two candidates to be compared. Its result is pair scores (of a match, or of
anything else that ends won, drawn or lost), or the two values of a numeric objective.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from . import _checks, _tench
from ._optional import new_axes, new_frame
from .progress import Line, wanted

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

Values = dict[str, float]
"""Values of parameters by name; those of whole numbers are `int`."""


class HasPentanomial(Protocol):
    """A result with pair scores, such as a `MatchOutcome`."""

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Counts of pairs by score."""
        ...


Result = Sequence[int] | HasPentanomial
"""Five counts of pairs by score of the first candidate, or an outcome that has them."""


NO_RESULT = (0, 0, 0, 0, 0)
"""Ends a trial without a result."""


@dataclass(frozen=True)
class Parameter:
    """A parameter with its range.

    >>> Parameter("margin", 0, 200, start=80).kind
    'int'
    """

    name: str
    min: float
    max: float
    start: float | None = None
    """Before tuning; the middle of the range by default."""
    step: float | None = None
    """A change that a match might notice; a twentieth of the range by default."""
    kind: Literal["int", "float"] | None = None
    """Whole numbers or all; by default as `min`, `max` and `start` are written."""
    scale: Literal["linear", "log"] = "linear"
    fixed: bool = False
    """It keeps its start."""

    def __post_init__(self) -> None:
        given = [self.min, self.max] + ([] if self.start is None else [self.start])
        for one in given:
            _checks.number(f"parameter `{self.name}`", one)
        if self.kind is None:
            kind = "int" if all(isinstance(one, int) for one in given) else "float"
            object.__setattr__(self, "kind", kind)
        if self.start is None:
            is_log = self.scale == "log" and self.min > 0
            middle = (self.min * self.max) ** 0.5 if is_log else (self.min + self.max) / 2
            object.__setattr__(self, "start", round(middle) if self.kind == "int" else middle)


Parameters = Sequence[Parameter] | Mapping[str, Sequence[float] | Parameter]
"""Parameters, or their ranges by name: `{"margin": (0, 200), "base": (0.5, 2.0, 1.0)}`."""


def _parameters(given: Parameters) -> list[Parameter]:
    if isinstance(given, Mapping):
        return [_ranged(name, one) for name, one in given.items()]
    listed = list(given)
    for one in listed:
        if not isinstance(one, Parameter):
            raise _tench.UsageError(
                f"{one!r} is no parameter\nhelp: give `Parameter`s, or ranges by name: "
                '{"margin": (0, 200)}'
            )
    return listed


def _ranged(name: str, given: Sequence[float] | Parameter) -> Parameter:
    if isinstance(given, Parameter):
        return given
    ends = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
    if len(ends) not in (2, 3):
        raise _tench.UsageError(
            f"parameter `{name}`: {given!r} is no range\nhelp: give (min, max) or (min, max, start)"
        )
    return Parameter(name, ends[0], ends[1], ends[2] if len(ends) == 3 else None)


@dataclass(frozen=True)
class Trial:
    """Two candidates to compare."""

    id: int
    first: Values
    """The candidate whose result `tell` takes."""
    second: Values
    pairs: int
    """Game pairs to play; a result may have fewer or more."""


@dataclass(frozen=True)
class ParameterEstimate:
    """Estimate of a parameter's best value."""

    value: float
    error: float | None
    """Standard error."""
    z: float | None
    """Gradient at the start in standard errors: within 2 or so it does not matter."""


@dataclass(frozen=True)
class Recommendation:
    """A tuner's best estimate."""

    best: Values
    """The values to use: those found, or the start as long as they are not shown to be better."""
    parameters: dict[str, ParameterEstimate]
    gain: tuple[float, float, float] | None
    """Expected Elo over the start, and the ends of its 80 % interval. Of a numeric objective it is
    in no unit of yours: only its sign and its interval count."""
    candidate: Values
    """The values found."""
    finding: str
    """What is known of them: `better`, `worse`, `undecided`, `too_few` (games), or `start`."""


class Tuner:
    """A tuning method with its state.

    `games` is the length of the whole run. Tuners with the same seed and the same calls in the same
    order are equal.

    >>> tuner = Tuner({"margin": (0, 200, 20)}, games=2000, seed=7)
    >>> [trial] = tuner.ask()
    >>> tuner.tell(trial, [0, 1, 2, 1, 0])
    >>> sorted(tuner.recommend().best)
    ['margin']
    """

    def __init__(
        self,
        parameters: Parameters,
        *,
        method: str = "auto",
        games: int | None = None,
        evaluations: int | None = None,
        seed: int = 1,
    ) -> None:
        if (games is None) == (evaluations is None):
            raise _tench.UsageError("give games, or evaluations of a numeric objective")
        self.parameters = _parameters(parameters)
        self.method, self.seed = method, seed
        self.evaluations = evaluations
        if evaluations is not None:
            evaluations = _checks.whole("evaluations", evaluations, least=1)
            games = _tench.games_of_evaluations(evaluations)
        self.games = _checks.whole("games", games, least=1)
        described = [vars(one) for one in self.parameters]
        self._tuner = _tench.Tuner(method, described, self.games, seed)

    def ask(self, count: int = 1) -> list[Trial]:
        """Trials to play next, in any order, side by side, or again after a crash."""
        return [
            Trial(id, self._named(first), self._named(second), pairs)
            for id, first, second, pairs in self._tuner.ask(_checks.whole("count", count))
        ]

    def tell(self, trial: Trial, result: Result) -> None:
        """The pair scores of a trial's first candidate; five zeros end it without a result."""
        self._tuner.tell(trial.id, _counts(result))

    def tell_values(self, trial: Trial, first: float, second: float) -> None:
        """The values of a trial's candidates by a numeric objective; more is better.

        Only differences count, in units of their usual size. A value that is not finite ends the
        trial without a result.
        """
        self._tuner.tell_difference(trial.id, float(first) - float(second))

    def recommend(self) -> Recommendation:
        """The best estimate so far; the start until the values found are shown to be better."""
        found = self._tuner.recommend()
        names = [parameter.name for parameter in self.parameters]
        estimates = [ParameterEstimate(**one) for one in found["parameters"]]
        gain = found["gain"]
        return Recommendation(
            best=self._named(found["best"]),
            parameters=dict(zip(names, estimates, strict=True)),
            gain=(gain["value"], gain["low80"], gain["high80"]) if gain else None,
            candidate=self._named(found["candidate"]),
            finding=found["finding"],
        )

    def effects(self) -> list[dict[str, Any]] | None:
        """The effect of each parameter around the start, where the method estimates it."""
        return self._tuner.effects()

    def frozen(self) -> list[str]:
        """Parameters that were found not to matter."""
        return self._tuner.frozen()

    def _named(self, values: Sequence[float]) -> Values:
        return {
            parameter.name: int(value) if parameter.kind == "int" else value
            for parameter, value in zip(self.parameters, values, strict=True)
        }


def methods() -> dict[str, str]:
    """The tuning methods with their descriptions.

    >>> "auto" in methods() and "spsa" in methods()
    True
    """
    return dict(_tench.methods())


class TuneResult:
    """The best values, and every trial on the way."""

    def __init__(self, tuner: Tuner, trials: list[tuple[Trial, tuple[float, ...]]]) -> None:
        self.tuner = tuner
        self.trials = trials
        """Each trial with its result: pair scores, or the two values."""
        self.recommendation = tuner.recommend()

    @property
    def best(self) -> Values:
        """The values to use."""
        return self.recommendation.best

    def to_frame(self) -> "pandas.DataFrame":
        """A row a trial: the values of both candidates, and the result."""
        return new_frame([_row(trial, result) for trial, result in self.trials])

    def plot(self, axes: "matplotlib.axes.Axes | None" = None) -> "matplotlib.axes.Axes":
        """The values that were tried, each parameter in shares of its range."""
        if axes is None:
            axes = new_axes()
        for one in self.tuner.parameters:
            if one.fixed:
                continue
            tried = [(trial.first[one.name], trial.second[one.name]) for trial, _ in self.trials]
            share = [(sum(both) / 2 - one.min) / (one.max - one.min) for both in tried]
            [line] = axes.plot(share, linewidth=0.8, label=one.name)
            best = (self.best[one.name] - one.min) / (one.max - one.min)
            axes.axhline(best, color=line.get_color(), linestyle=":")
        axes.set_xlabel("trials")
        axes.set_ylabel("share of the range")
        axes.legend()
        return axes

    def __repr__(self) -> str:
        return f"<{self.tuner.method}: {self.best} after {len(self.trials)} trials>"


def _row(trial: Trial, result: tuple[float, ...]) -> dict[str, float]:
    row = {f"first_{name}": value for name, value in trial.first.items()}
    row.update({f"second_{name}": value for name, value in trial.second.items()})
    names = ("value_first", "value_second") if len(result) == 2 else ("ll", "ld", "dd", "dw", "ww")
    return {**row, **dict(zip(names, result, strict=True))}


def _counts(result: Result) -> list[int]:
    pairs = getattr(result, "pentanomial", result)
    counts = _checks.wholes("result", pairs)
    if len(counts) != 5:
        raise _tench.UsageError(
            f"the result {counts}\nhelp: give five counts of pairs by score 0, 1/2, 1, 3/2, 2, or "
            "what `match` returns"
        )
    return counts


def tune(
    objective: Callable[[Values, Values, int], Result],
    parameters: Parameters | Tuner,
    *,
    games: int = 2000,
    method: str = "auto",
    seed: int = 1,
    workers: int = 1,
    progress: bool | None = None,
) -> TuneResult:
    """Tunes by matches: `objective(first, second, pairs)` compares two candidates.

    It returns the pair scores of the first, or what `match` returns. `workers` calls run side by
    side, in threads. With a `Tuner` in place of parameters the run continues with it, for instance
    after Ctrl-C.

    >>> def duel(first, second, pairs):
    ...     better = abs(first["x"] - 70) < abs(second["x"] - 70)
    ...     return [0, 0, 0, 0, pairs] if better else [pairs, 0, 0, 0, 0]
    >>> result = tune(duel, {"x": (0, 100, 20)}, games=600, progress=False)
    >>> 60 <= result.best["x"] <= 80
    True
    """
    if isinstance(parameters, Tuner):
        tuner = parameters
    else:
        tuner = Tuner(parameters, method=method, games=games, seed=seed)

    def compare(trial: Trial) -> tuple[float, ...]:
        return tuple(_counts(objective(trial.first, trial.second, trial.pairs)))

    def tell(trial: Trial, result: tuple[float, ...]) -> int:
        tuner.tell(trial, [int(count) for count in result])
        return 2 * int(sum(result))

    return _loop(tuner, compare, tell, tuner.games, "games", workers, progress)


def maximize(
    objective: Callable[[Values], float],
    parameters: Parameters | Tuner,
    *,
    evaluations: int = 200,
    method: str = "auto",
    seed: int = 1,
    workers: int = 1,
    progress: bool | None = None,
) -> TuneResult:
    """Finds the values at which a (noisy) number is largest; each trial evaluates it twice.

    >>> result = maximize(lambda at: -(at["x"] - 0.3) ** 2, {"x": (0.0, 1.0, 0.9)}, progress=False)
    >>> abs(result.best["x"] - 0.3) < 0.1
    True
    """
    if isinstance(parameters, Tuner):
        tuner = parameters
    else:
        tuner = Tuner(parameters, method=method, evaluations=evaluations, seed=seed)

    def compare(trial: Trial) -> tuple[float, ...]:
        first, second = objective(trial.first), objective(trial.second)
        what = "value of the objective"
        return _checks.number(what, first), _checks.number(what, second)

    def tell(trial: Trial, result: tuple[float, ...]) -> int:
        tuner.tell_values(trial, *result)
        return 2

    total = tuner.evaluations or evaluations
    return _loop(tuner, compare, tell, total, "evaluations", workers, progress)


def minimize(
    objective: Callable[[Values], float],
    parameters: Parameters | Tuner,
    *,
    evaluations: int = 200,
    method: str = "auto",
    seed: int = 1,
    workers: int = 1,
    progress: bool | None = None,
) -> TuneResult:
    """As `maximize`, where less is better; the values of its trials have the other sign."""
    return maximize(
        lambda values: -_checks.number("value of the objective", objective(values)),
        parameters,
        evaluations=evaluations,
        method=method,
        seed=seed,
        workers=workers,
        progress=progress,
    )


def _loop(
    tuner: Tuner,
    compare: Callable[[Trial], tuple[float, ...]],
    tell: Callable[[Trial, tuple[float, ...]], int],
    total: int,
    what: str,
    workers: int,
    progress: bool | None,
) -> TuneResult:
    """Asks, compares and tells until the total is reached.

    However it ends, the tuner is told of every trial that it gave.
    """
    workers = _checks.whole("workers", workers, least=1)
    line = Line(total) if wanted(progress) else None
    trials: list[tuple[Trial, tuple[float, ...]]] = []
    done = 0

    def take(trial: Trial, result: tuple[float, ...]) -> None:
        nonlocal done
        # A trial without a result counts, too: the loop ends whatever the objective returns.
        done += max(1, tell(trial, result))
        trials.append((trial, result))
        if line:
            line.show(done, what, str(tuner.recommend().best), last=done >= total)

    if workers == 1:
        # In this thread, which Ctrl-C interrupts at once.
        while done < total:
            for trial in tuner.ask():
                try:
                    result = compare(trial)
                except BaseException:
                    tuner.tell(trial, NO_RESULT)
                    raise
                take(trial, result)
    else:
        _side_by_side(tuner, compare, take, workers, lambda: done < total)
    return TuneResult(tuner, trials)


def _side_by_side(
    tuner: Tuner,
    compare: Callable[[Trial], tuple[float, ...]],
    take: Callable[[Trial, tuple[float, ...]], None],
    workers: int,
    goes_on: Callable[[], bool],
) -> None:
    """Compares in threads, and takes each result."""
    under_way: dict[Future[tuple[float, ...]], Trial] = {}
    with ThreadPoolExecutor(workers) as pool:
        try:
            while goes_on():
                for trial in tuner.ask(workers - len(under_way)):
                    under_way[pool.submit(compare, trial)] = trial
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    take(under_way.pop(future), result)
        finally:
            for future in under_way:
                future.cancel()
            wait(under_way)
            for future, trial in under_way.items():
                if future.cancelled() or future.exception():
                    tuner.tell(trial, NO_RESULT)
                else:
                    take(trial, future.result())
