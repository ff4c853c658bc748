"""Rows in record terms: as memories, and as Arrow columns of the fields' names."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Mapping as MappingType
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mendory.jsontext import dumps
from mendory.mapping.layout import Layout
from mendory.mapping.places import Cells, Composite, Place, is_comparable, is_text, plain_values, read_object
from mendory.mapping.status import held
from mendory.mapping.times import read_column, utc_column
from mendory.record import BY_NAME, FIELD_NAMES, FIELDS, Memory, Shape, Status, VectorFacts
from mendory.text import text_of

# Lance allows no dot in a column's name, so that no column of an owner's is named like these
VECTORLESS: Final = "mendory.vectorless"
"""Name of the computed boolean column a scan adds: the embedding is null."""
VECTOR: Final = "mendory.vector"
"""Name of the computed column of `mendory.vectors.FACTS` a scan adds."""
_FURTHER: Final = f"{VECTOR}:"
UNREAD: Final = "mendory.unread"
"""Name of the column of `Reading.frame` that says which cells of a row can't be read, one bit a field."""
_FRAMED: Final = {Shape.TIME: pa.timestamp("us", "UTC"), Shape.TEXTS: pa.list_(pa.string())}
_NOTHING: Final[MappingType[str, Any]] = MappingProxyType({})
_EVER: Final = frozenset({"last_accessed_at", "last_verified_at"})
"""Times of what may never have happened: 0 says that."""
_PLAIN = tuple(f.name for f in FIELDS if f.shape is not Shape.VECTOR)
"""The fields of the record but the vector, in the order in which `Memory` takes them; then come the facts."""


class Reading(Layout):
    """A layout that reads rows."""

    __slots__ = ()

    def memories(self, batch: pa.Table | pa.RecordBatch) -> list[Memory]:
        """The rows of `batch` in record terms; a cell that can't be read is None and named in `wrong`."""
        size, cells = batch.num_rows, Cells(batch)
        wrong: dict[int, list[str]] = {}
        values: dict[str, list[Any]] = {}
        why: list[str | None] = [None] * size
        metadata: list[Any] = [None] * size
        if self.column("metadata") in batch.schema.names:
            parsed = cells.objects(str(self.column("metadata")))
            used = self._used(str(self.column("metadata")))
            metadata = [_without(found, used) for found, _ in parsed]
            why = [error for _, error in parsed]
        inside = self.inside_metadata
        for name in sorted(_PLAIN, key=lambda n: n == "claim"):  # told last of what is wrong
            values[name], unread = self._read(name, cells, size)
            # a key inside metadata that is no JSON is told by the metadata's own finding
            for row in unread if name not in inside else (r for r in unread if why[r] is None):
                wrong.setdefault(row, []).append(name)
        values["metadata"] = metadata
        bare = batch.column(VECTORLESS).to_pylist() if VECTORLESS in batch.schema.names else [False] * size
        columns = [values[name] for name in _PLAIN]
        columns += [why, [bool(b) for b in bare], [tuple(wrong.get(r, ())) for r in range(size)]]
        nothing: list[MappingType[str, Any]] = [_NOTHING] * size
        columns.append(list(self._others(cells, size) or nothing))
        if VECTOR in batch.schema.names:
            columns.append(_vector_facts(batch.column(VECTOR)))
        if there := [name for name in self.vectors if further(name) in batch.schema.names]:
            columns += [] if VECTOR in batch.schema.names else [[None] * size]
            columns.append(_by_column({name: _vector_facts(batch.column(further(name))) for name in there}))
        return [Memory(*row) for row in zip(*columns, strict=True)]

    def frame(self, batch: pa.RecordBatch, fields: Collection[str]) -> pa.RecordBatch:
        """These fields of the rows as Arrow columns of the fields' names, times in UTC; what batches carry beside them.

        A cell that can't be read is null, and `UNREAD` has the bit of its field (`unread_bit`) set in its row. Of JSON
        its text is given: the metadata's as it is written, a claim's as it was read.
        """
        cells, made = Cells(batch), {}
        unread = np.zeros(batch.num_rows, np.int64)
        for name in fields:
            made[name], positions = self._column_of(name, cells, batch.num_rows)
            if len(positions):
                unread[positions] |= unread_bit(name)
        made[UNREAD] = pa.array(unread)
        for name in (VECTORLESS, VECTOR, *map(further, self.vectors)):
            if name in batch.schema.names:
                made[name] = batch.column(name)
        return pa.RecordBatch.from_pydict(made)

    def metadata_of(self, texts: Iterable[str | None]) -> list[tuple[dict[str, Any] | None, str | None]]:
        """(the metadata that a text of its column says, why it can't be read) for each; blank text says nothing."""
        used = self.beside_metadata
        return [(_without(found, used), why) for found, why in map(read_object, texts)]

    def beside(self, batch: pa.RecordBatch, name: str) -> list[Any] | None:
        """What the owner's further column `name` says in each row, as `Memory.others` has it; None where nothing."""
        own = str(self.column("id"))
        if name not in batch.schema.names or name == own:
            return None
        held = self._others(Cells(batch.select([own, name])), batch.num_rows)
        return None if held is None else [row.get(name) for row in held]

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
            said = [None if value is None else dumps(value) for value in values]
            return pa.array(said, pa.string()), unread
        return pa.array(values, _FRAMED.get(shape, pa.string())), unread

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
            return self._composites(place, cells, size)
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

    def _composites(self, place: Composite, cells: Cells, size: int) -> tuple[list[str | None], list[int]]:
        parts: dict[str, list[str | None]] = {}
        unread: set[int] = set()
        for part in place.places:
            found, lost = cells.values(part) if cells.has(part) else ([None] * size, [])
            parts[str(part)] = words = [text_of(cell) for cell in found]
            unread.update(lost, (at for at, cell in enumerate(found) if cell is not None and words[at] is None))
        joined: list[str | None] = []
        for at in range(size):
            try:
                joined.append(place.template.fill(lambda key, at=at: parts[key][at]))  # type: ignore[misc]
            except KeyError:
                joined.append(None)
        return joined, sorted(unread)

    def _statuses(self, cells: Cells, size: int) -> tuple[list[Any], list[int]]:
        place, said = self.places["status"], self.vocabulary
        words, lost = cells.values(place) if isinstance(place, Place) and cells.has(place) else (None, [])
        hidden = [False] * size
        for at_place, value in said.hide or ():
            told = words is not None and at_place == place and self._says_hidden(value)
            if not told and cells.has(at_place):
                hidden = [h or held(value, c) for h, c in zip(hidden, cells.values(at_place)[0], strict=True)]
        found, unread = said.read(words, hidden, said.missing or ("active" if place is None and said.hide else None))
        return found, sorted({*unread, *(at for at in lost if not hidden[at])})

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
        silent = {p.column for p in self._places() if not p.path} | self.volatile
        found: list[dict[str, Any]] = [{} for _ in range(size)]
        ids = cells.batch.column(str(self.column("id"))).to_pylist()
        anything = False
        for name in cells.batch.schema.names:
            kind = cells.batch.schema.field(name).type
            if name in silent or _is_computed(name) or not is_comparable(kind):
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


def unread_bit(name: str) -> int:
    """The bit of `UNREAD` that stands for the field."""
    return 1 << FIELD_NAMES.index(name)


def further(column: str) -> str:
    """Name of the computed column of `mendory.vectors.FACTS` that a scan adds for a further column of vectors."""
    return f"{_FURTHER}{column}"


def _is_computed(name: str) -> bool:
    return name in (VECTORLESS, VECTOR) or name.startswith(_FURTHER)


def _by_column(known: MappingType[str, list[VectorFacts | None]]) -> list[MappingType[str, VectorFacts]]:
    rows = zip(*known.values(), strict=True)
    return [{n: one for n, one in zip(known, row, strict=True) if one is not None} or _NOTHING for row in rows]


def _vector_facts(column: pa.Array | pa.ChunkedArray) -> list[VectorFacts | None]:
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    found: list[VectorFacts | None] = []
    for chunk in chunks:
        leaves = [leaf.to_pylist() for leaf in chunk.flatten()]
        found += [None if one[0] is None else VectorFacts(*one) for one in zip(*leaves, strict=True)]
    return found


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
