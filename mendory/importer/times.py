"""Times of records: ISO 8601, a strptime format with Chinese weekdays, or numbers since 1970. Pure."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from mendory.importer.shaping import Shaping
from mendory.mapping.times import UNITS

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LIKELY: Final = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
_WEEKDAYS = dict(zip("一二三四五六日天", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Sun"), strict=True))
_MIDNIGHT_AFTER = re.compile(r"[T ]24")
_TOO_FINE = re.compile(r"[.,]\d{6}\d*[1-9]")
_HINT = "a time is ISO 8601, or say how it reads with --time-format"


class NotThisTime(Exception):
    """A value is no time: (reason, hint)."""


class Finer(datetime):
    """A time with the nanoseconds that a datetime has no room for."""

    nanoseconds: int

    @classmethod
    def of(cls, moment: datetime, nanoseconds: int) -> Finer:
        """The time, so many nanoseconds later."""
        made = cls.combine(moment.date(), moment.timetz())
        made.nanoseconds = nanoseconds
        return made

    def isoformat(self, sep: str = "T", timespec: str = "microseconds") -> str:
        """The time as text, to the nanosecond."""
        text = super().isoformat(sep, timespec)
        return f"{text[:26]}{self.nanoseconds:03d}{text[26:]}"


def moment_of(value: Any, name: str, shaping: Shaping) -> tuple[datetime, list[str]]:
    """(the time in UTC, what is odd about it) of a text, a number or a time; what is finer than microseconds is cut.

    Raises NotThisTime, with a suggestion for a number that is plainly of another unit than --time-format says.
    """
    if isinstance(value, int | float):
        cut = isinstance(value, int) and value * 10**6 % UNITS.get(shaping.time_format or "", 1) != 0
        return _number(value, name, shaping.time_format), ["timestamp_precision"] if cut else []
    odd = []
    try:
        moment = value if isinstance(value, datetime) else _text(value, shaping.time_format)
        if isinstance(value, Finer) or (isinstance(value, str) and _TOO_FINE.search(value)):
            moment = datetime.combine(moment.date(), moment.timetz())
            odd.append("timestamp_precision")
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=shaping.zone)
            odd.append("naive_timestamp")
        return moment.astimezone(UTC), odd
    except (ValueError, OverflowError):
        raise NotThisTime("bad_timestamp", _HINT) from None


def _text(text: str, time_format: str | None) -> datetime:
    if time_format is None or time_format in UNITS:
        if _MIDNIGHT_AFTER.search(text, 8):  # newer Pythons read it as the next day's midnight
            raise ValueError(text)
        return datetime.fromisoformat(text)
    return datetime.strptime(_western_weekday(text, time_format), time_format)  # noqa: DTZ007


def _western_weekday(text: str, time_format: str) -> str:
    if "%a" in time_format or "%A" in time_format:
        for chinese, english in _WEEKDAYS.items():
            for prefix in ("星期", "礼拜", "周"):
                text = text.replace(prefix + chinese, english)
    return text


def _number(value: float, name: str, unit: str | None) -> datetime:
    if unit not in UNITS:
        hint = f"{name} is a number; say with --time-format what it counts since 1970: s, ms, us, ns"
        raise NotThisTime("wrong_type", hint)
    read = _since_1970(value, unit)
    if read is None or not _likely(read):
        for other in UNITS:
            meant = _since_1970(value, other)
            if other != unit and meant is not None and _likely(meant):
                hint = f"{name} in {unit} is the year {_year(value, unit)}; in {other} it is {meant.date()}"
                raise NotThisTime("timestamp_unit", f"{hint}: --time-format {other}")
    if read is None:
        raise NotThisTime("bad_timestamp", _HINT)
    return read


def _since_1970(value: float, unit: str) -> datetime | None:
    if not math.isfinite(value):
        return None
    micros = Fraction(value) * 10**6 / UNITS[unit]  # exact: a float of milliseconds times a million is not
    try:
        return _EPOCH + timedelta(microseconds=round(micros) if isinstance(value, float) else math.floor(micros))
    except OverflowError:
        return None


def _likely(moment: datetime) -> bool:
    return _LIKELY[0] <= moment < _LIKELY[1]


def _year(value: float, unit: str) -> int:
    return 1970 + int(value / UNITS[unit] / 31_556_952)
