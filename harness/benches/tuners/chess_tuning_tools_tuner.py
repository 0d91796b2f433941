"""chess-tuning-tools' optimiser with its default settings as a tuner.

Each candidate plays 100 games against the start; the optimum of its model is the result.
Needs, for version 0.9.3 with a current Python (its own pins are of 2021 and no longer build):
pip install bask dill atomicwrites pandas; pip install --no-deps chess-tuning-tools
"""

import math
import sys
import warnings

warnings.filterwarnings("ignore")

from skopt.utils import create_result  # noqa: E402
from tune.local import initialize_optimizer, update_model  # noqa: E402
from tune.priors import create_priors  # noqa: E402
from tune.utils import expected_ucb  # noqa: E402

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
    best, _ = expected_ucb(model, alpha=0.0)
    task.finish([float(value) for value in best])


main()
