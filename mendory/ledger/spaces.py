"""The spaces of the table: at most one active and one filling, the others history."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa

from mendory.embedding import Identity
from mendory.errors import InputInvalid, LedgerCorrupt
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction
from mendory.spaces import CANARIES, Fingerprint, Space, SpaceState, Verdict, compare


class Spaces:
    """The space table."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def all(self) -> tuple[Space, ...]:
        """Every space there ever was, in the order they were registered."""
        with self._reading() as conn:
            return _all(conn)

    def live(self) -> tuple[Space, ...]:
        """The spaces that are active or filling, the active one first."""
        alive = [s for s in self.all() if s.state is not SpaceState.RETIRED]
        return tuple(sorted(alive, key=lambda s: s.state is not SpaceState.ACTIVE))

    def active(self) -> Space | None:
        """The space that is searched and written, if one is known."""
        return next((s for s in self.live() if s.state is SpaceState.ACTIVE), None)

    def by_fingerprint(self, fingerprint: Fingerprint) -> Space | None:
        """The space these vectors are of, live ones before retired; None when it is not known, or nobody can tell."""
        known = sorted(self.all(), key=lambda s: s.state is SpaceState.RETIRED)
        return next((s for s in known if compare(s.fingerprint, fingerprint).verdict is Verdict.SAME), None)

    def register(self, fingerprint: Fingerprint, state: SpaceState, by: str) -> Space:
        """The space is known in that state; one that is there already with it is left as it is.

        Raises InputInvalid when another space is in the state, of which only history may hold several.
        """
        with self._transaction() as conn:
            return self._registered(conn, fingerprint, state, by)

    def adopt(self, fingerprint: Fingerprint, by: str) -> Space:
        """The space is the active one, and what was active or filling is history; in one transaction.

        Only after a witness has agreed: Mendory believes from here on that the table's vectors are of it.
        """
        with self._transaction() as conn:
            at = self._clock().isoformat()
            for space in _all(conn):
                if space.state is not SpaceState.RETIRED:
                    if compare(space.fingerprint, fingerprint).verdict is Verdict.SAME and (
                        space.state is SpaceState.ACTIVE
                    ):
                        return space
                    conn.execute(_at(space.id).values(state=SpaceState.RETIRED.value, since=at))
            return self._registered(conn, fingerprint, SpaceState.ACTIVE, by)

    def move(self, space_id: str, state: SpaceState) -> None:
        """The space is in that state from now on; raises InputInvalid when it is unknown or another one is in it."""
        with self._transaction() as conn:
            known = {s.id: s for s in _all(conn)}
            if space_id not in known:
                raise InputInvalid(f"There is no space {space_id[:8]}. Nothing was changed. See 'mendory spaces'.")
            _check_free(known.values(), state, space_id)
            conn.execute(_at(space_id).values(state=state.value, since=self._clock().isoformat()))

    def _registered(self, conn: sa.Connection, fingerprint: Fingerprint, state: SpaceState, by: str) -> Space:
        known = _all(conn)
        for space in known:
            if space.state is state and compare(space.fingerprint, fingerprint).verdict is Verdict.SAME:
                return space
        _check_free(known, state, fingerprint.id)
        space = Space(fingerprint.id, state, fingerprint, by, self._clock().isoformat())
        if any(held.id == space.id for held in known):  # bit for bit what it was when it was retired
            conn.execute(_at(space.id).values(state=state.value, by=by, since=space.since))
            return space
        last = conn.execute(sa.select(sa.func.max(t.space.c.seq))).scalar() or 0
        conn.execute(
            t.space.insert().values(
                id=space.id,
                seq=last + 1,
                state=state.value,
                identity=json.dumps(fingerprint.identity.as_json(), ensure_ascii=False),
                dimension=fingerprint.dimension,
                canaries=np.ascontiguousarray(fingerprint.vectors, dtype="<f4").tobytes(),
                by=by,
                since=space.since,
            )
        )
        return space


def _at(space_id: str) -> sa.Update:
    return t.space.update().where(t.space.c.id == space_id)


def _check_free(known: Any, state: SpaceState, space_id: str) -> None:
    taken = [s for s in known if s.state is state and s.id != space_id]
    if state is not SpaceState.RETIRED and taken:
        raise InputInvalid(
            f"The space '{taken[0].name}' is {state.value} already, and only one may be. Nothing was changed. "
            "Retire it first, or adopt the new one: mendory spaces --adopt --as NAME."
        )


def _all(conn: sa.Connection) -> tuple[Space, ...]:
    return tuple(_space(row) for row in conn.execute(sa.select(t.space).order_by(t.space.c.seq)))


def _space(row: Any) -> Space:
    vectors = np.frombuffer(row.canaries, dtype="<f4")
    if len(vectors) != len(CANARIES) * row.dimension:
        raise LedgerCorrupt(
            f"Space {row.id[:8]} of the ledger holds {len(vectors)} numbers instead of {len(CANARIES)} × "
            f"{row.dimension}. Nothing was concluded. Restore the ledger from a backup."
        )
    fingerprint = Fingerprint(Identity(**json.loads(row.identity)), vectors.reshape(len(CANARIES), row.dimension))
    return Space(row.id, SpaceState(row.state), fingerprint, row.by, row.since)
