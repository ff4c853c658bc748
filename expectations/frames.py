"""Frames for Great Expectations: each different row of a few columns once, and which row of the table has which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa

from mendory.facts import Chunk

MANY: Final = 20_000
"""A chunk with more different rows is a frame of its own; fewer are joined with those of other chunks."""
NUMBER: Final = "number"


@dataclass(frozen=True, slots=True)
class Frame:
    """Different rows, and for the table's rows from `start` on the number of the one that each is, -1 for none."""

    values: pa.Table
    numbers: Any
    start: int = 0

    def pandas(self) -> pd.DataFrame:
        """The different rows for Great Expectations, with their numbers."""
        return self.values.append_column(NUMBER, pa.array(np.arange(len(self.values)))).to_pandas()

    def rows(self, failing: Sequence[int]) -> Any:
        """The numbers of the table's rows that are one of the failing ones."""
        bad = np.zeros(len(self.values) + 1, bool)  # the last is what -1 means
        bad[np.asarray(failing, np.int64)] = True
        return np.flatnonzero(bad[self.numbers]) + self.start


class Family:
    """Columns whose different rows are held over all chunks: with `apart` only as long as they are few."""

    def __init__(self, apart: bool = True) -> None:
        self._apart = apart
        self._known: dict[tuple[Any, ...], int] = {}
        self._values: list[pa.Table] = []
        self._numbers: list[Any] = []

    def add(self, table: pa.Table, start: int) -> Frame | None:
        """The rows are held; those of a chunk with many different ones come back as a frame instead."""
        values, numbers = distinct(table)
        if self._apart and len(values) > MANY:
            self._numbers.append(np.full(len(table), -1, np.int32))
            return Frame(values, numbers, start)
        before = len(self._known)
        keys = zip(*(_keys(column) for column in values.columns), strict=True)
        place = np.fromiter((self._known.setdefault(key, len(self._known)) for key in keys), np.int32, len(values))
        self._values.append(values.filter(pa.array(place >= before)))
        self._numbers.append(place[numbers])
        return None

    def frame(self) -> Frame | None:
        """What is held, None when nothing is."""
        if not self._known:
            return None
        return Frame(pa.concat_tables(self._values).combine_chunks(), np.concatenate(self._numbers))


def _keys(column: pa.ChunkedArray) -> list[Any]:
    plain = column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column
    return plain.to_pylist()  # type: ignore[no-any-return]


def distinct(table: pa.Table) -> tuple[pa.Table, Any]:
    """(the different rows of a table, for each of its rows the number of the one it is)."""
    numbers: Any = np.zeros(len(table), np.int64)
    columns: list[pa.Array] = []
    for column in table.columns:
        array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        encoded = array.dictionary_encode(null_encoding="encode")
        size = max(len(encoded.dictionary), 1)
        together = pa.array(numbers * size + np.asarray(encoded.indices)).dictionary_encode()
        before, own = np.divmod(np.asarray(together.dictionary), size)
        columns = [c.take(pa.array(before)) for c in columns] + [encoded.dictionary.take(pa.array(own))]
        numbers = np.asarray(together.indices).astype(np.int64)
    return pa.table(columns, names=table.column_names), numbers.astype(np.int32)


def families(chunk: Chunk) -> dict[str, pa.Table]:
    """The chunk's columns in groups of which each has few different rows, as long as the table is healthy."""
    found: dict[str, list[str]] = {}
    for name in chunk.facts.column_names:
        base = name.partition(":")[0]
        group = name if base == "metadata" else base if base in ("status", "scope") else "row"
        found.setdefault(group, []).append(name)
    return {group: chunk.facts.select(names) for group, names in found.items()}


def whole_frame(columns: Mapping[str, Any]) -> Frame | None:
    """Facts of the whole table, one value a row, as a frame; None without any."""
    if not columns:
        return None
    size = len(next(iter(columns.values())))
    # nearly all rows are as the first one is; to number them all anew takes more memory than the facts themselves
    odd = np.zeros(size, bool)
    for column in columns.values():
        odd |= column != column[:1]
    at = np.concatenate([np.arange(min(size, 1)), np.flatnonzero(odd)])
    values, numbers = distinct(pa.table({name: pa.array(column[at]) for name, column in columns.items()}))
    placed = np.zeros(size, np.int32) if not size else np.full(size, numbers[0], np.int32)
    placed[at] = numbers
    return Frame(values, placed)
