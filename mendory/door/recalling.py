"""Recall through the door: embed the query, search its scopes, leave out what is hidden, rank what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.config import Config
from mendory.door.embedding import Embedding
from mendory.door.ledger import LedgerView
from mendory.errors import InputInvalid
from mendory.lance import any_of, name
from mendory.lance.searching import Searching, visible
from mendory.mapping import Mapping as FieldMapping
from mendory.ranking import Candidate, Ranked, Recall, Recalled, rank
from mendory.ranking.scenes import Asked
from mendory.record import FIELD_NAMES
from mendory.scopes import ancestors_by
from mendory.side import overlaid
from mendory.staleness import curves_in
from mendory.text import is_blank
from mendory.vectors import grid

MOST: Final = 1000
_TIMES: Final = 2
_MORE: Final = 10
_WIDER: Final = 8
"""So many times as many rows are searched as are wanted, and some more, so that weights can order them; and so much
wider again while too few of them are returned."""
Vector = npt.NDArray[np.float32]
_Linked = Mapping[str, frozenset[str]]
"""Id of a general memory → ids of its exceptions."""


class Recalling:
    """Recalls memories of one table. Threads may share it: every call reads the newest version, and nothing is kept."""

    def __init__(
        self,
        config: Config,
        mapping: FieldMapping,
        embedding: Embedding,
        ledger: LedgerView,
        clock: Callable[[], datetime],
    ) -> None:
        self._whole, self._embedding, self._ledger, self._clock = mapping, embedding, ledger, clock
        self._curves = curves_in(config.staleness)
        self._ancestors = ancestors_by(config.scopes.parents)
        self._table = Searching(config.table_uri, config.table.name)
        self._fits: tuple[pa.Schema, FieldMapping] | None = None

    def recall(self, query: str, scope: str | None, k: int, vector: Sequence[float] | None) -> Recall:
        """See `Door.recall`."""
        schema = self._table.newest()
        mapping = self._fitted(schema)
        self._refuse(query, scope, k, mapping)
        one = _Query(query, scope, self._scopes(scope, mapping), self._embedding.of_query(query, vector, schema))
        where = visible(mapping, schema, one.scopes)
        column, columns = str(mapping.column("embedding")), _columns(mapping, vectors=True)
        limit, wholly = _TIMES * k + _MORE, False
        while True:
            rows = self._table.nearest(one.vector, column, columns, where, limit, wholly=wholly)
            candidates, linked = self._candidates(one, mapping, rows)
            ranked = self._ranked(one, candidates, mapping)
            if len(ranked.found) >= k or (wholly and rows.num_rows < limit):
                break
            limit, wholly = limit * _WIDER if rows.num_rows == limit else limit, True
        found = self._with_exceptions(one, ranked, linked, mapping, where)[:k]
        fewer = () if len(found) >= k else self._fewer(one, mapping, where, ranked)
        remarks = () if mapping.can_hide else ("nothing_hides",)
        return Recall(tuple(found), one.scopes, self._table.version, fewer, remarks)

    def _fitted(self, schema: pa.Schema) -> FieldMapping:
        if self._fits is None or self._fits[0] != schema:
            mapping = self._whole.fitted(schema)
            mapping.check(schema)
            self._fits = schema, mapping
        return self._fits[1]

    def _refuse(self, query: str, scope: str | None, k: int, mapping: FieldMapping) -> None:
        wrong = None
        if not isinstance(query, str) or is_blank(query):
            wrong = "the query says nothing; give a text"
        elif not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= MOST:
            wrong = f"k is a whole number from 1 to {MOST}"
        elif mapping.has("scope") and (not isinstance(scope, str) or is_blank(scope)):
            wrong = "no scope says whose memories are meant; name one"
        elif not mapping.has("scope") and scope is not None:
            wrong = "the table has no place for a scope; leave it out"
        if wrong:
            raise InputInvalid(f"Nothing can be recalled: {wrong}. Nothing was searched. Ask again.")

    def _scopes(self, scope: str | None, mapping: FieldMapping) -> tuple[str, ...]:
        return (str(scope), *self._ancestors(scope)) if mapping.has("scope") else ()

    def _candidates(self, one: _Query, mapping: FieldMapping, rows: pa.Table) -> tuple[list[Candidate], _Linked]:
        """The rows of these scopes with a vector of the query's length, with what is kept aside of them; exceptions."""
        vectors = grid(rows.column(str(mapping.column("embedding"))))
        if vectors.shape[1] != len(one.unit):
            return [], {}  # not one row has a vector
        plain = rows.select(_columns(mapping, vectors=False)).combine_chunks()
        held = [
            (memory, float(near))
            for memory, near in zip(mapping.memories(plain), (vectors @ one.unit).tolist(), strict=True)
            if memory.id and np.isfinite(near) and (not one.scopes or memory.scope in one.scopes)
        ]
        notes, linked = self._ledger.notes_of([str(memory.id) for memory, _ in held])
        return [Candidate(overlaid(memory, notes), near) for memory, near in held], linked

    def _ranked(self, one: _Query, candidates: Iterable[Candidate], mapping: FieldMapping) -> Ranked:
        held = list(candidates)
        named = {target for c in held for target in (c.memory.superseded_by, c.memory.duplicate_of) if target}
        return rank(one.text, one.scope, held, self._there(named, mapping), self._clock(), self._curves)

    def _there(self, ids: set[str], mapping: FieldMapping) -> frozenset[str]:
        """Which of these ids rows have."""
        if not ids:
            return frozenset()
        own = str(mapping.column("id"))
        return frozenset(map(str, self._table.rows(any_of(own, sorted(ids)), [own]).column(own).to_pylist()))

    def _with_exceptions(
        self, one: _Query, ranked: Ranked, linked: _Linked, mapping: FieldMapping, where: str | None
    ) -> tuple[Recalled, ...]:
        """The same with exceptions of what was found that the search did not reach, where the query is about them."""
        held = {recalled.id: recalled.memory for recalled in ranked.found} if linked else {}
        missing = {row for general in held for row in linked.get(general, ())} - set(held)
        if not missing:
            return ranked.found
        wanted = any_of(str(mapping.column("id")), sorted(missing))
        rows = self._table.rows(f"({wanted}) AND ({where})" if where else wanted, _columns(mapping, vectors=True))
        asked = Asked.of(one.text)
        more = [
            c
            for c in self._candidates(one, mapping, rows)[0]
            if asked.stands(c.memory, [held[i] for i in c.memory.kept.exception_of if i in held]) != "general"
        ]
        if not more:
            return ranked.found
        before = [Candidate(recalled.memory, recalled.similarity) for recalled in ranked.found]
        return self._ranked(one, [*before, *more], mapping).found

    def _fewer(self, one: _Query, mapping: FieldMapping, where: str | None, ranked: Ranked) -> tuple[str, ...]:
        bare = f"{name(str(mapping.column('embedding')))} IS NULL"
        rows = self._table.rows(f"({where}) AND {bare}" if where else bare, _columns(mapping, vectors=False))
        memories = [m for m in mapping.memories(rows.combine_chunks()) if not one.scopes or m.scope in one.scopes]
        without = sum(memory.recallable or memory.status is None for memory in memories)
        counts = Counter(why for _, why in ranked.left_out)
        told = [("scope_holds", len(ranked.found)), ("without_vector", without), *sorted(counts.items())]
        return tuple(f"{word}:{number}" for word, number in told if number or word == "scope_holds")


class _Query:
    """One query: its text, the scope asked for and all that are searched, and its vector as it is and at length 1."""

    def __init__(self, text: str, scope: str | None, scopes: tuple[str, ...], vector: Vector) -> None:
        self.text, self.scope, self.scopes, self.vector = text, scope, scopes, vector
        self.unit: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)


def _columns(mapping: FieldMapping, *, vectors: bool) -> list[str]:
    """The columns in which a memory lies, with its vector or without."""
    said = mapping.vocabulary
    marks = {place.column for held in (said.hide, said.pending) for place, _ in held or ()}
    fields = [name for name in FIELD_NAMES if name != "embedding" and mapping.has(name)]
    plain = sorted(mapping.columns_of(fields) | marks)
    return [*plain, str(mapping.column("embedding"))] if vectors else plain
