"""Facts about vectors, computed in Arrow and numpy for a whole batch: no vector ever becomes a Python object."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

import numpy as np
import pyarrow as pa

FACTS: Final = pa.struct(
    [
        pa.field("dimension", pa.int32()),
        pa.field("finite", pa.bool_()),
        pa.field("norm", pa.float64()),
        pa.field("mark", pa.uint64()),
        pa.field("bits", pa.string()),
    ]
)
"""What is known of one vector; null for a null vector. `mark` is equal for vectors with equal bits, and for few others;
`bits` is the digest of them all, null where nobody asked for it."""
_SAMPLED: Final = 8
_ODD: Final = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], np.uint64)


def facts(vectors: pa.Array, exact: bool = False) -> pa.StructArray:
    """One struct of `FACTS` a vector; null inner values count as not finite, their place as 0 in the norm.

    Cost: about that of reading the vectors once; with `exact` a digest a vector more.
    """
    size = len(vectors)
    present = np.asarray(vectors.is_valid())
    if pa.types.is_fixed_size_list(vectors.type):
        width = vectors.type.list_size
        values, good = _values(vectors.values.slice(vectors.offset * width, size * width))
        grid = values.reshape(size, width)
        dimension = np.full(size, width, np.int32)
        norm = _norms(grid)
        finite = np.isfinite(norm)
        if grid.dtype == np.float64:  # the square of a finite one may not be
            finite[~finite] = np.isfinite(grid[~finite]).all(axis=1)
        if good is not None:
            finite &= good.reshape(size, width).all(axis=1)
        ends = grid[:, _sampled(width)] if width else np.zeros((size, _SAMPLED), grid.dtype)
    else:
        dimension, finite, norm, ends = _ragged(vectors)
    mark = _marks(dimension, norm, ends)
    columns = [
        pa.array(dimension, pa.int32()),
        pa.array(finite & present),
        pa.array(np.nan_to_num(norm, nan=0.0)),
        pa.array(mark, pa.uint64()),
        pa.array(_digests(vectors), pa.string()) if exact else pa.nulls(size, pa.string()),
    ]
    return pa.StructArray.from_arrays(columns, fields=list(FACTS), mask=pa.array(~present))


def _digests(vectors: pa.Array) -> list[str | None]:
    rows = (None if cell.values is None else cell.values.to_numpy(zero_copy_only=False) for cell in vectors)
    return [None if row is None else blake2b(row.tobytes(), digest_size=16).hexdigest() for row in rows]


def _values(array: pa.Array) -> tuple[Any, Any]:
    """(values as floats with 0 where null, which are not null; None for all)."""
    values = array.to_numpy(zero_copy_only=False)
    good = np.asarray(array.is_valid()) if array.null_count else None
    if good is not None:
        values = np.where(good, values, 0)
    return values.astype(np.float32) if values.dtype == np.float16 else values, good


def _norms(grid: Any) -> Any:
    """The length of each row, in the precision of its components; where that overflows in double precision."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", grid, grid).astype(np.float64)
        large = np.flatnonzero(~np.isfinite(squares))
        squares[large] = np.einsum("ij,ij->i", *(2 * [grid[large].astype(np.float64)]))
        return np.sqrt(squares)


def _sampled(width: int) -> Any:
    """The places of the components that go into a mark."""
    return np.linspace(0, width - 1, _SAMPLED).astype(np.int64)


def _ragged(vectors: pa.Array) -> tuple[Any, Any, Any, Any]:
    size = len(vectors)
    offsets = np.asarray(vectors.offsets, dtype=np.int64)
    start, dimension = offsets[:-1], np.diff(offsets).astype(np.int32)
    values, good = _values(vectors.values)
    values = values.astype(np.float64)
    finite, norm, ends = np.ones(size, bool), np.zeros(size), np.zeros((size, _SAMPLED))
    for at in np.flatnonzero(dimension):
        part = slice(start[at], start[at] + dimension[at])
        row = values[part]
        finite[at] = bool(np.isfinite(row).all() and (good is None or good[part].all()))
        with np.errstate(over="ignore", invalid="ignore"):
            norm[at] = np.sqrt(row @ row)
        ends[at] = row[_sampled(len(row))]
    return dimension, finite, norm, ends


def _marks(dimension: Any, norm: Any, ends: Any) -> Any:
    with np.errstate(over="ignore"):  # more of a vector than its length: unit vectors have all the same
        mark = dimension.astype(np.uint64) * _ODD[0] + norm.astype(np.float64).view(np.uint64) * _ODD[1]
        for at in range(_SAMPLED):
            bits = np.ascontiguousarray(ends[:, at], dtype=np.float64).view(np.uint64)
            mark = (mark ^ (mark >> np.uint64(29))) * _ODD[2] + bits * _ODD[3]
        return mark ^ (mark >> np.uint64(32))


def grid(vectors: pa.ChunkedArray) -> Any:
    """The vectors as float32 of length 1, shape (rows, components); what is none is not a number.

    That is: a null, one with a component that is null or no number, a vector of zeros, one of another dimension than
    most rows have. Cost: one copy.
    """
    chunks = [chunk for chunk in vectors.chunks if len(chunk)]
    sizes = [_dimensions(chunk) for chunk in chunks]
    known = np.concatenate(sizes) if sizes else np.empty(0, np.int64)
    width = int(np.bincount(known[known > 0]).argmax()) if (known > 0).any() else 0
    found = np.full((len(known), width), np.nan, np.float32)
    start = 0
    for chunk, size in zip(chunks, sizes, strict=True):
        good = np.flatnonzero(size == width)
        if width and len(good):
            values, present = _values(chunk.take(pa.array(good)).flatten())
            values = values.astype(np.float32, copy=False).reshape(-1, width)
            found[start + good] = values if present is None else np.where(present.reshape(-1, width), values, np.nan)
        start += len(chunk)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        length = np.sqrt(np.einsum("ij,ij->i", found, found, dtype=np.float64))
        length[length == 0] = np.nan
        found /= length[:, None].astype(np.float32)
    found[~np.isfinite(found).all(axis=1)] = np.nan
    return found


def _dimensions(chunk: pa.Array) -> Any:
    """How long each vector is; 0 for a null."""
    if pa.types.is_fixed_size_list(chunk.type):
        return np.where(np.asarray(chunk.is_valid()), chunk.type.list_size, 0)
    return np.asarray(chunk.value_lengths().fill_null(0)).astype(np.int64)
