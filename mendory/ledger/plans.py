"""Plans in the ledger, and what became of each step."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from mendory.errors import NotReversible, PlanNotFound
from mendory.ledger import schema as t
from mendory.plan.model import Plan

Transaction = Callable[[], AbstractContextManager[sa.Connection]]


class PlanState(StrEnum):
    """Open plans wait or run. `DONE` says that every check passed; `mendory.standing` derives what others say.

    `FAILED`: something stands that did not verify, or that a person found wrong. `CORRECTED`: that was taken back, the
    rest stands and every check of it passed. `ROLLED_BACK`: nothing of it stands.
    """

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    EXPIRED = "expired"
    ROLLED_BACK = "rolled_back"


FAILED = "failed"
"""Outcome of a step that was applied and is in doubt; a person decides whether it is rolled back."""


def _unknown(plan_id: str) -> PlanNotFound:
    return PlanNotFound(f"There is no plan {plan_id[:8]}. Nothing was done. Run 'mendory show' for a list.")


class Plans:
    """The plan tables."""

    def __init__(self, transaction: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._clock = transaction, clock

    def save(self, plan: Plan, context: Mapping[str, Any]) -> bool:
        """The plan is stored as open with its context; False, and nothing changed, when it is open already.

        The same repair planned again after its plan ended is the same plan, open once more.
        """
        self._expire()
        values = {
            "state": PlanState.OPEN.value,
            "base_version": plan.base_version,
            "made_at": plan.made_at.isoformat(),
            "expires_at": plan.expires_at.isoformat(),
            "body": json.dumps(plan.as_json()),
            "context": json.dumps(context),
        }
        with self._transaction() as conn:
            state = conn.execute(sa.select(t.plan.c.state).where(t.plan.c.id == plan.id)).scalar()
            if state == PlanState.OPEN.value:
                return False
            if state is not None:
                conn.execute(t.plan.update().where(t.plan.c.id == plan.id).values(**values))
                again = {"outcome": None, "authority": None, "reason": None, "rid": None}
                conn.execute(t.plan_step.update().where(t.plan_step.c.plan_id == plan.id).values(**again))
                return True
            conn.execute(t.plan.insert().values(id=plan.id, **values))
            rows = [
                {"plan_id": plan.id, "step_id": s.id, "finding_id": s.finding_id, "kind": s.kind.value, "rule": s.rule}
                for s in plan.steps()
            ]
            if rows:
                conn.execute(t.plan_step.insert(), rows)
        return True

    def find(self, name: str) -> str:
        """The whole id of the plan whose id starts with `name`; raises PlanNotFound for none or several."""
        with self._transaction() as conn:
            query = sa.select(t.plan.c.id).where(t.plan.c.id.startswith(name, autoescape=True)).limit(2)
            ids = list(conn.execute(query).scalars()) if name else []
        if len(ids) != 1:
            which = "Several plans start" if ids else "No plan starts"
            raise PlanNotFound(f"{which} with '{name}'. Nothing was done. Run 'mendory show' for a list.")
        return str(ids[0])

    def load(self, plan_id: str) -> Plan:
        """The plan; raises PlanNotFound, or NotReversible when its body is past retention."""
        with self._transaction() as conn:
            row = conn.execute(sa.select(t.plan.c.body).where(t.plan.c.id == plan_id)).first()
        if row is None:
            raise _unknown(plan_id)
        if row.body is None:
            raise NotReversible(
                f"Plan {plan_id[:8]} is past its retention; only digests are left. Nothing was done. "
                "Its report still tells what happened."
            )
        return Plan.from_json(json.loads(row.body))

    def context(self, plan_id: str) -> dict[str, Any]:
        """What was known when the plan was made: findings, what stood down, health, causes."""
        with self._transaction() as conn:
            text = conn.execute(sa.select(t.plan.c.context).where(t.plan.c.id == plan_id)).scalar()
        return json.loads(text) if text else {}

    def state(self, plan_id: str) -> PlanState:
        """The plan's state, an open plan past its time being expired from now on."""
        self._expire()
        with self._transaction() as conn:
            state = conn.execute(sa.select(t.plan.c.state).where(t.plan.c.id == plan_id)).scalar()
        if state is None:
            raise _unknown(plan_id)
        return PlanState(state)

    def set_state(self, plan_id: str, state: PlanState) -> None:
        """The plan has `state`."""
        with self._transaction() as conn:
            conn.execute(t.plan.update().where(t.plan.c.id == plan_id).values(state=state.value))

    def all(self) -> list[dict[str, Any]]:
        """Every plan with state and times, newest first."""
        self._expire()
        with self._transaction() as conn:
            query = sa.select(t.plan.c.id, t.plan.c.state, t.plan.c.made_at, t.plan.c.expires_at, t.plan.c.base_version)
            return [dict(r._mapping) for r in conn.execute(query.order_by(t.plan.c.made_at.desc()))]

    def covered(self) -> dict[str, str]:
        """Finding id → plan id, for findings whose step in an open plan has no outcome yet."""
        self._expire()
        with self._transaction() as conn:
            query = (
                sa.select(t.plan_step.c.finding_id, t.plan_step.c.plan_id)
                .join(t.plan, t.plan.c.id == t.plan_step.c.plan_id)
                .where(t.plan.c.state == PlanState.OPEN.value, t.plan_step.c.outcome.is_(None))
            )
            return {r.finding_id: r.plan_id for r in conn.execute(query)}

    def applied_for(self, finding_id: str, since: datetime) -> tuple[str, str] | None:
        """(plan, step) of the newest plan made since then of which a step about the finding was applied and stands."""
        c = t.plan_step.c
        query = (
            sa.select(c.plan_id, c.step_id)
            .join(t.plan, t.plan.c.id == c.plan_id)
            .where(c.finding_id == finding_id, c.outcome.in_(("applied", FAILED)))
            .where(t.plan.c.made_at >= since.isoformat())
            .order_by(t.plan.c.made_at.desc(), c.step_id)
        )
        with self._transaction() as conn:
            held = conn.execute(query).first()
        return None if held is None else (held.plan_id, held.step_id)

    def note(
        self, plan_id: str, step_id: str, outcome: str, authority: str | None, reason: str, rid: str | None
    ) -> None:
        """The step's outcome is recorded; what a receipt says was applied stays so, unless it is in doubt."""
        c = t.plan_step.c
        stands = sa.func.coalesce(c.outcome, "").in_(("applied", "rolled_back", "taken_back"))
        where = (c.plan_id == plan_id, c.step_id == step_id)
        with self._transaction() as conn:
            conn.execute(
                t.plan_step.update()
                .where(*where, sa.true() if outcome == FAILED else sa.not_(stands))
                .values(outcome=outcome, authority=authority, reason=reason, rid=rid)
            )

    def outcomes(self, plan_id: str) -> dict[str, dict[str, Any]]:
        """Step id → outcome, authority, reason, rid; outcome None while the step waits."""
        with self._transaction() as conn:
            rows = conn.execute(sa.select(t.plan_step).where(t.plan_step.c.plan_id == plan_id))
            return {r.step_id: dict(r._mapping) for r in rows}

    def close_if_settled(self, plan_id: str, ended: PlanState = PlanState.DONE) -> PlanState:
        """An open plan none of whose steps waits or is unknown any more has `ended` so; returns its state."""
        open_steps = [s for s, o in self.outcomes(plan_id).items() if o["outcome"] in (None, "unknown")]
        if self.state(plan_id) is PlanState.OPEN and not open_steps:
            self.set_state(plan_id, ended)
        return self.state(plan_id)

    def failed(self) -> dict[str, str]:
        """Finding id → what to do, for steps of levels 2 and 3 that did not verify and still stand."""
        with self._transaction() as conn:
            rows = conn.execute(sa.select(t.plan_step).where(t.plan_step.c.outcome == FAILED))
            return {r.finding_id: str(r.reason) for r in rows}

    def _expire(self) -> None:
        with self._transaction() as conn:
            conn.execute(
                t.plan.update()
                .where(t.plan.c.state == PlanState.OPEN.value, t.plan.c.expires_at < self._clock().isoformat())
                .values(state=PlanState.EXPIRED.value)
            )
