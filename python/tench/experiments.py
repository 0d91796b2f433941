"""Tuning experiments, as `harness tune run` plays them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import _tench
from ._outcome import Field, RunOutcome, optional
from ._running import OnEvent, settings
from .matches import MatchOutcome


class ExperimentOutcome(RunOutcome):
    """The result of a tuning run."""

    def __init__(self, summary: dict[str, Any], reports: str | os.PathLike[str]) -> None:
        super().__init__(summary)
        self.reports = Path(reports)
        """The folder of the ledger."""

    method = Field(str, "The method.")
    games = Field(int, "Games played, without the validation.")
    start = Field(dict[str, str], "The values before, as UCI options.")
    best = Field(
        dict[str, str],
        "The values to use: those found, or the start as long as they are not shown to be better.",
    )
    parameters = Field(list[dict[str, Any]], "A row a parameter: estimate, error, path.")
    gain = Field(
        optional(dict[str, float]), "Expected Elo over the start: `value`, `low80`, `high80`."
    )
    seconds = Field(float, "Wall time of playing.")

    @property
    def candidate(self) -> dict[str, str]:
        """The values found, as UCI options."""
        return dict(self.summary.get("candidate") or self.best)

    @property
    def validation(self) -> MatchOutcome | None:
        """The test of the values found against the start."""
        found = self.summary.get("validation")
        return None if found is None else MatchOutcome(found, self.reports)

    @property
    def folder(self) -> Path:
        """The run's files: `report.html`, `steps.csv`, `summary.json`, `run.yaml`."""
        return self.reports / "runs" / self.run

    def __repr__(self) -> str:
        return f"<{self.run}: {self.method}, {self.games} games, best {self.best}>"


def experiment(
    source: str | os.PathLike[str] | Mapping[str, Any],
    *,
    method: str | None = None,
    games: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    validation: bool = True,
    reports: str | os.PathLike[str] = "reports",
    probe: bool = True,
    progress: bool | None = None,
    on_event: OnEvent | None = None,
    on: str | None = None,
) -> ExperimentOutcome:
    """Plays a tuning experiment: a YAML file, or its content as a mapping.

    The keys are those of the file, which `harness tune init ENGINE` writes; the keywords here come
    before them. Every pair is in the ledger before it counts; after Ctrl-C `resume` continues.
    `on_event` is called with `run_started`, `tuned` (games, values, gain) and `warning`.

    >>> outcome = experiment({
    ...     "engine": "builtin", "limit": "nodes=30", "method": "spsa", "games": 8,
    ...     "validation": {"games": 0}, "parameters": {"rfp_margin": {"min": 20, "max": 160}},
    ... }, jobs=1, progress=False)
    >>> outcome.games, list(outcome.best)
    (8, ['rfp_margin'])
    """
    if isinstance(source, Mapping):
        # JSON is YAML. Paths in it are seen from the current folder.
        file, text = "experiment", json.dumps(source)
    else:
        file, text = os.fspath(source), None
    how = settings(reports, probe, progress, on_event, on)
    found = _tench.tune(file, text, method, games, seed, jobs, validation, how)
    return ExperimentOutcome(found, reports)
