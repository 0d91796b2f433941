"""Engines: what plays."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import _flags, _tench


@dataclass(frozen=True)
class Engine:
    """An engine with its arguments and options.

    Where nothing of that is needed, its name alone will do: `builtin` (the linked engine, in this
    process), a name of `harness.yaml`, a program, a path, or a git revision.

    >>> Engine("stockfish", options={"Skill Level": 3}, limit="depth=4").name
    'stockfish'
    """

    cmd: str
    """A program on PATH, a path, or `builtin`."""
    name: str = ""
    """In results; the program's by default."""
    args: Sequence[str] = ()
    """Arguments of the program."""
    options: Mapping[str, object] = field(default_factory=dict)
    """UCI options."""
    limit: str | None = None
    """A limit of its own: `nodes=5000`, `tc=8+0.08`, `depth=6`, `movetime=100ms`."""
    dir: str | os.PathLike[str] | None = None
    """Working folder."""
    proto: str = "uci"
    """`uci` or `xboard`."""
    init: Sequence[str] = ()
    """Lines that are sent to it before anything else."""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", Path(self.cmd).name)

    @staticmethod
    def python(script: str | os.PathLike[str], *args: str, **settings: Any) -> "Engine":
        """An engine written in Python, run by this interpreter.

        >>> Engine.python("my_engine.py").args[-1].endswith("my_engine.py")
        True
        """
        path = Path(script).absolute()
        settings.setdefault("name", path.stem)
        return Engine(sys.executable, args=("-u", str(path), *args), **settings)

    def with_options(self, options: Mapping[str, object], name: str | None = None) -> "Engine":
        """The same engine with further options, and another name if one is given."""
        return replace(self, name=name or self.name, options={**self.options, **options})

    def _entry(self) -> dict[str, object]:
        cmd = os.path.abspath(self.cmd) if os.sep in self.cmd else self.cmd
        entry: dict[str, object] = {
            "cmd": cmd,
            "args": [str(one) for one in self.args],
            "proto": self.proto,
            "init": list(self.init),
            "options": {name: _flags.text(value) for name, value in self.options.items()},
        }
        if self.dir is not None:
            entry["dir"] = os.path.abspath(self.dir)
        return entry


EngineLike = str | os.PathLike[str] | Engine
"""What plays: a name, a path, a git revision, or an `Engine`."""


def _known(engine: object) -> str | Engine:
    """An engine as `resolved` takes it: the path of a `Path` is no name."""
    if isinstance(engine, (str, Engine)):
        return engine
    if isinstance(engine, os.PathLike):
        return str(Path(engine).absolute())
    raise _tench.UsageError(
        f"{engine!r} is no engine\nhelp: give a name, a path, a git revision or an `Engine`"
    )


def resolved(engines: Sequence[EngineLike]) -> tuple[list[str], dict[str, object], list[str]]:
    """Names for the command line, the engines that they stand for, and flags of their limits."""
    given = [_known(engine) for engine in engines]
    names: list[str] = []
    known: dict[str, Engine] = {}
    # A string names another engine than an `Engine` of that name.
    taken = {"builtin", ".", *(engine for engine in given if isinstance(engine, str))}
    for engine in given:
        if isinstance(engine, str):
            names.append(engine)
            continue
        name, count = engine.name, 1
        while known.get(name, engine) != engine or name in taken:
            count += 1
            name = f"{engine.name}#{count}"
        known[name] = engine
        names.append(name)
    limits = [f"--limit={name}:{engine.limit}" for name, engine in known.items() if engine.limit]
    return names, {name: engine._entry() for name, engine in known.items()}, limits
