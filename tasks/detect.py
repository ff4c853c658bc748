"""Detection and diagnosis as tasks."""

from __future__ import annotations

from typing import Any

from prefect import task
from prefect.artifacts import create_table_artifact

from mendory.causes import UNKNOWN
from mendory.checkup import CheckUp
from mendory.clinic import Clinic
from mendory.finding import by_code
from mendory.incremental import LAST
from tasks.shared import OPTIONS, Held, clinic, key
from tasks.show import progress


@task(**OPTIONS)
def detect(config: str, full: bool) -> Held[CheckUp]:
    """What is wrong, found in every row or in what changed since the last check-up; the ledger knows each finding.

    Where every row was looked at, both ways of checking structure agree. The value stays in this process.
    """
    open_clinic = clinic(config)
    moment = open_clinic.clock()
    still = Clinic(open_clinic.config, lambda: moment)  # what lies in the future must be the same for both
    with progress(still, "detect"):
        checked = still.check(keep=True, since=None if full else LAST)
    held = Held(checked)
    if checked.unchanged:
        return held
    if checked.basis.since is None:
        # loading Great Expectations takes longer than a look at what changed: the frequent runs do without
        from expectations.agreement import agree

        agree(still, checked.examination.findings)
    open_clinic.ledger.findings.note(checked.findings)
    rows = [{"code": code, "findings": number} for code, number in by_code(checked.findings).items()]
    create_table_artifact(rows, key=key("findings", open_clinic.config.table.name), description=f"v{checked.version}")
    return held


@task(**OPTIONS)
def diagnose(config: str, checked: Held[CheckUp]) -> list[dict[str, Any]]:
    """The likely causes, shown beside the run."""
    causes = [c for c in checked.value.causes if c["cause"] != UNKNOWN]
    if causes:
        create_table_artifact(causes, key=key("causes", clinic(config).config.table.name))
    return causes
