"""A memory as a row of the owner's table, and changes of fields as changes of places. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from mendory.door.judging import Fault, refusal, refuse
from mendory.errors import SchemaMismatch
from mendory.jsontext import NotAnObject, dumps, parse_object
from mendory.mapping import Composite, Place
from mendory.mapping import Mapping as FieldMapping
from mendory.mapping.places import leaf_type
from mendory.mapping.times import grain
from mendory.record import BY_NAME, Memory, Shape
from mendory.rows import Present, with_values

_SECOND: Final = timedelta(seconds=1)
"""An owner's times may be kept in whole seconds, and in whatever its form of them tells."""
_FOLD: Final = timedelta(hours=1)
"""So long is what a wall clock shows twice when summer ends."""
_UNFIT: Final = (ValueError, TypeError, OverflowError, NotImplementedError)  # Arrow's own errors are of these


def new_row(
    mapping: FieldMapping, schema: pa.Schema, fields: Mapping[str, Any], columns: Mapping[str, Any], now: datetime
) -> pa.Table:
    """One full row of the owner's table that holds these fields, and these further columns of the owner.

    Raises MemoryRefused for what the table can't hold as it is given.
    """
    empty = pa.Table.from_arrays([pa.nulls(1, field.type) for field in schema], schema=schema)
    row, _ = changed_row(mapping, empty, fields, columns, now)
    row = with_values(row, mapping.shown(Present(row), now))
    bare = [f.name for f in schema if not f.nullable and row.column(f.name).null_count]
    refuse([Fault("column_missing", f"the owner's column {n!r} must not be empty; give it in columns") for n in bare])
    return row


def changed_row(
    mapping: FieldMapping, row: pa.Table, changes: Mapping[str, Any], columns: Mapping[str, Any], now: datetime
) -> tuple[pa.Table, tuple[str, ...]]:
    """(the row with these fields and further columns of the owner changed, the places whose values are new).

    Raises MemoryRefused for what the table can't hold as it is given: what is read back must be what was asked.
    """
    refuse([*_strangers(mapping, row.schema, columns)])
    try:
        shaped = {name: _shaped(mapping, row.schema, name, value) for name, value in changes.items()}
        values = {**mapping.write(Present(row), shaped, now), **columns}
        new = with_values(row, values)
    except NotAnObject as error:
        raise refusal([Fault("metadata_invalid", f"the row's JSON can't be edited: {error}")]) from None
    except SchemaMismatch as error:
        raise refusal([Fault("no_place", str(error).partition(". ")[0])]) from None
    except _UNFIT:
        why = "a value does not fit the type of its column in the owner's table"
        raise refusal([Fault("wrong_type", why)]) from None
    refuse([*_not_kept(mapping, mapping.memories(new)[0], changes)])
    return new, tuple(values)


def places_of(mapping: FieldMapping, schema: pa.Schema, name: str) -> Iterator[str]:
    """The columns or struct leaves whose bytes hold a field: what must be unchanged while it is."""
    place = mapping.place(name)
    for one in place.places if isinstance(place, Composite) else (place,) if place else ():
        yield _cell_of(schema, one)
    if name == "status":
        for marks in (mapping.vocabulary.hide, mapping.vocabulary.pending):
            yield from (_cell_of(schema, one) for one, _ in marks or ())


def _cell_of(schema: pa.Schema, place: Place) -> str:
    """The column or leaf around a key of JSON text."""
    kind, depth = schema.field(place.column).type, 0
    while depth < len(place.path) and pa.types.is_struct(kind):
        kind, depth = kind.field(place.path[depth]).type, depth + 1
    return ".".join((place.column, *place.path[:depth]))


def _shaped(mapping: FieldMapping, schema: pa.Schema, name: str, value: Any) -> Any:
    """The value as the mapping takes it: an object with a cell of its own as JSON text."""
    place = mapping.place(name) if name in BY_NAME else None
    if value is None or not isinstance(place, Place):
        return value
    if BY_NAME[name].shape is Shape.JSON:
        return dict(value) if leaf_type(schema, place) is None else dumps(dict(value))
    return value


def _strangers(mapping: FieldMapping, schema: pa.Schema, columns: Mapping[str, Any]) -> Iterator[Fault]:
    mapped = {cell for name in BY_NAME for cell in places_of(mapping, schema, name)}
    for name in columns:
        try:
            known = leaf_type(schema, Place.of(name)) is not None
        except KeyError:
            known = False
        if not known:
            yield Fault("no_place", f"the owner's table has no column {name!r}")
        elif any(name == cell or cell.startswith(f"{name}.") for cell in mapped):
            yield Fault("no_place", f"the column {name!r} holds a field of the memory; give the field instead")


def _not_kept(mapping: FieldMapping, read: Memory, changes: Mapping[str, Any]) -> Iterator[Fault]:
    """The fields that read otherwise than they were given."""
    for name, value in changes.items():
        top, _, key = name.partition(".")
        if top == "embedding":
            continue
        held = getattr(read, top)
        if key:
            held = (held or {}).get(key)
        shape = Shape.JSON if key else BY_NAME[top].shape
        same = _same_time(mapping, top, held, value) if shape is Shape.TIME else _same(held, value, shape)
        if top in read.wrong or not same:
            yield Fault("no_place", f"the owner's table can't hold this {name}: it would read otherwise")


def _same_time(mapping: FieldMapping, name: str, held: datetime | None, given: datetime | None) -> bool:
    """True when the time came back as far as the owner's form of it can tell."""
    if held is None or given is None:
        return held is given
    forms = mapping.times.get(name)
    lost = max(grain(forms.forms[0]), _SECOND) if forms else _SECOND
    if not lost <= abs(held - given) <= lost + _FOLD:
        return abs(held - given) < lost
    zone = (forms and forms.zone) or mapping.zone  # in the hour that a wall clock shows twice it can't tell which
    local = [moment.astimezone(zone).replace(tzinfo=None) for moment in (held, given)]
    return abs(local[0] - local[1]) < lost


def _same(held: Any, given: Any, shape: Shape) -> bool:
    if shape is Shape.TEXTS:
        return tuple(held) == tuple(given or ())
    if shape is Shape.JSON and given is not None:
        return bool(parse_object(dumps({"": held})) == parse_object(dumps({"": given})))
    return bool(held == given)
