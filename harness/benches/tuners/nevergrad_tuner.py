"""Nevergrad's optimisers as tuners: `python3 nevergrad_tuner.py TBPSA|NGOpt|...`.

Each candidate plays 100 games against the start, as Lakas does; the recommendation is the result.
Needs: pip install nevergrad
"""

import sys

import nevergrad

from protocol import Task

PAIRS = 50


def main():
    task = Task()
    space = {}
    for parameter in task.parameters:
        scalar = nevergrad.p.Scalar(
            init=parameter["start"], lower=parameter["min"], upper=parameter["max"]
        )
        space[parameter["name"]] = scalar.set_integer_casting() if parameter["integer"] else scalar
    parametrization = nevergrad.p.Dict(**space)
    parametrization.random_state.seed(task.seed)
    budget = max(1, task.games // (2 * PAIRS))
    optimizer = nevergrad.optimizers.registry[sys.argv[1]](parametrization, budget=budget)

    def values(candidate):
        return [candidate.value[parameter["name"]] for parameter in task.parameters]

    for _ in range(budget):
        candidate = optimizer.ask()
        optimizer.tell(candidate, -task.score(values(candidate), PAIRS))
    task.finish(values(optimizer.provide_recommendation()))


main()
