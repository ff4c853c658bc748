"""The table before the move: many scopes, two languages, its vectors the old model's, its ledger knowing them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

from demo.memories import PER_SCOPE, memories
from demo.people import SPACES
from mendory.config import Config
from mendory.embedding import Embedder, Vectors
from mendory.ledger import Ledger
from mendory.migration.canary import SHARES, takes_part
from mendory.migration.queries import Item, known_items
from mendory.record import arrow_schema
from mendory.spaces import Fingerprint
from tests.moving.models import Pair, embedded

NAME = "memories"
CONFIG = "mendory.toml"
_POOL_SEED = 900
_FRAGMENTS = 8
_FEWEST = 24
"""Memories of a scope below which the demo has none to retire."""
_QUERIES = 2_000
_INDEXED_FROM = 5_000
_MIGRATION = "\n[migration]\ncanary_recalls = 20\nvoid_share = 0.5\nniceness = {niceness}\n"
"""Shares that pass in minutes, and a word that stands while writers change in minutes what elsewhere takes days."""


@dataclass(frozen=True, eq=False)
class Setting:
    """A folder with the table, and what the oracle knows of it from before anybody touched it."""

    folder: Path
    pair: Pair
    texts: Mapping[str, str]
    vectors: Mapping[str, Vectors]

    @property
    def config(self) -> Config:
        """The configuration as it is now."""
        return Config.load(self.folder / CONFIG)


def rows_of(count: int, seed: int) -> list[dict[str, Any]]:
    """That many of the demo's memories or some more: whole scopes, as many as that takes."""
    rows: list[dict[str, Any]] = []
    for number in range(count):
        suffix = f"/{number}" if number else ""
        scopes: dict[str, list[dict[str, Any]]] = {}
        for row in memories(seed + number, _per_scope(count)):
            scopes.setdefault(row["scope"], []).append({**row, "scope": row["scope"] + suffix})
        for held in scopes.values():
            rows += held
            if len(rows) >= count:
                return rows
    return rows


def _per_scope(count: int) -> int:
    return min(PER_SCOPE, max(_FEWEST, -(-count // len(SPACES))))


def build(folder: Path, pair: Pair, count: int, pool: int, seed: int, niceness: int = 10) -> Setting:
    """The table, its ledger, the texts that writers will write, the queries that readers will ask; acts so nice."""
    old = pair.models()[0]
    rows = rows_of(count, seed)
    vectors = embedded(old, [row["content"] for row in rows])
    _table(folder, rows, vectors)
    _configure(folder, pair.old, niceness)
    config = Config.load(folder / CONFIG)
    assert config.embedder is not None
    ledger = Ledger.open(config.ledger_url)
    ledger.spaces.adopt(Fingerprint.of(old), "ann", config.embedder)
    ledger.close()
    _pool(folder, old, rows, pool)
    _queries(folder, old, rows, seed)
    ids = [row["id"] for row in rows]
    texts = {row["id"]: row["content"] for row in rows}
    return Setting(folder, pair, texts, dict(zip(ids, vectors, strict=True)))


def turn_to(setting: Setting) -> None:
    """The new model is configured from now on; who is running has read the old configuration."""
    _configure(setting.folder, setting.pair.new, setting.config.migration.niceness)


def _configure(folder: Path, section: Mapping[str, Any], niceness: int) -> None:
    said = "\n".join(f"{key} = {json.dumps(value)}" for key, value in section.items())
    table = f'[table]\nuri = "."\nname = "{NAME}"\n'
    move = _MIGRATION.format(niceness=niceness)
    (folder / CONFIG).write_text(f"{table}{move}\n[embedder]\n{said}\n", encoding="utf-8")


def _table(folder: Path, rows: Sequence[Mapping[str, Any]], vectors: Vectors) -> None:
    schema = arrow_schema(vectors.shape[1])
    table = lancedb.connect(str(folder)).create_table(NAME, schema=schema)
    part = -(-len(rows) // _FRAGMENTS)
    for at in range(0, len(rows), part):
        held = [
            {**row, "embedding": vector}
            for row, vector in zip(rows[at : at + part], vectors[at : at + part], strict=True)
        ]
        table.add(pa.Table.from_pylist(held, schema=schema))
    if len(rows) >= _INDEXED_FROM:
        table.create_scalar_index("id", index_type="BTREE")
        table.create_index("cosine", num_partitions=32, vector_column_name="embedding", index_type="IVF_FLAT")


def _pool(folder: Path, old: Embedder, rows: Sequence[Mapping[str, Any]], count: int) -> None:
    """Texts that no row has, each with a scope and its vector of the old model: what writers write."""
    rng = random.Random(_POOL_SEED)
    scopes = sorted({row["scope"] for row in rows})
    texts = [row["content"] for row in memories(_POOL_SEED, _per_scope(count))]
    held = [{"text": f"{texts[n % len(texts)]} ({n + 1})", "scope": rng.choice(scopes)} for n in range(count)]
    (folder / "pool.json").write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
    np.save(folder / "pool.npy", embedded(old, [one["text"] for one in held]))


def _queries(folder: Path, old: Embedder, rows: Sequence[Mapping[str, Any]], seed: int) -> None:
    """Questions made from memories, as people of a scope would ask them, and their vectors in the old space."""
    rng = random.Random(seed)
    items = [Item(row["id"], row["content"], row["scope"]) for row in rows if row["status"] != "archived"]
    drawn = known_items(items, rng, min(_QUERIES, len(items))).queries
    drawn = rng.sample(drawn, len(drawn))[:_QUERIES]
    # what many ask is asked of the smallest share too, so that a canary of minutes sees as much as one of days
    asked = [{"text": q.text, "scope": q.scope, "often": takes_part(q.scope, q.text, SHARES[0])} for q in drawn]
    (folder / "queries.json").write_text(json.dumps(asked, ensure_ascii=False), encoding="utf-8")
    np.save(folder / "queries.npy", np.asarray(old.embed_query([one["text"] for one in asked]), np.float32))


def pool_of(folder: Path) -> tuple[list[dict[str, str]], Vectors]:
    """The texts with their scopes, and their vectors of the old model."""
    return json.loads((folder / "pool.json").read_text(encoding="utf-8")), np.load(folder / "pool.npy")


def queries_of(folder: Path) -> tuple[list[dict[str, Any]], Vectors]:
    """The questions with their scopes, and their vectors in the old space."""
    return json.loads((folder / "queries.json").read_text(encoding="utf-8")), np.load(folder / "queries.npy")
