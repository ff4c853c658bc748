"""Where each field of the record lies in a table, and how a change of a field becomes a change of a column.

The identity mapping is our own table: every field in a column of its own name. A mapping may
rename columns and name absent fields; a field an owner lacks stands down, it is never a finding.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingType
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from mendory.errors import SchemaMismatch
from mendory.jsontext import NotAnObject, parse_object, with_key
from mendory.record import BY_NAME, FIELD_NAMES, FIELDS, Memory, Shape

VECTORLESS = "__vectorless"
"""Name of the computed boolean column a scan adds: the embedding is null."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """Field → column, with None for an absent field; what a read changes; the zone of naive times."""

    columns: MappingType[str, str | None]
    volatile: frozenset[str] = frozenset()
    zone: tzinfo = field(default=UTC)

    @classmethod
    def identity(cls) -> Mapping:
        """Our own table."""
        return cls.of({}, ())

    @classmethod
    def of(
        cls, columns: MappingType[str, str], absent: Sequence[str], volatile: Sequence[str] = (), zone: str = "UTC"
    ) -> Mapping:
        """The identity mapping with some columns renamed and some fields absent."""
        places = {name: None if name in absent else columns.get(name, name) for name in FIELD_NAMES}
        own = [places[f.name] for f in FIELDS if f.volatile]
        return cls(
            MappingProxyType(places),
            frozenset(volatile) | frozenset(c for c in own if c is not None),
            ZoneInfo(zone),
        )

    def column(self, name: str) -> str | None:
        """The column that holds field `name`, or None when the owner has none."""
        return self.columns[name]

    def has(self, name: str) -> bool:
        """True when the owner's table has a place for field `name`."""
        return self.columns[name] is not None

    def absent(self) -> tuple[str, ...]:
        """The fields the owner's table has no place for."""
        return tuple(name for name, column in self.columns.items() if column is None)

    def check(self, schema: pa.Schema) -> None:
        """Return when every mapped column is there with a usable type; else raise SchemaMismatch naming all."""
        wrong = []
        for name, column in self.columns.items():
            if column is None:
                continue
            if column not in schema.names:
                wrong.append(f"{name}: no column '{column}'")
            elif not _usable(BY_NAME[name].shape, schema.field(column).type):
                wrong.append(f"{name}: column '{column}' has type {schema.field(column).type}")
        taken = [c for c in self.columns.values() if c is not None]
        wrong += [f"column '{c}' is mapped to several fields" for c in sorted({c for c in taken if taken.count(c) > 1})]
        if self.column("id") is None or self.column("content") is None:
            wrong.append("id and content can't be absent")
        if wrong:
            raise SchemaMismatch(
                f"The table does not fit the mapping in {len(wrong)} field(s): {'; '.join(wrong)}. Nothing was read. "
                "Name the columns under [mapping.columns], or list fields the table lacks under mapping.absent."
            )

    def scan_columns(self) -> list[str]:
        """The columns a detector's scan reads: all mapped ones but the vector."""
        return [c for name, c in self.columns.items() if c is not None and name != "embedding"]

    def memories(self, batch: pa.Table | pa.RecordBatch) -> list[Memory]:
        """The rows of `batch` in record terms; a cell that can't be read is None and named in `wrong`."""
        size = batch.num_rows
        wrong: dict[int, list[str]] = {}
        values: dict[str, list[Any]] = {}
        for name, column in self.columns.items():
            if name == "embedding":
                continue
            if column is None or column not in batch.schema.names:
                values[name] = [() if BY_NAME[name].shape is Shape.TEXTS else None] * size
                continue
            values[name], unread = _read(BY_NAME[name].shape, batch.column(column), self.zone)
            for row in unread:
                wrong.setdefault(row, []).append(name)
        parsed = [_object(text) for text in values["metadata"]]
        claims = [_object(text) for text in values["claim"]]
        for row, (_, why) in enumerate(claims):
            if why:
                wrong.setdefault(row, []).append("claim")
        values["metadata"], values["claim"] = [p[0] for p in parsed], [c[0] for c in claims]
        bare = batch.column(VECTORLESS).to_pylist() if VECTORLESS in batch.schema.names else [False] * size
        columns = [values[name] for name in _PLAIN]
        columns += [[why for _, why in parsed], [bool(b) for b in bare], [tuple(wrong.get(r, ())) for r in range(size)]]
        return [Memory(*row) for row in zip(*columns, strict=True)]

    def write(self, row: MappingType[str, Any], changes: MappingType[str, Any]) -> dict[str, Any]:
        """Column → new value for `changes` of fields; `metadata.<key>` changes that key's bytes only.

        `row` holds the columns' present values. Raises SchemaMismatch for an absent field.
        """
        new: dict[str, Any] = {}
        for name, value in changes.items():
            top, dot, key = name.partition(".")
            column = self.columns[top]
            if column is None:
                raise SchemaMismatch(
                    f"The table has no place for '{top}'. Nothing was planned for it. Map it under [mapping.columns]."
                )
            if dot:
                new[column] = with_key(new.get(column, row[column]), key, value)
            else:
                new[column] = list(value) if isinstance(value, tuple) else value
        return new


_A_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLAIN = tuple(f.name for f in FIELDS if f.shape is not Shape.VECTOR)
"""The fields of the record but the vector, in the order in which `Memory` takes them; then come the three facts."""


def _read(shape: Shape, column: pa.Array | pa.ChunkedArray, zone: tzinfo) -> tuple[list[Any], list[int]]:
    """(values of a column in record terms, positions of cells that can't be read)."""
    if shape is Shape.TIME:
        return _times(column, zone)
    cells = column.to_pylist()
    if shape is not Shape.TEXTS:
        return cells, []
    unread = [at for at, cell in enumerate(cells) if cell is not None and None in cell]
    return [tuple(cell) if cell and None not in cell else () for cell in cells], unread


def _times(column: pa.Array | pa.ChunkedArray, zone: tzinfo) -> tuple[list[datetime | None], list[int]]:
    if column.type.tz is None:
        column = pc.assume_timezone(column, str(zone), ambiguous="earliest", nonexistent="latest")
    values: list[datetime | None] = []
    unread = []
    for at, ticks in enumerate(column.cast(pa.int64()).to_pylist()):
        try:
            values.append(
                None
                if ticks is None
                else _EPOCH + timedelta(microseconds=ticks * 1_000_000 // _A_SECOND[column.type.unit])
            )
        except OverflowError:  # before year 1 or after 9999
            values.append(None)
            unread.append(at)
    return values, unread


def _object(text: str | None) -> tuple[dict[str, Any] | None, str | None]:
    if text is None or not text.strip():
        return None, None
    try:
        return parse_object(text), None
    except NotAnObject as error:
        return None, str(error)


def _usable(shape: Shape, kind: pa.DataType) -> bool:
    match shape:
        case Shape.TEXT | Shape.JSON:
            return _is_text(kind)
        case Shape.TIME:
            return bool(pa.types.is_timestamp(kind))
        case Shape.TEXTS:
            return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind)) and _is_text(kind.value_type)
        case Shape.VECTOR:
            listed = pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)
            return bool(listed and pa.types.is_floating(kind.value_type))


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
