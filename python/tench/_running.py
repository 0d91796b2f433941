"""What the calls that start or resume runs share."""

from collections.abc import Callable, Sequence
from typing import Any

from . import _flags
from .engines import Engine, resolved
from .progress import RunProgress, wanted

OnEvent = Callable[[dict[str, Any]], object]
"""Takes events: the dictionaries of `--json-stream`, and `warning`."""


def watched(
    progress: bool | None, on_event: OnEvent | None
) -> tuple[OnEvent | None, list[str] | None]:
    """What is called with each event: the progress line and the caller's function. Then the names
    of the events that it wants; `None`: all.
    """
    shown = RunProgress() if wanted(progress) else None
    if shown is None:
        return on_event, None
    if on_event is None:
        return shown, list(RunProgress.EVENTS)

    def both(event: dict[str, Any]) -> None:
        shown(event)
        on_event(event)

    return both, None


def arguments(
    engines: Sequence[str | Engine],
    limit: str | None,
    options: dict[str, object] | None,
    flags: dict[str, object],
) -> tuple[list[str], dict[str, object]]:
    """The words of a command line, and the engines that it names."""
    names, entries, limits = resolved(engines)
    words = _flags.words({**flags, "option": options})
    common = [f"--{limit}"] if limit else []
    return [*common, *words, *limits, "--", *names], entries
