"""memory-lancedb-pro: metadata is JSON, written anew at every recall; time stamps in ms, old ones in s."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.shapes.common import ROWS, Fact, Planted, add, created, facts, literal, new_id, now, opened, vector, vectors

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("vector", vectors()),
        ("category", pa.string()),
        ("scope", pa.string()),
        ("importance", pa.float64()),
        ("timestamp", pa.float64()),
        ("metadata", pa.string()),
    ]
)


def stringified(value: Any) -> str:
    """JSON as JavaScript writes it: no spaces, whole numbers without a point."""
    return json.dumps(_whole(value), ensure_ascii=False, separators=(",", ":"))


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _whole(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_whole(v) for v in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _metadata(fact: Fact, **more: Any) -> dict[str, Any]:
    stamp = int(fact.at.timestamp() * 1000)
    return {
        "l0_abstract": fact.text,
        "l1_overview": f"- {fact.text}",
        "l2_content": fact.text,
        "memory_category": "preferences",
        "tier": "working",
        "access_count": 0,
        "confidence": 0.7,
        "last_accessed_at": stamp,
        "valid_from": stamp,
        "state": "confirmed",
        "source": "auto-capture",
        "memory_layer": "durable",
        "injected_count": 0,
        "bad_recall_count": 0,
        "suppressed_until_turn": 0,
    } | more


def _row(fact: Fact, **more: Any) -> dict[str, Any]:
    return {
        "id": fact.id,
        "text": fact.text,
        "vector": vector(fact.text),
        "category": "preference",
        "scope": f"user:{fact.scope}",
        "importance": 0.7,
        "timestamp": fact.at.timestamp() * 1000,
        "metadata": stringified(_metadata(fact, **more)),
    }


def _read(row: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata as the program reads it: what is missing or unreadable has its default."""
    try:
        held = json.loads(row["metadata"] or "{}")
    except json.JSONDecodeError:
        held = {}
    stamp = row["timestamp"] if row["timestamp"] and row["timestamp"] >= 1e12 else (row["timestamp"] or 0) * 1000
    begun = held.get("valid_from") or stamp
    ended = held.get("invalidated_at")
    state = held.get("state", "confirmed")
    return held | {
        "valid_from": begun,
        # an end before the beginning is none
        "invalidated_at": ended if ended and ended >= begun else None,
        "state": state if state in ("pending", "confirmed", "archived") else "confirmed",
    }


def _rows(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[dict[str, Any]]:
    """The active rows of a scope by cosine, fetched twentyfold since ended ones crowd."""
    most = min(max(k, 1), 20)
    found = opened(uri, table).search(list(query)).distance_type("cosine").limit(min(most * 20, 200))
    at = now().timestamp() * 1000 + 1000
    kept = []
    for row in found.where(f"(scope = {literal(scope)})").to_list():
        held = _read(row)
        over = held["invalidated_at"] is not None and held["invalidated_at"] <= at
        if 1 / (1 + row["_distance"]) >= 0.3 and held["valid_from"] <= at and not over:
            kept.append(row | {"held": held})
    return kept[:most]


def search(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[str]:
    """A search asked for: every active row."""
    return [row["id"] for row in _rows(uri, table, query, scope, k)]


def recall(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[str]:
    """Automatic recall: of the active rows, the confirmed ones."""
    return [row["id"] for row in _rows(uri, table, query, scope, 20) if row["held"]["state"] == "confirmed"][:k]


class Program:
    """memory-lancedb-pro at work: a recall counts in the metadata, by deleting the row and adding it again."""

    def __init__(self, uri: str, table: str) -> None:
        self.uri, self.table = uri, table
        self._rng = random.Random(f"{uri}pro")

    def touch(self, ids: Sequence[str]) -> None:
        """Each row's metadata is parsed, counted up and written anew."""
        held = opened(self.uri, self.table)
        for name in ids:
            rows = held.search().where(f"id = {literal(name)}").limit(1).to_arrow().to_pylist()
            for row in rows:
                metadata = json.loads(row["metadata"])
                times = metadata.get("access_count", 0) + 1
                stamp = int(now().timestamp() * 1000)
                metadata |= {"accessCount": times, "lastAccessedAt": stamp}
                metadata |= {"access_count": times, "last_accessed_at": stamp}
                changed = pa.Table.from_pylist([row | {"metadata": stringified(metadata)}], schema=held.schema)
                held.delete(f"id = {literal(name)}")
                held.add(changed)

    def add(self, number: int) -> list[str]:
        """Entries as the store adds them."""
        made = facts(number, self._rng.getrandbits(32), now(), f"pro{self._rng.getrandbits(48)}")
        add(self.uri, self.table, [_row(f) for f in made])
        return [f.id for f in made]


class LancedbPro:
    """memory-lancedb-pro."""

    name = "memory-lancedb-pro"
    searches: Mapping[str, Any] = {"search": search, "recall": recall}
    volatile = frozenset(
        f"metadata.{key}" for key in ("access_count", "accessCount", "last_accessed_at", "lastAccessedAt")
    )
    hides = True
    marks = frozenset(f"metadata.{key}" for key in ("state", "invalidated_at", "canonical_id"))
    id_column = "id"
    confirmed_only = frozenset({"recall"})

    def build(self, folder: Path, rows: int = ROWS, seed: int = 7) -> tuple[str, str]:
        """A table with time stamps of two ages, rows not confirmed yet, and metadata that other tools spaced apart."""
        made = []
        for at, fact in enumerate(facts(rows, seed, now())):
            row = _row(fact, state="pending" if at % 12 == 5 else "confirmed")
            if at < rows // 6:
                row["timestamp"] = float(int(fact.at.timestamp()))
            if at % 10 == 3:
                row["metadata"] = json.dumps(json.loads(row["metadata"]) | {"weight": 0.5}).replace("0.5", "0.50")
            made.append(row)
        return created(folder, "memories", SCHEMA, made)

    def plant(self, uri: str, table: str) -> Planted:
        """A double write, a restatement, a dangling reference, a misspelt state, and the structural faults."""
        rng = random.Random("planted pro")
        when = now() - timedelta(days=9)
        rows: list[dict[str, Any]] = []

        def one(text: str, at: datetime = when, cells: Mapping[str, Any] | None = None, **more: Any) -> str:
            fact = Fact(str(new_id(rng)), text, "饮食", "李薇", "聚餐", "li", at)
            rows.append(_row(fact, **more) | dict(cells or {}))
            return fact.id

        doubled = "李薇每天早上喝两杯绿茶"
        pair = (one(doubled), one(doubled, when + timedelta(minutes=4)))
        restated = (one("The car is in bay 3"), one("The car is in bay 3", when + timedelta(days=3)))
        found: dict[str, list[tuple[str, ...]]] = {
            "duplicate_exact": [pair],
            "duplicate_restated": [restated],
            "missing_scope": [(one("The keys are with the porter", cells={"scope": None}),)],
            "content_empty": [(one("\u3000"),)],
            "embedding_missing": [(one("李薇下周搬家", cells={"vector": None}),)],
            "metadata_invalid": [(one("Anna parks in bay 4", cells={"metadata": '{"state":"confirmed"'}),)],
            "illegal_status": [(one("王磊爱听京剧", state="Confirmed"),), (one("Marco is in Rome", state="lost"),)],
            "reference_dangling": [(one("陈静住在旧址", superseded_by=str(new_id(rng))),)],
        }
        add(uri, table, rows)
        return Planted(found, pair, "user:li", doubled)

    def pending(self, uri: str, table: str) -> list[tuple[str, str, str]]:
        """Rows whose state is pending."""
        rows = opened(uri, table).search().limit(10_000).to_list()
        return [(r["id"], r["text"], r["scope"]) for r in rows if _read(r)["state"] == "pending"]

    def writer(self, uri: str, table: str) -> Program:
        """The program."""
        return Program(uri, table)
