"""Detection and diagnosis as tasks."""

from __future__ import annotations

from typing import Any

from prefect import task
from prefect.artifacts import create_table_artifact

from expectations import required_fields
from mendory.clinic import Clinic
from mendory.errors import CheckBroken
from mendory.finding import by_code
from tasks.shared import OPTIONS, clinic, key


@task(**OPTIONS)
def detect(config: str) -> dict[str, Any]:
    """What is wrong, by code; the findings are in the ledger, and both ways of checking structure agree."""
    open_clinic = clinic(config)
    checked = open_clinic.check()
    lacking = [what for what, _ in checked.examination.stands_down]
    agree(
        open_clinic, {f.code.value: _ids(checked.findings, f.code.value) for f in checked.examination.findings}, lacking
    )
    open_clinic.ledger.findings.note(checked.findings)
    found = by_code(checked.findings)
    rows = [{"code": code, "findings": number} for code, number in found.items()]
    create_table_artifact(rows, key=key("findings", open_clinic.config.table.name), description=f"v{checked.version}")
    return {
        "found": found,
        "read": checked.examination.read,
        "version": checked.version,
        "causes": list(checked.causes),
    }


def agree(open_clinic: Clinic, pure: dict[str, set[str]], lacking: list[str]) -> None:
    """Return when the GX suite fails exactly the rows the pure rules flag; else raise CheckBroken."""
    rules = required_fields.suite(open_clinic.mapping, lacking)
    rows = required_fields.frames(open_clinic.mapping, open_clinic.reader.batches())
    failing = required_fields.run(rules, rows)
    for code, ids in failing.items():
        if ids != pure.get(code, set()):
            raise CheckBroken(
                f"The suite and the pure rule for {code} disagree on {len(ids ^ pure.get(code, set()))} rows. "
                "No plan was made. Report this with the version of great-expectations."
            )


def _ids(findings: Any, code: str) -> set[str]:
    return {i for f in findings if f.code.value == code for i in f.ids}


@task(**OPTIONS)
def diagnose(config: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    """The likely causes, shown beside the run."""
    causes = [c for c in found["causes"] if c["attribute"]]
    if causes:
        create_table_artifact(causes, key=key("causes", clinic(config).config.table.name))
    return causes
