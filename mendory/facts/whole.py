"""Facts that only the whole table tells: who shares an id, where references lead, what is usual among the vectors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory.detect import Fetch, Settings
from mendory.detect.required import LACKING_FROM
from mendory.detect.status import meant, owners_spellings
from mendory.detect.vectors import ENOUGH, OFF_UNIT, SAME, UNIT, ZERO, of_one_vector
from mendory.facts import links, rows, texts
from mendory.facts.rows import Chunk
from mendory.mapping import VECTOR, VECTORLESS, further
from mendory.record import Status
from mendory.text import exact_key, id_key

_KNOWN: Final = frozenset(s.value for s in Status)
_REFERENCES: Final = ("duplicate_of", "superseded_by", "related_ids")
FACTS: Final = ("id:rows", "id:alike", *(f"reference:{kind}" for kind in links.KINDS))
"""Columns of facts about ids and references; a healthy row has 1, 1 and 0 everywhere."""


@dataclass
class Gathered:
    """What is kept of every row while the table is read: its id, scope and references, what is known of its vectors.

    `beside` are the keys of the metadata's column that are no metadata.
    """

    rows: int = 0
    ids: list[pa.Array] = field(default_factory=list)
    scopes: list[pa.Array] = field(default_factory=list)
    vectors: list[dict[str, Any]] = field(default_factory=list)
    further: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    vectorless: list[pa.Array] = field(default_factory=list)
    referring: list[links.Row] = field(default_factory=list)
    odd: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    statuses: Counter[tuple[str | None, bool]] = field(default_factory=Counter)
    held: set[str] = field(default_factory=set)
    beside: frozenset[str] = frozenset()

    def add(self, chunk: Chunk, settings: Settings) -> None:
        """The chunk's rows are kept."""
        ids = chunk.ids
        self.rows += len(ids)
        self.ids.append(ids)
        for at in texts.odd_ids(ids):
            name = ids[int(at)].as_py()
            if name and (key := id_key(name)) != name:
                self.odd[key].add(name)
        self.held |= rows.held(chunk.frame, settings, self.held)
        self.held |= rows.held_keys(chunk.facts, settings, self.held, self.beside)
        if (known := rows.vectors(chunk, VECTOR)) is not None:
            self.vectors.append(known)
        for name in settings.vectors:
            if (known := rows.vectors(chunk, further(name))) is not None:
                self.further[name].append(known)
        if VECTORLESS in chunk.frame.column_names:
            self.vectorless.append(rows.column(chunk.frame, VECTORLESS))
        if "scope" in chunk.frame.column_names:
            self.scopes.append(rows.column(chunk.frame, "scope").dictionary_encode())
        self.referring += links.referring(chunk)
        if "status" in chunk.frame.column_names:
            self.statuses.update(rows.statuses(chunk.frame, settings))


@dataclass(frozen=True, slots=True)
class Vectors:
    """What is known of a column of vectors: facts by name, one value a row; what is usual among them.

    `dimension` is the usual one; `unit`: they are normalised.
    """

    facts: Mapping[str, Any]
    dimension: int | None = None
    unit: bool = False


@dataclass(frozen=True, slots=True)
class Whole:
    """What the whole table tells.

    `ids` are facts by column, one value a row. `vectors` is known of the embeddings, `further` of further vectors, by
    column. `lacking` are required fields and keys that not one of 20 or more rows has; `statuses` those that count as
    right.
    """

    ids: Mapping[str, Any]
    vectors: Vectors
    further: Mapping[str, Vectors]
    lacking: frozenset[str]
    statuses: tuple[str, ...]


def gather(chunks: Iterable[Chunk], settings: Settings, into: Gathered) -> Iterator[Chunk]:
    """The chunks as they come, each kept in `into`."""
    for chunk in chunks:
        into.add(chunk, settings)
        yield chunk


def of(held: Gathered, fetch: Fetch, settings: Settings) -> Whole:
    """What the whole table tells of the rows that were kept; `fetch` reads the few whose texts matter."""
    ids = _Ids.of(held)
    required = [n for n in ("source", "scope", "created_at", "updated_at", "embedding") if n not in settings.absent]
    if "metadata" not in settings.absent and "*" not in settings.schemas:
        required += [f"metadata.{key}" for key in settings.required_metadata]
    lacking = frozenset(n for n in required if n not in held.held) if held.rows >= LACKING_FROM else frozenset()
    others = {name: _known(parts, ids)[0] for name, parts in held.further.items()}
    vectors = _embeddings(held, ids, fetch, settings)
    return Whole(_id_facts(held, ids), vectors, others, lacking, _statuses(held, settings))


@dataclass(frozen=True, slots=True)
class _Ids:
    """Row → number of its id, -1 for none; number → id, how many rows hold it, the last of them."""

    names: pa.Array
    numbers: Any
    counts: Any
    last: Any

    @classmethod
    def of(cls, held: Gathered) -> _Ids:
        whole = pa.chunked_array(held.ids, pa.string()).dictionary_encode().combine_chunks()
        whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
        numbers = np.asarray(whole.indices).astype(np.int32, copy=True)
        nameless = pc.index(whole.dictionary, "").as_py()
        counts = np.bincount(numbers, minlength=len(whole.dictionary)).astype(np.int32)
        last = np.zeros(len(whole.dictionary), np.int32)
        last[numbers] = np.arange(len(numbers), dtype=np.int32)
        if nameless >= 0:
            numbers[numbers == nameless] = -1
        return cls(whole.dictionary, numbers, counts, last)

    def number(self, names: list[str]) -> dict[str, int]:
        """Id → its number, for those that rows hold."""
        found = pc.index_in(self.names, value_set=pa.array(names, pa.string()))
        at = np.flatnonzero(np.asarray(found.is_valid()))
        return {names[found[int(n)].as_py()]: int(n) for n in at}

    def are_last(self) -> Any:
        """Which rows are what a look-up by their id finds."""
        return (self.numbers >= 0) & (self.last[self.numbers] == np.arange(len(self.numbers), dtype=np.int32))

    def holds(self, names: Iterable[str]) -> Any:
        """Which rows have one of these ids."""
        wanted = np.fromiter(self.number(sorted(names)).values(), np.int64)
        return np.isin(self.numbers, wanted)


def _id_facts(held: Gathered, ids: _Ids) -> dict[str, Any]:
    size = held.rows
    facts: dict[str, Any] = {}
    facts["id:rows"] = (
        np.where(ids.numbers >= 0, ids.counts[ids.numbers], np.int32(1)) if size else np.zeros(0, np.int32)
    )
    facts["id:alike"] = np.ones(size, np.int32)
    plain = ids.number(sorted(k for k in held.odd if k)) if held.odd else {}
    for key, names in held.odd.items():
        group = names | ({key} if key in plain else set())
        if len(group) > 1:
            facts["id:alike"][ids.holds(group)] = len(group)
    facts |= {f"reference:{kind}": np.zeros(size, np.int32) for kind in links.KINDS}
    if held.referring:
        targets = ids.number(sorted({t for row in held.referring for _, t in row.targets}))
        scopes = _scopes(held)
        known = {name: scopes(int(ids.last[number])) for name, number in targets.items()}
        for kind, row, number in links.judged(held.referring, known, scopes):
            facts[f"reference:{kind}"][row] = number
    return facts


def _scopes(held: Gathered) -> Any:
    """A function from a row's number to its scope."""
    starts = np.cumsum([0, *(len(chunk) for chunk in held.ids)])

    def scope(row: int) -> str | None:
        if not held.scopes:
            return None
        at = int(np.searchsorted(starts, row, side="right")) - 1
        return held.scopes[at][row - int(starts[at])].as_py()  # type: ignore[no-any-return]

    return scope


def _statuses(held: Gathered, settings: Settings) -> tuple[str, ...]:
    """The statuses that count as right: ours, and spellings that are the owner's own."""
    canonical = {s for (s, merged), _ in held.statuses.items() if s in _KNOWN and not merged}
    variants: dict[Status, Counter[str]] = defaultdict(Counter)
    spelt: dict[str, Status] = {}
    for (status, _), number in held.statuses.items():
        if status not in _KNOWN and (known := meant(status, settings.status_words)):
            variants[known][status or ""] += number
            spelt[status or ""] = known
    own = owners_spellings({str(s) for s in canonical}, variants)
    return (*sorted(_KNOWN), *sorted(s for s, known in spelt.items() if known.value in own))


def _embeddings(held: Gathered, ids: _Ids, fetch: Fetch, settings: Settings) -> Vectors:
    """What is known of the embeddings: which are missing, which are shared by many texts or of an earlier text too."""
    facts: dict[str, Any] = {}
    if held.vectorless:
        facts["missing"] = np.concatenate([np.asarray(part) for part in held.vectorless])
    if not held.vectors:
        return Vectors(facts)
    known, seen, sound, marks = _known(held.vectors, ids)
    facts |= known.facts
    facts["texts"] = _shared(sound, marks, ids, fetch)
    facts["stale"] = seen & ids.holds(settings.stale_vectors) if settings.stale_vectors else np.zeros(held.rows, bool)
    return replace(known, facts=facts)


def _known(parts: list[dict[str, Any]], ids: _Ids) -> tuple[Vectors, Any, Any, Any]:
    """What a column of vectors tells by itself; which rows with an id have one, and a sound one; the marks."""
    there, dimensions, finite, norm, marks = (
        np.concatenate([part.pop(name) for part in parts]) for name in ("there", "dimension", "finite", "norm", "mark")
    )
    seen = there & (ids.numbers >= 0)
    sound = seen & finite & (norm >= ZERO)
    off = np.abs(norm - 1)
    unit = bool((many := int(sound.sum())) >= ENOUGH and int((sound & (off <= UNIT)).sum()) / many >= 0.95)
    found_by_id = seen & ids.are_last()
    zero = seen & finite & (norm < ZERO)
    off_unit = _off(sound, off, ids) & found_by_id & finite & (off > OFF_UNIT)
    facts: dict[str, Any] = {
        "finite": finite | ~seen,
        "norm": np.where(zero, norm, 1.0) if zero.any() else _everywhere(1.0, len(norm)),
        "dimension": np.where(found_by_id, dimensions, -1),
        "from_unit": np.where(off_unit, off, 0.0) if off_unit.any() else _everywhere(0.0, len(norm)),
    }
    return Vectors(facts, _usual(dimensions[seen]), unit), seen, sound, marks


def _everywhere(value: float, rows: int) -> Any:
    """One value for every row, held once."""
    return np.broadcast_to(np.float64(value), rows)


def _off(sound: Any, off: Any, ids: _Ids) -> Any:
    """Which rows have an id under which some vector has another length than 1."""
    numbers = ids.numbers[sound & (off > OFF_UNIT)]
    return np.isin(ids.numbers, numbers) if len(numbers) else np.zeros(len(off), bool)


def _usual(dimensions: Any) -> int | None:
    """The dimension of 19 of 20 vectors."""
    if not len(dimensions):
        return None
    counts = np.bincount(dimensions)
    most = int(counts.argmax())
    return most if 20 * int(counts[most]) >= 19 * len(dimensions) else None


def _shared(sound: Any, marks: Any, ids: _Ids, fetch: Fetch) -> Any:
    """How many different texts hold a row's very vector, where those are many; else 1."""
    ranked = marks[sound]
    ranked.sort()
    if not (ranked[SAME - 1 :] == ranked[: max(len(ranked) - SAME + 1, 0)]).any():
        # nearly every table, and sorting numbers costs less than their places
        return np.broadcast_to(np.int32(1), len(marks))
    texts_of = np.ones(len(marks), np.int32)
    del ranked
    which = np.flatnonzero(sound)
    order = which[np.argsort(marks[which])]
    held = marks[order]
    starts = np.flatnonzero(np.r_[True, held[1:] != held[:-1]]) if len(held) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[starts, len(held)])
    for start, length in zip(starts[lengths >= SAME], lengths[lengths >= SAME], strict=True):
        alike = order[start : start + length]
        names = sorted({ids.names[int(n)].as_py() for n in ids.numbers[alike]})
        memories = of_one_vector(fetch(names).values(), int(held[start]))
        different = len({exact_key(m.content or "") for m in memories})
        if different >= SAME:
            texts_of[ids.holds({str(m.id) for m in memories})] = different
    return texts_of
