"""What is due: which open plans may run now, and which wait for a person's word."""

from __future__ import annotations

from datetime import datetime

from mendory.clinic import Clinic
from mendory.deciding import rule
from mendory.effect import cut_off
from mendory.executor.owner import executing
from mendory.ledger.plans import PlanState
from mendory.ledger.records import IntentState
from mendory.policy import Verdict


def open_plans(clinic: Clinic) -> dict[str, datetime]:
    """Plan id → when it was made, of the plans that are open, oldest first; asking makes no ledger."""
    ledger = clinic.known_ledger()
    plans = ledger.plans.all() if ledger else []
    opened = [p for p in reversed(plans) if p["state"] == PlanState.OPEN.value]
    return {p["id"]: datetime.fromisoformat(p["made_at"]) for p in opened}


def may_run(clinic: Clinic, plan_id: str) -> bool:
    """True when a word stands by which steps of the plan run now, or a run of it ended before it said what it did."""
    ledger = clinic.ledger
    if any(r.verdict is Verdict.RUN for r in rule(clinic, ledger.plans.load(plan_id)).values()):
        return True
    with executing(clinic.clock) as context:
        left = ledger.intents.in_state(IntentState.OPEN, plan_id=plan_id)
        abandoned = [i for i in left if not context.alive(i.owner, i.touched_at)]
        return bool(abandoned or cut_off(ledger, plan_id, context))


def waiting(clinic: Clinic) -> list[str]:
    """The ids of the open plans of which something runs only by a person's word, oldest first.

    What the day's budget has no room for is not among it: no word makes room, and tomorrow does.
    """
    return [
        plan_id
        for plan_id in open_plans(clinic)
        if any(
            r.verdict is not Verdict.RUN and not r.another_day
            for r in rule(clinic, clinic.ledger.plans.load(plan_id)).values()
        )
    ]
