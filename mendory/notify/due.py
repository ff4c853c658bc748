"""Which plans are told now, and which later: each once, and in quiet hours only what is of high severity. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from mendory.asking.asked import Asked
from mendory.config import NotifySection
from mendory.finding import Severity


def due(
    plans: Sequence[Asked], section: NotifySection, now: datetime, told: Collection[tuple[str, datetime]]
) -> tuple[list[Asked], list[Asked]]:
    """(plans that are told now, plans that are told later), gravest and then soonest to expire first.

    What was told, has expired, or waits for nobody is in neither.
    """
    fresh = [p for p in plans if p.waits and p.expires_at > now and (p.plan_id, p.made_at) not in told]
    fresh.sort(key=lambda p: (p.severity != Severity.HIGH, p.expires_at, p.plan_id))
    silent = quiet(section, now)
    at_once = [p for p in fresh if not silent or p.severity == Severity.HIGH]
    return at_once, [p for p in fresh if p not in at_once]


def quiet(section: NotifySection, now: datetime) -> bool:
    """True in the quiet hours, as the clock on the wall of the zone shows them.

    They begin at the first time and end before the second; where the second is the earlier, they pass midnight.
    """
    if section.quiet is None:
        return False
    begins, ends = section.quiet
    wall = now.astimezone(ZoneInfo(section.zone)).time()
    if begins < ends:
        return begins <= wall < ends
    return wall >= begins or wall < ends
