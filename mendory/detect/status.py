"""Statuses outside the set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mendory.finding import Code, Finding, finding
from mendory.record import Memory, Status

_LOOSE = {re.sub(r"[\s_\-]+", "", s.value): s for s in Status}
_KNOWN = frozenset(s.value for s in Status)


def meant(status: str | None) -> Status | None:
    """The known status that `status` spells with other case, spaces, hyphens or underscores; else None.

    >>> meant(" Pending Review ")
    <Status.PENDING_REVIEW: 'pending_review'>
    >>> meant("deleted") is None
    True
    """
    return None if status is None else _LOOSE.get(re.sub(r"[\s_\-]+", "", status).casefold())


class StatusSpelling:
    """Statuses that are not one of the three.

    Flags: spelling variants of a known status, with what is meant; unknown or null ones, for a person.
    Does not flag: anything where the owner's table has no status. Cost: one set look-up per row.
    """

    codes = (Code.ILLEGAL_STATUS,)

    def __init__(self, absent: bool) -> None:
        self._absent = absent
        self._found: list[Finding] = []

    def observe(self, memory: Memory) -> None:
        """Check one memory."""
        if self._absent or not memory.id or memory.status in _KNOWN or "status" in memory.wrong:
            return
        known = meant(memory.status)
        if known:
            reason, evidence = f"the status is a spelling of {known.value}", {"meant": known.value}
        else:
            reason, evidence = f"the status is {'unknown' if memory.status else 'missing'}", {}
        self._found.append(finding(Code.ILLEGAL_STATUS, [memory], ("status",), reason, evidence, "status/1"))

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row."""
        yield from self._found

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """The status, when there is none."""
        if self._absent:
            yield "status", "the table has no such field"
