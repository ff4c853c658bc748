"""cognee: everything but id and vector lies in a struct; its search filters node sets and nothing else."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.shapes.common import ROWS, Fact, Planted, add, created, facts, listed, new_id, now, opened, vector, vectors

PAYLOAD = pa.struct(
    [
        ("id", pa.string()),
        ("created_at", pa.int64()),
        ("updated_at", pa.int64()),
        ("ontology_valid", pa.bool_()),
        ("ontology_uri", pa.string()),
        ("version", pa.int64()),
        ("topological_rank", pa.int64()),
        ("valid_to", pa.int64()),
        ("type", pa.string()),
        ("source_pipeline", pa.string()),
        ("source_task", pa.string()),
        ("source_node_set", pa.string()),
        ("source_user", pa.string()),
        ("source_content_hash", pa.string()),
        ("feedback_weight", pa.float64()),
        ("importance_weight", pa.float64()),
        ("text", pa.string()),
        ("document_id", pa.string()),
        ("document_name", pa.string()),
        ("chunk_index", pa.int64()),
        ("source_chunk_id", pa.string()),
        ("belongs_to_set", pa.list_(pa.string())),
    ]
)
SCHEMA = pa.schema([pa.field("id", pa.string(), nullable=False), ("vector", vectors()), ("payload", PAYLOAD)])


def _row(fact: Fact, **more: Any) -> dict[str, Any]:
    stamp = int(fact.at.timestamp() * 1000)
    payload = {
        "id": fact.id,
        "created_at": stamp,
        "updated_at": stamp,
        "ontology_valid": False,
        "version": 1,
        "topological_rank": 0,
        "type": "IndexSchema",
        "source_pipeline": "cognify_pipeline",
        "source_task": "extract_graph",
        "source_user": f"{fact.scope}@example.org",
        "source_content_hash": hashlib.sha256(fact.text.encode()).hexdigest(),
        "feedback_weight": 0.5,
        "importance_weight": 0.5,
        "text": fact.text,
        "chunk_index": 0,
        "belongs_to_set": ["main"],
    }
    return {"id": fact.id, "vector": vector(fact.text), "payload": payload | more}


def search(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[str]:
    """Cognee's search by cosine; a scope is no part of it."""
    return [row["id"] for row in opened(uri, table).search(list(query)).distance_type("cosine").limit(k).to_list()]


class Program:
    """cognee at work: whole rows are merged by id; feedback changes a weight."""

    def __init__(self, uri: str, table: str) -> None:
        self.uri, self.table = uri, table
        self._rng = random.Random(f"{uri}cognee")

    def touch(self, ids: Sequence[str]) -> None:
        """A recall leaves a vector table as it is; the rows are indexed again, with the same payload."""
        held = opened(self.uri, self.table)
        rows = held.search().where(f"id IN {listed(ids)}").limit(len(ids)).to_arrow().select(held.schema.names)
        held.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def add(self, number: int) -> list[str]:
        """Points merged by id."""
        made = facts(number, self._rng.getrandbits(32), now(), f"cognee{self._rng.getrandbits(48)}")
        held = opened(self.uri, self.table)
        rows = pa.Table.from_pylist([_row(f) for f in made], schema=held.schema)
        held.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)
        return [f.id for f in made]


class Cognee:
    """cognee's table of chunks."""

    name = "cognee"
    searches: Mapping[str, Any] = {"search": search}
    volatile: frozenset[str] = frozenset()
    hides = False
    marks: frozenset[str] = frozenset()
    id_column = "id"
    confirmed_only: frozenset[str] = frozenset()

    def build(self, folder: Path, rows: int = ROWS, seed: int = 7) -> tuple[str, str]:
        """A table with the payload as the program's model has it."""
        return created(folder, "DocumentChunk_text", SCHEMA, [_row(f) for f in facts(rows, seed, now())])

    def plant(self, uri: str, table: str) -> Planted:
        """A double write, a restatement, and the structural faults that a payload can have."""
        rng = random.Random("planted cognee")
        when = now() - timedelta(days=9)
        rows: list[dict[str, Any]] = []

        def one(text: str, at: datetime = when, bare: bool = False, **more: Any) -> str:
            fact = Fact(str(new_id(rng)), text, "饮食", "李薇", "聚餐", "li", at)
            rows.append(_row(fact, **more) | ({"vector": None} if bare else {}))
            return fact.id

        doubled = "李薇每天早上喝两杯绿茶"
        pair = (one(doubled), one(doubled, when + timedelta(minutes=4)))
        restated = (one("The car is in bay 3"), one("The car is in bay 3", when + timedelta(days=3)))
        found: dict[str, list[tuple[str, ...]]] = {
            "duplicate_exact": [pair],
            "duplicate_restated": [restated],
            "missing_scope": [(one("The keys are with the porter", source_user=None),)],
            "content_empty": [(one("\u3000"),)],
            "embedding_missing": [(one("李薇下周搬家", bare=True),)],
            "missing_source": [(one("Anna parks in bay 4", source_pipeline=None),)],
            "missing_updated_at": [(one("王磊爱听京剧", updated_at=None),)],
        }
        add(uri, table, rows)
        return Planted(found, pair, "li@example.org", doubled)

    def pending(self, uri: str, table: str) -> list[tuple[str, str, str]]:
        """Cognee has no such state."""
        return []

    def writer(self, uri: str, table: str) -> Program:
        """Cognee's program."""
        return Program(uri, table)
