"""A line that shows how a run goes, in a terminal or a notebook."""

import importlib
import sys
import time
from typing import Any, TextIO

SHOW_EVERY = 0.2
"""Seconds between two updates."""


def wanted(progress: bool | None) -> bool:
    """By default there is a line where somebody can see it."""
    return progress if progress is not None else _in_notebook() or sys.stderr.isatty()


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


class Line:
    """A line that replaces itself, with rate and time left."""

    def __init__(self, total: int | None, done: int = 0, stream: TextIO | None = None) -> None:
        self.total, self.first = total, done
        self.stream = stream or sys.stderr
        self.began, self.shown = time.monotonic(), 0.0
        self.width = 0
        self.display: Any = None

    def show(self, done: int, what: str, details: str = "", last: bool = False) -> None:
        """Shows that `done` of the total are done, unless it did a moment ago."""
        now = time.monotonic()
        if not last and now - self.shown < SHOW_EVERY:
            return
        self.shown = now
        rate = (done - self.first) / max(now - self.began, 1e-9)
        of = f"/{self.total}" if self.total else ""
        text = f"{done}{of} {what}  {details}  {rate:.1f}/s".replace("    ", "  ")
        if self.total and rate > 0 and not last:
            text += f"  at most {_duration((self.total - done) / rate)} left"
        self._write(text, last)

    def note(self, text: str) -> None:
        """A line that stays."""
        if _in_notebook():
            print(text, file=self.stream)
        else:
            self.stream.write(f"\r{text:<{self.width}}\n")
            self.stream.flush()

    def _write(self, text: str, last: bool) -> None:
        if _in_notebook():
            content = {"text/plain": text}
            if self.display is None:
                shown = importlib.import_module("IPython.display")
                self.display = shown.display(content, raw=True, display_id=True)
            else:
                self.display.update(content, raw=True)
            return
        self.stream.write(f"\r{text:<{self.width}}" + ("\n" if last else ""))
        self.stream.flush()
        self.width = len(text)


class RunProgress:
    """Shows the events of a match, a test, a suite or a tuning run."""

    EVENTS = (
        "run_started",
        "statistics",
        "searched",
        "tuned",
        "run_finished",
        "warning",
        "broken",
    )
    """Names of the events that it takes."""

    def __init__(self) -> None:
        self.line = Line(None)
        self.what = "games"
        self.solved = 0

    def __call__(self, event: dict[str, Any]) -> None:
        """Takes an event."""
        kind = event["event"]
        if kind == "run_started":
            self.what = "positions" if event["command"] == "suite" else "games"
            self.line = Line(event.get("games") or event.get("positions"), event["done"])
        elif kind == "statistics":
            self.line.show(event["games"], self.what, _standing(event))
        elif kind == "searched":
            last = event["done"] == self.line.total
            self.line.show(event["done"], self.what, f"{event['solved']} solved", last)
        elif kind == "tuned":
            values = ", ".join(f"{name} {value:.1f}" for name, value in event["values"].items())
            last = event["games"] == self.line.total
            self.line.show(event["games"], self.what, values, last)
        elif kind == "run_finished":
            summary = event["summary"]
            self.line.show(summary["games"], self.what, _standing(summary), last=True)
        elif kind == "warning":
            self.line.note(f"warning: {event['text']}")
        elif kind == "broken":
            games = event["games"]
            self.line.note(f"{event['engine']} lost {games} games in a row by crashes or faults")


def _standing(event: dict[str, Any]) -> str:
    text = f"W {event['wins']} D {event['draws']} L {event['losses']}"
    elo = event["elo"]
    if elo["value"] is not None:
        text += f"  Elo {elo['value']:+.1f}"
        if elo["error95"] is not None:
            text += f" ± {elo['error95']:.1f}"
    if event.get("llr") is not None:
        text += f"  LLR {event['llr']:.2f}"
    return text


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
