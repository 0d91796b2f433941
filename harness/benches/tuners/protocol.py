"""The protocol of `harness tune bench --external`, for tuners that maximise a noisy score.

Standard input and output are lines of JSON, described in harness/docs/tuning.md.
"""

import json
import sys


class Task:
    """The parameters and the budget of a run."""

    def __init__(self):
        task = json.loads(sys.stdin.readline())
        self.games = task["games"]
        self.seed = task["seed"]
        self.parameters = task["parameters"]
        self.start = [parameter["start"] for parameter in self.parameters]
        self.left = self.games

    def score(self, values, pairs):
        """Score of a candidate against the start, 0 to 1, from this many pairs."""
        self._write({"play": [list(values), self.start], "pairs": pairs})
        reply = json.loads(sys.stdin.readline())
        self.left = reply["left"]
        counts = reply["counts"]
        return sum(i * count for i, count in enumerate(counts)) / (4 * max(1, sum(counts)))

    def finish(self, values):
        """Says which candidate is best."""
        self._write({"best": list(values)})

    @staticmethod
    def _write(message):
        print(json.dumps(message), flush=True)
