"""The case record as a task."""

from __future__ import annotations

import json
from typing import Any

from prefect import task
from prefect.client.schemas.objects import State
from prefect.states import Completed

from mendory.checkup import CheckUp
from mendory.finding import by_code
from mendory.report import build, markdown
from mendory.report.html import html
from tasks.detect import unchanged
from tasks.shared import OPTIONS, Held, clinic, named
from tasks.show import show_record


@task(task_run_name=named("audit"), **OPTIONS)
def audit(config: str, plan_id: str) -> dict[str, Any]:
    """The case record is written beside the ledger, as JSON, Markdown and a page, and shown with the run."""
    open_clinic = clinic(config)
    record = build(open_clinic.ledger, plan_id)
    folder = open_clinic.config.reports_path
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / f"{record['code']}.json").write_text(
        json.dumps(record, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    for lang in ("en", "zh"):
        (folder / f"{record['code']}.{lang}.md").write_text(markdown(record, lang), encoding="utf-8")
        (folder / f"{record['code']}.{lang}.html").write_text(html(record, lang), encoding="utf-8")
    show_record(open_clinic.config, record, "case")
    return {"report": str(folder / f"{record['code']}.en.md"), "left": record["left"], "unplanned": record["unplanned"]}


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
    if unchanged(checked) and not runs and not records:
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
