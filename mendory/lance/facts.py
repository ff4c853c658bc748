"""Facts about how a table lies on disk, for the doctor: read with LanceDB alone, nothing written."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import lancedb
import pyarrow as pa

from mendory.lance.border import local_folder, ours
from mendory.lance.reader import Reader


@dataclass(frozen=True, slots=True)
class IndexFact:
    """One index: over which columns, and how many rows it knows and does not know."""

    name: str
    kind: str
    columns: tuple[str, ...]
    indexed: int
    unindexed: int


@dataclass(frozen=True, slots=True)
class Storage:
    """How a table lies on disk: rows and bytes of the version read, fragments, the history kept, indices.

    `folder_bytes` is everything in the table's folder, old versions included; None for a table elsewhere.
    """

    rows: int
    bytes: int
    fragments: int
    small_fragments: int
    versions: int
    newest: datetime
    indices: tuple[IndexFact, ...]
    folder: Path | None
    folder_bytes: int | None


def storage(reader: Reader) -> Storage:
    """The facts at the reader's version; reads manifests and index statistics, no rows."""
    table = reader._table
    with ours("Reading the table's statistics"):
        stats = table.stats()
        versions = table.list_versions()
        indices = tuple(
            IndexFact(
                str(i.name),
                str(i.index_type),
                tuple(i.columns),
                int(i.num_indexed_rows or 0),
                int(i.num_unindexed_rows or 0),
            )
            for i in table.list_indices()
        )
    root = local_folder(reader.uri)
    folder = None if root is None else root / f"{reader.table_name}.lance"
    fragments = stats["fragment_stats"]
    return Storage(
        int(stats["num_rows"]),
        int(stats["total_bytes"]),
        int(fragments["num_fragments"]),
        int(fragments["num_small_fragments"]),
        len(versions),
        _utc(versions[-1]["timestamp"]),
        indices,
        folder,
        None if folder is None else folder_bytes(folder),
    )


def sample(reader: Reader, most: int) -> pa.Table:
    """At most so many rows, spread from the first to the last, in the columns a scan reads; no other row is read."""
    rows = reader.count()
    taken = min(rows, most)
    if not taken:
        return pa.table({})
    return reader.at([at * (rows - 1) // max(taken - 1, 1) for at in range(taken)])


def core() -> str | None:
    """The version of the Lance core inside LanceDB, as it signs what it writes; None when it does not say.

    A table of one row is written into a temporary folder, which is gone afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="mendory-core-") as folder, ours("Asking LanceDB for its core"):
        lancedb.connect(folder).create_table("core", pa.table({"id": ["1"]}))
        for manifest in (Path(folder) / "core.lance" / "_versions").glob("*.manifest"):
            signed = re.search(rb"\n\x05lance\x12([\x03-\x20])", manifest.read_bytes())
            if signed:
                at, length = signed.end(), signed.group(1)[0]
                return manifest.read_bytes()[at : at + length].decode("ascii", "replace")
    return None


def _utc(moment: datetime) -> datetime:
    # LanceDB gives local time without a zone
    return moment.astimezone(UTC)


def folder_bytes(folder: Path) -> int:
    """The bytes of all files in the folder."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size
        except FileNotFoundError:
            continue  # compacted away meanwhile by its owner
    return total
