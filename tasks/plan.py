"""Planning and policy as tasks."""

from __future__ import annotations

from collections import Counter

from prefect import task

from mendory import treatment
from mendory.checkup import CheckUp
from mendory.deciding import waits_for
from mendory.report import build
from tasks.shared import OPTIONS, Held, clinic, named
from tasks.show import show_record


@task(**OPTIONS)
def plan(config: str, checked: Held[CheckUp]) -> list[str]:
    """The ids of the plans that answer what was found: a new one, rehearsed and stored, and those still open."""
    planned = clinic(config).plan(checked.value)
    new = [planned.plan.id] if planned.plan else []
    return [*new, *planned.open_plans]


@task(task_run_name=named("decide"), **OPTIONS)
def decide(config: str, plan_id: str) -> dict[str, int]:
    """How many steps may run by whose word, and how many wait or are suspended."""
    open_clinic = clinic(config)
    rulings = treatment.rule(open_clinic, treatment.open_plan(open_clinic, plan_id)).values()
    record = build(open_clinic.ledger, plan_id, waits_for(open_clinic, plan_id))
    show_record(open_clinic.config, record, "plan")
    return dict(Counter(r.by.value if r.by else r.verdict.value for r in rulings))
