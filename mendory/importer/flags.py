"""What is odd about a record that is imported all the same: counted now, found by the next check. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from mendory.detect.characters import MOST_CHARACTERS
from mendory.detect.times import EARLIEST, LATEST, SLACK, is_before
from mendory.detect.vectors import ZERO
from mendory.record import Status
from mendory.text import HIDDEN, unmarked

FLAGS: Final = (
    "unknown_key",
    "naive_timestamp",
    "missing_updated_at",
    "timestamp_future",
    "timestamp_order",
    "timestamp_suspicious",
    "timestamp_precision",
    "hidden_characters",
    "content_too_long",
    "embedding_missing",
    "embedding_zero",
    "embedding_precision",
    "illegal_status",
    "reference_self",
)
"""Reasons for which records are flagged, in the order of their bits."""
BIT: Final[Mapping[str, int]] = {name: 1 << at for at, name in enumerate(FLAGS)}
_STATUSES: Final = frozenset(s.value for s in Status)


def flags(record: Mapping[str, Any], now: datetime, besides: Iterable[str] = ()) -> int:
    """The bits of everything odd about the record; `besides` names what only its reading showed."""
    found = sum(BIT[name] for name in set(besides))
    content, vector = record["content"], record["embedding"]
    if _hides(content) or _hides(record["id"]):
        found |= BIT["hidden_characters"]
    if len(content) > MOST_CHARACTERS:
        found |= BIT["content_too_long"]
    if vector is None:
        found |= BIT["embedding_missing"]
    elif abs(vector[0]) < ZERO and math.hypot(*vector) < ZERO:
        found |= BIT["embedding_zero"]
    if record["status"] not in _STATUSES:
        found |= BIT["illegal_status"]
    if record["id"] in (record["duplicate_of"], record["superseded_by"], *(record["related_ids"] or ())):
        found |= BIT["reference_self"]
    return found | _times(record, now)


def _hides(text: str) -> bool:
    return not text.isprintable() and HIDDEN.search(unmarked(text)) is not None  # what is hidden is not printable


def _times(record: Mapping[str, Any], now: datetime) -> int:
    created = record["created_at"]
    found = 0
    for name in ("created_at", "updated_at", "last_accessed_at", "last_verified_at"):
        moment = record[name]
        if moment is None:
            continue
        if not EARLIEST <= moment <= LATEST:
            found |= BIT["timestamp_suspicious"]
        elif moment > now + SLACK:
            found |= BIT["timestamp_future"]
        elif created is not None and created <= LATEST and is_before(moment, created):
            found |= BIT["timestamp_order"]
    return found
