"""Rows of an Arrow table, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa


def with_values(row: pa.Table, values: Mapping[str, Any]) -> pa.Table:
    """The one-row table with some columns set; types, order and every other column stay."""
    for column, value in values.items():
        at = row.schema.get_field_index(column)
        field = row.schema.field(at)
        row = row.set_column(at, field, pa.array([value], type=field.type))
    return row


def by_id(table: pa.Table, id_column: str) -> tuple[dict[str, pa.Table], set[str]]:
    """Id → one-row table, and the ids that several rows hold (of which the last is kept)."""
    rows: dict[str, pa.Table] = {}
    shared: set[str] = set()
    for at, row in enumerate(table.column(id_column).to_pylist()):
        if row in rows:
            shared.add(row)
        rows[row] = table.slice(at, 1)
    return rows, shared
