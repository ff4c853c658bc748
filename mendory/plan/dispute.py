"""Marks of a dispute: both sides stay and are recalled, each labelled with the other, until somebody has decided."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from mendory.catalogue import StepKind
from mendory.conflicts import Abstention
from mendory.finding import Finding
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.plan.merge import hidden_meanwhile
from mendory.plan.supersede import OTHER_SCOPE, freed
from mendory.record import Memory, Status

WHY: Final[Mapping[Abstention, str]] = MappingProxyType(
    {
        Abstention.NONE_NARROWER: "neither is narrower",
        Abstention.OTHER_SCOPE: "they are of two scopes",
        Abstention.USER_AGAINST_AUTHORITY: "the user against an authority",
        Abstention.NO_TIME: "a time is missing",
        Abstention.AHEAD_OF_CLOCK: "a time is in the future",
        Abstention.SAME_TIME: "their times are one",
        Abstention.CHANGED_SINCE: "the earlier one was changed since",
        Abstention.CONFIRMED_SINCE: "the earlier one was confirmed since",
        Abstention.ONE_BATCH: "one import batch",
        Abstention.UNKNOWN_SOURCE: "a source is unknown",
        Abstention.LESS_SURE: "the later source is less sure",
        Abstention.EQUALLY_SURE: "both sources are equally sure",
        Abstention.NOT_THE_USER: "not both are the user's words",
        Abstention.NO_AUTHORITY: "neither source is an authority",
        Abstention.BOTH_AUTHORITIES: "both sources are authorities",
    }
)
"""Why a rule does not decide, as a person reads it."""


def undecided(finding: Finding) -> str:
    """Why a conflict is a person's: each rule that was asked, with why it does not decide."""
    said = [f"{rule} ({WHY[Abstention(why)]})" for rule, why in finding.evidence.get("abstained", {}).items()]
    return f"no rule decides: {', '.join(said)}" if said else "no rule decides: none is configured"


def mark_disputed(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that marks both sides as disputed with each other; the finding is a person's all the same.

    A row that its owner has set to pending_review stays as he set it. Unplanned alone where both are marked already,
    where they are of two scopes, or another step hides one.
    """
    why = undecided(finding)
    members = list(at.look(finding.ids).values())
    if hidden := hidden_meanwhile(finding, members, at):
        return [Unplanned(finding, hidden)]
    if len({m.scope for m in members}) > 1:
        return [Unplanned(finding, OTHER_SCOPE)]
    names = [str(m.id) for m in members]
    changes = {str(m.id): made for m in members if (made := _marked(m, [n for n in names if n != m.id]))}
    if not changes:
        return [Unplanned(finding, f"marked as disputed; {why}")]
    detail = {
        "disputed": names,
        "rollback": [{"id": str(m.id), "status": m.status} for m in members if str(m.id) in changes],
    }
    reason = f"mark {' and '.join(names)} as disputed; both stay"
    return [
        Draft(StepKind.MARK_DISPUTED, finding, reason, changes, detail, holds=tuple(names)),
        Unplanned(finding, why),
    ]


def _marked(memory: Memory, others: list[str]) -> dict[str, Any]:
    """The changes by which the memory is disputed with the others."""
    known = memory.kept.disputed_with
    if set(others) <= set(known):
        return {}
    changes: dict[str, Any] = {"disputed_with": tuple(dict.fromkeys([*known, *others]))}
    if memory.status != Status.PENDING_REVIEW and not memory.kept.marked:
        changes |= {"status": Status.PENDING_REVIEW.value, "marked": True}
    return changes


def lift_mark(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that ends a row's dispute with those it is in no conflict with any more.

    It is active again when it is disputed with nobody else and the pending mark was Mendory's.
    """
    [row] = finding.ids
    found = at.look([row])
    if why := hidden_meanwhile(finding, list(found.values()), at):
        return [Unplanned(finding, why)]
    over = set(finding.evidence["over"])
    changes = freed(found[row], over)
    left = changes.get("disputed_with")
    reason = f"lift the mark of {row}: its dispute is over"
    if left:
        reason = f"{row} stays marked: {len(over)} of its disputes are over, {len(left)} are not"
    detail = {"over": sorted(over), "rollback": [{"id": row, "status": found[row].status}]}
    return [Draft(StepKind.LIFT_MARK, finding, reason, {row: changes}, detail)]
