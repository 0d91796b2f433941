"""Our tuners as a sampler of Optuna.

>>> import optuna
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> sampler = TenchSampler(evaluations=100, start={"x": 9.0})
>>> study = optuna.create_study(sampler=sampler, direction="minimize")
>>> study.optimize(lambda trial: (trial.suggest_float("x", 0, 10) - 3) ** 2, n_trials=100)
>>> abs(sampler.recommend().best["x"] - 3) < 1
True
"""

import math
import random
import threading
from typing import Any

try:
    import optuna
except ImportError as error:
    raise ImportError("this needs optuna: pip install 'tench-harness[optuna]'") from error

from .tuning import Parameter, Recommendation, Trial, Tuner

Space = dict[str, Any]


class TenchSampler(optuna.samplers.BaseSampler):
    """Samples integers and floats by one of our tuners; other distributions at random.

    Two trials of the study are a trial of the tuner: what it learns from is their difference. The
    first trial is the start. `study.best_params` is the trial of largest value; `recommend()` is
    the tuner's estimate of the best values, which is what to use where the objective is noisy.
    """

    def __init__(
        self,
        evaluations: int,
        *,
        method: str = "auto",
        seed: int = 1,
        start: dict[str, float] | None = None,
    ) -> None:
        self.evaluations, self.method, self.seed = evaluations, method, seed
        self.start = start or {}
        self.tuner: Tuner | None = None
        self._space: Space = {}
        self._spaces = optuna.search_space.IntersectionSearchSpace()
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._seconds: list[Trial] = []
        self._sides: dict[int, tuple[Trial, bool]] = {}
        self._values: dict[int, dict[bool, float]] = {}

    def recommend(self) -> Recommendation:
        """The tuner's best estimate."""
        if self.tuner is None:
            raise RuntimeError("the study has no finished trial yet")
        return self.tuner.recommend()

    def infer_relative_search_space(self, study: Any, trial: Any) -> Space:
        """What the tuner samples: the numbers that all trials so far had."""
        space = self._spaces.calculate(study)
        return {name: one for name, one in space.items() if _is_number(one)}

    def sample_relative(self, study: Any, trial: Any, search_space: Space) -> dict[str, Any]:
        """The next candidate."""
        if not search_space:
            return {}
        with self._lock:
            if self.tuner is None or search_space != self._space:
                self._begin(search_space)
            assert self.tuner is not None
            is_first = not self._seconds
            if is_first:
                [asked] = self.tuner.ask()
                self._seconds.append(asked)
            else:
                asked = self._seconds.pop()
            self._sides[trial.number] = (asked, is_first)
        candidate = asked.first if is_first else asked.second
        return {name: _fitting(one, candidate[name]) for name, one in search_space.items()}

    def sample_independent(self, study: Any, trial: Any, param_name: str, distribution: Any) -> Any:
        """The start of a number that the tuner does not know yet; others at random."""
        if _is_number(distribution):
            start = self.start.get(param_name, _parameter(param_name, distribution).start)
            assert start is not None
            return _fitting(distribution, start)
        if isinstance(distribution, optuna.distributions.CategoricalDistribution):
            return self._random.choice(distribution.choices)
        return distribution.low

    def after_trial(self, study: Any, trial: Any, state: Any, values: Any) -> None:
        """Tells the tuner when both candidates of its trial have a value."""
        with self._lock:
            asked, is_first = self._sides.pop(trial.number, (None, True))
            if asked is None or self.tuner is None:
                return
            is_complete = state == optuna.trial.TrialState.COMPLETE and values
            value = values[0] if is_complete else math.nan
            if study.direction == optuna.study.StudyDirection.MINIMIZE:
                value = -value
            both = self._values.setdefault(asked.id, {})
            both[is_first] = value
            if len(both) == 2:
                del self._values[asked.id]
                self.tuner.tell_values(asked, both[True], both[False])

    def _begin(self, space: Space) -> None:
        parameters = [_parameter(name, one, self.start.get(name)) for name, one in space.items()]
        self.tuner = Tuner(
            parameters, method=self.method, evaluations=self.evaluations, seed=self.seed
        )
        self._space = space
        self._seconds, self._sides, self._values = [], {}, {}


def _is_number(distribution: Any) -> bool:
    kinds = optuna.distributions.FloatDistribution, optuna.distributions.IntDistribution
    return isinstance(distribution, kinds) and distribution.low < distribution.high


def _parameter(name: str, distribution: Any, start: float | None = None) -> Parameter:
    is_int = isinstance(distribution, optuna.distributions.IntDistribution)
    return Parameter(
        name,
        distribution.low,
        distribution.high,
        start,
        kind="int" if is_int else "float",
        scale="log" if distribution.log else "linear",
    )


def _fitting(distribution: Any, value: float) -> Any:
    """The nearest value of a distribution with steps."""
    step = distribution.step
    if step:
        value = distribution.low + round((value - distribution.low) / step) * step
    value = min(max(value, distribution.low), distribution.high)
    return int(value) if isinstance(distribution, optuna.distributions.IntDistribution) else value
