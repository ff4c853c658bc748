"""References that lead nowhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from mendory.detect.context import references
from mendory.finding import Code, Finding, finding
from mendory.record import FIELDS, Memory


class DanglingReferences:
    """References to ids that no row has.

    Flags: each row of which duplicate_of, superseded_by or related_ids names an id that is not in the
    table. Does not flag: references to archived rows; they resolve. Cost: one set entry per row and
    one look-up per reference.
    """

    codes = (Code.REFERENCE_DANGLING,)

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = frozenset(f.name for f in FIELDS if f.reference) & frozenset(absent)
        self._ids: set[str] = set()
        self._referring: list[Memory] = []

    def observe(self, memory: Memory) -> None:
        """Note the id, and the row when it refers to others."""
        if memory.id:
            self._ids.add(memory.id)
            if references(memory):
                self._referring.append(memory)

    def findings(self, fetch: Callable[..., object]) -> Iterator[Finding]:
        """One finding per referring row, all its dangling references in the evidence."""
        reads = ("duplicate_of", "superseded_by", "related_ids")
        for memory in self._referring:
            lost = [(name, target) for name, target in references(memory) if target not in self._ids]
            if lost:
                hidden = not memory.recallable and any(name != "related_ids" for name, _ in lost)
                reason = f"{len(lost)} of its references lead nowhere"
                if hidden:
                    reason += "; it is hidden in favour of a memory that is gone"
                evidence = {"missing": [{"field": n, "id": t} for n, t in sorted(set(lost))], "hidden": hidden}
                yield finding(Code.REFERENCE_DANGLING, [memory], reads, reason, evidence, "references/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Reference fields the owner's table has no place for."""
        for name in sorted(self._absent):
            yield name, "the table has no such field"
