"""Findings, their dismissals, the human queue, and how often a problem was repaired."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from mendory import digest
from mendory.errors import InputInvalid
from mendory.finding import Finding
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction
from mendory.ledger.records import adopted
from mendory.text import exact_key


def problem_key(code: str, ids: Iterable[str]) -> str:
    """What stays the same when a problem comes back, whatever the rows hold by then."""
    return digest.of([code, sorted(ids)])


_TEXT: Final = "text:"


def text_key(scope: str | None, text: str | None) -> str:
    """What stays the same when what was archived is written anew under another id; empty where nothing is said."""
    said = exact_key(text or "")
    return _TEXT + digest.of([scope, said]) if said else ""


def is_text(key: str) -> bool:
    """Whether attempts under this key are counted by a text, not by a problem."""
    return key.startswith(_TEXT)


class Findings:
    """The finding tables."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def note(self, findings: Collection[Finding]) -> None:
        """Each finding is known as it is now, with when it was first and last seen.

        What is told of a finding may change while the finding does not: a second reference resolves, one more row
        shares an id.
        """
        now = self._clock().isoformat()
        rows = [
            {
                "id": f.id,
                "code": f.code.value,
                "body": json.dumps(f.as_json()),
                "first_seen": now,
                "last_seen": now,
            }
            for f in findings
        ]
        with self._transaction() as conn:
            for row in rows:
                insert = _upsert(conn, t.finding).values(**row)
                newest = {"body": row["body"], "last_seen": now}
                conn.execute(insert.on_conflict_do_update(index_elements=["id"], set_=newest))

    def dismiss(self, finding_ids: Collection[str], because: str, by: str) -> None:
        """These findings are not planned again; a changed memory makes a new finding."""
        with self._transaction() as conn:
            for one in sorted(set(finding_ids)):
                insert = _upsert(conn, t.dismissal).values(
                    finding_id=one, because=because, by=by, at=self._clock().isoformat()
                )
                conn.execute(insert.on_conflict_do_nothing())

    def dismissed(self) -> dict[str, str]:
        """Finding id → why it was dismissed."""
        with self._reading() as conn:
            return {r.finding_id: r.because for r in conn.execute(sa.select(t.dismissal))}

    def enqueue(self, reasons: Mapping[str, str]) -> None:
        """The human queue is exactly these findings, each with its reason and since when it waits."""
        now = self._clock().isoformat()
        with self._transaction() as conn:
            held = {r.finding_id: r.at for r in conn.execute(sa.select(t.queue))}
            conn.execute(t.queue.delete())
            rows = [{"finding_id": f, "reason": why, "at": held.get(f, now)} for f, why in sorted(reasons.items())]
            if rows:
                conn.execute(t.queue.insert(), rows)

    def ask(self, reasons: Mapping[str, str]) -> None:
        """These findings wait in the human queue too, each with its reason."""
        with self._transaction() as conn:
            for one, why in sorted(reasons.items()):
                values = {"finding_id": one, "reason": why, "at": self._clock().isoformat()}
                insert = _upsert(conn, t.queue).values(**values)
                conn.execute(insert.on_conflict_do_update(index_elements=["finding_id"], set_={"reason": why}))

    def queued(self) -> list[dict[str, str]]:
        """What waits for a person, longest first."""
        with self._transaction() as conn:
            return [dict(r._mapping) for r in conn.execute(sa.select(t.queue).order_by(t.queue.c.at))]

    def settle(self, finding_id: str) -> None:
        """The finding waits no longer."""
        with self._transaction() as conn:
            conn.execute(t.queue.delete().where(t.queue.c.finding_id == finding_id))

    def find(self, name: str) -> str:
        """The whole id of the noted finding whose id starts with `name`; raises InputInvalid for none or several."""
        with self._reading() as conn:
            query = sa.select(t.finding.c.id).where(t.finding.c.id.startswith(name, autoescape=True)).limit(2)
            ids = list(conn.execute(query).scalars()) if name else []
        if len(ids) != 1:
            which = "Several findings start" if ids else "No finding starts"
            raise InputInvalid(
                f"{which} with '{name}'. Nothing was recorded. Their ids are in: mendory review, mendory plan --json."
            )
        return str(ids[0])

    def known(self, finding_ids: Collection[str]) -> dict[str, Finding]:
        """Those of these findings that were noted, by id, as they were last noted."""
        wanted = sorted(set(finding_ids))
        found: dict[str, Finding] = {}
        with self._reading() as conn:
            for at in range(0, len(wanted), 500):
                query = sa.select(t.finding).where(t.finding.c.id.in_(wanted[at : at + 500]))
                found.update((r.id, Finding.from_json(json.loads(r.body))) for r in conn.execute(query))
        return found

    def attempts(self, window: timedelta) -> dict[str, int]:
        """Problem key, or key of a text that left recall → how many repairs of it began within the window.

        One that wrote nothing, since other writers were faster or a row had changed, is none.
        """
        since = (self._clock() - window).isoformat()
        with self._transaction() as conn:
            query = (
                sa.select(t.attempt.c.key, sa.func.count().label("times"))
                .join(t.intent, t.intent.c.rid == t.attempt.c.rid)
                .where(t.attempt.c.at >= since, t.intent.c.state.not_in(["refused", "deferred"]))
                .group_by(t.attempt.c.key)
            )
            return {row.key: row.times for row in conn.execute(query)}

    def repaired_from(self) -> dict[str, set[str]]:
        """Row id → digests the row had before repairs that were applied and not undone, while images are kept.

        What a later repair made it again, such as one that lifts a mark, nobody else has undone.
        """
        found: dict[str, set[str]] = {}
        with self._transaction() as conn:
            query = (
                sa.select(t.item.c.row_id, t.item.c.before_digest, t.item.c.after_digest)
                .join(t.intent, t.intent.c.rid == t.item.c.rid)
                .where(t.intent.c.state == "applied", t.intent.c.kind == "apply", t.item.c.undone_by.is_(None))
                .where(t.item.c.before_image.is_not(None), t.item.c.before_digest != t.item.c.after_digest)
                .where(t.intent.c.seq > adopted())
                .order_by(t.intent.c.seq, t.item.c.seq)
            )
            for row in conn.execute(query):
                before = found.setdefault(row.row_id, set())
                before.discard(row.after_digest)
                before.add(row.before_digest)
        return found

    def successors(self, ids: Sequence[str], place: str) -> dict[str, str]:
        """Vanished id → the row it had been merged into, by applied repairs that wrote that at `place` or aside."""
        wanted, heirs = set(ids), {}
        with self._transaction() as conn:
            query = (
                sa.select(t.item.c.row_id, t.item.c.columns, t.item.c.aside)
                .join(t.intent, t.intent.c.rid == t.item.c.rid)
                .where(t.intent.c.state == "applied", t.intent.c.kind == "apply", t.item.c.undone_by.is_(None))
                .order_by(t.intent.c.closed_at)
            )
            for row in conn.execute(query):
                for name, _, new in json.loads(row.columns or "[]") if row.row_id in wanted else ():
                    heir = _written(name, new, place)
                    if isinstance(heir, str):
                        heirs[row.row_id] = heir
                for name, _, new in json.loads(row.aside)[1] if row.row_id in wanted and row.aside else ():
                    if name == "duplicate_of" and isinstance(new, str):
                        heirs[row.row_id] = new
        return heirs


def _written(name: str, new: object, place: str) -> object:
    """What a change of column `name` to `new` wrote at `place`: the column itself, or a key of its JSON."""
    if name == place:
        return new
    column, _, path = place.partition(".")
    if name != column or not path or not isinstance(new, str):
        return None
    held: object = json.loads(new)
    for key in path.split("."):
        held = held.get(key) if isinstance(held, dict) else None
    return held


def _upsert(conn: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    return postgresql.insert(table) if conn.dialect.name == "postgresql" else sqlite.insert(table)
