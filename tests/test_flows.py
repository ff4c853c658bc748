"""The flow `heal` under Prefect's harness, and what Prefect is told."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")

from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, PREFECT_HOME, temporary_settings
from prefect.testing.utilities import prefect_test_harness

from mendory.errors import CheckBroken
from mendory.lance import Reader
from mendory.mapping import Mapping
from tests.conftest import make_table, memory

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
CANARY = "卡号 4111-1111 canary text"
TOML = """
[table]
uri = "db"
name = "memories"
[rules]
confirmed = ["merge.exact"]
[limits]
rows_per_run = 100
repairs_per_day = 100
scope_share = 1.0
sick_share_scope = 1.0
sick_share_table = 1.0
"""


@pytest.fixture(scope="module")
def prefect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Prefect's test server on a home of its own."""
    home = tmp_path_factory.mktemp("prefect")
    with (
        temporary_settings({PREFECT_HOME: home, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}),
        prefect_test_harness(server_startup_timeout=120),
    ):
        yield home


@pytest.fixture
def sick(tmp_path: Path) -> Path:
    """A folder with a sick table and its configuration."""
    rows = [
        memory("a1", content=CANARY, batch_id="b1"),
        memory("a2", content=CANARY, batch_id="b1"),
        memory("b1", content="喜欢靠窗的座位", status=" ACTIVE"),
        memory("c1", content="Lives in Oslo", scope=None),
    ]
    make_table(tmp_path / "db", rows)
    (tmp_path / "mendory.toml").write_text(TOML)
    return tmp_path


def statuses(folder: Path) -> dict[str, str | None]:
    """Id → status, read anew."""
    return {str(m.id): m.status for m in Reader(str(folder / "db"), "memories", Mapping.identity()).scan()}


def test_a_dry_run_plans_and_changes_nothing(prefect: Path, sick: Path) -> None:
    """By default `heal` only plans: the table's version stays, the plan is in the ledger."""
    from flows.heal import heal

    before = Reader(str(sick / "db"), "memories", Mapping.identity()).version
    outcome = heal(str(sick / "mendory.toml"))

    assert before == Reader(str(sick / "db"), "memories", Mapping.identity()).version
    assert len(outcome["plans"]) == 1
    assert outcome["runs"] == []


def test_heal_repairs_what_may_run_and_leaves_the_rest_to_people(prefect: Path, sick: Path) -> None:
    """Level 1 and the confirmed rule run and verify; the missing scope waits for a person; what is old is told."""
    from flows.heal import heal

    outcome = heal(str(sick / "mendory.toml"), dry_run=False)

    assert statuses(sick) == {"a1": "active", "a2": "archived", "b1": "active", "c1": "active"}
    assert [r["verdict"]["ok"] for r in outcome["runs"]] == [True]
    assert [u["code"] for u in outcome["records"][0]["unplanned"]] == ["missing_scope", "stale_memories"]
    assert heal(str(sick / "mendory.toml"), dry_run=False)["plans"] == []


def test_no_memory_text_reaches_prefect(prefect: Path, sick: Path) -> None:
    """After a real run no file of Prefect's home holds the content of a memory."""
    from flows.heal import heal

    heal(str(sick / "mendory.toml"), dry_run=False)
    from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL as URL

    files = [p for p in prefect.rglob("*") if p.is_file()]
    database = str(URL.value()).removeprefix("sqlite+aiosqlite:///")
    files += [p for p in Path(database).parent.glob(Path(database).name + "*") if p.is_file()] if database else []
    escaped = json.dumps(CANARY)[1:-1].encode()

    assert files
    assert [str(p) for p in files if CANARY.encode() in p.read_bytes() or escaped in p.read_bytes()] == []


def test_two_ways_of_checking_that_disagree_stop_the_run(
    prefect: Path, sick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the suite and the pure rules differ, the run fails as a broken check and no plan is made."""
    from expectations import running
    from flows.heal import heal
    from mendory.clinic import Clinic
    from mendory.config import Config

    monkeypatch.setattr(running, "judged", lambda *_: running.Judged({"missing_scope": {"b1"}}))
    with pytest.raises(CheckBroken):
        heal(str(sick / "mendory.toml"), dry_run=False)

    assert Clinic(Config.load(sick / "mendory.toml")).ledger.plans.all() == []
