"""From games to arrays: scores, results, pieces, and a network's view of them.

python training_data.py
"""

import numpy as np

import tench


def main() -> None:
    outcome = tench.match("builtin", "builtin", nodes=500, games=20, max_moves=100)

    # The quiet positions of the run, each once; the columns are arrays on the same memory.
    view = tench.view(outcome.run, unique=True, min_ply=8)
    print(view, view.counts)
    print("mean score", view.scores.mean(), "results", np.bincount(view.results, minlength=3))

    # How many pieces: 64 numbers a position.
    boards = view.boards()
    print("pieces", np.count_nonzero(boards, axis=1).mean())

    # The static evaluation of all of them, seen from White, beside the searches' scores.
    values = tench.Network.embedded().evaluate(view)
    white = np.where(view.black_to_move, -values, values)
    correlation = np.corrcoef(white, view.scores)[0, 1]
    print("correlation of static evaluation and search", correlation)
    assert correlation > 0.5

    view.save("quiet.marlin")
    again = tench.View.open("quiet.marlin")  # mapped: read when it is looked at
    assert np.array_equal(again.scores, view.scores)


if __name__ == "__main__":
    main()
