"""The moves of a table to another space: one at a time, every stage a link of the chain, the pointer switched in one.

Which space is searched is the one row of `space` that is active. A switch and a way back each swap two rows in the
transaction that records the stage, so nobody ever sees the one without the other.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

import sqlalchemy as sa

from mendory import digest
from mendory.errors import MigrationRefused
from mendory.ledger import chain
from mendory.ledger import schema as t
from mendory.ledger.plans import Transaction
from mendory.migration.stages import OPEN, SEARCHED, Stage, require, said
from mendory.spaces import SpaceState

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Passed:
    """One stage that a move reached, by whom, when, and what was known then: digests and numbers, no text."""

    stage: Stage
    by: str
    at: datetime
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Move:
    """A move from the space `old` to the space `new`, whose vectors are in `column`; `passed` is oldest first."""

    id: str
    old: str
    new: str
    column: str
    passed: tuple[Passed, ...]

    @property
    def stage(self) -> Stage:
        """The stage it is in."""
        return self.passed[-1].stage

    @property
    def open(self) -> bool:
        """True while it is under way."""
        return self.stage in OPEN

    def last(self, stage: Stage) -> Passed | None:
        """When it reached the stage last; None when it never did."""
        return next((p for p in reversed(self.passed) if p.stage is stage), None)


class Moves:
    """The tables of moves."""

    def __init__(self, transaction: Transaction, reading: Transaction, clock: Callable[[], datetime]) -> None:
        self._transaction, self._reading, self._clock = transaction, reading, clock

    def all(self) -> tuple[Move, ...]:
        """Every move there ever was, in the order they began."""
        with self._reading() as conn:
            return _all(conn)

    def current(self) -> Move | None:
        """The move under way, if there is one."""
        return next((move for move in self.all() if move.open), None)

    def begin(self, old: str, new: str, column: str, by: str, told: Mapping[str, Any] = _NOTHING) -> Move:
        """A move is registered; raises MigrationRefused, naming it, when one is under way."""
        with self._transaction() as conn:
            held = next((move for move in _all(conn) if move.open), None)
            if held is not None:
                raise MigrationRefused(
                    f"Move {held.id[:8]} is {said(held.stage)}, and a table makes one at a time. Nothing was "
                    "registered. Finish it, or go back: mendory migrate rollback --as NAME."
                )
            ident = secrets.token_hex(16)
            last = conn.execute(sa.select(sa.func.max(t.move.c.seq))).scalar() or 0
            conn.execute(
                t.move.insert().values(id=ident, seq=last + 1, old_space=old, new_space=new, column=column, open=True)
            )
            self._pass(conn, ident, Stage.REGISTERED, by, told)
            return _one(conn, ident)

    def to(self, ident: str, stage: Stage, by: str, told: Mapping[str, Any] = _NOTHING) -> Move:
        """The move is in the stage from now on, and the space that belongs to it is the one that is searched.

        Raises MigrationRefused, with nothing changed, where that does not follow from the stage it is in.
        """
        with self._transaction() as conn:
            held = _one(conn, ident)
            require(held.stage, stage)
            if (stage in SEARCHED) != (held.stage in SEARCHED):
                _swap(conn, held, stage, self._clock().isoformat())
            if stage not in OPEN:
                _end(conn, held, stage, self._clock().isoformat())
            self._pass(conn, ident, stage, by, told)
            return _one(conn, ident)

    def note(self, ident: str, by: str, told: Mapping[str, Any]) -> Move:
        """What became known while the move stays in its stage is on record."""
        with self._transaction() as conn:
            self._pass(conn, ident, _one(conn, ident).stage, by, told)
            return _one(conn, ident)

    def digest(self, conn: sa.Connection, ref: str) -> str | None:
        """Digest of a stage that was passed as it stands, and of the move it belongs to; None when it is gone."""
        row = conn.execute(
            sa.select(t.move_stage, t.move.c.old_space, t.move.c.new_space, t.move.c.column)
            .join_from(t.move_stage, t.move)
            .where(t.move_stage.c.id == ref)
        ).first()
        return None if row is None else digest.of(list(row))

    def _pass(self, conn: sa.Connection, ident: str, stage: Stage, by: str, told: Mapping[str, Any]) -> None:
        ref = secrets.token_hex(16)
        last = conn.execute(sa.select(sa.func.max(t.move_stage.c.seq))).scalar() or 0
        conn.execute(
            t.move_stage.insert().values(
                id=ref,
                seq=last + 1,
                move_id=ident,
                stage=stage.value,
                by=by,
                at=self._clock().isoformat(),
                told=json.dumps(dict(told), sort_keys=True, ensure_ascii=False),
            )
        )
        payload = self.digest(conn, ref)
        assert payload is not None
        chain.append(conn, "move", ref, payload)


def _swap(conn: sa.Connection, move: Move, stage: Stage, at: str) -> None:
    """The new space is searched, or the old one again; the other is filled on, so that nothing written is lost."""
    searched, other = (move.new, move.old) if stage in SEARCHED else (move.old, move.new)
    for space, state in (
        (other, SpaceState.RETIRED),  # only one may be active at any moment
        (searched, SpaceState.ACTIVE),
        (other, SpaceState.FILLING),
    ):
        conn.execute(t.space.update().where(t.space.c.id == space).values(state=state.value, since=at))


def _end(conn: sa.Connection, move: Move, stage: Stage, at: str) -> None:
    """The move is over, and the space that is not searched is history."""
    left = move.old if stage is Stage.RETIRED else move.new
    conn.execute(t.space.update().where(t.space.c.id == left).values(state=SpaceState.RETIRED.value, since=at))
    conn.execute(t.move.update().where(t.move.c.id == move.id).values(open=False))


def _all(conn: sa.Connection) -> tuple[Move, ...]:
    return tuple(_move(conn, row) for row in conn.execute(sa.select(t.move).order_by(t.move.c.seq)).all())


def _one(conn: sa.Connection, ident: str) -> Move:
    row = conn.execute(sa.select(t.move).where(t.move.c.id == ident)).first()
    if row is None:
        raise MigrationRefused(f"There is no move {ident[:8]}. Nothing was changed. See 'mendory migrate status'.")
    return _move(conn, row)


def _move(conn: sa.Connection, row: Any) -> Move:
    stages = conn.execute(sa.select(t.move_stage).where(t.move_stage.c.move_id == row.id).order_by(t.move_stage.c.seq))
    passed = tuple(Passed(Stage(s.stage), s.by, datetime.fromisoformat(s.at), json.loads(s.told)) for s in stages)
    return Move(row.id, row.old_space, row.new_space, row.column, passed)
