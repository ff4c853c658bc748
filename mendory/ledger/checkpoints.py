"""Checkpoints: up to which version of a table everything was examined, what was found, and what was counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction

KEPT: Final = 20
"""So many checkpoints are kept; older ones serve nobody, since a table's history goes too."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything up to `version` was examined; `findings` are the ids of what was found, `facts` what was counted.

    `about` is a digest of the table, its mapping and whatever else decides what is found; `kind` is "full" or
    "incremental".
    """

    about: str
    version: int
    kind: str
    at: str
    facts: Mapping[str, Any]
    findings: tuple[str, ...]


class Checkpoints:
    """The checkpoint table."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def add(self, about: str, version: int, kind: str, facts: Mapping[str, Any], findings: Collection[str]) -> None:
        """The checkpoint is the newest; one of the same version and about is replaced, the oldest ones are gone."""
        c = t.checkpoint.c
        with self._transaction() as conn:
            conn.execute(t.checkpoint.delete().where(c.about == about, c.version == version))
            last = conn.execute(sa.select(sa.func.max(c.seq))).scalar() or 0
            values = {
                "seq": last + 1,
                "about": about,
                "version": version,
                "kind": kind,
                "at": self._clock().isoformat(),
                "facts": json.dumps(facts),
                "findings": json.dumps(sorted(findings)),
            }
            conn.execute(t.checkpoint.insert().values(**values))
            conn.execute(t.checkpoint.delete().where(c.seq <= last + 1 - KEPT))

    def newest(self, about: str, version: int | None = None) -> Checkpoint | None:
        """The newest checkpoint about this, at that version where one is given; None when there is none."""
        c = t.checkpoint.c
        query = sa.select(t.checkpoint).where(c.about == about)
        if version is not None:
            query = query.where(c.version == version)
        with self._reading() as conn:
            row = conn.execute(query.order_by(c.seq.desc()).limit(1)).first()
        if row is None:
            return None
        found = tuple(json.loads(row.findings))
        return Checkpoint(row.about, row.version, row.kind, row.at, json.loads(row.facts), found)
