"""Rows of Arrow batches as records: typed cells as plain values, none of them lost or rounded unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from mendory.importer.shaping import Row, Unreadable
from mendory.importer.times import Finer

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_NO_TEXT = Unreadable("bad_encoding", "a text is no UTF-8; write the column anew")
_NO_TIME = Unreadable("bad_timestamp", "a time is in no calendar")
_NO_VALUE = Unreadable("wrong_type", "a cell can't be read as a value")


def rows(batch: pa.RecordBatch, first: int) -> Iterator[Row]:
    """The rows of the batch as records, numbered from `first` on; a cell that is null is left out."""
    names = batch.schema.names
    columns = [_cells(batch.column(at)) for at in range(len(names))]
    for at in range(batch.num_rows):
        cells = ((name, column[at]) for name, column in zip(names, columns, strict=True))
        yield Row(first + at, {name: cell for name, cell in cells if cell is not None})


def _cells(column: pa.Array) -> list[Any]:
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        return _cells(column.storage)
    if pa.types.is_timestamp(kind):
        return [_moment(ticks, kind) for ticks in column.cast(pa.int64()).to_pylist()]
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        return [_each(lambda at=at: column[at].as_py()) for at in range(len(column))]  # type: ignore[misc]
    return values


def _moment(ticks: int | None, kind: pa.DataType) -> Any:
    if ticks is None:
        return None
    try:
        micros, finer = divmod(ticks * 10**6, _PER_SECOND[kind.unit])
        moment = _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return _NO_TIME
    moment = moment if kind.tz is not None else moment.replace(tzinfo=None)
    return Finer.of(moment, finer // 10**6) if finer else moment


def _each(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except UnicodeDecodeError:
        return _NO_TEXT
    except (ValueError, OverflowError, pa.ArrowException):
        return _NO_VALUE
