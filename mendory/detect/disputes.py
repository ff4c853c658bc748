"""Disputes that are over: what Mendory marked, and is in conflict with nobody it was marked against any more."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from mendory.finding import Code, Finding, finding
from mendory.record import Memory

_READS: Final = ("status", "kept.disputed_with")


class Disputes:
    """Rows that Mendory marked as disputed.

    Flags: a recallable row with a mark of Mendory's while another side of it is archived, gone, or in no conflict
    with it that is still open: either text was changed, a rule or a person has decided. Does not flag: a row whose
    owner set it to pending_review himself; a dispute that a conflict found now still is. Cost: rows with a mark are
    kept without their texts; one look-up per conflict.
    """

    codes = (Code.DISPUTE_OVER,)

    def __init__(self) -> None:
        self._marked: list[Memory] = []

    def observe(self, memory: Memory) -> None:
        """Note the row when it carries a mark."""
        if memory.id and memory.recallable and memory.kept.disputed_with:
            bare = dataclasses.replace(memory, content=None, metadata=None, claim=None, others={})
            self._marked.append(bare)

    def over(self, found: Iterable[Finding], settled: Collection[str]) -> Iterator[Finding]:
        """One finding per marked row of which a dispute is over, given all conflicts found, and those settled by id."""
        if not self._marked:
            return
        conflicts = (f for f in found if f.code is Code.CONFLICT and f.id not in settled)
        open_pairs = {(one, other) for f in conflicts for one in f.ids for other in f.ids}
        for memory in self._marked:
            over = [i for i in memory.kept.disputed_with if (memory.id, i) not in open_pairs]
            if over:
                left = [i for i in memory.kept.disputed_with if i not in over]
                reason = f"{len(over)} of its {len(over) + len(left)} disputes are over"
                evidence = {"over": over, "left": left}
                yield finding(Code.DISPUTE_OVER, [memory], _READS, reason, evidence, "disputes/1")
