"""A ledger moves to another database with all that is in it: from a file to a server, when machines are to share it."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from mendory.errors import LedgerMismatch
from mendory.ledger import Ledger, schema
from mendory.ledger.records import IntentState

_ROWS = 500


def move(source: Ledger, target: Ledger) -> int:
    """All of `source` is in `target`, its id too, and its chain holds there; returns the number of links.

    `source` has another id from then on, so a table takes it for its ledger no more. Raises LedgerMismatch, with
    nothing moved, when a repair of it is open or `target` holds anything.
    """
    held = source.id
    with source.transaction() as old:
        links = source.verify()
        _check(old, target)
        with target.transaction() as new:
            for table in schema.metadata.sorted_tables:
                # in parts: the images may be larger than the memory
                found = old.execute(sa.select(table), execution_options={"yield_per": _ROWS})
                for rows in found.partitions():
                    new.execute(table.insert(), [dict(row._mapping) for row in rows])
        if (held, links) != (target.id, target.verify()):
            raise LedgerMismatch("The ledger did not arrive as it was. The old one stays in use. Empty the new one.")
        own = schema.meta.c.key == "ledger_id"
        old.execute(schema.meta.update().where(own).values(value=secrets.token_hex(16)))
    return links


def _check(old: sa.Connection, target: Ledger) -> None:
    open_ = sa.select(schema.intent.c.rid).where(schema.intent.c.state == IntentState.OPEN.value).limit(1)
    if old.execute(open_).first() is not None:
        raise LedgerMismatch("A repair of the ledger is open. Nothing was moved. Run 'mendory recover' first.")
    with target.reading() as conn:
        for table in schema.metadata.sorted_tables:
            if conn.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first() is not None:
                raise LedgerMismatch("The new place holds a ledger already. Nothing was moved. Name an empty one.")
