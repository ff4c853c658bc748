"""Vectors that no search can use, or that are not of their text."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any, Final

import numpy as np

from mendory.finding import Code, Finding, finding
from mendory.record import Memory, VectorFacts
from mendory.text import exact_key, shown

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


def of_one_vector(memories: Iterable[Memory], mark: int) -> list[Memory]:
    """Those of the memories with that mark that hold one and the same vector, the most there are."""
    alike: dict[str | None, list[Memory]] = defaultdict(list)
    for memory in memories:
        if memory.vector is not None and memory.vector.mark == mark:
            alike[memory.vector.bits].append(memory)
    return max(alike.values(), key=len, default=[])


class Vectors:
    """Vectors by what is known of them.

    Flags: components that are no numbers, or null; a vector of zeros; one of another dimension than 19 of 20 rows have;
    in a table whose vectors are normalised (19 of 20 of 20 or more), one whose norm is off by more than 0.01;
    20 or more different texts that hold one and the same vector; a vector that is older than its row's text,
    where that is known. Does not flag: a null vector, which is `embedding_missing`; anything where nobody looked at
    the vectors. Of a further column of vectors nothing is known of what they were made from: texts that share a vector,
    and vectors older than their text, are not flagged there, and a null is as it should be. Cost: constant per row,
    20 bytes and its id; only what is flagged is fetched.
    """

    codes = (
        Code.EMBEDDING_NON_FINITE,
        Code.EMBEDDING_ZERO,
        Code.EMBEDDING_DIM_MISMATCH,
        Code.EMBEDDING_NORM,
        Code.EMBEDDING_SUSPICIOUS,
        Code.EMBEDDING_STALE_TEXT,
    )

    def __init__(self, stale: Collection[str] = (), column: str | None = None) -> None:
        self._column = column
        self._reads = ("vector",) if column is None else (f"vectors.{column}",)
        self._about: dict[str, Any] = {} if column is None else {"column": column}
        self._stale = frozenset(stale)
        self._broken: list[Memory] = []
        self._ids: list[str] = []
        self._dimensions, self._norms, self._marks = array("i"), array("d"), array("Q")
        self._old: list[str] = []

    def observe(self, memory: Memory) -> None:
        """Take note of what is known of the vector."""
        known = self._of(memory)
        if known is None or not memory.id:
            return
        if memory.id in self._stale:
            self._old.append(memory.id)
        broken = not known.finite or known.norm < ZERO
        if broken:
            self._broken.append(memory)
        self._ids.append(memory.id)
        self._dimensions.append(known.dimension)
        self._norms.append(nan if broken else known.norm)
        self._marks.append(known.mark)

    def findings(self, fetch: Callable[[Sequence[str]], Mapping[str, Memory]]) -> Iterator[Finding]:
        """One finding per row and fault; one per vector that several texts share."""
        for memory in self._broken:
            known = self._of(memory)
            assert known is not None
            if not known.finite:
                reason = "the vector holds components that are no numbers"
                yield self._finding(Code.EMBEDDING_NON_FINITE, memory, reason, {})
            else:
                yield self._finding(Code.EMBEDDING_ZERO, memory, "the vector is all zeros", {})
        yield from self._of_other_dimension(fetch)
        yield from self._off_norm(fetch)
        if self._column is None:
            yield from self._shared(fetch)
        for memory in fetch(sorted(set(self._old))).values() if self._old else ():
            reason = "the vector came from an earlier text of the row"
            yield finding(Code.EMBEDDING_STALE_TEXT, [memory], ("content", "vector"), reason, {}, "vectors/1")

    def _of_other_dimension(self, fetch: Callable[..., Mapping[str, Memory]]) -> Iterator[Finding]:
        dimensions = np.asarray(self._dimensions, np.int32)
        usual = _usual(dimensions)
        others = {self._ids[at] for at in np.flatnonzero(dimensions != usual)} if usual is not None else set()
        for memory in fetch(sorted(others)).values() if others else ():
            known = self._of(memory)
            if known is not None and known.dimension != usual:
                reason = f"the vector has {known.dimension} components, the others have {usual}"
                about = {"dimension": known.dimension, "usual": usual}
                yield self._finding(Code.EMBEDDING_DIM_MISMATCH, memory, reason, about)

    def _off_norm(self, fetch: Callable[..., Mapping[str, Memory]]) -> Iterator[Finding]:
        norms = np.asarray(self._norms, np.float64)
        sound = ~np.isnan(norms)
        if sound.sum() < ENOUGH or (abs(norms[sound] - 1) <= UNIT).mean() < USUAL:
            return
        off = {self._ids[at] for at in np.flatnonzero(abs(norms - 1) > OFF_UNIT)}
        for memory in fetch(sorted(off)).values() if off else ():
            if (known := self._of(memory)) is not None and known.finite and abs(known.norm - 1) > OFF_UNIT:
                reason = f"the vector's length is {known.norm:.3g} where the others' is 1"
                yield self._finding(Code.EMBEDDING_NORM, memory, reason, {"norm": round(known.norm, 6)})

    def _shared(self, fetch: Callable[..., Mapping[str, Memory]]) -> Iterator[Finding]:
        sound = np.flatnonzero(~np.isnan(np.asarray(self._norms, np.float64)))
        marks = np.asarray(self._marks, np.uint64)[sound]
        order = np.argsort(marks, kind="stable")
        values, starts, counts = np.unique(marks[order], return_index=True, return_counts=True)
        for which in np.flatnonzero(counts >= SAME):
            mark, start = int(values[which]), starts[which]
            ids = sorted({self._ids[at] for at in sound[order[start : start + counts[which]]]})
            held = of_one_vector(fetch(ids).values(), mark)
            texts = {exact_key(m.content or "") for m in held}
            if len(texts) >= SAME:
                reason = f"{len(texts)} different texts hold one and the same vector"
                about: dict[str, Any] = {"rows": len(held), "texts": len(texts)}
                yield finding(Code.EMBEDDING_SUSPICIOUS, held, _READS, reason, about, "vectors/1")

    def stands_down(self) -> Iterator[tuple[str, str]]:
        """Dimensions, where no length is usual."""
        if self._ids and _usual(np.asarray(self._dimensions, np.int32)) is None:
            yield f"{self._column or 'embedding'} dimension", "no length of vectors is usual in the table"

    def _of(self, memory: Memory) -> VectorFacts | None:
        return memory.vector if self._column is None else memory.vectors.get(self._column)

    def _finding(self, code: Code, memory: Memory, reason: str, evidence: Mapping[str, Any]) -> Finding:
        if self._column is not None:
            reason = f"column {shown(self._column)}: {reason}"
        return finding(code, [memory], self._reads, reason, {**self._about, **evidence}, "vectors/1")


def _usual(dimensions: np.ndarray) -> int | None:
    """The dimension of 19 of 20 vectors, None when there is none."""
    values, counts = np.unique(dimensions, return_counts=True)
    at = counts.argmax() if len(counts) else None
    return int(values[at]) if at is not None and 20 * counts[at] >= 19 * len(dimensions) else None
