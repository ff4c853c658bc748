"""Drawing a seeded sample of a table's rows for the witness."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.embedding.batching import refusal
from mendory.mapping import Mapping
from mendory.spaces.witness import QUICK, Sample, Witnessed

_SPARE: Final = 16
"""So many more rows are read than asked for, and half as many again, to stand in for those that can't be used."""
_NO_VECTOR: Final = "without a usable vector"


class Rows(Protocol):
    """The part of a `mendory.lance.Reader` that a sample needs."""

    mapping: Mapping

    @property
    def id_column(self) -> str:
        """The column that holds ids."""

    def batches(self, columns: Sequence[str] | None = None, where: str | None = None) -> Iterator[pa.RecordBatch]:
        """Rows in batches, only these columns."""

    def rows(self, ids: Sequence[str]) -> pa.Table:
        """All columns of the rows with these ids."""


def draw(reader: Rows, seed: int, size: int = QUICK, max_chars: int = 8000) -> Sample:
    """`size` rows chosen by the seed, all of them when the table has fewer; the same seed chooses the same rows.

    Rows with no usable text or vector are left out, counted by reason, and others drawn instead. Cost: reads the ids of
    the whole table, then the drawn rows.
    """
    ids = _ids(reader)
    once = sorted(i for i, times in Counter(ids).items() if times == 1)
    want = min(len(once), size + size // 2 + _SPARE)
    chosen = random.Random(seed).sample(once, want)  # noqa: S311  # a sample, not a secret
    found: list[Witnessed] = []
    left_out: Counter[str] = Counter()
    held = dict(_usable(reader, chosen, max_chars))
    for one in chosen:
        if len(found) == size:
            break
        row = held.get(one)
        if isinstance(row, Witnessed):
            found.append(row)
        else:
            left_out[row or "gone meanwhile"] += 1
    return Sample(tuple(found), dict(left_out), len(ids))


def named(reader: Rows, ids: Sequence[str], max_chars: int = 8000) -> Sample:
    """The rows with these ids, those with no usable text or vector left out, counted by reason."""
    held = dict(_usable(reader, ids, max_chars))
    found = tuple(row for row in held.values() if isinstance(row, Witnessed))
    left_out = Counter(row for row in held.values() if isinstance(row, str))
    return Sample(found, dict(left_out), len(held))


def _ids(reader: Rows) -> list[str]:
    column = reader.id_column
    ids: list[str] = []
    for batch in reader.batches([column]):
        ids += [i for i in batch.column(0).to_pylist() if i is not None]
    return ids


def _usable(reader: Rows, ids: Sequence[str], max_chars: int) -> Iterable[tuple[str, Witnessed | str]]:
    """Each row with what the witness needs of it, or why it can't be used."""
    place = reader.mapping.column("embedding")
    if place is None:
        yield from ((one, _NO_VECTOR) for one in ids)
        return
    table = reader.rows(ids)
    cells = table.column(place)
    for memory, cell in zip(reader.mapping.memories(table), cells, strict=True):
        if memory.id is None:
            continue
        text, vector = memory.content, _vector(cell)
        why = "blank" if text is None else refusal(text, max_chars)
        if text is None or why is not None:
            yield memory.id, str(why)
        elif vector is None:
            yield memory.id, _NO_VECTOR
        else:
            yield memory.id, Witnessed(memory.id, text, vector)


def _vector(cell: pa.Scalar) -> npt.NDArray[np.float32] | None:
    """The stored vector; None when it is null, holds a null or NaN, or has no direction."""
    values = cell.as_py()
    if values is None or not len(values) or any(v is None for v in values):
        return None
    with np.errstate(over="ignore"):
        vector = np.asarray(values, dtype=np.float32)
    return vector if np.isfinite(vector).all() and vector.any() else None
