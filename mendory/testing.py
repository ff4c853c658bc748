"""Fakes for tests of code that repairs tables: a table in memory that commits the way Lance does.

`FakeStore` implements `mendory.executor.store.Store` and the part of a `Reader` that planning needs.
It keeps every version it ever had, so that a checker can replay the history whatever was cleaned up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mendory.errors import CommitConflict
from mendory.executor.store import Absent, Found, Unreadable
from mendory.mapping import VECTOR, VECTORLESS, further
from mendory.mapping import Mapping as FieldMapping
from mendory.record import Memory
from mendory.rows import with_values
from mendory.vectors import FACTS, facts
from mendory.work import Rows

Boundary = Callable[[str], None]
"""Called with `<method>:before` and `<method>:after` around every effect; what it raises stops the caller there."""


def _quiet(point: str) -> None:
    """Nothing happens at any boundary."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its id and itself as a one-row table."""

    id: str | None
    table: pa.Table


@dataclass(frozen=True, slots=True)
class Version:
    """A state of the table and how it came about.

    `touched` are the fragments of the version before that lost rows or went; who holds rows in one of
    them and read an earlier version can't commit any more.
    """

    number: int
    operation: str
    fragments: Mapping[int, tuple[Row, ...]]
    touched: frozenset[int] = frozenset()
    rid: str | None = None

    def rows(self) -> Iterator[Row]:
        """Every row, in the order of the fragments."""
        for number in sorted(self.fragments):
            yield from self.fragments[number]


class FakeStore:
    """A table of immutable versions, rows in numbered fragments, and a transaction history.

    As in Lance, rows that a commit matches move to a new fragment, their old fragment gets a deletion,
    and a commit conflicts with whatever touched a fragment that held its rows at its base; appends touch
    none. `update`, `delete`, `append`, `optimize` and `cleanup` are what other programs do to the table.
    """

    def __init__(
        self,
        rows: pa.Table,
        mapping: FieldMapping | None = None,
        rows_per_fragment: int = 4,
        boundary: Boundary = _quiet,
    ) -> None:
        self.mapping = mapping or FieldMapping.identity()
        self.schema = rows.schema
        self.boundary = boundary
        self.history: dict[int, Version] = {}
        self.oldest = 1
        """The oldest version that can still be read."""
        self.synced: set[int] = {1}
        """Versions whose files are known to be on disk."""
        self._numbers = 0
        self._ledger: str | None = None
        held = self._split(rows)
        pieces = [held[at : at + rows_per_fragment] for at in range(0, len(held), rows_per_fragment)]
        self._newest = 0
        self._add("create", {self._number(): tuple(piece) for piece in pieces})

    # --- the port ---------------------------------------------------------------------------------

    @property
    def id_column(self) -> str:
        """The column that holds ids."""
        return str(self.mapping.column("id"))

    @property
    def volatile(self) -> Collection[str]:
        """Columns that a mere read changes."""
        return self.mapping.volatile

    def latest(self) -> int:
        """The newest version."""
        self.boundary("latest:before")
        newest = self._newest
        self.boundary("latest:after")
        return newest

    def read_rows(self, ids: Sequence[str]) -> Rows:
        """The rows with these ids at the newest version, all columns; absent ids are left out."""
        self.boundary("read_rows:before")
        rows = Rows(self._newest, self.rows(ids))
        self.boundary("read_rows:after")
        return rows

    def commit(self, rows: pa.Table, base: int, rid: str) -> int:
        """The rows replace those of the same ids; returns the new version, which carries `rid`.

        Raises CommitConflict, with nothing written, when anything touched their fragments since `base`,
        when `base` is gone, or when the ids at `base` are not exactly one row each.
        """
        self.boundary("commit:before")
        if base < self.oldest or base not in self.history:
            raise CommitConflict(f"Version {base} was cleaned up. Nothing was written. It is tried again.")
        given = self._split(rows)
        ids = {row.id for row in given}
        held = {
            number: piece for number, piece in self.history[base].fragments.items() if any(r.id in ids for r in piece)
        }
        matched = sum(row.id in ids for piece in held.values() for row in piece)
        if matched != len(given) or len(ids) != len(given):
            raise CommitConflict(
                f"{matched} of {len(given)} rows matched by id. Nothing was written. It is tried again."
            )
        if self.conflicts(frozenset(held), base):
            raise CommitConflict("Another writer committed first. Nothing was written. It is tried again.")
        version = self._rewrite("commit", ids, given, rid, frozenset(held))
        self.boundary("commit:after")
        return version

    def conflicts(self, fragments: frozenset[int], base: int) -> bool:
        """True when a version after `base` touched one of the fragments."""
        return any(fragments & self.history[v].touched for v in range(base + 1, self._newest + 1))

    def find_commit(self, rid: str, after: int, through: int | None = None) -> Found | Absent | Unreadable:
        """Which version in (after, through] carries `rid`; through the newest when not given."""
        self.boundary("find_commit:before")
        found = self._find(rid, after, self._newest if through is None else through)
        self.boundary("find_commit:after")
        return found

    def _find(self, rid: str, after: int, through: int) -> Found | Absent | Unreadable:
        for version in range(after + 1, through + 1):
            if version < self.oldest or version not in self.history:
                return Unreadable(version)
            if self.history[version].rid == rid:
                return Found(version)
        return Absent(through)

    def sync(self, version: int) -> None:
        """Everything `version` consists of is on disk; the newest stands for one that was cleaned up."""
        self.boundary("sync:before")
        there = version >= self.oldest and version in self.history
        self.synced.update(range(1, (version if there else self._newest) + 1))
        self.boundary("sync:after")

    def ledger_id(self) -> str | None:
        """The id of the ledger the table is bound to, None when it is bound to none."""
        self.boundary("ledger_id:before")
        held = self._ledger
        self.boundary("ledger_id:after")
        return held

    def bind_ledger(self, ledger_id: str, held: str | None) -> None:
        """The table is bound to this ledger; nobody else binds one here."""
        assert self._ledger == held
        self.boundary("bind_ledger:before")
        self._ledger = ledger_id
        self._add("config", self.history[self._newest].fragments)
        self.boundary("bind_ledger:after")

    # --- reading for planning and checking, no boundaries -------------------------------------------

    @property
    def version(self) -> int:
        """The newest version."""
        return self._newest

    def count(self) -> int:
        """How many rows there are."""
        return sum(len(piece) for piece in self.history[self._newest].fragments.values())

    def rows(self, ids: Sequence[str]) -> pa.Table:
        """All columns of the rows with these ids at the newest version."""
        wanted = set(ids)
        return self._join(row.table for row in self.history[self._newest].rows() if row.id in wanted)

    def table(self, version: int | None = None) -> pa.Table:
        """The whole table at a version, cleaned up or not; the newest when not given."""
        return self._join(row.table for row in self.history[version or self._newest].rows())

    def scan(self) -> Iterator[Memory]:
        """Every memory of the newest version, in record terms, without vectors."""
        return iter(self._memories(self.table()))

    def fetch(self, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids, of several with one id the last; absent ids are left out."""
        found = {m.id: m for m in self._memories(self.rows(ids)) if m.id}
        return dict(sorted(found.items()))

    def _memories(self, rows: pa.Table) -> list[Memory]:
        vector = self.mapping.column("embedding")
        if vector is not None:
            column = rows.column(vector)
            known = pa.chunked_array([facts(chunk) for chunk in column.chunks], FACTS)
            rows = rows.append_column(VECTORLESS, column.is_null()).append_column(VECTOR, known)
        for name in self.mapping.vectors:
            known = pa.chunked_array([facts(chunk) for chunk in rows.column(name).chunks], FACTS)
            rows = rows.append_column(further(name), known)
        return self.mapping.memories(rows)

    # --- what other programs do -------------------------------------------------------------------

    def update(self, ids: Collection[str], values: Mapping[str, Any]) -> int:
        """Columns of these rows are set; returns the new version."""
        rows = [r for r in self.history[self._newest].rows() if r.id in ids]
        return self.replace([Row(r.id, with_values(r.table, values)) for r in rows])

    def replace(self, rows: Sequence[Row]) -> int:
        """Rows take the place of those of the same ids; returns the new version."""
        return self._rewrite("update", {r.id for r in rows}, rows)

    def delete(self, ids: Collection[str]) -> int:
        """These rows are gone; returns the new version."""
        return self._rewrite("delete", set(ids), [])

    def append(self, rows: pa.Table) -> int:
        """The rows are added in a fragment of their own; ids are not looked at. Returns the new version."""
        pieces = {**self.history[self._newest].fragments, self._number(): tuple(self._split(rows))}
        return self._add("append", pieces)

    def optimize(self, fragments: Collection[int] | None = None) -> int:
        """These fragments (all when not given) become one, with the same rows; returns the new version."""
        held = self.history[self._newest].fragments
        old = sorted(held if fragments is None else fragments)
        pieces = {number: piece for number, piece in held.items() if number not in old}
        pieces[self._number()] = tuple(row for number in old for row in held[number])
        return self._add("optimize", pieces, frozenset(old))

    def cleanup(self, before: int | None = None) -> None:
        """Versions before that one (all but the newest when not given) can't be read any more."""
        self.oldest = max(self.oldest, min(before or self._newest, self._newest))

    def power_cut(self, newest: int) -> None:
        """The versions after `newest` never reached the disk; what was synced stays."""
        newest = max(newest, *self.synced, self.oldest)
        for version in range(newest + 1, self._newest + 1):
            del self.history[version]
        self._newest = min(self._newest, newest)

    # --- inside -----------------------------------------------------------------------------------

    def _split(self, rows: pa.Table) -> list[Row]:
        ids = rows.column(self.id_column).to_pylist()
        return [Row(name, rows.slice(at, 1)) for at, name in enumerate(ids)]

    def _join(self, tables: Iterator[pa.Table]) -> pa.Table:
        return pa.concat_tables([self.schema.empty_table(), *tables]).combine_chunks()

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _rewrite(
        self,
        operation: str,
        ids: Collection[str | None],
        rows: Sequence[Row],
        rid: str | None = None,
        within: frozenset[int] | None = None,
    ) -> int:
        """Rows with these ids leave their fragments; `rows` stand in a new one."""
        pieces: dict[int, tuple[Row, ...]] = {}
        touched = set()
        for number, piece in self.history[self._newest].fragments.items():
            left = piece if within is not None and number not in within else tuple(r for r in piece if r.id not in ids)
            if len(left) != len(piece):
                touched.add(number)
            if left:
                pieces[number] = left
        if rows:
            pieces[self._number()] = tuple(rows)
        return self._add(operation, pieces, frozenset(touched), rid)

    def _add(
        self,
        operation: str,
        fragments: Mapping[int, tuple[Row, ...]],
        touched: frozenset[int] = frozenset(),
        rid: str | None = None,
    ) -> int:
        self._newest += 1
        self.history[self._newest] = Version(self._newest, operation, fragments, touched, rid)
        return self._newest
