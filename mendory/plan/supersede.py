"""Let a memory that lost by a rule leave recall in favour of the one that stays: archived, labelled, to be found."""

from __future__ import annotations

from typing import Any, Final

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.mapping import LIFTED
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.plan.merge import CANNOT_HIDE, hidden_meanwhile
from mendory.record import Memory, Status

OTHER_SCOPE: Final = "they are of two scopes, and no step changes two: a person must decide"
CIRCLE: Final = "the rules let these rows lose to one another in a circle: a person must decide"


def supersede(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that archives the row that lost, superseded by what stays in the end, and ends their dispute.

    The row it lost to may lose itself: then the step names the row that stays at last, and relies on both. A mark of
    the row that stays is lifted when it is disputed with nobody else. Unplanned when the owner's reader can't hide a
    row, they are of two scopes, lose in a circle, or another step changes them.
    """
    if not at.can_hide:
        return [Unplanned(finding, CANNOT_HIDE)]
    keep, lose = str(finding.evidence["keep"]), str(finding.evidence["lose"])
    path = at.losing.get(keep, (keep,))
    if not path:
        return [Unplanned(finding, CIRCLE)]
    final = path[-1]
    rows = at.look(sorted({keep, lose, final}))
    why = hidden_meanwhile(finding, [m for i, m in rows.items() if i in (lose, final)], at, {lose, final})
    if why:
        return [Unplanned(finding, why)]
    if len({m.scope for m in rows.values()}) > 1:
        return [Unplanned(finding, OTHER_SCOPE)]
    loser, winner = rows[lose], rows[final]
    changes: dict[str, dict[str, Any]] = {
        lose: {"status": Status.ARCHIVED.value, "superseded_by": final, **without_marks(loser)}
    }
    if lifted := freed(winner, {lose}):
        changes[final] = lifted
    detail = {
        "kept_id": final,
        "superseded_ids": [lose],
        "rule": finding.evidence["rule"],
        "difference": finding.evidence.get("difference", {}),
        "rollback": [{"id": lose, "status": loser.status, "superseded_by": loser.superseded_by}],
    }
    rule = finding.evidence["rule"]
    reason = f"keep {final}, archive {lose}, which can't hold beside it: rule {rule}"
    if final != keep:  # the two may even agree: cola, coffee, cola again
        reason = f"archive {lose}, which can't hold beside {keep}; in the end {final} stays: rule {rule}"
    return [Draft(StepKind.SUPERSEDE, finding, reason, changes, detail, holds=tuple(sorted({keep, final})))]


def freed(memory: Memory, of: set[str]) -> dict[str, Any]:
    """The changes by which the memory is disputed with these no longer; active again when with nobody else."""
    left = tuple(i for i in memory.kept.disputed_with if i not in of)
    if left == memory.kept.disputed_with:
        return {}
    if left:
        return {"disputed_with": left}
    lifts = {LIFTED: Status.ACTIVE.value, "marked": None} if memory.kept.marked else {}
    return {"disputed_with": None, **lifts}


def without_marks(memory: Memory) -> dict[str, Any]:
    """The changes by which nothing is kept of a dispute of it."""
    held = {"disputed_with": memory.kept.disputed_with, "marked": memory.kept.marked}
    return {name: None for name, value in held.items() if value}
