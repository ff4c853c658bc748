"""The mapping: a layout that reads rows, and tells a change of fields as changes of places."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingType
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from mendory.errors import SchemaMismatch
from mendory.jsontext import with_path
from mendory.mapping.places import Composite, Place, held_at, leaf_type
from mendory.mapping.reading import Reading
from mendory.mapping.status import mark_value
from mendory.record import BY_NAME, KEPT, Shape, Status

RELATIONS: Final = ("duplicate_of", "superseded_by", "related_ids", "related_notes")
"""Fields that Mendory keeps aside, in its ledger, for an owner who has no place for them."""
LIFTED: Final = "status.lifted"
"""The change that ends a pending mark: the row is active again."""


class Mapping(Reading):
    """Field → place, read and written."""

    __slots__ = ()

    def write(
        self, row: MappingType[str, Any], changes: MappingType[str, Any], now: datetime | None = None
    ) -> dict[str, Any]:
        """Column or struct leaf → new value for `changes` of fields; a key of JSON changes that key's bytes only.

        `changes` are by field, `metadata.<key>` for one key, `status.spelling` for the owner's word of a status,
        `LIFTED` for a pending mark that ends.
        `row` holds the columns' present values, `now` is the time that marks of time get. What Mendory keeps aside is
        left out (`aside`). Raises SchemaMismatch for an absent field.
        """
        new: dict[str, Any] = {}
        kept = self.aside(changes)
        for name, value in changes.items():
            if name == LIFTED:
                self._lift(new, row, now)
            elif name not in kept or value == Status.ARCHIVED:
                for place, what in self._placed(name, value, now):
                    self._put(new, row, place, self._local(row, place, what))
        return new

    def _lift(self, new: dict[str, Any], row: MappingType[str, Any], now: datetime | None) -> None:
        """What a live row holds where the pending mark is: the word for active, the mark of live rows, or nothing."""
        live = dict(self.vocabulary.show)
        for place, _ in self.vocabulary.pending or ():
            word = self.vocabulary.word(Status.ACTIVE.value) if place == self.places["status"] else None
            self._put(new, row, place, self._local(row, place, mark_value(live.get(place, word), now, self.zone)))

    def shown(self, row: MappingType[str, Any], now: datetime | None = None) -> dict[str, Any]:
        """Column or struct leaf → new value, so that the owner's reader returns the row: what live rows hold there.

        Where the row holds something already it keeps it.
        """
        new: dict[str, Any] = {}
        for place, value in self.vocabulary.show:
            if held_at(row, place) is not None:
                continue
            self._put(new, row, place, self._local(row, place, mark_value(value, now, self.zone)))
        return new

    def aside(self, changes: MappingType[str, Any]) -> dict[str, Any]:
        """The changes of what Mendory keeps: relations and a pending mark without a place, and what no owner has.

        None ends a mark that is kept: it is lifted, or the row archived.
        """
        kept = {n: v for n, v in changes.items() if n in KEPT or (n in RELATIONS and not self.has(n))}
        if self.vocabulary.pending is None:
            if changes.get("status") == Status.PENDING_REVIEW:
                kept["status"] = changes["status"]
            elif changes.get("status") == Status.ARCHIVED or LIFTED in changes:
                kept["status"] = None
        return kept

    def _placed(self, name: str, value: Any, now: datetime | None) -> Iterator[tuple[Place, Any]]:
        top, dot, key = name.partition(".")
        place = self.places[top]
        marks = (
            {Status.ARCHIVED: self.vocabulary.hide, Status.PENDING_REVIEW: self.vocabulary.pending}.get(value)
            if name == "status"
            else None
        )
        if marks:
            yield from ((p, mark_value(v, now, self.zone)) for p, v in marks)
        elif place is None or (name == "status" and value == Status.ARCHIVED):
            raise SchemaMismatch(
                f"The table has no place for '{top}'. Nothing was planned for it. Map it under [mapping.columns]."
            )
        elif isinstance(place, Composite):
            yield from self._parts(place, top, value)
        elif top == "status":
            word = self.vocabulary.word(value)
            if word is None:
                known = f" '{value}'" if value in {s.value for s in Status} else ""  # else it is what a memory says
                raise SchemaMismatch(
                    f"The owner has no word for the status{known}. Nothing was planned for it. "
                    "Name one under [mapping.status] values."
                )
            yield place, word
        elif dot:
            yield Place(place.column, (*place.path, key)), value
        elif BY_NAME[top].shape is Shape.TIME and value is not None and top in self.times:
            yield place, self.times[top].write(value, self.zone)
        else:
            yield place, list(value) if isinstance(value, tuple) else value

    def _parts(self, place: Composite, name: str, value: str) -> Iterator[tuple[Place, Any]]:
        parts = place.template.split(value)
        if parts is None:
            raise SchemaMismatch(
                f"'{name}' is made of {place}, and what it should become is not. Nothing was written. "
                "Write it in that form."
            )
        yield from ((Place.of(key), part) for key, part in parts.items())

    def _put(self, new: dict[str, Any], row: MappingType[str, Any], place: Place, value: Any) -> None:
        at = new.get(place.column, row[place.column])
        if (
            place.path
            and not isinstance(at, dict)
            and (at is None or isinstance(at, str))
            and not self._struct(row, place)
        ):
            new[place.column] = with_path(at, place.path, value)
        else:
            new[str(place)] = value

    def _local(self, row: MappingType[str, Any], place: Place, value: Any) -> Any:
        """A time for a column of timestamps without a zone as the wall clock of the mapping's."""
        schema = getattr(row, "schema", None)
        if not isinstance(value, datetime) or value.tzinfo is None or schema is None:
            return value
        kind = leaf_type(schema, place)
        naive = kind is not None and pa.types.is_timestamp(kind) and kind.tz is None
        return value.astimezone(self.zone).replace(tzinfo=None) if naive else value

    def _struct(self, row: MappingType[str, Any], place: Place) -> bool:
        """True when the column is a struct, though this row's cell is null."""
        schema = getattr(row, "schema", None)
        return schema is not None and pa.types.is_struct(schema.field(place.column).type)
