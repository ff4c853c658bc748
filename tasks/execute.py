"""Execution and verification as tasks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from prefect import task

from mendory import treatment
from mendory.treatment import Ran
from tasks.shared import OPTIONS, Held, clinic, named
from tasks.show import progress


@task(task_run_name=named("execute"), **OPTIONS)
def execute(config: str, plan_id: str) -> Held[Ran]:
    """What policy lets run has run; the receipts are in the ledger. The value stays in this process."""
    open_clinic = clinic(config)
    with progress(open_clinic, "execute"):
        return Held(treatment.run(open_clinic, plan_id))


@task(**OPTIONS)
def verify(config: str, ran: Held[Ran]) -> dict[str, Any]:
    """The verdict on the run; level-1 steps that failed are taken back."""
    open_clinic = clinic(config)
    with progress(open_clinic, "verify"):
        done = treatment.close(open_clinic, ran.value)
    return {
        "plan": done.plan.id,
        "state": done.state.value,
        "outcomes": done.outcomes(),
        "recovered": sum(len(r.results) for r in done.recovered),
        "taken_back": len(done.taken_back),
        "verdict": done.verdict.as_json(),
        "authority": dict(Counter(r.by.value for r in done.rulings.values() if r.by)),
    }
