"""How a column writes its times: the units and formats mixed in it, and the zone of its wall clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from mendory.guess import forms as texts
from mendory.guess.evidence import Evidence, Place
from mendory.guess.forms import SECONDS, form, moment, unit
from mendory.guess.remark import Remark, remark
from mendory.guess.zones import ahead_of_utc, always, fixed, likely, spoken, zone_of

_NEAR: Final = timedelta(minutes=2)
_CLEARLY: Final = timedelta(minutes=5)
_STEP: Final = timedelta(minutes=30)
_FARTHEST: Final = timedelta(hours=14)
_HOUR: Final = timedelta(hours=1)
_ENOUGH: Final = 5


@dataclass(frozen=True, slots=True)
class Written:
    """How the times of one place are written.

    `forms` are those of `[mapping.times]`, empty for Arrow timestamps. `naive` says that the zone is
    not in the values; `zone` is what was concluded or given, None for UTC. `doubt` is what to confirm,
    `unheeded` says that the zone given has no effect on these numbers.
    """

    forms: tuple[str, ...]
    naive: bool
    zone: str | None = None
    doubt: Remark | None = None
    unheeded: bool = False

    @property
    def numbers(self) -> bool:
        """True for numbers since 1970."""
        return bool(self.forms) and self.forms[0] in SECONDS


def written(place: Place, evidence: Evidence, *, utc: bool = False) -> Written | None:
    """How the place writes times; None when it holds none. With `utc` its program is known to write UTC."""
    if place.kind == "time":
        naive = place.within == "column" and evidence.schema.field(place.path).type.tz is None
        return _zoned(place, evidence, Written((), naive), utc)
    if place.kind == "number":
        return _numbers(place, evidence, utc)
    if place.kind == "text":
        return _texts(place, evidence, utc)
    return None


def _numbers(place: Place, evidence: Evidence, utc: bool) -> Written | None:
    values = [v for v in place.held if v]
    units = Counter(unit(v) for v in values)
    if not values or units[None] * 10 > len(values):
        return None
    del units[None]
    forms = texts.mixed(values, [str(u) for u, _ in units.most_common()])
    return _zoned(place, evidence, Written(forms, False), utc)


def _texts(place: Place, evidence: Evidence, utc: bool) -> Written | None:
    values = [v.strip() for v in place.held if isinstance(v, str)]
    if not values:
        return None
    seen: Counter[str] = Counter()
    naive = False
    for text in values:
        known, at = form(text)
        seen[known] += 1
        naive = naive or (at is not None and at.tzinfo is None)
    if seen[""] * 10 > len(values):
        return None
    del seen[""]
    forms = texts.mixed(values, [f for f, _ in seen.most_common()])
    return _with_offset(_zoned(place, evidence, Written(forms, naive), utc), evidence)


def _with_offset(found: Written, evidence: Evidence) -> Written:
    """A leading form with an offset in it says the zone; where the rest is of another, ISO goes before it."""
    ahead = texts.offset(found.forms[0]) if found.forms else None
    if ahead is None:
        return found
    zone = (found.zone or "UTC") if found.naive else fixed(ahead, evidence)
    if zone is None or not always(zone, ahead, evidence):
        return replace(found, forms=found.forms[1:])
    return replace(found, zone=zone)


def _zoned(place: Place, evidence: Evidence, plain: Written, utc: bool) -> Written:
    """`plain` with what the evidence says about the wall clock its values were read from."""
    if utc or not (plain.naive or plain.numbers):
        return plain
    ahead = _ahead(place, evidence)
    if evidence.zone and evidence.added and ahead is not None and ahead > _NEAR:
        clock = ahead_of_utc(evidence.zone, evidence.added)
        if clock >= ahead - _NEAR:
            return replace(plain, zone=evidence.zone, doubt=_told(place, plain, evidence.zone, ahead))
    concluded = _concluded(place, plain, ahead, evidence)
    if concluded is not None:
        return concluded
    given = None if plain.numbers else evidence.zone
    if ahead is not None and ahead > _CLEARLY:
        return replace(plain, zone=given, doubt=_impossible(place, ahead, given, evidence))
    if plain.numbers:
        return replace(plain, unheeded=evidence.zone is not None)
    return replace(plain, zone=given, doubt=None if given else remark(UNTOLD, place=place.path))


def _concluded(place: Place, plain: Written, ahead: timedelta | None, evidence: Evidence) -> Written | None:
    """`plain` in the zone that the history, or a time beside it in the same rows, tells; None when nothing tells."""
    offset, other = _whole(ahead), ""
    if offset is None:
        offset, other = _beside_any(place, evidence)
    zone = None if offset is None else zone_of(offset, evidence)
    if offset is None or zone is None:
        return None
    if offset:
        return replace(plain, zone=zone, doubt=_told(place, plain, zone, offset, other, likely(evidence, offset)))
    if plain.numbers:
        return replace(plain, unheeded=evidence.zone is not None)
    against = evidence.zone and evidence.added and ahead_of_utc(evidence.zone, evidence.added)
    doubt = remark(_NOT_GIVEN, place=place.path, zone=str(evidence.zone)) if against and not other else None
    return replace(plain, zone="UTC", doubt=doubt)


def _told(
    place: Place, plain: Written, zone: str, ahead: timedelta, other: str = "", perhaps: str | None = None
) -> Remark:
    """The question whether that is the zone; `perhaps` is the one that the language suggests."""
    if not other and perhaps not in (None, zone):
        return remark(_TOLD_OR[plain.numbers], **_about(place, zone, ahead), other=str(perhaps))
    return remark(_TOLD[plain.numbers, bool(other)], **_about(place, zone, ahead), other=other)


def _impossible(place: Place, ahead: timedelta, given: str | None, evidence: Evidence) -> Remark:
    """The question for the zone of a clock that can't be the one it is taken for."""
    about = _about(place, given or "UTC", ahead)
    if ahead > _FARTHEST:
        return remark(_FUTURE, **about)
    fits = likely(evidence, ahead - _NEAR)
    return remark(_IMPOSSIBLE, **about) if fits is None else remark(_IMPOSSIBLE_BUT, **about, other=fits)


def _about(place: Place, zone: str, ahead: timedelta) -> dict[str, str]:
    return {"place": place.path, "zone": spoken(zone), "hours": f"{ahead / _HOUR:.2f}".rstrip("0").rstrip(".")}


_TOLD: Final = {
    (
        True,
        False,
    ): "{place} counts from the wall clock of {zone}: its newest is {hours} h after the commit that wrote it",
    (True, True): "{place} counts from the wall clock of {zone}: it runs {hours} h ahead of UTC beside {other}",
    (False, False): "{place} is of {zone}: its newest is {hours} h after the commit that wrote it",
    (False, True): "{place} is of {zone}: it runs {hours} h ahead of UTC beside {other}",
}
_TOLD_OR: Final = {
    True: (
        "{place} counts from the wall clock of {zone}: its newest is {hours} h after the commit that wrote it; "
        "if that commit came later than its rows, name e.g. --zone {other}"
    ),
    False: (
        "{place} is of {zone}: its newest is {hours} h after the commit that wrote it; "
        "if that commit came later than its rows, name e.g. --zone {other}"
    ),
}
UNTOLD: Final = "{place} has times without a zone, taken for UTC: if they are of another, name --zone"
_NOT_GIVEN: Final = "{place} is of UTC and not of {zone}: its newest is as old as the commit that wrote it"
_IMPOSSIBLE: Final = (
    "{place} is taken for {zone}, where its newest is {hours} h after the commit that wrote it: name --zone"
)
_IMPOSSIBLE_BUT: Final = (
    "{place} is taken for {zone}, where its newest is {hours} h after the commit that wrote it: "
    "name --zone, {other} would fit"
)
_FUTURE: Final = (
    "{place} is taken for {zone}, where its newest is {hours} h after the commit that wrote it: no zone is so far ahead"
)


def _ahead(place: Place, evidence: Evidence) -> timedelta | None:
    """How long after the commit that added the last rows the newest value lies, read as UTC."""
    held = [evidence.newest(place), *(place.held if place.kind == "text" else ())]
    newest = max((at for value in held if (at := moment(value)) is not None), default=None)
    return None if newest is None or evidence.added is None else newest - evidence.added


def _whole(ahead: timedelta | None) -> timedelta | None:
    """The whole half hours by which the newest value lies after the commit that added the last rows.

    Nobody writes a memory of the future: a clock ahead of the history is a wall clock east of Greenwich.
    None when the newest value is older than that commit, which happens on any clock.
    """
    if ahead is None or ahead < -_NEAR:
        return None
    steps, off = _half_hours(ahead)
    return steps * _STEP if off <= _NEAR and steps * _STEP <= _FARTHEST else None


def _half_hours(span: timedelta) -> tuple[int, timedelta]:
    """(the nearest whole number of half hours, how far the span is from it)."""
    steps = round(span / _STEP)
    return steps, abs(span - steps * _STEP)


def _beside_any(place: Place, evidence: Evidence) -> tuple[timedelta | None, str]:
    """(how far the place is ahead of UTC, the place beside it that tells so)."""
    for other in evidence.of(("text", "number", "time"), ("column", "leaf")):
        offset = _beside(place, other, evidence) if other.path != place.path else None
        if offset is not None:
            return offset, other.path
    return None, ""


def _beside(place: Place, other: Place, evidence: Evidence) -> timedelta | None:
    """How far the place is ahead of UTC, by a second time in the same rows whose distance to UTC is known."""
    if other.kind == "number" and not any(unit(v) for v in other.held):
        return None
    if other.kind == "text" and not all(form(str(v))[0] for v in other.held[:5]):
        return None
    ahead = timedelta() if _certain(other) else _whole(_ahead(other, evidence))
    if ahead is None and evidence.zone and other.kind == "text" and evidence.added:
        ahead = ahead_of_utc(evidence.zone, evidence.added)
    if ahead is None:
        return None
    apart = _apart(zip(map(moment, place.values), map(moment, other.values), strict=True))
    offset = None if apart is None else apart + ahead
    return offset if offset is not None and timedelta() <= offset <= _FARTHEST else None


def _apart(pairs: Iterable[tuple[datetime | None, datetime | None]]) -> timedelta | None:
    """The whole half hours between the times of nine pairs of ten; None when there is no such distance."""
    spans = [_half_hours(a - b) for a, b in pairs if a is not None and b is not None]
    most = Counter(steps for steps, off in spans if off <= _NEAR).most_common(1)
    return most[0][0] * _STEP if most and most[0][1] >= max(_ENOUGH, len(spans) * 0.9) else None


def _certain(place: Place) -> bool:
    """True when the place's times carry their zone."""
    if place.kind == "text":
        moments = [form(str(v))[1] for v in place.held]
        return bool(moments) and all(m is not None and m.tzinfo is not None for m in moments)
    return place.kind == "time" and all(isinstance(v, datetime) and v.tzinfo is not None for v in place.held)
