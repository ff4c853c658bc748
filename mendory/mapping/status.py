"""The owner's words for a status, and what really makes the owner's reader stop returning a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from types import MappingProxyType
from typing import Any, Final

from mendory.mapping.places import Place
from mendory.mapping.times import UNITS, written
from mendory.record import Status
from mendory.text import is_blank, text_of

NOW: Final = "now:"
"""A mark's value `now:s`, `now:ms`, `now:us`, `now:ns`, `now:iso`, `now:timestamp` (for Arrow timestamps), or
`now:` and a strftime format, is the time of the plan."""

TIMESTAMP: Final = "timestamp"

Marks = tuple[tuple[Place, Any], ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How an owner says that a memory is active, disputed or hidden.

    `words`: the owner's word → active, pending_review or archived; `missing`: what no word means. `hide`: the
    marks that make the owner's reader stop returning a row, None when nothing does. `pending`: the marks of a
    disputed row that the reader still returns, None when there are none. `show`: what live rows hold where hidden
    ones are marked; a new row gets it.
    """

    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    missing: str | None = None
    hide: Marks | None = None
    pending: Marks | None = None
    show: Marks = ()

    def word(self, status: str) -> str | None:
        """The owner's first word for a status of ours; None when words are given and none means it."""
        if not self.words:
            return status
        return next((word for word, meant in self.words.items() if meant == status), None)

    def read(
        self, cells: Sequence[Any] | None, hidden: Sequence[bool], silent: str | None
    ) -> tuple[list[Any], list[int]]:
        """(status of each row in our words where known, positions of cells that are no word at all).

        `cells` are those of the status place, None where there is none; `silent` is what a missing word means.
        """
        found: list[Any] = []
        unread = []
        for at, hides in enumerate(hidden):
            cell = None if cells is None else cells[at]
            word = cell if isinstance(cell, str) else text_of(cell)
            if hides:
                found.append(Status.ARCHIVED.value)
                continue
            if word is None and cell is not None:
                unread.append(at)
            found.append(silent if silent and is_blank(word) else self.words.get(word or "", word))
        return found, unread


def held(value: Any, cell: Any) -> bool:
    """True when a row's cell carries the mark: equal to a constant, or any time at all for `now:…`.

    >>> held("now:ms", 0), held("now:ms", 1740830400000), held(1, True), held("archived", None)
    (False, True, True, False)
    """
    if isinstance(value, str) and value.startswith(NOW):
        return cell not in (None, 0, False) and not (isinstance(cell, str) and is_blank(cell))
    return cell is not None and (cell == value or text_of(cell) == text_of(value))


def mark_value(value: Any, now: datetime | None, zone: tzinfo = UTC) -> Any:
    """What is written for a mark: the constant, or the time `now`, as text in `zone`."""
    if isinstance(value, str) and value.startswith(NOW):
        assert now is not None, "a mark of time needs the time"
        form = value.removeprefix(NOW)
        return now if form == TIMESTAMP else written(now, form, None, zone)
    return value


def is_mark(value: Any) -> bool:
    """True for a value that a mark may have."""
    if isinstance(value, str) and value.startswith(NOW):
        form = value.removeprefix(NOW)
        return form in (*UNITS, "iso", TIMESTAMP) or "%" in form
    return isinstance(value, str | bool | int | float)
