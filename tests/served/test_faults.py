"""What dies on the way, for real: workers, runs in the middle of a repair, the server. Nothing is lost, none done twice.

All tests share a server and a pool of their own, since both are killed. The two rules of the server that wait for
minutes, and are waited for here, are given seconds.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import Popen
from typing import Any

import lance
import pytest

from mendory.ledger.plans import PlanState
from mendory.ledger.records import IntentState
from tests.postgres import Server
from tests.served.kit import Served, serving, until, working
from tests.served.test_treat import MERGED, form
from tests.served.ward import SICK, TOML, Ward, admit, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]
PAIRS = 300
MANY = [
    (f"{side}{n}", f"第 {n} 条：用户在柏林 (note {n})", {"batch_id": f"b{n}", "created_at": f"2025-02-01T00:00:0{at}"})
    for n in range(PAIRS)
    for at, side in enumerate("ab")
]
"""Double writes, several hundred: more than one batch of the executor."""
HEALED = {name: "active" if name.startswith("a") else "archived" for name, _, _ in MANY}


@pytest.fixture(scope="module")
def doomed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that is killed and started again."""
    with serving(tmp_path_factory.mktemp("doomed")) as served, client_of(served):
        yield served


def crowded(served: Served, folder: Path, prefix: str) -> tuple[Ward, str, str]:
    """(table, plan, run that asks about several hundred merges), to be taken up by a worker of the pool `ours`."""
    ward = Ward(served, admit(folder, rows=MANY), prefix, "ours")
    ward.deploy()
    [(plan_id, run)] = ward.heal()["asking"].items()
    return ward, plan_id, run


def caught_in_the_act(ward: Ward) -> None:
    """Return at the moment when a repair is under way: its intent is open in the ledger."""
    with closing(sqlite3.connect(ward.folder / ".mendory" / "ledger.db", timeout=30)) as ledger:
        ask = lambda: ledger.execute("SELECT 1 FROM intent WHERE state = 'open'").fetchone()  # noqa: E731
        until("an open intent", ask, 120, 0.002)


def check_once(ward: Ward, plan_id: str) -> None:
    """Every row is as planned, by commits that each stand once in the table and once in the ledger."""
    ledger, table = ward.clinic.ledger, lance.dataset(str(ward.folder / "db" / "memories.lance"))
    said = (table.read_transaction(v).transaction_properties or {} for v in range(1, table.version + 1))
    commits = Counter(t["mendory.rid"] for t in said if "mendory.rid" in t)
    receipts = Counter(i.rid for i in ledger.intents.in_state(IntentState.APPLIED))
    assert ward.statuses() == HEALED
    assert receipts == commits
    assert {1} == set(commits.values())
    assert [] == ledger.intents.in_state(IntentState.OPEN)
    assert {"applied": PAIRS} == Counter(o["outcome"] for o in ledger.plans.outcomes(plan_id).values())
    assert PlanState.DONE is ledger.plans.state(plan_id)
    assert ledger.verify() > 0


def killed(worker: Popen[bytes]) -> None:
    """Worker, runner and run are gone, as in a power cut."""
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


@pytest.mark.postgres
def test_whatever_dies_while_a_run_waits_it_goes_on(doomed: Served, postgres: Server, tmp_path: Path) -> None:
    """The worker is killed, the server stopped and killed, while a person thinks; another worker then does it.

    It has a home of its own, no result of Prefect's and no ledger file: the ledger is on PostgreSQL.
    """
    url = postgres.emptied()
    ward = Ward(doomed, admit(tmp_path / "table", f'{TOML}[ledger]\nurl = "{url}"\n'), "wait-", "ours")
    ward.deploy()
    [(plan_id, run)] = ward.heal()["asking"].items()
    with working(doomed, "ours", tmp_path / "one") as first:
        doomed.state(run, "Suspended")
        killed(first)
    doomed.stop()
    doomed.start()
    doomed.kill()
    doomed.start()
    assert "Suspended" == doomed.run_of(run)["state"]["name"]

    assert "ACCEPT" == ward.answer(run, **form(plan_id))["status"]
    with working(doomed, "ours", tmp_path / "two"):
        doomed.state(run, "Completed")

    assert MERGED == ward.statuses()
    assert [] == [*(tmp_path / "two").rglob("storage/*"), *ward.folder.rglob("ledger.db*")]
    assert ward.clinic.ledger.verify() > 0
    ward.clinic.ledger.close()


def test_server_gone_and_run_killed_in_the_middle(doomed: Served, tmp_path: Path) -> None:
    """First the server is killed while a repair is under way and comes back: the run finishes as if nothing had been.

    Then worker, runner and run are killed in the middle of another: no minute passes and the run is Crashed, the turn
    is free, and the next heal finishes what was left.
    """
    with working(doomed, "ours", tmp_path / "one") as worker:
        first, one_plan, one_run = crowded(doomed, tmp_path / "first", "gone-")
        doomed.state(one_run, "Suspended")
        first.answer(one_run, **form(one_plan))
        caught_in_the_act(first)
        doomed.kill()
        time.sleep(10)
        doomed.start()
        ended = doomed.state(one_run, "Completed", "Failed", "Crashed")["state"]
        assert "Completed" == ended["name"], ended
        check_once(first, one_plan)
