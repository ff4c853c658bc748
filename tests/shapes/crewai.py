"""CrewAI's unified memory: texts for times, categories and metadata; its search filters the scope and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.shapes.common import (
    ROWS,
    Fact,
    Planted,
    add,
    created,
    facts,
    listed,
    new_id,
    now,
    opened,
    vector,
    vectors,
)

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("content", pa.string()),
        ("scope", pa.string()),
        ("categories_str", pa.string()),
        ("metadata_str", pa.string()),
        ("importance", pa.float64()),
        ("created_at", pa.string()),
        ("last_accessed", pa.string()),
        ("source", pa.string()),
        ("private", pa.bool_()),
        ("vector", vectors()),
    ]
)


def _scope(name: str) -> str:
    return f"/crew/{name}"


def _row(fact: Fact, at: int) -> dict[str, Any]:
    # older releases wrote naive times, newer ones the offset; both are UTC
    naive = at % 3 == 0
    when = fact.at.replace(tzinfo=None) if naive else fact.at
    return {
        "id": fact.id,
        "content": fact.text,
        "scope": _scope(fact.scope),
        "categories_str": json.dumps([fact.topic]),
        "metadata_str": json.dumps({"entities": [fact.entity], "dates": [], "topics": [fact.topic]}),
        "importance": 0.5,
        "created_at": when.isoformat(),
        "last_accessed": when.isoformat(),
        "source": "user:li" if at % 5 == 0 else "",
        "private": False,
        "vector": vector(fact.text),
    }


def search(uri: str, table: str, query: Sequence[float], scope: str, k: int) -> list[str]:
    """CrewAI's search below a scope, in L2; k of the nearest."""
    held = opened(uri, table).search(list(query))
    if scope.strip("/"):
        held = held.where(f"scope LIKE '{scope.rstrip('/')}%'")
    return [row["id"] for row in held.limit(k).to_list()]


class Program:
    """CrewAI at work: a recall sets last_accessed, a save adds rows."""

    def __init__(self, uri: str, table: str) -> None:
        self.uri, self.table = uri, table
        self._rng = random.Random(f"{uri}crew")

    def touch(self, ids: Sequence[str]) -> None:
        """One update of `last_accessed` for all of them."""
        stamp = now().isoformat()
        opened(self.uri, self.table).update(where=f"id IN {listed(ids)}", values={"last_accessed": stamp})

    def add(self, number: int) -> list[str]:
        """Records saved as dictionaries, Arrow types inferred."""
        made = facts(number, self._rng.getrandbits(32), now(), f"crew{self._rng.getrandbits(48)}")
        opened(self.uri, self.table).add([_row(f, 1) for f in made])
        return [f.id for f in made]


class CrewAI:
    """CrewAI."""

    name = "crewai"
    searches: Mapping[str, Any] = {"search": search}
    volatile = frozenset({"last_accessed"})
    hides = False
    marks: frozenset[str] = frozenset()
    id_column = "id"
    confirmed_only: frozenset[str] = frozenset()

    def build(self, folder: Path, rows: int = ROWS, seed: int = 7) -> tuple[str, str]:
        """A table with the scalar index that CrewAI makes."""
        made = created(folder, "memories", SCHEMA, [_row(f, at) for at, f in enumerate(facts(rows, seed, now()))])
        opened(*made).create_scalar_index("scope", index_type="BTREE", replace=True)
        return made

    def plant(self, uri: str, table: str) -> Planted:
        """A double write, a restatement, and one row for each structural fault."""
        rng = random.Random("planted crew")
        when = now() - timedelta(days=9)
        rows: list[dict[str, Any]] = []

        def one(text: str, at: datetime = when, **cells: Any) -> str:
            fact = Fact(str(new_id(rng)), text, "饮食", "李薇", "聚餐", "li", at)
            rows.append(_row(fact, 1) | cells)
            return fact.id

        doubled = "李薇每天早上喝两杯绿茶"
        pair = (one(doubled), one(doubled, when + timedelta(minutes=4)))
        restated = (one("李薇的车停在三号库"), one("李薇的车停在三号库", when + timedelta(days=3)))
        found: dict[str, list[tuple[str, ...]]] = {
            "duplicate_exact": [pair],
            "duplicate_restated": [restated],
            "missing_scope": [(one("The keys are with the porter", scope=""),)],
            "content_empty": [(one("\u3000 "),)],
            "embedding_missing": [(one("李薇下周搬家", vector=None),)],
            "metadata_invalid": [(one("Anna parks in bay 4", metadata_str='{"entities": ["Anna"'),)],
            "metadata_missing_field": [(one("王磊爱听京剧", metadata_str='{"dates": [], "topics": ["x"]}'),)],
        }
        add(uri, table, rows)
        return Planted(found, pair, _scope("li"), doubled)

    def pending(self, uri: str, table: str) -> list[tuple[str, str, str]]:
        """CrewAI has no such state."""
        return []

    def writer(self, uri: str, table: str) -> Program:
        """CrewAI's program."""
        return Program(uri, table)
