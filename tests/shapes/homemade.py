"""A team's own table: Chinese and English columns, wall-clock times of +08:00, tenants with users, a deletion flag."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from tests.shapes.common import ROWS, Fact, Planted, add, created, facts, literal, new_id, now, opened, vector, vectors

SHANGHAI = ZoneInfo("Asia/Shanghai")
SCHEMA = pa.schema(
    [
        ("mem_id", pa.string()),
        ("text", pa.string()),
        ("vec", vectors()),
        ("tenant", pa.string()),
        ("uid", pa.string()),
        ("ts", pa.int64()),
        ("update_time", pa.string()),
        ("is_deleted", pa.int64()),
        ("hit_count", pa.int64()),
        ("last_hit", pa.int64()),
        ("来源", pa.string()),
        ("扩展信息", pa.string()),
        ("被替代", pa.string()),
        ("tags", pa.list_(pa.string())),
    ]
)


def clock(at: datetime) -> int:
    """Milliseconds of the wall clock in Shanghai, counted as if it were UTC."""
    return int(at.astimezone(SHANGHAI).replace(tzinfo=ZoneInfo("UTC")).timestamp() * 1000)


def _row(fact: Fact, **cells: Any) -> dict[str, Any]:
    return {
        "mem_id": f"m_{fact.id[:13]}",
        "text": fact.text,
        "vec": vector(fact.text),
        "tenant": "acme",
        "uid": fact.scope,
        "ts": clock(fact.at),
        "update_time": fact.at.astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M:%S"),
        "is_deleted": 0,
        "hit_count": 0,
        "last_hit": None,
        "来源": "user_stated",
        "扩展信息": json.dumps({"topic": fact.topic, "scene": fact.scene, "score": 0.5}, ensure_ascii=False),
        "被替代": None,
        "tags": [fact.topic],
    } | cells


def search(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[str]:
    """The team's search: one user of one tenant, nothing deleted."""
    tenant, user = scope.split("/")
    held = opened(uri, table).search(list(query), vector_column_name="vec").distance_type("cosine")
    held = held.where(f"tenant = {literal(tenant)} AND uid = {literal(user)} AND is_deleted = 0")
    return [row["mem_id"] for row in held.limit(k).to_list()]


class Program:
    """The team's service: a recall counts a hit, a chat stores memories."""

    def __init__(self, uri: str, table: str) -> None:
        self.uri, self.table = uri, table
        self._rng = random.Random(f"{uri}home")

    def touch(self, ids: Sequence[str]) -> None:
        """One update a row: a hit more, and when."""
        for name in ids:
            opened(self.uri, self.table).update(
                where=f"mem_id = {literal(name)}",
                values_sql={"hit_count": "hit_count + 1", "last_hit": str(clock(now()))},
            )

    def add(self, number: int) -> list[str]:
        """New memories of user li."""
        made = facts(number, self._rng.getrandbits(32), now(), f"home{self._rng.getrandbits(48)}")
        rows = [_row(f) for f in made]
        add(self.uri, self.table, rows)
        return [row["mem_id"] for row in rows]


class Homemade:
    """A team's own."""

    name = "homemade"
    searches: Mapping[str, Any] = {"search": search}
    volatile = frozenset({"hit_count", "last_hit"})
    hides = True
    marks = frozenset({"is_deleted"})
    id_column = "mem_id"
    confirmed_only: frozenset[str] = frozenset()

    def build(self, folder: Path, rows: int = ROWS, seed: int = 7) -> tuple[str, str]:
        """A table of two commits."""
        return created(folder, "chat_memory", SCHEMA, [_row(f) for f in facts(rows, seed, now())])

    def plant(self, uri: str, table: str) -> Planted:
        """A double write, a restatement, a dangling reference, a flag of no meaning, and the structural faults."""
        rng = random.Random("planted home")
        when = now() - timedelta(days=9)
        rows: list[dict[str, Any]] = []

        def one(text: str, at: datetime = when, **cells: Any) -> str:
            fact = Fact(str(new_id(rng)), text, "饮食", "李薇", "聚餐", "li", at)
            rows.append(_row(fact, **cells))
            return str(rows[-1]["mem_id"])

        doubled = "李薇每天早上喝两杯绿茶"
        pair = (one(doubled), one(doubled, when + timedelta(minutes=4)))
        restated = (one("The car is in bay 3"), one("The car is in bay 3", when + timedelta(days=3)))
        found: dict[str, list[tuple[str, ...]]] = {
            "duplicate_exact": [pair],
            "duplicate_restated": [restated],
            "missing_scope": [(one("The keys are with the porter", uid=None),)],
            "content_empty": [(one("\u3000\u200b"),)],
            "embedding_missing": [(one("李薇下周搬家", vec=None),)],
            "metadata_invalid": [(one("Anna parks in bay 4", 扩展信息="{'topic': 'car'}"),)],
            "metadata_missing_field": [(one("王磊爱听京剧", 扩展信息='{"topic": "艺术", "score": 1.50}'),)],
            "illegal_status": [(one("Marco is in Rome", is_deleted=2),)],
            "reference_dangling": [(one("陈静住在旧址", 被替代="m_gone"),)],
            "missing_source": [(one("Priya sails at weekends", 来源=" "),)],
        }
        add(uri, table, rows)
        return Planted(found, pair, "acme/li", doubled)

    def pending(self, uri: str, table: str) -> list[tuple[str, str, str]]:
        """The team has no such state."""
        return []

    def writer(self, uri: str, table: str) -> Program:
        """The team's service."""
        return Program(uri, table)
