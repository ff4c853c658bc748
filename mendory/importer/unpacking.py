"""How many bytes the rows of an Arrow batch are as values: a dictionary holds what many rows share but once. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def pieces(batch: pa.RecordBatch, most: int) -> Iterator[tuple[pa.RecordBatch, int]]:
    """(some rows, their bytes as values) for all rows in order; no more bytes than `most` unless one row has them."""
    ends = np.cumsum(np.sum([np.zeros(batch.num_rows, np.int64), *map(sizes, batch.columns)], axis=0))
    start = told = 0
    while start < batch.num_rows:
        end = max(int(np.searchsorted(ends, told + most, side="right")), start + 1)
        yield batch.slice(start, end - start), int(ends[end - 1]) - told
        start, told = end, int(ends[end - 1])


def sizes(column: pa.Array) -> Any:
    """The bytes of each row's value, about; what several rows share counts for each of them."""
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        return sizes(column.storage)
    if pa.types.is_dictionary(kind):
        held = np.append(sizes(column.dictionary), 0)
        return held[np.asarray(column.indices.cast(pa.int64()).fill_null(len(held) - 1))]
    if pa.types.is_struct(kind):
        return np.sum([np.zeros(len(column), np.int64), *map(sizes, column.flatten())], axis=0)
    if pa.types.is_fixed_size_list(kind):
        width = kind.list_size
        return _summed(column.values, (np.arange(len(column) + 1) + column.offset) * width)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        return _summed(column.values, np.asarray(column.offsets).astype(np.int64))
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return np.array([cell.as_buffer().size if cell.is_valid else 0 for cell in column], np.int64)
    try:
        return np.asarray(pc.binary_length(column).cast(pa.int64()).fill_null(0))
    except pa.ArrowNotImplementedError:
        return np.full(len(column), column.nbytes // max(len(column), 1), np.int64)


def _summed(values: pa.Array, offsets: np.ndarray) -> Any:
    """The bytes of each list, which goes from one offset to the next."""
    first, last = int(offsets[0]), int(offsets[-1])
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes(values[first:last]))])
    return before[offsets[1:] - first] - before[offsets[:-1] - first]
