"""Ratings of many players at once, from their games."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _tench
from ._optional import new_frame
from .matches import Game
from .stats import Estimate

if TYPE_CHECKING:
    import pandas

_HALF_POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}

Result = tuple[str, str, str | float]
"""White, Black, and `1-0`, `1/2-1/2` or `0-1`, or the points of White: 1, 0.5 or 0."""


@dataclass(frozen=True)
class Player:
    """A player with its rating."""

    name: str
    elo: Estimate
    """Above the average of all players, from the games of all of them at once."""
    games: int
    wins: int
    draws: int
    losses: int
    points: float


class Ratings:
    """The ratings of players, best first."""

    def __init__(self, summary: dict[str, Any]) -> None:
        self.summary = summary
        """Everything, as `harness stats --pgn FILE --json` prints it."""
        self.players = [_player(row) for row in summary["players"]]
        self.games = int(summary["games"])
        """Games that count."""
        self.white = Estimate(**summary["white"])
        """What the white pieces are worth, in Elo."""

    def __getitem__(self, name: str) -> Player:
        for player in self.players:
            if player.name == name:
                return player
        raise KeyError(name)

    def __len__(self) -> int:
        return len(self.players)

    def to_frame(self) -> "pandas.DataFrame":
        """A row a player."""
        return new_frame(
            [
                {**vars(player), "elo": float(player.elo), "error95": player.elo.error95}
                for player in self.players
            ]
        )

    def __repr__(self) -> str:
        return f"<{len(self)} players, {self.games} games>"


def _player(row: dict[str, Any]) -> Player:
    fields = {name: row[name] for name in Player.__dataclass_fields__ if name != "elo"}
    return Player(elo=Estimate(**row["elo"]), **fields)


def ratings(
    games: str | os.PathLike[str] | Iterable[Game | Result], *, min_games: int = 1
) -> Ratings:
    """Rates all players of a PGN file, of outcomes' games, or of results.

    The model is that of Bradley and Terry on the Elo scale, a draw being half a win and half a
    loss; 0 is the average of all who have a rating. `min_games` leaves out who played less;
    games of a player with itself are left out, too.

    >>> found = ratings([("a", "b", "1-0"), ("b", "a", 0.5), ("b", "c", "1/2-1/2"), ("c", "a", 1)])
    >>> [player.name for player in found.players], found.games
    (['c', 'a', 'b'], 4)
    """
    if isinstance(games, (str, os.PathLike)):
        return Ratings(_tench.ratings_of_file(os.fspath(games), min_games))
    return Ratings(_tench.ratings_of_results([_result(game) for game in games], min_games))


def _result(game: Game | Result) -> tuple[str, str, int]:
    if isinstance(game, Game):
        return game.white, game.black, _HALF_POINTS[game.result]
    if len(game) != 3 or not all(isinstance(name, str) for name in game[:2]):
        raise _tench.UsageError(f"{game!r} is no result\nhelp: give (white, black, result)")
    white, black, result = game
    halves = _HALF_POINTS.get(result) if isinstance(result, str) else _halves(result)
    if halves is None:
        raise _tench.UsageError(
            f"the result {result!r} of {white} against {black}\nhelp: give 1-0, 1/2-1/2 or 0-1, or "
            "the points of White: 1, 0.5 or 0"
        )
    return white, black, halves


def _halves(points: float) -> int | None:
    return int(2 * points) if points in (0, 0.5, 1) else None
