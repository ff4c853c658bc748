"""The record: what a memory is, declared once.

`FIELDS` is the single declaration. The Arrow schema of our own table, the Great Expectations
suites, the pure checks and the field table of the docs are all derived from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa


class Kind(StrEnum):
    """What sort of memory it is; events are history and never duplicates of each other."""

    FACT = "fact"
    PREFERENCE = "preference"
    EPHEMERAL = "ephemeral"
    EVENT = "event"
    PROCEDURE = "procedure"
    OTHER = "other"


class Status(StrEnum):
    """Recall returns active and pending_review; only archived is hidden."""

    ACTIVE = "active"
    PENDING_REVIEW = "pending_review"
    ARCHIVED = "archived"


RECALLABLE: Final = frozenset({Status.ACTIVE.value, Status.PENDING_REVIEW.value})

SOURCE_CONFIDENCE: Final[Mapping[str, int]] = MappingProxyType({"user_stated": 3, "model_inferred": 2, "system_log": 1})
"""Design §4: user_stated > model_inferred > system_log; an unknown source ranks 0."""


class Shape(StrEnum):
    """The shapes a field's value can have."""

    TEXT = "text"
    JSON = "json"
    TIME = "time"
    TEXTS = "texts"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the record.

    `required` fields must hold a value in every row; `reference` fields hold ids of other
    memories; `volatile` ones change when a memory is merely read and stay outside digests.
    """

    name: str
    shape: Shape
    meaning: str
    required: bool = False
    reference: bool = False
    volatile: bool = False


FIELDS: Final[tuple[Field, ...]] = (
    Field("id", Shape.TEXT, "unique name of the memory", required=True),
    Field("content", Shape.TEXT, "what is remembered, as text", required=True),
    Field("embedding", Shape.VECTOR, "vector of the content in one space", required=True),
    Field("metadata", Shape.JSON, "topic, entities, scene and whatever the owner adds", required=True),
    Field("created_at", Shape.TIME, "when it was first stored, UTC", required=True),
    Field("updated_at", Shape.TIME, "when its owner last changed it, UTC", required=True),
    Field("source", Shape.TEXT, "who said it: user_stated, model_inferred, system_log, …", required=True),
    Field("scope", Shape.TEXT, "user, agent, project or business space it belongs to", required=True),
    Field("status", Shape.TEXT, "active, pending_review or archived", required=True),
    Field("kind", Shape.TEXT, "fact, preference, ephemeral, event, procedure, other"),
    Field("claim", Shape.JSON, "entity-attribute-value of a fact, object-stance of a preference"),
    Field("last_accessed_at", Shape.TIME, "when recall last returned it, UTC", volatile=True),
    Field("last_verified_at", Shape.TIME, "when it was last confirmed, UTC"),
    Field("batch_id", Shape.TEXT, "import batch it came with"),
    Field("duplicate_of", Shape.TEXT, "primary it was merged into", reference=True),
    Field("superseded_by", Shape.TEXT, "newer memory that replaces it", reference=True),
    Field("related_ids", Shape.TEXTS, "ids of related memories", reference=True),
    Field("related_notes", Shape.TEXTS, "what only merged memories knew"),
)

FIELD_NAMES: Final = tuple(f.name for f in FIELDS)
BY_NAME: Final[Mapping[str, Field]] = MappingProxyType({f.name: f for f in FIELDS})


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """What is known of a vector without looking at it: its length, whether every component is a number, its norm.

    `mark` is equal for vectors with equal bits and for few others; `bits` is a digest of them all, None where nobody
    asked for it.
    """

    dimension: int
    finite: bool
    norm: float
    mark: int
    bits: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What Mendory keeps of a memory beside the owner's row, in its ledger, and lays over it (`mendory.side`).

    `factor` is what its weight at recall is multiplied by. `disputed_with` are the ids of the memories it is marked as
    disputed with; `marked` is true where the pending mark in the owner's status is Mendory's, so that it may lift it
    again. `exception_of` are the ids of the general memories that it is an exception of.
    """

    factor: float = 1.0
    disputed_with: tuple[str, ...] = ()
    exception_of: tuple[str, ...] = ()
    marked: bool = False


KEPT: Final = tuple(f.name for f in dataclasses.fields(Kept))
"""The names under which that is kept; none is a field of the record."""

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_NOTHING_KEPT: Final = Kept()


@dataclass(frozen=True, slots=True)
class Memory:
    """One row as the detectors see it, in record terms whatever the owner's columns are.

    `metadata` is the parsed object, or None when the cell is null or no JSON object; then
    `metadata_error` says why. `claim` likewise. `vectorless` is True when the embedding is null.
    `wrong` names the fields whose cell could not be read in their shape. `others` is what the owner's further
    columns hold, by name: nobody knows what it means, so rows that differ in it are never one. `vector` is what is
    known of the embedding, None without one or where nobody looked; `vectors` is that of the owner's further vectors,
    by column. `kept` is what Mendory keeps beside the row.
    """

    id: str | None
    content: str | None
    metadata: Mapping[str, Any] | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    source: str | None = None
    scope: str | None = None
    status: str | None = None
    kind: str | None = None
    claim: Mapping[str, Any] | None = None
    last_accessed_at: datetime | None = None
    last_verified_at: datetime | None = None
    batch_id: str | None = None
    duplicate_of: str | None = None
    superseded_by: str | None = None
    related_ids: tuple[str, ...] = ()
    related_notes: tuple[str, ...] = ()
    metadata_error: str | None = None
    vectorless: bool = False
    wrong: tuple[str, ...] = ()
    others: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    vector: VectorFacts | None = None
    vectors: Mapping[str, VectorFacts] = field(default_factory=lambda: _NOTHING)
    kept: Kept = _NOTHING_KEPT

    @property
    def recallable(self) -> bool:
        """True when recall returns it."""
        return self.status in RECALLABLE


def arrow_schema(dimension: int) -> pa.Schema:
    """The Arrow schema of our own table, vectors of `dimension` float32."""
    types = {
        Shape.TEXT: pa.string(),
        Shape.JSON: pa.string(),
        Shape.TIME: pa.timestamp("us", tz="UTC"),
        Shape.TEXTS: pa.list_(pa.string()),
        Shape.VECTOR: pa.list_(pa.float32(), dimension),
    }
    return pa.schema([pa.field(f.name, types[f.shape], nullable=f.name != "id") for f in FIELDS])
