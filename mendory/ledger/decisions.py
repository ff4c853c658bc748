"""What people decided, by whom, on which steps, until when."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from mendory import digest
from mendory.errors import EmptyTargetSet
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction


class Decisions:
    """The decision tables: the authority an executor asks, whatever any other program says."""

    def __init__(self, transaction: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._clock = transaction, clock

    def record(
        self,
        plan_id: str,
        verdict: str,
        groups: Sequence[str],
        steps: Sequence[str],
        by: str,
        note: str,
        window: timedelta,
    ) -> str:
        """A person's word on these steps stands in the chain; returns the decision's id."""
        if not steps:
            raise EmptyTargetSet(f"The {verdict} names no step. Nothing was recorded. Name groups of the plan.")
        decision, now = secrets.token_hex(16), self._clock()
        with self._transaction() as conn:
            conn.execute(
                t.decision.insert().values(
                    id=decision,
                    plan_id=plan_id,
                    verdict=verdict,
                    groups=json.dumps(sorted(groups)),
                    steps=json.dumps(sorted(steps)),
                    by=by,
                    note=note,
                    at=now.isoformat(),
                    expires_at=(now + window).isoformat(),
                )
            )
            payload = self.digest(conn, decision)
            assert payload is not None
            chain.append(conn, "decision", decision, payload)
        return decision

    def digest(self, conn: sa.Connection, decision: str) -> str | None:
        """Digest of the decision as it stands, None when it is gone."""
        row = conn.execute(sa.select(t.decision).where(t.decision.c.id == decision)).first()
        return None if row is None else digest.of(list(row))

    def approved(self, plan_id: str) -> dict[str, str]:
        """Step id → decision id, for steps whose newest approval is neither expired nor used.

        Approvals from before the plan was made, or made again, count for nothing: silence expired them.
        """
        now = self._clock().isoformat()
        with self._transaction() as conn:
            made = conn.execute(sa.select(t.plan.c.made_at).where(t.plan.c.id == plan_id)).scalar() or now
            rows = conn.execute(
                sa.select(t.decision)
                .where(t.decision.c.plan_id == plan_id, t.decision.c.verdict == "approve", t.decision.c.at >= made)
                .order_by(t.decision.c.at)
            ).all()
            used = {
                (u.decision_id, u.step_id)
                for u in conn.execute(
                    sa.select(t.decision_use).where(t.decision_use.c.decision_id.in_([r.id for r in rows]))
                )
            }
        newest = {step: r for r in rows for step in json.loads(r.steps)}
        return {step: r.id for step, r in newest.items() if r.expires_at >= now and (r.id, step) not in used}

    def of_plan(self, plan_id: str) -> list[dict[str, object]]:
        """Every decision on the plan, oldest first."""
        with self._transaction() as conn:
            rows = conn.execute(
                sa.select(t.decision).where(t.decision.c.plan_id == plan_id).order_by(t.decision.c.at)
            ).all()
        return [{**dict(r._mapping), "groups": json.loads(r.groups), "steps": json.loads(r.steps)} for r in rows]
