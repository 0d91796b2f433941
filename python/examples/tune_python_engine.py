"""An engine written in Python, tuned by our tuner.

    python tune_python_engine.py [GAMES]

Its values start wrong on purpose. A few hundred games (minutes) find them; the default is enough to
see it run.
"""

import sys
from pathlib import Path

import tench

ENGINE = tench.Engine.python(Path(__file__).with_name("python_engine.py"))


def duel(first: tench.tuning.Values, second: tench.tuning.Values, pairs: int) -> tench.MatchOutcome:
    """Two candidates play: the values are the engine's UCI options."""
    return tench.match(
        ENGINE.with_options(first, name="first"),
        ENGINE.with_options(second, name="second"),
        depth=1,
        games=2 * pairs,
        max_moves=60,
        probe=False,
        progress=False,
    )


def main(games: int) -> None:
    parameters = {
        "Knight": (100, 900, 600),
        "Queen": (100, 1800, 400),
        "Mobility": (0, 40, 20),
    }
    result = tench.tune(duel, parameters, games=games, workers=2)
    print(result.best)
    for name, estimate in result.recommendation.parameters.items():
        print(f"{name}: {estimate.value:.0f} ± {estimate.error}")
    print(result.to_frame())
    assert sum(sum(counts) for _, counts in result.trials) * 2 >= games


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 16)
