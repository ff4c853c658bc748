"""Intents and receipts as the ledger holds them, readable and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Any

import pyarrow as pa
import sqlalchemy as sa

from mendory import digest
from mendory.errors import NotReversible
from mendory.ledger import schema as t
from mendory.plan.model import Aside, ColumnChange, Edit
from mendory.policy import Spent
from mendory.work import Unit

Transaction = Callable[[], AbstractContextManager[sa.Connection]]


class IntentKind(StrEnum):
    """A repair, or one taken back."""

    APPLY = "apply"
    ROLLBACK = "rollback"


class IntentState(StrEnum):
    """Open until a receipt closes it."""

    OPEN = "open"
    APPLIED = "applied"
    REFUSED = "refused"
    DEFERRED = "deferred"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Intent:
    """An intent as the ledger holds it."""

    rid: str
    kind: IntentKind
    plan_id: str | None
    group: str | None
    state: IntentState
    base_version: int
    version: int | None
    owner: str
    epoch: int
    tries: int
    touched_at: datetime


@dataclass(frozen=True, slots=True)
class Cap:
    """At most `rows` repaired rows a day, days counted in `zone`."""

    rows: int
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Held:
    """One item of an applied intent, as a rollback needs it; `known` are the columns its digests cover."""

    rid: str
    seq: int
    key: str
    step_id: str
    row_id: str
    before_digest: str
    after_digest: str
    columns: tuple[ColumnChange, ...]
    undone_by: str | None
    aside: Aside | None = None
    known: frozenset[str] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Part:
    """One row that an applied repair changed and nobody took back; `kept` while its images are."""

    rid: str
    seq: int
    step_id: str
    row_id: str
    kept: bool


class Records:
    """The intent tables, read."""

    def __init__(self, transaction: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._clock = transaction, clock

    def get(self, rid: str) -> Intent:
        """The intent."""
        with self._transaction() as conn:
            return intent_of(conn.execute(sa.select(t.intent).where(t.intent.c.rid == rid)).one())

    def in_state(self, *states: IntentState, plan_id: str | None = None) -> list[Intent]:
        """Intents in one of the states, oldest first; of one plan where given."""
        query = sa.select(t.intent).where(t.intent.c.state.in_([s.value for s in states]))
        if plan_id is not None:
            query = query.where(t.intent.c.plan_id == plan_id)
        with self._transaction() as conn:
            return [intent_of(r) for r in conn.execute(query.order_by(t.intent.c.seq))]

    def unresolved(self) -> list[Intent]:
        """Intents whose outcome can't be known and on which nobody has said a word yet."""
        query = sa.select(t.intent).where(
            t.intent.c.state == IntentState.UNKNOWN.value, t.intent.c.resolution.is_(None)
        )
        with self._transaction() as conn:
            return [intent_of(r) for r in conn.execute(query.order_by(t.intent.c.seq))]

    def last_receipt(self) -> Intent | None:
        """The applied intent with the highest version."""
        known = (
            t.intent.c.state == IntentState.APPLIED.value,
            t.intent.c.version.is_not(None),
            t.intent.c.seq > adopted(),
        )
        query = sa.select(t.intent).where(*known)
        with self._transaction() as conn:
            row = conn.execute(query.order_by(t.intent.c.version.desc()).limit(1)).first()
        return intent_of(row) if row else None

    def units(self, rid: str) -> list[Unit]:
        """The intent's live units with their edits, in order."""
        with self._transaction() as conn:
            rows = conn.execute(
                sa.select(t.item, t.intent_unit.c.requires)
                .join(t.intent_unit, sa.and_(t.intent_unit.c.rid == t.item.c.rid, t.intent_unit.c.key == t.item.c.key))
                .where(t.item.c.rid == rid, t.intent_unit.c.live)
                .order_by(t.item.c.seq)
            ).all()
            known = _known(conn, rows)
        edits: dict[str, list[Edit]] = {}
        about: dict[str, tuple[str, tuple[str, ...], frozenset[str]]] = {}
        for r in rows:
            about[r.key] = r.step_id, tuple(json.loads(r.requires)), known[r.schema_digest]
            edits.setdefault(r.key, []).append(Edit(r.row_id, r.before_digest, r.after_digest, _columns(r), _aside(r)))
        return [Unit(key, about[key][0], tuple(es), about[key][1], known=about[key][2]) for key, es in edits.items()]

    def items(self, plan_id: str) -> list[Held]:
        """Every item of the plan's applied repairs, in the order they were applied."""
        with self._transaction() as conn:
            rows = conn.execute(
                sa.select(t.item)
                .join(t.intent, t.intent.c.rid == t.item.c.rid)
                .where(*_applied(plan_id))
                .order_by(t.intent.c.seq, t.item.c.seq)
            ).all()
            known = _known(conn, rows)
        return [_held(r, known) for r in rows]

    def standing(self, plan_id: str) -> list[Part]:
        """Every row that the plan's applied repairs changed and nobody took back, in the order they were applied."""
        c = t.item.c
        query = (
            sa.select(c.rid, c.seq, c.step_id, c.row_id, c.before_image.is_not(None).label("kept"))
            .join(t.intent, t.intent.c.rid == c.rid)
            .where(*_applied(plan_id), c.undone_by.is_(None))
            .where(sa.or_(c.before_digest != c.after_digest, c.aside_digest.is_not(None)))
            .order_by(t.intent.c.seq, c.seq)
        )
        with self._transaction() as conn:
            return [Part(r.rid, r.seq, r.step_id, r.row_id, bool(r.kept)) for r in conn.execute(query)]

    def part(self, rid: str, seq: int) -> Held:
        """One item of an applied intent; raises NotReversible past retention."""
        with self._transaction() as conn:
            row = conn.execute(sa.select(t.item).where(t.item.c.rid == rid, t.item.c.seq == seq)).one()
            return _held(row, _known(conn, [row]))

    def images(self, rid: str, seq: int) -> tuple[pa.Table, pa.Table]:
        """(before, after) of one item as one-row tables; raises NotReversible past retention."""
        with self._transaction() as conn:
            row = conn.execute(
                sa.select(t.item.c.before_image, t.item.c.after_image, t.row_schema.c.body)
                .join(t.row_schema, t.row_schema.c.digest == t.item.c.schema_digest)
                .where(t.item.c.rid == rid, t.item.c.seq == seq)
            ).one()
        if row.before_image is None:
            raise NotReversible(_PAST.format(rid[:8]))
        schema = pa.ipc.read_schema(pa.py_buffer(row.body))
        before, after = (
            pa.Table.from_batches([pa.ipc.read_record_batch(pa.py_buffer(image), schema)])
            for image in (row.before_image, row.after_image)
        )
        return before, after

    def images_of(self, rid: str) -> Callable[[Unit], Mapping[str, tuple[pa.Table, pa.Table]]]:
        """Tells of each of the intent's units, by row id, the row before and after as one-row tables."""

        def of(unit: Unit) -> Mapping[str, tuple[pa.Table, pa.Table]]:
            query = sa.select(t.item.c.row_id, t.item.c.seq).where(t.item.c.rid == rid, t.item.c.key == unit.key)
            with self._transaction() as conn:
                mine = [(r.row_id, r.seq) for r in conn.execute(query)]
            return {row: self.images(rid, seq) for row, seq in mine}

        return of

    def spent(self, zone: tzinfo) -> Spent:
        """What is used of the budget of the day it is in that zone."""
        with self._transaction() as conn:
            return self._spent(conn, zone)

    def _spent(self, conn: sa.Connection, zone: tzinfo) -> Spent:
        # a clock set back must not open a fresh budget: the day never goes back
        today = self._clock().astimezone(zone).date().isoformat()
        last = conn.execute(sa.select(sa.func.max(t.budget.c.day))).scalar()
        day = max(today, last) if last else today
        return Spent(day, conn.execute(sa.select(t.budget.c.used).where(t.budget.c.day == day)).scalar() or 0)

    def opened_digest(self, conn: sa.Connection, rid: str) -> str | None:
        """Digest of what the intent meant to do, by digests of rows; None when it is gone."""
        row = conn.execute(sa.select(t.intent).where(t.intent.c.rid == rid)).first()
        if row is None:
            return None
        return digest.of([row.rid, row.seq, row.kind, row.plan_id, row.group_name, row.opened_at])

    def closed_digest(self, conn: sa.Connection, rid: str) -> str | None:
        """Digest of the receipt: state, version, approvals used, every row's digests before and after."""
        row = conn.execute(sa.select(t.intent).where(t.intent.c.rid == rid)).first()
        if row is None:
            return None
        c = t.item.c
        items = conn.execute(
            sa.select(c.seq, c.step_id, c.row_id, c.before_digest, c.after_digest).where(c.rid == rid).order_by(c.seq)
        )
        kept = conn.execute(
            sa.select(c.seq, c.aside_digest).where(c.rid == rid, c.aside_digest.is_not(None)).order_by(c.seq)
        )
        use = t.decision_use.c
        mine = sa.select(use.decision_id, use.step_id).where(use.rid == rid).order_by(use.step_id)
        # an approval is used up by what was applied; otherwise it is given back
        used = conn.execute(mine).all() if row.state == IntentState.APPLIED.value else []
        said = [row.rid, row.state, row.version, row.closed_at, [list(i) for i in items], [list(u) for u in used]]
        asides = [list(k) for k in kept]
        return digest.of([*said, asides] if asides else said)


def adopted() -> Any:
    """The last repair before a person accepted the table as it then was; 0 when nobody did."""
    held = sa.select(t.meta.c.value).where(t.meta.c.key == "adopted").scalar_subquery()
    return sa.func.coalesce(sa.cast(held, sa.Integer), 0)


_PAST = "The images of repair {} are past their retention; only digests are left. Nothing was rolled back."


def _applied(plan_id: str) -> tuple[Any, ...]:
    """What is true of the intents by which something of the plan was applied, by receipt or by a person's word."""
    c = t.intent.c
    applied = sa.or_(c.state == IntentState.APPLIED.value, c.resolution.startswith("applied"))
    return c.plan_id == plan_id, c.kind == IntentKind.APPLY.value, applied


def _held(row: Any, known: Mapping[str, frozenset[str]]) -> Held:
    return Held(
        row.rid,
        row.seq,
        row.key,
        row.step_id,
        row.row_id,
        row.before_digest,
        row.after_digest,
        _columns(row),
        row.undone_by,
        _aside(row),
        known[row.schema_digest],
    )


def _known(conn: sa.Connection, rows: Sequence[Any]) -> dict[str, frozenset[str]]:
    """Name of a stored schema → its columns, for every schema that the items have."""
    names = sorted({r.schema_digest for r in rows})
    held = conn.execute(sa.select(t.row_schema).where(t.row_schema.c.digest.in_(names))).all()
    return {r.digest: frozenset(pa.ipc.read_schema(pa.py_buffer(r.body)).names) for r in held}


def _columns(row: Any) -> tuple[ColumnChange, ...]:
    if row.columns is None:
        raise NotReversible(_PAST.format(row.rid[:8]))
    return tuple(ColumnChange(*c) for c in json.loads(row.columns))


def _aside(row: Any) -> Aside | None:
    return None if row.aside is None else Aside.from_json(json.loads(row.aside))


def intent_of(row: Any) -> Intent:
    """The intent of a row of its table."""
    return Intent(
        row.rid,
        IntentKind(row.kind),
        row.plan_id,
        row.group_name,
        IntentState(row.state),
        row.base_version,
        row.version,
        row.owner,
        row.epoch,
        row.tries,
        datetime.fromisoformat(row.touched_at),
    )
