"""The thresholds the owner of the table has calibrated: one for each space and language, the newest."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction
from mendory.thresholds import Threshold


@dataclass(frozen=True, slots=True)
class Kept:
    """A threshold with who calibrated it and when."""

    threshold: Threshold
    by: str
    at: str


class CalibratedThresholds:
    """The threshold table."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def keep(self, threshold: Threshold, by: str) -> None:
        """The threshold holds for its space and language from now on, instead of any before."""
        c = t.threshold.c
        values = {
            "space": threshold.space,
            "language": threshold.language,
            "body": json.dumps(threshold.as_json()),
            "by": by,
            "at": self._clock().isoformat(),
        }
        with self._transaction() as conn:
            conn.execute(t.threshold.delete().where(c.space == threshold.space, c.language == threshold.language))
            conn.execute(t.threshold.insert().values(**values))

    def all(self) -> tuple[Kept, ...]:
        """Every calibrated threshold, by space and language."""
        c = t.threshold.c
        with self._reading() as conn:
            rows = conn.execute(sa.select(t.threshold).order_by(c.space, c.language)).all()
        return tuple(Kept(Threshold.from_json(json.loads(r.body)), r.by, r.at) for r in rows)
