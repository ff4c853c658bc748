"""What the five owners share: the interface, texts in two languages, vectors, and rows in and out of LanceDB."""

from __future__ import annotations

import hashlib
import random
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import lancedb
import numpy as np
import pyarrow as pa

DIMENSION = 8
ROWS = 72
SCOPES = ("li", "wang", "chen")
Search = Callable[[str, str, Sequence[float], str, int], list[str]]
"""uri, table, vector, scope as the owner's caller names it, k → ids, nearest first."""


@dataclass(frozen=True)
class Fact:
    """One healthy memory before an owner gives it a shape."""

    id: str
    text: str
    topic: str
    entity: str
    scene: str
    scope: str
    at: datetime


@dataclass(frozen=True)
class Planted:
    """What was planted: code → the ids of each finding, and the ids of rows that another row repeats, oldest first."""

    findings: Mapping[str, list[tuple[str, ...]]]
    repeats: tuple[str, ...]
    scope: str
    text: str

    @property
    def ids(self) -> set[str]:
        """Every sick row."""
        return {i for found in self.findings.values() for ids in found for i in ids}


class Writer(Protocol):
    """The owner's own program, at work meanwhile; plain LanceDB calls that know nothing of Mendory."""

    def touch(self, ids: Sequence[str]) -> None:
        """What a recall of these rows changes in them."""

    def add(self, number: int) -> list[str]:
        """New memories are stored; their ids."""


class Owner(Protocol):
    """One owner of a table.

    `searches`: the owner's ways of reading, by name; those in `confirmed_only` never return a row that waits for the
    owner's confirmation. `volatile`: the places that `Writer.touch` changes. `marks`: the places that a repair may
    change, `hides`: whether a mark makes every search stop returning a row.
    """

    name: str
    searches: Mapping[str, Search]
    volatile: frozenset[str]
    hides: bool
    marks: frozenset[str]
    id_column: str
    confirmed_only: frozenset[str]

    def build(self, folder: Path, rows: int = ROWS, seed: int = 7) -> tuple[str, str]:
        """A table of healthy memories as the owner's program makes it; its folder and name."""

    def plant(self, uri: str, table: str) -> Planted:
        """Faults of every kind that the shape can have are added."""

    def pending(self, uri: str, table: str) -> list[tuple[str, str, str]]:
        """(id, text, scope) of healthy rows that the owner has marked as not confirmed yet."""

    def writer(self, uri: str, table: str) -> Writer:
        """The owner's program."""


_PLACES = ("杭州", "Berlin", "成都", "Lisbon", "青岛", "Oslo", "昆明", "Kyoto", "厦门", "Quito", "拉萨", "Porto")
_ZH = (
    ("饮食", "{who}在{where}不吃香菜", "聚餐"),
    ("出行", "{who}去{where}只坐靠窗的位子", "差旅"),
    ("工作", "{who}负责{where}的项目，周报星期五交", "会议"),
    ("健康", "{who}对花生过敏，{where}的医生已经记下", "就医"),
)
_EN = (
    ("food", "{who} never eats coriander in {where}", "dinner"),
    ("travel", "{who} flies to {where} by the window seat only", "trip"),
    ("work", "{who} leads the {where} project and reports on Fridays", "meeting"),
    ("health", "{who} told the doctor in {where} about a peanut allergy", "clinic"),
)
_WHO = ("李薇", "Anna", "王磊", "Marco", "陈静", "Priya")


def facts(rows: int, seed: int, now: datetime, salt: str = "") -> list[Fact]:
    """So many memories, no two alike, half of them Chinese; the last was written at `now`, the first months before."""
    rng = random.Random(f"{seed}{salt}")
    made = []
    for at in range(rows):
        topic, text, scene = (_ZH if at % 2 else _EN)[at // 2 % 4]
        who, where = _WHO[at % len(_WHO)], _PLACES[at // 4 % len(_PLACES)]
        said = text.format(who=who, where=where) + (f"（第{at + 1}条{salt}）" if at % 2 else f", note {at + 1}{salt}")
        when = now - timedelta(hours=30) * (rows - 1 - at)
        made.append(Fact(str(new_id(rng)), said, topic, who, scene, SCOPES[at % len(SCOPES)], when))
    return made


def new_id(rng: random.Random) -> uuid.UUID:
    """A UUID from a seed."""
    return uuid.UUID(int=rng.getrandbits(128), version=4)


def vector(text: str) -> list[float]:
    """A unit vector that the text alone decides."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    values = np.random.default_rng(seed).standard_normal(DIMENSION)
    return [float(v) for v in (values / np.linalg.norm(values)).astype(np.float32)]


def vectors() -> pa.DataType:
    """The Arrow type of a vector column."""
    return pa.list_(pa.float32(), DIMENSION)


def now() -> datetime:
    """The present, to the second: owners' newest rows are as old as the commit that wrote them."""
    return datetime.now(UTC).replace(microsecond=0)


def literal(text: str) -> str:
    """A text for the owner's filters."""
    return "'" + text.replace("'", "''") + "'"


def listed(ids: Sequence[str]) -> str:
    """The owner's list of ids in a filter."""
    return "(" + ", ".join(map(literal, ids)) + ")"


def opened(uri: str, table: str) -> Any:
    """The table as the owner's program opens it."""
    return lancedb.connect(uri).open_table(table)


def created(folder: Path, name: str, schema: pa.Schema, rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """A table of two commits, so that it has several fragments."""
    table = lancedb.connect(str(folder)).create_table(name, schema=schema)
    half = len(rows) // 2
    for part in (rows[:half], rows[half:]):
        table.add(pa.Table.from_pylist(list(part), schema=schema))
    return str(folder), name


def add(uri: str, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows are added in the table's own schema."""
    held = opened(uri, table)
    held.add(pa.Table.from_pylist(list(rows), schema=held.schema), on_bad_vectors="error")


@dataclass
class Working:
    """The owner's program in a thread: it touches rows and stores new ones until stopped; `errors` must stay empty."""

    writer: Writer
    ids: Sequence[str]
    pause: float = 0.03
    added: list[str] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)
    rounds: int = 0

    def __enter__(self) -> Working:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        return self

    def _work(self) -> None:
        while not self._stop.wait(self.pause):
            try:
                self.writer.touch(self.ids[self.rounds % len(self.ids) :][:3])
                if self.rounds % 3 == 0:
                    self.added += self.writer.add(1)
            except Exception as error:  # noqa: BLE001 - whatever it is, the test must see it
                self.errors.append(error)
                return
            self.rounds += 1

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()
