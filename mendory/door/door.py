"""The door for an agent's own code: add, update, archive, get and check memories in the owner's table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import pyarrow as pa

from mendory.config import FILE_NAME, Config
from mendory.door.adding import spread_out
from mendory.door.answering import Answering
from mendory.door.checking import checked, wanted_ids
from mendory.door.embedders import Embedders, Embeds
from mendory.door.expecting import Expect, Expectation
from mendory.door.following import Following
from mendory.door.guard import Admitted, Guard
from mendory.door.held import Held
from mendory.door.judging import Fault, change_faults, column_faults, id_faults, judge, refuse
from mendory.door.ledger import LedgerView
from mendory.door.opened import Opened, Opening
from mendory.errors import InputInvalid
from mendory.finding import Finding
from mendory.ranking import Recall
from mendory.recalls import Recalls
from mendory.record import Status
from mendory.side import overlaid
from mendory.telemetry import Telemetry


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return str(uuid4())


class Door:
    """One table, open for the code of the agent whose memory it is. Threads may share it.

    Every write is one plain LanceDB call on one row, held to the row's id and old values, and counted: it happens
    as a whole or not at all. What was written is noted in the telemetry file, without any text;
    `telemetry.unwritten` counts the writes that could not be noted.
    """

    def __init__(
        self,
        config: Config,
        embedder: Embeds | Sequence[Embeds] | None = None,
        clock: Callable[[], datetime] = _now,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self.config, self._clock, self._new_id = config, clock, new_id
        self._ledger = LedgerView(config.ledger_url)
        self.telemetry = Telemetry(config.telemetry_path, config.door_place, config.telemetry.keep)
        self._recalls = Recalls(config.telemetry_path, config.door_place, config.telemetry.keep)
        self._answering = Answering(self._recalls, clock)
        embedders = Embedders(config, embedder, self._ledger)
        opening = Opening(config, self._ledger, embedders, self.telemetry, clock, self._would_be)
        self._following, self._checking = Following(self._ledger, opening), Lock()
        self._at()

    def _at(self) -> Opened:
        """The table as the spaces are now."""
        return self._following.now()[0]

    @property
    def guard(self) -> Guard:
        """Compares a memory that is about to be written with those of its scope."""
        return self._at().guard

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """The telemetry file is closed; a further write or recall opens it again."""
        self.telemetry.close()
        self._recalls.close()

    def add(
        self,
        content: str,
        *,
        scope: str | None = None,
        source: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        kind: str | None = None,
        claim: Mapping[str, Any] | None = None,
        id: str | None = None,  # noqa: A002
        status: str = Status.ACTIVE.value,
        created_at: datetime | None = None,
        batch_id: str | None = None,
        related_ids: Sequence[str] = (),
        related_notes: Sequence[str] = (),
        embedding: Sequence[float] | None = None,
        columns: Mapping[str, Any] | None = None,
    ) -> str:
        """The memory is in the table, once, under the id returned.

        Args:
            content: The text. It is embedded into the table's space unless `embedding` is given.
            scope: Whose memory it is; required where the table has a place for it.
            source: Who said it; required where the table has a place for it.
            metadata: Values by key, as JSON has them.
            kind: fact, preference, ephemeral, event, procedure or other.
            claim: What it claims, as JSON has it.
            id: Its id; a new one by default.
            status: active, pending_review or archived.
            created_at: When it was first stored, with its time zone; now by default.
            batch_id: The import batch it came with.
            related_ids: Ids of related memories, which must be there and of the same scope.
            related_notes: Notes to keep with it.
            embedding: Its vector, when the caller has it already.
            columns: Values of the owner's own columns that hold no field of a memory.

        Raises:
            MemoryRefused: With every fault; nothing was written. An exact double write is one (`duplicate_exact`).
            SpaceUnknown: The embedder's vectors are not of the table's space; nothing was written.
        """
        given = {
            "content": content,
            "scope": scope,
            "source": source,
            "metadata": metadata,
            "kind": kind,
            "claim": claim,
            "status": status,
            "created_at": created_at,
            "batch_id": batch_id,
            "related_ids": related_ids,
            "related_notes": related_notes,
        }
        now, at = self._clock(), self._at()
        new = at.adding.ready(self._new_id() if id is None else id, given, columns, embedding, now)
        admitted = self._admitted(at, now, refuses=self.config.guard.duplicate_exact == "refuse")

        def made(schema: pa.Schema) -> pa.Table:
            return admitted.row(new.id, self._shown(at, new.made(schema)))

        admitted.note(new.id, at.rows.insert(new.id, made, new.written, now))
        return new.id

    def _admitted(self, at: Opened, now: datetime, *, refuses: bool) -> Admitted:
        return Admitted(at.guard, self.telemetry, now, refuses)

    def _shown(self, at: Opened, row: pa.Table) -> pa.Table:
        """The new row, which the owner's reader will return."""
        with self._checking:
            at.visible.require(row, at.reader)
        return row

    def _would_be(self, memory: Mapping[str, Any]) -> pa.Table:
        """The row that `add` would write for these arguments of it; raises as `add` does."""
        given = {"status": Status.ACTIVE.value, **memory}
        name, columns, vector = (given.pop(key, None) for key in ("id", "columns", "embedding"))
        at = self._at()
        new = at.adding.ready(_new_id() if name is None else name, given, columns, vector, self._clock())
        return self._shown(at, new.made(new.schema))

    def update(
        self,
        id: str,  # noqa: A002
        *,
        expect: Expect = None,
        embedding: Sequence[float] | None = None,
        columns: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> None:
        """These fields of the memory have these values, its `updated_at` is now, and nothing else of its row changed.

        `metadata` sets the keys that are given; all others keep their bytes. A new content is embedded anew.

        Args:
            id: Which memory.
            expect: What the caller takes it for: a memory from `get`, or values by field. It is changed only while
                that is so.
            embedding: The vector of a new content, when the caller has it already.
            columns: New values of the owner's own columns that hold no field of a memory.
            **changes: New values by field; None takes a value away.

        Raises:
            MemoryRefused: With every fault; nothing was written.
            MemoryNotFound: No memory has that id.
            StaleMemory: It is not what `expect` says, or somebody changed it meanwhile; nothing was written.
        """
        now, expected, at = self._clock(), Expectation.of(expect), self._at()
        if not changes and not columns and embedding is None:
            raise InputInvalid("An update names no field. Nothing was written. Name what is to change.")
        faults = [*id_faults(id), *judge(changes, at.adding.has_place, now, new=False, most=at.embedding.most)]
        faults += [*change_faults(changes), *column_faults(columns)]
        schema = at.rows.schema()
        if "content" in changes:
            faults += at.embedding.faults(embedding, schema)
        elif embedding is not None:
            faults.append(Fault("no_place", "a vector is written with its content, never alone"))
        refuse(faults)
        spread, further = spread_out(changes, whole=False), dict(columns or {})
        if "content" in changes:
            if (vector := at.embedding.of(changes["content"], embedding, schema)) is not None:
                spread["embedding"] = vector
            if at.beside is not None:
                further |= at.beside.columns(changes["content"], schema)
        admitted = self._admitted(at, now, refuses=False)
        judged = admitted.row if "content" in changes else None
        done = at.rows.change("update", id, at.touched(spread, now), further, expected, now, judged)
        admitted.note(id, done)

    def archive(
        self,
        id: str,  # noqa: A002
        *,
        superseded_by: str | None = None,
        expect: Expect = None,
    ) -> None:
        """The owner's reader does not return the memory any more; `get` still does.

        Args:
            id: Which memory.
            superseded_by: The newer memory that replaces it, which must be there and of the same scope.
            expect: As in `update`.

        Raises:
            MemoryRefused: Nothing makes the owner's reader stop returning a row, or another fault.
            MemoryNotFound: No memory has that id.
            StaleMemory: As in `update`.
        """
        now, expected, at = self._clock(), Expectation.of(expect), self._at()
        faults = [*id_faults(id)]
        if not at.mapping.can_hide:
            faults.append(Fault("cannot_hide", "nothing makes the owner's reader stop returning a row"))
        changes = {"status": Status.ARCHIVED.value}
        if superseded_by is not None:
            faults += judge({"superseded_by": superseded_by}, at.adding.has_place, now, new=False)
            changes["superseded_by"] = superseded_by
        refuse(faults)
        at.rows.change("archive", id, at.touched(changes, now), {}, expected, now)

    def get(self, id: str) -> Held:  # noqa: A002
        """The memory of that id as it is now, archived or not; raises MemoryNotFound."""
        refuse([*id_faults(id)], "Nothing was read.")
        rows = self._at().rows
        row, memory, version = rows.one(id)
        memory = overlaid(memory, self._ledger.notes(id))
        return Held(memory, version, rows.digest(row))

    def recall(
        self, query: str, scope: str | None = None, k: int = 10, *, embedding: Sequence[float] | None = None
    ) -> Recall:
        """The memories of a scope that are worth most for a query, best first, as the table is now.

        Of the scope asked for and of those that contain it (`[scopes] parents`), never of a sibling; the scope is
        compared as a whole and before the search. Archived memories are left out, disputed ones returned with their
        mark; an exception stands before its general memory where the query speaks of its scene. Ordered by similarity
        × weight (docs/recall.md). Nothing is written but, in the telemetry file, from which space it was answered and
        how long it took.

        Args:
            query: The text. It is embedded as a query into the table's space unless `embedding` is given.
            scope: Whose memories; required where the table has a place for it.
            k: How many at most, 1 to 1000. `Recall.fewer` says why there are fewer.
            embedding: The query's vector, when the caller has it already.

        Raises:
            InputInvalid: A blank query, a k out of bounds, no scope; nothing was searched.
            QueryRefused: There is no vector to search with, or one of another length than the table's.
            SpaceUnknown: The embedder's vectors are not of the table's space.
        """
        return self._answering.recall(*self._following.now(), query, scope, k, embedding)

    def check(self, ids: Sequence[str] | None = None) -> tuple[Finding, ...]:
        """What is wrong with the memories of these ids, or with any in the table; nothing is written.

        With `ids` each row is examined by itself and with what it refers to; texts are compared among them alone.
        What a person has dismissed is found all the same.
        """
        wanted, at = wanted_ids(ids), self._at()
        with self._checking:
            return checked(self.config, at, self._ledger, wanted)


def open_door(
    config: Config | Path | str = FILE_NAME,
    *,
    embedder: Embeds | Sequence[Embeds] | None = None,
    clock: Callable[[], datetime] = _now,
    new_id: Callable[[], str] = _new_id,
) -> Door:
    """The door to the table that a configuration, or the file that holds it, names; see `mendory.open`."""
    return Door(config if isinstance(config, Config) else Config.load(Path(config)), embedder, clock, new_id)
