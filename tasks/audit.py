"""The case record as a task."""

from __future__ import annotations

import json
from typing import Any

from prefect import task
from prefect.artifacts import create_markdown_artifact

from mendory.report import build, markdown
from mendory.report.html import html
from tasks.shared import OPTIONS, clinic, key, named


@task(task_run_name=named("audit"), **OPTIONS)
def audit(config: str, plan_id: str) -> dict[str, Any]:
    """The case record is written beside the ledger, as JSON, Markdown and a page, and shown with the run."""
    open_clinic = clinic(config)
    record = build(open_clinic.ledger, plan_id)
    folder = open_clinic.config.root / ".mendory" / "reports"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / f"{record['code']}.json").write_text(
        json.dumps(record, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    for lang in ("en", "zh"):
        (folder / f"{record['code']}.{lang}.md").write_text(markdown(record, lang), encoding="utf-8")
        (folder / f"{record['code']}.{lang}.html").write_text(html(record, lang), encoding="utf-8")
    create_markdown_artifact(markdown(record), key=key("case", record["code"]), description="case record")
    return {"report": str(folder / f"{record['code']}.en.md"), "left": record["left"], "unplanned": record["unplanned"]}
