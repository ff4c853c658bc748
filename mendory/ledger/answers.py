"""What was answered on the server's page, once per round of asking, and which one-time codes were taken."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

from mendory import digest
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction

STANDS: Final = "stands"
"""Outcome of an answer that was taken; the outcome of any other says why it was not."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it was recorded; `steps` are those that its decision is on."""

    round: str
    plan_id: str
    verdict: str
    groups: tuple[str, ...]
    by: str
    outcome: str
    steps: tuple[str, ...]
    note: str
    given_at: datetime
    at: datetime

    @property
    def stands(self) -> bool:
        """True when the answer was taken."""
        return self.outcome == STANDS


class Answers:
    """The tables of answers and of used codes. Every answer is a link of the chain, refused ones too."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def record(
        self,
        given: Given,
        decision: str | None = None,
        code: tuple[str, int] | None = None,
    ) -> None:
        """The answer, and the code it used up (approver's id, half minute), are recorded; `at` is the ledger's time.

        Raises IntegrityError, with nothing recorded, when the round was answered or the code was taken before.
        """
        with self._transaction() as conn:
            conn.execute(
                t.answer.insert().values(
                    round=given.round,
                    plan_id=given.plan_id,
                    verdict=given.verdict,
                    groups=json.dumps(sorted(given.groups)),
                    by=given.by,
                    outcome=given.outcome,
                    decision_id=decision,
                    given_at=given.given_at.astimezone(UTC).isoformat(),
                    at=given.at.astimezone(UTC).isoformat(),
                    note=given.note or None,
                )
            )
            take(conn, code, given.round)
            payload = self.digest(conn, given.round)
            assert payload is not None
            chain.append(conn, "answer", given.round, payload)

    def get(self, name: str) -> Given | None:
        """The answer of that round, if it was given."""
        found = self._select(t.answer.c.round == name)
        return found[0] if found else None

    def of_plan(self, plan_id: str, since: datetime | None = None) -> list[Given]:
        """Every answer about the plan, oldest first; with `since`, those recorded since then.

        A plan made again has the same id: what was answered about it as it is now came since its `made_at`.
        """
        return [g for g in self._select(t.answer.c.plan_id == plan_id) if since is None or g.at >= since]

    def times(self, by: str, outcome: str, since: datetime) -> Sequence[datetime]:
        """When answers of that name had this outcome, since that time, whatever they were about."""
        tables = (t.answer.c, t.move_answer.c)
        query = sa.union_all(*(sa.select(c.at).where(c.by == by, c.outcome == outcome) for c in tables))
        with self._reading() as conn:
            return [at for held in conn.execute(query).scalars() if (at := datetime.fromisoformat(held)) >= since]

    def digest(self, conn: sa.Connection, name: str) -> str | None:
        """Digest of the answer as it stands with the codes it used up, None when it is gone."""
        row = conn.execute(sa.select(t.answer).where(t.answer.c.round == name)).first()
        if row is None:
            return None
        return digest.of([list(row), taken(conn, name)])

    def _select(self, where: sa.ColumnElement[bool]) -> list[Given]:
        joined = t.answer.outerjoin(t.decision, t.decision.c.id == t.answer.c.decision_id)
        query = sa.select(t.answer, t.decision.c.steps).select_from(joined).where(where)
        with self._reading() as conn:
            return [_given(row) for row in conn.execute(query.order_by(t.answer.c.at, t.answer.c.round))]


def take(conn: sa.Connection, code: tuple[str, int] | None, name: str) -> None:
    """The code (approver's id, half minute) is used up by that round; raises IntegrityError when it was before."""
    if code is not None:
        conn.execute(t.code_use.insert().values(approver_id=code[0], step=code[1], round=name))


def taken(conn: sa.Connection, name: str) -> list[list[Any]]:
    """The codes that the round used up."""
    c = t.code_use.c
    used = conn.execute(sa.select(c.approver_id, c.step).where(c.round == name).order_by(c.approver_id, c.step))
    return [list(one) for one in used]


def _given(row: Any) -> Given:
    return Given(
        row.round,
        row.plan_id,
        row.verdict,
        tuple(json.loads(row.groups)),
        row.by,
        row.outcome,
        tuple(json.loads(row.steps or "[]")),
        row.note or "",
        datetime.fromisoformat(row.given_at),
        datetime.fromisoformat(row.at),
    )
