"""Rows of an Arrow table, one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mendory.jsontext import rebase


class Present(Mapping[str, Any]):
    """The values of a one-row table by column, read when asked for."""

    def __init__(self, row: pa.Table) -> None:
        self._row = row

    @property
    def schema(self) -> pa.Schema:
        """The row's Arrow schema."""
        return self._row.schema

    def __getitem__(self, column: str) -> Any:
        return self._row.column(column)[0].as_py()

    def __iter__(self) -> Iterator[str]:
        return iter(self._row.column_names)

    def __len__(self) -> int:
        return int(self._row.num_columns)


def value_at(row: pa.Table, place: str) -> Any:
    """The value of a column, or of a leaf of a struct column, in a one-row table; times as text, to the last digit."""
    column, *path = place.split(".")
    cell = row.column(column)
    for key in path:
        cell = pc.struct_field(cell, [key])
    if pa.types.is_temporal(cell.type) and not pa.types.is_interval(cell.type):
        cell = cell.cast(pa.string())
    return cell[0].as_py()


def with_values(row: pa.Table, values: Mapping[str, Any]) -> pa.Table:
    """The one-row table with some columns or struct leaves set; types, order and everything else stay."""
    for place, value in values.items():
        column, *path = place.split(".")
        at = row.schema.get_field_index(column)
        field = row.schema.field(at)
        cell = row.column(at).combine_chunks() if path else None
        row = row.set_column(at, field, _array(value, field.type) if cell is None else _with_leaf(cell, path, value))
    return row


def with_changes(row: pa.Table, changes: Iterable[tuple[str, Any, Any]], volatile: Collection[str]) -> pa.Table:
    """The one-row table after (place, old, new) changes; keys that a mere read changed since keep their values."""
    values = {}
    for place, old, new in changes:
        touched = any(v.startswith(f"{place}.") for v in volatile)
        values[place] = rebase(value_at(row, place), old, new) if touched else new
    return with_values(row, values)


def _array(value: Any, kind: pa.DataType) -> pa.Array:
    try:
        return pa.array([value], type=kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
        # 1 for a boolean column, a word for a number's, a time as text, or cut to the unit that the owner keeps
        return pa.array([value]).cast(kind, safe=not pa.types.is_temporal(kind))


def _with_leaf(cell: pa.Array, path: list[str], value: Any) -> pa.Array:
    """The struct of one row with one leaf set; the other leaves keep their bits."""
    kind = cell.type
    index = kind.get_field_index(path[0])
    children = cell.flatten()
    field = kind.field(index)
    rest = path[1:]
    children[index] = _with_leaf(children[index], rest, value) if rest else _array(value, field.type)
    return pa.StructArray.from_arrays(children, fields=list(kind))


def by_id(table: pa.Table, id_column: str) -> tuple[dict[str, pa.Table], set[str]]:
    """Id → one-row table, and the ids that several rows hold (of which the last is kept)."""
    rows: dict[str, pa.Table] = {}
    shared: set[str] = set()
    for at, row in enumerate(table.column(id_column).to_pylist()):
        if row in rows:
            shared.add(row)
        rows[row] = table.slice(at, 1)
    return rows, shared
