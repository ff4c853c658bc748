"""Treatment: what people decide about a plan, and letting it run, be verified, and be taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mendory import digest
from mendory.clinic import Clinic, group_steps
from mendory.detect import examine
from mendory.errors import EmptyTargetSet, InputInvalid, PlanClosed, PlanNotFound, TableWentBack
from mendory.executor.execute import Context, Job, Result, execute
from mendory.executor.owner import executing
from mendory.executor.recover import Recovered, recover
from mendory.executor.rollback import RolledBack, rollback
from mendory.finding import Finding, by_code
from mendory.ledger.findings import problem_key
from mendory.ledger.plans import FAILED, PlanState
from mendory.ledger.records import Cap, IntentKind
from mendory.plan.model import Plan, Step
from mendory.policy import Health, Ruling, Verdict, decide
from mendory.verify import Verdict as Verified
from mendory.verify import verify
from mendory.work import Outcome, Unit


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did before it is verified: results and rulings by step, and what was recovered first."""

    plan: Plan
    results: tuple[Result, ...]
    rulings: Mapping[str, Ruling]
    recovered: tuple[Recovered, ...]


@dataclass(frozen=True, slots=True)
class Treated:
    """What a run did: results and rulings by step, the verdict, what was recovered and rolled back by itself."""

    plan: Plan
    results: tuple[Result, ...]
    rulings: Mapping[str, Ruling]
    verdict: Verified
    recovered: tuple[Recovered, ...]
    taken_back: tuple[str, ...]
    state: PlanState
    run: str
    unknown: int = 0

    def outcomes(self) -> dict[str, int]:
        """How many steps had each outcome, waiting and suspended ones included."""
        counts = Counter(r.outcome.value for r in self.results)
        counts.update(r.verdict.value for r in self.rulings.values() if r.verdict is not Verdict.RUN)
        return dict(sorted(counts.items()))


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


def apply(clinic: Clinic, plan_id: str) -> Treated:
    """What policy lets run has run and is verified, each step with its outcome in the ledger.

    Level-1 steps that did not verify are taken back. What waits for a person still waits.
    Raises LedgerMismatch or TableWentBack, with nothing applied, when table and ledger don't belong together.
    """
    return close(clinic, run(clinic, plan_id))


def run(clinic: Clinic, plan_id: str) -> Ran:
    """What policy lets run has run, each step with its outcome in the ledger; see `apply`."""
    clinic.check_binding()
    ledger = clinic.ledger
    ledger.verify()
    with executing(clinic.clock) as context:
        recovered = recover_all(clinic, context)
        plan = open_plan(clinic, plan_id)
        rulings = rule(clinic, plan)
        if any(r.verdict is Verdict.RUN for r in rulings.values()) and clinic.writer.ledger_id() is None:
            clinic.writer.bind_ledger(ledger.id)
        results = _execute(clinic, plan, rulings, context)
    return Ran(plan, tuple(results), rulings, tuple(recovered))


def close(clinic: Clinic, ran: Ran) -> Treated:
    """The run is verified, recorded, and its plan closed when nothing of it waits."""
    ledger, plan = clinic.ledger, ran.plan
    done = {r.unit.step_id for r in ran.results if r.outcome is Outcome.APPLIED}
    verdict, left = check_effect(clinic, [s for s in plan.steps() if s.id in done], ran.results)
    taken_back = _take_back(clinic, plan, verdict)
    _ask_people(clinic, plan, verdict, taken_back)
    ledger.intents.forget_images(clinic.clock() - clinic.config.retention.images)
    state = ledger.plans.close_if_settled(plan.id)
    run_id = ledger.note_run("apply", plan.id, _run_body(ran, verdict, taken_back, left, clinic.writer.version))
    unknown = sum(o["outcome"] == Outcome.UNKNOWN.value for o in ledger.plans.outcomes(plan.id).values())
    return Treated(plan, ran.results, ran.rulings, verdict, ran.recovered, taken_back, state, run_id, unknown)


def _execute(clinic: Clinic, plan: Plan, rulings: Mapping[str, Ruling], context: Context) -> list[Result]:
    ledger, limits = clinic.ledger, clinic.config.limits
    cap = Cap(limits.repairs_per_day, clinic.config.day_zone()) if limits else None
    earlier = ledger.plans.outcomes(plan.id)
    lost = {s for s, o in earlier.items() if o["outcome"] not in (None, Outcome.APPLIED.value, Outcome.DONE.value)}
    results: list[Result] = []
    for group in plan.groups:
        units = tuple(
            Unit.of(s, problem_key(s.code, s.row_ids), rulings[s.id].approval, _word(rulings[s.id]))
            for s in group.steps
            if s.id in rulings and rulings[s.id].verdict is Verdict.RUN
        )
        got = execute(Job(IntentKind.APPLY, plan.id, group.name, units, cap), clinic.writer, ledger, context, lost)
        for result in got:
            _note(clinic, plan.id, result)
        results += got
    return results


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


def adopt(clinic: Clinic, by: str) -> None:
    """A person accepts the table as it is: it is bound to this ledger, and earlier repairs bind nothing any more."""
    clinic.ledger.adopt(by)
    clinic.writer.bind_ledger(clinic.ledger.id)


def check_effect(
    clinic: Clinic, applied: Sequence[Step], results: Sequence[Result]
) -> tuple[Verified, tuple[Finding, ...]]:
    """The verdict on what was just applied (rows, problems, rows outside the plan), and all findings now."""
    writer = clinic.writer
    newest = writer.refresh()
    view = clinic.view(writer)
    findings = examine(view.scan(), view.fetch, clinic.settings).findings
    ids = sorted({i for s in applied for i in s.row_ids})
    if not ids:
        return Verified(()), findings
    versions = sorted({r.version for r in results if r.version is not None})
    ours = [writer.changes_at(v) for v in versions]
    outside = None if any(c.full for c in ours) else {i for c in ours for i in c.ids | c.gone} - set(ids)
    theirs = [writer.changes_at(v) for v in range(versions[0], newest + 1) if v not in versions]
    foreign = set(ids) if any(c.full for c in theirs) else {i for c in theirs for i in c.ids | c.gone}
    rows = writer.rows(ids)
    names = rows.column(writer.id_column).to_pylist()
    now = dict(zip(names, digest.row_digests(rows, writer.volatile), strict=True))
    return verify(applied, now, foreign & set(ids), findings, outside), findings


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
    _dismiss_what_is_left(clinic, [s for s in plan.steps() if s.id in undone.step_ids], by)
    standing = (None, Outcome.APPLIED.value, FAILED)
    left = [o for o in ledger.plans.outcomes(plan.id).values() if o["outcome"] in standing]
    if not left and ledger.plans.state(plan.id) in (PlanState.OPEN, PlanState.DONE):
        ledger.plans.set_state(plan.id, PlanState.ROLLED_BACK)
    ledger.note_run(
        "rollback",
        plan.id,
        {"by": by, "restored": len(undone.restored), "skipped": [list(s) for s in undone.skipped]},
    )
    return undone


def _dismiss_what_is_left(clinic: Clinic, steps: Sequence[Step], by: str) -> None:
    """The same problem on the same rows as it stands now, for instance after one row of a merge was taken back."""
    clinic.writer.refresh()
    mine = {problem_key(s.code, s.row_ids) for s in steps}
    view = clinic.view(clinic.writer)
    seen = examine(view.scan(), view.fetch, clinic.settings).findings
    same = [f.id for f in seen if problem_key(f.code.value, f.ids) in mine]
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
    ran: Ran, verdict: Verified, taken_back: Collection[str], left: Collection[Finding], version: int
) -> dict[str, Any]:
    authority = Counter(
        by.value for r in ran.results if r.outcome is Outcome.APPLIED and (by := ran.rulings[r.unit.step_id].by)
    )
    return {
        "outcomes": dict(Counter(r.outcome.value for r in ran.results)),
        "authority": dict(authority),
        "waiting": {s: r.reason for s, r in ran.rulings.items() if r.verdict is not Verdict.RUN},
        "reasons": {r.unit.step_id: r.reason for r in ran.results if r.reason},
        "verdict": verdict.as_json(),
        "taken_back": list(taken_back),
        "recovered": sum(len(r.results) for r in ran.recovered),
        "left": by_code(left),
        "version": version,
    }
