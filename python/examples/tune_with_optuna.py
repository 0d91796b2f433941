"""An engine inside Python, tuned by a Python optimiser: Optuna and the linked engine.

    python tune_with_optuna.py [TRIALS]

The engine plays in this process, with its search parameters as options, against its defaults; the
optimiser sees a number. Any optimiser will do: it only has to call `score`. The second study
uses one of our tuners as Optuna's sampler.
"""

import sys

import optuna

import tench
from tench.optuna import TenchSampler


def score(values: dict[str, float], games: int = 4) -> float:
    """Mean score against the engine with its default values."""
    candidate = tench.Engine("builtin", name="candidate", options=values)
    outcome = tench.match(candidate, "builtin", nodes=300, games=games, progress=False)
    return (outcome.wins + outcome.draws / 2) / len(outcome.games)


def objective(trial: optuna.Trial) -> float:
    return score(
        {
            "rfp_margin": trial.suggest_int("rfp_margin", 20, 160),
            "lmr_base": trial.suggest_int("lmr_base", 0, 200),
        }
    )


def main(trials: int) -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=trials)
    print("TPE:", study.best_params, study.best_value)

    sampler = TenchSampler(evaluations=trials)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=trials)
    # The largest of noisy values overestimates its candidate (selection bias): ask the tuner.
    print("tench:", sampler.recommend().best)
    assert len(study.trials) == trials


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 8)
