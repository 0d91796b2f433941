"""The flags of the commands, as keywords with their types."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal, TypedDict


class PlayFlags(TypedDict, total=False):
    """Flags of `harness match` and `harness sprt`; `harness match --help` explains them."""

    # Limits.
    tc: str
    movetime: str
    nodes: int
    depth: int
    time_margin: int
    watchdog: str
    ponder: bool
    wait: str
    # Openings.
    openings: str | PathLike[str]
    order: Literal["random", "sequential"]
    opening_start: int
    opening_count: int
    opening_plies: int
    seed: int
    chess960: bool
    variant: Literal[
        "atomic",
        "antichess",
        "crazyhouse",
        "king-of-the-hill",
        "racing-kings",
        "three-check",
        "horde",
    ]
    # Adjudication.
    resign_score: int
    resign_moves: int
    resign_two_sided: bool
    draw_score: int
    draw_moves: int
    draw_from: int
    max_moves: int
    tb: str
    tb_pieces: int
    tb_ignore_50: bool
    tb_results: str
    # Playing.
    jobs: int
    patience: str
    memory_limit: int
    affinity: bool
    shard: str
    restart: bool
    log_uci: str
    pgn_comments: Sequence[str]
    pgn_lines: Sequence[str]
    event: str
    live_pgn: str | PathLike[str]
    collect: str | bool
    # Of an SPRT.
    max_games: int
    alpha: float
    beta: float
    model: Literal["normalized", "logistic"]
    bounds: Literal["wald", "falling", "triangular"]
    stop_futile: float | bool
    draw_ratio: float


class MatchFlags(PlayFlags, total=False):
    """Flags of `harness match`."""

    games: int
    format: Literal["gauntlet", "round-robin", "pyramid", "knockout", "swiss"]
    seeds: int
    seeds_meet: bool
    swiss_rounds: int
    no_swap: bool
    reverse: bool
    own_openings: bool


class RaceFlags(PlayFlags, total=False):
    """Flags of `harness race`."""

    batch: int
    vary: Mapping[str, Sequence[object]]


class SuiteFlags(TypedDict, total=False):
    """Flags of `harness suite`."""

    movetime: str
    nodes: int
    depth: int
    hold: int
    multipv: int
    jobs: int
    restart: bool
    baseline: str | PathLike[str]


class Filters(TypedDict, total=False):
    """The filters of `harness data view`."""

    keep: Literal["all", "winner", "winner_and_draws"]
    min_ply: int
    max_score: int
    one_in: int
    checks: bool
    tactical: bool
    min_depth: int
    unscored: bool
    min_pieces: int
    max_pieces: int
    likely: bool
