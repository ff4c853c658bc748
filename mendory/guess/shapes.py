"""Owners that are known by their columns, and what their programs really read and write.

Each says what its own search filters: a mark that no reader looks at would hide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from mendory.guess.draft import Draft
from mendory.guess.evidence import Evidence, Place
from mendory.guess.forms import moment
from mendory.text import valueless


@dataclass(frozen=True, slots=True)
class Known:
    """A known owner: the places that tell it from others, where it keeps each field, what hides a row from it.

    `optional` fields are empty on purpose; `later` ones came with a release, and rows written before have none.
    """

    owner: str
    signs: frozenset[str]
    fields: Mapping[str, str]
    volatile: tuple[str, ...] = ()
    skip_ids: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    missing: str | None = None
    hide: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    hide_why: str = ""
    incidental: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


OWNERS: Final = (
    Known(
        "CrewAI",
        frozenset({"id", "content", "scope", "categories_str", "metadata_str", "private", "last_accessed", "vector"}),
        {
            "id": "id",
            "content": "content",
            "embedding": "vector",
            "metadata": "metadata_str",
            "created_at": "created_at",
            "source": "source",
            "scope": "scope",
            "last_accessed_at": "last_accessed",
        },
        volatile=("last_accessed",),
        skip_ids=("__schema_placeholder__",),
        hide_why="its search filters nothing but the scope",
        optional=("source",),
    ),
    Known(
        "memory-lancedb-pro",
        frozenset({"id", "text", "vector", "category", "scope", "importance", "timestamp", "metadata"}),
        {
            "id": "id",
            "content": "text",
            "embedding": "vector",
            "metadata": "metadata",
            "created_at": "timestamp",
            "source": "metadata.source",
            "scope": "scope",
            "status": "metadata.state",
            "last_accessed_at": "metadata.last_accessed_at",
            "duplicate_of": "metadata.canonical_id",
            "superseded_by": "metadata.superseded_by",
        },
        volatile=tuple(
            f"metadata.{key}"
            for key in (
                *("access_count", "accessCount", "last_accessed_at", "lastAccessedAt", "injected_count"),
                *("last_injected_at", "last_confirmed_use_at", "bad_recall_count"),
                *("suppressed_until_turn", "suppressed_until_ms"),
            )
        ),
        words={"confirmed": "active", "pending": "pending_review", "archived": "archived"},
        missing="active",
        hide={"metadata.state": "archived", "metadata.invalidated_at": "now:ms"},
        hide_why="its searches filter invalidated_at, its automatic recall also the state",
        incidental=("valid_from",),
        later=("source",),
    ),
    Known(
        "OpenClaw memory-lancedb",
        frozenset({"id", "text", "vector", "importance", "category", "createdAt"}),
        {"id": "id", "content": "text", "embedding": "vector", "created_at": "createdAt", "scope": "agentId"},
        skip_ids=("__schema__",),
        hide_why="its search filters nothing but the agent",
        later=("scope",),
    ),
    Known(
        "cognee",
        frozenset({"id", "vector", "payload", "payload.id", "payload.text", "payload.created_at"}),
        {
            "id": "id",
            "content": "payload.text",
            "embedding": "vector",
            "created_at": "payload.created_at",
            "updated_at": "payload.updated_at",
            "source": "payload.source_pipeline",
            "scope": "payload.source_user",
        },
        hide_why="its search filters nothing but node sets",
    ),
)
"""Every known owner; the first whose signs are all there is meant."""

_UNUSED: Final = ("source", "scope", "updated_at")
"""Fields that an owner may have a column for and leave blank; a key of ours in JSON is there when first written."""


def recognised(evidence: Evidence) -> Draft | None:
    """The draft for a known owner; None when the table is nobody's that is known."""
    known = next((k for k in OWNERS if k.signs <= evidence.places.keys()), None)
    if known is None:
        return None
    draft = Draft(known.owner, hide=dict(known.hide), hide_why=known.hide_why, missing=known.missing)
    draft.words = dict(known.words)
    for name, path in known.fields.items():
        place = evidence.places.get(path)
        if place is None and path.partition(".")[0] not in evidence.places:
            draft.drop(name, f"no {path}")
        elif name in known.later and place is not None and _came_later(place, known, evidence):
            draft.put(name, path, "")
            draft.optional.append(name)
        elif name in _UNUSED and (place is None or place.share < (0.01 if name in known.optional else 0.5)):
            rows = evidence.sample.num_rows
            draft.drop(name, f"{path} is blank in {rows - len(place.held if place else ())} of {rows} rows looked at")
        else:
            draft.put(name, path, "")
    draft.volatile = [v for v in known.volatile if v.partition(".")[0] in evidence.places]
    draft.skip_ids, draft.incidental = list(known.skip_ids), list(known.incidental)
    draft.optional += [name for name in known.optional if name in draft.places]
    return draft


def _came_later(place: Place, known: Known, evidence: Evidence) -> bool:
    """True when the rows without a value are older than those with one, but for a few that are at fault."""
    created, ids = evidence.places.get(known.fields["created_at"]), evidence.places.get(known.fields["id"])
    if created is None or ids is None or not place.held:
        return False
    rows = zip(ids.values, map(moment, created.values), place.values, strict=True)
    dated = [(at, not valueless(value)) for name, at, value in rows if at and name not in known.skip_ids]
    first = min((at for at, held in dated if held), default=None)
    empty = [at for at, held in dated if not held]
    return first is not None and bool(empty) and sum(at < first for at in empty) >= len(empty) * _MOST


_MOST: Final = 0.9
