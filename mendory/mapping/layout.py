"""Where each field lies in a table, and what the owner's table has no place for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Any, Final, Self
from zoneinfo import ZoneInfo

import pyarrow as pa

from mendory.errors import SchemaMismatch
from mendory.mapping.fitting import misfits
from mendory.mapping.places import Composite, Place, is_addressable, is_comparable, leaf_type, parse_place
from mendory.mapping.status import Marks, Vocabulary
from mendory.mapping.times import TimeForms
from mendory.record import FIELD_NAMES, FIELDS, Status

_NEVER_ABSENT: Final = frozenset({"id", "content"})


@dataclass(frozen=True, slots=True)
class Layout:
    """Field → place, with None for a field the owner lacks.

    `volatile` names the places that a mere read changes; `zone` is that of naive times, `times` how times are
    written where they are no Arrow timestamps; `skip_ids` are rows that are no memories, `optional` the fields
    that the owner leaves empty on purpose. `vectors` are further columns of vectors, which are no field; `other_spaces`
    are those of `volatile` that hold the vectors of a space that is not searched.
    """

    places: MappingType[str, Place | Composite | None]
    volatile: frozenset[str] = frozenset()
    zone: tzinfo = field(default=UTC)
    times: MappingType[str, TimeForms] = field(default_factory=lambda: MappingProxyType({}))
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    skip_ids: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    vectors: tuple[str, ...] = ()
    other_spaces: frozenset[str] = frozenset()

    @classmethod
    def identity(cls) -> Self:
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
        vectors: Sequence[str] = (),
    ) -> Self:
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
            tuple(vectors),
        )

    def place(self, name: str) -> Place | Composite | None:
        """Where field `name` lies, None when the owner has no place for it."""
        return self.places[name]

    def column(self, name: str) -> str | None:
        """The top-level column that holds field `name`, None for a composite or absent one."""
        place = self.places[name]
        return place.column if isinstance(place, Place) else None

    def columns_of(self, names: Collection[str]) -> frozenset[str]:
        """The columns in which these fields lie, wholly or in part."""
        return frozenset(p.column for name in names for p in _parts_of(self.place(name)))

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
    def metadata_paths(self) -> frozenset[tuple[str, ...]]:
        """The keys inside the metadata's column, as paths, that are fields or marks."""
        column = self.column("metadata")
        return frozenset(p.path for p in self._places() if p.column == column and p.path)

    @property
    def plain(self) -> bool:
        """True when every field is absent or the plain value of a column of its own."""
        columns = all(p is None or (isinstance(p, Place) and not p.path) for p in self.places.values())
        own = _by_status(self.places["status"], self.vocabulary, Status.ARCHIVED)
        return columns and not self.times and not self.vocabulary.words and self.vocabulary.hide in (None, own)

    @property
    def _as_written(self) -> bool:
        """True when a row's status is what its place says, word for word."""
        said, own = self.vocabulary, _by_status(self.places["status"], self.vocabulary, Status.ARCHIVED)
        return not said.words and said.missing is None and said.hide in (None, own)

    @property
    def can_hide(self) -> bool:
        """True when something makes the owner's reader stop returning a row."""
        return self.vocabulary.hide is not None

    def pointed(self, column: str | None, beside: str | None) -> Self:
        """The layout while vectors of two spaces lie side by side: searched are those in `column`, None for its own.

        What lies in the other column is of no field: outside digests, and re-read just before a row is written.
        """
        own = self.column("embedding")
        searched = column or own
        others = frozenset(c for c in (own, beside) if c is not None and c != searched)
        if searched is None or (searched == own and not others):
            return self
        places = MappingProxyType({**self.places, "embedding": Place(searched)})
        kept = tuple(c for c in self.vectors if c != searched and c not in others)
        return replace(self, places=places, volatile=self.volatile | others, vectors=kept, other_spaces=others)

    def fitted(self, schema: pa.Schema) -> Self:
        """The layout of a table of that schema: a field whose place can't hold any value counts as absent.

        So does a mark. The id and the content can't be absent, and stay. What lay beside the searched vectors and is
        gone by now counts no more.
        """
        gone = self.other_spaces - set(schema.names)
        if gone:
            return replace(self, volatile=self.volatile - gone, other_spaces=self.other_spaces - gone).fitted(schema)
        empty = {
            n
            for n, p in self.places.items()
            if n not in _NEVER_ABSENT and any(_is_null(q, schema) for q in _parts_of(p))
        }
        said, hide, pending = self.vocabulary, self.vocabulary.hide, self.vocabulary.pending
        lost_hide, lost_pending = (any(_is_null(p, schema) for p, _ in marks or ()) for marks in (hide, pending))
        if not empty and not lost_hide and not lost_pending:
            return self
        shown = tuple((place, value) for place, value in said.show if not _is_null(place, schema))
        said = replace(said, show=shown, hide=None if lost_hide else hide, pending=None if lost_pending else pending)
        places = {n: None if n in empty else p for n, p in self.places.items()}
        return replace(self, places=MappingProxyType(places), vocabulary=said)

    def check(self, schema: pa.Schema) -> None:
        """Return when every place is there with a usable type; else raise SchemaMismatch naming all."""
        wrong = misfits(self.places, self.times, self.vocabulary, self.volatile, self.vectors, schema)
        if wrong:
            raise SchemaMismatch(
                f"The table does not fit the mapping in {len(wrong)} field(s): {'; '.join(wrong)}. Nothing was read. "
                "Name the places under [mapping.columns], or list fields the table lacks under mapping.absent."
            )

    def scan_columns(self, schema: pa.Schema) -> list[str]:
        """The columns a detector's scan reads.

        All but vectors, binaries, those a mere read changes, and those that nobody maps and Lance can't read.
        """
        mapped = {p.column for p in self._places()}
        vector = self.column("embedding")
        left_out = mapped | self.volatile | set(unaddressable(schema))
        others = (f.name for f in schema if f.name not in left_out and is_comparable(f.type))
        return [*(c for c in schema.names if c in mapped and c != vector), *others]

    def _places(self) -> Iterator[Place]:
        for place in self.places.values():
            yield from _parts_of(place)
        for marks in (self.vocabulary.hide, self.vocabulary.pending, self.vocabulary.show):
            yield from (place for place, _ in marks or ())


def unaddressable(schema: pa.Schema) -> list[str]:
    """The columns that Lance can't read by name."""
    return [name for name in schema.names if not is_addressable(name)]


def _is_null(place: Place, schema: pa.Schema) -> bool:
    """True where the place is of the type that holds nothing but nulls."""
    try:
        kind = leaf_type(schema, place)
    except KeyError:
        return False
    return kind is not None and bool(pa.types.is_null(kind))


def _parts_of(place: Place | Composite | None) -> tuple[Place, ...]:
    return place.places if isinstance(place, Composite) else (place,) if place else ()


def _by_status(place: Place | Composite | None, said: Vocabulary, status: Status) -> Marks | None:
    word = said.word(status.value)
    return ((place, word),) if isinstance(place, Place) and word is not None else None


def _marks(marks: MappingType[str, Any] | bool | None) -> Marks | None:
    if not isinstance(marks, MappingType) or not marks:
        return None
    return tuple((Place.of(name), value) for name, value in marks.items())
