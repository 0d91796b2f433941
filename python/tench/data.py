"""Training data as NumPy arrays.

A view is an array of rows of 32 bytes, those of a `.marlin` file. Its columns are arrays on the
same memory: nothing is copied. The pieces are unpacked only when they are asked for.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from . import _tench
from ._keywords import Filters
from ._optional import new_frame

if TYPE_CHECKING:
    import pandas

Array = np.ndarray[Any, np.dtype[Any]]

NO_SCORE: int = _tench.NO_SCORE
"""Score of a position without one; such positions come only with `unscored=True`."""

ROW = np.dtype(
    [
        ("occupied", "<u8"),
        ("pieces", "u1", 16),
        ("state", "u1"),
        ("halfmoves", "u1"),
        ("fullmoves", "<u2"),
        ("score", "<i2"),
        ("result", "u1"),
        ("depth", "u1"),
    ]
)
"""A row: occupied squares, four bits a piece, side to move and en passant, clocks, labels."""

BULLET = np.dtype(
    [
        ("occupied", "<u8"),
        ("pieces", "u1", 16),
        ("score", "<i2"),
        ("result", "u1"),
        ("king", "u1"),
        ("their_king", "u1"),
        ("free", "u1", 3),
    ]
)
"""A row of bulletformat (`.bin`): turned so that White is to move, labels for the side to move."""

_BLACK_TO_MOVE = 128


class View:
    """Positions with their labels."""

    def __init__(self, rows: Array, counts: dict[str, Any] | None = None) -> None:
        self.rows = rows
        """The rows, of the type `tench.data.ROW`; read-only."""
        self.counts = counts or {}
        """How many positions were read, kept, and dropped by which filter."""

    @staticmethod
    def open(path: str | os.PathLike[str]) -> "View":
        """A `.marlin` file, mapped into memory: pages are read when they are looked at."""
        return View(_map(path, ROW))

    @property
    def scores(self) -> Array:
        """Centipawns for White; a mate is 32,000 less the plies to it. int16, no copy."""
        return self._column("score")

    @property
    def results(self) -> Array:
        """Half points of White: 0, 1 or 2. uint8, no copy."""
        return self._column("result")

    @property
    def depths(self) -> Array:
        """Depth of the search in plies; 0: unknown. uint8, no copy."""
        return self._column("depth")

    @property
    def fullmoves(self) -> Array:
        """Move numbers. uint16, no copy."""
        return self._column("fullmoves")

    @property
    def halfmoves(self) -> Array:
        """Halfmove clocks. uint8, no copy."""
        return self._column("halfmoves")

    @property
    def black_to_move(self) -> Array:
        """Whether Black is to move; a new array."""
        is_black: Array = (self._column("state") & _BLACK_TO_MOVE) != 0
        return is_black

    def boards(self) -> Array:
        """The pieces: a new array of int8, 64 a position, from a1 by rank.

        0 is an empty square, 1 a pawn, 2 a knight, ... 6 a king, below zero for Black.
        """
        pieces = np.frombuffer(memoryview(_tench.boards(self._bytes())), np.int8)
        return pieces.reshape(-1, 64)

    def fens(self) -> list[str]:
        """The positions as FEN."""
        return _tench.fens(self._bytes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a `.marlin` file, which `harness train` and other trainers read.

        It may be the file that the view was opened from.
        """
        path = Path(path)
        if path.suffix != ".marlin":
            raise _tench.UsageError(f"{path}: the rows are those of a .marlin file")
        if np.any(self.scores == NO_SCORE):
            raise _tench.UsageError("positions without a score cannot be written")
        # The rows may be mapped from that very file, which must not be cut short under them.
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            self.rows.tofile(part)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    def to_frame(self, fens: bool = True) -> "pandas.DataFrame":
        """A row a position."""
        columns: dict[str, Any] = {"fen": self.fens()} if fens else {}
        columns["score"] = np.array(self.scores)
        columns["result"] = self.results / 2
        columns["depth"] = np.array(self.depths)
        columns["black_to_move"] = self.black_to_move
        return new_frame(columns)

    def _column(self, name: str) -> Array:
        column: Array = self.rows[name]
        return column

    def _bytes(self) -> Array:
        return np.ascontiguousarray(self.rows).view(np.uint8)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, which: Any) -> "View":
        """Some of the positions: by a slice, indices or a mask."""
        return View(np.atleast_1d(self.rows[which]))

    def __repr__(self) -> str:
        return f"<View of {len(self):,} positions>"


def _names(sources: Sequence[str | os.PathLike[str]]) -> list[str]:
    if not sources:
        raise _tench.UsageError("there is no source\nhelp: name files, or runs such as `last`")
    return [os.fspath(source) for source in sources]


def view(
    *sources: str | os.PathLike[str],
    unique: bool = False,
    reports: str | os.PathLike[str] = "reports",
    **filters: Unpack[Filters],
) -> View:
    """The positions of files and runs that the filters keep, as `harness data view` chooses them.

    A source is a file of any format, or a run: an id, the beginning of one, `last`. With `unique`,
    each position once, with its deepest label and the mean of its results. The filters are those
    of `harness data view`: `keep`, `min_ply`, `max_score`, `one_in`, `checks`, `tactical`,
    `min_depth`, `unscored`, `min_pieces`, `max_pieces`, `likely`.
    """
    names = _names(sources)
    buffer, counts = _tench.collect(names, reports, dict(filters), unique)
    return View(np.frombuffer(memoryview(buffer), ROW), counts)


def write_view(
    output: str | os.PathLike[str],
    *sources: str | os.PathLike[str],
    unique: bool = False,
    reports: str | os.PathLike[str] = "reports",
    **filters: Unpack[Filters],
) -> dict[str, Any]:
    """Writes the same to a file, whose ending says the format; returns the counts."""
    names = _names(sources)
    found: dict[str, Any] = _tench.write(
        names, reports, dict(filters), unique, Path(output).absolute()
    )
    return found


def mapped(path: str | os.PathLike[str]) -> Array:
    """A file of `.marlin` or `.bin` rows, mapped into memory and read-only."""
    endings = {".marlin": ROW, ".bin": BULLET, ".bullet": BULLET, ".data": BULLET}
    kind = endings.get(Path(path).suffix)
    if kind is None:
        known: Sequence[str] = sorted(endings)
        raise _tench.UsageError(f"{path}: only {', '.join(known)} have rows that can be mapped")
    return _map(path, kind)


def _map(path: str | os.PathLike[str], kind: np.dtype[Any]) -> Array:
    size = os.stat(path).st_size
    if size % kind.itemsize:
        raise _tench.RunError(f"{path}: {size} bytes are no rows of {kind.itemsize} bytes")
    if size == 0:
        return np.empty(0, kind)
    return np.memmap(path, dtype=kind, mode="r")
