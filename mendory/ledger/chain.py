"""The hash chain over intents, decisions and receipts: nothing in it can change, go or slip in unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from mendory import digest
from mendory.errors import LedgerCorrupt
from mendory.ledger import schema as t

_START = "0" * 64


def next_seq(conn: sa.Connection, table: sa.Table) -> int:
    """The place after the last row of a table that counts its rows by `seq`; same transaction as the new row."""
    last = conn.execute(sa.select(sa.func.max(table.c.seq))).scalar()
    return (last or 0) + 1


def append(conn: sa.Connection, kind: str, ref: str, payload: str) -> None:
    """A new link for record `ref`, whose content has digest `payload`; same transaction as the record."""
    last = conn.execute(sa.select(t.chain.c.seq, t.chain.c.digest).order_by(t.chain.c.seq.desc()).limit(1)).first()
    seq, previous = (last.seq + 1, last.digest) if last else (1, _START)
    link = digest.of([seq, kind, ref, payload, previous])
    conn.execute(t.chain.insert().values(seq=seq, kind=kind, ref=ref, payload=payload, previous=previous, digest=link))
    if not conn.execute(t.meta.update().where(t.meta.c.key == "links").values(value=str(seq))).rowcount:
        conn.execute(t.meta.insert().values(key="links", value=str(seq)))


def verify(conn: sa.Connection, recompute: dict[str, Callable[[str], str | None]]) -> int:
    """The number of links, when all hold; raises LedgerCorrupt naming the first that does not.

    `recompute` gives, per kind, the digest of a record as it stands now; None means its record is gone.
    """
    previous, expected = _START, 1
    for row in conn.execute(sa.select(t.chain).order_by(t.chain.c.seq)):
        link = digest.of([row.seq, row.kind, row.ref, row.payload, row.previous])
        if row.seq != expected or row.previous != previous or link != row.digest:
            raise LedgerCorrupt(_broken(row, "the chain is broken there"))
        now: Any = recompute[row.kind](row.ref) if row.kind in recompute else row.payload
        if now != row.payload:
            raise LedgerCorrupt(_broken(row, "its record is gone" if now is None else "its record was changed"))
        previous, expected = row.digest, expected + 1
    count = expected - 1
    head = conn.execute(sa.select(t.meta.c.value).where(t.meta.c.key == "links")).scalar()
    if int(head or 0) != count:
        raise LedgerCorrupt(
            f"The ledger should hold {head} links and holds {count}: its end was cut off. Nothing was applied. "
            "Restore the ledger from a backup and compare."
        )
    return count


def _broken(row: Any, why: str) -> str:
    return (
        f"Link {row.seq} of the ledger ({row.kind} {row.ref}) does not hold: {why}. Nothing was applied. "
        "Restore the ledger from a backup and compare."
    )
