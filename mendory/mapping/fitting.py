"""Whether a table fits a mapping: every place there, of a type that can hold its field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import pyarrow as pa

from mendory.mapping.places import Composite, Place, is_text, is_vector, leaf_type
from mendory.mapping.status import Marks, Vocabulary, mark_value
from mendory.mapping.times import TimeForms
from mendory.record import BY_NAME, Shape

_TOP = frozenset({"id", "embedding", "metadata"})
"""Fields that lie in a column of their own: rows are addressed, searched and edited by them."""


def misfits(
    places: Mapping[str, Place | Composite | None],
    times: Mapping[str, TimeForms],
    vocabulary: Vocabulary,
    volatile: Collection[str],
    vectors: Sequence[str],
    schema: pa.Schema,
) -> list[str]:
    """What does not fit, one line each; empty when everything does."""
    wrong: list[str] = []
    for name, place in places.items():
        match place:
            case Place():
                wrong += _field(name, place, times, schema)
            case Composite():
                wrong += _composite(name, place, schema)
    taken = [str(p) for p in places.values() if isinstance(p, Place)]
    wrong += [f"{_what(p)} is mapped to several fields" for p in sorted({p for p in taken if taken.count(p) > 1})]
    if places["id"] is None or places["content"] is None:
        wrong.append("id and content can't be absent")
    for title, marks in (("hide", vocabulary.hide), ("pending", vocabulary.pending), ("show", vocabulary.show)):
        wrong += [f"{title}: {why}" for why in _marks(marks, schema)]
        wrong += [f"{title}: {why}" for why in _not_marks(marks, places)]
    wrong += [f"volatile: {why}" for why in _not_volatile(volatile, places)]
    for name in sorted(volatile):
        try:
            leaf_type(schema, Place.of(name))
        except KeyError as error:
            wrong.append(f"volatile: {error.args[0]}")
    wrong += [f"vectors: {why}" for why in _further(vectors, places, schema)]
    return wrong


def _further(
    vectors: Sequence[str], places: Mapping[str, Place | Composite | None], schema: pa.Schema
) -> Iterator[str]:
    held = {p.column: name for name, p in places.items() if isinstance(p, Place) and not p.path}
    for name in dict.fromkeys(vectors):
        if name not in schema.names:
            yield f"no {_what(name)}"
        elif name in held:
            yield f"{_what(name)} holds the {held[name]}"
        elif not is_vector(schema.field(name).type):
            yield f"{_what(name)} has type {schema.field(name).type}"
        elif vectors.count(name) > 1:
            yield f"{_what(name)} is named {vectors.count(name)} times"


def _field(name: str, place: Place, times: Mapping[str, TimeForms], schema: pa.Schema) -> Iterator[str]:
    try:
        kind = leaf_type(schema, place)
    except KeyError as error:
        yield f"{name}: {error.args[0]}"
        return
    if place.path and name in _TOP:
        yield f"{name}: it must be a column of its own, not '{place}'"
    elif kind is None:
        return  # a key inside JSON text: its values are judged row by row
    elif not _usable(name, kind, name in times):
        yield f"{name}: {_what(str(place))} has type {kind}" + _hint(name, kind)


def _composite(name: str, place: Composite, schema: pa.Schema) -> Iterator[str]:
    if name != "scope":
        yield f"{name}: only the scope can be made of several places"
    for part in place.places:
        try:
            kind = leaf_type(schema, part)
        except KeyError as error:
            yield f"{name}: {error.args[0]}"
            continue
        if kind is not None and not _is_word(kind):
            yield f"{name}: {_what(str(part))} has type {kind}"


_SAID = frozenset({"id", "content", "embedding", "scope", "source", "kind", "claim", "created_at", "metadata"})
"""Fields that say what a memory is and whose: no mark may overwrite them, and none is changed by a mere read."""


def _not_marks(marks: Marks | None, places: Mapping[str, Place | Composite | None]) -> Iterator[str]:
    for place, _ in marks or ():
        held = sorted(n for n, p in places.items() if n in _SAID and _within(place, p))
        if held:
            yield f"{_what(str(place))} holds the {' and the '.join(held)}, which a mark would overwrite"


def _not_volatile(volatile: Collection[str], places: Mapping[str, Place | Composite | None]) -> Iterator[str]:
    for name in sorted(volatile):
        held = sorted(n for n, p in places.items() if n in _SAID and _within(Place.of(name), p))
        if held:
            yield f"{_what(name)} holds the {' and the '.join(held)}: a change of it must be seen"


def _within(place: Place, field: Place | Composite | None) -> bool:
    """True when what lies at `place` is the field's value, or all of it and more."""
    parts = field.places if isinstance(field, Composite) else (field,) if field else ()
    return any(p.column == place.column and p.path[: len(place.path)] == place.path for p in parts)


def _marks(marks: Marks | None, schema: pa.Schema) -> Iterator[str]:
    for place, value in marks or ():
        try:
            kind = leaf_type(schema, place)
        except KeyError as error:
            yield error.args[0]
            continue
        if kind is not None and not _holds(kind, _example(value)):
            yield f"{_what(str(place))} of type {kind} can't hold {value!r}"


def _example(value: object) -> object:
    """A value such as the mark writes."""
    return mark_value(value, datetime(2026, 1, 1, tzinfo=UTC))


def _what(place: str) -> str:
    return f"'{place}'" if "." in place else f"column '{place}'"


def _holds(kind: pa.DataType, value: object) -> bool:
    try:
        held = pa.scalar(value).cast(kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return False
    # 1.5 in a column of whole numbers would be 1
    return not (isinstance(value, float) and isinstance(held, int | float) and held != value)


def _is_word(kind: pa.DataType) -> bool:
    return is_text(kind) or bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_floating(kind))


def _usable(name: str, kind: pa.DataType, timed: bool) -> bool:
    match BY_NAME[name].shape:
        case Shape.TEXT:
            return is_text(kind) if name in ("id", "content") else _is_word(kind)
        case Shape.JSON:
            return is_text(kind)
        case Shape.TIME:
            numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or is_text(kind)
            return bool(pa.types.is_timestamp(kind)) or (timed and bool(numeric))
        case Shape.TEXTS:
            return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind)) and is_text(kind.value_type)
        case Shape.VECTOR:
            return is_vector(kind)


def _hint(name: str, kind: pa.DataType) -> str:
    match BY_NAME[name].shape:
        case _ if pa.types.is_null(kind):
            return f" (no row can hold a value: list {name} under mapping.absent)"
        case Shape.TIME if not pa.types.is_temporal(kind):
            return f" (say how times are written under [mapping.times.{name}])"
        case Shape.JSON:
            leaves = "; leaves of a struct can be mapped as other fields" if pa.types.is_struct(kind) else ""
            return f" (it must be an object as JSON text: write it so, or list {name} under mapping.absent{leaves})"
        case Shape.TEXTS:
            return f" (it must be a list of texts: write it so, or list {name} under mapping.absent)"
    return ""
