"""What people and policy decide about a plan: approvals, rejections, and which steps may run now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mendory.clinic import Clinic, group_steps
from mendory.errors import EmptyTargetSet, InputInvalid, PlanClosed, PlanNotFound
from mendory.ledger.plans import PlanState
from mendory.plan.model import Plan
from mendory.policy import Health, Ruling, decide


def approve(
    clinic: Clinic, plan_id: str, groups: Sequence[str] | None, by: str, note: str = "", window: timedelta | None = None
) -> list[str]:
    """A person's approval of these groups (all when None) stands in the ledger; returns the step ids."""
    plan, steps = _target(clinic, plan_id, groups, by)
    clinic.ledger.decisions.record(
        plan.id, "approve", _names(plan, groups), steps, by, note, window or clinic.config.approval.window
    )
    return steps


def reject(clinic: Clinic, plan_id: str, groups: Sequence[str] | None, by: str, because: str) -> list[str]:
    """A person's rejection stands in the ledger; its findings are dismissed, its steps and their dependants ended."""
    plan, steps = _target(clinic, plan_id, groups, by)
    ledger = clinic.ledger
    ledger.decisions.record(plan.id, "reject", _names(plan, groups), steps, by, because, timedelta(0))
    ledger.findings.dismiss({s.finding_id for s in plan.steps() if s.id in steps}, f"rejected: {because}", by)
    ended = set(steps)
    outcomes = ledger.plans.outcomes(plan.id)
    for step in plan.steps():
        if step.id in steps:
            ledger.plans.note(plan.id, step.id, "rejected", by, because, None)
        elif set(step.requires) & ended and outcomes[step.id]["outcome"] is None:
            ledger.plans.note(plan.id, step.id, "blocked", None, "a step it requires was rejected", None)
            ended.add(step.id)
    if set(steps) == {s.id for s in plan.steps()}:
        ledger.plans.set_state(plan.id, PlanState.REJECTED)
    else:
        ledger.plans.close_if_settled(plan.id)
    return steps


def _target(clinic: Clinic, plan_id: str, groups: Sequence[str] | None, by: str) -> tuple[Plan, list[str]]:
    if not by.strip() or not by.isprintable():
        raise InputInvalid("A decision needs a name of printable characters. Nothing was recorded. Use --as NAME.")
    plan = open_plan(clinic, plan_id)
    unknown = sorted(set(groups or ()) - {g.name for g in plan.groups})
    if unknown:
        raise PlanNotFound(
            f"Plan {plan.code} has no group {', '.join(unknown)}. Nothing was recorded. "
            f"Its groups are {', '.join(g.name for g in plan.groups)}."
        )
    if groups is not None and not groups:
        raise EmptyTargetSet("No group was named. Nothing was recorded. Name groups, or leave --groups out for all.")
    waiting = clinic.ledger.plans.outcomes(plan.id)
    steps = [s for s in group_steps(plan, groups) if waiting[s]["outcome"] is None]
    if not steps:
        raise PlanClosed(f"Nothing in these groups of plan {plan.code} waits. Nothing was recorded.")
    return plan, steps


def _names(plan: Plan, groups: Sequence[str] | None) -> list[str]:
    return [g.name for g in plan.groups if groups is None or g.name in groups]


def open_plan(clinic: Clinic, plan_id: str) -> Plan:
    """The plan, when it is open; raises PlanClosed otherwise."""
    state = clinic.ledger.plans.state(plan_id)
    if state is not PlanState.OPEN:
        raise PlanClosed(f"Plan {plan_id[:8]} is {state.value}. Nothing was done. Run 'mendory plan' for a new one.")
    return clinic.ledger.plans.load(plan_id)


def rule(clinic: Clinic, plan: Plan) -> dict[str, Ruling]:
    """Policy's ruling on every step that has no outcome yet."""
    ledger, config = clinic.ledger, clinic.config
    done = {s for s, o in ledger.plans.outcomes(plan.id).items() if o["outcome"] is not None}
    health = Health(**ledger.plans.context(plan.id)["health"])
    approved = ledger.decisions.approved(plan.id)
    return decide(plan, config.limits, config.rules.confirmed, approved, health, done)
