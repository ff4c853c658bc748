"""What dies on the way, for real: workers, runs in the middle of a repair, the server. Nothing is lost or done twice.

All tests share a server and a pool of their own, since both are killed. The two rules of the server that wait for
minutes, and are waited for here, are given seconds.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from subprocess import Popen

import lance
import psutil
import pytest

from mendory.ledger.plans import PlanState
from mendory.ledger.records import IntentState
from tests.postgres import Server
from tests.served.kit import Served, serving, until, working
from tests.served.test_treat import MERGED, form
from tests.served.ward import TOML, Ward, admit, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("faults")]
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


def answered(ward: Ward, run: str, plan_id: str) -> None:
    """The server took an approval: the form is there a moment after the run is suspended."""
    until("the form", lambda: ward.answer(run, **form(plan_id))["status"] == "ACCEPT", 30)


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
    """Worker, runner and run are gone at once, as in a power cut: the run is in a session of its own."""
    whole = psutil.Process(worker.pid)
    for one in [whole, *whole.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            one.kill()
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

    answered(ward, run, plan_id)
    with working(doomed, "ours", tmp_path / "two"):
        doomed.state(run, "Completed")

    assert MERGED == ward.statuses()
    assert [] == [*(tmp_path / "two").rglob("storage/*"), *ward.folder.rglob("ledger.db*")]
    assert ward.clinic.ledger.verify() > 0
    ward.clinic.ledger.close()


def test_the_server_is_gone_in_the_middle_of_a_repair(doomed: Served, tmp_path: Path) -> None:
    """Killed, and back ten seconds later: the run finishes as if nothing had been."""
    ward, plan_id, run = crowded(doomed, tmp_path / "table", "gone-")
    with working(doomed, "ours", tmp_path / "one"):
        doomed.state(run, "Suspended")
        answered(ward, run, plan_id)
        caught_in_the_act(ward)
        doomed.kill()
        time.sleep(10)
        doomed.start()
        ended = doomed.state(run, "Completed", "Failed", "Crashed")["state"]

    assert "Completed" == ended["name"], ended
    check_once(ward, plan_id)


def hasty(served: Served, prefix: str) -> None:
    """The rules that wait two and ten minutes wait for little more than a heartbeat, and for seconds."""
    for one in served.post("/automations/filter", {"limit": 200}):
        within = {f"{prefix}crashed": 35, f"{prefix}left-behind": 10}.get(one["name"])
        if within:
            body = {k: one[k] for k in ("name", "description", "enabled", "tags", "trigger", "actions")}
            body["trigger"]["within"] = within
            served.change("PUT", f"/automations/{one['id']}", body)


def test_killed_in_the_middle_of_a_repair(doomed: Served, tmp_path: Path) -> None:
    """Worker, runner and run are gone at once: the run is Crashed by the server's rule, the next heal does the rest.

    So does a run whose state somebody forced, with nobody behind it; and what a schedule made that no worker took is
    cancelled. The turn is free again once its lease is over.
    """
    ward, plan_id, run = crowded(doomed, tmp_path / "table", "dead-")
    hasty(doomed, ward.prefix)
    with working(doomed, "ours", tmp_path / "one") as worker:
        doomed.state(run, "Suspended")
        answered(ward, run, plan_id)
        caught_in_the_act(ward)
        killed(worker)
    died = time.monotonic()
    heal = doomed.get(f"/deployments/name/heal/{ward.prefix}heal")["id"]
    late = doomed.post(f"/deployments/{heal}/create_flow_run", {"tags": ["auto-scheduled", f"mendory:{ward.prefix}"]})
    treat = doomed.get(f"/deployments/name/treat/{ward.prefix}treat")["id"]
    parameters = {"config": ward.config, "plan_id": plan_id}
    forced = doomed.post(f"/deployments/{treat}/create_flow_run", {"parameters": parameters})["id"]
    ward.force(forced, "RUNNING")
    assert "Running" == doomed.run_of(run)["state"]["name"]

    assert "No heartbeat" in doomed.state(run, "Crashed")["state"]["message"]
    doomed.state(forced, "Crashed")
    doomed.state(late["id"], "Cancelled")
    after = ward.heal()

    assert time.monotonic() - died < 120
    assert 1 == sum(r["recovered"] > 0 for r in after["runs"])
    assert {} == after["asking"]
    check_once(ward, plan_id)
    assert 0 == doomed.get(f"/v2/concurrency_limits/{ward.prefix}turn")["active_slots"]
