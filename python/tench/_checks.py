"""Checks of arguments, whose errors name them in the caller's words."""

import math
import operator
from collections.abc import Iterable

from . import _tench


def whole(what: str, value: object, least: int = 0) -> int:
    """A whole number of at least `least`; `5.0` and NumPy's are whole numbers, too.

    >>> whole("games", 5.0), whole("games", True)
    (5, 1)
    """
    number = _index(value)
    if number is None:
        raise _tench.UsageError(f"{what}: {value!r} is no whole number")
    if number < least:
        raise _tench.UsageError(f"{what}: {number} is less than {least}")
    return number


def _index(value: object) -> int | None:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        is_whole = isinstance(value, float) and value.is_integer()
        return int(value) if is_whole else None  # type: ignore[call-overload]


def wholes(what: str, values: object) -> list[int]:
    """Whole numbers of at least 0."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise _tench.UsageError(f"{what}: {values!r} is no list of counts")
    return [whole(what, value) for value in values]


def number(what: str, value: object) -> float:
    """A number; text is none."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except TypeError:
        raise _tench.UsageError(f"{what}: {value!r} is no number") from None


def share(what: str, value: float) -> float:
    """A number from 0 to 1; NaN passes, as in `math`."""
    found = number(what, value)
    if math.isnan(found) or 0 <= found <= 1:
        return found
    raise _tench.UsageError(f"{what}: {found:g} is not from 0 to 1")


def positive(what: str, value: float) -> float:
    """A finite number above 0."""
    found = number(what, value)
    if found > 0 and math.isfinite(found):
        return found
    raise _tench.UsageError(f"{what}: {found:g} is no number above 0")
