"""Places: where in an owner's row a value lies, read from Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mendory.jsontext import NotAnObject, parse_object
from mendory.template import Template


@dataclass(frozen=True, slots=True)
class Place:
    """A column, or with `path` a leaf of a struct column or a key inside the JSON object of a text column.

    Lance allows no dots in column names, so the text of a place is never ambiguous.
    """

    column: str
    path: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Place:
        """The place that the text names, as `column`, `struct.leaf` or `json.key`."""
        column, *path = text.split(".")
        return cls(column, tuple(path))

    def __str__(self) -> str:
        return ".".join((self.column, *self.path))


@dataclass(frozen=True, slots=True)
class Composite:
    """A value joined from several places by a template."""

    template: Template

    @classmethod
    def of(cls, text: str) -> Composite:
        """The composite of a template such as `{tenant}/{meta.user}`; raises NoTemplate for any other text."""
        return cls(Template.of(text, dotted=True))

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of its parts."""
        return tuple(Place.of(key) for key in self.template.keys)

    def __str__(self) -> str:
        return "".join(literal + ("" if key is None else f"{{{key}}}") for literal, key in self.template.parts)


def parse_place(text: str) -> Place | Composite:
    """The place or composite that a mapping's text names; raises NoTemplate for a broken template."""
    return Composite.of(text) if "{" in text or "}" in text else Place.of(text)


def leaf_type(schema: pa.Schema, place: Place) -> pa.DataType | None:
    """The Arrow type at the place; None for a key inside JSON text. Raises KeyError where there is no such place."""
    if place.column not in schema.names:
        raise KeyError(f"no column '{place.column}'")
    kind = schema.field(place.column).type
    for at, key in enumerate(place.path):
        if is_text(kind):
            return None
        if not pa.types.is_struct(kind) or kind.get_field_index(key) < 0:
            raise KeyError(f"'{place}': {'.'.join((place.column, *place.path[:at]))} of type {kind} has no '{key}'")
        kind = kind.field(key).type
    return kind


class Cells:
    """The cells of one batch by place; a column of JSON text is parsed once."""

    def __init__(self, batch: pa.Table | pa.RecordBatch) -> None:
        self.batch = batch
        self._parsed: dict[str, list[tuple[dict[str, Any] | None, str | None]]] = {}

    def has(self, place: Place) -> bool:
        """True when the batch holds the place's column."""
        return place.column in self.batch.schema.names

    def objects(self, column: str) -> list[tuple[dict[str, Any] | None, str | None]]:
        """(object, None) for each cell of JSON text, or (None, why it can't be read); blank cells are (None, None)."""
        if column not in self._parsed:
            self._parsed[column] = [read_object(text) for text in self.batch.column(column).to_pylist()]
        return self._parsed[column]

    def array(self, place: Place) -> pa.Array | pa.ChunkedArray | None:
        """The Arrow values of a column or struct leaf; None for a key inside JSON text."""
        found = self.batch.column(place.column)
        for at, key in enumerate(place.path):
            if not pa.types.is_struct(found.type):
                return None
            found = pc.struct_field(found, [key]) if at < len(place.path) else found
        return found

    def values(self, place: Place) -> tuple[list[Any], list[int]]:
        """(Python values, positions where the JSON around the key can't be read, or is no object on the way to it)."""
        array = self.array(place)
        if array is not None:
            return plain_values(array) if pa.types.is_temporal(array.type) else array.to_pylist(), []
        column, depth = self._text_column(place)
        values: list[Any] = []
        unread = []
        for at, (held, why) in enumerate(self.objects(column) if depth == 0 else self._inner(place, depth)):
            value, stopped = _walk(held, place.path[depth:])
            if why or stopped:
                unread.append(at)
            values.append(value)
        return values, unread

    def _text_column(self, place: Place) -> tuple[str, int]:
        kind, depth = self.batch.schema.field(place.column).type, 0
        while pa.types.is_struct(kind):
            kind, depth = kind.field(place.path[depth]).type, depth + 1
        return place.column, depth

    def _inner(self, place: Place, depth: int) -> Iterator[tuple[dict[str, Any] | None, str | None]]:
        array = self.array(Place(place.column, place.path[:depth]))
        assert array is not None
        for text in array.to_pylist():
            yield read_object(text)


def plain_values(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Python values of any column; times as numbers or text, since not every one of Arrow's lies in a calendar."""
    kind = array.type
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        leaves = [plain_values(pc.struct_field(array, [at])) for at in range(len(names))]
        present = array.is_valid().to_pylist()
        rows = zip(*leaves, strict=True) if leaves else ([] for _ in present)
        return [dict(zip(names, row, strict=True)) if ok else None for row, ok in zip(rows, present, strict=True)]
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return array.cast(width).to_pylist()  # type: ignore[no-any-return]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return [plain_values(cell.values) if cell.is_valid else None for cell in array]
    return array.to_pylist()  # type: ignore[no-any-return]


def _walk(held: Any, path: tuple[str, ...]) -> tuple[Any, bool]:
    """(what lies at the path, whether something else than an object lies on the way to it)."""
    for key in path:
        if held is None or not isinstance(held, dict):
            return None, held is not None
        held = held.get(key)
    return held, False


def held_at(row: Mapping[str, Any], place: Place) -> Any:
    """What one row, its values by column, holds at the place; None where nothing is or the JSON can't be read."""
    held = row[place.column]
    for key in place.path:
        held = read_object(held)[0] if isinstance(held, str) else held
        held = held.get(key) if isinstance(held, dict) else None
    return held


def read_object(text: str | None) -> tuple[dict[str, Any] | None, str | None]:
    """(the object in the text, why there is none); blank text is (None, None)."""
    if text is None or not text.strip():
        return None, None
    try:
        return parse_object(text), None
    except NotAnObject as error:
        return None, str(error)


def is_text(kind: pa.DataType) -> bool:
    """True for every Arrow type of text, dictionary-encoded ones too."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_vector(kind: pa.DataType) -> bool:
    """True for lists of floats."""
    listed = pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return bool(listed and pa.types.is_floating(kind.value_type))


def is_addressable(column: str) -> bool:
    """True for a column that Lance can read: not one with a backtick in its name, which it can write but never find."""
    return "`" not in column


def is_comparable(kind: pa.DataType) -> bool:
    """True for columns whose values say something that can be compared: no vectors, no binaries."""
    return not (is_vector(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
