"""Planning and policy as tasks."""

from __future__ import annotations

from collections import Counter

from prefect import task
from prefect.artifacts import create_markdown_artifact

from mendory import treatment
from mendory.report import build, markdown
from tasks.shared import OPTIONS, clinic, key, named


@task(**OPTIONS)
def plan(config: str) -> list[str]:
    """The ids of the plans that answer what is found now: a new one, rehearsed and stored, and those still open."""
    planned = clinic(config).plan()
    new = [planned.plan.id] if planned.plan else []
    return [*new, *planned.open_plans]


@task(task_run_name=named("decide"), **OPTIONS)
def decide(config: str, plan_id: str) -> dict[str, int]:
    """How many steps may run by whose word, and how many wait or are suspended."""
    open_clinic = clinic(config)
    rulings = treatment.rule(open_clinic, treatment.open_plan(open_clinic, plan_id)).values()
    record = build(open_clinic.ledger, plan_id)
    create_markdown_artifact(markdown(record), key=key("plan", plan_id[:8]), description="what would be done")
    return dict(Counter(r.by.value if r.by else r.verdict.value for r in rulings))
