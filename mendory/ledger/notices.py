"""What people were told of, once each: plans that wait, findings that have waited for long, alarms of moves."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

import sqlalchemy as sa

from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction


class Notices:
    """The table of notices."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def told(self) -> set[tuple[str, datetime]]:
        """(plan id, when that plan was made) of every plan that was told."""
        c = t.notice.c
        with self._reading() as conn:
            rows = conn.execute(sa.select(c.plan_id, c.made_at))
            return {(row.plan_id, datetime.fromisoformat(row.made_at)) for row in rows}

    def record(self, plan_id: str, made_at: datetime) -> None:
        """The plan, as it was made then, was told; telling it again by another process changes nothing."""
        c = t.notice.c
        about = (c.plan_id == plan_id, c.made_at == made_at.isoformat())
        with self._transaction() as conn:
            if conn.execute(sa.select(c.plan_id).where(*about)).first() is None:
                conn.execute(
                    t.notice.insert().values(plan_id=plan_id, made_at=made_at.isoformat(), at=self._clock().isoformat())
                )

    def late(self) -> set[tuple[str, datetime]]:
        """(finding, since when it waits) of all of which people were told that they have waited for long.

        Of an alarm of a soaking space it is (move, since when it stands).
        """
        with self._reading() as conn:
            rows = conn.execute(sa.select(t.alarm.c.finding_id, t.alarm.c.since))
            return {(row.finding_id, datetime.fromisoformat(row.since)) for row in rows}

    def record_late(self, waiting: Collection[tuple[str, datetime]]) -> None:
        """People were told of these, findings or alarms; one that ends and comes anew is told of again."""
        now = self._clock().isoformat()
        with self._transaction() as conn:
            held = {(row.finding_id, row.since) for row in conn.execute(sa.select(t.alarm))}
            for finding, since in sorted(waiting):
                if (finding, since.isoformat()) not in held:
                    conn.execute(t.alarm.insert().values(finding_id=finding, since=since.isoformat(), at=now))
