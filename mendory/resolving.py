"""Answers to findings that wait for people: recorded once, planned as that person says, taken back again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from mendory.catalogue import StepKind
from mendory.choices import Answer, Choice, check_answer
from mendory.clinic import Clinic
from mendory.deciding import approve, check_name, end_steps
from mendory.digest import row_digests
from mendory.errors import InputInvalid, MendoryError
from mendory.finding import Code, Finding
from mendory.incremental import LAST
from mendory.ledger import Ledger
from mendory.ledger.choices import Chosen
from mendory.plan.model import Plan
from mendory.plan.waiting import NOT_ASKED

OVER: Final = "its rows have changed since it was found, so it is over; the next check looks again"
"""Why an answer leads to no step, where the finding it was given to is not found any more."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The plan that does what was answered, its steps approved; None where nothing is to be done.

    `refused` says, by finding, why nothing follows from an answer; that answer stands no more.
    """

    plan: Plan | None
    steps: tuple[str, ...]
    refused: Mapping[str, str]


def finding_of(clinic: Clinic, name: str) -> Finding:
    """The noted finding whose id starts with `name`; raises InputInvalid for none or several."""
    found = clinic.ledger.findings.find(name)
    return clinic.ledger.findings.known([found])[found]


def answer(clinic: Clinic, name: str, given: Answer, by: str, because: str) -> Finding:
    """The answer to the finding stands and it waits for nobody, unless it was put off; nothing is planned yet.

    Rows that all stay are dismissed. Raises InputInvalid, with nothing recorded, when the answer does not fit, somebody
    has decided already, the finding is dismissed, or an open plan asks about it.
    """
    check_name(by)
    clinic.check_binding()
    finding = finding_of(clinic, name)
    check_answer(finding, given, clinic.clock())
    dismissed = given.choice is Choice.BOTH and finding.code is not Code.CONFLICT_EXCEPTION
    rows = clinic.reader.rows(list(finding.ids)) if dismissed else None

    def work(ledger: Ledger) -> None:
        ledger.choices.undecided(finding.id)
        _not_dismissed(ledger, finding.id)
        if given.decides:
            _overtake(ledger, finding)
        ledger.choices.record(finding.id, given, by, because)
        if rows is not None:
            ids = rows.column(clinic.reader.id_column).to_pylist()
            digests = dict(zip(ids, row_digests(rows, clinic.mapping.volatile), strict=True))
            ledger.words.dismiss(finding.id, because, by, digests)
        if given.decides:
            ledger.findings.settle(finding.id)

    clinic.ledger.once(work)
    return finding


def settle(clinic: Clinic, findings: Collection[Finding], by: str, because: str, approved: bool = True) -> Settled:
    """What was answered to these findings is planned, in one plan, and its steps are approved by that person.

    Where their word is not `approved`, as that of a form without a one-time code, the plan waits for one that is.

    An answer from which no step follows ends, and the finding waits again with the reason. Raises RehearsalFailed,
    with the answers ended, when the plan does not apply, verify and roll back cleanly.
    """
    given = clinic.ledger.choices.standing()
    mine = {f.id: f for f in findings if f.id in given and given[f.id].answer.decides}
    stay = {i for one in mine.values() if given[one.id].answer.choice is Choice.BOTH for i in one.ids}

    def wanted(found: Finding) -> bool:
        return found.id in mine or (found.code is Code.DISPUTE_OVER and stay.issuperset(found.ids))

    if not mine:
        return Settled(None, (), {})
    try:
        planned = clinic.plan(clinic.check(keep=True, since=LAST), wanted)
    except MendoryError as error:
        _withdraw(clinic.ledger, dict.fromkeys(mine, error.name), by)
        raise
    done = {s.finding_id for s in planned.plan.steps()} if planned.plan else set[str]()
    why = {u.finding.id: u.reason for u in planned.drafted.unplanned if u.reason != NOT_ASKED}
    dismissed = clinic.ledger.findings.dismissed()
    refused = {f: why.get(f, OVER) for f in mine if f not in done and f not in dismissed}
    _withdraw(clinic.ledger, refused, by)
    steps = approve(clinic, planned.plan.id, None, by, because) if planned.plan and approved else []
    return Settled(planned.plan, tuple(steps), refused)


def take_back(clinic: Clinic, name: str, by: str, because: str) -> Chosen:
    """The answer to the finding stands no more, it is dismissed no more, and no step of an open plan does it.

    Raises InputInvalid when nobody answered it, or what was answered is done already.
    """
    check_name(by)
    finding = finding_of(clinic, name)

    def work(ledger: Ledger) -> Chosen:
        held = ledger.choices.standing().get(finding.id)
        if held is None:
            raise InputInvalid(
                f"Nobody has answered finding {finding.id[:8]}. Nothing was recorded. See what waits: mendory review."
            )
        if done := ledger.plans.applied_for(finding.id, held.at):
            raise InputInvalid(
                f"What {held.by} decided about finding {finding.id[:8]} is done. Nothing was recorded. "
                f"To undo it: mendory rollback {done[0][:8]} --step {done[1][:8]} --as NAME."
            )
        ledger.choices.end([finding.id], by, because)
        if finding.id in ledger.words.dismissed():
            ledger.words.take_up(finding.id, because, by)
        _end_waiting(ledger, finding.id, "the answer was taken back")
        if held.answer.decides:
            ledger.findings.ask({finding.id: "an answer was taken back"})
        return held

    return clinic.ledger.once(work)


def _withdraw(ledger: Ledger, refused: Mapping[str, str], by: str) -> None:
    """The answers end and their findings wait again, each with why it could not be done; those that are over don't."""

    def work(within: Ledger) -> None:
        for finding, why in refused.items():
            within.choices.end([finding], by, why)
            if why != OVER:
                within.findings.ask({finding: why})

    ledger.once(work)


def _not_dismissed(ledger: Ledger, finding_id: str) -> None:
    why = ledger.findings.dismissed().get(finding_id)
    if why is not None:
        raise InputInvalid(
            f"Finding {finding_id[:8]} is dismissed ({why}). Nothing was recorded. "
            f"To take that back: mendory dismiss {finding_id[:8]} --undo --as NAME."
        )


def _overtake(ledger: Ledger, finding: Finding) -> None:
    """No open plan marks the rows as disputed any more; raises InputInvalid when one asks about more than that."""
    plan_id = ledger.plans.covered().get(finding.id)
    if plan_id is None:
        return
    mine = [s for s in ledger.plans.load(plan_id).steps() if s.finding_id == finding.id]
    if any(s.kind is not StepKind.MARK_DISPUTED for s in mine):
        raise InputInvalid(
            f"Finding {finding.id[:8]} is answered by the open plan {plan_id[:8]}. Nothing was recorded. Decide there: "
            f"mendory approve {plan_id[:8]} --as NAME, or mendory reject {plan_id[:8]} --as NAME."
        )
    _end_waiting(ledger, finding.id, "a person has decided")


def _end_waiting(ledger: Ledger, finding_id: str, because: str) -> None:
    """No step of an open plan about the finding runs any more."""
    plan_id = ledger.plans.covered().get(finding_id)
    if plan_id is not None:
        plan = ledger.plans.load(plan_id)
        steps = [s.id for s in plan.steps() if s.finding_id == finding_id]
        end_steps(ledger, plan, steps, "blocked", None, because)
        ledger.plans.close_if_settled(plan_id)
