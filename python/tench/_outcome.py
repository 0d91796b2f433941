"""What the outcomes of runs share: values of their summaries as typed attributes."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Field(Generic[T]):
    """A read-only attribute of an outcome: the value of its name in the summary, converted."""

    def __init__(self, convert: Callable[[Any], T], doc: str) -> None:
        self._convert = convert
        self._name = ""
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, outcome: None, owner: type) -> "Field[T]": ...

    @overload
    def __get__(self, outcome: "RunOutcome", owner: type) -> T: ...

    def __get__(self, outcome: "RunOutcome | None", owner: type) -> "Field[T] | T":
        if outcome is None:
            return self
        return self._convert(outcome.summary[self._name])

    def __set__(self, outcome: "RunOutcome", value: object) -> None:
        raise AttributeError(f"`{self._name}` is read from the summary and cannot be set")


def optional(convert: Callable[[Any], T]) -> Callable[[Any], T | None]:
    """The conversion of a value that may be missing."""
    return lambda value: None if value is None else convert(value)


class RunOutcome:
    """The result of a run."""

    def __init__(self, summary: dict[str, Any]) -> None:
        self.summary: dict[str, Any] = summary
        """Everything, as `--json` prints it."""

    run = Field(str, "The id of the run.")
    warnings = Field(list[str], "Reasons to trust the result less.")
