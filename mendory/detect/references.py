"""References that lead nowhere, to their own row, in a circle, or into another scope."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from mendory.detect.context import references
from mendory.finding import Code, Finding, finding
from mendory.record import FIELDS, Memory
from mendory.text import is_blank

_READS = ("duplicate_of", "superseded_by", "related_ids")
LONGEST: Final = 10
"""A merge leads to the row that is kept; a chain of more than so many was never followed by anybody."""


class References:
    """References of each row: duplicate_of, superseded_by, related_ids.

    Flags: an id that no row has; the row's own id; rows that succeed or replace each other in a circle; a chain of
    more than ten from a row to what replaces it; a row of another scope. Does not flag: references to archived rows;
    rows related to each other; targets without a scope; circles and chains through an id that several rows hold. Cost:
    one look-up per reference; rows with references are kept without their texts.
    """

    codes = (
        Code.REFERENCE_DANGLING,
        Code.REFERENCE_SELF,
        Code.REFERENCE_CYCLE,
        Code.REFERENCE_CHAIN,
        Code.REFERENCE_CROSS_SCOPE,
    )

    def __init__(self, absent: Collection[str]) -> None:
        self._absent = frozenset(f.name for f in FIELDS if f.reference) & frozenset(absent)
        self._referring: list[Memory] = []

    def observe(self, memory: Memory) -> None:
        """Note the row when it refers to others."""
        if memory.id and references(memory):
            self._referring.append(dataclasses.replace(memory, content=None, metadata=None, claim=None, others={}))

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per row and kind of fault, one per circle."""
        wanted = sorted({target for memory in self._referring for _, target in references(memory)})
        targets = fetch(wanted) if wanted else {}
        for memory in self._referring:
            held = references(memory)
            yield from _dangling(memory, [(name, target) for name, target in held if target not in targets])
            own = sorted({name for name, target in held if target == memory.id})
            if own:
                reason = f"the row names itself: {', '.join(own)}"
                yield finding(Code.REFERENCE_SELF, [memory], _READS, reason, {"fields": own}, "references/2")
            yield from _crossing(memory, [(name, targets[target]) for name, target in held if target in targets])
        yield from self._circles_and_chains()

    def _circles_and_chains(self) -> Iterator[Finding]:
        """Successions followed from row to row; each row has at most two."""
        held = Counter(m.id for m in self._referring)
        by_id = {str(m.id): m for m in self._referring if held[m.id] == 1}
        after = {i: [t for t in (m.duplicate_of, m.superseded_by) if t and t != i] for i, m in by_id.items()}
        for circle in _circles(after):
            rows = [by_id[i] for i in circle]
            reason = f"{len(rows)} rows replace each other in a circle"
            yield finding(Code.REFERENCE_CYCLE, rows, _READS, reason, {"rows": len(rows)}, "references/2")
        for start, length in _chains(after).items():
            reason = f"what replaces it is {length} references away"
            yield finding(Code.REFERENCE_CHAIN, [by_id[start]], _READS, reason, {"length": length}, "references/2")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Reference fields the owner's table has no place for."""
        for name in sorted(self._absent):
            yield name, "the table has no such field"


def _dangling(memory: Memory, lost: list[tuple[str, str]]) -> Iterator[Finding]:
    if lost:
        hidden = not memory.recallable and any(name != "related_ids" for name, _ in lost)
        reason = f"{len(lost)} of its references lead nowhere"
        if hidden:
            reason += "; it is hidden in favour of a memory that is gone"
        evidence = {"missing": [{"field": n, "id": t} for n, t in sorted(set(lost))], "hidden": hidden}
        yield finding(Code.REFERENCE_DANGLING, [memory], _READS, reason, evidence, "references/1")


def _crossing(memory: Memory, held: list[tuple[str, Memory]]) -> Iterator[Finding]:
    scope = memory.scope
    crossed = [(n, t) for n, t in held if not is_blank(scope) and not is_blank(t.scope) and t.scope != scope]
    if crossed:
        reason = f"{len(crossed)} of its references lead into another scope"
        about = {"crossing": [{"field": name, "id": target.id} for name, target in crossed]}
        yield finding(Code.REFERENCE_CROSS_SCOPE, [memory], (*_READS, "scope"), reason, about, "references/2")


def _circles(after: Mapping[str, list[str]]) -> list[list[str]]:
    """The strongly connected components of more than one row (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    held: set[str] = set()
    found = []
    for root in sorted(after):
        work = [(root, iter(after[root]))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                held.add(node)
            for target in rest:
                if target not in after:
                    continue
                if target not in index:
                    work.append((target, iter(after[target])))
                    break
                if target in held:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part: list[str] = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        held.discard(part[-1])
                    if len(part) > 1:
                        found.append(sorted(part))
    return sorted(found)


def _chains(after: Mapping[str, list[str]]) -> dict[str, int]:
    """Row → how many references lead from it to what replaces it, where those are more than `LONGEST`; no circles."""
    away: dict[str, int | None] = {}  # None: the walk never ends
    for start in sorted(after):
        path: list[str] = []
        walked: set[str] = set()
        at = start
        while at not in away and at not in walked and after.get(at):
            path.append(at)
            walked.add(at)
            at = after[at][0]
        steps = None if at in walked else away.get(at, 0)
        for row in reversed(path):
            steps = None if steps is None else steps + 1
            away[row] = steps
    return {row: steps for row, steps in sorted(away.items()) if steps is not None and steps > LONGEST}
