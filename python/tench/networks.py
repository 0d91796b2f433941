"""The engine's static evaluation, of many positions at once."""

import os
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from . import _tench
from .data import View


class HasFen(Protocol):
    """A position that tells its FEN, such as python-chess's `Board`."""

    def fen(self) -> str:
        """The position."""
        ...


def _fens(positions: "Sequence[str | HasFen]") -> list[str]:
    if isinstance(positions, str) or hasattr(positions, "fen"):
        raise _tench.UsageError("one position is no list\nhelp: evaluate([position])")
    fens = []
    for one in positions:
        if not isinstance(one, str) and not hasattr(one, "fen"):
            raise _tench.UsageError(
                f"{one!r} is no position\nhelp: give a FEN, or an object with `fen()`"
            )
        fens.append(one if isinstance(one, str) else one.fen())
    return fens


class Network:
    """A network, with the integers of the engine: its values are the engine's, to the last digit.

    >>> network = Network.embedded()
    >>> network.evaluate(["4k3/8/8/8/8/8/8/3QK3 w - - 0 1"]).tolist()[0] > 500
    True
    """

    def __init__(self, file: str) -> None:
        self._network = _tench.Network(file)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Network":
        """A network file: of `harness train`, or any that the engine's `EvalFile` takes."""
        return Network(os.path.abspath(path))

    @staticmethod
    def embedded() -> "Network":
        """The network that is part of the engine."""
        return Network("embedded")

    @staticmethod
    def classical() -> "Network":
        """The engine's hand-crafted evaluation: no network, the same interface."""
        return Network("classical")

    @property
    def architecture(self) -> str:
        """The architecture with its sizes."""
        return self._network.architecture

    @property
    def note(self) -> str:
        """What its file says of its origin."""
        return self._network.note

    def evaluate(
        self, positions: "View | Sequence[str | HasFen]"
    ) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
        """Centipawns for the side to move, int32, in parallel and without the interpreter lock.

        It is the value with which the engine's search begins: the network's, except where king,
        bishop and knight against king have a rule of their own.
        """
        if isinstance(positions, View):
            values = self._network.evaluate_rows(positions._bytes())
        else:
            values = self._network.evaluate(_fens(positions))
        return np.frombuffer(memoryview(values), np.int32)

    def __repr__(self) -> str:
        return f"<Network {self.architecture}>"
