"""What follows from a person's answer to a finding: one row stays, all become one, or an exception is linked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mendory.catalogue import StepKind
from mendory.choices import Answer, Choice
from mendory.finding import Code, Finding
from mendory.plan.differing import belonging
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.plan.exception import link_exception
from mendory.plan.information import most_informative_first, unique_parts
from mendory.plan.merge import CANNOT_HIDE, hidden_meanwhile, merged_into
from mendory.plan.supersede import OTHER_SCOPE, freed, without_marks
from mendory.record import Memory, Status

PERSON: Final = "person"
"""The rule that decided, where a person did."""


def answered(finding: Finding, answer: Answer, at: Situation) -> list[Draft | Unplanned]:
    """The steps by which the answer is done, each at the level of the catalogue for what was chosen."""
    drafter = {Choice.KEEP: _keep, Choice.MERGE: _merge}.get(answer.choice)
    made = drafter(finding, answer, at) if drafter else link_exception(finding, at)
    return [replace(one, chosen=answer.choice) if isinstance(one, Draft) else one for one in made]


def primary_of(finding: Finding, members: Sequence[Memory]) -> Memory:
    """The row that a merge of these keeps: the original of an echo, else the one that says most."""
    original = finding.evidence.get("original") if finding.code is Code.RECALL_ECHO else None
    return next((m for m in members if m.id == original), most_informative_first(members)[0])


def _keep(finding: Finding, answer: Answer, at: Situation) -> list[Draft | Unplanned]:
    """One step that archives the others, superseded by the row that stays, and ends their disputes with it."""
    members = list(at.look(finding.ids).values())
    if why := _obstacle(finding, members, at):
        return [Unplanned(finding, why)]
    keep, others = str(answer.keep), [m for m in members if m.id != answer.keep]
    [winner] = [m for m in members if m.id == keep]
    changes = {str(m.id): {"status": Status.ARCHIVED.value, "superseded_by": keep, **without_marks(m)} for m in others}
    names = sorted(changes)
    if lifted := freed(winner, set(names)):
        changes[keep] = lifted
    detail = {
        "kept_id": keep,
        "superseded_ids": names,
        "rule": PERSON,
        "rollback": [{"id": str(m.id), "status": m.status, "superseded_by": m.superseded_by} for m in others],
    }
    reason = f"keep {keep}, archive {', '.join(names)}: a person decided"
    return [Draft(StepKind.SUPERSEDE, finding, reason, changes, detail, holds=(keep,))]


def _merge(finding: Finding, _: Answer, at: Situation) -> list[Draft | Unplanned]:
    """One step that keeps the row that says most, archives the others, and keeps what only they say as notes.

    A person has read the texts and says that they are one, so no difference of theirs stands against it; whose rows
    they are does.
    """
    members = list(at.look(finding.ids).values())
    if why := _obstacle(finding, members, at):
        return [Unplanned(finding, why)]
    against = [what for what in belonging(members, at) if what != "status"]  # a mark of a dispute is one
    if against:
        return [Unplanned(finding, f"they differ in {', '.join(against)}: never merged")]
    primary = primary_of(finding, members)
    merged = [m for m in most_informative_first(members) if m is not primary]
    parts = unique_parts(primary.content or "", [m.content or "" for m in merged])
    reason = f"keep {primary.id}, archive {len(merged)} row(s) that a person says are one with it"
    made = merged_into(finding, at, primary, merged, reason, {"strategy": PERSON, "notes": len(parts)}, parts)
    return [_unmarked(one, primary, merged) if isinstance(one, Draft) else one for one in made]


def _unmarked(one: Draft, primary: Memory, merged: Sequence[Memory]) -> Draft:
    """The step with the marks of the rows' dispute gone; one that only follows from it as it is."""
    if one.kind is not StepKind.MERGE_NEAR:
        return one
    changes = {name: dict(own) for name, own in one.changes.items()}
    for memory in merged:
        changes[str(memory.id)] |= without_marks(memory)
    if lifted := freed(primary, {str(m.id) for m in merged}):
        changes.setdefault(str(primary.id), {}).update(lifted)
    return replace(one, changes=changes)


def _obstacle(finding: Finding, members: Sequence[Memory], at: Situation) -> str:
    """Why no row can be archived for another; empty when nothing speaks against it."""
    if not at.can_hide:
        return CANNOT_HIDE
    if len({m.scope for m in members}) > 1:
        return OTHER_SCOPE
    return hidden_meanwhile(finding, members, at)
