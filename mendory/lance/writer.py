"""Optimistic commits that carry the repair's id, the binding to a ledger, and flushing to disk. Needs pylance."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from mendory.errors import CommitConflict, LedgerMismatch, SchemaMismatch, VersionUnreadable
from mendory.executor.store import Absent, Found, Unreadable
from mendory.lance.border import dataset, local_folder, ours, pylance
from mendory.lance.faults import newest_is_there
from mendory.lance.history import Changes, changed, manifests, paths, transaction_of
from mendory.lance.quoting import any_of
from mendory.lance.reader import FETCH_IDS, Reader
from mendory.mapping import Mapping as FieldMapping
from mendory.work import Rows

RID: Final = "mendory.rid"
LEDGER: Final = "mendory.ledger"
_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Appended:
    """The version that holds the new rows; `alone` is False when another commit came in the moment before it."""

    version: int
    alone: bool


class Writer(Reader):
    """A Reader that also commits: optimistically, with the repair's id in the transaction."""

    def __init__(self, uri: str, table: str, mapping: FieldMapping) -> None:
        super().__init__(uri, table, mapping)
        self._flushed: set[Path] = set()

    def latest(self) -> int:
        """The newest version."""
        with ours("Reading the newest version"):
            return int(dataset(self.uri, self.table_name).version)

    def read_rows(self, ids: Sequence[str]) -> Rows:
        """The rows with these ids at the newest version, all columns; absent ids are left out."""
        with ours("Reading rows", self._folder):
            ds = dataset(self.uri, self.table_name)
            parts = [ds.schema.empty_table()]
            wanted = sorted(set(ids))
            for at in range(0, len(wanted), FETCH_IDS):
                parts.append(ds.to_table(filter=any_of(self.id_column, wanted[at : at + FETCH_IDS])))
            return Rows(int(ds.version), pa.concat_tables(parts).combine_chunks())

    def commit(self, rows: pa.Table, base: int, rid: str) -> int:
        """The rows replace those of the same ids; returns the new version, which carries `rid`.

        Raises CommitConflict, with nothing written, when anything touched their fragments since
        `base`, or when `base` itself is gone.
        """
        lance = pylance()
        with ours(f"Committing repair {rid[:8]}", self._folder):
            try:
                ds = dataset(self.uri, self.table_name, base)
            except VersionUnreadable:
                raise CommitConflict(
                    f"Version {base} was cleaned up. Nothing was written. It is tried again."
                ) from None
            merge = ds.merge_insert(self.id_column).when_matched_update_all()
            transaction, counts = merge.execute_uncommitted(rows)
            if counts["num_updated_rows"] != rows.num_rows or counts["num_inserted_rows"]:
                raise CommitConflict(
                    f"{counts['num_updated_rows']} of {rows.num_rows} rows matched by id. Nothing was written. "
                    "It is tried again."
                )
            transaction.transaction_properties = {RID: rid}
            return int(lance.LanceDataset.commit(ds, transaction).version)

    def add_vectors(self, column: str, dimension: int) -> None:
        """There is a column of vectors of that length, empty so far; one that is there already is left as it is.

        Raises SchemaMismatch where another column has that name.
        """
        kind = pa.list_(pa.float32(), dimension)
        for _ in range(_TRIES):
            ds = dataset(self.uri, self.table_name)
            if column in ds.schema.names:
                if ds.schema.field(column).type != kind:
                    held = ds.schema.field(column).type
                    raise SchemaMismatch(
                        f"The table has a column '{column}' of type {held}, not {kind}. Nothing was added. Rename or "
                        "drop it, or name another."
                    )
                return
            try:
                with ours(f"Adding column '{column}'", self._folder):
                    ds.add_columns(pa.field(column, kind))
                self.sync(int(dataset(self.uri, self.table_name).version))
                return
            except CommitConflict:
                continue
        raise CommitConflict(f"Adding column '{column}': others committed first, {_TRIES} times. Nothing was added.")

    def find_commit(self, rid: str, after: int, through: int | None = None) -> Found | Absent | Unreadable:
        """Which version in (after, through] carries `rid`; through the newest when not given."""
        ds = dataset(self.uri, self.table_name)
        last = int(ds.version) if through is None else through
        for version in range(after + 1, last + 1):
            transaction = transaction_of(ds, version)
            if transaction is None:
                return Unreadable(version)
            if (transaction.transaction_properties or {}).get(RID) == rid:
                return Found(version)
        return Absent(last)

    def sync(self, version: int) -> None:
        """Everything `version` consists of is on disk: its files, whoever wrote them, and the folders that name them.

        Files this writer flushed before are not flushed again: they are immutable. A version that its
        owner has cleaned up meanwhile stands for the newest. Local tables only.
        """
        root = local_folder(self.uri)
        if root is None:
            return
        folder = root / f"{self.table_name}.lance"
        with ours(f"Flushing version {version}"):
            ds = dataset(self.uri, self.table_name)
            try:
                held = ds.checkout_version(version)
            except (OSError, ValueError):
                held = ds
            files = paths(held, folder) - self._flushed
            for path in sorted(files) + manifests(int(held.version), folder):
                _fsync(path)
            for part in ("data", "_deletions", "_transactions", "_versions", "."):
                if (folder / part).is_dir():
                    _fsync(folder / part)
            self._flushed |= files

    def ledger_id(self) -> str | None:
        """The id of the ledger the table is bound to, None when it is bound to none."""
        with ours("Reading the table's configuration"):
            held = dataset(self.uri, self.table_name).config().get(LEDGER)
            return None if held is None else str(held)

    def bind_ledger(self, ledger_id: str, held: str | None) -> None:
        """The table's configuration names this ledger, where it named `held` before.

        Two processes may bind the same one at once. Raises LedgerMismatch when another was named meanwhile.
        """
        for _ in range(_TRIES):
            ds = dataset(self.uri, self.table_name)
            named = ds.config().get(LEDGER)
            if named not in (held, ledger_id):
                raise LedgerMismatch(
                    f"Table '{self.table_name}' was bound to ledger {named[:8]} meanwhile. Nothing was bound and "
                    "nothing applied. Point ledger.url at that one, or say again that this one is to be used."
                )
            try:
                with ours("Binding the ledger"):
                    if named != ledger_id:
                        ds.update_config({LEDGER: ledger_id})
            except CommitConflict:
                continue
            self.sync(int(ds.version))
            return
        raise CommitConflict(
            f"Binding the ledger: others committed first, {_TRIES} times. Nothing was bound and nothing applied. "
            "Try again later."
        )

    def changes_at(self, version: int) -> Changes:
        """What that one version changed."""
        return self.changes_between(version - 1, version)

    def changes_between(self, since: int, until: int) -> Changes:
        """What the versions after `since` up to `until` changed."""
        return changed(dataset(self.uri, self.table_name), since, until, self.id_column)

    def clone(self, folder: Path, version: int) -> Writer:
        """A writer on a shallow clone of `version` in `folder`; writes to it leave this table alone."""
        with ours("Cloning for the rehearsal"):
            ds = dataset(self.uri, self.table_name, version)
            ds.shallow_clone(str(folder / f"{self.table_name}.lance"), ds.version)
        return Writer(str(folder), self.table_name, self.mapping)

    def append(self, rows: pa.Table) -> int:
        """The rows are added, whatever the table holds; returns the new version."""
        with ours("Appending"):
            lance = pylance()
            ds = lance.write_dataset(rows, dataset(self.uri, self.table_name), mode="append")
            self.sync(int(ds.version))
            return int(ds.version)

    def append_unless(
        self, rows: pa.RecordBatchReader, seen: int, clashing: Callable[[Changes], bool]
    ) -> Appended | None:
        """The rows are added, unless what changed after version `seen` is `clashing`: then None, and none is.

        The last look is when all files are written, just before the commit. Lance has no append that fails when
        another one comes: what is committed between that look and ours is told by `Appended.alone`.
        """
        with ours("Appending", self._folder):
            ds = dataset(self.uri, self.table_name)
            self._none_lost()
            if clashing(changed(ds, seen, int(ds.version), self.id_column)):
                return None
            lance = pylance()
            transaction = lance.fragment.write_fragments(rows, ds, mode="append", return_transaction=True)
            ds = dataset(self.uri, self.table_name)
            last = int(ds.version)
            self._none_lost()
            if clashing(changed(ds, seen, last, self.id_column)):
                return None
            version = int(lance.LanceDataset.commit(ds, transaction).version)
            self.sync(version)
            return Appended(version, alone=version == last + 1)

    def _none_lost(self) -> None:
        if self._folder is not None:
            newest_is_there(self._folder)


def _fsync(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return  # cleaned up meanwhile by its owner: a later version, on disk, replaces it
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
