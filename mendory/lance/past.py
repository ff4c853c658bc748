"""A table as it was at an earlier version, and what can be counted of one without reading its rows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from mendory.lance.border import ours
from mendory.lance.reader import Reader


class Past(Reader):
    """A reader of one earlier version. Raises VersionUnreadable where the history does not reach back so far."""

    def __init__(self, reader: Reader, version: int) -> None:
        super().__init__(reader.uri, reader.table_name, reader.mapping)
        with ours(f"Opening version {version}"):
            self._table.checkout(version)
            self._version = version


def count_memories(reader: Reader) -> int:
    """How many rows are memories: those the mapping skips are left out."""
    with ours("Counting rows"):
        return int(reader._table.count_rows(reader._memories_only()))


def small_fragments(reader: Reader) -> int:
    """How many small fragments the table lies in; many of them make reading slow and every repair touch more files."""
    with ours("Reading the table's statistics"):
        return int(reader._table.stats()["fragment_stats"]["num_small_fragments"])


def ids(reader: Reader) -> tuple[int, int]:
    """How many rows are memories, and how many different ids they have. Cost: the id column is read."""
    chunks = [batch.column(0) for batch in reader.batches([reader.id_column])]
    column = pa.chunked_array(chunks, reader.schema.field(reader.id_column).type)
    return len(column), int(pc.count_distinct(column, mode="only_valid").as_py())
