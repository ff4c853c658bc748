"""Records as rows of the table: each field where it lies there, and which records the table can't hold. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory import digest
from mendory.errors import SchemaMismatch
from mendory.jsontext import NotAnObject, parse_object
from mendory.mapping import Composite, Place
from mendory.mapping import Mapping as FieldMapping
from mendory.mapping.places import Cells
from mendory.mapping.times import grain
from mendory.record import BY_NAME, FIELD_NAMES, Memory, Shape, Status
from mendory.rows import Present, with_values

_SECOND: Final = timedelta(seconds=1)
_FOLD: Final = timedelta(hours=1)
_UNFIT: Final = (ValueError, TypeError, OverflowError, NotImplementedError)  # Arrow's own errors are of these


class State(IntEnum):
    """What becomes of a record that was judged good; from EXISTS on it is refused."""

    FRESH = 0
    PRESENT = 1
    EXISTS = 2
    CONFLICT = 3
    NO_WORD = 4
    NO_FORM = 5
    TAKEN = 6
    UNFIT = 7
    NOT_SHOWN = 8


class Placed(NamedTuple):
    """Rows of the records that the table can hold, the state of each record, and of which a time was cut."""

    rows: pa.RecordBatch
    states: list[State]
    cut: np.ndarray


def placed(records: pa.RecordBatch, mapping: FieldMapping, schema: pa.Schema) -> Placed:
    """The records as rows of a table of that schema: each field where it lies, in the form it is written there.

    A record that would read otherwise from there has no row: what a table can't say is refused, never bent. Times
    alone are cut where the owner's are coarser.
    """
    if mapping.plain and not mapping.vocabulary.show:
        try:
            return _by_columns(records, mapping, schema)
        except _UNFIT:
            pass  # one of the records does not fit; which, its own row tells
    given = records.to_pylist()
    made = [_row(record, mapping, schema) for record in given]
    states = [one if isinstance(one, State) else State.FRESH for one in made]
    cut = np.zeros(len(given), bool)
    rows = pa.concat_tables([schema.empty_table(), *(one for one in made if not isinstance(one, State))])
    kept = [at for at, state in enumerate(states) if state is State.FRESH]
    for at, memory in zip(kept, mapping.memories(rows), strict=True):
        states[at], cut[at] = _read_back(given[at], memory, mapping)
    rows = rows.filter(pa.array([states[at] is State.FRESH for at in kept], pa.bool_())).combine_chunks()
    [batch] = rows.to_batches() or [pa.RecordBatch.from_pylist([], schema=schema)]
    return Placed(batch, states, cut)


def _by_columns(records: pa.RecordBatch, mapping: FieldMapping, schema: pa.Schema) -> Placed:
    fields = {mapping.column(name): name for name in FIELD_NAMES if mapping.has(name)}
    columns = []
    cut = np.zeros(records.num_rows, bool)
    for field in schema:
        name = fields.get(field.name)
        if name is None:
            columns.append(pa.nulls(records.num_rows, field.type))
            continue
        given = records.column(name)
        columns.append(_column(given, field.type, mapping))
        if pa.types.is_timestamp(field.type) and field.type.unit in ("s", "ms"):
            coarse = pc.floor_temporal(given, unit="second" if field.type.unit == "s" else "millisecond")
            cut |= np.asarray(pc.fill_null(pc.not_equal(coarse, given), False))
    rows = pa.RecordBatch.from_arrays(columns, schema=schema)
    return Placed(rows, [State.FRESH] * records.num_rows, cut)


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


def _row(record: Mapping[str, Any], mapping: FieldMapping, schema: pa.Schema) -> pa.Table | State:
    """The record's row, or why it has none."""
    if record.get("status") is None and mapping.vocabulary.words and mapping.vocabulary.missing is None:
        return State.NO_WORD  # what the owner's reader makes of no word, nobody has said
    try:
        row = as_row(record, mapping, schema)
    except NotAnObject:
        return State.TAKEN
    except SchemaMismatch:
        place, scope = mapping.place("scope"), record.get("scope")
        formless = isinstance(place, Composite) and scope is not None and place.template.split(scope) is None
        return State.NO_FORM if formless else State.NO_WORD
    except _UNFIT:
        return State.UNFIT
    column = mapping.column("metadata")
    if column and record.get("metadata") and _overwritten(record["metadata"], Present(row)[column], mapping):
        return State.TAKEN
    return row


def as_row(record: Mapping[str, Any], mapping: FieldMapping, schema: pa.Schema) -> pa.Table:
    """The record as a row of the owner's table, where its fields lie in places of their own."""
    given = {name: value for name, value in record.items() if value is not None and _says(name, value, mapping)}
    empty = pa.Table.from_arrays([pa.nulls(1, field.type) for field in schema], schema=schema)
    made = with_values(empty, mapping.write(Present(empty), given, record.get("created_at")))
    return with_values(made, mapping.shown(Present(made), record.get("created_at")))


def _says(name: str, value: Any, mapping: FieldMapping) -> bool:
    """False for a status that only marks tell, where there is nothing to mark."""
    if name == "status" and not mapping.has("status"):
        return bool(value != Status.ACTIVE)
    return mapping.has(name)


def _overwritten(given: str, written: str, mapping: FieldMapping) -> bool:
    """True when a field or a mark took the place of another value that the metadata itself had there."""
    paths = mapping.metadata_paths
    if not paths:
        return False
    before, after = parse_object(given), parse_object(written)
    return any(
        (had := _at(before, path)) is not None and digest.of({"": had}) != digest.of({"": _at(after, path)})
        for path in paths
    )


def _at(held: Any, path: Iterable[str]) -> Any:
    for key in path:
        held = held.get(key) if isinstance(held, dict) else None
    return held


def _read_back(record: Mapping[str, Any], read: Memory, mapping: FieldMapping) -> tuple[State, bool]:
    """(FRESH when every field the record has is read as it was given, whether a time was cut)."""
    cut = False
    for name, value in record.items():
        if value is None or name in ("embedding", "metadata") or not (mapping.has(name) or name == "status"):
            continue
        held, shape = getattr(read, name), BY_NAME[name].shape
        if shape is Shape.TIME:
            if held is None or abs(held - value) >= _lost(name, mapping):
                return State.UNFIT, False
            cut = cut or held != value
        elif shape is Shape.JSON:
            if digest.of(held) != digest.of(parse_object(value)):
                return State.UNFIT, False
        elif (list(held) if shape is Shape.TEXTS else held) != value:
            return {"status": State.NO_WORD, "scope": State.NO_FORM}.get(name, State.UNFIT), False
    return State.FRESH, cut


def _lost(name: str, mapping: FieldMapping) -> timedelta:
    """A time that reads otherwise by so much was not cut but bent; in the hour a wall clock shows twice it may be."""
    forms = mapping.times.get(name)
    return max(grain(forms.forms[0]) if forms else _SECOND, _SECOND) + _FOLD
