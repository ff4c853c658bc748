"""What is known before the guess: the schema, a few rows, and the places a value can lie in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

import pyarrow as pa

from mendory.jsontext import NotAnObject, parse_object
from mendory.mapping.places import is_text, is_vector
from mendory.text import is_blank

Kind = Literal["text", "json", "number", "bool", "time", "texts", "vector", "struct", "other"]
Within = Literal["column", "leaf", "key"]


@dataclass(frozen=True, slots=True)
class Place:
    """A column, a leaf of a struct column (`payload.text`) or a key of a JSON text column (`metadata.state`)."""

    path: str
    name: str
    kind: Kind
    within: Within
    values: tuple[Any, ...]

    @property
    def held(self) -> list[Any]:
        """The values of the sample that are there and not blank."""
        return [v for v in self.values if v is not None and not (isinstance(v, str) and is_blank(v))]

    @property
    def share(self) -> float:
        """How much of the sample holds a value; 1 for an empty sample."""
        return len(self.held) / len(self.values) if self.values else 1.0

    @property
    def counted(self) -> dict[str, str]:
        """How many rows of how many hold no value, for a sentence."""
        return {"some": str(len(self.values) - len(self.held)), "all": str(len(self.values))}


@dataclass(frozen=True)
class Evidence:
    """Everything a guess may look at. `largest` reads the largest value a place holds in the whole table.

    `added` is when rows were last added, `now` the present: what lies after it is no past.
    """

    table: str
    schema: pa.Schema
    sample: pa.Table
    rows: int
    added: datetime | None
    largest: Callable[[str], Any]
    zone: str | None = None
    now: datetime | None = None

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """Every place of the table by its path, columns first, then leaves, then keys."""
        columns = [self._column(name) for name in self.schema.names if nameable(name)]
        leaves = [leaf for place in columns if place.kind == "struct" for leaf in _leaves(self.schema, place)]
        keys = [key for place in (*columns, *leaves) if place.kind == "json" for key in _keys(place)]
        return {place.path: place for place in (*columns, *leaves, *keys)}

    def _column(self, name: str) -> Place:
        kind = self.schema.field(name).type
        values = () if is_vector(kind) else tuple(_cells(self.sample.column(name)))
        return Place(name, name, _kind(kind, values), "column", values)

    def newest(self, place: Place) -> Any:
        """The largest value of a place: in the whole table, or for a key of JSON in the sample."""
        if place.within != "key":
            return self.largest(place.path)
        return max(place.held, default=None)

    def of(self, kinds: Sequence[Kind], within: Sequence[Within] = ("column", "leaf", "key")) -> list[Place]:
        """The places of these kinds, in order."""
        return [p for p in self.places.values() if p.kind in kinds and p.within in within]


def _cells(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column; one that Python can't hold, such as a year past 9999 or broken UTF-8, is None."""
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        return [_cell(column[at]) for at in range(len(column))]


def _cell(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError):
        return None


def nameable(name: str) -> bool:
    """True for a column name that a mapping can name: a dot or a brace would be read as more than a name."""
    return bool(name) and not set(name) & set(".{}`")


def _kind(kind: pa.DataType, values: Sequence[Any]) -> Kind:
    if is_vector(kind):
        return "vector"
    if is_text(kind):
        return "json" if _mostly_objects(values) else "text"
    if pa.types.is_struct(kind):
        return "struct"
    if pa.types.is_boolean(kind):
        return "bool"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "number"
    if pa.types.is_timestamp(kind):
        return "time"
    if (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and is_text(kind.value_type):
        return "texts"
    return "other"


def _mostly_objects(values: Sequence[Any]) -> bool:
    """Four of five texts are JSON objects: a few broken ones are findings, not another kind of column."""
    held = [v for v in values if isinstance(v, str) and not is_blank(v)]
    return bool(held) and sum(_object(v) is not None for v in held) * 5 >= len(held) * 4


def _object(text: Any) -> dict[str, Any] | None:
    if not isinstance(text, str) or is_blank(text):
        return None
    try:
        return parse_object(text)
    except NotAnObject:
        return None


def _leaves(schema: pa.Schema, place: Place) -> list[Place]:
    found = []
    for leaf in schema.field(place.path).type:
        if nameable(leaf.name):
            values = tuple(None if row is None else row.get(leaf.name) for row in place.values)
            found.append(Place(f"{place.path}.{leaf.name}", leaf.name, _kind(leaf.type, values), "leaf", values))
    return found


def _keys(place: Place) -> list[Place]:
    objects = [_object(text) for text in place.values]
    names = dict.fromkeys(key for held in objects if held for key in held if nameable(key))
    found = []
    for name in names:
        values = tuple(None if held is None else held.get(name) for held in objects)
        found.append(Place(f"{place.path}.{name}", name, _json_kind(values), "key", values))
    return found


def _json_kind(values: Sequence[Any]) -> Kind:
    held = [v for v in values if v is not None]
    if held and all(isinstance(v, bool) for v in held):
        return "bool"
    if held and all(isinstance(v, int | float) and not isinstance(v, bool) for v in held):
        return "number"
    if held and all(isinstance(v, str) for v in held):
        return "text"
    if held and all(isinstance(v, list) and all(isinstance(one, str) for one in v) for v in held):
        return "texts"
    return "other"
