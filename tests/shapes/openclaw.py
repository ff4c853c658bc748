"""OpenClaw's memory-lancedb: JavaScript numbers for everything; its search filters the agent and nothing else."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.shapes.common import ROWS, Fact, Planted, add, created, facts, literal, new_id, now, opened, vector, vectors

_CATEGORIES = ("preference", "fact", "decision", "entity", "other")


def _schema(agents: bool) -> pa.Schema:
    fields = [
        ("id", pa.string()),
        ("text", pa.string()),
        ("vector", vectors()),
        ("importance", pa.float64()),
        ("category", pa.string()),
        ("createdAt", pa.float64()),
    ]
    return pa.schema(fields + ([("agentId", pa.string())] if agents else []))


def _row(fact: Fact, at: int) -> dict[str, Any]:
    return {
        "id": fact.id,
        "text": fact.text,
        "vector": vector(fact.text),
        "importance": 0.7,
        "category": _CATEGORIES[at % len(_CATEGORIES)],
        "createdAt": fact.at.timestamp() * 1000,
        "agentId": f"agent-{fact.scope}",
    }


def by_agent(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[str]:
    """The search of releases with agents: their own rows, in L2, above the least score."""
    held = opened(uri, table).search(list(query)).where(f"agentId = {literal(scope)}").limit(k).to_list()
    return [row["id"] for row in held if 1 / (1 + row["_distance"]) >= 0.5]


def over_all(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[str]:
    """The search of older releases: everybody's rows."""
    held = opened(uri, table).search(list(query)).limit(k).to_list()
    return [row["id"] for row in held if 1 / (1 + row["_distance"]) >= 0.5]


class Program:
    """OpenClaw at work: it stores; a recall changes nothing."""

    def __init__(self, uri: str, table: str) -> None:
        self.uri, self.table = uri, table
        self._rng = random.Random(f"{uri}claw")

    def touch(self, ids: Sequence[str]) -> None:
        """Nothing: it counts no reads."""

    def add(self, number: int) -> list[str]:
        """Entries as the store adds them."""
        made = facts(number, self._rng.getrandbits(32), now(), f"claw{self._rng.getrandbits(48)}")
        add(self.uri, self.table, [_row(f, 1) for f in made])
        return [f.id for f in made]


class OpenClaw:
    """OpenClaw core, with agents or, as older stores are, without; or with rows from before there were agents."""

    volatile: frozenset[str] = frozenset()
    hides = False
    marks: frozenset[str] = frozenset()
    id_column = "id"
    confirmed_only: frozenset[str] = frozenset()

    def __init__(self, *, agents: bool = True, older: bool = False) -> None:
        self.agents, self.older = agents, older
        self.name = "openclaw-before-agents" if older else "openclaw" if agents else "openclaw-without-agents"
        self.searches: Mapping[str, Any] = {"search": by_agent if agents else over_all}

    def build(self, folder: Path, rows: int = ROWS, seed: int = 7) -> tuple[str, str]:
        """A table as the first store makes it, the placeholder row left behind by an interrupted start."""
        made = [_row(f, at) for at, f in enumerate(facts(rows, seed, now()))]
        if self.older:
            made = [row | {"agentId": None} if at < rows // 3 else row for at, row in enumerate(made)]
        blank = {"id": "__schema__", "text": "", "vector": [0.0] * 8, "importance": 0.0, "category": "other"}
        return created(
            folder, "memories", _schema(self.agents), [blank | {"createdAt": 0.0, "agentId": "__schema__"}, *made]
        )

    def plant(self, uri: str, table: str) -> Planted:
        """A double write, a restatement, and one row for each structural fault."""
        rng = random.Random("planted claw")
        when = now() - timedelta(days=9)
        rows: list[dict[str, Any]] = []

        def one(text: str, at: datetime = when, **cells: Any) -> str:
            fact = Fact(str(new_id(rng)), text, "饮食", "李薇", "聚餐", "li", at)
            rows.append(_row(fact, 1) | cells)
            return fact.id

        doubled = "李薇每天早上喝两杯绿茶"
        pair = (one(doubled), one(doubled, when + timedelta(minutes=4)))
        restated = (one("The car is in bay 3"), one("The car is in bay 3", when + timedelta(days=3)))
        found: dict[str, list[tuple[str, ...]]] = {
            "content_empty": [(one(" "),)],
            "embedding_missing": [(one("李薇下周搬家", vector=None),)],
            "missing_created_at": [(one("Anna moved house", createdAt=None),)],
        }
        if self.agents:
            found |= {
                "duplicate_exact": [pair],
                "duplicate_restated": [restated],
            }
        if self.agents and not self.older:
            found["missing_scope"] = [(one("The keys are with the porter", agentId=None),)]
        add(uri, table, rows)
        return Planted(found, pair if self.agents else (), "agent-li", doubled)

    def pending(self, uri: str, table: str) -> list[tuple[str, str, str]]:
        """OpenClaw has no such state."""
        return []

    def writer(self, uri: str, table: str) -> Program:
        """OpenClaw's program."""
        return Program(uri, table)
