"""Policy: which steps may run, by whose word, and which must wait. Decides on data, touches nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mendory.automation import subject_of
from mendory.catalogue import Level
from mendory.config import LimitsSection
from mendory.finding import AGED, Finding
from mendory.plan.model import Plan, Step

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class Verdict(StrEnum):
    """What policy says of a step."""

    RUN = "run"
    WAIT = "waits"
    SUSPENDED = "suspended"


class Authority(StrEnum):
    """By whose word a step runs."""

    AUTOMATIC = "automatic"
    RULE = "rule"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict on one step, by whose word it runs, and why it does not.

    `another_day` is true where only the day's budget is in the way: it runs tomorrow, and nobody need be asked.
    """

    verdict: Verdict
    by: Authority | None = None
    reason: str = ""
    approval: str | None = None
    another_day: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """How sick the table is: rows and rows with findings, in all and by scope."""

    rows: int
    sick: int
    scope_rows: Mapping[str, int]
    scope_sick: Mapping[str, int]

    @classmethod
    def of(cls, findings: Collection[Finding], rows: int, scope_rows: Mapping[str, int]) -> Health:
        """Counted from an examination; a row with several findings is one sick row, one that has only aged is none."""
        sick: dict[str, set[str]] = {}
        for finding in findings:
            if finding.code in AGED:
                continue
            sick.setdefault(finding.scope or "", set()).update(finding.ids)
        return cls(rows, len(set().union(*sick.values())), scope_rows, {s: len(ids) for s, ids in sick.items()})


@dataclass(frozen=True, slots=True)
class Spent:
    """How many rows were repaired on the day that the budget counts, as the ledger has it."""

    day: str
    rows: int

    def over(self, rows: int, most: int) -> str:
        """Why so many rows more have no room in the day's budget; empty where they have.

        >>> Spent("2025-03-01", 8).over(3, 10)
        '8 rows were repaired on 2025-03-01; 3 more exceed limits.repairs_per_day 10'
        >>> Spent("2025-03-01", 8).over(2, 10)
        ''
        """
        if self.rows + rows <= most:
            return ""
        return f"{self.rows} rows were repaired on {self.day}; {rows} more exceed limits.repairs_per_day {most}"


def decide(
    plan: Plan,
    limits: LimitsSection | None,
    confirmed: Collection[str],
    approved: Mapping[str, str],
    health: Health,
    done: Collection[str] = (),
    kept: Collection[str] = (),
    stopped: Mapping[str, str] = _NONE,
    spent: Spent | None = None,
) -> dict[str, Ruling]:
    """Step id → ruling, for every step of the plan that is not in `done`.

    What `stopped` names (rule, or kind of step where none confirms it → why) runs by a person's word alone.
    A step that would change a row in `kept` waits, whoever approved it: a person lets the row be as it is.
    `approved` maps step ids to the approval that covers them. Without limits nothing runs without a
    person. Limits are held over everything the run would change, indirect effects (re-pointed rows)
    included: above one, what it concerns is suspended, not cut down to fit. What the day's budget has no room for after
    what is `spent` of it waits for another day; a row that two groups change counts in both, as the ledger counts it.
    """
    rulings: dict[str, Ruling] = {}
    for step in plan.steps():
        if step.id not in done:
            rulings[step.id] = _kept(step, kept) or _authority(step, limits, confirmed, approved, stopped)
    if limits:
        sick = _sick_scopes(health, limits)
        for step in plan.steps():
            ruling = rulings.get(step.id)
            if ruling and ruling.verdict is Verdict.RUN and ruling.by is not Authority.PERSON:
                reason = sick.get(step.scope or "") or sick.get(None)
                if reason:
                    rulings[step.id] = Ruling(Verdict.SUSPENDED, None, reason)
        _follow(plan, rulings)  # what can't run anyway uses up no limit
        _hold_limits(plan, rulings, limits, health)
    _follow(plan, rulings)
    if limits and spent:
        _hold_day(plan, rulings, limits, spent)
    return rulings


def _kept(step: Step, kept: Collection[str]) -> Ruling | None:
    """The ruling on a step that would change rows a person keeps as they are."""
    rows = sorted(set(step.changed_ids) & set(kept))
    return Ruling(Verdict.WAIT, None, f"kept as it is by a person: {', '.join(rows)}") if rows else None


def _authority(
    step: Step,
    limits: LimitsSection | None,
    confirmed: Collection[str],
    approved: Mapping[str, str],
    stopped: Mapping[str, str],
) -> Ruling:
    if step.id in approved:
        return Ruling(Verdict.RUN, Authority.PERSON, approval=approved[step.id])
    if step.level is Level.PERSON:
        return Ruling(Verdict.WAIT, None, "level 3: only a person may let it run")
    if why := stopped.get(subject_of(step.kind, step.rule)):
        return Ruling(Verdict.WAIT, None, why)
    by_rule = step.level is Level.RULE_OR_PERSON
    if by_rule and step.rule is None:
        return Ruling(Verdict.WAIT, None, "no rule confirms such a step; a person may approve it")
    if by_rule and step.rule not in confirmed:
        return Ruling(Verdict.WAIT, None, f"rule {step.rule} is not confirmed; a person may approve it")
    if limits is None:
        return Ruling(Verdict.WAIT, None, "no limits are configured, so nothing runs without a person")
    return Ruling(Verdict.RUN, Authority.RULE if by_rule else Authority.AUTOMATIC)


def _sick_scopes(health: Health, limits: LimitsSection) -> dict[str | None, str]:
    """Scope → why its automatic repair stops; None stands for the whole table."""
    stopped: dict[str | None, str] = {}
    if health.sick > limits.min_rows and health.sick > limits.sick_share_table * health.rows:
        share = health.sick / health.rows
        stopped[None] = f"{share:.0%} of the table is sick, above limits.sick_share_table {limits.sick_share_table:.0%}"
    for scope, sick in health.scope_sick.items():
        rows = health.scope_rows.get(scope, 0)
        if rows and sick > limits.min_rows and sick > limits.sick_share_scope * rows:
            share = sick / rows
            stopped[scope] = (
                f"{share:.0%} of the scope is sick, above limits.sick_share_scope {limits.sick_share_scope:.0%}"
            )
    return stopped


def _hold_limits(plan: Plan, rulings: dict[str, Ruling], limits: LimitsSection, health: Health) -> None:
    running = [s for s in plan.steps() if s.id in rulings and rulings[s.id].verdict is Verdict.RUN]
    rows = len({i for s in running for i in s.changed_ids})
    if rows > limits.rows_per_run:
        reason = f"the run would change {rows} rows, above limits.rows_per_run {limits.rows_per_run}"
        _suspend(running, rulings, reason)
        return
    by_scope: Counter[str] = Counter()
    for scope, _ in {(s.scope or "", i) for s in running for i in s.changed_ids}:
        by_scope[scope] += 1
    for scope, changed in by_scope.items():
        rows = health.scope_rows.get(scope, 0)
        if changed > limits.min_rows and changed > limits.scope_share * rows:
            reason = (
                f"{changed} of the scope's {rows} rows would change, above limits.scope_share {limits.scope_share:.0%}"
            )
            _suspend([s for s in running if (s.scope or "") == scope], rulings, reason)


def _hold_day(plan: Plan, rulings: dict[str, Ruling], limits: LimitsSection, spent: Spent) -> None:
    running = [[s for s in g.steps if s.id in rulings and rulings[s.id].verdict is Verdict.RUN] for g in plan.groups]
    rows = sum(len({i for s in steps for i in s.changed_ids}) for steps in running)
    if why := spent.over(rows, limits.repairs_per_day):
        for step in (s for steps in running for s in steps):
            rulings[step.id] = Ruling(Verdict.SUSPENDED, None, why, another_day=True)


def _suspend(steps: Sequence[Step], rulings: dict[str, Ruling], reason: str) -> None:
    for step in steps:
        rulings[step.id] = Ruling(Verdict.SUSPENDED, None, reason)


def _follow(plan: Plan, rulings: dict[str, Ruling]) -> None:
    """A step waits when one it requires does."""
    for step in plan.steps():
        ruling = rulings.get(step.id)
        if ruling and ruling.verdict is Verdict.RUN:
            for needed in step.requires:
                if needed in rulings and rulings[needed].verdict is not Verdict.RUN:
                    rulings[step.id] = Ruling(rulings[needed].verdict, None, "a step it requires does not run")
