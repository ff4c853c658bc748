"""One row at a time: read, added or changed as a whole, and every write noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from threading import RLock
from typing import Any, Final

import pyarrow as pa

from mendory import digest
from mendory.door.expecting import Expectation
from mendory.door.judging import Fault, refusal, refuse
from mendory.door.shaping import changed_row, places_of
from mendory.errors import CommitConflict, MemoryNotFound, StaleMemory
from mendory.lance import OwnTable
from mendory.lance.door import ColumnsMoved
from mendory.mapping import Mapping as FieldMapping
from mendory.record import Memory
from mendory.telemetry import DoorWrite, Telemetry

_TRIES: Final = 5
_POINTERS: Final = ("superseded_by", "duplicate_of")


class OwnRows:
    """The rows of the owner's table, for the owner's own writes. Threads take turns."""

    def __init__(self, table: OwnTable, mapping: FieldMapping, telemetry: Telemetry) -> None:
        self._table, self._mapping, self._telemetry = table, mapping, telemetry
        self._lock = RLock()
        self._fits: pa.Schema | None = None

    def schema(self) -> pa.Schema:
        """The table's Arrow schema as it is now; raises SchemaMismatch once the mapping does not fit it any more."""
        with self._lock:
            return self._fitting(self._table.schema())

    def _fitting(self, schema: pa.Schema) -> pa.Schema:
        if schema != self._fits:
            self._mapping.check(schema)
            self._fits = schema
        return schema

    def one(self, ident: str) -> tuple[pa.Table, Memory, int]:
        """(the row of that id, the memory in it, the version read); raises MemoryNotFound."""
        with self._lock:
            read = self._table.read(ident)
            self._fitting(read.rows.schema)
        if not read.rows.num_rows or ident in self._mapping.skip_ids:
            raise MemoryNotFound(f"No memory has the id {ident!r}. Nothing was written. Check the id.")
        if read.rows.num_rows > 1:
            count = read.rows.num_rows
            refuse([Fault("duplicate_id", f"{count} rows share the id {ident!r}, so no one of them is meant")])
        return read.rows, self._mapping.memories(read.rows)[0], read.version

    def digest(self, row: pa.Table) -> str:
        """The digest of a row: all of it but what a mere read changes."""
        return digest.row_digests(row, self._mapping.volatile)[0]

    def insert(self, ident: str, made: Callable[[pa.Schema], pa.Table], fields: Sequence[str], now: datetime) -> int:
        """The row that `made` makes for the table's schema is in the table, from the version returned on.

        Raises MemoryRefused when its id was there already, or a reference leads nowhere.
        """
        with self._lock:
            for _ in range(_TRIES):
                row = made(self.schema())
                memory = self._mapping.memories(row)[0]
                refuse(self._reference_faults(ident, memory.scope, memory.related_ids))
                try:
                    version = self._table.insert(row)
                except ColumnsMoved:
                    continue
                if version is None:
                    raise refusal([Fault("id_exists", "the table has a row of this id")])
                self._note(now, "add", ident, None, row, version, fields)
                return version
        raise _restless()

    def change(
        self,
        verb: str,
        ident: str,
        changes: Mapping[str, Any],
        columns: Mapping[str, Any],
        expected: Expectation,
        now: datetime,
        judged: Callable[[str, pa.Table], object] | None = None,
    ) -> int:
        """The row has these fields and further columns of the owner, and nothing else of it changed; the new version.

        `judged` is told of the id and the row just before it is written.

        Raises StaleMemory, with nothing written, when it is not as expected or somebody changed it meanwhile. What a
        mere read changes does not count: then the same change is made to the row as it is now.
        """
        first, moved = None, False
        with self._lock:
            for _ in range(_TRIES):
                old, memory, version = self.one(ident)
                first, moved = (None if moved else first), False
                now_held = self.digest(old)
                if first not in (None, now_held) or not expected.holds(memory, now_held):
                    break
                first = now_held
                targets = [*(changes.get("related_ids") or ()), *(changes[n] for n in _POINTERS if changes.get(n))]
                refuse(self._reference_faults(ident, changes.get("scope", memory.scope), targets))
                new, places = changed_row(self._mapping, old, changes, columns, now)
                if judged is not None:
                    judged(ident, new)
                try:
                    done = self._table.change(old, new, places, self._guarded(old.schema, places, expected.fields))
                except ColumnsMoved:
                    moved = True
                    continue
                if done is not None:
                    fields = [*(n for n in changes if n != "updated_at"), *columns]
                    self._note(now, verb, ident, old if version == done - 1 else None, new, done, fields)
                    return done
        if moved:
            raise _restless()
        raise StaleMemory(
            f"Memory {ident!r} is not what it was taken for, or was changed meanwhile. Nothing was written. "
            "Get it again and decide anew."
        )

    def _guarded(self, schema: pa.Schema, places: Sequence[str], expected: Sequence[str]) -> list[str]:
        """The places that must still hold what was read: those that change, and those the caller relies on."""
        volatile = self._mapping.volatile
        relied = [p for n in expected for p in places_of(self._mapping, schema, n) if p not in volatile]
        vector = self._mapping.column("embedding")  # written with its text, and NaN is like nothing else
        unread = {vector, *self._mapping.other_spaces}
        return [p for p in dict.fromkeys([*places, *relied]) if p not in unread]

    def _reference_faults(self, ident: str, scope: str | None, targets: Sequence[str]) -> list[Fault]:
        faults = []
        for target in targets:
            rows = self._mapping.memories(self._table.read(target).rows)
            if target == ident:
                faults.append(Fault("self_reference", "a memory can't refer to itself"))
            elif not rows:
                faults.append(Fault("reference_dangling", f"no memory has the id {target!r}"))
            elif any(row.scope != scope for row in rows):
                faults.append(Fault("cross_scope_reference", f"the memory {target!r} is of another scope"))
        return faults

    def _note(
        self,
        at: datetime,
        verb: str,
        ident: str,
        old: pa.Table | None,
        new: pa.Table,
        version: int,
        fields: Sequence[str],
    ) -> None:
        """One line in the telemetry file: digests of the row just before the write and just after it."""
        if old is None and verb != "add":  # others wrote between reading and writing: perhaps this row's other places
            old = _single(self._table.read_at(version - 1, ident))
            after = _single(self._table.read_at(version, ident))
            new = new if after is None else after
        scope = self._mapping.memories(new)[0].scope
        self._telemetry.note(
            DoorWrite(
                at,
                verb,
                ident,
                None if scope is None else digest.of(scope),
                None if old is None else self.digest(old),
                self.digest(new),
                version,
                tuple(sorted(fields)),
            )
        )


def _restless() -> CommitConflict:
    return CommitConflict(
        f"The table's columns changed while a row was written, {_TRIES} times. Nothing was written. Try again later."
    )


def _single(rows: pa.Table | None) -> pa.Table | None:
    return rows if rows is not None and rows.num_rows == 1 else None
