"""Several machines, one ledger, one table: nothing is applied twice, and what a dead one began is finished.

The processes are real and are killed or stopped as such; only the name of their machine is told to them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import psutil
import pytest

from mendory.clinic import Clinic
from mendory.executor import owner
from mendory.executor.owner import alive
from mendory.ledger import utc_now
from mendory.ledger.records import IntentState
from mendory.treatment import apply
from tests.conftest import GENEROUS, NOON, FakeClock, make_config, make_table, memory
from tests.postgres import Server

ROOT = Path(__file__).resolve().parents[1]
ROWS = 40

_MACHINE = """
import json, os, signal, socket, sys, time
from pathlib import Path
host, folder, url, plan_id, moment, start = sys.argv[1:]
socket.gethostname = lambda: host
from mendory.clinic import Clinic
from mendory.errors import PlanClosed
from mendory.treatment import apply
from tests.conftest import GENEROUS, make_config
clinic = Clinic(make_config(Path(folder), ledger={"url": url}, limits=GENEROUS))
real = clinic.writer.commit
def commit(*args):
    if moment == "before":
        halt()
    version = real(*args)
    if moment == "after":
        halt()
    return version
def halt():
    global moment
    moment = ""
    print("halted", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
clinic.writer.commit = commit
clinic.ledger
while time.time() < float(start): pass
try:
    print(json.dumps(apply(clinic, plan_id).outcomes()))
except PlanClosed:
    print(json.dumps({"closed": 1}))
"""


class Machines:
    """One table and one ledger, and processes that each believe to be on a machine of their own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        wrong = ("ACTIVE", " active")
        make_table(folder, [memory(f"s{n}", status=wrong[n % 2], content=f"第 {n} 条 note") for n in range(ROWS)])
        self.clinic = Clinic(make_config(folder, ledger={"url": url}, limits=GENEROUS), utc_now)
        plan = self.clinic.plan().plan
        assert plan is not None
        self.plan = plan

    def start(self, host: str, moment: str = "", at: float = 0) -> subprocess.Popen[str]:
        """A process on `host` applies the plan from time `at` on, and halts at that moment of its first commit."""
        words = [host, str(self.folder), self.url, self.plan.id, moment, str(at)]
        return subprocess.Popen(
            [sys.executable, "-c", _MACHINE, *words],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def halted(self, host: str, moment: str) -> subprocess.Popen[str]:
        """A process that stands still at that moment, its intent open."""
        process = self.start(host, moment)
        assert process.stdout is not None
        assert "halted\n" == process.stdout.readline()
        return process

    def applied_here(self, later: float) -> dict[str, int]:
        """The outcomes of an apply in this process, whose clock is so many minutes later."""
        config = make_config(self.folder, ledger={"url": self.url}, limits=GENEROUS)
        at = Clinic(config, lambda: utc_now() + timedelta(minutes=later))
        try:
            return apply(at, self.plan.id).outcomes()
        finally:
            at.ledger.close()

    def repairs(self) -> Counter[str]:
        """How many versions of the table carry each repair's id."""
        table = lance.dataset(str(self.folder / "memories.lance"))
        said = (table.read_transaction(v).transaction_properties or {} for v in range(1, table.version + 1))
        return Counter(t["mendory.rid"] for t in said if "mendory.rid" in t)

    def check_once(self) -> None:
        """Every row is repaired, by commits that each stand once in the table and once in the ledger."""
        table = lance.dataset(str(self.folder / "memories.lance")).to_table(columns=["id", "status"])
        applied = Counter(i.rid for i in self.clinic.ledger.intents.in_state(IntentState.APPLIED))
        assert {"active"} == set(table["status"].to_pylist())
        assert ROWS == table.num_rows == len(self.clinic.ledger.intents.items(self.plan.id))
        assert applied == self.repairs()
        assert {1} == set(applied.values())
        assert [] == self.clinic.ledger.intents.in_state(IntentState.OPEN)
        assert self.clinic.ledger.verify() > 0


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What the process said of its outcomes."""
    said, errors = process.communicate(timeout=240)
    assert 0 == process.returncode, errors[-2000:]
    outcomes: dict[str, Any] = json.loads(said.splitlines()[-1])
    return outcomes


@pytest.fixture
def machines(postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    """Machines that share a ledger on PostgreSQL; this process is on one of them."""
    monkeypatch.setattr("socket.gethostname", lambda: "beta")
    shared = Machines(tmp_path, postgres.emptied())
    yield shared
    shared.clinic.ledger.close()


@pytest.mark.postgres
@pytest.mark.lance
def test_two_machines_heal_one_plan_at_once(machines: Machines) -> None:
    """Two machines that apply one plan at the same time do no work twice, and between them all of it."""
    start = time.time() + 4
    both = [machines.start(host, at=start) for host in ("alpha", "gamma")]
    said = [ended(one) for one in both]

    assert ROWS <= sum(s.get("applied", 0) + s.get("done", 0) for s in said), said
    machines.check_once()


@pytest.mark.postgres
@pytest.mark.lance
@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_a_killed_machine_began_is_finished_by_another(machines: Machines, moment: str) -> None:
    """Killed with its intent open: left alone at first, since it may live; finished once its lease is over, once."""
    process = machines.halted("alpha", moment)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = machines.repairs()

    assert {"busy": ROWS} == machines.applied_here(later=9)
    assert before == machines.repairs()

    assert {"applied": ROWS} == machines.applied_here(later=11)
    machines.check_once()


@pytest.mark.postgres
@pytest.mark.lance
def test_a_machine_that_stood_still_finds_its_work_done(machines: Machines) -> None:
    """Stopped before its commit for longer than its lease, then going on: it writes nothing, and says so."""
    process = machines.halted("alpha", "before")
    assert {"applied": ROWS} == machines.applied_here(later=11)
    version = machines.clinic.writer.latest()
    os.kill(process.pid, signal.SIGCONT)

    assert {"busy": ROWS} == ended(process)
    assert version == machines.clinic.writer.latest()
    machines.check_once()


_HERE = f"here|{os.getpid()}|{psutil.Process().create_time():.2f}"


@pytest.mark.parametrize(
    ("name", "minutes", "lives"),
    [
        ("elsewhere|1|1.00|aa", 0, True),
        ("elsewhere|1|1.00|aa", 9.9, True),
        ("elsewhere|1|1.00|aa", 10.1, False),
        ("elsewhere|1|1.00|aa", -30, True),  # its clock is ahead of ours
        (f"{_HERE}|aa", 0, False),  # this process, and no block of it that still executes
        (f"here|{os.getpid()}|1.00|aa", 0, False),  # another process had that number before
        ("here|999999999|1.00|aa", 0, False),
        ("here|1|much", 9.9, True),  # nobody knows how to read it
        ("here|1|much", 10.1, False),
    ],
    # the numbers of this process are not those of another worker of the tests
    ids=["away", "away 9.9", "away 10.1", "away ahead", "idle", "number used before", "gone", "odd 9.9", "odd 10.1"],
)
def test_who_counts_as_alive(monkeypatch: pytest.MonkeyPatch, name: str, minutes: float, lives: bool) -> None:
    """On this machine its processes tell; of another one only how long an intent was untouched."""
    monkeypatch.setattr("socket.gethostname", lambda: "here")

    assert lives == alive(name, NOON - timedelta(minutes=minutes), FakeClock())


def test_who_executes_is_alive_until_the_block_ends(clock: FakeClock) -> None:
    """An owner of this process lives as long as its block, however long that takes."""
    with owner.executing(clock) as context:
        assert context.alive(context.owner, NOON - timedelta(days=1))
    assert not context.alive(context.owner, NOON)
