"""Whole runs killed: an `apply` dies by SIGKILL, the next one must end with a verified record of all that is in place.

The executor's own campaign looks at rows and receipts; this one looks at what a person is told afterwards: every
repair of the plan in place, judged by some run, and the record with its verification, however far the first run came.
"""

from __future__ import annotations

import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mendory import treatment
from mendory.clinic import Clinic
from mendory.ledger.plans import PlanState
from mendory.report.build import build
from tests.conftest import GENEROUS, make_config, make_table, memory
from tests.crash.oracle import Broken
from tests.crash.places import ledger_url, on_server
from tests.crash.processes import Say, Started

ROWS = 60
RULES = {"confirmed": ["merge.exact"]}


@dataclass(frozen=True, slots=True)
class Cut:
    """A run that was killed: how far it had come, and what the next one left to be desired."""

    in_place: int
    of: int
    broken: tuple[Broken, ...]


def apply(say: Say, folder: Path, plan_id: str) -> None:
    """The process that is killed: `mendory apply` of the plan."""
    at = _clinic(folder)
    say("ready")
    treatment.apply(at, plan_id)
    say("applied")


def cut_one(seed: int, server: str = "") -> Cut:
    """A fresh table and plan, its apply killed at a seeded moment after its first sign of life, applied again."""
    rng = random.Random(seed)
    with TemporaryDirectory(prefix="mendory-applying-") as name, on_server(Path(name), server):
        folder = Path(name)
        make_table(folder, _rows())
        at = _clinic(folder)
        plan = at.plan().plan
        assert plan is not None
        manifests = len(_manifests(folder))
        process = Started(apply, folder / "apply.err", folder, plan.id)
        process.await_word("ready")
        _await_commits(folder, manifests + rng.choice((1, 2, 3, 3)), 20.0)
        time.sleep(rng.choice((0, 0.002, 0.01, 0.03, 0.08)))
        process.end(signal.SIGKILL)
        outcomes = [o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()]
        at.ledger.close()
        return Cut(outcomes.count("applied"), len(outcomes), tuple(_judged(_clinic(folder), plan.id)))


def _judged(at: Clinic, plan_id: str) -> list[Broken]:
    """What is wrong once the plan was applied again."""
    if at.ledger.plans.state(plan_id) is PlanState.OPEN or not at.ledger.runs(plan_id):
        treatment.apply(at, plan_id)
    record, runs = build(at.ledger, plan_id), [r for r in at.ledger.runs(plan_id) if r["kind"] == "apply"]
    steps = len(record["groups"]) and sum(g["steps"] for g in record["groups"])
    said: dict[str, Any] = {
        "outcomes": (record["outcomes"], {"applied": steps}),
        "state": (record["state"], PlanState.DONE.value),
        "verdicts": (all(v["ok"] for v in record["verdicts"]), True),
        "problems judged": (_checked(record, "problems_gone"), steps),
        "repairs judged": (
            sorted(rid for r in runs for rid in r["repairs"]),
            sorted({o["rid"] for o in at.ledger.plans.outcomes(plan_id).values()}),
        ),
        "undo": (record["undo"], f"mendory rollback {plan_id[:8]}"),
    }
    return [
        Broken("applied_and_not_verified", f"{what} of plan {plan_id[:8]}: {got!r}, not {wanted!r}")
        for what, (got, wanted) in said.items()
        if got != wanted
    ]


def _checked(record: dict[str, Any], name: str) -> int:
    return sum(c["checked"] for v in record["verdicts"] for c in v["checks"] if c["name"] == name)


def _clinic(folder: Path) -> Clinic:
    return Clinic(make_config(folder, ledger={"url": ledger_url(folder)}, limits=GENEROUS, rules=RULES))


def _rows() -> list[dict[str, Any]]:
    """Misspelt statuses and double writes in two languages: two groups, so two commits."""
    wrong = [memory(f"s{n}", status="ACTIVE", content=f"第 {n} 条 note {n}") for n in range(ROWS // 3)]
    twins = [memory(f"{side}{n}", content=f"喝第 {n} 杯茶 tea {n}") for n in range(ROWS // 3) for side in "de"]
    return wrong + twins


def _manifests(folder: Path) -> list[Path]:
    return list((folder / "memories.lance" / "_versions").glob("*.manifest"))


def _await_commits(folder: Path, number: int, patience: float) -> None:
    until = time.monotonic() + patience
    while len(_manifests(folder)) < number and time.monotonic() < until:
        time.sleep(0.002)
