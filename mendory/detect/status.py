"""Statuses outside the set."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType

from mendory.finding import Code, Finding, finding
from mendory.record import Memory, Status
from mendory.text import shown

_LOOSE = {re.sub(r"[\s_\-]+", "", s.value): s for s in Status}
_KNOWN = frozenset(s.value for s in Status)
_ENOUGH = 20


def meant(status: str | None, words: Mapping[str, str] = MappingProxyType({})) -> Status | None:
    """The known status that `status` spells with other case, spaces, hyphens or underscores; else None.

    Known are ours and the owner's `words`, each with the one of ours it stands for.

    >>> meant(" Pending Review ")
    <Status.PENDING_REVIEW: 'pending_review'>
    >>> meant("deleted") is None
    True
    """
    if status is None:
        return None
    owners = {_loose(word): Status(ours) for word, ours in words.items()}
    return owners.get(_loose(status)) or _LOOSE.get(_loose(status))


def _loose(word: str) -> str:
    return re.sub(r"[\s_\-]+", "", word).casefold()


class StatusSpelling:
    """Statuses that are not one of the three.

    Flags: spelling variants of a known status, with what is meant; unknown or null ones, for a person.
    Does not flag: anything where the owner's table has no status; a word of the owner's that the mapping knows; a
    status that the owner spells in a way of their own: ours is in no row but merged ones, and one other spelling is
    in 20 or more, 19 of 20 that mean it; nor, where no row at all holds a spelling of ours, the others that have one
    spelling each, 20 rows together.
    Cost: one set look-up per row.
    """

    codes = (Code.ILLEGAL_STATUS,)

    def __init__(self, absent: bool, words: Mapping[str, str] = MappingProxyType({}), inside: bool = False) -> None:
        self._absent, self._words, self._inside = absent, words, inside
        self._found: list[Finding] = []
        self._canonical: set[str] = set()
        self._variants: dict[Status, Counter[str]] = defaultdict(Counter)

    def observe(self, memory: Memory) -> None:
        """Check one memory."""
        unreadable = "status" in memory.wrong or (self._inside and memory.metadata_error)
        if self._absent or not memory.id or unreadable:
            return
        if memory.status in _KNOWN:
            if not memory.duplicate_of:  # else a merge of ours may have written it
                self._canonical.add(memory.status)
            return
        known = meant(memory.status, self._words)
        if known:
            self._variants[known][memory.status or ""] += 1
            reason, evidence = f"the status is a spelling of {known.value}", {"meant": known.value}
        else:
            reason, evidence = f"the status is {'unknown' if memory.status else 'missing'}", {}
        self._found.append(finding(Code.ILLEGAL_STATUS, [memory], ("status",), reason, evidence, "status/1"))

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per row, but for spellings that are the owner's own."""
        own = self._own()
        yield from (f for f in self._found if f.evidence.get("meant") not in own)

    def _own(self) -> dict[str, str]:
        return owners_spellings(self._canonical, self._variants)

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """The status, when there is none; one line for each that the owner spells otherwise."""
        if self._absent:
            yield "status", "the table has no such field"
        for _, spelling in sorted(self._own().items()):
            yield "status", f"the owner writes {shown(spelling)}; map it"


def owners_spellings(canonical: Collection[str], variants: Mapping[Status, Counter[str]]) -> dict[str, str]:
    """Known status → the spelling the owner has for it instead of ours.

    `canonical` are the statuses of ours that rows have, `variants` the spellings of each with how many rows have them.
    """
    own, single = {}, {}
    for status, spellings in variants.items():
        [(spelling, rows)] = spellings.most_common(1)
        if len(spellings) == 1:
            single[status.value] = spelling
        often = rows >= _ENOUGH and rows * _ENOUGH >= spellings.total() * (_ENOUGH - 1)
        if often and status.value not in canonical:
            own[status.value] = spelling
    rows = sum(spellings.total() for spellings in variants.values())
    always = len(single) == len(variants) and rows >= _ENOUGH
    return own | single if not canonical and (own or always) else own
