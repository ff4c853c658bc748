"""What became of the repairs that ran and what people said of plans, read from the tables that hold them anyway."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from datetime import datetime

import sqlalchemy as sa

from mendory.automation import Change, Repair, Standing, Vote, standings, subject_of
from mendory.catalogue import StepKind
from mendory.ledger import schema as t
from mendory.ledger.findings import problem_key
from mendory.ledger.plans import FAILED, Transaction
from mendory.ledger.records import IntentKind, IntentState, adopted

_Step = tuple[str, str]
"""A repair's id, and a step's."""


class Evidence:
    """A reading of intents, decisions, attempts and findings; it keeps no book of its own."""

    def __init__(
        self, reading: Transaction, changes: Callable[[], dict[str, Change]], clock: Callable[[], datetime]
    ) -> None:
        self._reading, self._changes, self._clock = reading, changes, clock

    def standings(self, configured: Collection[str]) -> dict[str, Standing]:
        """Rule, or kind of step where no rule confirms it → whether it runs by itself, and on what record."""
        with self._reading() as conn:
            repairs, votes = _repairs(conn), _votes(conn)
        return standings(configured, self._changes(), repairs, votes, self._clock())


def _repairs(conn: sa.Connection) -> list[Repair]:
    """Every step that was applied, as often as it was; of a step that is not known any more nothing is said."""
    undone, again = _undone(conn), _repaired_again(conn)
    unit, step, intent = t.intent_unit.c, t.plan_step.c, t.intent.c
    link = sa.and_(t.chain.c.kind == "intent", t.chain.c.ref == intent.rid)
    query = (
        sa.select(
            unit.rid, unit.step_id, unit.authority, unit.live, step.kind, step.rule, step.outcome,
            step.rid.label("newest"), intent.seq, intent.closed_at, intent.opened_at, t.finding.c.last_seen,
            t.chain.c.seq.label("link"), (intent.seq <= adopted()).label("history"),
        )
        .join(t.intent, intent.rid == unit.rid)
        .join(t.chain, link)
        .join(t.plan_step, sa.and_(step.plan_id == intent.plan_id, step.step_id == unit.step_id))
        .outerjoin(t.finding, t.finding.c.id == step.finding_id)
        .where(intent.kind == IntentKind.APPLY.value, _applied(), step.kind.is_not(None))
    )  # fmt: skip
    made = []
    for row in conn.execute(query):
        mine = (row.rid, row.step_id)
        # not live: given up before it was applied, or taken back; after an adoption nothing is
        if not (row.live or mine in undone or row.history):
            continue
        closed = row.closed_at or row.opened_at
        bad = mine in undone or (row.outcome == FAILED and row.newest == row.rid)
        # an undecided conflict stands while it is marked: it is found at every check until a person has spoken
        seen_again = row.last_seen is not None and row.last_seen > closed and row.kind != StepKind.MARK_DISPUTED
        made.append(
            Repair(
                subject_of(row.kind, row.rule),
                row.link,
                datetime.fromisoformat(closed),
                by_itself=row.authority in ("automatic", "rule"),
                taken_back=bad,
                came_back=not bad and (seen_again or mine in again),
            )
        )
    return made


def _applied() -> sa.ColumnElement[bool]:
    return sa.or_(t.intent.c.state == IntentState.APPLIED.value, t.intent.c.resolution.startswith("applied"))


def _undone(conn: sa.Connection) -> set[_Step]:
    """Steps of which a row was taken back: by a person, or by themselves since they did not verify."""
    query = (
        sa.select(t.intent_unit.c.key, t.intent_unit.c.step_id)
        .join(t.intent, t.intent.c.rid == t.intent_unit.c.rid)
        .where(t.intent.c.kind == IntentKind.ROLLBACK.value, _applied())
    )
    # the key of a row taken back is rollback:<its repair>:<its place there>
    return {(row.key.split(":")[1], row.step_id) for row in conn.execute(query)}


def _repaired_again(conn: sa.Connection) -> set[_Step]:
    """Steps whose problem, the same code of the same rows, was repaired once more later."""
    attempt = t.attempt.c
    several = sa.select(attempt.key).group_by(attempt.key).having(sa.func.count() > 1)
    query = (
        sa.select(attempt.key, attempt.rid)
        .join(t.intent, t.intent.c.rid == attempt.rid)
        .where(attempt.key.in_(several), _applied())
        .order_by(t.intent.c.seq)
    )
    rids: dict[str, list[str]] = {}
    for row in conn.execute(query):
        rids.setdefault(row.key, []).append(row.rid)
    before = {(key, rid) for key, mine in rids.items() for rid in mine[:-1]}
    steps = {step: key for rid in sorted({rid for _, rid in before}) for step, key in _problems(conn, rid).items()}
    return {(rid, step) for (rid, step), key in steps.items() if (key, rid) in before}


def _problems(conn: sa.Connection, rid: str) -> dict[_Step, str]:
    """Each step of the repair → what its attempts are counted under."""
    item, step = t.item.c, t.plan_step.c
    query = (
        sa.select(item.step_id, item.row_id, t.finding.c.code)
        .join(t.intent, t.intent.c.rid == item.rid)
        .join(t.plan_step, sa.and_(step.plan_id == t.intent.c.plan_id, step.step_id == item.step_id))
        .join(t.finding, t.finding.c.id == step.finding_id)
        .where(item.rid == rid)
    )
    rows: dict[tuple[str, str], set[str]] = {}
    for row in conn.execute(query):
        rows.setdefault((row.step_id, row.code), set()).add(row.row_id)
    return {(rid, step_id): problem_key(code, ids) for (step_id, code), ids in rows.items()}


def _votes(conn: sa.Connection) -> list[Vote]:
    """What people said last of each subject's steps, plan by plan."""
    step = t.plan_step.c
    known = (step.kind.is_not(None), step.plan_id.in_(sa.select(t.decision.c.plan_id)))
    kinds = conn.execute(sa.select(step.plan_id, step.step_id, step.kind, step.rule).where(*known))
    steps = {(row.plan_id, row.step_id): subject_of(row.kind, row.rule) for row in kinds}
    link = sa.and_(t.chain.c.kind == "decision", t.chain.c.ref == t.decision.c.id)
    query = sa.select(t.decision, t.chain.c.seq.label("link")).join(t.chain, link).order_by(t.chain.c.seq)
    said: dict[tuple[str, str], tuple[str, int]] = {}
    for row in conn.execute(query):
        for step_id in json.loads(row.steps):
            said[row.plan_id, step_id] = row.verdict, row.link
    words: dict[tuple[str, str], dict[str, int]] = {}
    for (plan_id, step_id), (verdict, seq) in said.items():
        if (subject := steps.get((plan_id, step_id))) is not None:
            held = words.setdefault((subject, plan_id), {})
            held[verdict] = max(seq, held.get(verdict, 0))
    return [Vote(subject, max(v.values()), "approve" in v, "reject" in v) for (subject, _), v in words.items()]
