"""Builders shared by the tests: a healthy memory, a real table of them, a configuration, a clock that can be set.

They are plain functions, so that a test's helper process can use them too; the fixtures hand them out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow as pa
import pytest

from mendory import foreground
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.lance import Writer, create_table, to_table
from mendory.mapping import Mapping as FieldMapping
from mendory.record import FIELD_NAMES, arrow_schema
from tests.postgres import Server, binaries, serving

DIMENSION = 4
NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
GENEROUS = {
    "rows_per_run": 1000,
    "repairs_per_day": 1000,
    "scope_share": 1.0,
    "sick_share_scope": 1.0,
    "sick_share_table": 1.0,
}


def at(value: str | datetime | None) -> datetime | None:
    """A time from ISO text; a date alone is its midnight, a text without zone is UTC."""
    if value is None or isinstance(value, datetime):
        return value
    moment = datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def memory(id: str | None = "m1", required: Iterable[str] = (), **fields: Any) -> dict[str, Any]:  # noqa: A002
    """A row of our own table: healthy, except for the fields that are given. An unknown field is an error."""
    unknown = sorted(set(fields) - set(FIELD_NAMES))
    if unknown:
        raise KeyError(f"no such field: {', '.join(unknown)}")
    kind = {"topic": "general", "entities": ["user"], "scene": "daily"} | {
        key: "given" for key in required if key not in ("topic", "entities", "scene")
    }
    row: dict[str, Any] = dict.fromkeys(FIELD_NAMES) | {
        "id": id,
        "content": f"A memory of its own, {id}",
        # a vector of its own: many texts under one vector are a finding
        "embedding": [1.0, 0.5, -0.25, crc32(str(id).encode(errors="replace")) % 1000 / 8],
        "metadata": kind,
        "created_at": NOON,
        "updated_at": NOON,
        "source": "user_stated",
        "scope": "u1",
        "status": "active",
        "kind": "fact",
        "related_ids": [],
        "related_notes": [],
    }
    row |= fields
    if fields.get("created_at") is not None and "updated_at" not in fields:
        row["updated_at"] = row["created_at"]
    for name in ("metadata", "claim"):
        if isinstance(row[name], Mapping):
            row[name] = json.dumps(row[name], ensure_ascii=False)
    for name in ("created_at", "updated_at", "last_accessed_at", "last_verified_at"):
        row[name] = at(row[name])
    return row


def arrow(rows: Iterable[Mapping[str, Any]], dimension: int = DIMENSION) -> pa.Table:
    """The rows as Arrow, in the schema of our own table."""
    return to_table(list(rows), arrow_schema(dimension))


def make_table(folder: Path, rows: Iterable[Mapping[str, Any]] = (), name: str = "memories") -> Writer:
    """A real LanceDB table of our own schema in `folder`, holding the rows; read at its newest version."""
    create_table(str(folder), name, DIMENSION)
    writer = Writer(str(folder), name, FieldMapping.identity())
    rows = list(rows)
    if rows:
        writer.append(arrow(rows))
    writer.refresh()
    return writer


def make_config(root: Path, **sections: Any) -> Config:
    """A configuration for the table `memories` in `root`, with these sections besides."""
    return Config.build({"table": {"uri": ".", "name": "memories"}, **sections}, root)


class FakeClock:
    """A clock that moves only when told; every reading is a microsecond later, as a real clock's would be."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time."""
        self.now += timedelta(microseconds=1)
        return self.now

    def move(self, **by: float) -> None:
        """The clock is set forward, or back where the number is negative."""
        self.now += timedelta(**by)


@pytest.fixture(autouse=True)
def at_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb called inside the tests' own process does not step back: that process does more besides."""
    monkeypatch.setattr(foreground, "step_back", lambda niceness: None)


@pytest.fixture
def clock() -> FakeClock:
    """A clock at noon of 2025-03-01, UTC."""
    return FakeClock()


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Writer]:
    """`table(rows)` makes a real LanceDB table in the test's own folder."""
    return lambda rows=(), name="memories": make_table(tmp_path, rows, name)


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., Config]:
    """`config(limits=…)` makes a configuration for that table."""
    return lambda **sections: make_config(tmp_path, **sections)


@pytest.fixture
def ledger_at(request: pytest.FixtureRequest) -> dict[str, str]:
    """The configuration's `ledger` section: empty, so a file beside the table, unless the test is `on_both`."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return {}
    server: Server = request.getfixturevalue("postgres")
    return {"url": server.emptied()}


@pytest.fixture
def clinic(tmp_path: Path, clock: FakeClock, ledger_at: dict[str, str]) -> Callable[..., Clinic]:
    """`clinic(rows, limits=…)` makes the table and a clinic on it; with rows None the table is there already."""

    def make(rows: Iterable[Mapping[str, Any]] | None = None, **sections: Any) -> Clinic:
        if rows is not None:
            make_table(tmp_path, rows)
        return Clinic(make_config(tmp_path, **({"ledger": ledger_at} | sections)), clock)

    return make


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A private PostgreSQL, started when the first test asks."""
    tools = binaries()
    if tools is None:
        pytest.skip("PostgreSQL is not installed: neither on PATH nor under /usr/lib/postgresql")
    with serving(tools) as server:
        yield server


BOTH = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
on_both = pytest.mark.parametrize("ledger_at", BOTH, indirect=True)
"""The test runs with the ledger in a file, and with the ledger on a server."""


@pytest.fixture(params=BOTH)
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger may be: in a file of its own, and on a server."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/folder/ledger.db"
    server: Server = request.getfixturevalue("postgres")
    return server.emptied()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI is true, a test that needs a server and has none fails: nobody reads why something was skipped."""
    report = yield
    needed = [name for name in ("postgres", "served") if item.get_closest_marker(name)]
    if report.skipped and needed and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not accept of a test marked {needed[0]}: {report.longrepr}"
    return report


SLOW = 45.0
"""Seconds. A slower test is named when it ends, and so is one that failed: a run that is cut off has told them."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Each slow or failed part of a test is a line of its own among the dots, in the process that prints them."""
    if (report.duration > SLOW or report.failed) and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\n{report.duration:.0f} s: {report.when} of {report.nodeid}, {report.outcome}", flush=True)
