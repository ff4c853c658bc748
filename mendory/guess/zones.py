"""Zones: the one that fits an offset or a language, and how a person reads its name."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from mendory.guess.evidence import Evidence

_NAMED: Final = {
    3.5: "Asia/Tehran",
    4.5: "Asia/Kabul",
    5.5: "Asia/Kolkata",
    6.5: "Asia/Yangon",
    9.5: "Australia/Darwin",
}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_ETC = re.compile(r"Etc/GMT([+-])(\d+)")
_HOUR: Final = timedelta(hours=1)


def spoken(zone: str) -> str:
    """The zone as a person reads it; the sign of a name such as Etc/GMT-7 is the other way round.

    >>> spoken("Etc/GMT-7"), spoken("Asia/Shanghai")
    ('UTC+7 (Etc/GMT-7)', 'Asia/Shanghai')
    """
    found = _ETC.fullmatch(zone)
    return f"UTC{'+' if found[1] == '-' else '-'}{found[2]} ({zone})" if found else zone


def ahead_of_utc(zone: str, at: datetime) -> timedelta:
    """How far the zone's clock is ahead of UTC at a time."""
    return at.astimezone(ZoneInfo(zone)).utcoffset() or timedelta()


def zone_of(ahead: timedelta, evidence: Evidence) -> str | None:
    """A zone so far ahead of UTC: the one given if it fits, one that the language suggests, else a fixed one.

    None when no zone is, or none that could be told.
    """
    now = evidence.added or datetime(2025, 1, 1, tzinfo=UTC)
    if evidence.zone and ahead_of_utc(evidence.zone, now) == ahead:
        return evidence.zone
    if not ahead:
        return "UTC"
    for suggested in _of_languages(evidence):
        if ahead_of_utc(suggested, now) == ahead:
            return suggested
    hours = ahead / _HOUR
    if hours in _NAMED:
        return _NAMED[hours]
    return f"Etc/GMT{-int(hours):+d}" if hours == int(hours) and -12 <= hours <= 14 else None


def fixed(ahead: timedelta, evidence: Evidence) -> str | None:
    """A zone that is so far ahead of UTC in summer and winter; None when there is none."""
    zone = zone_of(ahead, evidence)
    if zone is None or always(zone, ahead, evidence):
        return zone
    return f"Etc/GMT{-int(ahead / _HOUR):+d}" if not ahead % _HOUR and abs(ahead) <= 12 * _HOUR else None


def always(zone: str, ahead: timedelta, evidence: Evidence) -> bool:
    """True when the zone is so far ahead of UTC in summer and winter."""
    year = (evidence.added or datetime(2025, 1, 1, tzinfo=UTC)).year
    return all(ahead_of_utc(zone, datetime(year, month, 1, tzinfo=UTC)) == ahead for month in (1, 7))


def likely(evidence: Evidence, least: timedelta) -> str | None:
    """The zone that the language of the texts suggests, if its clock is at least so far ahead of UTC."""
    if evidence.added is None:
        return None
    return next((z for z in _of_languages(evidence) if ahead_of_utc(z, evidence.added) >= least), None)


def _of_languages(evidence: Evidence) -> list[str]:
    """Zones that the letters of the texts suggest, the likeliest first; Japanese has Chinese letters too."""
    texts = " ".join(str(v) for p in evidence.of(("text",), ("column", "leaf")) for v in p.held[:50])
    han, kana = len(_HAN.findall(texts)), len(_KANA.findall(texts))
    found = [zone for zone, letters in (("Asia/Shanghai", han), ("Asia/Tokyo", kana)) if letters]
    return found[::-1] if kana * 4 > han else found
