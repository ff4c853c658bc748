"""Intents, their images and receipts: what the executor meant to do, and what it knows it did."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import sqlalchemy as sa

from mendory import digest
from mendory.errors import LostOwnership, PlanNotFound
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.asides import obstacles, settle
from mendory.ledger.records import Cap, Intent, IntentKind, IntentState, Records, intent_of
from mendory.work import Item, Outcome, Unit, jsonable, units_of


class Intents(Records):
    """The intent tables, written. Every method is one transaction."""

    def open(
        self,
        rid: str,
        kind: IntentKind,
        plan_id: str | None,
        group: str | None,
        owner: str,
        base_version: int,
        items: Sequence[Item],
        cap: Cap | None,
        by: str | None = None,
    ) -> dict[str, tuple[Outcome, str]]:
        """The intent is on disk with images, budget, approval and attempts, or some units are refused.

        All in one transaction. When the answer is not empty nothing was recorded: it says, by unit key,
        which are done already or being done (`DONE`, `BUSY`), whose approval is used up (`BLOCKED`), what the
        day's budget has no room for (`SUSPENDED`), or for what something else is kept aside by now (`STALE`).
        """
        units = units_of(items)
        with self._transaction() as conn:
            refused = obstacles(conn, items) | self._used(conn, units) | self._taken(conn, units)
            if not refused and cap is not None:
                refused = self._spend(conn, units, len({i.row_id for i in items if not i.idle}), cap)
            if refused:
                return refused
            now = self._clock().isoformat()
            last = conn.execute(sa.select(sa.func.max(t.intent.c.seq))).scalar()
            conn.execute(
                t.intent.insert().values(
                    rid=rid,
                    seq=(last or 0) + 1,
                    kind=kind.value,
                    plan_id=plan_id,
                    group_name=group,
                    state=IntentState.OPEN.value,
                    base_version=base_version,
                    by=by,
                    owner=owner,
                    epoch=1,
                    tries=1,
                    opened_at=now,
                    touched_at=now,
                )
            )
            conn.execute(
                t.intent_unit.insert(),
                [
                    {
                        "rid": rid,
                        "key": u.key,
                        "step_id": u.step_id,
                        "requires": json.dumps(u.requires),
                        "authority": u.authority,
                        "live": True,
                    }
                    for u in units
                ],
            )
            self._write_items(conn, rid, items)
            for unit in units:
                if unit.decision:
                    conn.execute(
                        t.decision_use.insert().values(decision_id=unit.decision, step_id=unit.step_id, rid=rid)
                    )
            problems = sorted({key for u in units for key in (u.problem, *u.archives) if key})
            if problems:
                conn.execute(t.attempt.insert(), [{"key": p, "rid": rid, "at": now} for p in problems])
            payload = self.opened_digest(conn, rid)
            assert payload is not None
            chain.append(conn, "intent", rid, payload)
        return {}

    def taken(self, units: Sequence[Unit]) -> dict[str, tuple[Outcome, str]]:
        """The units that are applied already, being applied, or of unknown outcome, by key."""
        with self._transaction() as conn:
            return self._taken(conn, units)

    def _taken(self, conn: sa.Connection, units: Sequence[Unit]) -> dict[str, tuple[Outcome, str]]:
        rows = conn.execute(
            sa.select(t.intent_unit.c.key, t.intent.c.state, t.intent.c.rid, t.intent.c.resolution)
            .join(t.intent, t.intent.c.rid == t.intent_unit.c.rid)
            .where(t.intent_unit.c.key.in_([u.key for u in units]), t.intent_unit.c.live)
        )
        says = {
            IntentState.APPLIED.value: (Outcome.DONE, "already applied by {}"),
            IntentState.OPEN.value: (Outcome.BUSY, "being applied by {}"),
            IntentState.UNKNOWN.value: (Outcome.UNKNOWN, "the outcome of {} is unknown; run 'mendory recover'"),
        }
        refused = {}
        for row in rows:
            outcome, why = says[IntentState.APPLIED.value if row.resolution else row.state]
            refused[row.key] = outcome, why.format(row.rid[:8])
        return refused

    def _used(self, conn: sa.Connection, units: Sequence[Unit]) -> dict[str, tuple[Outcome, str]]:
        refused = {}
        for unit in units:
            if unit.decision:
                u = t.decision_use.c
                if conn.execute(
                    sa.select(u.rid).where(u.decision_id == unit.decision, u.step_id == unit.step_id)
                ).first():
                    refused[unit.key] = Outcome.BLOCKED, "its approval was used before"
        return refused

    def _spend(self, conn: sa.Connection, units: Sequence[Unit], rows: int, cap: Cap) -> dict[str, tuple[Outcome, str]]:
        spent = self._spent(conn, cap.zone)
        if why := spent.over(rows, cap.rows):
            return {u.key: (Outcome.SUSPENDED, why) for u in units}
        today = t.budget.c.day == spent.day
        if not conn.execute(t.budget.update().where(today).values(used=spent.rows + rows)).rowcount:
            conn.execute(t.budget.insert().values(day=spent.day, used=rows))
        return {}

    def _write_items(self, conn: sa.Connection, rid: str, items: Sequence[Item]) -> None:
        schema = items[0].before.schema
        images = zip(_images([i.before for i in items]), _images([i.after for i in items]), strict=True)
        body = schema.serialize().to_pybytes()
        name = digest.of(body.hex())
        if not conn.execute(sa.select(t.row_schema.c.digest).where(t.row_schema.c.digest == name)).first():
            conn.execute(t.row_schema.insert().values(digest=name, body=body))
        conn.execute(
            t.item.insert(),
            [
                {
                    "rid": rid,
                    "seq": at,
                    "key": i.unit.key,
                    "step_id": i.unit.step_id,
                    "row_id": i.row_id,
                    "before_digest": i.before_digest,
                    "after_digest": i.after_digest,
                    "columns": json.dumps(jsonable(i.columns)),
                    "before_image": before,
                    "after_image": after,
                    "schema_digest": name,
                    "aside": json.dumps(i.aside.as_json()) if i.aside else None,
                    "aside_digest": digest.of(i.aside.as_json()) if i.aside else None,
                }
                for at, (i, (before, after)) in enumerate(zip(items, images, strict=True))
            ],
        )

    def record_try(self, rid: str, epoch: int, base_version: int | None, items: Sequence[Item]) -> None:
        """A further try is on disk with fresh images; units without items are dropped from the intent.

        `base_version` None keeps the first: after a takeover a paused owner may still commit on it.
        Raises LostOwnership when another process took the intent over.
        """
        keep = {i.unit.key for i in items}
        with self._transaction() as conn:
            now = self._clock().isoformat()
            values: dict[str, Any] = {"tries": t.intent.c.tries + 1, "touched_at": now}
            if base_version is not None:
                values["base_version"] = base_version
            self._own(conn, rid, epoch, values)
            conn.execute(t.item.delete().where(t.item.c.rid == rid))
            self._write_items(conn, rid, items)
            self._drop(conn, rid, keep)
            payload = self.opened_digest(conn, rid)
            assert payload is not None
            chain.append(conn, "try", rid, payload)

    def close(
        self,
        rid: str,
        epoch: int,
        state: IntentState,
        version: int | None = None,
        note: str = "",
    ) -> None:
        """The receipt is on disk. Raises LostOwnership when another process took the intent over."""
        with self._transaction() as conn:
            values = {"state": state.value, "version": version, "closed_at": self._clock().isoformat(), "note": note}
            self._own(conn, rid, epoch, values)
            if state in (IntentState.REFUSED, IntentState.DEFERRED):
                self._drop(conn, rid, set())
            elif state is IntentState.APPLIED:
                self._settle(conn, rid)
            payload = self.closed_digest(conn, rid)
            assert payload is not None
            chain.append(conn, "receipt", rid, payload)

    def _own(self, conn: sa.Connection, rid: str, epoch: int, values: Mapping[str, Any]) -> None:
        c = t.intent.c
        mine = (c.rid == rid, c.epoch == epoch, c.state == IntentState.OPEN.value)
        if conn.execute(t.intent.update().where(*mine).values(**values)).rowcount != 1:
            raise LostOwnership(
                f"Repair {rid[:8]} was taken over by another process. This one wrote nothing more. "
                "Run 'mendory show' to see what became of it."
            )

    def _drop(self, conn: sa.Connection, rid: str, keep: set[str]) -> None:
        """Units not kept may be done by another intent, and their approval used by it."""
        where = (t.intent_unit.c.rid == rid, t.intent_unit.c.key.not_in(keep), t.intent_unit.c.live)
        dropped = conn.execute(sa.select(t.intent_unit.c.step_id).where(*where)).scalars().all()
        conn.execute(t.intent_unit.update().where(*where).values(live=False))
        use = t.decision_use.c
        conn.execute(t.decision_use.delete().where(use.rid == rid, use.step_id.in_(dropped)))

    def _settle(self, conn: sa.Connection, rid: str) -> None:
        """What the receipt says is true of the plan too, whatever becomes of this process: its steps' outcomes."""
        row = conn.execute(sa.select(t.intent).where(t.intent.c.rid == rid)).one()
        live = (t.intent_unit.c.rid == rid, t.intent_unit.c.live)
        units = conn.execute(sa.select(t.intent_unit).where(*live)).all()
        mine = (t.item.c.rid == rid, t.item.c.aside.is_not(None), t.item.c.key.in_([u.key for u in units]))
        kept = conn.execute(sa.select(t.item.c.row_id, t.item.c.aside).where(*mine).order_by(t.item.c.seq)).all()
        settle(conn, rid, [(row.row_id, row.aside) for row in kept])
        if row.kind == IntentKind.APPLY.value:
            for unit in units:
                values = {"outcome": Outcome.APPLIED.value, "authority": unit.authority, "reason": "", "rid": rid}
                step = (t.plan_step.c.plan_id == row.plan_id, t.plan_step.c.step_id == unit.step_id)
                conn.execute(t.plan_step.update().where(*step).values(**values))
            return
        for unit in units:
            self._undo(conn, unit.key, rid)
        for step in sorted({u.step_id for u in units}):
            self._taken_back(conn, str(row.plan_id), step, row.by)

    def _undo(self, conn: sa.Connection, key: str, rid: str) -> None:
        """The item that rollback unit `key` took back is marked, and its unit may be done again."""
        _, origin, seq = key.split(":")
        where = (t.item.c.rid == origin, t.item.c.seq == int(seq))
        conn.execute(t.item.update().where(*where).values(undone_by=rid))
        unit = conn.execute(sa.select(t.item.c.key).where(*where)).scalar_one()
        done = (t.intent_unit.c.rid == origin, t.intent_unit.c.key == unit)
        conn.execute(t.intent_unit.update().where(*done).values(live=False))

    def _taken_back(self, conn: sa.Connection, plan_id: str, step_id: str, by: str | None) -> None:
        """A step none of whose rows is repaired any more is rolled back; by a person's word it is dismissed too."""
        step = (t.plan_step.c.plan_id == plan_id, t.plan_step.c.step_id == step_id)
        changed = sa.or_(t.item.c.before_digest != t.item.c.after_digest, t.item.c.aside_digest.is_not(None))
        applied = (t.intent.c.kind == IntentKind.APPLY.value, t.intent.c.state == IntentState.APPLIED.value)
        standing = conn.execute(
            sa.select(t.item.c.row_id)
            .join(t.intent, t.intent.c.rid == t.item.c.rid)
            .where(t.intent.c.plan_id == plan_id, *applied, t.item.c.step_id == step_id, changed)
            .where(t.item.c.undone_by.is_(None))
        ).first()
        if standing is None:
            outcome = "rolled_back" if by else "taken_back"
            reason = "" if by else "it did not verify"
            conn.execute(t.plan_step.update().where(*step).values(outcome=outcome, authority=by, reason=reason))
        finding = conn.execute(sa.select(t.plan_step.c.finding_id).where(*step)).scalar()
        known = sa.select(t.dismissal.c.finding_id).where(t.dismissal.c.finding_id == finding)
        if by and finding and conn.execute(known).first() is None:
            values = {"finding_id": finding, "because": "rolled back", "by": by, "at": self._clock().isoformat()}
            conn.execute(t.dismissal.insert().values(**values))

    def take_over(self, intent: Intent, owner: str) -> Intent | None:
        """The intent is ours from now on; None when another process was faster."""
        with self._transaction() as conn:
            c = t.intent.c
            mine = (c.rid == intent.rid, c.epoch == intent.epoch, c.state == IntentState.OPEN.value)
            ours = {"owner": owner, "epoch": c.epoch + 1, "touched_at": self._clock().isoformat()}
            done = conn.execute(t.intent.update().where(*mine).values(**ours)).rowcount
            row = conn.execute(sa.select(t.intent).where(c.rid == intent.rid)).one()
        return intent_of(row) if done else None

    def resolve(self, rid: str, applied: bool, by: str) -> None:
        """A person's word stands for an outcome that can't be known; refused when it is not unknown."""
        word = f"{'applied' if applied else 'not applied'} by the word of {by}"
        with self._transaction() as conn:
            c = t.intent.c
            mine = (c.rid == rid, c.state == IntentState.UNKNOWN.value, c.resolution.is_(None))
            if not conn.execute(t.intent.update().where(*mine).values(resolution=word)).rowcount:
                raise PlanNotFound(f"No repair {rid[:8]} has an unknown outcome. Nothing was recorded.")
            if applied:
                self._settle(conn, rid)
            else:
                steps = sa.select(t.intent_unit.c.step_id).where(t.intent_unit.c.rid == rid)
                values = {"outcome": Outcome.STALE.value, "reason": word}
                unknown = (t.plan_step.c.step_id.in_(steps), t.plan_step.c.outcome == Outcome.UNKNOWN.value)
                conn.execute(t.plan_step.update().where(*unknown).values(**values))
                self._drop(conn, rid, set())
            chain.append(conn, "resolution", rid, digest.of(word))

    def forget_images(self, before: datetime) -> int:
        """Images and values of repairs closed before that time are gone, digests stay; returns how many."""
        with self._transaction() as conn:
            old = sa.select(t.intent.c.rid).where(t.intent.c.closed_at < before.isoformat())
            values = {"before_image": None, "after_image": None, "columns": None, "aside": None}
            where = (t.item.c.rid.in_(old), t.item.c.before_image.is_not(None))
            count = conn.execute(t.item.update().where(*where).values(**values)).rowcount
            done = (t.plan.c.state != "open", t.plan.c.expires_at < before.isoformat())
            conn.execute(t.plan.update().where(*done).values(body=None))
        return int(count)


def _images(rows: Sequence[pa.Table]) -> list[bytes]:
    """Each one-row table as an Arrow IPC message without its schema, which is stored once."""
    [batch] = pa.concat_tables(rows).combine_chunks().to_batches()
    return [batch.slice(at, 1).serialize().to_pybytes() for at in range(len(rows))]
