"""Scopes that rows are wrongly in, as counts of the whole table tell. Only this detector looks across scopes."""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mendory.detect.alone import recalled
from mendory.finding import Finding
from mendory.record import Memory
from mendory.scopes.doubt import EXAMPLES, Doubt, Wishes
from mendory.scopes.doubts import CODES, Doubtful, capped, doubts, found
from mendory.scopes.tally import Key, keys

KEPT: Final = EXAMPLES // 2
"""So many rows are kept of each thing counted."""
Firsts = Mapping[Key, Sequence[str]]
"""Of what is counted, the smallest ids of rows that have it."""


class Scopes:
    """Rows of a table by scope, by the owner that their metadata names, and by the name that their user has.

    Flags: `scope_owner`, rows whose metadata names another owner than the scope's, where that owner has a scope of
    their own or nearly every row of the table is of its scope's owner; `scope_subject`, rows that give the user the
    name of another scope's; `scope_collapsed`, several people's rows in one default scope; `scope_split`, one owner's
    rows in several scopes that look like one; `scope_spelling`, scopes that are one name but for case, width,
    separators, spaces or a lost root; `scope_collision`, a scope that several pairs of parts are joined into, and
    scopes that are one where their parts are joined by the separator inside them.
    Does not flag: scopes of several owners, which are teams'; people that are spoken of, friends and family; scopes
    of which one is declared to lie in the other; spellings whose rows are of different owners; archived rows. Rows of
    two scopes are never compared with each other.
    Cost: a few look-ups a row; of each scope, owner and name in it a count and three ids.
    """

    codes = CODES

    def __init__(self, absent: Collection[str], owner_keys: Sequence[str], wishes: Wishes) -> None:
        self._absent, self._owner_keys, self._wishes = frozenset(absent), tuple(owner_keys), wishes
        self._counted: Counter[Key] = Counter()
        self._firsts: dict[Key, list[str]] = defaultdict(list)
        self._doubts: list[Doubt] | None = None

    def observe(self, memory: Memory) -> None:
        """Count a row that recall returns."""
        for key in told(memory, self._absent, self._owner_keys):
            self._counted[key] += 1
            if memory.id:
                keep(self._firsts[key], memory.id)

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per doubt, with a few rows as examples."""
        for doubt in capped(self._all()):
            yield found(doubt, self._firsts)

    def _all(self) -> list[Doubt]:
        if self._doubts is None:  # all rows are seen
            self._doubts = doubts(self._counted.items(), self._wishes)
        return self._doubts

    def firsts(self) -> Firsts:
        """The rows that stand for each thing counted that a finding tells of."""
        return {key: tuple(self._firsts[key]) for doubt in capped(self._all()) for key in doubt.shown}

    def doubtful(self) -> Doubtful:
        """The scopes that tell nothing of where a row belongs."""
        return Doubtful.of(self._all())

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing: a table without scopes is told of by what asks for them."""
        yield from ()


def told(memory: Memory, absent: Collection[str], owner_keys: Sequence[str]) -> Iterable[Key]:
    """Of what a row is counted; of nothing where recall does not return it or the table has no scopes."""
    if "scope" in absent or not recalled(memory, absent):
        return ()
    return keys(memory.scope, memory.metadata, memory.content, owner_keys)


def keep(firsts: list[str], name: Any) -> None:
    """The id is among the smallest, if it is one of them."""
    if len(firsts) < KEPT or name < firsts[-1]:
        if name not in firsts:
            insort(firsts, name)
        del firsts[KEPT:]


def again(
    before: Mapping[Key, int],
    now: Mapping[Key, int],
    firsts: Firsts,
    touched: Collection[str],
    fresh: Iterable[tuple[str, Key]],
    wishes: Wishes,
) -> tuple[tuple[Finding, ...], Firsts] | None:
    """What a check of everything would find and keep, from the counts before and now and the rows that changed.

    `firsts` is what was kept before, `touched` the ids that changed, `fresh` what is counted of them now. None where
    it can't be told which rows stand for a finding: one of them is gone from it, or nobody has asked for them yet.
    """
    told_now = capped(doubts(now.items(), wishes))
    wanted = {key for doubt in told_now for key in doubt.shown}
    came: dict[Key, set[str]] = defaultdict(set)
    for name, key in fresh:
        if key in wanted and name:
            came[key].add(name)
    kept: dict[Key, tuple[str, ...]] = {}
    for key in wanted:
        known = firsts.get(key, () if not before.get(key) else None)
        if known is None:
            return None
        gone = {name for name in known if name in touched and name not in came[key]}
        if gone and len(known) == KEPT:
            return None  # another row may stand in its place
        kept[key] = tuple(sorted({*known, *came[key]} - gone)[:KEPT])
    return tuple(found(doubt, kept) for doubt in told_now), kept
