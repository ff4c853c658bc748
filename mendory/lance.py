"""The one module that touches LanceDB and Lance, and turns their exceptions into ours.

Long because it is one border: what crosses it is in one place to read and to re-check on an upgrade.

`Reader` cannot write: it has no method that does. `Writer` adds optimistic commits. Writing needs
pylance (`pip install 'mendory[repair]'`); reading needs lancedb alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlparse

import lancedb
import pyarrow as pa

from mendory.errors import (
    CommitConflict,
    DependencyMissing,
    InputInvalid,
    MendoryError,
    SchemaMismatch,
    TableCorrupt,
    TableExists,
    TableNotFound,
    Unavailable,
    VersionUnreadable,
)
from mendory.executor.store import Absent, Found, Unreadable
from mendory.mapping import VECTORLESS
from mendory.mapping import Mapping as FieldMapping
from mendory.record import Memory, arrow_schema
from mendory.work import Rows

RID: Final = "mendory.rid"
LEDGER: Final = "mendory.ledger"
SCAN_ROWS: Final = 8192
_FETCH_IDS: Final = 2000


# --- quoting --------------------------------------------------------------------------------------


def quote(text: str) -> str:
    """`text` as a SQL string literal for Lance filters: quotes doubled, nothing else.

    Lance knows no backslash escapes and no bound parameters, and LanceDB's own `Expr.to_sql()` is
    injectable; every filter of the project goes through here. Raises InputInvalid for a lone
    surrogate, which no UTF-8 table can hold.

    >>> quote("a' OR '1'='1")
    "'a'' OR ''1''=''1'"
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputInvalid(
            "A text with a lone surrogate can't be looked up. Nothing was read. Mend the text."
        ) from None
    return "'" + text.replace("'", "''") + "'"


def name(column: str) -> str:
    """A column name for Lance filters; raises InputInvalid for one that holds a backtick."""
    if "`" in column:
        raise InputInvalid(f"The column name {column!r} can't be quoted. Nothing was read. Rename the column.")
    return f"`{column}`"


def any_of(column: str, values: Sequence[str]) -> str:
    """The filter that `column` is one of `values`; an empty list matches nothing."""
    return f"{name(column)} IN ({', '.join(map(quote, values))})" if values else "1 = 0"


# --- exceptions -----------------------------------------------------------------------------------


@contextmanager
def _ours(what: str) -> Iterator[None]:
    """Exceptions of Lance and LanceDB leave as ours."""
    try:
        yield
    except MendoryError:
        raise
    except (OSError, ValueError, RuntimeError, NotImplementedError, KeyError) as error:
        raise _mapped(error, what) from error
    except Exception as error:  # LanceDB's RustPanic derives from Exception alone
        if type(error).__name__ != "RustPanic":
            raise
        raise TableCorrupt(
            f"{what} made the storage library panic. Nothing was written. Check the table's files."
        ) from error


def _mapped(error: Exception, what: str) -> MendoryError:
    text = str(error)
    short = re.sub(r",? ?/\S+\.rs:\d+:\d+.*", "", text, flags=re.DOTALL)[:200]
    if type(error).__name__ == "CommitConflictError" or "commit conflict" in text.lower():
        return CommitConflict(f"{what}: another writer committed first. Nothing was written. It is tried again.")
    if re.search(r"Table '.*' was not found|_versions, |_versions/?\s", text) or (
        "was not found" in text and "_versions" not in text and ".lance" in text and "/data/" not in text
    ):
        return TableNotFound(f"{what}: there is no such table. Nothing was read. Check table.uri and table.name.")
    if re.search(r"_versions/\d+\.manifest", text):
        return VersionUnreadable(f"{what}: that version is gone ({short}). Nothing was written.")
    if "No field named" in text or "Schema error" in text:
        return SchemaMismatch(f"{what}: {short}. Nothing was read. Check [mapping.columns].")
    if isinstance(error, OSError) and error.errno is not None:
        return Unavailable(f"{what}: {error.strerror or short}. Nothing is known to be written. Try again.")
    return TableCorrupt(f"{what}: {short}. Nothing was written. Check the table's files.")


# --- opening --------------------------------------------------------------------------------------


def _local(uri: str) -> Path | None:
    parsed = urlparse(uri)
    if parsed.scheme in ("", "file") or len(parsed.scheme) == 1:
        return Path(parsed.path if parsed.scheme == "file" else uri)
    return None


def create_table(uri: str, table: str, dimension: int) -> None:
    """An empty table of our own schema exists; raises TableExists when there is one already."""
    with _ours(f"Creating table '{table}'"):
        db = lancedb.connect(uri)
        if table in _names(db):
            raise TableExists(
                f"Table '{table}' is there already. Nothing was created. Import into it, or choose another name."
            )
        db.create_table(table, schema=arrow_schema(dimension))


def table_exists(uri: str, table: str) -> bool:
    """True when the folder holds a table of that name; nothing is created by asking."""
    path = _local(uri)
    if path is not None and not path.is_dir():
        return False
    with _ours("Listing tables"):
        return table in _names(lancedb.connect(uri))


def _names(db: Any) -> set[str]:
    found: set[str] = set()
    token = None
    while True:
        page = db.list_tables(page_token=token)
        found |= set(page.tables)
        token = page.page_token
        if not token:
            return found


class Reader:
    """A table at one version, readable and nothing else.

    The version is fixed when opened, so a scan, the fetches that follow and the version printed
    belong together; `refresh` moves to the newest.
    """

    def __init__(self, uri: str, table: str, mapping: FieldMapping) -> None:
        self.uri, self.table_name, self.mapping = uri, table, mapping
        path = _local(uri)
        if path is not None and not path.is_dir():
            raise TableNotFound(f"There is no folder {uri}. Nothing was read. Check table.uri.")
        with _ours(f"Opening table '{table}'"):
            self._table: Any = lancedb.connect(uri).open_table(table)
            self.refresh()
        mapping.check(self.schema)

    @property
    def id_column(self) -> str:
        """The column that holds ids."""
        return str(self.mapping.column("id"))

    @property
    def volatile(self) -> Collection[str]:
        """Columns that a mere read changes."""
        return self.mapping.volatile

    @property
    def schema(self) -> pa.Schema:
        """The table's Arrow schema."""
        return self._table.schema

    @property
    def version(self) -> int:
        """The version read."""
        return self._version

    def refresh(self) -> int:
        """The newest version is read from now on."""
        with _ours("Opening the newest version"):
            self._table.checkout_latest()
            self._version = int(self._table.version)
            self._table.checkout(self._version)
        return self._version

    def count(self) -> int:
        """How many rows there are."""
        with _ours("Counting rows"):
            return int(self._table.count_rows())

    def batches(self, columns: Sequence[str] | None = None, where: str | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in batches of at most 8,192, only these columns; memory stays flat.

        By default every mapped column except the vector, plus `VECTORLESS`: whether the vector is null.
        """
        with _ours("Scanning"):
            query = self._table.search().select(self._selection(columns)).limit(max(self.count(), 1))
            if where is not None:
                query = query.where(where)
            yield from query.to_batches(batch_size=SCAN_ROWS)

    def _selection(self, columns: Sequence[str] | None) -> dict[str, Any]:
        chosen = self.mapping.scan_columns() if columns is None else columns
        selection: dict[str, Any] = {c: name(c) for c in chosen}
        vector = self.mapping.column("embedding")
        if columns is None and vector is not None:
            selection[VECTORLESS] = f"{name(vector)} IS NULL"
        return selection

    def scan(self) -> Iterator[Memory]:
        """Every memory, in record terms, without vectors."""
        for batch in self.batches():
            yield from self.mapping.memories(batch)

    def fetch(self, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids, of several with one id the last; absent ids are left out."""
        found: dict[str, Memory] = {}
        wanted = sorted(set(ids))
        for at in range(0, len(wanted), _FETCH_IDS):
            for batch in self.batches(where=any_of(self.id_column, wanted[at : at + _FETCH_IDS])):
                found |= {m.id: m for m in self.mapping.memories(batch) if m.id}
        return dict(sorted(found.items()))

    def rows(self, ids: Sequence[str]) -> pa.Table:
        """All columns of the rows with these ids, vectors bit for bit."""
        wanted = sorted(set(ids))
        with _ours("Reading rows"):
            parts = [self.schema.empty_table()]
            for at in range(0, len(wanted), _FETCH_IDS):
                query = self._table.search().where(any_of(self.id_column, wanted[at : at + _FETCH_IDS]))
                parts.append(query.limit(2**31 - 1).to_arrow().cast(self.schema))
            return pa.concat_tables(parts).combine_chunks()

    def changed_since(self, version: int) -> Changes:
        """Which rows changed after `version`, from the transaction history; see `mendory.lance.Changes`."""
        return _changed(_dataset(self.uri, self.table_name), version, self._version, self.id_column)


# --- writing --------------------------------------------------------------------------------------


class Writer(Reader):
    """A Reader that also commits: optimistically, with the repair's id in the transaction."""

    def __init__(self, uri: str, table: str, mapping: FieldMapping) -> None:
        super().__init__(uri, table, mapping)
        self._flushed: set[Path] = set()

    def latest(self) -> int:
        """The newest version."""
        with _ours("Reading the newest version"):
            return int(_dataset(self.uri, self.table_name).version)

    def read_rows(self, ids: Sequence[str]) -> Rows:
        """The rows with these ids at the newest version, all columns; absent ids are left out."""
        with _ours("Reading rows"):
            ds = _dataset(self.uri, self.table_name)
            parts = [ds.schema.empty_table()]
            wanted = sorted(set(ids))
            for at in range(0, len(wanted), _FETCH_IDS):
                parts.append(ds.to_table(filter=any_of(self.id_column, wanted[at : at + _FETCH_IDS])))
            return Rows(int(ds.version), pa.concat_tables(parts).combine_chunks())

    def commit(self, rows: pa.Table, base: int, rid: str) -> int:
        """The rows replace those of the same ids; returns the new version, which carries `rid`.

        Raises CommitConflict, with nothing written, when anything touched their fragments since
        `base`, or when `base` itself is gone.
        """
        lance = _lance()
        with _ours(f"Committing repair {rid[:8]}"):
            try:
                ds = _dataset(self.uri, self.table_name, base)
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

    def find_commit(self, rid: str, after: int, through: int | None = None) -> Found | Absent | Unreadable:
        """Which version in (after, through] carries `rid`; through the newest when not given."""
        ds = _dataset(self.uri, self.table_name)
        last = int(ds.version) if through is None else through
        for version in range(after + 1, last + 1):
            transaction = _transaction(ds, version)
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
        root = _local(self.uri)
        if root is None:
            return
        folder = root / f"{self.table_name}.lance"
        with _ours(f"Flushing version {version}"):
            ds = _dataset(self.uri, self.table_name)
            try:
                held = ds.checkout_version(version)
            except (OSError, ValueError):
                held = ds
            files = _paths(held, folder) - self._flushed
            for path in sorted(files) + _manifests(int(held.version), folder):
                _fsync(path)
            for part in ("data", "_deletions", "_transactions", "_versions", "."):
                if (folder / part).is_dir():
                    _fsync(folder / part)
            self._flushed |= files

    def ledger_id(self) -> str | None:
        """The id of the ledger the table is bound to, None when it is bound to none."""
        with _ours("Reading the table's configuration"):
            held = _dataset(self.uri, self.table_name).config().get(LEDGER)
            return None if held is None else str(held)

    def bind_ledger(self, ledger_id: str) -> None:
        """The table's configuration names this ledger."""
        with _ours("Binding the ledger"):
            ds = _dataset(self.uri, self.table_name)
            ds.update_config({LEDGER: ledger_id})
            self.sync(int(ds.version))

    def changes_at(self, version: int) -> Changes:
        """What that one version changed."""
        return _changed(_dataset(self.uri, self.table_name), version - 1, version, self.id_column)

    def clone(self, folder: Path, version: int) -> Writer:
        """A writer on a shallow clone of `version` in `folder`; writes to it leave this table alone."""
        with _ours("Cloning for the rehearsal"):
            ds = _dataset(self.uri, self.table_name, version)
            ds.shallow_clone(str(folder / f"{self.table_name}.lance"), ds.version)
        return Writer(str(folder), self.table_name, self.mapping)

    def append(self, rows: pa.Table) -> int:
        """The rows are added; returns the new version. For imports only."""
        with _ours("Appending"):
            lance = _lance()
            ds = lance.write_dataset(rows, _dataset(self.uri, self.table_name), mode="append")
            self.sync(int(ds.version))
            return int(ds.version)


def _lance() -> Any:
    try:
        import lance
    except ImportError:
        raise DependencyMissing(
            "Repairing needs pylance, which is not installed. Nothing was done. Run: pip install 'mendory[repair]'"
        ) from None
    # pylance 13.0.0 and 14.0.2 can't read a transaction that rewrote an index: three of its own
    # arguments have no default. Remove when upstream has mended it.
    lance.LanceOperation.RewrittenIndex.__init__.__defaults__ = ("", b"", 0)
    return lance


def _dataset(uri: str, table: str, version: int | None = None) -> Any:
    with _ours(f"Opening table '{table}'" + (f" at version {version}" if version is not None else "")):
        return _lance().dataset(f"{uri.rstrip('/')}/{table}.lance", version=version)


def _fsync(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return  # cleaned up meanwhile by its owner: a later version, on disk, replaces it
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- history --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed between two versions.

    `full` means it can't be told by rows (columns came or went, an overwrite, a restore, an unknown
    operation, history cleaned up): check everything, `why` says so. Otherwise `ids` were written or
    may have been, `gone` were deleted, and nothing else changed.
    """

    since: int
    until: int
    ids: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    full: bool = False
    why: str = ""


_SAME_ROWS = frozenset({"Rewrite", "CreateIndex", "UpdateConfig", "UpdateMap"})
_BY_FRAGMENTS = frozenset({"Append", "Update", "Delete", "DataReplacement", "BaseOperation"})


def _transaction(ds: Any, version: int) -> Any | None:
    """The transaction that made the version; None when its files are gone."""
    try:
        return ds.read_transaction(version)
    except (OSError, ValueError) as error:
        if "not found" in str(error).lower():
            return None
        raise _mapped(error, f"Reading the transaction of version {version}") from error


def _changed(ds: Any, since: int, until: int, id_column: str) -> Changes:
    ids: set[str] = set()
    gone: set[str] = set()
    if until < since:
        return Changes(since, until, full=True, why=f"the table went back from version {since} to {until}")
    for version in range(since + 1, until + 1):
        transaction = _transaction(ds, version)
        kind = type(transaction.operation).__name__ if transaction else "missing"
        if kind in _SAME_ROWS:
            continue
        if kind not in _BY_FRAGMENTS:
            return Changes(since, until, full=True, why=f"version {version} is a {kind} operation")
        try:
            old, new = (ds.checkout_version(v) for v in (version - 1, version))
            written, deleted = _fragment_difference(old, new, id_column)
        except (OSError, ValueError) as error:
            if "not found" in str(error).lower():
                return Changes(since, until, full=True, why=f"version {version - 1} or {version} is gone")
            raise _mapped(error, f"Comparing versions {version - 1} and {version}") from error
        ids |= written
        gone = (gone | deleted) - written
    return Changes(since, until, frozenset(ids - gone), frozenset(gone))


def _fragment_difference(old: Any, new: Any, id_column: str) -> tuple[set[str], set[str]]:
    """(ids written, ids deleted) between two versions of which the second changed rows.

    Data files are immutable, so a fragment with the same files and deletion file is unchanged; one
    whose files differ (a merge of single columns) may have changed in every row.
    """
    before = {f.fragment_id: f for f in old.get_fragments()}
    after = {f.fragment_id: f for f in new.get_fragments()}
    written: set[str] = set()
    lost: set[str] = set()
    for key in before.keys() | after.keys():
        a, b = before.get(key), after.get(key)
        if a and b and _files(a) == _files(b):
            if _deletion(a) != _deletion(b):
                lost |= _ids(a, id_column) - _ids(b, id_column)
            continue
        lost |= _ids(a, id_column) if a else set()
        written |= _ids(b, id_column) if b else set()
    return written, lost - written


def _files(fragment: Any) -> list[tuple[Any, ...]]:
    return [(f.path, tuple(f.fields), tuple(f.column_indices)) for f in fragment.metadata.files]


def _deletion(fragment: Any) -> str | None:
    held = fragment.metadata.deletion_file
    return None if held is None else str(held.path(fragment.fragment_id))


def _ids(fragment: Any, id_column: str) -> set[str]:
    return {i for i in fragment.to_table(columns=[id_column]).column(0).to_pylist() if i is not None}


def _manifests(version: int, folder: Path) -> list[Path]:
    names = (f"{2**64 - 1 - version}.manifest", f"{version}.manifest")
    return [path for name in names if (path := folder / "_versions" / name).exists()]


def _paths(ds: Any, folder: Path) -> set[Path]:
    """Data and deletion files of a version, and the transaction that made it."""
    found = set()
    for fragment in ds.get_fragments():
        found |= {folder / "data" / f.path for f in fragment.metadata.files}
        deletion = _deletion(fragment)
        if deletion is not None:
            found.add(folder / deletion)
    transaction = _transaction(ds, int(ds.version))
    if transaction is not None:
        found.add(folder / "_transactions" / f"{transaction.read_version}-{transaction.uuid}.txn")
    return found


def to_table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table of exactly that schema; a missing key is null."""
    return pa.Table.from_pylist([dict(r) for r in rows], schema=schema)
