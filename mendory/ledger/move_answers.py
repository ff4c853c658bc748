"""What was answered on the server's page about moves to another space, once per round of asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from mendory import digest
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.answers import STANDS, take, taken
from mendory.ledger.plans import Transaction


@dataclass(frozen=True, slots=True)
class MoveAnswer:
    """An answer about a move as it was recorded; `gate` is the digest of the gate that stood then."""

    round: str
    move_id: str
    gate: str | None
    verdict: str
    by: str
    outcome: str
    note: str
    given_at: datetime
    at: datetime

    @property
    def stands(self) -> bool:
        """True when the answer was taken."""
        return self.outcome == STANDS


class MoveAnswers:
    """The table of answers about moves. Every one is a link of the chain, refused ones too."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def record(self, given: MoveAnswer, code: tuple[str, int] | None = None) -> None:
        """The answer, and the code it used up (approver's id, half minute), are recorded; `at` is the ledger's time.

        Raises IntegrityError, with nothing recorded, when the round was answered or the code was taken before, be it
        by an answer about a plan.
        """
        with self._transaction() as conn:
            conn.execute(
                t.move_answer.insert().values(
                    round=given.round,
                    move_id=given.move_id,
                    gate=given.gate,
                    verdict=given.verdict,
                    by=given.by,
                    outcome=given.outcome,
                    given_at=given.given_at.astimezone(UTC).isoformat(),
                    at=given.at.astimezone(UTC).isoformat(),
                    note=given.note or None,
                )
            )
            take(conn, code, given.round)
            payload = self.digest(conn, given.round)
            assert payload is not None
            chain.append(conn, "move_answer", given.round, payload)

    def get(self, name: str) -> MoveAnswer | None:
        """The answer of that round, if it was given."""
        found = self._select(t.move_answer.c.round == name)
        return found[0] if found else None

    def of_move(self, move_id: str) -> list[MoveAnswer]:
        """Every answer about the move, oldest first."""
        return self._select(t.move_answer.c.move_id == move_id)

    def digest(self, conn: sa.Connection, name: str) -> str | None:
        """Digest of the answer as it stands with the codes it used up, None when it is gone."""
        row = conn.execute(sa.select(t.move_answer).where(t.move_answer.c.round == name)).first()
        return None if row is None else digest.of([list(row), taken(conn, name)])

    def _select(self, where: sa.ColumnElement[bool]) -> list[MoveAnswer]:
        query = sa.select(t.move_answer).where(where).order_by(t.move_answer.c.at, t.move_answer.c.round)
        with self._reading() as conn:
            return [_given(row) for row in conn.execute(query)]


def _given(row: Any) -> MoveAnswer:
    return MoveAnswer(
        row.round,
        row.move_id,
        row.gate,
        row.verdict,
        row.by,
        row.outcome,
        row.note or "",
        datetime.fromisoformat(row.given_at),
        datetime.fromisoformat(row.at),
    )
