"""The plain LanceDB writes of an agent's own code: by id and old values, with a checked count. Needs no pylance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.background_loop import LOOP
from lancedb.merge import LanceMergeInsertBuilder
from lancedb.table import AsyncTable

from mendory.errors import CommitConflict, SchemaMismatch, TableCorrupt, VersionUnreadable
from mendory.lance.border import ours, table_folder
from mendory.lance.faults import newest_is_there
from mendory.lance.quoting import any_of, name, quote

Path = tuple[str, ...]
"""A column, or a column and the way to a leaf of its struct."""


class ColumnsMoved(Exception):
    """The table's owner changed its columns between reading and writing; nothing was written."""


_TRIES: Final = 5
_ALWAYS_NEW: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class Read:
    """All columns of the rows with one id, and the version they were read at."""

    rows: pa.Table
    version: int


class OwnTable:
    """A table for its owner's own writes: one row at a time, nothing but plain LanceDB calls.

    Every call acts on the newest version. What the table's metadata says about embedding functions is not obeyed.
    Opening and every write raise ManifestMissing where the newest version is lost.
    """

    def __init__(self, uri: str, table: str, id_column: str) -> None:
        self._id, self._folder = id_column, table_folder(uri, table)
        self._none_lost()
        with ours(f"Opening table '{table}'"):
            db = lancedb.connect(uri, read_consistency_interval=_ALWAYS_NEW)
            self._table: Any = db.open_table(table)
            self._pinned: Any = db.open_table(table)

    def _none_lost(self) -> None:
        if self._folder is not None:
            newest_is_there(self._folder)

    def schema(self) -> pa.Schema:
        """The Arrow schema of the newest version, without metadata: its owner may change it at any time."""
        with ours("Reading the schema"):
            self._table.checkout_latest()
            return self._table.schema.remove_metadata()

    def read(self, ident: str) -> Read:
        """The rows with this id, all columns, vectors bit for bit."""
        with ours("Reading a row"):
            self._table.checkout_latest()
            return self._read_at(int(self._table.version), ident)

    def _read_at(self, version: int, ident: str) -> Read:
        self._pinned.checkout_latest()  # of a table made anew under the name, that version is another one
        self._pinned.checkout(version)
        query = self._pinned.search().where(any_of(self._id, [ident])).limit(2**31 - 1)
        rows = query.to_arrow()
        schema = self._pinned.schema.remove_metadata()
        return Read(rows.select(schema.names).cast(schema).combine_chunks(), version)

    def read_at(self, version: int, ident: str) -> pa.Table | None:
        """The rows with this id at a version; None when that version is gone."""
        try:
            with ours("Reading a row again"):
                return self._read_at(version, ident).rows
        except VersionUnreadable:
            return None

    def insert(self, row: pa.Table) -> int | None:
        """The row is added, and the version that holds it returned; None when its id is there already.

        The id is looked up in the commit itself. Only two writers that insert one new id at the very
        same time can both succeed. Raises ColumnsMoved when the row has other columns than the table.
        """

        def merge() -> Any:
            plain = _Unlistening(self._table._table._inner)  # lancedb is pinned; a test watches this
            builder: Any = LanceMergeInsertBuilder(plain, [self._id])
            execution = builder.when_not_matched_insert_all().use_index(False).execute(_told(row))
            return LOOP.run(execution)  # type: ignore[no-untyped-call]

        done = self._tried("Adding a row", merge, row.schema)
        return int(done.version) if done.num_inserted_rows == 1 else None

    def change(self, old: pa.Table, new: pa.Table, places: Sequence[str], guarded: Sequence[str]) -> int | None:
        """The row has at `places` what `new` has there, if at `guarded` it still has what `old` has; the new version.

        None when no row has the id and the old values any more: nothing was written. `old` and `new` are one
        row as read and as wished. A struct keeps its other leaves as they are at the moment of the write.
        Raises ColumnsMoved when the table has other columns by now and can't take the change.
        """
        ident = old.column(self._id)[0].as_py()
        where = " AND ".join([any_of(self._id, [ident]), *(_is_still(old, place) for place in guarded)])
        updates = dict(_assignments(new, places))
        done = self._tried("Changing a row", lambda: self._table.update(where=where, values_sql=updates), new.schema)
        return int(done.version) if done.rows_updated == 1 else None

    def _tried(self, what: str, write: Callable[[], Any], schema: pa.Schema) -> Any:
        """What the write returns, at the newest version; made again while others commit first.

        Raises ColumnsMoved when it fails and the table's schema is another than `schema`.
        """
        for _ in range(_TRIES):
            self._none_lost()
            try:
                with ours(what):
                    self._table.checkout_latest()
                    return write()
            except CommitConflict:
                continue
            except (TableCorrupt, SchemaMismatch):  # LanceDB quotes the statement, and that holds the memory's text
                if self.schema() != schema:
                    raise ColumnsMoved from None
                raise TableCorrupt(
                    f"{what}: LanceDB refused it. Nothing was written. Check the table's files and the mapping."
                ) from None
        raise CommitConflict(f"{what}: others committed first, {_TRIES} times. Nothing was written. Try again later.")


def _told(row: pa.Table) -> pa.Table:
    """The row without vectors that it lacks: LanceDB refuses those as bad ones, and stores null where none is given."""
    lacking = [f.name for f in row.schema if pa.types.is_fixed_size_list(f.type) and row.column(f.name).null_count]
    return row.drop_columns(lacking)


class _Unlistening(AsyncTable):
    """A table whose own metadata is not heard: it may name code to run and servers to call."""

    async def schema(self) -> pa.Schema:
        """The schema without metadata."""
        return (await super().schema()).remove_metadata()


def filled_otherwise(schema: pa.Schema, place: str, value: Any) -> str | None:
    """The test that a row holds something at a column or struct leaf, and not `value`; None where none does.

    With `value` None: something that counts as no time, such as 0 or false. Texts, and places inside them, are
    tested for holding anything.
    """
    path = tuple(place.split("."))
    kind, depth = schema.field(path[0]).type, 1
    while depth < len(path) and pa.types.is_struct(kind):
        kind, depth = kind.field(path[depth]).type, depth + 1
    at = _reference(path[:depth])
    if depth < len(path):
        return f"{at} IS NOT NULL"
    if value is not None:
        try:
            held = pa.scalar(value).cast(kind.value_type if pa.types.is_dictionary(kind) else kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            return f"{at} IS NOT NULL"
        return f"{at} IS NOT NULL AND {at} != {_literal(held)}"
    if pa.types.is_boolean(kind):
        return f"NOT {at}"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return f"{at} = 0"
    return None if pa.types.is_timestamp(kind) else f"{at} IS NOT NULL"


def _reference(path: Path) -> str:
    return ".".join(name(part) for part in path)


def _cell(row: pa.Table, path: Path) -> pa.Scalar:
    """The first row's value at the place; null where a struct on the way is null."""
    column = row.column(path[0])
    for key in path[1:]:
        column = pc.struct_field(column, [key])
    return column[0]


def _is_still(row: pa.Table, place: str) -> str:
    """The test that a row holds at the place what this one holds."""
    path = tuple(place.split("."))
    held, at = _cell(row, path), _reference(path)
    if not held.is_valid:
        return f"{at} IS NULL"
    if pa.types.is_timestamp(held.type):
        return f"CAST({at} AS BIGINT) = {_number(held.cast(pa.int64()).as_py())}"
    value = held.as_py()
    if isinstance(value, float):
        return f"isnan({at})" if math.isnan(value) else f"CAST({at} AS DOUBLE) = {_number(value)}"
    if isinstance(value, list) and (not value or None in value):
        return f"{at} IS NOT NULL AND coalesce(array_length({at}), 0) = {len(value)}"
    return f"{at} = {_literal(held)}"


def _assignments(row: pa.Table, places: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(column, SQL expression of its new value); a struct is built anew from its own other leaves."""
    columns: dict[str, list[Path]] = {}
    for place in places:
        path = tuple(place.split("."))
        columns.setdefault(path[0], []).append(path)
    for column, paths in columns.items():
        whole = (column,) in paths
        yield column, _literal(_cell(row, (column,))) if whole else _struct(row, (column,), paths)


def _struct(row: pa.Table, path: Path, changed: Sequence[Path]) -> str:
    kind = _cell(row, path).type
    parts = []
    for at in range(kind.num_fields):
        below = (*path, kind.field(at).name)
        if below in changed:
            text = _cast(_literal(_cell(row, below)), kind.field(at).type)
        elif any(one[: len(below)] == below for one in changed):
            text = _struct(row, below, changed)
        else:
            text = _reference(below)
        parts += [quote(kind.field(at).name), text]
    return f"named_struct({', '.join(parts)})"


def _literal(held: pa.Scalar) -> str:
    """The value as a SQL literal that Lance stores exactly in a column of its type."""
    if not held.is_valid:
        return "NULL"
    if pa.types.is_timestamp(held.type):
        return f"arrow_cast({_number(held.cast(pa.int64()).as_py())}, {quote(_sql_type(held.type))})"
    value = held.as_py()
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float | np.floating):
        return _number(value)
    if isinstance(value, list) and pa.types.is_floating(held.type.value_type):
        return "[" + ", ".join(_number(v) for v in value) + "]"
    if isinstance(value, list):
        inside = ", ".join(_literal(item) for item in held.values)
        return f"make_array({inside})" if value else f"arrow_cast(make_array(), {quote(_sql_type(held.type))})"
    raise _unwritable(held.type)


def _number(value: float | np.floating[Any]) -> str:
    if isinstance(value, int):
        return str(value) if value > _LEAST else f"({value + 1} - 1)"  # alone it is read as a negated float
    plain = float(value)
    if math.isfinite(plain):
        return repr(plain)
    return f"CAST('{'NaN' if math.isnan(plain) else 'Infinity' if plain > 0 else '-Infinity'}' AS DOUBLE)"


_SQL_TYPES: Final[Mapping[pa.DataType, str]] = {
    pa.string(): "Utf8",
    pa.large_string(): "LargeUtf8",
    pa.bool_(): "Boolean",
    pa.float16(): "Float16",
    pa.float32(): "Float32",
    pa.float64(): "Float64",
    pa.int8(): "Int8",
    pa.int16(): "Int16",
    pa.int32(): "Int32",
    pa.int64(): "Int64",
    pa.uint8(): "UInt8",
    pa.uint16(): "UInt16",
    pa.uint32(): "UInt32",
    pa.uint64(): "UInt64",
}
_LEAST: Final = -(2**63)
_UNITS: Final = {"s": "Second", "ms": "Millisecond", "us": "Microsecond", "ns": "Nanosecond"}


def _sql_type(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        zone = "None" if kind.tz is None else f'Some("{kind.tz}")'
        return f"Timestamp({_UNITS[kind.unit]}, {zone})"
    if pa.types.is_list(kind):
        return f"List({_sql_type(kind.value_type)})"
    if pa.types.is_large_list(kind):
        return f"LargeList({_sql_type(kind.value_type)})"
    if kind not in _SQL_TYPES:
        raise _unwritable(kind)
    return _SQL_TYPES[kind]


def _unwritable(kind: pa.DataType) -> SchemaMismatch:
    return SchemaMismatch(
        f"A column of type {kind} can't be written through the door. Nothing was written. "
        "Map the field to a column of text, numbers, times or lists of text."
    )


def _cast(text: str, kind: pa.DataType) -> str:
    """The literal with the type a struct's leaf must have: there Lance casts nothing by itself."""
    return f"arrow_cast({text}, {quote(_sql_type(kind))})"
