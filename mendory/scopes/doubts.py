"""All doubts that the counts of a table raise about its scopes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mendory import digest
from mendory.finding import KNOWN, Code, Finding
from mendory.scopes.doubt import EXAMPLES, MOST, Doubt, Wishes
from mendory.scopes.owned import collapsed, misplaced, split
from mendory.scopes.spelt import collisions, spellings
from mendory.scopes.subjects import strangers
from mendory.scopes.tally import Key, Tally

CODES = (
    *(Code.SCOPE_OWNER, Code.SCOPE_SUBJECT, Code.SCOPE_COLLAPSED),
    *(Code.SCOPE_SPLIT, Code.SCOPE_SPELLING, Code.SCOPE_COLLISION),
)
"""What counts of the whole table tell; a check of what changed tells it anew from its counts."""


def doubts(counted: Iterable[tuple[Key, int]], wishes: Wishes) -> list[Doubt]:
    """Every doubt. Cost: linear in the scopes, and in the owners and names of each."""
    tally = Tally.of(counted)
    tellers = (misplaced, strangers, collapsed, split, spellings, collisions)
    return [one for tell in tellers for one in tell(tally, wishes)]


def capped(found: Iterable[Doubt]) -> list[Doubt]:
    """By the names of their scopes at most 50 doubts of a code, each of which then says how many there are."""
    by_code: dict[Code, list[Doubt]] = defaultdict(list)
    for one in found:
        by_code[one.code].append(one)
    told: list[Doubt] = []
    for held in by_code.values():
        held.sort(key=lambda one: (one.scopes, one.about))
        told += held if len(held) <= MOST else [_one_of(one, len(held)) for one in held[:MOST]]
    return told


def _one_of(doubt: Doubt, number: int) -> Doubt:
    reason = f"{doubt.reason}; one of {number} such, of which {MOST} are told"
    return replace(doubt, reason=reason, evidence={**doubt.evidence, "such": number})


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Scopes that tell nothing of where a row belongs.

    `places` may be no scope of their own: misspelt, split, several people's. `strays` hold rows of others too, so that
    rows in them tell nothing, though their name does.
    """

    places: frozenset[str] = frozenset()
    strays: frozenset[str] = frozenset()

    @classmethod
    def of(cls, found: Iterable[Doubt]) -> Doubtful:
        """The scopes that the doubts are about."""
        places: set[str] = set()
        strays: set[str] = set()
        for one in found:
            held = strays if one.code in (Code.SCOPE_OWNER, Code.SCOPE_SUBJECT) else places
            held.update(one.scopes)
        return cls(frozenset(places), frozenset(strays))


def found(doubt: Doubt, firsts: Mapping[Key, Sequence[str]]) -> Finding:
    """The finding of a doubt. Its rows are examples: of the first of its keys the smallest ids, six in all.

    Its id is that of the scopes and of what is said of them, whichever rows are counted: rows that come do not make
    it another, so that what a person dismissed stays so.
    """
    ring, severity = KNOWN[doubt.code]
    ids = sorted({name for key in doubt.shown for name in firsts.get(key, ())[: _each(doubt)]})
    about = digest.of([doubt.code.value, list(doubt.scopes), doubt.about])
    scope = doubt.scopes[0] or None
    return Finding(about, doubt.code, tuple(ids), scope, ring, severity, doubt.reason, doubt.evidence, "scopes/1")


def _each(doubt: Doubt) -> int:
    return max(1, EXAMPLES // 2 // len(doubt.keys))
