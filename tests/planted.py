"""A detector of meaning that finds what a test gives it: groups of rows, as long as all of them are recallable.

What comes after a finding (drafts, plans, repairs, verdicts) is then tested whatever the detectors of today see in
words. Those of structure and of literal equality run beside it as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

import mendory.detect
from mendory.detect import Detector, Settings, detectors
from mendory.detect.exact_duplicates import ExactDuplicates
from mendory.detect.neighbours import Neighbours
from mendory.finding import KNOWN, Code, Finding, Ring, finding
from mendory.record import Memory

Group = tuple[Code, Sequence[str], Mapping[str, Any]]
"""Code, ids, evidence."""


class Planted:
    """Finds the groups it was given among the rows it sees."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self.codes = tuple(dict.fromkeys(code for code, _, _ in groups))
        self._groups, self._live = groups, set[str]()

    def observe(self, memory: Memory) -> None:
        """Note a row that recall returns."""
        if memory.id and memory.recallable:
            self._live.add(memory.id)

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """The groups of which every row is there and recallable."""
        for code, ids, evidence in self._groups:
            if self._live.issuperset(ids):
                held = list(fetch(sorted(ids)).values())
                reads = ("content", "scope", "status", "metadata")
                yield finding(code, held, reads, "planted", {"rows": len(ids), **evidence}, "planted/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Nothing."""
        yield from ()


def plant(monkeypatch: pytest.MonkeyPatch, *groups: Group) -> None:
    """From now on an examination finds these groups, and nothing else that is about meaning but literal copies."""

    def running(settings: Settings, neighbours: Neighbours | None = None) -> list[Detector]:
        plain = [d for d in detectors(settings) if isinstance(d, ExactDuplicates) or _of_structure(d)]
        return [*plain, Planted(groups)]

    monkeypatch.setattr(mendory.detect, "detectors", running)


def _of_structure(detector: Detector) -> bool:
    return all(KNOWN[code][0] is Ring.STRUCTURE for code in detector.codes)


def near(*ids: str, origin: str = "shipped", code: Code = Code.DUPLICATE_NEAR, **evidence: Any) -> Group:
    """A cohesive group of rows that say one thing, as its detector tells it."""
    pairs = [[i, j, 0.97] for i in range(len(ids)) for j in range(i + 1, len(ids))]
    return code, ids, {"pairs": pairs, "origin": origin, "vetoes": [], **evidence}


def echo(original: str, *copies: str) -> Group:
    """Rows that repeat an original which was recalled."""
    return Code.RECALL_ECHO, (original, *copies), {"original": original}


def fragments(*ids: str) -> Group:
    """Short rows that say one thing only together."""
    return Code.FRAGMENTS, ids, {}
