"""How a column writes its times: the units and formats mixed in it, and the zone of its wall clock."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from mendory.guess.evidence import Evidence, Place
from mendory.guess.remark import Remark, remark

FORMATS: Final = (
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y.%m.%d %H:%M:%S",
    "%Y.%m.%d",
    "%Y年%m月%d日 %H:%M:%S",
    "%Y年%m月%d日 %H:%M",
    "%Y年%m月%d日 %H时%M分%S秒",
    "%Y年%m月%d日%H时%M分%S秒",
    "%Y年%m月%d日",
    "%Y-%m-%d %H:%M:%S,%f",
    "%Y%m%d%H%M%S",
    "%a, %d %b %Y %H:%M:%S %z",
    "%a %b %d %H:%M:%S %Y",
    "%d %b %Y %H:%M:%S",
)
"""Formats whose reading is certain; day and month as bare numbers in doubtful order are none."""

_UNITS: Final = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_PLAUSIBLE: Final = (datetime(1990, 1, 1, tzinfo=UTC).timestamp(), datetime(2100, 1, 1, tzinfo=UTC).timestamp())
_NEAR: Final = timedelta(minutes=2)
_STEP: Final = timedelta(minutes=30)
_FARTHEST: Final = timedelta(hours=14)
_ENOUGH: Final = 5
_NAMED: Final = {
    3.5: "Asia/Tehran",
    4.5: "Asia/Kabul",
    5.5: "Asia/Kolkata",
    6.5: "Asia/Yangon",
    9.5: "Australia/Darwin",
}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")


@dataclass(frozen=True, slots=True)
class Written:
    """How the times of one place are written.

    `forms` are those of `[mapping.times]`, empty for Arrow timestamps. `naive` says that the zone is
    not in the values; `zone` is what was concluded or given, None for UTC. `doubt` is what to confirm.
    """

    forms: tuple[str, ...]
    naive: bool
    zone: str | None = None
    doubt: Remark | None = None


def unit(value: Any) -> str | None:
    """The unit in which a number is a time between 1990 and 2100; None when it is one in no unit.

    >>> unit(1740830400), unit(1740830400000.0), unit(0), unit(3)
    ('s', 'ms', None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return next((u for u, each in _UNITS.items() if _PLAUSIBLE[0] <= value / each <= _PLAUSIBLE[1]), None)


def written(place: Place, evidence: Evidence) -> Written | None:
    """How the place writes times; None when it holds none."""
    if place.kind == "time":
        naive = place.within == "column" and evidence.schema.field(place.path).type.tz is None
        return _zoned(place, evidence, Written((), naive))
    if place.kind == "number":
        return _numbers(place, evidence)
    if place.kind == "text":
        return _texts(place, evidence)
    return None


def _numbers(place: Place, evidence: Evidence) -> Written | None:
    values = [v for v in place.held if v]
    units = Counter(unit(v) for v in values)
    if not values or units[None] * 10 > len(values):
        return None
    del units[None]
    forms = tuple(str(u) for u, _ in units.most_common())
    return _zoned(place, evidence, Written(forms, False))


def _texts(place: Place, evidence: Evidence) -> Written | None:
    values = [v.strip() for v in place.held if isinstance(v, str)]
    if not values:
        return None
    forms: Counter[str] = Counter()
    naive = False
    for text in values:
        form, moment = _form(text)
        forms[form] += 1
        naive = naive or (moment is not None and moment.tzinfo is None)
    if forms[""] * 10 > len(values):
        return None
    del forms[""]
    return _zoned(place, evidence, Written(tuple(f for f, _ in forms.most_common()), naive))


def _form(text: str) -> tuple[str, datetime | None]:
    if text.isdecimal():
        number = unit(int(text))
        if number:
            return number, None
    try:
        return "iso", datetime.fromisoformat(text)
    except ValueError:
        pass
    for form in FORMATS:
        try:
            return form, datetime.strptime(text, form)  # noqa: DTZ007 - whether there is a zone is asked next
        except ValueError:
            continue
    return "", None


def _zoned(place: Place, evidence: Evidence, plain: Written) -> Written:
    """`plain` with what the evidence says about the wall clock its values were read from."""
    number = bool(plain.forms) and plain.forms[0] in _UNITS
    if not plain.naive and not number:
        return plain
    found = _offset(place, evidence, plain)
    if found is not None:
        ahead, why = found
        if not ahead:
            return plain if number else Written(plain.forms, True, "UTC")
        zone = _zone(ahead, evidence)
        about = {"place": place.path, "zone": zone, "hours": f"{ahead / timedelta(hours=1):g}", "other": why}
        return Written(plain.forms, plain.naive, zone, remark(_TOLD[number, bool(why)], **about))
    if number:
        return plain
    if evidence.zone:
        return Written(plain.forms, True, evidence.zone)
    return Written(plain.forms, True, None, remark(_UNTOLD, place=place.path))


_TOLD: Final = {
    (
        True,
        False,
    ): "{place} counts from the wall clock of {zone}: its newest is {hours} h after the commit that wrote it",
    (True, True): "{place} counts from the wall clock of {zone}: it runs {hours} h ahead of UTC beside {other}",
    (False, False): "{place} is of {zone}: its newest is {hours} h after the commit that wrote it",
    (False, True): "{place} is of {zone}: it runs {hours} h ahead of UTC beside {other}",
}
_UNTOLD: Final = "{place} has times without a zone, taken for UTC: if they are of another, name --zone"


def _offset(place: Place, evidence: Evidence, plain: Written) -> tuple[timedelta, str] | None:
    """(how far the place's wall clock is ahead of UTC, the place beside it that tells so); None when nothing tells."""
    ahead = _ahead_of_history(_newest(place, plain.forms, evidence), evidence.added)
    if ahead is not None:
        return ahead, ""
    for other in evidence.of(("text", "number", "time"), ("column", "leaf")):
        offset = _beside(place, plain, other, evidence) if other.path != place.path else None
        if offset is not None:
            return offset, other.path
    return None


def _ahead_of_history(newest: datetime | None, added: datetime | None) -> timedelta | None:
    """The whole half hours by which the newest value lies after the commit that added the last rows.

    Nobody writes a memory of the future: a clock ahead of the history is a wall clock east of Greenwich.
    None when the newest value is older than that commit, which happens on any clock.
    """
    if newest is None or added is None or newest - added < -_NEAR:
        return None
    steps, off = _half_hours(newest - added)
    return steps * _STEP if off <= _NEAR and steps * _STEP <= _FARTHEST else None


def _half_hours(span: timedelta) -> tuple[int, timedelta]:
    """(the nearest whole number of half hours, how far the span is from it)."""
    steps = round(span / _STEP)
    return steps, abs(span - steps * _STEP)


def _beside(place: Place, plain: Written, other: Place, evidence: Evidence) -> timedelta | None:
    """How far the place is ahead of UTC, by a second time in the same rows whose distance to UTC is known."""
    forms = tuple(u for u in _UNITS if u in {unit(v) for v in other.held}) if other.kind == "number" else ("iso",)
    if not forms or (other.kind == "text" and not all(_form(str(v))[0] for v in other.held[:5])):
        return None
    ahead = timedelta() if _certain(other) else _ahead_of_history(_newest(other, forms, evidence), evidence.added)
    if ahead is None and evidence.zone and other.kind == "text" and evidence.added:
        ahead = evidence.added.astimezone(ZoneInfo(evidence.zone)).utcoffset()
    if ahead is None:
        return None
    pairs = zip(place.values, other.values, strict=True)
    moments = [(_moment(a, plain.forms), _moment(b, forms)) for a, b in pairs]
    spans = [_half_hours(a - b) for a, b in moments if a is not None and b is not None]
    apart = Counter(steps for steps, off in spans if off <= _NEAR).most_common(1)
    if not apart or apart[0][1] < max(_ENOUGH, len(spans) * 0.9):
        return None
    offset = apart[0][0] * _STEP + ahead
    return offset if timedelta() <= offset <= _FARTHEST else None


def _newest(place: Place, forms: Sequence[str], evidence: Evidence) -> datetime | None:
    return _moment(evidence.newest(place), forms)


def _certain(place: Place) -> bool:
    """True when the place's times carry their zone."""
    if place.kind == "text":
        moments = [_form(str(v))[1] for v in place.held]
        return bool(moments) and all(m is not None and m.tzinfo is not None for m in moments)
    return place.kind == "time" and all(isinstance(v, datetime) and v.tzinfo is not None for v in place.held)


def _moment(value: Any, forms: Iterable[str]) -> datetime | None:
    """The value as a time, one without zone read as if it were UTC."""
    if isinstance(value, datetime):
        return _as_utc(value)
    if isinstance(value, str):
        form, moment = _form(value.strip())
        return _moment(int(value), forms) if form in _UNITS else moment and _as_utc(moment)
    found = unit(value)
    return None if found is None else datetime.fromtimestamp(value / _UNITS[found], UTC)


def _as_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _zone(ahead: timedelta, evidence: Evidence) -> str:
    """A zone so far ahead of UTC: the one given if it fits, one the table's language suggests, else a fixed one."""
    now = evidence.added or datetime(2025, 1, 1, tzinfo=UTC)
    if evidence.zone and now.astimezone(ZoneInfo(evidence.zone)).utcoffset() == ahead:
        return evidence.zone
    hours = ahead / timedelta(hours=1)
    texts = " ".join(str(v) for p in evidence.of(("text",), ("column", "leaf")) for v in p.held[:50])
    if hours == 8 and _HAN.search(texts):
        return "Asia/Shanghai"
    if hours == 9 and _KANA.search(texts):
        return "Asia/Tokyo"
    if hours in _NAMED:
        return _NAMED[hours]
    return f"Etc/GMT-{int(hours)}" if hours == int(hours) else "UTC"
