"""Merge exact duplicates and re-point references, so that no text, metadata or reference is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mendory import digest
from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.jsontext import dumps
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.record import SOURCE_CONFIDENCE, Memory, Status


def merge_exact(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that keeps the most informative row and archives the others, then re-points what names them.

    Unplanned when the owner's reader can't hide a row, or there is no place for what only the merged rows know.
    """
    if not at.can_hide:
        return [Unplanned(finding, "the owner's reader cannot hide: it filters by nothing that mapping.hide names")]
    members = list(at.look(finding.ids).values())
    primary, *merged = sorted(members, key=_information)
    merged.sort(key=lambda m: m.id or "")
    names = [str(m.id) for m in merged]
    hidden: dict[str, dict[str, Any]] = {
        i: {"status": Status.ARCHIVED.value, "duplicate_of": str(primary.id)} for i in names
    }
    kept = _gathered(primary, merged)
    homeless = sorted({name.partition(".")[0] for name in kept} & at.absent)
    if homeless:
        why = f"cannot keep what only the merged rows know: the table has no {' and no '.join(homeless)}"
        return [Unplanned(finding, why)]
    changes = {**({str(primary.id): kept} if kept else {}), **hidden}
    detail = {
        "primary_id": primary.id,
        "merged_ids": names,
        "strategy": "exact",
        "rollback": [{"id": m.id, "status": m.status, "duplicate_of": m.duplicate_of} for m in merged],
    }
    reason = f"keep {primary.id}, archive {len(names)} row(s) that say the same"
    return [
        Draft(StepKind.MERGE_EXACT, finding, reason, changes, detail, holds=(str(primary.id),)),
        *_repoint_all(finding, names, str(primary.id), at),
    ]


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


def _gathered(primary: Memory, merged: Sequence[Memory]) -> dict[str, Any]:
    """Changes of the primary that keep for recall what only the merged rows knew."""
    changes: dict[str, Any] = {}
    held = dict(primary.metadata or {})
    group = {primary.id, *(m.id for m in merged)}
    ids, notes = list(primary.related_ids), list(primary.related_notes)
    superseded = primary.superseded_by
    replaced = superseded not in (None, "", primary.id)
    if primary.duplicate_of in group:  # two rows that are each other's duplicate would be a cycle
        changes["duplicate_of"] = None
    if superseded in group:  # a hidden twin succeeds nobody
        changes["superseded_by"] = superseded = None
    for memory in merged:
        differing = {}
        for key, value in (memory.metadata or {}).items():
            if key not in held:
                held[key] = value
                changes[f"metadata.{key}"] = value
            elif digest.of(held[key]) != digest.of(value):  # to Python 1, 1.0 and true are equal
                differing[key] = value
        if differing:
            notes.append(dumps({"from": memory.id, "metadata": differing}))
        notes += memory.related_notes
        named = [*memory.related_ids, memory.duplicate_of, memory.superseded_by]
        # what supersedes a twin does not supersede a row that its owner left standing
        if memory.superseded_by and replaced and superseded is None and memory.superseded_by not in group:
            changes["superseded_by"] = superseded = memory.superseded_by
            named.remove(memory.superseded_by)
        ids += [i for i in named if i and i not in group]
    ids, notes = list(dict.fromkeys(ids)), list(dict.fromkeys(notes))
    if ids != list(primary.related_ids):
        changes["related_ids"] = tuple(ids)
    if notes != list(primary.related_notes):
        changes["related_notes"] = tuple(notes)
    return changes


def _repoint_all(finding: Finding, merged: Sequence[str], primary: str, at: Situation) -> list[Draft | Unplanned]:
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
