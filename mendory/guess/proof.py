"""Trying a mapping on rows before anybody relies on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa

from mendory.errors import SchemaMismatch
from mendory.mapping import Mapping
from mendory.record import BY_NAME, FIELD_NAMES, Shape, Status
from mendory.text import is_blank, valueless

_SICK = 0.5
"""A mapping that can't read id or content in more than half of the rows is wrong; fewer such rows are sick."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How a field could be read: rows with a readable value, rows whose cell is unreadable, the span of its times.

    `hidden` counts the rows that the status says are archived.
    """

    field: str
    held: int
    unread: int
    rows: int
    first: datetime | None = None
    last: datetime | None = None
    hidden: int = 0


def prove(mapping: Mapping, sample: pa.Table) -> tuple[Proof, ...]:
    """How many rows of the sample each mapped field can be read in.

    Raises SchemaMismatch when the places are not there, or when id or content can't be read in most rows.
    """
    mapping.check(sample.schema)
    memories = [m for m in mapping.memories(sample) if m.id not in mapping.skip_ids]
    rows = len(memories)
    unread = Counter(name for m in memories for name in m.wrong)
    unread["metadata"] += sum(m.metadata_error is not None for m in memories)
    absent = mapping.absent()
    proofs = []
    for name in (n for n in FIELD_NAMES if n not in absent):
        if name == "embedding":
            column = sample.column(str(mapping.column(name)))
            proofs.append(Proof(name, min(rows, len(column) - column.null_count), 0, rows))
            continue
        held = [v for m in memories if not _empty(v := getattr(m, name))]
        timed = bool(held) and BY_NAME[name].shape is Shape.TIME
        span = (min(held), max(held)) if timed else (None, None)
        hidden = held.count(Status.ARCHIVED.value) if name == "status" else 0
        proofs.append(Proof(name, len(held), unread[name], rows, span[0], span[1], hidden))
    for proof in proofs:
        if rows and proof.field in ("id", "content") and proof.held < rows * _SICK:
            raise SchemaMismatch(
                f"With this mapping {proof.field} can be read in {proof.held} of {rows} rows. Nothing was written. "
                f"Name where it really lies under [mapping.columns]."
            )
    return tuple(proofs)


def _empty(value: Any) -> bool:
    return valueless(value) or value == () or (isinstance(value, str) and is_blank(value))
