"""Change events as the ledger keeps them: each is a link of its chain, and none ever goes."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from mendory import digest
from mendory.events import Event, Happened
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction


class Events:
    """The table of change events."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def note(self, kind: Happened, by: str, about: Mapping[str, Any], at: datetime | None = None) -> Event:
        """The event is recorded; it began at `at`, now when left out. `about` holds ids, counts and names alone."""
        now = self._clock()
        event = Event(secrets.token_hex(16), kind, (at or now).astimezone(UTC), by, dict(about), now)
        with self._transaction() as conn:
            conn.execute(
                t.event.insert().values(
                    id=event.id,
                    seq=chain.next_seq(conn, t.event),
                    kind=kind.value,
                    at=event.at.isoformat(),
                    by=by,
                    about=json.dumps(event.about, sort_keys=True, ensure_ascii=False),
                    noted_at=now.isoformat(),
                )
            )
            payload = self.digest(conn, event.id)
            assert payload is not None
            chain.append(conn, "event", event.id, payload)
        return event

    def all(self) -> tuple[Event, ...]:
        """Every event, in the order they were noted."""
        with self._reading() as conn:
            return tuple(_event(row) for row in conn.execute(sa.select(t.event).order_by(t.event.c.seq)))

    def digest(self, conn: sa.Connection, ref: str) -> str | None:
        """Digest of the event as it stands, None when it is gone."""
        row = conn.execute(sa.select(t.event).where(t.event.c.id == ref)).first()
        return None if row is None else digest.of(list(row))


def _event(row: Any) -> Event:
    at, noted_at = datetime.fromisoformat(row.at), datetime.fromisoformat(row.noted_at)
    return Event(row.id, Happened(row.kind), at, row.by, json.loads(row.about), noted_at)
