"""Short memories that say one thing only together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from mendory.content.heads import head
from mendory.detect.alone import READS, recalled
from mendory.finding import Code, Finding, finding
from mendory.links import hour_of
from mendory.record import Kind, Memory
from mendory.text import exact_key, is_blank
from mendory.veto import vetoes

_DIGITS: Final = re.compile(r"[\d〇零一二三四五六七八九十百千万]+")
FEWEST: Final = 3
MOST: Final = 8
"""More notes on one thing in one hour are a list, which nobody wants in one sentence."""


class Fragments:
    """Several short memories that together say one thing.

    Flags: three to eight memories of one scope, created within one hour of the clock (UTC), each short, without a verb
    that makes it a sentence, and beginning with the same name of a thing, of two words or two Chinese characters before
    a colon, dash or space ("Oslo trip: in June", "Oslo trip with Mei", 年会：周五); all texts
    differ in more than numbers, and no veto speaks against two of them (`mendory.veto`).
    Does not flag: whole sentences; heads that are labels ("User preference: …"), numbers or function words; events;
    texts in languages that nothing reads;
    archived rows. Cost: one expression per short row; a key for
    the few that are fragments.
    """

    codes = (Code.FRAGMENTS,)

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = frozenset(absent)
        self._groups: dict[tuple[str, int, str], list[str]] = defaultdict(list)

    def observe(self, memory: Memory) -> None:
        """Note a fragment under the thing it is about."""
        thing = head(memory.content)
        hour = hour_of(memory.created_at) if thing else None
        if thing is None or hour is None or not memory.id or is_blank(memory.scope):
            return
        if recalled(memory, self._absent) and (memory.kind or "").casefold() != Kind.EVENT.value:
            self._groups[str(memory.scope), hour, thing].append(memory.id)

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per thing."""
        for _, ids in sorted(self._groups.items()):
            if FEWEST <= len(set(ids)) == len(ids) <= MOST:
                held = fetch(sorted(ids))
                members = [held[i] for i in sorted(ids) if i in held]
                if len(members) == len(ids) and _together(members):
                    reason = f"{len(members)} short memories of one hour say one thing together"
                    evidence = {"rows": len(members)}
                    reads = (*READS, "created_at")
                    yield finding(Code.FRAGMENTS, members, reads, reason, evidence, "fragments/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Fragments, where nobody knows when they were written."""
        if "created_at" in self._absent:
            yield "fragments", "the table has no created_at"


def _together(members: Sequence[Memory]) -> bool:
    """Whether all say something else, not only about another number, and nothing speaks against any two."""
    said = {_DIGITS.sub("", exact_key(m.content or "")) for m in members}
    if len(said) < len(members):
        return False
    return not any(vetoes(one.content or "", other.content or "") for one, other in combinations(members, 2))
