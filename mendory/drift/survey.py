"""One pass over all rows: what a drift check keeps of each, and its cohorts. Memory: about 350 bytes a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa

from mendory.record import Memory
from mendory.vectors import facts, grid

AXES: Final = ("space", "day", "batch", "source", "scope")
"""By what rows are put together: who writes, or in what run, decides which model and settings a vector came from."""
NONE: Final = 0
"""The number of rows that say nothing on an axis."""
SPREAD: Final = 2048
"""So many vectors, spread over the table, are kept to tell what is usual in it; up to twice as many."""

SpaceOf = Callable[[Sequence[str]], Mapping[str, str]]
"""Row ids → the space their vectors are known to be of; the others are left out."""


class Source(Protocol):
    """The table, at one version."""

    def with_vectors(
        self, ids: Collection[str] | None, texts_only: bool = False
    ) -> Iterator[tuple[list[Memory], pa.Array | None]]:
        """Batches of the rows with these ids, all when None, each with its vectors."""


@dataclass(frozen=True, eq=False, slots=True)
class Survey:
    """Every row with an id, column by column.

    `texts` are digests of the texts, 0 for a blank one; `norms` are the vectors' lengths, NaN where there is none or it
    is not finite, 0 for zeros; `tails` how many zeros a vector ends with, `flat` whether all its components are equal,
    `marks` are equal for equal vectors. `cohorts` holds for each axis a number a row and the names of the numbers.
    `sample` are some of the vectors, made one long, spread evenly over the table.
    """

    ids: tuple[str, ...]
    texts: Any
    norms: Any
    dimensions: Any
    tails: Any
    flat: Any
    marks: Any
    cohorts: Mapping[str, tuple[Any, tuple[str, ...]]]
    sample: Any

    @property
    def sound(self) -> Any:
        """Which rows have a vector with a direction."""
        return self.norms > 0


class _Cohorts:
    """Numbers for the values of an axis, in the order they come."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {"": NONE}
        self._rows: list[int] = []

    def add(self, value: str | None) -> None:
        self._rows.append(self._number.setdefault(value or "", len(self._number)))

    def made(self) -> tuple[Any, tuple[str, ...]]:
        return np.asarray(self._rows, np.int32), tuple(self._number)


class _Spread:
    """Every so manieth vector: of each two kept the second goes when there are too many."""

    def __init__(self) -> None:
        self._held: list[Any] = []
        self._every, self._next = 1, 0

    def add(self, units: Any) -> None:
        taken = units[self._next :: self._every]
        self._next = (self._next - len(units)) % self._every if len(units) else self._next
        self._held += [one.copy() for one in taken if np.isfinite(one).all()]
        while len(self._held) > 2 * SPREAD:
            self._held = self._held[::2]
            self._every *= 2

    def made(self) -> Any:
        widths = [len(one) for one in self._held]
        width = max(set(widths), key=widths.count) if widths else 0
        return np.stack([one for one in self._held if len(one) == width]) if widths else np.zeros((0, 0))


def survey(source: Source, space_of: SpaceOf | None = None) -> Survey:
    """What is kept of every row of the source that has an id; one pass, vectors never held."""
    ids: list[str] = []
    texts: list[int] = []
    axes = {axis: _Cohorts() for axis in AXES}
    parts: list[tuple[Any, ...]] = []
    spread = _Spread()
    for memories, vectors in source.with_vectors(None):
        kept = [at for at, memory in enumerate(memories) if memory.id]
        names = [str(memories[at].id) for at in kept]
        spaces = space_of(names) if space_of else {}
        ids += names
        for at, name in zip(kept, names, strict=True):
            texts.append(text_key(memories[at].content))
            for axis, value in _attributes(memories[at], spaces.get(name)):
                axes[axis].add(value)
        units = None if vectors is None else grid(pa.chunked_array([vectors]))
        parts.append(tuple(column[kept] for column in _measured(vectors, units, len(memories))))
        if units is not None:
            spread.add(units)
    norms, dimensions, tails, flat, marks = (
        (np.concatenate(columns) for columns in zip(*parts, strict=True)) if parts else (np.zeros(0),) * 5
    )
    return Survey(
        tuple(ids),
        np.asarray(texts, np.uint64),
        norms,
        dimensions,
        tails,
        flat.astype(bool),
        marks,
        {axis: held.made() for axis, held in axes.items()},
        spread.made(),
    )


def text_key(text: str | None) -> int:
    """A digest of the text, as written; 0 for a blank one."""
    if text is None or not text.strip():
        return 0
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _attributes(memory: Memory, space: str | None) -> Iterable[tuple[str, str | None]]:
    day = memory.created_at.date().isoformat() if memory.created_at else None
    return zip(AXES, (space, day, memory.batch_id, memory.source, memory.scope), strict=True)


def _measured(vectors: pa.Array | None, units: Any, rows: int) -> tuple[Any, ...]:
    """(lengths, dimensions, zeros at the end, flat, marks) of a batch of vectors, given also made one long."""
    if vectors is None:
        none = np.zeros(rows, np.int32)
        return np.full(rows, np.nan), none, none, none.astype(bool), none.astype(np.uint64)
    known = facts(vectors)
    there = np.asarray(vectors.is_valid()) & np.asarray(known.field("finite").fill_null(False))
    norms = np.where(there, np.asarray(known.field("norm").fill_null(0.0)), np.nan)
    dimensions = np.asarray(known.field("dimension").fill_null(0))
    marks = np.asarray(known.field("mark").fill_null(0))
    width = units.shape[1]
    if not width:
        return norms, dimensions, np.zeros(rows, np.int32), np.zeros(rows, bool), marks
    # what has no direction is not a number, which is not zero either: no tail
    filled = units[:, ::-1] != 0
    tails = np.where(filled.any(axis=1), filled.argmax(axis=1), 0).astype(np.int32)
    flat = (width > 1) & (np.ptp(units, axis=1) <= 1e-6)
    return norms, dimensions, tails, flat, marks
