"""Records against the rows a table already has: new, there already, or another memory under the same id. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mendory import digest
from mendory.importer.judging import Judged, Quarantined
from mendory.mapping import Mapping as FieldMapping
from mendory.record import BY_NAME, FIELD_NAMES, Memory, Shape, Status
from mendory.rows import Present, with_values


@dataclass(frozen=True, slots=True)
class SortedOut:
    """Records to write, how many are in the table already, how many lines repeat one, and all refused lines."""

    fresh: list[dict[str, Any]]
    present: int
    doubled: int
    quarantined: list[Quarantined]


def against(judged: Judged, held: pa.Table | None, mapping: FieldMapping, schema: pa.Schema | None = None) -> SortedOut:
    """The records against the table's rows of the same ids: new, there already, or `id_exists` and not the same.

    The same means: in every mapped column but the volatile ones, JSON as parsed; the vector only when the line has one.
    """
    rows = [as_row(kept.record, mapping, schema) for kept in judged.kept]
    there: dict[str | None, list[_Row]] = defaultdict(list)
    offered: list[_Row] = []
    if held is not None and held.num_rows:
        offered = _rows(pa.Table.from_pylist(rows, schema=held.schema), mapping)
        for row in _rows(held, mapping):
            there[row.memory.id].append(row)
    fresh, present, doubled, refused = [], 0, 0, list(judged.quarantined)
    for at, kept in enumerate(judged.kept):
        same_id = there.get(kept.record["id"], [])
        if same_id and not any(_same(offered[at], row, mapping) for row in same_id):
            hint = "the table has another record under this id; import it under a new id"
            refused += [Quarantined(number, "id_exists", hint, text) for number, text in kept.lines]
            continue
        doubled += len(kept.lines) - 1
        if same_id:
            present += 1
        else:
            fresh.append(rows[at])
    return SortedOut(fresh, present, doubled, sorted(refused, key=lambda q: q.line))


def as_row(record: Mapping[str, Any], mapping: FieldMapping, schema: pa.Schema | None) -> dict[str, Any]:
    """The record as a row of the owner's table: each field where it lies, in the form it is written there.

    `schema` is None while there is no table: the one that is made has our own columns. Raises SchemaMismatch for a
    value the table has no place or no word for.
    """
    if mapping.plain or schema is None:
        return {c: v for k, v in record.items() if (c := mapping.column(k)) is not None}
    given = {name: value for name, value in record.items() if value is not None and _told(name, value, mapping)}
    empty = pa.Table.from_arrays([pa.nulls(1, field.type) for field in schema], schema=schema)
    values = mapping.write(Present(empty), given, record.get("created_at"))
    row: dict[str, Any] = with_values(empty, values).to_pylist()[0]
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
