"""Vectors that no search can use, or that are not of their text."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mendory.finding import Code, Finding, finding
from mendory.record import Memory
from mendory.text import exact_key

ENOUGH: Final = 20
"""From so many vectors on it can be said what is usual in a table."""
USUAL: Final = 0.95
UNIT: Final = 1e-3
"""A norm so near to 1 is that of a normalised vector: float16 rounds a unit vector of 4,096 components by less."""
OFF_UNIT: Final = 1e-2
ZERO: Final = 1e-12
SAME: Final = 20
"""So many different texts under one vector are no accident; a few long ones may be cut alike by their model."""
_READS = ("vector",)


class Vectors:
    """Vectors by what is known of them.

    Flags: components that are no numbers, or null; a vector of zeros; one of another dimension than 19 of 20 rows have;
    in a table whose vectors are normalised (19 of 20 of 20 or more), one whose norm is off by more than 0.01;
    20 or more different texts that hold one and the same vector; a vector that is older than its row's text,
    where that is known. Does not flag: a null vector, which is `embedding_missing`; anything where nobody looked at
    the vectors. Cost: constant per row, 24 bytes; only what is flagged is fetched.
    """

    codes = (
        Code.EMBEDDING_NON_FINITE,
        Code.EMBEDDING_ZERO,
        Code.EMBEDDING_DIM_MISMATCH,
        Code.EMBEDDING_NORM,
        Code.EMBEDDING_SUSPICIOUS,
        Code.EMBEDDING_STALE_TEXT,
    )

    def __init__(self, stale: Collection[str] = ()) -> None:
        self._stale = frozenset(stale)
        self._broken: list[Memory] = []
        self._dimensions: Counter[int] = Counter()
        self._other: dict[int, list[str]] = {}
        self._ids: list[str] = []
        self._norms, self._marks = array("d"), array("Q")
        self._old: list[str] = []

    def observe(self, memory: Memory) -> None:
        """Take note of what is known of the vector."""
        known = memory.vector
        if known is None or not memory.id:
            return
        if memory.id in self._stale:
            self._old.append(memory.id)
        self._dimensions[known.dimension] += 1
        self._other.setdefault(known.dimension, []).append(memory.id) if len(self._dimensions) > 1 else None
        if not known.finite or known.norm < ZERO:
            self._broken.append(memory)
            return
        self._ids.append(memory.id)
        self._norms.append(known.norm)
        self._marks.append(known.mark)

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per row and fault; one per vector that several texts share."""
        for memory in self._broken:
            assert memory.vector is not None
            if not memory.vector.finite:
                reason = "the vector holds components that are no numbers"
                yield finding(Code.EMBEDDING_NON_FINITE, [memory], _READS, reason, {}, "vectors/1")
            else:
                yield finding(Code.EMBEDDING_ZERO, [memory], _READS, "the vector is all zeros", {}, "vectors/1")
        yield from self._of_other_dimension(fetch)
        yield from self._off_norm(fetch)
        yield from self._shared(fetch)
        for memory in fetch(sorted(set(self._old))).values() if self._old else ():
            reason = "the vector came from an earlier text of the row"
            yield finding(Code.EMBEDDING_STALE_TEXT, [memory], ("content", "vector"), reason, {}, "vectors/1")

    def _of_other_dimension(self, fetch: Callable[..., Mapping[str, Memory]]) -> Iterator[Finding]:
        usual, rows = max(self._dimensions.items(), key=lambda d: d[1], default=(0, 0))
        if len(self._dimensions) < 2 or rows < USUAL * self._dimensions.total():
            return
        others = sorted({i for d, ids in self._other.items() if d != usual for i in ids})
        for memory in fetch(others).values():
            if memory.vector is not None and memory.vector.dimension != usual:
                has = memory.vector.dimension
                reason = f"the vector has {has} components, the others have {usual}"
                about = {"dimension": has, "usual": usual}
                yield finding(Code.EMBEDDING_DIM_MISMATCH, [memory], _READS, reason, about, "vectors/1")

    def _off_norm(self, fetch: Callable[..., Mapping[str, Memory]]) -> Iterator[Finding]:
        norms = np.frombuffer(self._norms, np.float64) if self._norms else np.zeros(0)
        if len(norms) < ENOUGH or (abs(norms - 1) <= UNIT).mean() < USUAL:
            return
        off = [self._ids[at] for at in np.flatnonzero(abs(norms - 1) > OFF_UNIT)]
        for memory in fetch(sorted(set(off))).values() if off else ():
            if memory.vector is not None:
                reason = f"the vector's length is {memory.vector.norm:.3g} where all others' is 1"
                about = {"norm": round(memory.vector.norm, 6)}
                yield finding(Code.EMBEDDING_NORM, [memory], _READS, reason, about, "vectors/1")

    def _shared(self, fetch: Callable[..., Mapping[str, Memory]]) -> Iterator[Finding]:
        marks = np.frombuffer(self._marks, np.uint64) if self._marks else np.zeros(0, np.uint64)
        values, counts = np.unique(marks, return_counts=True)
        for mark in values[counts >= SAME]:
            ids = sorted({self._ids[at] for at in np.flatnonzero(marks == mark)})
            held = [m for m in fetch(ids).values() if m.vector is not None and m.vector.mark == int(mark)]
            texts = {exact_key(m.content or "") for m in held}
            if len(texts) >= SAME:
                reason = f"{len(texts)} different texts hold one and the same vector"
                about: dict[str, Any] = {"rows": len(held), "texts": len(texts)}
                yield finding(Code.EMBEDDING_SUSPICIOUS, held, _READS, reason, about, "vectors/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Dimensions, where no length is usual."""
        usual = max(self._dimensions.values(), default=0)
        if len(self._dimensions) > 1 and usual < USUAL * self._dimensions.total():
            yield "embedding dimension", "no length of vectors is usual in the table"
