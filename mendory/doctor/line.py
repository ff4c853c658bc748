"""One line of the doctor's: what was looked at, how it is, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """How it is: in order, worth attending to, or in the way of repairs."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Line:
    """What was looked at, how it is, a sentence with its values, and the sentence that says what to do.

    Sentences are kept apart from their values, so that they can be said in another language.
    """

    check: str
    state: State
    said: str
    values: Mapping[str, Any] = field(default_factory=dict)
    todo: str = ""

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory doctor --json` prints."""
        return {
            "check": self.check,
            "state": self.state.value,
            "said": self.said.format(**self.values),
            "todo": self.todo.format(**self.values),
            "values": dict(self.values),
        }


def ok(check: str, said: str, **values: Any) -> Line:
    """A line that is in order."""
    return Line(check, State.OK, said, values)


def warn(check: str, said: str, todo: str, **values: Any) -> Line:
    """A line worth attending to."""
    return Line(check, State.WARN, said, values, todo)


def fail(check: str, said: str, todo: str, **values: Any) -> Line:
    """A line that stands in the way of repairs."""
    return Line(check, State.FAIL, said, values, todo)


def size(count: int) -> str:
    """Bytes as people say them.

    >>> size(900), size(12_345_678)
    ('900 B', '12.3 MB')
    """
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def ago(seconds: int) -> str:
    """A time past, in the largest unit of which there were two.

    >>> ago(90), ago(7300)
    ('90 s', '2 h')
    """
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
