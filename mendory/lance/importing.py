"""Reading a table that somebody else made, as it lies there: its rows and nothing of what its metadata asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pyarrow as pa

from mendory.errors import TableCorrupt, TableNotFound, VersionUnreadable
from mendory.lance.border import dataset, ours, table_folder
from mendory.lance.faults import whole

BATCH: Final = 1024
MANY_FRAGMENTS: Final = 1000
"""From so many fragments on, a table reads slowly."""


class ForeignTable:
    """A table at its newest version, read by pylance alone, which knows no embedding functions.

    `schema` has no metadata. Raises TableNotFound for none, TableCorrupt by its cause for one whose
    files are not as they must be.
    """

    def __init__(self, uri: str, table: str) -> None:
        self._name, self._folder = table, table_folder(uri, table)
        with _not_imported():
            if self._folder is not None:
                if not self._folder.is_dir():
                    raise TableNotFound(f"There is no table '{table}' in {uri}. Nothing was read. Check both names.")
                whole(self._folder)
            self._held = dataset(uri, table)
            own: pa.Schema = self._held.schema
            self.has_metadata = bool(own.metadata) or any(field.metadata for field in own)
            self.schema = pa.schema([field.remove_metadata() for field in own])
            with ours(f"Reading table '{table}'", self._folder):
                self.version = int(self._held.version)
                self.fragments = len(self._held.get_fragments())

    def count(self) -> int:
        """How many rows there are."""
        with _not_imported(), ours("Counting rows", self._folder):
            return int(self._held.count_rows())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Every row, all columns, in batches of at most 1,024; memory stays flat."""
        with _not_imported(), ours(f"Reading table '{self._name}'", self._folder):
            yield from self._held.to_batches(
                batch_size=BATCH, batch_readahead=2, fragment_readahead=1, io_buffer_size=2**26, scan_in_order=True
            )


@contextmanager
def _not_imported() -> Iterator[None]:
    """What is wrong with a table that was to be read says besides that nothing was imported."""
    try:
        yield
    except (TableNotFound, TableCorrupt, VersionUnreadable) as error:
        raise type(error)(f"{error} Nothing was imported.") from error
