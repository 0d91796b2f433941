"""Matches, SPRTs and races between engines."""

import math
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from . import _flags, _tench
from ._keywords import MatchFlags, PlayFlags, RaceFlags
from ._optional import new_axes, new_frame
from ._outcome import Field, RunOutcome, optional
from ._running import OnEvent, Settings, arguments, settings
from .engines import EngineLike
from .stats import Estimate, Sprt
from .stats import summary as statistics
from .suites import SuiteOutcome

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas


@dataclass(frozen=True)
class Game:
    """One finished game."""

    pair: int
    """Which pair, from 0."""
    game: int
    """Which game of the pair, 1 or 2, as in the events."""
    white: str
    black: str
    result: str
    """`1-0`, `1/2-1/2` or `0-1`."""
    first: str
    """The engine that was named first."""
    points: float
    """Its points: 0, 0.5 or 1."""
    termination: str
    """How the game ended: `checkmate`, `time_forfeit`, `crash`, ..."""
    plies: int
    milliseconds: int
    pgn: str

    @staticmethod
    def _of(stored: dict[str, Any]) -> "Game":
        halves, first_is_white = stored["first_half_points"], stored["first_is_white"]
        white_halves = halves if first_is_white else 2 - halves
        return Game(
            pair=stored["pair"],
            game=stored["game"] + 1,
            white=stored["white"],
            black=stored["black"],
            result=("0-1", "1/2-1/2", "1-0")[white_halves],
            first=stored["white"] if first_is_white else stored["black"],
            points=halves / 2,
            termination=stored["termination"],
            plies=stored["plies"],
            milliseconds=stored["milliseconds"],
            pgn=stored["pgn"],
        )


def _estimate(value: dict[str, Any]) -> Estimate:
    return Estimate(**value)


def _pentanomial(counts: list[int]) -> tuple[int, int, int, int, int]:
    a, b, c, d, e = counts
    return a, b, c, d, e


class MatchOutcome(RunOutcome):
    """The result of a match or an SPRT, seen from the first engine."""

    def __init__(self, summary: dict[str, Any], reports: str | os.PathLike[str]) -> None:
        super().__init__(summary)
        self.reports = Path(reports)
        """The folder of the ledger."""

    wins = Field(int, "Games won by the first engine.")
    draws = Field(int, "Games drawn.")
    losses = Field(int, "Games lost by the first engine.")
    pentanomial = Field(
        _pentanomial, "Game pairs by pair score 0, 1/2, 1, 3/2, 2 of the first engine."
    )
    elo = Field(_estimate, "Logistic Elo difference.")
    nelo = Field(_estimate, "Normalized Elo difference.")
    los = Field(optional(float), "Likelihood of superiority, 0 to 1.")
    llr = Field(optional(float), "Log-likelihood ratio; only of an SPRT.")
    verdict = Field(optional(str), "`accepted`, `rejected` or `inconclusive`; only of an SPRT.")
    terminations = Field(dict[str, int], "Games by how they ended.")
    players = Field(list[dict[str, Any]], "A row a player when there are more than two.")
    seconds = Field(float, "Wall time of playing.")

    @property
    def folder(self) -> Path:
        """The run's files: `games.pgn`, `report.html`, `summary.json`, `run.yaml`."""
        return self.reports / "runs" / self.run

    @cached_property
    def games(self) -> list[Game]:
        """The games, in the order of their pairs."""
        games = [Game._of(game) for game in _tench.games_of(self.run, self.reports)]
        return sorted(games, key=lambda game: (game.pair, game.game))

    def to_frame(self) -> "pandas.DataFrame":
        """The games as a frame, a row a game."""
        return new_frame([vars(game) for game in self.games])

    def curve(self, points: int = 100) -> list[tuple[int, Estimate, float | None]]:
        """Games, Elo and LLR in the course of the run, at most so many points."""
        facts = self.summary["sprt"]
        test = Sprt._of_summary(facts) if facts else None
        counts, scores = [0] * 5, {}
        found: list[tuple[int, Estimate, float | None]] = []
        names = [engine["name"] for engine in self.summary["engines"]]
        mine = [game for game in self.games if game.first == names[0]]
        # Pairs of which both games are finished.
        total = sum(games == 2 for games in Counter(game.pair for game in mine).values())
        every = max(1, math.ceil(total / points))
        for game in mine:
            if game.pair not in scores:
                scores[game.pair] = game.points
                continue
            counts[round(2 * (scores.pop(game.pair) + game.points))] += 1
            pairs = sum(counts)
            if pairs % every == 0 or pairs == total:
                both = statistics(counts, test)
                found.append((2 * pairs, both.elo, both.llr))
        return found

    def plot(self, axes: "matplotlib.axes.Axes | None" = None) -> "matplotlib.axes.Axes":
        """Elo with its 95 % interval over the games; of an SPRT the LLR with its bounds."""
        if axes is None:
            axes = new_axes()
        curve = self.curve()
        games = [point[0] for point in curve]
        if self.summary["sprt"]:
            axes.plot(games, [point[2] or 0.0 for point in curve])
            test = Sprt._of_summary(self.summary["sprt"])
            bounds = [test.bounds_at(at // 2) for at in games]
            for side in (0, 1):
                axes.plot(games, [both[side] for both in bounds], linestyle="--", color="gray")
            axes.set_ylabel("LLR")
        else:
            known = [(at, one) for at, one, _ in curve if one.value is not None]
            at = [games for games, _ in known]
            axes.plot(at, [float(one) for _, one in known])
            axes.fill_between(
                at,
                [float("nan") if one.low95 is None else one.low95 for _, one in known],
                [float("nan") if one.high95 is None else one.high95 for _, one in known],
                alpha=0.2,
            )
            axes.axhline(0, linestyle="--", color="gray")
            axes.set_ylabel("Elo")
        axes.set_xlabel("games")
        axes.set_title(" vs ".join(engine["name"] for engine in self.summary["engines"]))
        return axes

    def __repr__(self) -> str:
        text = f"<{self.run}: W {self.wins} D {self.draws} L {self.losses}, Elo {self.elo}"
        if self.llr is not None:
            text += f", LLR {self.llr:.2f} {self.verdict}"
        return text + ">"


def match(
    *engines: EngineLike,
    limit: str | None = None,
    options: dict[str, object] | None = None,
    reports: str | os.PathLike[str] = "reports",
    probe: bool = True,
    progress: bool | None = None,
    on_event: OnEvent | None = None,
    on: str | None = None,
    **flags: Unpack[MatchFlags],
) -> MatchOutcome:
    """Plays games between two engines or more.

    Each flag of `harness match` is a keyword, with `_` for `-`: `nodes=5000`, `tc="8+0.08"`,
    `games=200`, `openings="book.pgn"`, `resign_score=600`. `limit="nodes=5000"` is the same as
    `nodes=5000`; `options` are UCI options of all engines, or of one: `{"stockfish.Hash": 64}`.

    Every finished game is in the ledger of the folder `reports` before it counts. The interpreter
    lock is released; `on_event` is called with each event between games' moves. Ctrl-C ends the run
    after the games under way and raises `Interrupted`, whose `run` names it for `load` and
    `resume`; a second one ends at once.

    `on="nats://box"` lets the workers of a server play, as `--on` does; the token is in the address
    (`nats://TOKEN@box`) or in `TENCH_TOKEN`.

    >>> outcome = match("builtin", "builtin", nodes=200, games=2, progress=False)
    >>> len(outcome.games), sum(outcome.pentanomial)
    (2, 1)
    """
    how = settings(reports, probe, progress, on_event, on)
    return _play("match", engines, limit, options, dict(flags), how)


def sprt(
    new: EngineLike,
    old: EngineLike,
    *,
    elo0: float = 0.0,
    elo1: float = 10.0,
    limit: str | None = None,
    options: dict[str, object] | None = None,
    reports: str | os.PathLike[str] = "reports",
    probe: bool = True,
    progress: bool | None = None,
    on_event: OnEvent | None = None,
    on: str | None = None,
    **flags: Unpack[PlayFlags],
) -> MatchOutcome:
    """Plays game pairs until it is clear whether `new` is better than `old`.

    As `match`; each flag of `harness sprt` is a keyword, such as `max_games`, `alpha`, `model`.

    >>> outcome = sprt("builtin", "builtin", nodes=100, max_games=4, progress=False)
    >>> outcome.verdict
    'inconclusive'
    """
    test = {**flags, "elo0": elo0, "elo1": elo1}
    how = settings(reports, probe, progress, on_event, on)
    return _play("sprt", (new, old), limit, options, test, how)


def race(
    *candidates: EngineLike,
    base: EngineLike,
    elo0: float = 0.0,
    elo1: float = 10.0,
    limit: str | None = None,
    options: dict[str, object] | None = None,
    reports: str | os.PathLike[str] = "reports",
    probe: bool = True,
    progress: bool | None = None,
    on_event: OnEvent | None = None,
    on: str | None = None,
    **flags: Unpack[RaceFlags],
) -> MatchOutcome:
    """Finds the best of several candidates, and tests whether it is better than the base.

    As `match`; each flag of `harness race` is a keyword, such as `max_games`, `alpha`, `batch`;
    `vary={"Hash": [16, 64]}` has the base with these values as further candidates. The result is
    that of the final, `summary["race"]` has the heats.

    >>> outcome = race("builtin", base="builtin", nodes=100, max_games=4, progress=False)
    >>> outcome.verdict, outcome.summary["race"]["leader"]
    ('rejected', 'builtin#2')
    """
    varied = {
        name: ",".join(_flags.text(value) for value in values)
        for name, values in flags.get("vary", {}).items()
    }
    test = {**flags, "vary": varied, "elo0": elo0, "elo1": elo1}
    how = settings(reports, probe, progress, on_event, on)
    words, entries = arguments((base, *candidates), limit, options, test)
    names = words.index("--")
    words[names : names + 2] = [f"--base={words[names + 1]}", "--"]
    return MatchOutcome(_tench.run("race", words, entries, how), how["reports"])


def resume(
    run: str = "last",
    *,
    reports: str | os.PathLike[str] = "reports",
    probe: bool = True,
    progress: bool | None = None,
    on_event: OnEvent | None = None,
    on: str | None = None,
) -> "MatchOutcome | SuiteOutcome | dict[str, Any]":
    """Goes on with a run that ended early, of Python or of the command line.

    The result is that of `load`.
    """
    found = _tench.resume(run, settings(reports, probe, progress, on_event, on))
    return _outcome(found, reports)


def load(
    run: str = "last", *, reports: str | os.PathLike[str] = "reports"
) -> "MatchOutcome | SuiteOutcome | dict[str, Any]":
    """The result of a run, finished or not: an id, the beginning of one, or `last`.

    Of a match, an SPRT, a race or a suite an outcome, of other runs what
    `harness report --format json` prints; of one that is not finished, the
    result so far.
    """
    return _outcome(_tench.load(run, reports), reports)


def runs(reports: str | os.PathLike[str] = "reports") -> list[dict[str, Any]]:
    """All runs of a ledger, the newest at the end, as `harness runs --json` has them.

    Each has `run`, `command`, `started`, `status`, `games`, `positions`, `title` (its engines, its
    suite, what is tuned) and `result` (in a line, or what there is so far), and where it has them
    `name`, `started_by` and `part_of`.
    """
    return _tench.runs(reports)


def _outcome(
    found: dict[str, Any], reports: str | os.PathLike[str]
) -> "MatchOutcome | SuiteOutcome | dict[str, Any]":
    """The result of a run in the class of its command; plain data where there is none."""
    command, summary = found["command"], found["summary"]
    if command in ("match", "sprt", "race"):
        return MatchOutcome(summary, reports)
    return SuiteOutcome(summary) if command == "suite" else summary


def _play(
    command: str,
    engines: Sequence[EngineLike],
    limit: str | None,
    options: dict[str, object] | None,
    flags: dict[str, object],
    how: Settings,
) -> MatchOutcome:
    words, entries = arguments(engines, limit, options, flags)
    return MatchOutcome(_tench.run(command, words, entries, how), how["reports"])
