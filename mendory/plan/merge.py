"""Merge memories that say the same: keep the most informative row, archive the others, lose nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from mendory.catalogue import StepKind
from mendory.finding import Code, Finding
from mendory.plan.differing import differing, differing_copies, text_vetoes
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.plan.gather import gathered, homeless
from mendory.plan.information import after, most_informative_first, repeated, scores, unique_parts
from mendory.plan.repoint import repoint_all
from mendory.record import SOURCE_CONFIDENCE, Memory, Status
from mendory.veto import Veto

CANNOT_HIDE: Final = "the owner's reader cannot hide: it filters by nothing that mapping.hide names"


def merge_exact(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that keeps the most informative row and archives the others, then re-points what names them.

    Unplanned when the owner's reader can't hide a row, when something in the raw texts speaks against it, or there is
    no place for what only the merged rows know. That no language reads a text is nothing against its equal.
    """
    if not at.can_hide:
        return [Unplanned(finding, CANNOT_HIDE)]
    members = list(at.look(finding.ids).values())
    against = text_vetoes([m.content or "" for m in members], {Veto.LANGUAGE})
    if against:
        return [Unplanned(finding, f"they differ in {', '.join(against)}: never merged")]
    primary, *merged = sorted(members, key=_information)
    reason = f"keep {primary.id}, archive {len(merged)} row(s) that say the same"
    merged.sort(key=lambda m: m.id or "")
    return merged_into(finding, at, primary, merged, reason, {"strategy": "exact"}, kind=StepKind.MERGE_EXACT)


def merge_near(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that keeps the row with the highest information score, or the original of an echo, and archives others.

    What only the archived rows say becomes notes of the kept one: their sentences, as written. Unplanned as
    `merge_exact` is, and when the rows differ in anything that matters, whatever the detector said of them, no language
    reads them, or another step changes them.
    """
    if not at.can_hide:
        return [Unplanned(finding, CANNOT_HIDE)]
    members = list(at.look(finding.ids).values())
    why = hidden_meanwhile(finding, members, at)
    if why:
        return [Unplanned(finding, why)]
    echo = finding.code is Code.RECALL_ECHO
    primary = _original(finding, members) if echo else most_informative_first(members)[0]
    merged = [m for m in most_informative_first(members) if m is not primary]
    against = differing_copies([repeated(m, primary) for m in members], at) if echo else differing(members, at)
    if against:
        return [Unplanned(finding, f"they differ in {', '.join(against)}: never merged")]
    said = [after(primary.content or "", m.content or "") if echo else m.content or "" for m in merged]
    parts = unique_parts(primary.content or "", said)
    detail = {"strategy": "echo" if echo else "near", "scores": scores(members), "notes": len(parts)}
    reason = f"keep {primary.id}, archive {len(merged)} row(s) that say the same in other words"
    if echo:
        reason = f"keep {primary.id}, archive {len(merged)} row(s) that repeat it as recalled"
    return merged_into(finding, at, primary, merged, reason, detail, parts)


def hidden_meanwhile(
    finding: Finding, members: Sequence[Memory], at: Situation, meant: Collection[str] | None = None
) -> str:
    """Why these rows are not what the finding saw: another step of the plan changes them; empty when none does.

    `meant` are the rows that the step is about, where they are not the finding's.
    """
    meant = finding.ids if meant is None else meant
    if len(members) < len(meant) or not all(m.recallable for m in members):
        return "another step of the plan hides one of these rows; the next check looks again"
    if set(at.undecided) & set(meant):
        return "a person must first decide on another step of the plan that changes one of these rows"
    return ""


def merged_into(
    finding: Finding,
    at: Situation,
    primary: Memory,
    merged: Sequence[Memory],
    reason: str,
    detail: Mapping[str, Any],
    parts: Sequence[str] = (),
    kind: StepKind = StepKind.MERGE_NEAR,
) -> list[Draft | Unplanned]:
    """The step that archives `merged` in favour of `primary`, and those that let others name the primary instead."""
    names = sorted(str(m.id) for m in merged)
    hidden: dict[str, dict[str, Any]] = {
        i: {"status": Status.ARCHIVED.value, "duplicate_of": str(primary.id)} for i in names
    }
    kept = gathered(primary, merged, parts)
    nowhere = homeless(kept, at.absent)
    if nowhere:
        why = f"cannot keep what only the merged rows know: the table has no {' and no '.join(nowhere)}"
        return [Unplanned(finding, why)]
    changes = {**({str(primary.id): kept} if kept else {}), **hidden}
    whole = {
        "primary_id": primary.id,
        "merged_ids": names,
        **detail,
        "rollback": [
            {"id": m.id, "status": m.status, "duplicate_of": m.duplicate_of}
            for m in sorted(merged, key=lambda m: m.id or "")
        ],
    }
    return [
        Draft(kind, finding, reason, changes, whole, holds=(str(primary.id),)),
        *repoint_all(finding, names, str(primary.id), at),
    ]


def _original(finding: Finding, members: Sequence[Memory]) -> Memory:
    """The row that the others repeat, as the detector says."""
    return next(m for m in members if m.id == finding.evidence["original"])


def _information(memory: Memory) -> tuple[Any, ...]:
    """Sort key, most informative first: metadata, confidence of source, references, vector, age, id.

    Before all that, a row that nothing supersedes: what its owner has replaced is not kept in its twin's stead.
    The text does not count: members say literally the same, and a longer one only has more spaces.
    """
    return (
        memory.superseded_by not in (None, "", memory.id),
        -len(memory.metadata or {}),
        -SOURCE_CONFIDENCE.get(memory.source or "", 0),
        -(len(memory.related_ids) + len(memory.related_notes)),
        memory.vectorless,
        memory.created_at.timestamp() if memory.created_at else 0.0,
        memory.id or "",
    )
