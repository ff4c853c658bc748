"""Times that can't be right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from mendory.finding import Code, Finding, finding
from mendory.record import FIELDS, Memory, Shape

TIMES: Final = tuple(f.name for f in FIELDS if f.shape is Shape.TIME)
EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2100, 1, 1, tzinfo=UTC)
SLACK: Final = timedelta(minutes=5)
"""A clock of another machine may be so far ahead."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_AFTER: Final = ("updated_at", "last_accessed_at", "last_verified_at")
_FACTORS: Final = {-3: "nanoseconds", -2: "microseconds", -1: "milliseconds", 1: "seconds"}


class Times:
    """Times out of order, ahead of the clock, of another unit, or of no plausible year.

    Flags: a time before 1990 or after 2100, with the unit it may have been written in where one makes it plausible;
    a time more than five minutes ahead of the clock; an update, access or verification before the creation.
    Does not flag: missing times; a time that is flagged as implausible is not compared with others. Cost: constant
    per row.
    """

    codes = (Code.TIMESTAMP_UNIT, Code.TIMESTAMP_SUSPICIOUS, Code.TIMESTAMP_FUTURE, Code.TIMESTAMP_ORDER)

    def __init__(self, now: datetime | None) -> None:
        self._now = now
        self._found: list[Finding] = []

    def observe(self, memory: Memory) -> None:
        """Look at the memory's times."""
        created = memory.created_at
        held = [(name, moment) for name in TIMES if (moment := getattr(memory, name)) is not None]
        odd = {name for name, moment in held if not EARLIEST <= moment <= LATEST}
        ahead = [n for n, moment in held if n not in odd and self._now and moment > self._now + SLACK]
        early: list[str] = []
        if created is not None and "created_at" not in odd:
            early = [n for n, moment in held if n in _AFTER and n not in odd and moment < created]
        if memory.id and (odd or ahead or early):
            self._tell(memory, dict(held), sorted(odd), ahead, early)

    def _tell(
        self, memory: Memory, held: dict[str, datetime], odd: list[str], ahead: list[str], early: list[str]
    ) -> None:
        units = {name: unit for name in odd if (unit := unit_of(held[name], self._now)) is not None}
        for name, unit in units.items():
            reason = f"the {name} looks like a number of {unit} read in another unit"
            self._add(Code.TIMESTAMP_UNIT, memory, [name], reason, {"field": name, "unit": unit})
        rest = [name for name in odd if name not in units]
        if rest:
            reason = f"the {' and '.join(rest)} lies before 1990 or after 2100"
            self._add(Code.TIMESTAMP_SUSPICIOUS, memory, rest, reason, {"fields": rest})
        if ahead:
            reason = f"the {' and '.join(ahead)} lies in the future"
            self._add(Code.TIMESTAMP_FUTURE, memory, ahead, reason, {"fields": ahead})
        if early:
            reason = f"the {' and '.join(early)} lies before the creation"
            self._add(Code.TIMESTAMP_ORDER, memory, ["created_at", *early], reason, {"fields": early})

    def _add(self, code: Code, memory: Memory, reads: list[str], reason: str, evidence: dict[str, object]) -> None:
        self._found.append(finding(code, [memory], reads, reason, evidence, "times/1"))

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row and kind of fault."""
        yield from self._found

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: missing times are told elsewhere."""
        yield from ()


def unit_of(moment: datetime, now: datetime | None) -> str | None:
    """The unit in which the number behind an implausible time would be plausible; None when there is none.

    >>> unit_of(datetime(1970, 1, 21, 3, 33, 50, tzinfo=UTC), None)
    'seconds'
    """
    ticks = (moment - _EPOCH) / timedelta(microseconds=1)
    latest = (now + timedelta(days=1) if now else LATEST) - _EPOCH
    for power, unit in _FACTORS.items():
        scaled = ticks * 1000.0**power
        if (EARLIEST - _EPOCH) / timedelta(microseconds=1) <= scaled <= latest / timedelta(microseconds=1):
            return unit
    return None
