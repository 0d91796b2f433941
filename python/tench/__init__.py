"""Tench, the test bench for chess engines, from Python.

>>> import tench
>>> print(tench.elo([12, 118, 250, 141, 19]))
11.91 ± 12.32
>>> outcome = tench.match("builtin", "builtin", nodes=200, games=4, progress=False)
>>> outcome.wins + outcome.draws + outcome.losses
4

| what | names |
|---|---|
| statistics | `elo`, `nelo`, `los`, `summary`, `Sprt`, `paired_ratio`, `wilcoxon`, `mcnemar` |
| ratings of many players | `ratings` |
| games | `match`, `sprt`, `race`, `Engine`, `load`, `resume`, `runs` |
| test suites | `suite` |
| tuning experiments | `experiment` |
| tuners | `Tuner`, `tune`, `maximize`, `minimize`, `Parameter`; `tench.optuna.TenchSampler` |
| training data | `view`, `View`, `write_view`, `mapped` |
| networks | `Network` |
"""

import importlib
from typing import Any

from . import _warden
from ._tench import Interrupted, RunError, UsageError, __version__
from .data import NO_SCORE, View, mapped, view, write_view
from .engines import Engine
from .experiments import ExperimentOutcome, experiment
from .matches import Game, MatchOutcome, load, match, race, resume, runs, sprt
from .networks import Network
from .rating import Player, Ratings, ratings
from .stats import (
    Estimate,
    Sprt,
    Summary,
    elo,
    elo_of_score,
    los,
    mcnemar,
    nelo,
    paired_ratio,
    score_of_elo,
    sigma_of_draws,
    smallest_effect,
    summary,
    visible_effect,
    wilcoxon,
)
from .suites import SuiteOutcome, suite
from .tuning import Parameter, Trial, Tuner, TuneResult, maximize, methods, minimize, tune

__all__ = [
    "NO_SCORE",
    "Engine",
    "Estimate",
    "ExperimentOutcome",
    "Game",
    "Interrupted",
    "MatchOutcome",
    "Network",
    "Parameter",
    "Player",
    "Ratings",
    "RunError",
    "Sprt",
    "SuiteOutcome",
    "Summary",
    "Trial",
    "TuneResult",
    "Tuner",
    "UsageError",
    "View",
    "__version__",
    "elo",
    "elo_of_score",
    "experiment",
    "load",
    "los",
    "mapped",
    "match",
    "maximize",
    "mcnemar",
    "methods",
    "minimize",
    "nelo",
    "paired_ratio",
    "race",
    "ratings",
    "resume",
    "runs",
    "score_of_elo",
    "sigma_of_draws",
    "smallest_effect",
    "sprt",
    "suite",
    "summary",
    "tune",
    "view",
    "visible_effect",
    "wilcoxon",
    "write_view",
]

_warden.install()


def __getattr__(name: str) -> Any:
    # It needs Optuna, which is imported by those only who ask for it.
    if name == "optuna":
        return importlib.import_module(".optuna", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
