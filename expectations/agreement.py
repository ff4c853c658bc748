"""The suites and the pure rules hold each other to the same rows: two ways of checking that must not differ."""

from __future__ import annotations

from collections.abc import Iterable

from expectations import records, running
from mendory.clinic import Clinic
from mendory.errors import CheckBroken
from mendory.finding import Code, Finding, Ring


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
