"""How many rows of a table have what: facts about the whole to which rows are added and from which they are taken."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from mendory.detect import Settings
from mendory.detect.required import LACKING_FROM
from mendory.detect.scopes import told
from mendory.detect.shapes import shape_for
from mendory.detect.status import StatusSpelling
from mendory.facts import Usual
from mendory.record import Memory, Status, VectorFacts
from mendory.text import is_blank, script, valueless
from mendory.traits import attributes

BALLAST: Final = "~ballast~"
"""How the id of a row begins that is in no table."""
_SPELLINGS: Final = 400
_USUAL: Final = 0.95
_UNIT: Final = 1e-3
_REQUIRED: Final = frozenset({"source", "scope", "created_at", "updated_at", "embedding"})
"""Fields that stand down where no row of the table has them."""
_FIELDS: Final = tuple((name, ("field", name)) for name in sorted(_REQUIRED))
_ROW: Final = ("rows",)
_script = lru_cache(maxsize=4096)(script)
_KNOWN: Final = frozenset(s.value for s in Status)


class Counts:
    """What is counted of the rows of a table."""

    def __init__(self, settings: Settings, held: Iterable[tuple[tuple[Any, ...], int]] = ()) -> None:
        self._settings = settings
        self.held: Counter[tuple[Any, ...]] = Counter(dict(held))

    @classmethod
    def from_json(cls, settings: Settings, data: Sequence[Any]) -> Counts:
        """The counts whose `as_json` is `data`."""
        return cls(settings, ((tuple(key), number) for key, number in data))

    def as_json(self) -> list[Any]:
        """Pairs of key and number, none of them 0."""
        return [[list(key), number] for key, number in self.held.items() if number]

    def copy(self) -> Counts:
        """The same counts, to be changed apart."""
        return Counts(self._settings, self.held.items())

    def add(self, memory: Memory) -> None:
        """The row is counted."""
        self.held.update(self._keys(memory))

    def add_all(self, counted: Mapping[tuple[Any, ...], int]) -> None:
        """The rows of which so many have what are counted; see `mendory.facts.Changed.counted`."""
        self.held.update(counted)

    def take_all(self, counted: Mapping[tuple[Any, ...], int]) -> None:
        """The rows are no longer counted."""
        self.held.subtract(counted)

    def _keys(self, memory: Memory) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = [_ROW, ("scope", memory.scope or "")]
        if not memory.id:
            found.append(("nameless",))
        inside = self._settings.inside_metadata if memory.metadata_error else ()
        for name, key in _FIELDS:
            if (name not in memory.wrong and name not in inside) and _has(memory, name):
                found.append(key)
        # where a schema of the user's judges the metadata, it alone says which keys there must be
        if memory.metadata and (not self._settings.schemas or shape_for(memory.kind, self._settings.schemas) is None):
            held = memory.metadata
            found += [("key", key) for key in self._settings.required_metadata if not valueless(held.get(key))]
        if memory.id and "status" not in memory.wrong and "status" not in inside:
            found.append(("status", memory.status, bool(memory.duplicate_of)))
        for column, vector in ((None, memory.vector), *memory.vectors.items()):
            if memory.id and vector is not None:
                found.append((_about("dimension", column), vector.dimension))
                if _is_sound(vector):
                    found.append((_about("unit", column), abs(vector.norm - 1) <= _UNIT))
        found += [("attribute", name, value) for name, value in attributes(memory, self._settings.names)]
        if memory.content and not memory.content.isspace():
            found.append(("script", _script(memory.content)))
        found += told(memory, self._settings.absent, self._settings.owner_keys)
        return found

    def of(self, kind: str) -> dict[Any, int]:
        """The counts of one kind, by what is counted."""
        return {key[1] if len(key) == 2 else key[1:]: n for key, n in self.held.items() if key[0] == kind and n}

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.held["rows",]

    @property
    def nameless(self) -> int:
        """How many of them have no id."""
        return self.held["nameless",]

    def regime(self) -> tuple[Any, ...]:
        """What detectors take from the table as a whole; where it is the same, rows are judged without the others."""
        spelling = StatusSpelling("status" in self._settings.absent, self._settings.status_words)
        for memory in self._spelt():
            spelling.observe(memory)
        return (
            _REQUIRED & self.of("field").keys(),
            frozenset(self.of("key")),
            tuple(spelling.stands_down()),
            *((self._usual(column), self._is_normal(column)) for column in (None, *self._settings.vectors)),
        )

    def usual(self) -> Usual:
        """What the table as a whole tells of a row."""
        columns = (None, *self._settings.vectors)
        vectors = {column: (self._usual(column), self._is_normal(column)) for column in columns}
        return Usual(_REQUIRED & self.of("field").keys(), frozenset(self.of("key")), vectors)

    def _usual(self, column: str | None) -> int | None:
        dimensions = self.of(_about("dimension", column))
        usual, rows = max(dimensions.items(), key=lambda d: d[1], default=(None, 0))
        return usual if rows >= _USUAL * sum(dimensions.values()) else None

    def _is_normal(self, column: str | None) -> bool:
        units = self.of(_about("unit", column))
        return sum(units.values()) >= LACKING_FROM and units.get(True, 0) >= _USUAL * sum(units.values())

    def _spelt(self) -> Iterator[Memory]:
        """Rows whose statuses are spelt as the table's are, few of each."""
        statuses = self.of("status")
        most = max((n for (status, _), n in statuses.items() if status not in _KNOWN), default=0)
        for (status, merged), number in statuses.items():
            scaled = number if most <= _SPELLINGS else max(1, number * _SPELLINGS // most)
            for _ in range(1 if status in _KNOWN else scaled):
                target = f"{BALLAST}merged" if merged else None
                yield Memory(id=BALLAST, content=None, status=status, duplicate_of=target)

    def ballast(self, rows: Sequence[Memory]) -> Iterator[Memory]:
        """Rows of no table that, examined with these, make what is taken from the table as a whole come out alike."""
        fields, keys = self.of("field"), self.of("key")
        made = [*self._spelt(), *([Memory(id=BALLAST, content=None)] * LACKING_FROM)]
        wanted = self._vectors(None, [m.vector for m in rows])
        further = {c: self._vectors(c, [m.vectors.get(c) for m in rows]) for c in self._settings.vectors}
        most = max(map(len, (wanted, *further.values())))
        made += [Memory(id=BALLAST, content=None)] * max(most - len(made), 0)
        now = datetime(2020, 1, 1, tzinfo=UTC)
        whole: dict[str, Any] = {
            "metadata": dict.fromkeys(keys, BALLAST),
            "source": BALLAST if "source" in fields else None,
            "scope": BALLAST if "scope" in fields else None,
            "created_at": now if "created_at" in fields else None,
            "updated_at": now if "updated_at" in fields else None,
            "vectorless": "embedding" not in fields,
        }
        for number, memory in enumerate(made):
            vector = wanted[number] if number < len(wanted) else None
            others = {c: made_up[number] for c, made_up in further.items() if number < len(made_up)}
            yield replace(memory, id=f"{BALLAST}{number}", vector=vector, vectors=others, **whole)

    def _vectors(self, column: str | None, rows: Sequence[VectorFacts | None]) -> list[VectorFacts]:
        """Vectors that make what is usual in the column come out among these rows as it is in the table."""
        usual, normal = self._usual(column), self._is_normal(column)
        if usual is None:
            return []
        held = [known for known in rows if known is not None and _is_sound(known)]
        unit = sum(abs(v.norm - 1) <= _UNIT for v in held)
        alike = sum(v.dimension == usual for v in held)
        if normal:
            missing = math.ceil((_USUAL * len(held) - min(unit, alike)) / (1 - _USUAL)) + LACKING_FROM
            return [VectorFacts(usual, True, 1.0, 2**64 - 1 - n) for n in range(max(missing, LACKING_FROM))]
        missing = math.ceil((_USUAL * len(held) - alike) / (1 - _USUAL)) + LACKING_FROM
        return [VectorFacts(usual, True, 3.0, 2**64 - 1 - n) for n in range(max(missing, LACKING_FROM, len(held) // 9))]


def _about(kind: str, column: str | None) -> str:
    return kind if column is None else f"{kind} of {column}"


def _is_sound(vector: VectorFacts) -> bool:
    return vector.finite and vector.norm >= 1e-12


def _has(memory: Memory, name: str) -> bool:
    if name == "embedding":
        return not memory.vectorless
    value = getattr(memory, name)
    return bool(value) and not (isinstance(value, str) and is_blank(value))
