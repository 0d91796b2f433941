"""chess-tuning-tools' optimiser with its default settings as a tuner.

Each candidate plays 100 games against the start; the optimum of its model is the result.
Needs, for version 0.9.3 with a current Python (its own pins are of 2021 and no longer build):
pip install bask dill atomicwrites pandas emcee arviz tqdm click joblib
pip install --no-deps chess-tuning-tools
"""

import math
import sys
import warnings

warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import tune.utils  # noqa: E402
from scipy.optimize import minimize  # noqa: E402
from skopt.utils import create_result  # noqa: E402
from tune.local import initialize_optimizer, update_model  # noqa: E402
from tune.priors import create_priors  # noqa: E402

from protocol import Task  # noqa: E402

PAIRS = 50
# Its unit of strength is 100 Elo; this is the slope at equality.
SLOPE = 4.0 / math.log(10.0)


def main():
    task = Task()
    ranges = [
        (int(p["min"]), int(p["max"])) if p["integer"] else (float(p["min"]), float(p["max"]))
        for p in task.parameters
    ]
    priors = create_priors(len(ranges))
    optimizer = initialize_optimizer(
        [], [], [], ranges, random_seed=task.seed, resume=False, gp_priors=priors
    )
    points, scores = [], []
    for _ in range(max(1, task.games // (2 * PAIRS))):
        point = optimizer.ask()
        score = task.score([float(value) for value in point], PAIRS)
        # The variance of a pair's mean score is about 0.04.
        loss, variance = SLOPE * (0.5 - score), SLOPE**2 * 0.04 / PAIRS
        update_model(optimizer, point, loss, variance)
        points.append(point)
        scores.append(loss)
    model = create_result(Xi=points, yi=scores, space=optimizer.space, models=[optimizer.gp])
    # It starts from a matrix of one row, which SciPy no longer takes.
    tune.utils.minimize = lambda f, x0, **options: minimize(f, x0=np.ravel(x0), **options)
    best, _ = tune.utils.expected_ucb(model, alpha=0.0)
    task.finish([float(value) for value in best])


main()
