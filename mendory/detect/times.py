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
AFTER: Final = ("updated_at", "last_accessed_at", "last_verified_at")
"""Times that do not lie before the creation."""
_FACTORS: Final = (1_000, 1_000_000, 1_000_000_000)
UNITS: Final = (1_000_000, 1_000)
"""Microseconds of a second and of a millisecond: an owner may cut one of a row's times to them, and another not."""


class Times:
    """Times out of order, ahead of the clock, of another unit, or of no plausible year.

    Flags: a time before 1990 or after 2100, and by how much its unit may be too small where that makes it plausible;
    a time more than five minutes ahead of the clock; an update, access or verification before the creation.
    Does not flag: missing times; a time that is the creation, cut to its second or millisecond; a time that is flagged
    as implausible is not compared with others. Cost: constant per row.
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
            early = [n for n, moment in held if n in AFTER and n not in odd and is_before(moment, created)]
        if memory.id and (odd or ahead or early):
            self._tell(memory, dict(held), sorted(odd), ahead, early)

    def _tell(
        self, memory: Memory, held: dict[str, datetime], odd: list[str], ahead: list[str], early: list[str]
    ) -> None:
        factors = {name: factor for name in odd if (factor := factor_of(held[name], self._now)) is not None}
        for name, factor in factors.items():
            reason = f"the {name} looks like a number read in a unit {factor:,} times too small"
            self._add(Code.TIMESTAMP_UNIT, memory, [name], reason, {"field": name, "factor": factor})
        rest = [name for name in odd if name not in factors]
        if rest:
            reason = f"a time before 1990 or after 2100: {', '.join(rest)}"
            self._add(Code.TIMESTAMP_SUSPICIOUS, memory, rest, reason, {"fields": rest})
        if ahead:
            reason = f"a time in the future: {', '.join(ahead)}"
            self._add(Code.TIMESTAMP_FUTURE, memory, ahead, reason, {"fields": ahead})
        if early:
            reason = f"a time before the creation: {', '.join(early)}"
            self._add(Code.TIMESTAMP_ORDER, memory, ["created_at", *early], reason, {"fields": early})

    def _add(self, code: Code, memory: Memory, reads: list[str], reason: str, evidence: dict[str, object]) -> None:
        self._found.append(finding(code, [memory], reads, reason, evidence, "times/2"))

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row and kind of fault."""
        yield from self._found

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: missing times are told elsewhere."""
        yield from ()


def is_before(moment: datetime, created: datetime) -> bool:
    """True when the time lies before the creation by more than it was cut by, if it is one of whole seconds or so.

    >>> made = datetime(2025, 3, 1, 12, 0, 0, 700_500, UTC)
    >>> [is_before(made.replace(microsecond=cut), made) for cut in (0, 700_000, 700_499, 699_000)]
    [False, False, True, True]
    """
    if moment >= created:  # nearly every row
        return False
    cut = next((unit for unit in UNITS if moment.microsecond % unit == 0), 0)
    return created - moment >= timedelta(microseconds=cut)


def factor_of(moment: datetime, now: datetime | None) -> int | None:
    """How many times larger a unit makes an implausible time plausible: 1,000 to its third power; None when none does.

    A number too large for its unit is in no calendar, which is a wrong type.

    >>> factor_of(datetime(1970, 1, 21, 3, 33, 50, tzinfo=UTC), None)
    1000
    """
    ticks, first = _micros(moment), _micros(EARLIEST)
    last = _micros(now + SLACK if now else LATEST)
    return next((f for f in _FACTORS if first <= ticks * f <= last), None)


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
