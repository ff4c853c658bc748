"""What people and policy decide about a plan: approvals, rejections, and which steps may run now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mendory.asking.answer import (
    MOST_NAME,
    Answer,
    CodeState,
    Refusal,
    Word,
    code_of,
    concealed,
    covered,
    judge,
    named,
    note_of,
    plain,
)
from mendory.asking.codes import locked_until, matching_step
from mendory.automation import confirmed, halted
from mendory.clinic import Clinic, group_steps
from mendory.config import ApprovalSection
from mendory.errors import EmptyTargetSet, InputInvalid, PlanClosed, PlanNotFound
from mendory.ledger import Ledger
from mendory.ledger.answers import STANDS, Given
from mendory.ledger.approvers import Approver
from mendory.ledger.plans import PlanState
from mendory.plan.model import Group, Plan
from mendory.policy import Health, Ruling, Spent, Verdict, decide
from mendory.standing import settle
from mendory.text import shown


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
    clinic.ledger.once(lambda ledger: _reject(ledger, plan, _names(plan, groups), steps, by, because))
    return steps


def _reject(ledger: Ledger, plan: Plan, groups: Sequence[str], steps: Sequence[str], by: str, because: str) -> str:
    decision = ledger.decisions.record(plan.id, "reject", groups, steps, by, because, timedelta(0))
    mine = {s.finding_id for s in plan.steps() if s.id in steps}
    ledger.findings.dismiss(mine, f"rejected: {because}", by)
    ledger.choices.end(mine, by, f"rejected: {because}")
    end_steps(ledger, plan, steps, "rejected", by, because)
    if set(steps) == {s.id for s in plan.steps()}:
        ledger.plans.set_state(plan.id, PlanState.REJECTED)
    else:
        settle(ledger, plan.id)
    return decision


def end_steps(ledger: Ledger, plan: Plan, steps: Collection[str], outcome: str, by: str | None, because: str) -> None:
    """These steps have that outcome, and those that wait and require them are blocked: none runs, whoever approved."""
    ended = set(steps)
    why = "a step it requires was rejected" if outcome == "rejected" else "a step it requires runs no more"
    outcomes = ledger.plans.outcomes(plan.id)
    for step in plan.steps():
        if step.id in steps:
            ledger.plans.note(plan.id, step.id, outcome, by, because, None)
        elif set(step.requires) & ended and outcomes[step.id]["outcome"] is None:
            ledger.plans.note(plan.id, step.id, "blocked", None, why, None)
            ended.add(step.id)


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer: whether it stands, or why not, and the steps it decides on.

    `replayed` says that the round had been answered before; then this is what became of it then. `until` is when an
    approver who is locked out may give a code again.
    """

    stands: bool
    verdict: str
    why: Refusal | None
    steps: tuple[str, ...]
    replayed: bool
    until: datetime | None = None


def answer(clinic: Clinic, plan_id: str, given: Answer) -> Answered:
    """The answer of this round is recorded, once, and what it decides stands in the ledger; nothing was applied.

    A refused answer changes nothing but its own record, and the code it held is taken all the same: whoever reads it
    where the server keeps answers can't give it again. Raises LedgerCorrupt, with nothing recorded, when somebody
    wrote the ledger who is not Mendory.
    """
    return clinic.ledger.once(lambda ledger: _answer(ledger, clinic.config.approval, plan_id, given))


def _answer(ledger: Ledger, section: ApprovalSection, plan_id: str, given: Answer) -> Answered:
    ledger.verify()
    plan = _if_open(ledger, plan_id)
    before = ledger.answers.get(given.round)
    if before is not None:
        refused = None if before.stands else Refusal(before.outcome)
        return Answered(before.stands, before.verdict, refused, before.steps, replayed=True)
    now = ledger.clock()
    who = sender(ledger, section, given, now)
    why: Refusal | None = Refusal.PLAN_ENDED
    groups: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    decision = None
    if plan is not None:
        waiting = {s for s, o in ledger.plans.outcomes(plan_id).items() if o["outcome"] is None}
        why = judge(given, plan, waiting, who.known, who.enrolled, now, who.code, who.until is not None)
        steps = () if why else tuple(sorted(s.id for s in covered(given, plan, waiting)))
        groups = tuple(g.name for g in plan.groups if (g.name in named(given) if why else _holds(g, steps)))
        decision = _decided(ledger, section, plan, groups, steps, given) if steps else None
    ledger.answers.record(
        Given(
            given.round,
            plan_id,
            given.verdict if given.verdict in list(Word) else "unknown",
            groups,
            who.name,
            why.value if why else STANDS,
            steps,
            "" if why else note_of(given),
            given.given_at,
            now,
        ),
        decision,
        who.used,
    )
    return Answered(why is None, given.verdict, why, steps, False, who.until if why is Refusal.LOCKED else None)


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent an answer, as far as the ledger can tell.

    `known` may answer at all, `enrolled` for level 3. `code` is what became of the answer's code, `used` what it takes
    (approver's id, half minute), `until` is when a locked name may give a code again, `name` what is recorded.
    """

    known: frozenset[str]
    enrolled: frozenset[str]
    code: CodeState
    used: tuple[str, int] | None
    until: datetime | None
    name: str


def sender(ledger: Ledger, section: ApprovalSection, given: Answer, now: datetime) -> Sender:
    """Who sent the answer; nothing that it says of itself is believed."""
    enrolled = ledger.approvers.live()
    approver = enrolled.get(given.by)
    known = frozenset({*map(plain, section.approvers), *enrolled})
    code, used = _code(ledger, approver, given)
    until = lock_of(ledger, approver, now) if approver else None
    name = given.by if given.by in known else concealed(shown(given.by, MOST_NAME))
    return Sender(known, frozenset(enrolled), code, used, until, name)


def _if_open(ledger: Ledger, plan_id: str) -> Plan | None:
    return ledger.plans.load(plan_id) if ledger.plans.state(plan_id) is PlanState.OPEN else None


def _decided(
    ledger: Ledger, section: ApprovalSection, plan: Plan, groups: Sequence[str], steps: Sequence[str], given: Answer
) -> str:
    """The decision on these steps stands; returns its id."""
    note = note_of(given)
    if given.verdict == Word.REJECT:
        return _reject(ledger, plan, groups, steps, given.by, note)
    return ledger.decisions.record(plan.id, "approve", groups, steps, given.by, note, section.window)


def lock_of(ledger: Ledger, approver: Approver, now: datetime) -> datetime | None:
    """Until when the approver's codes are not looked at; None when they are. A new secret begins anew."""
    return locked_until(ledger.answers.times(approver.name, Refusal.CODE_WRONG, approver.at), now)


def _code(ledger: Ledger, approver: Approver | None, given: Answer) -> tuple[CodeState, tuple[str, int] | None]:
    """(what became of the answer's code, the code it takes); one not newer than the last taken counts as used."""
    code = code_of(given)
    if not code:
        return CodeState.NONE, None
    step = matching_step(approver.secret, code, given.given_at) if approver else None
    if approver is None or step is None:
        return CodeState.WRONG, None
    last = ledger.approvers.last_step(approver)
    if last is not None and step <= last:
        return CodeState.USED, None
    return CodeState.RIGHT, (approver.id, step)


def _holds(group: Group, steps: Collection[str]) -> bool:
    return any(s.id in steps for s in group.steps)


def check_name(by: str) -> None:
    """Return when a decision can be recorded under the name; else raise InputInvalid."""
    if not by.strip() or not by.isprintable():
        raise InputInvalid("A decision needs a name of printable characters. Nothing was recorded. Use --as NAME.")


def _target(clinic: Clinic, plan_id: str, groups: Sequence[str] | None, by: str) -> tuple[Plan, list[str]]:
    check_name(by)
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
    kept, stands = ledger.words.kept(), ledger.evidence.standings(config.rules.confirmed)
    return decide(plan, config.limits, confirmed(stands), approved, health, done, kept, halted(stands), spent(clinic))


def spent(clinic: Clinic) -> Spent | None:
    """What is used of the day's budget; None where no limits are configured."""
    return clinic.ledger.intents.spent(clinic.config.day_zone()) if clinic.config.limits else None


def suspended(rulings: Mapping[str, Ruling]) -> dict[str, int]:
    """Why steps are suspended → how many are."""
    return dict(Counter(r.reason for r in rulings.values() if r.verdict is Verdict.SUSPENDED).most_common())


def waits_for(clinic: Clinic, plan_id: str) -> dict[str, str]:
    """Step → why it does not run as ledger and configuration are now; nothing where the plan is not open."""
    if clinic.ledger.plans.state(plan_id) is not PlanState.OPEN:
        return {}
    rulings = rule(clinic, clinic.ledger.plans.load(plan_id))
    return {step: r.reason for step, r in rulings.items() if r.verdict is not Verdict.RUN}
