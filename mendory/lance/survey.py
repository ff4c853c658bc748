"""A first look at a table of which nothing is known yet: its schema, a few rows, when it was written."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import lancedb
import pyarrow as pa
import pyarrow.compute as pc

from mendory.errors import TableNotFound
from mendory.lance.border import local_folder, ours
from mendory.lance.quoting import name
from mendory.lance.tables import table_names
from mendory.mapping import is_addressable


def tables_in(uri: str) -> tuple[str, ...] | None:
    """The tables of a folder in order; None where there is no such folder. Nothing is created by asking."""
    path = local_folder(uri)
    if path is not None and not path.is_dir():
        return None
    with ours("Listing tables"):
        return tuple(sorted(table_names(lancedb.connect(uri))))


class Survey:
    """A table at its newest version, read without a mapping. Nothing here can write."""

    def __init__(self, uri: str, table: str) -> None:
        path = local_folder(uri)
        if path is not None and not path.is_dir():
            raise TableNotFound(f"There is no folder {uri}. Nothing was read. Check table.uri.")
        with ours(f"Opening table '{table}'"):
            self._table: Any = lancedb.connect(uri).open_table(table)
            self._version = int(self._table.version)
            self._table.checkout(self._version)

    @property
    def schema(self) -> pa.Schema:
        """The table's Arrow schema."""
        return self._table.schema

    @property
    def version(self) -> int:
        """The version read."""
        return self._version

    def count(self) -> int:
        """How many rows there are."""
        with ours("Counting rows"):
            return int(self._table.count_rows())

    def sample(self, most: int) -> pa.Table:
        """At most so many rows, all columns Lance can read, spread from the first to the last; no other row is read."""
        rows = self.count()
        taken = min(rows, most)
        with ours("Reading a sample"):
            if not taken:
                return self.schema.empty_table()
            offsets = [at * (rows - 1) // max(taken - 1, 1) for at in range(taken)]
            schema = pa.schema([field for field in self.schema if is_addressable(field.name)])
            held = self._table.take_offsets(offsets).select({n: name(n) for n in schema.names}).to_arrow()
            return held.select(schema.names).cast(schema)

    def newest_addition(self) -> datetime | None:
        """When rows were last added, as the history says; None when it does not reach back so far.

        A commit of updates alone tells nothing about when the newest memory was written.
        """
        with ours("Reading the history"):
            before = None
            newest = None
            for held in sorted(self._table.list_versions(), key=lambda v: int(v["version"])):
                rows = int(held["metadata"].get("total_rows", 0))
                if rows > (before if before is not None else rows if held["version"] > 1 else 0):
                    newest = held["timestamp"]
                before = rows
        return None if newest is None else newest.astimezone(UTC)

    def largest(self, place: str) -> Any:
        """The largest value of a column, or of a leaf `column.leaf` of a struct; None when it holds none."""
        path = [place] if place in self.schema.names else place.split(".")
        with ours("Reading the largest value"):
            query = self._table.search().select({"value": ".".join(map(name, path))})
            largest = None
            for batch in query.limit(max(self.count(), 1)).to_batches(batch_size=65536):
                found = _value(pc.max(batch.column("value")))
                if found is None or (isinstance(found, float) and math.isnan(found)):
                    continue
                if largest is None or found > largest:
                    largest = found
            return largest


def _value(scalar: pa.Scalar) -> Any:
    """The value; None for one that Python can't hold, such as a year past 9999."""
    try:
        if pa.types.is_timestamp(scalar.type):
            scalar = scalar.cast(pa.timestamp("us", scalar.type.tz), safe=False)
        return scalar.as_py()
    except (ValueError, OverflowError):
        return None
