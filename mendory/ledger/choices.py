"""What people answered to findings: each answer once, taken back only by a word of its own. Nothing of it ever goes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from mendory import digest
from mendory.choices import Answer, Choice
from mendory.errors import InputInvalid
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer that stands: to which finding, by whom, when, and why."""

    finding_id: str
    answer: Answer
    by: str
    at: datetime
    because: str

    def as_json(self) -> dict[str, Any]:
        """The answer as `mendory review --json` prints it."""
        until = self.answer.until
        return {
            "choice": self.answer.choice.value,
            "keep": self.answer.keep,
            "until": None if until is None else until.isoformat(),
            "by": self.by,
            "at": self.at.isoformat(),
            "because": self.because,
        }


class Choices:
    """The table of answers, links of the chain. One stands for each finding, whoever else answers at the same time."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def record(self, finding_id: str, answer: Answer, by: str, because: str) -> None:
        """The answer stands; one that only put it off ends by it.

        Raises InputInvalid, naming who decided what and when, when somebody has; IntegrityError when somebody does
        at this moment.
        """
        with self._transaction() as conn:
            self.undecided(finding_id)
            self._end(conn, finding_id, by, "answered")
            ref = secrets.token_hex(16)
            conn.execute(
                t.choice.insert().values(
                    id=ref,
                    seq=chain.next_seq(conn, t.choice),
                    finding_id=finding_id,
                    choice=answer.choice.value,
                    keep=answer.keep,
                    until=None if answer.until is None else answer.until.isoformat(),
                    by=by,
                    because=because,
                    at=self._clock().isoformat(),
                )
            )
            payload = self.given_digest(conn, ref)
            assert payload is not None
            chain.append(conn, "choice", ref, payload)

    def undecided(self, finding_id: str) -> None:
        """Return when nobody has decided about the finding; else raise InputInvalid saying who, what and when."""
        held = self.standing().get(finding_id)
        if held is not None and held.answer.decides:
            what = f"{held.answer.choice.value} {held.answer.keep or ''}".strip()
            raise InputInvalid(
                f"Finding {finding_id[:8]} was decided by {held.by} at {held.at.isoformat()[:16]}: {what}. Nothing was "
                f"recorded. To take that back: mendory review {finding_id[:8]} --undo --as NAME."
            )

    def end(self, finding_ids: Collection[str], by: str, because: str) -> list[Chosen]:
        """No answer to these findings stands any more; returns those that did."""
        held = self.standing()
        with self._transaction() as conn:
            for one in sorted(set(finding_ids)):
                self._end(conn, one, by, because)
        return [held[one] for one in sorted(set(finding_ids)) if one in held]

    def standing(self) -> Mapping[str, Chosen]:
        """Finding id → the answer that stands."""
        with self._reading() as conn:
            rows = conn.execute(sa.select(t.choice).where(t.choice.c.ended_at.is_(None)))
            return {row.finding_id: _chosen(row) for row in rows}

    def given_digest(self, conn: sa.Connection, ref: str) -> str | None:
        """Digest of the answer as it stands, None when it is gone."""
        row = conn.execute(sa.select(t.choice).where(t.choice.c.id == ref)).first()
        return None if row is None else digest.of(list(row)[: -len(t.CHOICE_ENDS)])

    def ended_digest(self, conn: sa.Connection, ref: str) -> str | None:
        """Digest of what ended the answer, None when its record is gone."""
        row = conn.execute(sa.select(t.choice).where(t.choice.c.id == ref)).first()
        return None if row is None else digest.of([row.id, *list(row)[-len(t.CHOICE_ENDS) :]])

    def _end(self, conn: sa.Connection, finding_id: str, by: str, because: str) -> None:
        c = t.choice.c
        ref = conn.execute(sa.select(c.id).where(c.finding_id == finding_id, c.ended_at.is_(None))).scalar()
        if ref is None:
            return
        values = {"ended_at": self._clock().isoformat(), "ended_by": by, "ended_because": because}
        conn.execute(t.choice.update().where(c.id == ref).values(**values))
        payload = self.ended_digest(conn, ref)
        assert payload is not None
        chain.append(conn, "choice_end", ref, payload)


def _chosen(row: Any) -> Chosen:
    until = None if row.until is None else datetime.fromisoformat(row.until)
    answer = Answer(Choice(row.choice), row.keep, until)
    return Chosen(row.finding_id, answer, row.by, datetime.fromisoformat(row.at), row.because)
