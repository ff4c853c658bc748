"""The evidence for the gate, from the table as it is: what the new column holds, what both spaces find, how fast."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from mendory.clinic import Clinic
from mendory.embedding import Embedder, Vectors
from mendory.embedding.batching import refusal
from mendory.lance import Reader
from mendory.lance.searching import Searching, visible
from mendory.migration.gate import TIMED, Evidence, Gate, Speed, Spending, examine
from mendory.migration.purity import SAMPLE, Column, Purity, examined
from mendory.migration.quality import DEPTH
from mendory.migration.queries import Item, Query, known_items, read_judged
from mendory.spaces import Sample, Space, draw
from mendory.vectors import facts

_THOUSAND: Final = 1000
_P95: Final = 95
_TURN: Final = 32
"""Queries embedded at once. Each is asked in both spaces one after the other, in turn the one or the other first: load
that comes and goes falls on both."""


class Timed:
    """A search in one column, by the scope of each query, as recall does it; it keeps how long each took."""

    def __init__(self, clinic: Clinic, reader: Reader, monotonic: Callable[[], float]) -> None:
        config = clinic.config
        self._mapping, self._monotonic = reader.mapping, monotonic
        self._table = Searching(config.table_uri, config.table.name)
        self._schema = self._table.newest()
        self._own, self._column = reader.id_column, str(reader.mapping.column("embedding"))
        self.milliseconds: list[float] = []

    def __call__(self, vectors: Vectors, scopes: Sequence[str]) -> Sequence[Sequence[str]]:
        """The ids nearest to each vector among the memories of its scope, best first."""
        return [self._nearest(vector, scope) for vector, scope in zip(vectors, scopes, strict=True)]

    def _nearest(self, vector: Vectors, scope: str) -> list[str]:
        held = (scope,) if self._mapping.has("scope") else ()
        where, began = visible(self._mapping, self._schema, held), self._monotonic()
        rows = self._table.nearest(vector, self._column, [self._own], where, DEPTH)
        self.milliseconds.append(1000 * (self._monotonic() - began))
        return list(map(str, rows.column(self._own).to_pylist()))

    @property
    def p95(self) -> float:
        """The 95th percentile of what was asked, in milliseconds."""
        return float(np.percentile(self.milliseconds, _P95))


def gate(
    clinic: Clinic,
    old: tuple[Space, Embedder],
    new: tuple[Space, Embedder],
    seed: int,
    judged: Path | None = None,
    monotonic: Callable[[], float] = time.monotonic,
    late: Collection[str] | None = None,
) -> tuple[Gate, tuple[Query, ...]]:
    """The gate on the table's newest version, and the queries it asked, whose texts are nowhere else.

    With `late` it is the version that a filling which has just ended looked at last, without those rows, which others
    wrote while its last pass went on: they wait for the next one, and a table that is in use always has some. Raises
    what the embedders raise: a gate that could not ask says nothing.
    """
    searched, beside = clinic.reader, clinic.beside
    searched.refresh()
    if late is None:
        beside.refresh()
    late = late or ()
    items = [item for item in items_of(beside) if item.id not in late]
    most = clinic.most_chars(old[0], new[0])
    drawn = known_items(items, random.Random(seed), most=most)  # noqa: S311  # a sample, not a secret
    queries = (*drawn.queries, *(_judged(judged, items) if judged else ()))
    timed = [Timed(clinic, reader, monotonic) for reader in (searched, beside)]
    found: list[dict[str, Sequence[str]]] = [{}, {}]
    for start in range(0, len(queries), _TURN):
        part = queries[start : start + _TURN]
        vectors = [embedder.embed_query([query.text for query in part]) for _, embedder in (old, new)]
        for at, query in enumerate(part):
            for space in (0, 1) if at % 2 else (1, 0):
                [ids] = timed[space](vectors[space][at : at + 1], [query.scope])
                found[space][query.id] = tuple(ids)
    speed = None
    if len(queries) >= TIMED:
        speed = Speed(timed[0].p95, timed[1].p95, len(queries))
    evidence = Evidence(
        old[0].id,
        new[0].id,
        beside.version,
        drawn.seed,
        purity(clinic, new[1], seed, clinic.most_chars(new[0]), late),
        queries,
        drawn.left_out,
        drawn.all_of_them,
        found[0],
        found[1],
        speed,
        _spending(new, items),
    )
    return examine(evidence), queries


def purity(clinic: Clinic, embedder: Embedder, seed: int, most: int, late: Collection[str] = ()) -> Purity:
    """What the new column holds, over all rows but the late ones, and a sample of it embedded again."""
    reader = clinic.beside
    clinic.side_state_beside.bring_up_vectors(reader)
    sample = draw(reader, seed, SAMPLE, most)
    if late:
        kept = tuple(row for row in sample.rows if row.id not in late)
        sample = replace(sample, rows=kept)
    made = embedder.embed([row.text for row in sample.rows]) if sample.rows else np.empty((0, 0), np.float32)
    return examined(_column(clinic, reader, most, late), sample, made, _old_vectors(clinic, sample))


def _column(clinic: Clinic, reader: Reader, most: int, late: Collection[str]) -> Column:
    """What is known of the column in all rows that have a text some model can embed; memory stays flat."""
    stale = clinic.side_state_beside.stale(reader)
    place, content = str(reader.mapping.column("embedding")), str(reader.mapping.column("content"))
    texts = fresh = unusable = 0
    sizes: Counter[int] = Counter()
    low, high = float("inf"), 0.0
    for batch in reader.batches([reader.id_column, content, place]):
        known = facts(batch.column(place)).to_pylist()
        ids, said = batch.column(reader.id_column).to_pylist(), batch.column(content).to_pylist()
        for ident, text, told in zip(ids, said, known, strict=True):
            if text is None or ident in late or refusal(text, most) is not None:
                continue
            texts += 1
            if told is None:
                continue
            sizes[told["dimension"]] += 1
            usable = told["finite"] and told["norm"] > 0
            unusable += not usable
            if usable:
                low, high = min(low, told["norm"]), max(high, told["norm"])
                fresh += ident not in stale
    return Column(texts, fresh, dict(sizes), unusable, (low, high) if high else None)


def _old_vectors(clinic: Clinic, sample: Sample) -> Mapping[str, Vectors]:
    """The sample's vectors in the searched column."""
    place, own = clinic.reader.mapping.column("embedding"), clinic.reader.id_column
    if place is None or not sample.rows:
        return {}
    rows = clinic.reader.rows([row.id for row in sample.rows])
    pairs = zip(rows.column(own).to_pylist(), rows.column(place).to_pylist(), strict=True)
    return {ident: np.asarray(vector, np.float32) for ident, vector in pairs if vector and None not in vector}


def items_of(reader: Reader) -> Iterator[Item]:
    """The memories that recall returns."""
    for memory in reader.scan():
        if memory.id and memory.content and (memory.recallable or memory.status is None):
            yield Item(memory.id, memory.content, memory.scope or "")


def _judged(path: Path, items: Iterable[Item]) -> tuple[Query, ...]:
    with path.open(encoding="utf-8") as lines:
        return read_judged(lines, path.name, {item.id: item.scope for item in items})


def _spending(new: tuple[Space, Embedder], items: Sequence[Item]) -> Spending:
    """What the new model takes for all that recall returns, and for a thousand queries of their lengths."""
    embedder = new[1]
    lengths = [len(item.text) for item in items]
    usual = sum(lengths) // max(1, len(lengths))
    section = new[0].embedder
    return Spending(
        embedder.estimate(lengths),
        embedder.estimate([usual] * _THOUSAND),
        section is not None and section.kind == "openai",
    )
