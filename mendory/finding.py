"""A finding: what a detector saw, named so that the same problem has one id for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from mendory import digest
from mendory.record import Kept, Memory, VectorFacts


class Ring(StrEnum):
    """What a detector looks at."""

    STRUCTURE = "structure"
    MEANING = "meaning"
    EFFECT = "effect"


class Severity(StrEnum):
    """How urgent it is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Code(StrEnum):
    """Stable names of problems; never renamed once released."""

    MISSING_ID = "missing_id"
    DUPLICATE_ID = "duplicate_id"
    WRONG_TYPE = "wrong_type"
    CONTENT_EMPTY = "content_empty"
    EMBEDDING_MISSING = "embedding_missing"
    MISSING_CREATED_AT = "missing_created_at"
    MISSING_UPDATED_AT = "missing_updated_at"
    MISSING_SOURCE = "missing_source"
    MISSING_SCOPE = "missing_scope"
    METADATA_INVALID = "metadata_invalid"
    METADATA_MISSING_FIELD = "metadata_missing_field"
    ILLEGAL_STATUS = "illegal_status"
    REFERENCE_DANGLING = "reference_dangling"
    EMBEDDING_DIM_MISMATCH = "embedding_dim_mismatch"
    EMBEDDING_NON_FINITE = "embedding_non_finite"
    EMBEDDING_ZERO = "embedding_zero"
    EMBEDDING_NORM = "embedding_norm"
    EMBEDDING_SUSPICIOUS = "embedding_suspicious"
    EMBEDDING_STALE_TEXT = "embedding_stale_text"
    SCOPE_NOT_ALLOWED = "scope_not_allowed"
    REFERENCE_SELF = "reference_self"
    REFERENCE_CYCLE = "reference_cycle"
    REFERENCE_CHAIN = "reference_chain"
    REFERENCE_CROSS_SCOPE = "reference_cross_scope"
    ID_NEAR_COLLISION = "id_near_collision"
    TIMESTAMP_ORDER = "timestamp_order"
    TIMESTAMP_FUTURE = "timestamp_future"
    TIMESTAMP_UNIT = "timestamp_unit"
    TIMESTAMP_SUSPICIOUS = "timestamp_suspicious"
    HIDDEN_CHARACTERS = "hidden_characters"
    CONTENT_TOO_LONG = "content_too_long"
    DUPLICATE_EXACT = "duplicate_exact"
    DUPLICATE_RESTATED = "duplicate_restated"
    DUPLICATE_NEAR = "duplicate_near"
    CONFLICT_CANDIDATE = "conflict_candidate"
    CONFLICT = "conflict"
    CONFLICT_BURIED = "conflict_buried"
    CONFLICT_EXCEPTION = "conflict_exception"
    DISPUTE_OVER = "dispute_over"
    STALE = "stale_memories"
    STALE_CONTEXT = "stale_context"
    TASK_RESIDUE = "task_residue"
    SCOPE_OWNER = "scope_owner"
    SCOPE_SUBJECT = "scope_subject"
    SCOPE_COLLAPSED = "scope_collapsed"
    SCOPE_SPLIT = "scope_split"
    SCOPE_SPELLING = "scope_spelling"
    SCOPE_COLLISION = "scope_collision"
    PLUGGED_IN = "plugged_in"
    RECALL_ECHO = "recall_echo"
    FRAGMENTS = "fragments"
    REPETITION = "repetition"
    ENVELOPE_CONTENT = "envelope_content"
    COMPOUND_PARTS = "compound_parts"
    NO_FACT = "no_fact"


AGED: Final = frozenset({Code.STALE, Code.STALE_CONTEXT, Code.TASK_RESIDUE})
"""Codes of what happens to every memory in time: it tells nothing of what is broken."""

KNOWN: Final[Mapping[Code, tuple[Ring, Severity]]] = MappingProxyType(
    {
        Code.MISSING_ID: (Ring.STRUCTURE, Severity.HIGH),
        Code.DUPLICATE_ID: (Ring.STRUCTURE, Severity.HIGH),
        Code.WRONG_TYPE: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.CONTENT_EMPTY: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.EMBEDDING_MISSING: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.MISSING_CREATED_AT: (Ring.STRUCTURE, Severity.LOW),
        Code.MISSING_UPDATED_AT: (Ring.STRUCTURE, Severity.LOW),
        Code.MISSING_SOURCE: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.MISSING_SCOPE: (Ring.STRUCTURE, Severity.HIGH),
        Code.METADATA_INVALID: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.METADATA_MISSING_FIELD: (Ring.STRUCTURE, Severity.LOW),
        Code.ILLEGAL_STATUS: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.REFERENCE_DANGLING: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.EMBEDDING_DIM_MISMATCH: (Ring.STRUCTURE, Severity.HIGH),
        Code.EMBEDDING_NON_FINITE: (Ring.STRUCTURE, Severity.HIGH),
        Code.EMBEDDING_ZERO: (Ring.STRUCTURE, Severity.HIGH),
        Code.EMBEDDING_NORM: (Ring.STRUCTURE, Severity.LOW),
        Code.EMBEDDING_SUSPICIOUS: (Ring.STRUCTURE, Severity.HIGH),
        Code.EMBEDDING_STALE_TEXT: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.SCOPE_NOT_ALLOWED: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.REFERENCE_SELF: (Ring.STRUCTURE, Severity.LOW),
        Code.REFERENCE_CYCLE: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.REFERENCE_CHAIN: (Ring.STRUCTURE, Severity.LOW),
        Code.REFERENCE_CROSS_SCOPE: (Ring.STRUCTURE, Severity.HIGH),
        Code.ID_NEAR_COLLISION: (Ring.STRUCTURE, Severity.LOW),
        Code.TIMESTAMP_ORDER: (Ring.STRUCTURE, Severity.LOW),
        Code.TIMESTAMP_FUTURE: (Ring.STRUCTURE, Severity.LOW),
        Code.TIMESTAMP_UNIT: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.TIMESTAMP_SUSPICIOUS: (Ring.STRUCTURE, Severity.LOW),
        Code.HIDDEN_CHARACTERS: (Ring.STRUCTURE, Severity.MEDIUM),
        Code.CONTENT_TOO_LONG: (Ring.STRUCTURE, Severity.LOW),
        Code.DUPLICATE_EXACT: (Ring.MEANING, Severity.MEDIUM),
        Code.DUPLICATE_RESTATED: (Ring.MEANING, Severity.LOW),
        Code.DUPLICATE_NEAR: (Ring.MEANING, Severity.MEDIUM),
        Code.CONFLICT_CANDIDATE: (Ring.MEANING, Severity.LOW),
        Code.CONFLICT: (Ring.MEANING, Severity.MEDIUM),
        Code.CONFLICT_BURIED: (Ring.MEANING, Severity.LOW),
        Code.CONFLICT_EXCEPTION: (Ring.MEANING, Severity.LOW),
        Code.DISPUTE_OVER: (Ring.MEANING, Severity.LOW),
        Code.STALE: (Ring.MEANING, Severity.LOW),
        Code.STALE_CONTEXT: (Ring.MEANING, Severity.LOW),
        Code.TASK_RESIDUE: (Ring.MEANING, Severity.LOW),
        Code.SCOPE_OWNER: (Ring.MEANING, Severity.HIGH),
        Code.SCOPE_SUBJECT: (Ring.MEANING, Severity.MEDIUM),
        Code.SCOPE_COLLAPSED: (Ring.MEANING, Severity.HIGH),
        Code.SCOPE_SPLIT: (Ring.MEANING, Severity.MEDIUM),
        Code.SCOPE_SPELLING: (Ring.MEANING, Severity.MEDIUM),
        Code.SCOPE_COLLISION: (Ring.MEANING, Severity.HIGH),
        Code.PLUGGED_IN: (Ring.MEANING, Severity.LOW),
        Code.RECALL_ECHO: (Ring.MEANING, Severity.MEDIUM),
        Code.FRAGMENTS: (Ring.MEANING, Severity.LOW),
        Code.REPETITION: (Ring.MEANING, Severity.LOW),
        Code.ENVELOPE_CONTENT: (Ring.MEANING, Severity.MEDIUM),
        Code.COMPOUND_PARTS: (Ring.MEANING, Severity.LOW),
        Code.NO_FACT: (Ring.MEANING, Severity.LOW),
    }
)
"""Ring and severity of every code."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Code, ids, scope, ring, severity, one-line reason, evidence (numbers and names, no memory text).

    `id` is a digest of code, scope, sorted ids and the digests of the fields the detector reads:
    a changed memory makes a new finding.
    """

    id: str
    code: Code
    ids: tuple[str, ...]
    scope: str | None
    ring: Ring
    severity: Severity
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    detector: str = ""

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory check --json` prints."""
        return {
            "id": self.id,
            "code": self.code.value,
            "ids": list(self.ids),
            "scope": self.scope,
            "ring": self.ring.value,
            "severity": self.severity.value,
            "reason": self.reason,
            "evidence": dict(self.evidence),
            "detector": self.detector,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Finding:
        """The finding whose `as_json` is `data`."""
        return cls(
            data["id"],
            Code(data["code"]),
            tuple(data["ids"]),
            data["scope"],
            Ring(data["ring"]),
            Severity(data["severity"]),
            data["reason"],
            data["evidence"],
            data["detector"],
        )


def finding(
    code: Code,
    memories: Sequence[Memory],
    reads: Sequence[str],
    reason: str,
    evidence: Mapping[str, Any],
    detector: str,
) -> Finding:
    """The finding of `code` on `memories`, its id fixed by the fields the detector reads.

    `vectors.<column>` reads what is known of that further vector, `kept.<name>` one thing kept beside the row.
    """
    ring, severity = KNOWN[code]
    ids = tuple(sorted(m.id or "" for m in memories))
    scope = memories[0].scope if memories else None
    read = sorted(digest.of([m.id, [_read(m, name) for name in reads]]) for m in memories)
    about = digest.of([code.value, scope, list(ids), read])
    return Finding(about, code, ids, scope, ring, severity, reason, evidence, detector)


def by_code(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings of each code, codes in alphabetical order."""
    counts: dict[str, int] = {}
    for one in findings:
        counts[one.code.value] = counts.get(one.code.value, 0) + 1
    return dict(sorted(counts.items()))


def _read(memory: Memory, name: str) -> Any:
    name, _, column = name.partition(".")
    value = getattr(memory, name)
    if isinstance(value, Kept):
        return _plain(getattr(value, column))
    # the column too: the same vector in another column is another problem
    return [column, _plain(value.get(column))] if column else _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, VectorFacts):
        return [value.dimension, value.finite, value.norm, value.mark]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return value
