"""A column goes for good: dropped, rewritten out of the data files, and out of the versions kept. Needs pylance.

Dropping a column changes no data file, and Lance's own compaction leaves a fragment alone that stands by itself and has
lost no row. So each fragment that still holds such a column is written anew. Others may write meanwhile: Lance keeps
theirs, and what they overtake is done again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Final

import pyarrow as pa

from mendory.digest import row_digests
from mendory.errors import CommitConflict
from mendory.lance.border import dataset, ours, pylance, table_folder
from mendory.lance.facts import folder_bytes
from mendory.lance.history import transaction_of
from mendory.lance.indexing import overtaken

_TRIES: Final = 5
_AT_ONCE: Final = 32
"""Fragments written anew in one commit: each commit writes the indexes' row numbers anew too."""
_ROWS: Final = 8192
_SAME_ROWS: Final = frozenset({"Project", "Rewrite", "CreateIndex", "UpdateConfig", "UpdateMap"})
"""Operations that change no value of any row."""
_ALL_BITS: Final = 1 << 256


@dataclass(frozen=True, slots=True)
class Told:
    """How many rows a version has, and one number over all they hold, whatever their order."""

    rows: int
    sum: str


def pinned(uri: str, table: str) -> tuple[str, ...]:
    """The names of the tags and branches that keep versions of the table, each of which keeps its bytes."""
    with ours("Reading the table's tags", table_folder(uri, table)):
        ds = dataset(uri, table)
        return tuple(sorted({*map(str, ds.tags.list()), *map(str, ds.branches.list())}))


def drop(uri: str, table: str, column: str) -> int | None:
    """The column is not of the table any more; the version that dropped it, None where it was not there.

    Its index goes with it. Raises CommitConflict when others commit first five times, with nothing dropped.
    """
    for _ in range(_TRIES):
        with ours(f"Dropping column '{column}'", table_folder(uri, table)):
            ds = dataset(uri, table)
            if column not in ds.schema.names:
                return None
            try:
                ds.drop_columns([column])
            except Exception as error:
                if not overtaken(error):
                    raise
                continue
            return int(ds.version)
    raise CommitConflict(
        f"Dropping column '{column}': others committed first, {_TRIES} times. Nothing was dropped. Try again later."
    )


def rewrite(uri: str, table: str) -> int:
    """No data file of the newest version holds a dropped column or a deleted row; how many fragments were written anew.

    Raises CommitConflict where others overtake it five times in a row; what was written until then stays.
    """
    done, lost = 0, 0
    while lost < _TRIES:
        with ours("Writing the table's files anew", table_folder(uri, table)):
            ds = dataset(uri, table)
            waiting = [f for f in ds.get_fragments() if _holds_more(f, _fields(ds))]
            if not waiting:
                return done
            try:
                done += _written_anew(ds, waiting[:_AT_ONCE])
            except Exception as error:
                if not overtaken(error):
                    raise
                lost += 1
                continue
            lost = 0
    raise CommitConflict(
        f"Writing the table's files anew: others committed first, {_TRIES} times in a row. {done} fragments were "
        "written, the others hold what they held. Try again later."
    )


def clean(uri: str, table: str) -> int:
    """Only the newest version is kept; how many went. A program that holds an earlier one open must open it anew.

    What a killed writer left behind stays for a week: it may be a running one's.
    """
    with ours("Removing old versions", table_folder(uri, table)):
        done = dataset(uri, table).cleanup_old_versions(older_than=timedelta(0), error_if_tagged_old_versions=True)
        return int(done.old_versions)


def remnants(uri: str, table: str) -> tuple[str, ...]:
    """The data files of the newest version that hold a column which the table has not, as their own heads say."""
    folder = table_folder(uri, table)
    with ours("Reading the heads of the data files", folder):
        ds = dataset(uri, table)
        known = _fields(ds)
        return tuple(sorted(f.path for g in ds.get_fragments() for f in g.metadata.files if set(f.fields) - known))


def same_rows(uri: str, table: str, since: int) -> list[tuple[int, int]]:
    """The runs of versions after that one which changed no row: columns came or went, files or indexes anew.

    A version that is gone begins the history.
    """
    with ours("Reading the table's history", table_folder(uri, table)):
        ds = dataset(uri, table)
        held = [int(v["version"]) for v in ds.versions() if int(v["version"]) >= since]
        runs = []
        first = held[0]
        for version in held[1:]:
            transaction = transaction_of(ds, version)
            if type(transaction.operation).__name__ not in _SAME_ROWS if transaction else True:
                runs.append((first, version - 1))
                first = version
        runs.append((first, held[-1]))
        return [(a, b) for a, b in runs if a < b]


def told(uri: str, table: str, versions: tuple[int, int]) -> tuple[Told, Told]:
    """What the rows of two versions hold in the columns that both have. Cost: both are read once; memory stays flat."""
    with ours(f"Reading versions {versions[0]} and {versions[1]}", table_folder(uri, table)):
        one, other = (dataset(uri, table, version) for version in versions)
        both = [name for name in one.schema.names if name in other.schema.names]
        return _told(one, both), _told(other, both)


def _told(ds: Any, columns: list[str]) -> Told:
    rows, total = 0, 0
    for batch in ds.to_batches(columns=columns, batch_size=_ROWS):
        for one in row_digests(pa.Table.from_batches([batch])):
            rows, total = rows + 1, (total + int(one, 16)) % _ALL_BITS
    return Told(rows, f"{total:064x}")


def size(uri: str, table: str) -> int | None:
    """The bytes in the table's folder, old versions included; None for a table elsewhere."""
    folder = table_folder(uri, table)
    return None if folder is None else folder_bytes(folder)


def _fields(ds: Any) -> set[int]:
    """The numbers of all columns and of what lies in them; −2 stands where a column was written anew elsewhere."""
    known, waiting = {-2}, list(ds.lance_schema.fields())
    while waiting:
        field = waiting.pop()
        known.add(int(field.id()))
        waiting += field.children()
    return known


def _holds_more(fragment: Any, known: set[int]) -> bool:
    held = fragment.metadata
    return held.deletion_file is not None or any(set(f.fields) - known for f in held.files)


def _written_anew(ds: Any, fragments: Collection[Any]) -> int:
    """Each of these fragments is one of its own again, so that an index knows of each what it knew."""
    kind, compaction = _compaction()
    asked = {**_options(), "data_storage_version": ds.data_storage_version}
    results = []
    for one in fragments:
        task = {"task": {"fragments": [one.metadata.to_json()]}, "read_version": ds.version, "options": asked}
        results.append(kind.from_json(json.dumps(task)).execute(ds))
    compaction.commit(ds, results)
    return len(results)


@cache
def _options() -> dict[str, Any]:
    """What this version of Lance writes into a task of its own: it takes none that lacks a word of it."""
    _, compaction = _compaction()
    with tempfile.TemporaryDirectory(prefix="mendory-options-") as folder:
        small = pylance().write_dataset(pa.table({"n": [1, 2]}), folder, max_rows_per_file=1, max_rows_per_group=1)
        [task] = compaction.plan(small, {"materialize_deletions_threshold": 0.0}).tasks
        held: dict[str, Any] = json.loads(task.json())["options"]
        return held


def _compaction() -> tuple[Any, Any]:
    from lance.optimize import Compaction, CompactionTask

    return CompactionTask, Compaction
