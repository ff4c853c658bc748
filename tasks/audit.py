"""The case record as a task."""

from __future__ import annotations

from typing import Any

from prefect import task
from prefect.client.schemas.objects import State
from prefect.states import Completed

from mendory.checkup import CheckUp
from mendory.deciding import waits_for
from mendory.finding import by_code
from mendory.report import build
from mendory.report.files import write
from tasks.shared import OPTIONS, Held, clinic, named
from tasks.show import show_record


@task(task_run_name=named("audit"), **OPTIONS)
def audit(config: str, plan_id: str) -> dict[str, Any]:
    """The case record is written beside the ledger, as JSON, Markdown and a page, and shown with the run."""
    open_clinic = clinic(config)
    record = build(open_clinic.ledger, plan_id, waits_for(open_clinic, plan_id))
    path = write(record, open_clinic.config.reports_path)
    show_record(open_clinic.config, record, "case")
    return {"report": str(path), "left": record["left"], "unplanned": record["unplanned"]}


def told_of(
    checked: Held[CheckUp],
    causes: list[dict[str, Any]],
    plans: list[str],
    decisions: list[dict[str, int]],
    runs: list[dict[str, Any]],
    records: list[dict[str, Any]],
    people: dict[str, Any],
    told: dict[str, int],
) -> dict[str, Any] | State[Any]:
    """What a heal came to, in ids and counts; a state that says so by its name where there was nothing to do."""
    if checked.value.unchanged and not runs and not records:
        return Completed(name="Unchanged", message=f"Nobody wrote since version {checked.value.version}.")
    return {
        "found": by_code(checked.value.findings),
        "read": checked.value.examination.read,
        "version": checked.value.version,
        "causes": causes,
        "plans": plans,
        "decisions": decisions,
        "runs": runs,
        "records": records,
        "asking": people["asking"],
        "ended": people["ended"],
        "told": told,
    }
