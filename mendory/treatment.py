"""Treatment: a plan runs, is verified, and is taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mendory.clinic import Clinic
from mendory.deciding import approve, open_plan, reject, rule
from mendory.effect import check_effect, cut_off, findings_now, images_of
from mendory.errors import PlanNotFound, TableWentBack
from mendory.executor.execute import Context, Job, Result, execute
from mendory.executor.owner import executing
from mendory.executor.recover import Recovered, recover
from mendory.executor.rollback import RolledBack, rollback
from mendory.finding import Finding, by_code
from mendory.ledger.findings import problem_key
from mendory.ledger.plans import FAILED, PlanState
from mendory.ledger.records import Cap, IntentKind
from mendory.loops import archived_texts
from mendory.plan.model import Plan, Step
from mendory.policy import Ruling, Verdict
from mendory.record import Memory
from mendory.verify import Verdict as Verified
from mendory.work import Outcome, Unit, reshaped

__all__ = [
    "Ran",
    "Treated",
    "adopt",
    "apply",
    "approve",
    "close",
    "open_plan",
    "recover_all",
    "reject",
    "rule",
    "run",
    "shape",
    "take_back",
    "unjudged",
]


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
    columns since the plan.
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

    def outcomes(self) -> dict[str, int]:
        """How many steps had each outcome, waiting and suspended ones included."""
        counts = Counter(r.outcome.value for r in self.results)
        counts.update(r.verdict.value for r in self.rulings.values() if r.verdict is not Verdict.RUN)
        return dict(sorted(counts.items()))


def apply(clinic: Clinic, plan_id: str) -> Treated:
    """What policy lets run has run and is verified, each step with its outcome in the ledger.

    Level-1 steps that did not verify are taken back. What waits for a person still waits.
    Raises LedgerMismatch or TableWentBack, with nothing applied, when table and ledger don't belong together.
    """
    return close(clinic, run(clinic, plan_id))


def run(clinic: Clinic, plan_id: str) -> Ran:
    """What policy lets run has run, each step with its outcome in the ledger; see `apply`.

    A plan that ended meanwhile is none to run, unless something of it was applied and never judged: then only that.
    """
    clinic.check_binding()
    ledger = clinic.ledger
    ledger.verify()
    with executing(clinic.clock) as context:
        recovered = recover_all(clinic, context)
        applied = cut_off(ledger, plan_id, context)
        if applied and ledger.plans.state(plan_id) in (PlanState.DONE, PlanState.EXPIRED):
            plan, rulings = ledger.plans.load(plan_id), {}
        else:
            plan = open_plan(clinic, plan_id)
            rulings = rule(clinic, plan)
        if any(r.verdict is Verdict.RUN for r in rulings.values()) and clinic.writer.ledger_id() is None:
            clinic.writer.bind_ledger(ledger.id, None)
        results = _execute(clinic, plan, rulings, context)
    results = [*applied, *_refused(recovered, plan), *results]
    return Ran(plan, tuple(results), rulings, tuple(recovered), frozenset(r.unit.step_id for r in applied))


def _refused(recovered: Sequence[Recovered], plan: Plan) -> list[Result]:
    """What recovery could not apply of the plan, and will not be tried again."""
    mine = [one for one in recovered if one.intent.plan_id == plan.id and one.intent.kind is IntentKind.APPLY]
    return [r for one in mine for r in one.results if r.outcome not in (Outcome.APPLIED, Outcome.DEFERRED)]


def close(clinic: Clinic, ran: Ran) -> Treated:
    """The run is verified, recorded, and its plan closed when nothing of it waits."""
    ledger, plan = clinic.ledger, ran.plan
    done = {r.unit.step_id for r in ran.results if r.outcome is Outcome.APPLIED}
    said = ledger.plans.outcomes(plan.id)
    verdict, left = check_effect(clinic, [s for s in plan.steps() if s.id in done], ran.results)
    taken_back = _take_back(clinic, plan, verdict)
    if taken_back:
        left = findings_now(clinic)
    _ask_people(clinic, plan, verdict, taken_back)
    ledger.intents.forget_images(clinic.clock() - clinic.config.retention.images)
    state = ledger.plans.close_if_settled(plan.id)
    body = _run_body(ran, said, verdict, taken_back, left, clinic.writer.version)
    run_id = ledger.note_run("apply", plan.id, body)
    unknown = sum(o["outcome"] == Outcome.UNKNOWN.value for o in ledger.plans.outcomes(plan.id).values())
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
    )


def shape(clinic: Clinic, plan: Plan) -> str:
    """What became of the table's columns since the plan was made; empty when nothing did, or nobody knows."""
    return reshaped(plan.columns, clinic.writer.schema.names) if plan.columns else ""


def _execute(clinic: Clinic, plan: Plan, rulings: Mapping[str, Ruling], context: Context) -> list[Result]:
    ledger, limits = clinic.ledger, clinic.config.limits
    cap = Cap(limits.repairs_per_day, clinic.config.day_zone()) if limits else None
    earlier = ledger.plans.outcomes(plan.id)
    lost = {s for s, o in earlier.items() if o["outcome"] not in (None, Outcome.APPLIED.value, Outcome.DONE.value)}
    known, images = frozenset(plan.columns) or None, images_of(plan, clinic)
    results: list[Result] = []
    running = [s for s in plan.steps() if s.id in rulings and rulings[s.id].verdict is Verdict.RUN]
    held = _to_be_hidden(clinic, running)
    for group in plan.groups:
        units = tuple(
            Unit.of(
                s,
                problem_key(s.code, s.row_ids),
                rulings[s.id].approval,
                _word(rulings[s.id]),
                known,
                archived_texts([held[i] for i in s.hidden_ids if i in held]),
            )
            for s in group.steps
            if s in running
        )
        job = Job(IntentKind.APPLY, plan.id, group.name, units, cap, images=images)
        got = execute(job, clinic.writer, ledger, context, lost)
        for result in got:
            _note(clinic, plan.id, result)
        results += got
    return results


def _to_be_hidden(clinic: Clinic, steps: Sequence[Step]) -> Mapping[str, Memory]:
    """The memories that leave recall by these steps, as they are now: where one is another, its step is refused."""
    ids = sorted({i for s in steps for i in s.hidden_ids})
    if not ids:
        return {}
    clinic.writer.refresh()
    return clinic.writer.fetch(ids)


def _word(ruling: Ruling) -> str | None:
    return ruling.by.value if ruling.by else None


def _note(clinic: Clinic, plan_id: str, result: Result) -> None:
    """Refusals are noted; what was applied, its receipt has noted already."""
    if result.outcome in (Outcome.STALE, Outcome.BLOCKED, Outcome.UNKNOWN):
        clinic.ledger.plans.note(plan_id, result.unit.step_id, result.outcome.value, None, result.reason, result.rid)


def recover_all(clinic: Clinic, context: Context) -> list[Recovered]:
    """Every abandoned intent is settled and its steps' outcomes are noted."""
    last = clinic.ledger.intents.last_receipt()
    latest = clinic.writer.latest()
    if last is not None and last.version is not None and latest < last.version:
        raise TableWentBack(
            f"The table is at version {latest}, but repair {last.rid[:8]} was applied at {last.version}: its newest "
            "versions are lost. Nothing was applied. Restore the table's files, or accept it as it is: "
            "mendory recover --adopt --as NAME."
        )
    recovered = recover(clinic.writer, clinic.ledger, context)
    for one in recovered:
        if one.intent.plan_id and one.intent.kind is IntentKind.APPLY:
            for result in one.results:
                _note(clinic, one.intent.plan_id, result)
    return recovered


def unjudged(clinic: Clinic, context: Context) -> list[str]:
    """The codes of plans of which something was applied and never verified: 'apply' verifies it."""
    states = (PlanState.OPEN.value, PlanState.DONE.value, PlanState.EXPIRED.value)
    plans = [p["id"] for p in clinic.ledger.plans.all() if p["state"] in states]
    return [p[:8] for p in plans if cut_off(clinic.ledger, p, context)]


def adopt(clinic: Clinic, by: str) -> None:
    """A person accepts the table as it is: it is bound to this ledger, and earlier repairs bind nothing any more."""
    clinic.ledger.adopt(by)
    clinic.writer.bind_ledger(clinic.ledger.id, clinic.writer.ledger_id())


def _take_back(clinic: Clinic, plan: Plan, verdict: Verified) -> tuple[str, ...]:
    """Failed level-1 steps take themselves back; at levels 2 and 3 a person is asked to."""
    failed = [s.id for s in plan.steps() if s.id in verdict.failed_steps and s.level == 1]
    if not failed:
        return ()
    with executing(clinic.clock) as context:
        undone = rollback(plan.id, failed, None, clinic.writer, clinic.ledger, context)
    return undone.step_ids


def _ask_people(clinic: Clinic, plan: Plan, verdict: Verified, taken_back: Collection[str]) -> None:
    """Steps that did not verify and stay: their rollback is proposed to a person."""
    asked = {}
    for step in plan.steps():
        if step.id in verdict.failed_steps and step.id not in taken_back:
            asked[step.finding_id] = f"it did not verify: mendory rollback {plan.code} --step {step.id[:8]}"
            clinic.ledger.plans.note(plan.id, step.id, FAILED, None, asked[step.finding_id], None)
    clinic.ledger.findings.ask(asked)


def take_back(
    clinic: Clinic,
    plan_id: str,
    by: str,
    group: str | None = None,
    step: str | None = None,
    row: str | None = None,
) -> RolledBack:
    """The plan, or one group, step or row of it, is rolled back; what a person takes back is dismissed.

    Rows changed since by others are skipped and listed.
    """
    clinic.check_binding()
    ledger = clinic.ledger
    ledger.verify()
    plan = ledger.plans.load(plan_id)
    steps = _chosen(plan, group, step)
    with executing(clinic.clock) as context:
        recover_all(clinic, context)
        undone = rollback(plan.id, steps, row, clinic.writer, ledger, context, by)
    left = findings_now(clinic)
    taken = [s for s in plan.steps() if s.id in undone.step_ids]
    _dismiss_what_is_left(clinic, taken, left, by)
    ledger.choices.end({s.finding_id for s in taken}, by, "rolled back")
    standing = (None, Outcome.APPLIED.value, FAILED)
    stands = [o for o in ledger.plans.outcomes(plan.id).values() if o["outcome"] in standing]
    if not stands and ledger.plans.state(plan.id) in (PlanState.OPEN, PlanState.DONE):
        ledger.plans.set_state(plan.id, PlanState.ROLLED_BACK)
    ledger.note_run(
        "rollback",
        plan.id,
        {
            "by": by,
            "restored": len(undone.restored),
            "skipped": [list(s) for s in undone.skipped],
            "left": by_code(left),
        },
    )
    return undone


def _dismiss_what_is_left(clinic: Clinic, steps: Sequence[Step], left: Collection[Finding], by: str) -> None:
    """The same problem on the same rows as it stands now, for instance after one row of a merge was taken back."""
    mine = {problem_key(s.code, s.row_ids) for s in steps}
    same = [f.id for f in left if problem_key(f.code.value, f.ids) in mine]
    clinic.ledger.findings.dismiss(same, "rolled back", by)


def _chosen(plan: Plan, group: str | None, step: str | None) -> list[str] | None:
    if group is None and step is None:
        return None
    chosen = [
        s.id
        for g in plan.groups
        for s in g.steps
        if (group is None or g.name == group) and (step is None or s.id.startswith(step))
    ]
    if not chosen or (step is not None and len(chosen) > 1):
        what = f"group {group}" if step is None else f"step {step}"
        problem = "several steps named" if chosen else "no"
        raise PlanNotFound(
            f"Plan {plan.code} has {problem} {what}. Nothing was rolled back. Run 'mendory show {plan.code}'."
        )
    return chosen


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
