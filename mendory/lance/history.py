"""What changed between two versions, from the transaction history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mendory.lance.border import mapped


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


def transaction_of(ds: Any, version: int) -> Any | None:
    """The transaction that made the version; None when its files are gone."""
    try:
        return ds.read_transaction(version)
    except (OSError, ValueError) as error:
        if "not found" in str(error).lower():
            return None
        raise mapped(error, f"Reading the transaction of version {version}") from error


def changed(ds: Any, since: int, until: int, id_column: str) -> Changes:
    """Which rows changed after `since` up to `until`."""
    ids: set[str] = set()
    gone: set[str] = set()
    if until < since:
        return Changes(since, until, full=True, why=f"the table went back from version {since} to {until}")
    for version in range(since + 1, until + 1):
        transaction = transaction_of(ds, version)
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
            raise mapped(error, f"Comparing versions {version - 1} and {version}") from error
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


def manifests(version: int, folder: Path) -> list[Path]:
    """The manifest files of a version that are there."""
    names = (f"{2**64 - 1 - version}.manifest", f"{version}.manifest")
    return [path for name in names if (path := folder / "_versions" / name).exists()]


def paths(ds: Any, folder: Path) -> set[Path]:
    """Data and deletion files of a version, and the transaction that made it."""
    found = set()
    for fragment in ds.get_fragments():
        found |= {folder / "data" / f.path for f in fragment.metadata.files}
        deletion = _deletion(fragment)
        if deletion is not None:
            found.add(folder / deletion)
    transaction = transaction_of(ds, int(ds.version))
    if transaction is not None:
        found.add(folder / "_transactions" / f"{transaction.read_version}-{transaction.uuid}.txn")
    return found
