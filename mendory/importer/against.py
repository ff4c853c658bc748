"""Records against the rows a table already has: new, there already, or another memory under the same id. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory import digest
from mendory.mapping import Mapping as FieldMapping
from mendory.mapping import Place
from mendory.mapping.places import Cells
from mendory.record import BY_NAME, FIELD_NAMES, Memory, Shape, Status
from mendory.rows import Present, with_values


class State(IntEnum):
    """What becomes of a record that was judged good."""

    FRESH = 0
    PRESENT = 1
    EXISTS = 2
    CONFLICT = 3
    NOT_SHOWN = 4


def against(offered: pa.Table, held: pa.Table, mapping: FieldMapping) -> list[State]:
    """Of each offered row, in the table's own shape: new, there already, or there under its id and not the same.

    The same means: in every mapped column but the volatile ones, JSON as parsed; the vector only when the record has
    one.
    """
    there: dict[str | None, list[_Row]] = defaultdict(list)
    for row in _rows(held, mapping):
        there[row.memory.id].append(row)
    states = []
    for one in _rows(offered, mapping):
        same_id = there.get(one.memory.id, [])
        same = any(_same(one, row, mapping) for row in same_id)
        states.append(State.PRESENT if same else State.EXISTS if same_id else State.FRESH)
    return states


def placed(records: pa.RecordBatch, mapping: FieldMapping, schema: pa.Schema) -> pa.RecordBatch:
    """The records as rows of a table of that schema: each field where it lies, in the form it is written there.

    Raises SchemaMismatch for a value the table has no place or no word for.
    """
    if not mapping.plain or mapping.vocabulary.show:
        rows = [as_row(record, mapping, schema) for record in records.to_pylist()]
        return pa.RecordBatch.from_pylist(rows, schema=schema)
    fields = {mapping.column(name): name for name in FIELD_NAMES if mapping.has(name)}
    columns = []
    for field in schema:
        name = fields.get(field.name)
        if name is None:
            columns.append(pa.nulls(records.num_rows, field.type))
        else:
            columns.append(_column(records.column(name), field.type, mapping))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def empty_at(rows: pa.RecordBatch, place: Place) -> np.ndarray:
    """True for each row, in the table's own shape, that holds nothing at the place."""
    cells = Cells(rows)
    array = cells.array(place)
    return np.asarray(array.is_null()) if array is not None else np.array([v is None for v in cells.values(place)[0]])


def _column(values: pa.Array, kind: pa.DataType, mapping: FieldMapping) -> pa.Array:
    if values.type == kind:
        return values
    if pa.types.is_timestamp(kind) and kind.tz is None:
        values = pc.local_timestamp(values.cast(pa.timestamp("us", str(mapping.zone))))
    if pa.types.is_fixed_size_list(kind) and values.null_count == len(values):
        return pa.nulls(len(values), kind)  # of a table without vectors
    return values.cast(kind, safe=False)


def as_row(record: Mapping[str, Any], mapping: FieldMapping, schema: pa.Schema) -> dict[str, Any]:
    """The record as a row of the owner's table, where its fields lie in places of their own."""
    given = {name: value for name, value in record.items() if value is not None and _told(name, value, mapping)}
    empty = pa.Table.from_arrays([pa.nulls(1, field.type) for field in schema], schema=schema)
    values = mapping.write(Present(empty), given, record.get("created_at"))
    made = with_values(empty, values)
    row: dict[str, Any] = with_values(made, mapping.shown(Present(made), record.get("created_at"))).to_pylist()[0]
    return row


def _told(name: str, value: Any, mapping: FieldMapping) -> bool:
    """False for a status that only marks tell, where there is nothing to mark."""
    if name == "status" and not mapping.has("status"):
        return bool(value != Status.ACTIVE)
    return mapping.has(name)


@dataclass(frozen=True, slots=True)
class _Row:
    memory: Memory
    vector: Any


def _rows(table: pa.Table, mapping: FieldMapping) -> list[_Row]:
    column = mapping.column("embedding")
    vectors = table.column(column).to_pylist() if column else [None] * table.num_rows
    return [_Row(m, v) for m, v in zip(mapping.memories(table), vectors, strict=True)]


def _same(offered: _Row, held: _Row, mapping: FieldMapping) -> bool:
    if held.memory.wrong or held.memory.metadata_error:
        return False
    names = [
        n for n in FIELD_NAMES if n != "embedding" and mapping.has(n) and str(mapping.place(n)) not in mapping.volatile
    ]
    for name in names:
        ours, theirs = getattr(offered.memory, name), getattr(held.memory, name)
        if BY_NAME[name].shape is Shape.JSON:
            ours, theirs = digest.of(ours), digest.of(theirs)  # 1 and true are equal in Python
        if ours != theirs:
            return False
    if offered.vector is None:
        return True
    return held.vector is not None and np.array_equal(np.asarray(offered.vector), np.asarray(held.vector))


def dimension(schema: pa.Schema, mapping: FieldMapping) -> int:
    """The vector length of the table's embedding column; 0 when it has none or no fixed one."""
    column = mapping.column("embedding")
    kind = schema.field(column).type if column else None
    return int(kind.list_size) if kind is not None and pa.types.is_fixed_size_list(kind) else 0
