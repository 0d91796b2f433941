"""Test suites: which positions an engine solves."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from . import _tench
from ._keywords import SuiteFlags
from ._optional import new_frame
from ._outcome import Field, RunOutcome
from ._running import OnEvent, arguments, settings
from .engines import Engine, EngineLike

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Solution:
    """What an engine did in a position."""

    id: str
    fen: str
    solved: bool
    move: str | None
    """In UCI notation."""
    san: str | None
    expected: tuple[str, ...]
    """Solutions in SAN."""
    avoid: tuple[str, ...]
    """Moves to avoid, in SAN."""
    score: float
    max_score: float
    time_ms: int
    nodes: int | None
    depth: int | None
    found_ms: int | None
    """When the solution was found that was kept to the end."""
    theme: str | None
    fault: str | None


class SuiteOutcome(RunOutcome):
    """The result of an engine, or of several, on a suite."""

    engine = Field(str, "The (first) engine's name.")
    positions = Field(int, "Positions searched.")
    solved = Field(int, "Positions solved by the first engine.")
    score = Field(float, "Points of the first engine.")

    @property
    def results(self) -> list[Solution]:
        """The first engine's results, a position each."""
        return [_solution(result) for result in self.summary["results"]]

    @property
    def others(self) -> list["SuiteOutcome"]:
        """The other engines."""
        return [SuiteOutcome(other) for other in self.summary.get("others", [])]

    def to_frame(self) -> "pandas.DataFrame":
        """A row a position and engine."""
        all_of_them = [self, *self.others]
        rows = [
            {"engine": one.engine, **vars(result)} for one in all_of_them for result in one.results
        ]
        return new_frame(rows)

    def __repr__(self) -> str:
        return f"<{self.run}: {self.engine} solved {self.solved} of {self.positions}>"


def _solution(result: dict[str, Any]) -> Solution:
    fields: dict[str, Any] = {name: result.get(name) for name in Solution.__dataclass_fields__}
    for moves in ("expected", "avoid"):
        fields[moves] = tuple(fields[moves])
    return Solution(**fields)


def suite(
    suite: str | os.PathLike[str],
    *engines: EngineLike,
    limit: str | None = None,
    options: dict[str, object] | None = None,
    reports: str | os.PathLike[str] = "reports",
    probe: bool = True,
    progress: bool | None = None,
    on_event: OnEvent | None = None,
    on: str | None = None,
    **flags: Unpack[SuiteFlags],
) -> SuiteOutcome:
    """Searches a suite: `wac`, `eret`, `bk`, or an EPD file; by the linked engine if none is named.

    Each flag of `harness suite` is a keyword. All engines have one limit: an `Engine` with a limit
    of its own is refused.

    >>> outcome = suite("bk", nodes=500, progress=False)
    >>> len(outcome.results)
    24
    """
    for engine in engines:
        if isinstance(engine, Engine) and engine.limit:
            raise _tench.UsageError(
                f"{engine.name} has the limit {engine.limit}; the engines of a suite share one\n"
                f"help: give limit={engine.limit!r} to `suite`"
            )
    words, entries = arguments(engines, limit, options, dict(flags))
    words.insert(words.index("--") + 1, os.fspath(suite))
    how = settings(reports, probe, progress, on_event, on)
    return SuiteOutcome(_tench.run("suite", words, entries, how))
