"""Proof that a repaired memory is whole: each column against the row as it was and what the plan names. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from mendory import digest
from mendory.jsontext import NotAnObject, parse_object
from mendory.plan.model import ColumnChange

SAMPLE: Final = 20
"""Repaired memories of a plan that are proven and shown to a person (design §9)."""


def sample(plan_id: str, rows: Iterable[str], most: int = SAMPLE) -> tuple[str, ...]:
    """At most so many of the rows, for ever the same ones of a plan; one row more replaces at most one of them."""
    return tuple(sorted(sorted(set(rows), key=lambda row: digest.of([plan_id, row]))[:most]))


@dataclass(frozen=True, slots=True)
class Proof:
    """What a repaired memory lacks to be whole: nothing, where all is as it was but for what the plan names.

    `strayed` are columns that differ otherwise, `dangling` the memories it was made to name that are not there. `gone`
    says that the row is not there, `doubtful` that the images of it are not those the repair's receipt is about.
    """

    strayed: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()
    gone: bool = False
    doubtful: bool = False

    @property
    def whole(self) -> bool:
        """True when nothing is lacking."""
        return not (self.strayed or self.dangling or self.gone or self.doubtful)


def strayed(
    before: pa.Table, after: pa.Table, now: pa.Table, places: Collection[str], volatile: Collection[str]
) -> tuple[str, ...]:
    """The columns of the one-row table `now` that are not as before, or where the plan names them not as after.

    Compared bit for bit, vectors too. `places` are columns, and as `column.leaf` leaves of struct columns. What a mere
    read changes is left out, and so are columns that came or went since.
    """
    return tuple(_strayed(before, after, now, frozenset(places), volatile))


def _strayed(
    before: pa.Table, after: pa.Table, now: pa.Table, places: frozenset[str], volatile: Collection[str]
) -> Iterator[str]:
    for column in before.column_names:
        if column not in now.column_names or column in volatile:
            continue
        named = {p for p in places if p == column or p.startswith(f"{column}.")}
        if named and not _same(after, now, column, volatile):
            yield column
        elif column in named:
            continue
        # of a struct that was null, what the plan does not name was nothing
        elif (before.column(column)[0].is_valid or not named) and not _same(before, now, column, {*volatile, *named}):
            yield column


def _same(one: pa.Table, other: pa.Table, column: str, skip: Collection[str]) -> bool:
    return digest.row_digests(one.select([column]), skip) == digest.row_digests(other.select([column]), skip)


def told(place: str, old: Any, new: Any) -> list[ColumnChange]:
    """The change as a person reads it: of JSON objects only the keys that differ, each as a place of its own.

    >>> [(c.column, c.old, c.new) for c in told("meta", '{"a": 1, "b": 2}', '{"a": 1, "b": 3}')]
    [('meta.b', 2, 3)]
    """
    if isinstance(old, str) and isinstance(new, str):
        try:
            return list(_keys(place, parse_object(old), parse_object(new)))
        except NotAnObject:
            pass
    return [ColumnChange(place, old, new)]


def _keys(place: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[ColumnChange]:
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key), new.get(key)
        if isinstance(was, dict) and isinstance(now, dict):
            yield from _keys(f"{place}.{key}", was, now)
        elif was != now or (key in old) != (key in new):
            yield ColumnChange(f"{place}.{key}", was, now)
