"""Rows of a table that changed, as columns: what is counted of them, their links, and which of them break no rule.

A row that is clean by itself and tied to no other is found by no detector, so nothing of it becomes a Python object.
What is told here is what `mendory.counts` and `mendory.links` tell of the same rows one by one; tests hold them to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as MappingType
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory.content import suspect
from mendory.detect import Settings
from mendory.detect.shapes import shape_for
from mendory.detect.times import AFTER, EARLIEST, LATEST, SLACK, TIMES
from mendory.detect.vectors import OFF_UNIT, UNIT, ZERO
from mendory.facts import texts
from mendory.facts.moments import micros
from mendory.facts.rows import Judged, beside, column, of_distinct, statuses
from mendory.jsontext import parse_object
from mendory.links import of_claims, of_context, of_row
from mendory.mapping import UNREAD, VECTOR, VECTORLESS, Mapping, further
from mendory.record import RECALLABLE, Memory, Status
from mendory.scopes.tally import keys as scope_keys
from mendory.text import script, valueless
from mendory.traits import first_of

Key = tuple[Any, ...]
_ATTRIBUTES: Final = (("batch", "batch_id"), ("source", "source"), ("scope", "scope"), ("kind", "kind"))
_MOST_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class Usual:
    """What the table as a whole tells: required fields and keys that some row has, what is usual among vectors.

    `vectors` has (the usual dimension, whether they are normalised) of the embedding, None, and of further columns.
    """

    fields: frozenset[str]
    keys: frozenset[str]
    vectors: MappingType[str | None, tuple[int | None, bool]]


class Changed:
    """Rows in record terms (`Mapping.frame`), what is kept aside of them laid over."""

    def __init__(self, frame: pa.Table, mapping: Mapping, settings: Settings) -> None:
        self._frame, self._settings, self._judged = frame, settings, Judged(frame, settings)
        self.ids: list[str | None] = self._list("id")
        said = list(zip(self._list("kind"), self._list("metadata"), strict=True))
        self._which = {pair: number for number, pair in enumerate(dict.fromkeys(said))}
        self._said = np.array([self._which[pair] for pair in said], np.int64)
        read = mapping.metadata_of(text for _, text in self._which)
        self._metadata = [(kind, *told) for (kind, _), told in zip(self._which, read, strict=True)]

    def __len__(self) -> int:
        return len(self.ids)

    def _list(self, name: str) -> list[Any]:
        return column(self._frame, name).to_pylist() if name in self._frame.column_names else [None] * len(self._frame)

    def _known(self) -> Iterator[tuple[str | None, Any, pa.Array]]:
        """(column, which rows have a vector in it, what is known of them), the embedding's column as None."""
        for about, name in ((None, VECTOR), *((one, further(one)) for one in self._settings.vectors)):
            if name in self._frame.column_names:
                known = column(self._frame, name)
                yield about, np.asarray(known.is_valid()), known

    def _named(self) -> Any:
        return np.asarray(pc.not_equal(column(self._frame, "id"), "").fill_null(False))

    def counted(self) -> Counter[Key]:
        """How many of the rows have what; see `mendory.counts.Counts`."""
        found: Counter[Key] = Counter({("rows",): len(self), ("nameless",): int((~self._named()).sum())})
        for scope, number in Counter(self._list("scope")).items():
            found["scope", scope or ""] += number
        for name in ("source", "scope", "created_at", "updated_at"):
            if name in self._frame.column_names:
                found["field", name] = int((self._there(name) & ~self._judged.excused(name)).sum())
        bare = VECTORLESS in self._frame.column_names
        found["field", "embedding"] = int((~np.asarray(column(self._frame, VECTORLESS))).sum()) if bare else len(self)
        for (kind, held, _), number in zip(self._metadata, np.bincount(self._said, minlength=1).tolist(), strict=False):
            if shape_for(kind, self._settings.schemas) is None:
                for key in self._settings.required_metadata:
                    if not valueless((held or {}).get(key)):
                        found["key", key] += number
        if "status" in self._frame.column_names:
            for (status, merged), number in statuses(self._frame, self._settings).items():
                found["status", status, merged] += number
        found.update(self._vectors())
        found.update(self._attributes())
        found.update(key for _, key in self.scoped())
        return found

    def scoped(self) -> Iterator[tuple[str, Key]]:
        """(id, what is counted of the row's scope) for each row that recall returns; see `mendory.detect.scopes`."""
        if "scope" in self._settings.absent:
            return
        statuses = None if "status" in self._settings.absent else self._list("status")
        rows = zip(self.ids, self._list("scope"), self._said.tolist(), self._list("content"), strict=True)
        for at, (name, scope, said, content) in enumerate(rows):
            if statuses is None or statuses[at] in RECALLABLE:
                for key in scope_keys(scope, self._metadata[said][1], content, self._settings.owner_keys):
                    yield name or "", key

    def _there(self, name: str) -> Any:
        values = column(self._frame, name)
        if pa.types.is_timestamp(values.type):
            return np.asarray(values.is_valid())
        return ~np.asarray(of_distinct(values, texts.blank))

    def _vectors(self) -> Iterator[Key]:
        for about, there, known in self._known():
            seen, (dimension, norm, sound) = self._named() & there, _leaves(known)
            kinds = [kind if about is None else f"{kind} of {about}" for kind in ("dimension", "unit")]
            yield from ((kinds[0], size) for size in dimension[seen].tolist())
            yield from ((kinds[1], near) for near in (np.abs(norm[seen & sound] - 1) <= UNIT).tolist())

    def _attributes(self) -> Counter[Key]:
        found: Counter[Key] = Counter()
        for label, name in _ATTRIBUTES:
            found.update({("attribute", label, v): n for v, n in Counter(self._list(name)).items() if v})
        if "created_at" in self._frame.column_names:
            days = Counter(column(self._frame, "created_at").cast(pa.date32()).to_pylist())
            found.update({("attribute", "day", day.isoformat()): n for day, n in days.items() if day})
        names = self._settings.names
        for label, keys in (("writer", names.writer), ("space", names.space)):
            found.update(("attribute", label, value) for value in self._named_by(keys) if value)
        for content, number in Counter(self._list("content")).items():
            if content and not content.isspace():
                found["script", script(content)] += number
        return found

    def _named_by(self, keys: Sequence[str]) -> Iterator[str | None]:
        """What each row says under the first of the keys that says something; see `mendory.traits.named`."""
        columns = {key: self._list(beside(key)) for key in keys if beside(key) in self._frame.column_names}
        for at, said in enumerate(self._said.tolist()):
            yield first_of(keys, self._metadata[said][1], {key: held[at] for key, held in columns.items()})

    def links(self) -> Iterator[tuple[str, set[str]]]:
        """(id, links) of each row; see `mendory.links`."""
        marks = [None] * len(self)
        if VECTOR in self._frame.column_names:
            marks = pc.struct_field(column(self._frame, VECTOR), "mark").to_pylist()
        named = ("content", "scope", "created_at", "duplicate_of", "superseded_by", "related_ids", "claim")
        columns = [self._list(n) for n in named]
        said = [self._metadata[number][1] for number in self._said.tolist()]
        for name, content, scope, created, duplicate_of, superseded_by, related, claim, mark, held in zip(
            self.ids, *columns, marks, said, strict=True
        ):
            targets = (duplicate_of, superseded_by, *(related or ()))
            said_of = Memory(name, content, scope=scope, claim=parse_object(claim) if claim else None)
            found = of_row(name, content, scope, targets, mark, created) | of_context(said_of, held)
            yield name or "", found | of_claims(said_of, self._settings.ancestors, self._settings.conflict.singles)

    def clean(self, usual: Usual) -> Any:
        """Which rows break no rule by themselves, whatever other rows hold; of the others some may break none too."""
        frame = self._frame
        good = np.asarray(column(frame, UNREAD)) == 0
        ids = column(frame, "id")
        good &= np.asarray(texts.plain_id(ids))
        good &= np.asarray(pc.equal(texts.content(column(frame, "content")), texts.STAND_IN).fill_null(False))
        good &= ~np.array([bool(text) and suspect(text) for text in self._list("content")], bool)
        needed = usual.fields - self._settings.absent - self._settings.optional
        for name in needed - {"embedding"}:
            good &= self._there(name)
        if "scope" in frame.column_names:
            good &= np.asarray(of_distinct(column(frame, "scope"), _right_scope))
        if "status" in frame.column_names and "status" not in self._settings.absent:
            known = pa.array(sorted(Status), pa.string())
            good &= np.asarray(pc.is_in(column(frame, "status"), value_set=known))
        for name in ("duplicate_of", "superseded_by", "related_ids"):
            if name in frame.column_names:
                good &= _empty(column(frame, name))
        good &= self._timely()
        good &= self._of_usual_vectors(usual, "embedding" in needed)
        keys = [key for key in self._settings.required_metadata if key in usual.keys]
        return good & np.array([self._right(*one, keys) for one in self._metadata] or [True])[self._said]

    def _timely(self) -> Any:
        good = np.ones(len(self), bool)
        now = self._settings.now
        first, last = micros(EARLIEST), micros(min(LATEST, now + SLACK) if now else LATEST)
        held = {n: _ticks(column(self._frame, n), first) for n in TIMES if n in self._frame.column_names}
        for ticks, there in held.values():
            good &= ~there | ((ticks >= first) & (ticks <= last))
        if "created_at" in held:
            created, dated = held["created_at"]
            for name in AFTER:
                if name in held:
                    ticks, there = held[name]
                    good &= ~there | ~dated | (ticks >= created)
        return good

    def _of_usual_vectors(self, usual: Usual, needed: bool) -> Any:
        good = np.ones(len(self), bool)
        if needed and VECTORLESS in self._frame.column_names:
            good &= ~np.asarray(column(self._frame, VECTORLESS))
        for about, there, known in self._known():
            dimension, norm, sound = _leaves(known)
            usually, unit = usual.vectors[about]
            sound &= dimension == (-1 if usually is None else usually)
            if unit:
                sound &= np.abs(norm - 1) <= OFF_UNIT
            good &= sound | ~there
        stale = pa.array(sorted(self._settings.stale_vectors), pa.string())
        return good & ~np.asarray(pc.is_in(column(self._frame, "id"), value_set=stale))

    def _right(self, kind: str | None, held: dict[str, Any] | None, why: str | None, keys: list[str]) -> bool:
        if "metadata" in self._settings.absent:
            return True
        if why:
            return False
        shape = shape_for(kind, self._settings.schemas)
        if shape is not None:
            return shape.fault(held or {}) is None and not shape.missing(held or {})
        return not any(valueless((held or {}).get(key)) for key in keys)


def _leaves(known: pa.Array) -> tuple[Any, Any, Any]:
    """(dimensions, norms, which vectors are of numbers and not of zeros alone)."""
    dimension, finite, norm = (
        np.asarray(pc.struct_field(known, leaf).fill_null(missing))
        for leaf, missing in (("dimension", -1), ("finite", False), ("norm", 0.0))
    )
    return dimension, norm, finite & (norm >= ZERO)


def _right_scope(scopes: pa.Array) -> pa.Array:
    """A blank one is a finding of its own, or none."""
    barred = pc.match_substring_regex(scopes, texts.BARRED_PATTERN)
    barred = pc.or_kleene(barred, pc.greater(pc.binary_length(scopes), _MOST_BYTES)).fill_null(False)
    return pc.or_kleene(pc.invert(barred), texts.blank(scopes))


def _empty(values: pa.Array) -> Any:
    if values.null_count == len(values):
        return np.ones(len(values), bool)
    listed = pa.types.is_list(values.type)
    return np.asarray((pc.equal(pc.list_value_length(values), 0) if listed else pc.equal(values, "")).fill_null(True))


def _ticks(values: pa.Array, instead: int) -> tuple[Any, Any]:
    there = np.asarray(values.is_valid())
    whole = values.cast(pa.int64()) if pa.types.is_timestamp(values.type) else pa.nulls(len(values), pa.int64())
    return np.asarray(whole.fill_null(instead)), there
