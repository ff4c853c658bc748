"""Who may let level 3 run through the server: names with the secret their one-time codes are made of."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from mendory import digest
from mendory.errors import InputInvalid
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction


@dataclass(frozen=True, slots=True)
class Approver:
    """Somebody who was enrolled, and perhaps revoked since."""

    id: str
    name: str
    secret: str = field(repr=False)
    by: str
    at: datetime
    revoked_at: datetime | None
    revoked_by: str | None


class Approvers:
    """The table of approvers. Enrolments and revocations are links of the chain; nothing is ever deleted."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def enrol(self, name: str, secret: str, by: str) -> None:
        """The name answers with codes of this secret from now on; raises InputInvalid when it does already."""
        with self._transaction() as conn:
            if self._live(conn, name) is not None:
                raise InputInvalid(
                    f"'{name}' is enrolled already. Nothing was recorded. "
                    "To give a new secret, revoke the old one first: mendory approvers --revoke NAME --as WHO."
                )
            ref, now = secrets.token_hex(16), self._clock().isoformat()
            conn.execute(t.approver.insert().values(id=ref, name=name, secret=secret, by=by, at=now))
            payload = self.enrolled_digest(conn, ref)
            assert payload is not None
            chain.append(conn, "enrolment", ref, payload)

    def revoke(self, name: str, by: str) -> None:
        """The name's codes count for nothing from now on; raises InputInvalid when it is not enrolled."""
        with self._transaction() as conn:
            ref = self._live(conn, name)
            if ref is None:
                raise InputInvalid(
                    f"Nobody is enrolled as '{name}'. Nothing was recorded. See who is: mendory approvers."
                )
            values = {"revoked_at": self._clock().isoformat(), "revoked_by": by}
            conn.execute(t.approver.update().where(t.approver.c.id == ref).values(**values))
            payload = self.revoked_digest(conn, ref)
            assert payload is not None
            chain.append(conn, "revocation", ref, payload)

    def all(self) -> tuple[Approver, ...]:
        """Everybody who was ever enrolled, by name, the newest enrolment of a name last."""
        with self._reading() as conn:
            query = sa.select(t.approver).order_by(t.approver.c.name, t.approver.c.at)
            return tuple(_approver(row) for row in conn.execute(query))

    def live(self) -> dict[str, Approver]:
        """Name → approver, for those enrolled and not revoked."""
        return {one.name: one for one in self.all() if one.revoked_at is None}

    def last_step(self, approver: Approver) -> int | None:
        """The newest half minute of which a code of theirs was taken."""
        used = sa.select(sa.func.max(t.code_use.c.step)).where(t.code_use.c.approver_id == approver.id)
        with self._reading() as conn:
            held = conn.execute(used).scalar()
        return None if held is None else int(held)

    def enrolled_digest(self, conn: sa.Connection, ref: str) -> str | None:
        """Digest of the enrolment as it stands, None when it is gone."""
        row = conn.execute(sa.select(t.approver).where(t.approver.c.id == ref)).first()
        return None if row is None else digest.of([row.id, row.name, row.secret, row.by, row.at])

    def revoked_digest(self, conn: sa.Connection, ref: str) -> str | None:
        """Digest of the revocation as it stands, None when its record is gone."""
        row = conn.execute(sa.select(t.approver).where(t.approver.c.id == ref)).first()
        return None if row is None else digest.of([row.id, row.revoked_at, row.revoked_by])

    def _live(self, conn: sa.Connection, name: str) -> str | None:
        c = t.approver.c
        found: str | None = conn.execute(sa.select(c.id).where(c.name == name, c.revoked_at.is_(None))).scalar()
        return found


def _approver(row: Any) -> Approver:
    revoked = None if row.revoked_at is None else datetime.fromisoformat(row.revoked_at)
    return Approver(row.id, row.name, row.secret, row.by, datetime.fromisoformat(row.at), revoked, row.revoked_by)
