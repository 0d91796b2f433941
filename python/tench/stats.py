"""Statistics of engine testing: Elo, SPRT, paired measurements.

Counts are either five, game pairs by pair score 0, 1/2, 1, 3/2, 2 (the pentanomial), or three:
wins, draws, losses. Prefer pairs: the two games of an opening are not independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import _checks, _tench

Counts = Sequence[int]
"""Five counts of pairs, or three of games."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval; `None` where it does not exist."""

    value: float | None = None
    error95: float | None = None
    low95: float | None = None
    high95: float | None = None
    method: str | None = None
    """`normal` with many observations, `dirichlet` (a posterior) with few, `student`."""
    plain: float | None = None
    """Of a normalized Elo: the value that other runners print, without a regularised spread."""

    def __str__(self) -> str:
        if self.value is None:
            return "unknown"
        if self.method == "dirichlet" and self.low95 is not None:
            return f"{self.value:.2f} [{self.low95:.2f}, {self.high95:.2f}]"
        return f"{self.value:.2f} ± {self.error95:.2f}"

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value


def _counts(counts: Counts) -> list[int]:
    return _checks.wholes("counts", counts)


def elo(counts: Counts) -> Estimate:
    """Logistic Elo of the first player above the second, with its 95 % interval.

    >>> print(elo([12, 118, 250, 141, 19]))
    11.91 ± 12.32
    >>> print(elo([430, 310, 260]))  # wins, draws, losses
    59.64 ± 18.05
    """
    return Estimate(**_tench.elo(_counts(counts)))


def nelo(counts: Counts) -> Estimate:
    """Normalized Elo, as fishtest defines it.

    >>> round(nelo([12, 118, 250, 141, 19]).value, 1)
    20.1
    """
    return Estimate(**_tench.nelo(_counts(counts)))


def los(counts: Counts) -> float | None:
    """Likelihood of superiority, 0 to 1; `None` without a game."""
    return _tench.los(_counts(counts))


def visible_effect(counts: Counts) -> float | None:
    """Elo difference that as many games with the same variance detect with a power of 80 %."""
    return _tench.visible_effect(_counts(counts))


def smallest_effect(pairs: int, sigma: float) -> float | None:
    """The same before the first of `pairs` pairs; `sigma` is a game's standard deviation."""
    pairs, sigma = _checks.whole("pairs", pairs), _checks.positive("sigma", sigma)
    return _tench.smallest_effect(pairs, sigma)


def elo_of_score(score: float) -> float:
    """Elo difference of a mean score, 0 to 1.

    >>> round(elo_of_score(0.75), 1)
    190.8
    """
    return _tench.elo_of_score(_checks.share("score", score))


def score_of_elo(elo: float) -> float:
    """Mean score of an Elo difference."""
    return _tench.score_of_elo(elo)


def sigma_of_draws(share: float) -> float:
    """Standard deviation of a game's score between equals with this share of draws."""
    return _tench.sigma_of_draws(_checks.share("share", share))


@dataclass(frozen=True)
class Summary:
    """All statistics of a result; `None` where one does not exist."""

    games: int
    score: float | None
    elo: Estimate
    nelo: Estimate
    los: float | None
    draw_ratio: float | None
    pairs_ratio: float | None
    visible_effect: float | None
    llr: float | None
    bounds: tuple[float, float] | None
    verdict: str | None
    """`accepted`, `rejected` or `inconclusive`, where there is a test."""
    everything: dict[str, Any]
    """The same and more as `harness stats --json` prints it."""


def summary(counts: Counts, sprt: "Sprt | None" = None) -> Summary:
    """All statistics of a result, and the state of a test.

    >>> both = summary([5, 60, 110, 90, 15], Sprt(0, 10))
    >>> both.verdict, round(both.llr, 2), both.games
    ('inconclusive', 2.03, 560)
    """
    found = _tench.summary(_counts(counts), sprt._sprt if sprt else None)
    bounds = found["bounds"]
    return Summary(
        games=found["games"],
        score=found["score"],
        elo=Estimate(**(found["elo"] or {})),
        nelo=Estimate(**(found["nelo"] or {})),
        los=found["los"],
        draw_ratio=found["draw_ratio"],
        pairs_ratio=found["pairs_ratio"],
        visible_effect=found["visible_effect"],
        llr=found["llr"],
        bounds=tuple(bounds) if bounds else None,
        verdict=found["verdict"],
        everything=found,
    )


@dataclass(frozen=True)
class Expectation:
    """Expected course of a test at a true difference."""

    elo: float
    """The true difference in logistic Elo."""
    nelo: float
    """The same in normalized Elo."""
    pass_probability: float
    """Probability that the test accepts."""
    games: float
    """Mean number of games until it decides, or gives up after `max_games`."""
    draw_ratio: float | None = None
    """Share of drawn games that the plan reckons with."""
    undecided: float = 0.0
    """Probability that it gives up without a decision."""


class Sprt:
    """A sequential probability ratio test of "at most `elo0`" against "at least `elo1`".

    >>> test = Sprt(0, 5)
    >>> tuple(round(bound, 3) for bound in test.bounds)
    (-2.944, 2.944)
    >>> test.decide([10, 60, 120, 75, 15]) is None
    True

    `bounds="falling"` or `"triangular"` are bounds that meet, computed for `draw_ratio` of the
    games drawn: a test has a largest number of games. `stop_futile=0.1` rejects where the
    games left of `max_games` would not suffice; `harness docs fewer-games` says more.

    >>> falling = Sprt(0, 30, bounds="falling")
    >>> falling.max_games < 6000 and falling.error_rates()[0] <= 0.05
    True
    """

    def __init__(
        self,
        elo0: float = 0.0,
        elo1: float = 10.0,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        model: Literal["normalized", "logistic"] = "normalized",
        bounds: Literal["wald", "falling", "triangular"] = "wald",
        draw_ratio: float = 0.5,
        stop_futile: float | None = None,
        max_games: int | None = None,
    ) -> None:
        self.elo0, self.elo1, self.alpha, self.beta, self.model = elo0, elo1, alpha, beta, model
        self.form, self.draw_ratio = bounds, draw_ratio
        self._sprt = _tench.Sprt(model, elo0, elo1, [alpha, beta], bounds, draw_ratio)
        if max_games is not None:
            max_games = _checks.whole("max_games", max_games, least=1)
        last = self._sprt.last_pair()
        ends = [games for games in (max_games, None if last is None else 2 * last) if games]
        self.max_games: int = min(ends) if ends else 40_000
        """Games after which it has decided, or gives up."""
        if stop_futile is not None:
            self._sprt = self._sprt.with_futility(stop_futile, draw_ratio, self.max_games)

    @classmethod
    def _of_summary(cls, test: dict[str, Any]) -> "Sprt":
        """The test of a run, with its bounds as they were when it was played."""
        known = {key: test[key] for key in ("alpha", "beta", "model")}
        self = cls(test["elo0"], test["elo1"], **known)
        self._sprt = _tench.Sprt.of_summary(test)
        rule = test.get("rule")
        if rule:
            self.form, self.draw_ratio = rule["shape"], rule["draw_ratio"]
        return self

    def __repr__(self) -> str:
        errors = f"alpha={self.alpha}, beta={self.beta}"
        form = "" if self.form == "wald" else f", bounds={self.form!r}"
        return f"Sprt({self.elo0}, {self.elo1}, {errors}, model={self.model!r}{form})"

    @property
    def bounds(self) -> tuple[float, float]:
        """The LLR at which the test rejects and accepts, before the first game."""
        lower, upper = self._sprt.bounds()
        return lower, upper

    def bounds_at(self, pairs: int) -> tuple[float, float]:
        """The same after a number of pairs.

        >>> lower, upper = Sprt(0, 30, bounds="falling").bounds_at(1000)
        >>> upper < Sprt(0, 30, bounds="falling").bounds[1]
        True
        """
        lower, upper = self._sprt.bounds_at(_checks.whole("pairs", pairs))
        return lower, upper

    def error_rates(
        self, draw_ratio: float = 0.5, max_games: int | None = None
    ) -> tuple[float, float, float]:
        """How often it accepts at `elo0`, rejects at `elo1`, and has no verdict at either."""
        if max_games is not None:
            max_games = _checks.whole("max_games", max_games, least=1)
        return self._sprt.error_rates(draw_ratio, max_games)

    def llr(self, counts: Counts) -> float | None:
        """Generalized log-likelihood ratio; `None` without a game.

        >>> round(Sprt(0, 5).llr([10, 60, 120, 75, 15]), 3)
        0.497
        """
        return self._sprt.llr(_counts(counts))

    def decide(self, counts: Counts) -> str | None:
        """`accepted`, `rejected`, or `None` while it is undecided."""
        return self._sprt.decide(_counts(counts))

    def plan(self, draw_ratios: Sequence[float] = (0.3, 0.5, 0.7)) -> list[Expectation]:
        """Chance to pass and games to expect, by share of draws and true difference.

        >>> [round(row.games) for row in Sprt(0, 10).plan([0.5])][::4]
        [3565, 10535, 3569]
        """
        return [
            Expectation(
                row["elo"],
                row["nelo"],
                row["pass"],
                row["games"],
                spread["draw_ratio"],
                row["undecided"],
            )
            for spread in self._sprt.plan(list(draw_ratios), self.max_games)["plans"]
            for row in spread["expectations"]
        ]

    def expectation(self, elo: float, sigma: float) -> Expectation:
        """The same at one difference, without a limit of games.

        `sigma` is the standard deviation of a game's score.
        """
        row = self._sprt.expectation(elo, _checks.positive("sigma", sigma))
        return Expectation(row["elo"], row["nelo"], row["pass"], row["games"])


@dataclass(frozen=True)
class PairedRatio:
    """Ratio of second measurements to first ones."""

    value: float
    """Geometric mean of the ratios."""
    ci95: tuple[float, float]
    p_value: float
    """Two-sided, of "the ratio is 1" (paired t-test of the logarithms)."""
    pairs: int
    log_error: float
    """Standard error of the logarithm."""


def paired_ratio(first: Sequence[float], second: Sequence[float]) -> PairedRatio:
    """The ratio of paired measurements: times of two searches, speeds of two builds.

    >>> ratio = paired_ratio([1.00, 2.00, 4.1, 8.0], [1.10, 2.16, 4.5, 8.9])
    >>> round(ratio.value, 3), ratio.p_value < 0.01
    (1.097, True)
    """
    found = _tench.paired_ratio([float(one) for one in first], [float(one) for one in second])
    return PairedRatio(**{**found, "ci95": tuple(found["ci95"])})


@dataclass(frozen=True)
class SignedRank:
    """Result of Wilcoxon's signed-rank test."""

    w_plus: float
    w_minus: float
    differences: int
    p_value: float


def wilcoxon(differences: Sequence[float]) -> SignedRank:
    """Wilcoxon's signed-rank test of "differences are symmetric around zero".

    >>> round(wilcoxon([1, 2, 3, 4, 5, 6, -0.5]).p_value, 4)
    0.0312
    """
    given = [_checks.number("difference", one) for one in differences]
    if any(math.isnan(one) for one in given):
        raise _tench.UsageError("a difference is no number (NaN)")
    return SignedRank(**_tench.wilcoxon(given))


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p-value of two results on the same positions.

    >>> round(mcnemar(10, 2), 4)
    0.0386
    """
    return _tench.mcnemar(_checks.whole("gained", gained), _checks.whole("lost", lost))
