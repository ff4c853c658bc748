"""What is kept aside of an owner's rows: relations and dispute marks his table has no place for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction
from mendory.plan.model import Aside
from mendory.side import Note
from mendory.work import Item, Outcome


class Asides:
    """The table of what is kept aside, read; only receipts write it."""

    def __init__(self, reading: Transaction, transaction: Transaction) -> None:
        self._reading, self._transaction = reading, transaction

    def held(self) -> dict[str, Note]:
        """Row id → what is kept aside of it."""
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        with self._reading() as conn:
            for row in conn.execute(sa.select(t.aside)):
                found.setdefault(row.row_id, (row.about, {}))[1][row.field] = json.loads(row.value)
        return {row: Note(about, fields) for row, (about, fields) in found.items()}

    def take(self, notes: Mapping[str, Note]) -> None:
        """These notes are held too: a rehearsal begins with what is kept aside of the table."""
        with self._transaction() as conn:
            for row, note in notes.items():
                for name, value in note.fields.items():
                    _set(conn, row, name, note.about, value, None)


def obstacles(conn: sa.Connection, items: Sequence[Item]) -> dict[str, tuple[Outcome, str]]:
    """The units that were planned on something else than what is kept aside now, by key."""
    rows = {i.row_id for i in items if i.aside}
    now: dict[tuple[str, str], Any] = {}
    if rows:
        for row in conn.execute(sa.select(t.aside).where(t.aside.c.row_id.in_(rows))):
            now[row.row_id, row.field] = json.loads(row.value)
    refused: dict[str, tuple[Outcome, str]] = {}
    for item in items:
        for change in item.aside.changes if item.aside and item.unit.key not in refused else ():
            if now.get((item.row_id, change.column)) != change.old:
                why = f"changed since the plan: what is kept aside of {item.row_id}"
                refused[item.unit.key] = Outcome.STALE, why
                break
            now[item.row_id, change.column] = change.new
    return refused


def settle(conn: sa.Connection, rid: str, kept: Iterable[tuple[str, str]]) -> None:
    """What a receipt says of (row id, aside as JSON) is held from now on."""
    for row, text in kept:
        aside = Aside.from_json(json.loads(text))
        for change in aside.changes:
            _set(conn, row, change.column, aside.about, change.new, rid)


def _set(conn: sa.Connection, row: str, name: str, about: str, value: Any, rid: str | None) -> None:
    mine = (t.aside.c.row_id == row, t.aside.c.field == name)
    conn.execute(t.aside.delete().where(*mine))
    if value is not None:
        conn.execute(t.aside.insert().values(row_id=row, field=name, about=about, value=json.dumps(value), rid=rid))
