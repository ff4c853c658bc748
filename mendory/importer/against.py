"""Records against the rows a table already has: new, there already, or another memory under the same id. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mendory import digest
from mendory.importer.placing import State
from mendory.mapping import Mapping as FieldMapping
from mendory.record import BY_NAME, FIELD_NAMES, Memory, Shape


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
    names += ["status"] if mapping.can_hide and not mapping.has("status") else []
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
