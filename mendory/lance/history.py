"""What changed between two versions, from the transaction history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyarrow.compute as pc

from mendory.errors import TableCorrupt, VersionUnreadable
from mendory.lance.border import mapped
from mendory.lance.quoting import any_of


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


_IDS: Final = 2000
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
    if until < since:
        return Changes(since, until, full=True, why=f"the table went back from version {since} to {until}")
    runs = [(since, since)]
    for version in range(since + 1, until + 1):
        try:
            transaction = transaction_of(ds, version)
        except (TableCorrupt, VersionUnreadable):
            return Changes(since, until, full=True, why=f"the record of version {version} can't be read")
        kind = type(transaction.operation).__name__ if transaction else "missing"
        if kind in _SAME_ROWS:
            runs.append((version, version))
        elif kind in _BY_FRAGMENTS:
            runs[-1] = (runs[-1][0], version)
        else:
            return Changes(since, until, full=True, why=f"version {version} is a {kind} operation")
    return _compared(ds, [run for run in runs if run[0] < run[1]], Changes(since, until), id_column)


def _compared(ds: Any, runs: Sequence[tuple[int, int]], whole: Changes, id_column: str) -> Changes:
    """What changed in runs of versions within which no fragment was rewritten."""
    ids: set[str] = set()
    gone: set[str] = set()
    for first, last in runs:
        try:
            written, deleted = _fragment_difference(ds.checkout_version(first), ds.checkout_version(last), id_column)
        except (OSError, ValueError) as error:
            lost = "is gone" if "not found" in str(error).lower() else "can't be read"
            return replace(whole, full=True, why=f"version {first} or {last} {lost}")
        ids |= written
        gone = (gone | deleted) - written
    held = _still_held(ds, whole.until, sorted(gone), id_column)
    return replace(whole, ids=frozenset(ids - gone) | held, gone=frozenset(gone) - held)


def _still_held(ds: Any, version: int, ids: Sequence[str], id_column: str) -> frozenset[str]:
    """Those of the ids that rows still have: of several rows with one id only some may be deleted."""
    if not ids:
        return frozenset()
    found: set[str] = set()
    now = ds.checkout_version(version)
    for at in range(0, len(ids), _IDS):
        wanted = any_of(id_column, ids[at : at + _IDS])
        found.update(now.to_table(columns=[id_column], filter=wanted).column(0).to_pylist())
    return frozenset(found)


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
                lost |= _deleted_ids(a, b, id_column)
            continue
        lost |= _ids(a, id_column) if a else set()
        written |= _ids(b, id_column) if b else set()
    return written, lost - written


def _files(fragment: Any) -> list[tuple[Any, ...]]:
    return [(f.path, tuple(f.fields), tuple(f.column_indices)) for f in fragment.metadata.files]


def _deletion(fragment: Any) -> str | None:
    held = fragment.metadata.deletion_file
    return None if held is None else str(held.path(fragment.fragment_id))


def _deleted_ids(old: Any, new: Any, id_column: str) -> set[str]:
    """The ids of rows of the fragment that were deleted; others with the same id may be left."""
    before, after = (f.to_table(columns=[id_column], with_row_id=True) for f in (old, new))
    left = pc.is_in(before.column("_rowid"), value_set=after.column("_rowid"))
    return {i for i in before.column(id_column).filter(pc.invert(left)).to_pylist() if i is not None}


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
