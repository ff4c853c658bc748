"""Treatment: a plan runs, is verified, and is taken back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mendory.clinic import Clinic
from mendory.closing import Ran, Treated, close, shape
from mendory.deciding import approve, open_plan, reject, rule
from mendory.effect import cut_off, findings_now, images_of
from mendory.errors import PlanNotFound, TableWentBack
from mendory.events import Happened
from mendory.executor.execute import Context, Job, Result, execute
from mendory.executor.owner import executing
from mendory.executor.recover import Recovered, recover
from mendory.executor.rollback import RolledBack, rollback
from mendory.finding import Finding, by_code
from mendory.ledger import Ledger
from mendory.ledger.findings import problem_key
from mendory.ledger.plans import PlanState
from mendory.ledger.records import Cap, IntentKind
from mendory.loops import archived_texts
from mendory.plan.model import Plan, Step
from mendory.policy import Ruling, Verdict
from mendory.record import Memory
from mendory.standing import settle
from mendory.work import Outcome, Unit

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

_ENDED = (PlanState.DONE, PlanState.FAILED, PlanState.CORRECTED, PlanState.EXPIRED)
"""States of a plan of which something may stand that nobody has judged."""


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
        if applied and ledger.plans.state(plan_id) in _ENDED:
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
    plans = [p["id"] for p in clinic.ledger.plans.all() if p["state"] in (PlanState.OPEN, *_ENDED)]
    return [p[:8] for p in plans if cut_off(clinic.ledger, p, context)]


def adopt(clinic: Clinic, by: str) -> None:
    """A person accepts the table as it is: it is bound to this ledger, and earlier repairs bind nothing any more."""
    clinic.ledger.adopt(by)
    clinic.writer.bind_ledger(clinic.ledger.id, clinic.writer.ledger_id())


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
    body = {
        "by": by,
        "restored": len(undone.restored),
        "skipped": [list(s) for s in undone.skipped],
        "left": by_code(left),
    }

    def record(ledger: Ledger) -> None:
        ledger.note_run("rollback", plan.id, body)
        if undone.restored:
            ledger.events.note(Happened.ROLLED_BACK, by, {"plan": plan.id, "rows": len(undone.restored)})
        settle(ledger, plan.id)

    ledger.once(record)
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
