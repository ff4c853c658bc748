"""The mapping itself: rows in record terms, and changes of fields as changes of places."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from mendory.errors import SchemaMismatch
from mendory.jsontext import with_path
from mendory.mapping.fitting import misfits
from mendory.mapping.places import (
    Cells,
    Composite,
    Place,
    held_at,
    is_text,
    is_vector,
    leaf_type,
    parse_place,
    plain_values,
)
from mendory.mapping.status import Marks, Vocabulary, held, mark_value, text_of
from mendory.mapping.times import TimeForms, read_column, utc_column
from mendory.record import BY_NAME, FIELD_NAMES, FIELDS, Memory, Shape, Status, VectorFacts

VECTORLESS: Final = "__vectorless"
"""Name of the computed boolean column a scan adds: the embedding is null."""
VECTOR: Final = "__vector"
"""Name of the computed column of `mendory.vectors.FACTS` a scan adds."""
RELATIONS: Final = ("duplicate_of", "superseded_by", "related_ids", "related_notes")
"""Fields that Mendory keeps aside, in its ledger, for an owner who has no place for them."""
UNREAD: Final = "__unread"
"""Name of the column of `Mapping.frame` that says which cells of a row can't be read, one bit a field."""
_FRAMED: Final = {Shape.TIME: pa.timestamp("us", "UTC"), Shape.TEXTS: pa.list_(pa.string())}
_NOTHING: Final[MappingType[str, Any]] = MappingProxyType({})
_EVER: Final = frozenset({"last_accessed_at", "last_verified_at"})
"""Times of what may never have happened: 0 says that."""
_PLAIN = tuple(f.name for f in FIELDS if f.shape is not Shape.VECTOR)
"""The fields of the record but the vector, in the order in which `Memory` takes them; then come the facts."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """Field → place, with None for a field the owner lacks.

    `volatile` names the places that a mere read changes; `zone` is that of naive times, `times` how times are
    written where they are no Arrow timestamps; `skip_ids` are rows that are no memories, `optional` the fields
    that the owner leaves empty on purpose.
    """

    places: MappingType[str, Place | Composite | None]
    volatile: frozenset[str] = frozenset()
    zone: tzinfo = field(default=UTC)
    times: MappingType[str, TimeForms] = field(default_factory=lambda: MappingProxyType({}))
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    skip_ids: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()

    @classmethod
    def identity(cls) -> Mapping:
        """Our own table."""
        return cls.of({}, ())

    @classmethod
    def of(
        cls,
        columns: MappingType[str, str],
        absent: Sequence[str] = (),
        volatile: Sequence[str] = (),
        zone: str = "UTC",
        *,
        times: MappingType[str, TimeForms] | None = None,
        words: MappingType[str, str] | None = None,
        missing: str | None = None,
        hide: MappingType[str, Any] | bool | None = None,
        show: MappingType[str, Any] | None = None,
        pending: MappingType[str, Any] | None = None,
        skip_ids: Sequence[str] = (),
        optional: Sequence[str] = (),
    ) -> Mapping:
        """The identity mapping with some fields elsewhere and some absent.

        `hide` None: a row is hidden by the owner's word for archived where the status lies; False: by nothing.
        Raises NoTemplate for a broken composite.
        """
        places = {n: None if n in absent else parse_place(columns.get(n, n)) for n in FIELD_NAMES}
        own = [str(p) for f in FIELDS if f.volatile and (p := places[f.name]) is not None]
        plain = Vocabulary(MappingProxyType(dict(words or {})), missing)
        if hide is None and pending is None:
            hiding, disputing = (
                _by_status(places["status"], plain, s) for s in (Status.ARCHIVED, Status.PENDING_REVIEW)
            )
        else:
            hiding = _by_status(places["status"], plain, Status.ARCHIVED) if hide is None else _marks(hide)
            disputing = _marks(pending)
        return cls(
            MappingProxyType(places),
            frozenset(volatile) | frozenset(own),
            ZoneInfo(zone),
            MappingProxyType(dict(times or {})),
            Vocabulary(plain.words, missing, hiding, disputing, _marks(show) or ()),
            tuple(skip_ids),
            frozenset(optional),
        )

    # --- what there is ------------------------------------------------------------------------------

    def place(self, name: str) -> Place | Composite | None:
        """Where field `name` lies, None when the owner has no place for it."""
        return self.places[name]

    def column(self, name: str) -> str | None:
        """The top-level column that holds field `name`, None for a composite or absent one."""
        place = self.places[name]
        return place.column if isinstance(place, Place) else None

    def has(self, name: str) -> bool:
        """True when the owner's table has a place for field `name`."""
        return self.places[name] is not None

    def absent(self) -> tuple[str, ...]:
        """The fields the owner's table has no place for; a status that marks tell is not absent."""
        return tuple(n for n, place in self.places.items() if place is None and not (n == "status" and self.can_hide))

    @property
    def inside_metadata(self) -> frozenset[str]:
        """The fields that are keys of the metadata: where that can't be read, they can't either."""
        column = self.column("metadata")
        held = {n for n, p in self.places.items() for q in _parts_of(p) if q.column == column and q.path}
        return frozenset(held)

    @property
    def plain(self) -> bool:
        """True when every field is absent or the plain value of a column of its own."""
        columns = all(p is None or (isinstance(p, Place) and not p.path) for p in self.places.values())
        own = _by_status(self.places["status"], self.vocabulary, Status.ARCHIVED)
        return columns and not self.times and not self.vocabulary.words and self.vocabulary.hide in (None, own)

    @property
    def can_hide(self) -> bool:
        """True when something makes the owner's reader stop returning a row."""
        return self.vocabulary.hide is not None

    def check(self, schema: pa.Schema) -> None:
        """Return when every place is there with a usable type; else raise SchemaMismatch naming all."""
        wrong = misfits(self.places, self.times, self.vocabulary, self.volatile, schema)
        if wrong:
            raise SchemaMismatch(
                f"The table does not fit the mapping in {len(wrong)} field(s): {'; '.join(wrong)}. Nothing was read. "
                "Name the places under [mapping.columns], or list fields the table lacks under mapping.absent."
            )

    def scan_columns(self, schema: pa.Schema) -> list[str]:
        """The columns a detector's scan reads: all but vectors, binaries and those a mere read changes."""
        mapped = {p.column for p in self._places()}
        vector = self.column("embedding")
        others = (f.name for f in schema if f.name not in mapped | self.volatile and _comparable(f.type))
        return [*(c for c in schema.names if c in mapped and c != vector), *others]

    def _places(self) -> Iterator[Place]:
        for place in self.places.values():
            yield from _parts_of(place)
        for marks in (self.vocabulary.hide, self.vocabulary.pending, self.vocabulary.show):
            yield from (place for place, _ in marks or ())

    # --- reading ------------------------------------------------------------------------------------

    def memories(self, batch: pa.Table | pa.RecordBatch) -> list[Memory]:
        """The rows of `batch` in record terms; a cell that can't be read is None and named in `wrong`."""
        size, cells = batch.num_rows, Cells(batch)
        wrong: dict[int, list[str]] = {}
        values: dict[str, list[Any]] = {}
        for name in sorted(_PLAIN, key=lambda n: n == "claim"):  # told last of what is wrong
            values[name], unread = self._read(name, cells, size)
            # a key inside metadata that is no JSON is told by the metadata's own finding
            for row in () if name in self.inside_metadata else unread:
                wrong.setdefault(row, []).append(name)
        why: list[str | None] = [None] * size
        if self.column("metadata") in batch.schema.names:
            parsed = cells.objects(str(self.column("metadata")))
            used = self._used(str(self.column("metadata")))
            values["metadata"] = [_without(found, used) for found, _ in parsed]
            why = [error for _, error in parsed]
        bare = batch.column(VECTORLESS).to_pylist() if VECTORLESS in batch.schema.names else [False] * size
        columns = [values[name] for name in _PLAIN]
        columns += [why, [bool(b) for b in bare], [tuple(wrong.get(r, ())) for r in range(size)]]
        nothing: list[MappingType[str, Any]] = [_NOTHING] * size
        columns.append(list(self._others(cells, size) or nothing))
        if VECTOR in batch.schema.names:
            columns.append(_vector_facts(batch.column(VECTOR)))
        return [Memory(*row) for row in zip(*columns, strict=True)]

    def frame(self, batch: pa.RecordBatch, fields: Collection[str]) -> pa.RecordBatch:
        """These fields of the rows as Arrow columns of the fields' names, times in UTC; what batches carry beside them.

        A cell that can't be read is null, and `UNREAD` has the bit of its field (`unread_bit`) set in its row. Of JSON
        only the metadata's text is given.
        """
        cells, made = Cells(batch), {}
        unread = np.zeros(batch.num_rows, np.int64)
        for name in fields:
            made[name], positions = self._column_of(name, cells, batch.num_rows)
            if len(positions):
                unread[positions] |= unread_bit(name)
        made[UNREAD] = pa.array(unread)
        for name in (VECTORLESS, VECTOR):
            if name in batch.schema.names:
                made[name] = batch.column(name)
        return pa.RecordBatch.from_pydict(made)

    def _column_of(self, name: str, cells: Cells, size: int) -> tuple[pa.Array, Sequence[int] | np.ndarray]:
        place, shape = self.places[name], BY_NAME[name].shape
        if isinstance(place, Place) and not place.path and (name != "status" or self._as_written):
            column = cells.batch.column(place.column)
            if is_text(column.type) and shape in (Shape.TEXT, Shape.JSON) and name != "claim":
                return column.cast(pa.string()), ()
            if pa.types.is_timestamp(column.type):
                times = self.times.get(name)
                return utc_column(column, (times and times.zone) or self.zone)
            if column.null_count == size:
                return pa.nulls(size, _FRAMED.get(shape, pa.string())), ()
            if shape is Shape.TEXTS and not column.flatten().null_count:
                return column.cast(_FRAMED[shape]), ()
        values, unread = self._read(name, cells, size)
        if shape is Shape.JSON:
            return pa.nulls(size, pa.string()), unread
        return pa.array(values, _FRAMED.get(shape, pa.string())), unread

    @property
    def _as_written(self) -> bool:
        """True when a row's status is what its place says, word for word."""
        said, own = self.vocabulary, _by_status(self.places["status"], self.vocabulary, Status.ARCHIVED)
        return not said.words and said.missing is None and said.hide in (None, own)

    @property
    def beside_metadata(self) -> frozenset[str]:
        """The keys of the metadata column that are fields, marks, or changed by a read."""
        column = self.column("metadata")
        return self._used(column) if column else frozenset()

    def _read(self, name: str, cells: Cells, size: int) -> tuple[list[Any], list[int]]:
        place, shape = self.places[name], BY_NAME[name].shape
        if name == "status":
            return self._statuses(cells, size)
        if place is None or name == "metadata" or (isinstance(place, Place) and not cells.has(place)):
            return [() if shape is Shape.TEXTS else None] * size, []
        if isinstance(place, Composite):
            return self._composites(place, cells, size), []
        if shape is Shape.TIME:
            array = cells.array(place)
            found, unread = ([], []) if array is not None else cells.values(place)
            if array is not None and not pa.types.is_timestamp(array.type):
                found = array.to_pylist()
            if name in _EVER:
                found = [None if cell in (0, "0") else cell for cell in found]
            values, more = read_column(array, found, self.times.get(name), self.zone)
            return values, [*unread, *more]
        if shape is Shape.JSON and not place.path:
            parsed = cells.objects(place.column)
            return [found for found, _ in parsed], [at for at, (_, why) in enumerate(parsed) if why]
        found, unread = cells.values(place)
        values, more = _shaped(found, shape)
        return values, [*unread, *more]

    def _composites(self, place: Composite, cells: Cells, size: int) -> list[str | None]:
        parts = {str(p): cells.values(p)[0] if cells.has(p) else [None] * size for p in place.places}
        joined: list[str | None] = []
        for at in range(size):
            try:
                joined.append(place.template.fill(lambda key, at=at: text_of(parts[key][at])))  # type: ignore[misc]
            except KeyError:
                joined.append(None)
        return joined

    def _statuses(self, cells: Cells, size: int) -> tuple[list[Any], list[int]]:
        place, said = self.places["status"], self.vocabulary
        words = cells.values(place)[0] if isinstance(place, Place) and cells.has(place) else None
        hidden = [False] * size
        for at_place, value in said.hide or ():
            told = words is not None and at_place == place and self._says_hidden(value)
            if not told and cells.has(at_place):
                hidden = [h or held(value, c) for h, c in zip(hidden, cells.values(at_place)[0], strict=True)]
        return said.read(words, hidden, said.missing or ("active" if place is None and said.hide else None))

    def _says_hidden(self, value: Any) -> bool:
        """The owner's word alone says already that a row so marked is archived."""
        word = text_of(value) or ""
        return self.vocabulary.words.get(word, word) == Status.ARCHIVED

    def _used(self, column: str) -> frozenset[str]:
        """Keys of a JSON or struct column that are fields, marks, or (dotted where deeper) changed by a read."""
        named = {p.path[0] for p in self._places() if p.column == column and len(p.path) == 1}
        return frozenset(named | _keys_of(column, self.volatile))

    def _others(self, cells: Cells, size: int) -> list[dict[str, Any]] | None:
        """What the owner's other columns hold, by name; only what is not null."""
        mapped = {p.column for p in self._places() if not p.path}
        found: list[dict[str, Any]] = [{} for _ in range(size)]
        ids = cells.batch.column(str(self.column("id"))).to_pylist()
        anything = False
        for name in cells.batch.schema.names:
            kind = cells.batch.schema.field(name).type
            if name in mapped or name in (VECTORLESS, VECTOR) or name in self.volatile or not _comparable(kind):
                continue
            used = self._used(name)
            column = plain_values(cells.batch.column(name))
            if is_text(kind) and used:
                column = [read for read, _ in cells.objects(name)]
            for at, value in enumerate(column):
                kept = _said(_without(value, used) if isinstance(value, dict) else value, ids[at])
                if kept is not None and kept != {}:
                    found[at][name], anything = _jsonable(kept), True
        return found if anything else None

    # --- writing ------------------------------------------------------------------------------------

    def write(
        self, row: MappingType[str, Any], changes: MappingType[str, Any], now: datetime | None = None
    ) -> dict[str, Any]:
        """Column or struct leaf → new value for `changes` of fields; a key of JSON changes that key's bytes only.

        `changes` are by field, `metadata.<key>` for one key, `status.spelling` for the owner's word of a status.
        `row` holds the columns' present values, `now` is the time that marks of time get. What Mendory keeps aside is
        left out (`aside`). Raises SchemaMismatch for an absent field.
        """
        new: dict[str, Any] = {}
        kept = self.aside(changes)
        for name, value in changes.items():
            if name not in kept:
                for place, what in self._placed(name, value, now):
                    self._put(new, row, place, self._local(row, place, what))
        return new

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
        """The changes of fields that the owner has no place for and Mendory keeps: relations, and the pending mark."""
        return {n: v for n, v in changes.items() if (n in RELATIONS and not self.has(n)) or self._pending_aside(n, v)}

    def _pending_aside(self, name: str, value: Any) -> bool:
        return name == "status" and value == Status.PENDING_REVIEW and self.vocabulary.pending is None

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
                raise SchemaMismatch(
                    f"The owner has no word for the status '{value}'. Nothing was planned for it. "
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


def unread_bit(name: str) -> int:
    """The bit of `UNREAD` that stands for the field."""
    return 1 << FIELD_NAMES.index(name)


def _vector_facts(column: pa.Array | pa.ChunkedArray) -> list[VectorFacts | None]:
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    found: list[VectorFacts | None] = []
    for chunk in chunks:
        leaves = [leaf.to_pylist() for leaf in chunk.flatten()]
        found += [None if one[0] is None else VectorFacts(*one) for one in zip(*leaves, strict=True)]
    return found


def _parts_of(place: Place | Composite | None) -> tuple[Place, ...]:
    return place.places if isinstance(place, Composite) else (place,) if place else ()


def _by_status(place: Place | Composite | None, said: Vocabulary, status: Status) -> Marks | None:
    word = said.word(status.value)
    return ((place, word),) if isinstance(place, Place) and word is not None else None


def _marks(marks: MappingType[str, Any] | bool | None) -> Marks | None:
    if not isinstance(marks, MappingType) or not marks:
        return None
    return tuple((Place.of(name), value) for name, value in marks.items())


def _keys_of(column: str, names: Collection[str]) -> set[str]:
    """The keys of `column` among the names of places."""
    return {n[len(column) + 1 :] for n in names if n.startswith(f"{column}.")}


def _without(whole: Any, keys: Collection[str]) -> Any:
    """The object without some keys, which may lie deeper: `stats.hits`; what only held such is gone too."""
    if not whole or not keys:
        return whole
    kept = {}
    for key, value in whole.items():
        below = _keys_of(key, keys) if isinstance(value, dict) else ()
        rest = _without(value, below)
        if key not in keys and (rest or not below or not value):
            kept[key] = rest
    return kept


def _said(value: Any, own: str | None) -> Any:
    """What a cell says; a copy of the row's own id says nothing."""
    if isinstance(value, dict):
        return {k: v for k, v in value.items() if v is not None and v != own}
    return None if value == own else value


def _shaped(cells: Sequence[Any], shape: Shape) -> tuple[list[Any], list[int]]:
    """(cells in their field's shape, positions of those that are not)."""
    values: list[Any] = []
    unread = []
    for at, cell in enumerate(cells):
        match shape:
            case Shape.TEXTS:
                good = isinstance(cell, list) and all(isinstance(v, str) for v in cell)
                value: Any = tuple(cell) if good else ()
            case Shape.JSON:
                value = cell if isinstance(cell, dict) else None
                good = value is not None
            case _:
                value = cell if isinstance(cell, str) else text_of(cell)
                good = value is not None
        if not good and cell is not None:
            unread.append(at)
        values.append(value)
    return values, unread


def _comparable(kind: pa.DataType) -> bool:
    """True for columns whose values say something that can be compared: no vectors, no binaries."""
    return not (is_vector(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _jsonable(value: Any) -> Any:
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case float() if not math.isfinite(value):
            return repr(value)
        case Decimal() | timedelta() | bytes():
            return str(value)
        case dict():
            return {str(k): _jsonable(v) for k, v in value.items()}
        case list() | tuple():
            return [_jsonable(v) for v in value]
    return value
