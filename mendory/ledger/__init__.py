"""The ledger: the fsynced memory of everything planned, decided, tried and done.

SQLite in WAL mode with synchronous=FULL by default, PostgreSQL for several machines. One `Ledger` per database, or
per schema of one; its parts are grouped by subject: `plans`, `decisions`, `intents`, `findings`, `asides`, `spaces`,
`thresholds`, `checkpoints`, `approvers`, `answers`, `notices`, `words`, `evidence`, `choices`, `events`, `moves`,
`move_answers`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from mendory import digest
from mendory.errors import LedgerCorrupt, LedgerMismatch
from mendory.ledger import chain, database, schema
from mendory.ledger.answers import Answers
from mendory.ledger.approvers import Approvers
from mendory.ledger.asides import Asides
from mendory.ledger.checkpoints import Checkpoints
from mendory.ledger.choices import Choices
from mendory.ledger.decisions import Decisions
from mendory.ledger.events import Events
from mendory.ledger.evidence import Evidence
from mendory.ledger.findings import Findings
from mendory.ledger.intents import Intents
from mendory.ledger.migrate import upgrade
from mendory.ledger.move_answers import MoveAnswers
from mendory.ledger.moves import Moves
from mendory.ledger.notices import Notices
from mendory.ledger.plans import Plans
from mendory.ledger.records import IntentState
from mendory.ledger.spaces import Spaces
from mendory.ledger.thresholds import CalibratedThresholds
from mendory.ledger.words import Words
from mendory.private import private_file

Clock = Callable[[], datetime]
_T = TypeVar("_T")


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Ledger:
    """An open ledger. `clock` gives the time of everything it records."""

    def __init__(self, engine: sa.Engine, clock: Clock = utc_now) -> None:
        self._engine = engine
        self.clock = clock
        self.plans = Plans(self.transaction, clock)
        self.decisions = Decisions(self.transaction, clock)
        self.intents = Intents(self.transaction, clock)
        self.asides = Asides(self.reading, self.transaction)
        self.findings = Findings(self.transaction, self.reading, clock)
        self.spaces = Spaces(self.transaction, self.reading, clock)
        self.thresholds = CalibratedThresholds(self.transaction, self.reading, clock)
        self.checkpoints = Checkpoints(self.transaction, self.reading, clock)
        self.approvers = Approvers(self.transaction, self.reading, clock)
        self.answers = Answers(self.transaction, self.reading, clock)
        self.notices = Notices(self.transaction, self.reading, clock)
        self.words = Words(self.transaction, self.reading, clock)
        self.evidence = Evidence(self.reading, self.words.changes, clock)
        self.choices = Choices(self.transaction, self.reading, clock)
        self.events = Events(self.transaction, self.reading, clock)
        self.moves = Moves(self.transaction, self.reading, clock)
        self.move_answers = MoveAnswers(self.transaction, self.reading, clock)

    @classmethod
    def open(cls, url: str, clock: Clock = utc_now, create: bool = True) -> Ledger:
        """The ledger at `url`, brought to the newest schema; a new file is readable by its owner alone.

        Raises LedgerMismatch when there is none and `create` is False.
        """
        if not create and not database.exists(url):
            raise LedgerMismatch(
                f"There is no ledger at {database.shown(url)}. Nothing was done. Run 'mendory plan' first."
            )
        path = database.file_of(url)
        if path is not None and not path.exists():
            private_file(path)
        ledger = cls(database.engine(url), clock)
        try:
            upgrade(ledger._engine)
        except sa.exc.DatabaseError as error:
            raise database.unopened(url, error) from None
        return ledger

    @classmethod
    def in_memory(cls, clock: Clock = utc_now) -> Ledger:
        """A ledger that lives as long as the object: for rehearsals and simulations."""
        ledger = cls(database.engine("sqlite://"), clock)
        schema.metadata.create_all(ledger._engine)
        return ledger

    @staticmethod
    def exists(url: str) -> bool:
        """True when there is something to open at `url`; asking makes nothing."""
        return database.exists(url)

    def close(self) -> None:
        """The connections are closed."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """One transaction: all of it is recorded and on disk, or nothing. Raises Unavailable when it can't be now."""
        try:
            with self._engine.begin() as conn:
                yield conn
        except sa.exc.DBAPIError as error:
            if (known := database.named(error)) is None:
                raise
            raise known from error

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that only reads and waits for no writer."""
        try:
            with self._engine.connect().execution_options(reading=True) as conn:
                yield conn
        except sa.exc.DBAPIError as error:
            if (known := database.named(error)) is None:
                raise
            raise known from error

    def size(self) -> int:
        """How many bytes it takes on disk."""
        with self.reading() as conn:
            return database.size(conn)

    def durable(self) -> bool:
        """True when what is recorded outlives a power cut; only a server may be set up otherwise."""
        with self.reading() as conn:
            return database.durable(conn)

    def once(self, work: Callable[[Ledger], _T]) -> _T:
        """What `work` returns; everything it did to the ledger it is handed is one transaction.

        When another process recorded the same thing first, nothing of it stands and it is done again, once: it then
        sees what that one recorded.
        """
        try:
            with self.transaction() as conn:
                return work(_Within(conn, self.clock))
        except sa.exc.IntegrityError:
            with self.transaction() as conn:
                return work(_Within(conn, self.clock))

    @property
    def id(self) -> str:
        """The ledger's own id, made at first use."""
        known = sa.select(schema.meta.c.value).where(schema.meta.c.key == "ledger_id")
        with self.reading() as conn:
            held = conn.execute(known).scalar()
        if held is not None:
            return str(held)
        with self.transaction() as conn:
            held = conn.execute(known).scalar()
            if held is None:
                held = secrets.token_hex(16)
                conn.execute(schema.meta.insert().values(key="ledger_id", value=held))
            return str(held)

    def verify(self) -> int:
        """The number of links in the hash chain, when every one and every record behind it holds."""
        with self.reading() as conn:
            self._all_linked(conn)
            return chain.verify(
                conn,
                {
                    "intent": lambda ref: self.intents.opened_digest(conn, ref),
                    "receipt": lambda ref: self.intents.closed_digest(conn, ref),
                    "decision": lambda ref: self.decisions.digest(conn, ref),
                    "enrolment": lambda ref: self.approvers.enrolled_digest(conn, ref),
                    "revocation": lambda ref: self.approvers.revoked_digest(conn, ref),
                    "answer": lambda ref: self.answers.digest(conn, ref),
                    "word": lambda ref: self.words.digest(conn, ref),
                    "event": lambda ref: self.events.digest(conn, ref),
                    "choice": lambda ref: self.choices.given_digest(conn, ref),
                    "choice_end": lambda ref: self.choices.ended_digest(conn, ref),
                    "move": lambda ref: self.moves.digest(conn, ref),
                    "move_answer": lambda ref: self.move_answers.digest(conn, ref),
                },
            )

    def _all_linked(self, conn: sa.Connection) -> None:
        """Return when every record the chain should hold is in it; else raise LedgerCorrupt."""
        c = schema.chain.c
        intent = schema.intent.c
        about_moves = sa.select(schema.move_answer.c.round)
        for kind, ids in (
            ("decision", sa.select(schema.decision.c.id)),
            ("intent", sa.select(intent.rid)),
            ("receipt", sa.select(intent.rid).where(intent.state != IntentState.OPEN.value)),
            ("resolution", sa.select(intent.rid).where(intent.resolution.is_not(None))),
            ("enrolment", sa.select(schema.approver.c.id)),
            ("enrolment", sa.select(schema.code_use.c.approver_id)),
            ("revocation", sa.select(schema.approver.c.id).where(schema.approver.c.revoked_at.is_not(None))),
            ("answer", sa.select(schema.answer.c.round)),
            ("answer", sa.select(schema.code_use.c.round).where(schema.code_use.c.round.not_in(about_moves))),
            ("move_answer", about_moves),
            ("word", sa.select(schema.word.c.id)),
            ("event", sa.select(schema.event.c.id)),
            ("choice", sa.select(schema.choice.c.id)),
            ("choice_end", sa.select(schema.choice.c.id).where(schema.choice.c.ended_at.is_not(None))),
            ("move", sa.select(schema.move_stage.c.id)),
        ):
            linked = set(conn.execute(sa.select(c.ref).where(c.kind == kind)).scalars())
            stray = sorted(set(conn.execute(ids).scalars()) - linked)
            if stray:
                raise LedgerCorrupt(
                    f"{len(stray)} records of the ledger ({kind} {stray[0]}) are in no link of its chain: they were "
                    "not written by Mendory. Nothing was applied. Restore the ledger from a backup and compare."
                )

    def adopt(self, by: str) -> None:
        """A person accepts the table as it is now: earlier repairs are history and bind nothing any more.

        For a table that went back in time, was restored, or comes with another ledger.
        """
        with self.transaction() as conn:
            last = conn.execute(sa.select(sa.func.max(schema.intent.c.seq))).scalar() or 0
            key = schema.meta.c.key == "adopted"
            if not conn.execute(schema.meta.update().where(key).values(value=str(last))).rowcount:
                conn.execute(schema.meta.insert().values(key="adopted", value=str(last)))
            conn.execute(schema.intent_unit.update().values(live=False))
            chain.append(conn, "adoption", str(last), digest.of([last, by, self.clock().isoformat()]))

    def note_run(self, kind: str, plan_id: str | None, body: dict[str, Any]) -> str:
        """Record what a run did; returns the run's id."""
        run = secrets.token_hex(8)
        with self.transaction() as conn:
            conn.execute(
                schema.run.insert().values(
                    id=run, kind=kind, plan_id=plan_id, at=self.clock().isoformat(), body=json.dumps(body)
                )
            )
        return run

    def runs(self, plan_id: str | None = None) -> list[dict[str, Any]]:
        """Recorded runs, oldest first; of one plan where given."""
        query = sa.select(schema.run).order_by(schema.run.c.at)
        if plan_id is not None:
            query = query.where(schema.run.c.plan_id == plan_id)
        with self.transaction() as conn:
            return [
                {"id": r.id, "kind": r.kind, "plan": r.plan_id, "at": r.at, **json.loads(r.body)}
                for r in conn.execute(query)
            ]


class _Within(Ledger):
    """The ledger inside a transaction of its own: whatever its parts do is part of that one."""

    def __init__(self, conn: sa.Connection, clock: Clock) -> None:
        self._conn = conn
        super().__init__(conn.engine, clock)

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """The transaction there is."""
        yield self._conn

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """The transaction there is: it sees what it wrote."""
        yield self._conn
