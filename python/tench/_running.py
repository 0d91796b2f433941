"""What the calls that start or resume runs share."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypedDict

from . import _flags, _tench
from .engines import EngineLike, resolved
from .progress import RunProgress, wanted

OnEvent = Callable[[dict[str, Any]], object]
"""Takes events: the dictionaries of `--json-stream`, and `warning`."""


class Settings(TypedDict):
    """How a run is executed."""

    reports: str | PathLike[str]
    probe: bool
    on_event: OnEvent | None
    events: list[str] | None
    """Names of the events that `on_event` is called with; `None`: all."""
    on: str | None
    """Address of a server whose workers play; `None`: this process does."""


def settings(
    reports: str | PathLike[str],
    probe: bool,
    progress: bool | None,
    on_event: OnEvent | None,
    on: str | None,
) -> Settings:
    """Settings whose `on_event` is the progress line, the caller's function, or both."""
    shown = RunProgress() if wanted(progress) else None
    if shown is None:
        return Settings(reports=reports, probe=probe, on_event=on_event, events=None, on=on)
    if on_event is None:
        events = list(RunProgress.EVENTS)
        return Settings(reports=reports, probe=probe, on_event=shown, events=events, on=on)

    def both(event: dict[str, Any]) -> None:
        shown(event)
        on_event(event)

    return Settings(reports=reports, probe=probe, on_event=both, events=None, on=on)


def arguments(
    engines: Sequence[EngineLike],
    limit: str | None,
    options: dict[str, object] | None,
    flags: dict[str, object],
) -> tuple[list[str], dict[str, object]]:
    """The words of a command line, and the engines that it names."""
    names, entries, limits = resolved(engines)
    words = _flags.words({**flags, "option": options})
    if limit and "=" not in limit:
        raise _tench.UsageError(
            f"limit {limit!r}\n"
            "help: write it as `nodes=5000`, `tc=8+0.08`, `depth=6`, `movetime=1s`"
        )
    common = [f"--{limit}"] if limit else []
    return [*common, *words, *limits, "--", *names], entries
