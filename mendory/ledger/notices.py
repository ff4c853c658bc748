"""Which plans people were told of; a plan made again after it ended is told again."""

from __future__ import annotations

from collections.abc import Callable
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
