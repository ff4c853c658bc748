"""What the memory that is kept takes over from those that leave recall in its favour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mendory import digest
from mendory.jsontext import dumps
from mendory.record import Memory


def gathered(primary: Memory, merged: Sequence[Memory], parts: Sequence[str] = ()) -> dict[str, Any]:
    """Changes of the primary that keep for recall what only the merged rows knew; `parts` of their texts as notes."""
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
    notes += parts
    ids, notes = list(dict.fromkeys(ids)), list(dict.fromkeys(notes))
    if ids != list(primary.related_ids):
        changes["related_ids"] = tuple(ids)
    if notes != list(primary.related_notes):
        changes["related_notes"] = tuple(notes)
    return changes


def homeless(changes: dict[str, Any], absent: frozenset[str]) -> list[str]:
    """The fields of `changes` that can be kept nowhere, sorted."""
    return sorted({name.partition(".")[0] for name in changes} & absent)
