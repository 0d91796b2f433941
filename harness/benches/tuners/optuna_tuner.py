"""Optuna's samplers as tuners: `python3 optuna_tuner.py cmaes|tpe`.

Each candidate plays 100 games against the start, as Lakas does; the best one is the result.
Needs: pip install optuna cmaes
"""

import sys

import optuna

from protocol import Task

PAIRS = 50


def main():
    task = Task()
    optuna.logging.disable_default_handler()
    samplers = {"cmaes": optuna.samplers.CmaEsSampler, "tpe": optuna.samplers.TPESampler}
    start = {parameter["name"]: parameter["start"] for parameter in task.parameters}
    sampler = samplers[sys.argv[1]](seed=task.seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.enqueue_trial(start)

    def objective(trial):
        values = [
            trial.suggest_int(p["name"], int(p["min"]), int(p["max"]))
            if p["integer"]
            else trial.suggest_float(p["name"], p["min"], p["max"])
            for p in task.parameters
        ]
        return task.score(values, PAIRS)

    study.optimize(objective, n_trials=max(1, task.games // (2 * PAIRS)))
    task.finish([study.best_params[parameter["name"]] for parameter in task.parameters])


main()
