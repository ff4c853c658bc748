"""The spaces of the table: at most one active and one filling, the others history."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import sqlalchemy as sa

from mendory.embedder_section import EmbedderSection
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

    def register(
        self,
        fingerprint: Fingerprint,
        state: SpaceState,
        by: str,
        column: str | None = None,
        embedder: EmbedderSection | None = None,
    ) -> Space:
        """The space is known in that state; one that is there already with it is left as it is.

        `column` is where its vectors are, `embedder` how they are made.

        Raises InputInvalid when another space is in the state, of which only history may hold several.
        """
        with self._transaction() as conn:
            return self._registered(conn, fingerprint, state, by, column, embedder)

    def adopt(self, fingerprint: Fingerprint, by: str, embedder: EmbedderSection | None = None) -> Space:
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
                        return self._made_by(conn, space, embedder)
                    conn.execute(_at(space.id).values(state=SpaceState.RETIRED.value, since=at))
            return self._registered(conn, fingerprint, SpaceState.ACTIVE, by, None, embedder)

    def move(self, space_id: str, state: SpaceState) -> None:
        """The space is in that state from now on; raises InputInvalid when it is unknown or another one is in it."""
        with self._transaction() as conn:
            known = {s.id: s for s in _all(conn)}
            if space_id not in known:
                raise InputInvalid(f"There is no space {space_id[:8]}. Nothing was changed. See 'mendory spaces'.")
            _check_free(known.values(), state, space_id)
            conn.execute(_at(space_id).values(state=state.value, since=self._clock().isoformat()))

    def _made_by(self, conn: sa.Connection, space: Space, embedder: EmbedderSection | None) -> Space:
        """The space, whose vectors are made so from now on where that is said."""
        if embedder is None or space.embedder == embedder:
            return space
        conn.execute(_at(space.id).values(embedder=_told(embedder)))
        return replace(space, embedder=embedder)

    def _registered(
        self,
        conn: sa.Connection,
        fingerprint: Fingerprint,
        state: SpaceState,
        by: str,
        column: str | None,
        embedder: EmbedderSection | None,
    ) -> Space:
        known = _all(conn)
        for space in known:
            if space.state is state and compare(space.fingerprint, fingerprint).verdict is Verdict.SAME:
                return space
        _check_free(known, state, fingerprint.id)
        space = Space(fingerprint.id, state, fingerprint, by, self._clock().isoformat(), column, embedder)
        if any(held.id == space.id for held in known):  # bit for bit what it was when it was retired
            said = {"state": state.value, "by": by, "since": space.since}
            conn.execute(_at(space.id).values(**said, column=column, embedder=_told(embedder)))
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
                column=column,
                embedder=_told(embedder),
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
    made = None if row.embedder is None else EmbedderSection.model_validate_json(row.embedder)
    return Space(row.id, SpaceState(row.state), fingerprint, row.by, row.since, row.column, made)


def _told(embedder: EmbedderSection | None) -> str | None:
    return None if embedder is None else embedder.model_dump_json(exclude_unset=True)
