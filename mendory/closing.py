"""The end of a run: what it did is judged, what failed is taken back or asked for, and the plan's state follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mendory.clinic import Clinic
from mendory.effect import check_effect, findings_now
from mendory.events import OWN, Happened
from mendory.executor.execute import Result
from mendory.executor.owner import executing
from mendory.executor.recover import Recovered
from mendory.executor.rollback import rollback
from mendory.finding import Finding, by_code
from mendory.ledger import Ledger
from mendory.ledger.plans import FAILED, PlanState
from mendory.plan.model import Plan
from mendory.policy import Ruling, Verdict
from mendory.proven import Repaired, repaired
from mendory.standing import settle
from mendory.verify import Check
from mendory.verify import Verdict as Verified
from mendory.work import Outcome, reshaped

WHOLE: Final = "repaired_memories_whole"
"""The check that a sample of the repaired memories is whole."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did before it is verified: results and rulings by step, and what was recovered first.

    What a run that was cut off applied of the plan, and nobody judged, is among the results: its steps are `earlier`.
    """

    plan: Plan
    results: tuple[Result, ...]
    rulings: Mapping[str, Ruling]
    recovered: tuple[Recovered, ...]
    earlier: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Treated:
    """What a run did: results and rulings by step, the verdict, what was recovered and rolled back by itself.

    `earlier` are the steps among the results that recovery found applied, `shape` is what became of the table's
    columns since the plan, `asked` what is proposed to a person of what did not verify and stands.
    """

    plan: Plan
    results: tuple[Result, ...]
    rulings: Mapping[str, Ruling]
    verdict: Verified
    recovered: tuple[Recovered, ...]
    taken_back: tuple[str, ...]
    state: PlanState
    run: str
    unknown: int = 0
    earlier: frozenset[str] = frozenset()
    shape: str = ""
    asked: tuple[str, ...] = ()

    def outcomes(self) -> dict[str, int]:
        """How many steps had each outcome, waiting and suspended ones included."""
        counts = Counter(r.outcome.value for r in self.results)
        counts.update(r.verdict.value for r in self.rulings.values() if r.verdict is not Verdict.RUN)
        return dict(sorted(counts.items()))


def close(clinic: Clinic, ran: Ran) -> Treated:
    """The run is verified and recorded; what failed at level 1 is taken back row by row, the rest proposed to a person.

    The plan is closed when nothing of it waits: as done only when all its checks passed. Record, outcomes, queue and
    state are one transaction: a run that is cut off before it is judged anew by the next.
    """
    ledger, plan = clinic.ledger, ran.plan
    applied = [r for r in ran.results if r.outcome is Outcome.APPLIED]
    done = {r.unit.step_id for r in applied}
    said = ledger.plans.outcomes(plan.id)
    verdict, left = check_effect(clinic, [s for s in plan.steps() if s.id in done], ran.results)
    sample = repaired(clinic, plan, ledger.intents.standing(plan.id)) if applied else ()
    if applied:
        verdict = _with_sample(verdict, [one for one in sample if one.rid in {r.rid for r in applied}])
    taken_back = _take_back(clinic, plan, verdict)
    if taken_back:
        left = findings_now(clinic)
    ledger.intents.forget_images(clinic.clock() - clinic.config.retention.images)
    body = _run_body(ran, said, verdict, taken_back, left, clinic.writer.version)
    body["sample"] = [one.as_json() for one in sample]

    def record(ledger: Ledger) -> tuple[str, PlanState]:
        if applied:
            ledger.events.note(Happened.PLAN_APPLIED, OWN, {"plan": plan.id, "steps": len(done)})
        return ledger.note_run("apply", plan.id, body), settle(ledger, plan.id)

    run_id, state = ledger.once(record)
    became = ledger.plans.outcomes(plan.id).values()
    unknown = sum(o["outcome"] == Outcome.UNKNOWN.value for o in became)
    asked = dict.fromkeys(str(o["reason"]) for o in became if o["outcome"] == FAILED)
    return Treated(
        plan,
        ran.results,
        ran.rulings,
        verdict,
        ran.recovered,
        taken_back,
        state,
        run_id,
        unknown,
        ran.earlier,
        shape(clinic, plan),
        tuple(asked),
    )


def _with_sample(verdict: Verified, sample: Sequence[Repaired]) -> Verified:
    """The verdict with the proof of the sample; rows that others wrote since are neither proven nor lacking."""
    proven = [one for one in sample if not one.changed_since]
    lacking = [one for one in proven if not one.whole]
    check = Check(WHOLE, len(proven), tuple(one.row for one in lacking))
    return verdict.with_check(check, {(one.steps[-1], one.row) for one in lacking})


def _take_back(clinic: Clinic, plan: Plan, verdict: Verified) -> tuple[str, ...]:
    """The rows in which level-1 steps failed are as before, where nobody wrote them since; returns those steps."""
    failed = {s.id for s in plan.steps() if s.id in verdict.failed_steps and s.level == 1}
    named = {step for step, _ in verdict.failed_rows}
    pairs = {
        (p.step_id, p.row_id)
        for p in (clinic.ledger.intents.standing(plan.id) if failed else ())
        if p.step_id in failed and (p.step_id not in named or (p.step_id, p.row_id) in verdict.failed_rows)
    }
    if not pairs:
        return ()
    with executing(clinic.clock) as context:
        return rollback(plan.id, None, None, clinic.writer, clinic.ledger, context, only=pairs).step_ids


def shape(clinic: Clinic, plan: Plan) -> str:
    """What became of the table's columns since the plan was made; empty when nothing did, or nobody knows."""
    return reshaped(plan.columns, clinic.writer.schema.names) if plan.columns else ""


def _run_body(
    ran: Ran,
    said: Mapping[str, Mapping[str, Any]],
    verdict: Verified,
    taken_back: Collection[str],
    left: Collection[Finding],
    version: int,
) -> dict[str, Any]:
    applied = [r for r in ran.results if r.outcome is Outcome.APPLIED]
    authority = Counter(by for r in applied if (by := said[r.unit.step_id]["authority"]))
    return {
        "outcomes": dict(Counter(r.outcome.value for r in ran.results)),
        "authority": dict(authority),
        "waiting": {s: r.reason for s, r in ran.rulings.items() if r.verdict is not Verdict.RUN},
        "reasons": {r.unit.step_id: r.reason for r in ran.results if r.reason},
        "verdict": verdict.as_json(),
        "taken_back": list(taken_back),
        "repairs": sorted({r.rid for r in applied if r.rid}),
        "recovered": sum(len(r.results) for r in ran.recovered),
        "left": by_code(left),
        "version": version,
    }
