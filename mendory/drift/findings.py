"""Drift as findings: codes there are, the name of the damage in the evidence. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from mendory.drift.damage import CODES, REASONS
from mendory.drift.examine import Drift
from mendory.finding import Finding, finding
from mendory.record import Memory


def findings(drift: Drift, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
    """One finding for each damage and each scope that its examples lie in; the evidence counts the whole table."""
    for one in drift.found:
        by_scope: dict[str, list[Memory]] = defaultdict(list)
        for memory in fetch(one.ids).values():
            by_scope[memory.scope or ""].append(memory)
        evidence = {
            "damage": one.damage.value,
            "rows": one.rows,
            "sampled": one.sampled,
            "sample": drift.sampled,
            "proven": one.proven,
        }
        for _, memories in sorted(by_scope.items()):
            yield finding(CODES[one.damage], memories, ("content", "vector"), REASONS[one.damage], evidence, "drift/1")
