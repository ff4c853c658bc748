"""The table that is repaired while processes die: our own schema, several fragments, BTREEs and an IVF index."""

from __future__ import annotations

import json
import math
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lance
import lancedb
import pyarrow as pa

from mendory.record import arrow_schema

NAME = "memories"
DIMENSION = 16
ROWS = 1600
FRAGMENTS = 5
SCOPES = 40
_START = datetime(2026, 1, 1, tzinfo=UTC)


def build(folder: Path, seed: int) -> None:
    """A table of `ROWS` seeded rows in `FRAGMENTS` fragments, BTREE on id and scope, IVF on the vectors."""
    rng = random.Random(seed)
    schema = arrow_schema(DIMENSION)
    table = lancedb.connect(str(folder)).create_table(NAME, schema=schema)
    uri = str(folder / f"{NAME}.lance")
    part = ROWS // FRAGMENTS
    for at in range(0, ROWS, part):
        rows = [row(rng, row_name(i)) for i in range(at, at + part)]
        # lance, not lancedb: the latter refuses the NaN that some vectors hold
        lance.write_dataset(pa.Table.from_pylist(rows, schema=schema), uri, mode="append")
    table.checkout_latest()
    table.create_scalar_index("id", index_type="BTREE")
    table.create_scalar_index("scope", index_type="BTREE")
    table.create_index("l2", num_partitions=4, vector_column_name="embedding", index_type="IVF_FLAT")


def row_name(number: int) -> str:
    """The id of the row with that number; names sort as numbers do."""
    return f"m{number:05d}"


def row(rng: random.Random, name: str, bad_vectors: bool = True) -> dict[str, Any]:
    """A seeded row; without `bad_vectors` its vector is one that LanceDB's own `add` takes."""
    made = _START + timedelta(seconds=rng.randrange(10**6))
    return {
        "id": name,
        "content": f"memory {name} of {rng.randrange(10**6)}",
        "embedding": _vector(rng) if bad_vectors else [rng.gauss(0, 1) for _ in range(DIMENSION)],
        "metadata": json.dumps({"topic": f"t{rng.randrange(20)}"}),
        "created_at": made,
        "updated_at": made,
        "source": "user_stated",
        "scope": f"s{rng.randrange(SCOPES):02d}",
        "status": "active",
        "kind": "fact",
        "related_ids": [],
    }


def _vector(rng: random.Random) -> list[float | None] | None:
    vector: list[float | None] = [rng.gauss(0, 1) for _ in range(DIMENSION)]
    fate = rng.random()
    if fate < 0.02:
        return None
    if fate < 0.06:
        vector[rng.randrange(DIMENSION)] = math.nan
    elif fate < 0.08:
        vector[rng.randrange(DIMENSION)] = -math.inf
    elif fate < 0.10:
        vector[rng.randrange(DIMENSION)] = None
    return vector
