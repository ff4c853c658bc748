"""What a heal told: its findings, steps and questions, read from the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from demo.aftermath import Told
from mendory.clinic import Clinic


def outcomes(clinic: Clinic, plan_id: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Each step of the plan as JSON, and what became of it; "waits" where nothing did."""
    known = clinic.ledger.plans.outcomes(plan_id)
    for step in clinic.ledger.plans.load(plan_id).steps():
        yield step.as_json(), known[step.id]["outcome"] or "waits"


def heard(clinic: Clinic, plans: Sequence[str], causes: Sequence[Mapping[str, Any]]) -> Told:
    """What was told by these plans, with the causes that were named beside them."""
    ledger = clinic.ledger
    steps = [pair for plan_id in plans for pair in outcomes(clinic, plan_id)]
    found = [f.as_json() for f in ledger.findings.known({step["finding"] for step, _ in steps}).values()]
    found += [one for plan_id in plans for one in ledger.plans.context(plan_id)["unplanned"]]
    queue = ledger.findings.known([waits["finding_id"] for waits in ledger.findings.queued()])
    applied = [step for step, outcome in steps if outcome == "applied"]
    return Told(found, applied, [f.as_json() for f in queue.values()], causes)
