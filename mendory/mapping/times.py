"""Times as owners write them: Arrow timestamps, numbers of several units in one column, texts with and without zone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

UNITS: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
"""Numeric forms → so many a second."""
_ISO_LIKE: Final = ("%Y-%m-%d", "%Y%m%d")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (moment.replace(tzinfo=UTC) for moment in (datetime.min, datetime.max))  # noqa: DTZ901
_MOST_SECONDS: Final = 10**11
"""A number below this is of a column's smallest unit: as seconds it is the year 5138, as milliseconds March 1973."""


@dataclass(frozen=True, slots=True)
class TimeForms:
    """How one field's times are written.

    `forms`: `s`, `ms`, `us`, `ns` for numbers since 1970, `iso`, or strptime formats; several of them may be
    mixed in one column, numbers are then told apart by size. `zone`: of texts without an offset; for numbers
    that of the wall clock which was counted as if it were UTC, None for true epochs.
    """

    forms: tuple[str, ...]
    zone: tzinfo | None = None

    def read(self, cell: Any, zone: tzinfo) -> datetime | None:
        """The cell's time in UTC, None for a null or blank cell; `zone` is that of naive texts where none is set.

        Raises ValueError or OverflowError for a cell that is in none of the forms or in no calendar.
        """
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        if isinstance(cell, datetime):
            return _utc(cell, self.zone or zone)
        if isinstance(cell, bool) or not isinstance(cell, int | float | str):
            raise ValueError("no time")  # noqa: TRY004 - to the caller every cell that can't be read is alike
        units = [form for form in UNITS if form in self.forms]
        if isinstance(cell, str):
            text = cell.strip()
            if not units or not text.lstrip("-").isdecimal():
                return _utc(self._text(text), self.zone or zone)
            cell = int(text)
        if not units or not math.isfinite(cell):
            raise ValueError("no time")
        unit = next((u for u in units if abs(cell) < _MOST_SECONDS * UNITS[u]), units[-1])
        ticks = cell if isinstance(cell, int) else Fraction(cell)  # a product of floats loses microseconds
        moment = _EPOCH + timedelta(microseconds=int(ticks * 1_000_000 // UNITS[unit]))
        return moment if self.zone is None else _utc(moment.replace(tzinfo=None), self.zone)

    def _text(self, text: str) -> datetime:
        # many times faster than strptime, and of the same meaning where the first form begins as ISO does
        forms = ("iso", *self.forms) if "iso" in self.forms and self.forms[0].startswith(_ISO_LIKE) else self.forms
        for form in forms:
            try:
                if form == "iso":
                    return datetime.fromisoformat(text)
                if "%" in form:
                    return datetime.strptime(text, form)  # noqa: DTZ007 - the zone is set by the caller
            except ValueError:
                continue
        raise ValueError("no time")

    def write(self, moment: datetime, zone: tzinfo) -> Any:
        """The time in the first of the forms."""
        return written(moment, self.forms[0], self.zone, zone)


def written(moment: datetime, form: str, zone: tzinfo | None = None, naive: tzinfo = UTC) -> Any:
    """The time in one form: whole numbers for units, else text; ISO with its offset."""
    if form in UNITS:
        local = moment if zone is None else moment.astimezone(zone).replace(tzinfo=UTC)
        since = local - _EPOCH
        return (since.days * 86_400 + since.seconds) * UNITS[form] + since.microseconds * UNITS[form] // 1_000_000
    local = moment.astimezone(zone or naive)
    return local.isoformat() if form == "iso" else local.strftime(form)


def grain(form: str) -> timedelta:
    """What is finer than this is lost when a time is written in the form.

    >>> grain("ms"), grain("%Y-%m-%dT%H:%M:%S.%f") == grain("iso")
    (datetime.timedelta(microseconds=1000), True)
    >>> [str(grain(form)) for form in ("%Y-%m-%d %H:%M:%S", "%Y年%m月%d日 %H:%M", "%Y/%m/%d")]
    ['0:00:01', '0:01:00', '1 day, 0:00:00']
    """
    if form in UNITS:
        return timedelta(microseconds=max(1_000_000 // UNITS[form], 1))
    if form == "iso" or "%f" in form:
        return timedelta(microseconds=1)
    for directives, span in _GRAINS:
        if any(directive in form for directive in directives):
            return span
    return timedelta(days=1)


_GRAINS: Final = (
    (("%S", "%c", "%X"), timedelta(seconds=1)),
    (("%M",), timedelta(minutes=1)),
    (("%H", "%I"), timedelta(hours=1)),
)


def read_column(
    array: pa.Array | pa.ChunkedArray | None, cells: Sequence[Any], forms: TimeForms | None, zone: tzinfo
) -> tuple[list[datetime | None], list[int]]:
    """(times in UTC, positions of cells that can't be read) of an Arrow column, or of cells from JSON."""
    if array is not None and pa.types.is_timestamp(array.type):
        return _timestamps(array, (forms and forms.zone) or zone)
    read = forms or TimeForms(("iso",))
    values: list[datetime | None] = []
    unread = []
    for at, cell in enumerate(cells):
        try:
            values.append(read.read(cell, zone))
        except (ValueError, OverflowError):
            values.append(None)
            unread.append(at)
    return values, unread


def _utc(moment: datetime, zone: tzinfo) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _timestamps(column: pa.Array | pa.ChunkedArray, zone: tzinfo) -> tuple[list[datetime | None], list[int]]:
    if column.type.tz is None:
        column = pc.assume_timezone(column, str(zone), ambiguous="earliest", nonexistent="latest")
    values: list[datetime | None] = []
    unread = []
    for at, ticks in enumerate(column.cast(pa.int64()).to_pylist()):
        try:
            values.append(
                None if ticks is None else _EPOCH + timedelta(microseconds=ticks * 1_000_000 // UNITS[column.type.unit])
            )
        except OverflowError:  # before year 1 or after 9999
            values.append(None)
            unread.append(at)
    return values, unread


def utc_column(column: pa.Array, zone: tzinfo) -> tuple[pa.Array, np.ndarray]:
    """(an Arrow column of timestamps as microseconds in UTC, positions of those outside the calendar, null there)."""
    if column.type.tz is None:
        column = pc.assume_timezone(column, str(zone), ambiguous="earliest", nonexistent="latest")
    if column.null_count == len(column):
        return pa.nulls(len(column), pa.timestamp("us", "UTC")), np.zeros(0, np.int64)
    present = np.asarray(column.is_valid())
    ticks = np.asarray(column.cast(pa.int64()).fill_null(0))
    rate = UNITS[column.type.unit]
    first, last = (_ticks(moment, rate) for moment in (_FIRST, _LAST))
    outside = present & ((ticks < first) | (ticks > last))
    inside = np.where(outside, 0, ticks)
    micros = inside * (1_000_000 // rate) if rate <= 1_000_000 else inside // (rate // 1_000_000)
    return pa.array(micros, pa.timestamp("us", "UTC"), mask=~present | outside), np.flatnonzero(outside)


def _ticks(moment: datetime, rate: int) -> int:
    """The time as a count since 1970, no wider than 64 bits."""
    count = (moment - _EPOCH) // timedelta(microseconds=1) * rate // 1_000_000
    return max(min(count, 2**63 - 1), -(2**63))
