"""Let rows that name a memory name what it became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.record import Memory


def repoint_all(finding: Finding, merged: Sequence[str], primary: str, at: Situation) -> list[Draft | Unplanned]:
    """Steps that let every other row of the scope name the primary where it named a merged row."""
    to = dict.fromkeys(merged, primary)
    referring = {row for old in merged for row, _ in at.referrers.of(old)} - {primary, *merged} - at.unaddressable
    drafts: list[Draft | Unplanned] = []
    for memory in at.look(sorted(referring)).values():
        if memory.scope == finding.scope:
            changes = _repointed(memory, to, at.absent)
            if changes:
                drafts.append(_repoint(finding, memory, changes, dict.fromkeys(merged, primary)))
    return drafts


def repoint_dangling(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """A step that leads each dangling reference to the row its target was merged into, where the ledger knows it."""
    [row] = finding.ids
    memory = at.look([row])[row]
    lost = [m["id"] for m in finding.evidence["missing"]]
    known = at.successors(lost)
    heirs = at.look(sorted(set(known.values())))
    to = {old: new for old, new in known.items() if new in heirs and heirs[new].scope == memory.scope and new != row}
    changes = _repointed(memory, to, at.absent)
    if not changes:
        return [Unplanned(finding, "nobody knows what the missing memory became")]
    return [_repoint(finding, memory, changes, to)]


def _repoint(finding: Finding, memory: Memory, changes: Mapping[str, Any], to: Mapping[str, str]) -> Draft:
    row = str(memory.id)
    used = {old: new for old, new in to.items() if old in _targets(memory)}
    reason = f"let {row} name {', '.join(sorted(set(used.values())))} instead of {', '.join(sorted(used))}"
    return Draft(StepKind.REPOINT, finding, reason, {row: changes}, {"repointed": used})


def _targets(memory: Memory) -> set[str]:
    return {t for t in (memory.duplicate_of, memory.superseded_by, *memory.related_ids) if t}


def _repointed(memory: Memory, to: Mapping[str, str], absent: frozenset[str]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for name in ("duplicate_of", "superseded_by"):
        target = getattr(memory, name)
        if name not in absent and target in to and to[target] != memory.id:
            changes[name] = to[target]
    related = tuple(dict.fromkeys(r for r in (to.get(t, t) for t in memory.related_ids) if r != memory.id))
    if "related_ids" not in absent and any(t in to for t in memory.related_ids):
        changes["related_ids"] = related
    return changes
