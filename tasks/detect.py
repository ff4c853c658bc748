"""Detection and diagnosis as tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from prefect import task
from prefect.artifacts import create_table_artifact

from expectations import records, running
from mendory.checkup import CheckUp
from mendory.clinic import Clinic
from mendory.errors import CheckBroken
from mendory.finding import Code, Finding, Ring, by_code
from mendory.incremental import LAST
from tasks.shared import OPTIONS, clinic, key
from tasks.show import progress


@task(**OPTIONS)
def detect(config: str, full: bool) -> CheckUp:
    """What is wrong, found in every row or in what changed since the last check-up; the ledger knows each finding.

    Where every row was looked at, both ways of checking structure agree. The value stays in this process.
    """
    open_clinic = clinic(config)
    moment = open_clinic.clock()
    still = Clinic(open_clinic.config, lambda: moment)  # what lies in the future must be the same for both
    with progress(still, "detect"):
        checked = still.check(keep=True, since=None if full else LAST)
    if unchanged(checked):
        return checked
    if checked.basis.since is None:
        agree(still, checked.examination.findings)
    open_clinic.ledger.findings.note(checked.findings)
    rows = [{"code": code, "findings": number} for code, number in by_code(checked.findings).items()]
    create_table_artifact(rows, key=key("findings", open_clinic.config.table.name), description=f"v{checked.version}")
    return checked


def unchanged(checked: CheckUp) -> bool:
    """True when nobody wrote since the check-up before, so that all that is known still holds."""
    return checked.basis.since == checked.version


def agree(open_clinic: Clinic, findings: Iterable[Finding]) -> None:
    """Return when the suites fail exactly the rows the pure rules flag, and the ledger can take back what it applied.

    Else raise CheckBroken.
    """
    ledger, reader = open_clinic.known_ledger(), open_clinic.reader
    notes = ledger.asides.held() if ledger else {}
    fetch = open_clinic.view(reader).fetch
    told = running.judged(open_clinic.mapping, reader.batches(), fetch, open_clinic.settings, notes)
    pure, nameless = by_pure_rules(findings)
    differing = {code: told.failing.get(code, set()) ^ pure.get(code, set()) for code in told.failing.keys() | pure}
    worst = {code: len(ids) for code, ids in sorted(differing.items()) if ids}
    if nameless != told.nameless:
        worst[Code.MISSING_ID.value] = abs(nameless - told.nameless)
    if worst:
        codes = ", ".join(f"{code} ({rows})" for code, rows in worst.items())
        raise CheckBroken(
            f"The suites and the pure rules disagree on rows: {codes}. "
            "No plan was made. Report this with the version of great-expectations."
        )
    lost = records.incomplete(ledger) if ledger else []
    if lost:
        raise CheckBroken(
            f"{len(lost)} applied steps lack an image or a receipt in the ledger, first {lost[0][:8]}. "
            "No plan was made. Restore the ledger from a backup, or see them with: mendory show."
        )


def by_pure_rules(findings: Iterable[Finding]) -> tuple[dict[str, set[str]], int]:
    """(code → ids of the structural findings, how many rows have no id)."""
    found: dict[str, set[str]] = {}
    nameless = 0
    for one in findings:
        if one.code is Code.MISSING_ID:
            nameless = int(one.evidence["rows"])
        elif one.ring is Ring.STRUCTURE:
            found.setdefault(one.code.value, set()).update(one.ids)
    return found, nameless


@task(**OPTIONS)
def diagnose(config: str, checked: CheckUp) -> list[dict[str, Any]]:
    """The likely causes, shown beside the run."""
    causes = [c for c in checked.causes if c["attribute"]]
    if causes:
        create_table_artifact(causes, key=key("causes", clinic(config).config.table.name))
    return causes
