"""A table followed from version to version in a plain install: which rows came and which went since it was last read.

Files of a table are never written twice, so a fragment with the same files holds the same rows but for deleted ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import lancedb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.lance.border import ours, table_folder
from mendory.lance.manifest import Fragment, Torn, fragments, path_of
from mendory.lance.quoting import name

RowIds = npt.NDArray[np.uint64]
_ROW_ID: Final = "_rowid"
_BATCH: Final = 8192


@dataclass(frozen=True, slots=True)
class _Part:
    """A fragment as it was read: what its manifest said, and the numbers of its rows in order."""

    fragment: Fragment
    rows: RowIds


class Following:
    """One table, opened for reading; nothing here can write.

    A row has a number for as long as it is the same row; a changed row is a new one. Of a table that is not in a local
    folder the whole is one part: rows whose columns were rewritten in place are not seen to have changed.
    """

    def __init__(self, uri: str, table: str, folder: Callable[[str, str], Path | None] = table_folder) -> None:
        self._folder = folder(uri, table)
        with ours(f"Opening table '{table}'", self._folder):
            self._table: Any = lancedb.connect(uri).open_table(table)
        self._version = -1
        self.count = 0
        """How many rows there were at the last version."""
        self._parts: dict[int, _Part] = {}
        self._now: dict[int, Fragment] = {}

    def newest(self) -> bool:
        """The newest version is read from now on; False when it is the one that was read before."""
        with ours("Opening the newest version", self._folder):
            self._table.checkout_latest()  # and no later one until the next call: opened so, a table stays as it is
            version = int(self._table.version)
            moved = version != self._version or not self._parts
            if moved:
                self._version = version
                self._now = self._fragments()
                self.count = sum(fragment.rows for fragment in self._now.values())
        return moved

    @property
    def schema(self) -> pa.Schema:
        """The table's Arrow schema."""
        with ours("Reading the schema", self._folder):
            return self._table.schema

    def forget(self) -> None:
        """Every row is new to the next `advance`."""
        self._parts = {}

    def advance(
        self,
        columns: Sequence[str],
        clear: Callable[[], None],
        drop: Callable[[RowIds], None],
        take: Callable[[pa.RecordBatch, RowIds], None],
    ) -> None:
        """Rows that went since the last call were dropped, rows that came were taken with these columns.

        Where more than half went, all were cleared and all that are there were taken. When it fails, the next call
        clears and takes everything.
        """
        now, before = self._now, self._parts
        self._parts = {}
        kept: dict[int, _Part] = {}
        gone: list[RowIds] = []
        for key, part in before.items():
            fragment = now.get(key)
            if fragment is None or fragment.files != part.fragment.files:
                gone.append(part.rows)
            elif fragment == part.fragment:
                kept[key] = part
            else:
                rows = self._numbers(now, key)
                gone.append(part.rows[~np.isin(part.rows, rows)])
                kept[key] = _Part(fragment, rows)
        lost = sum(map(len, gone))
        if lost * 2 >= sum(len(part.rows) for part in before.values()):
            clear()
            kept, gone = {}, []
        for rows in gone:
            drop(rows)
        for key, part in kept.items():  # rows of a part whose files did not change: of a table that is one part
            fresh = part.rows[~np.isin(part.rows, before[key].rows)] if part is not before[key] else part.rows[:0]
            for start in range(0, len(fresh), _BATCH):
                some = fresh[start : start + _BATCH]
                for batch in self.rows(some, columns):
                    take(batch, _row_ids(batch))
        self._parts = {**kept, **self._read(now, [key for key in now if key not in kept], columns, take)}

    def rows(self, numbers: RowIds | Sequence[int], columns: Sequence[str]) -> list[pa.RecordBatch]:
        """These rows, of the version read, in any order; their numbers are in the column `_rowid`."""
        with ours("Reading rows", self._folder):
            query = self._table.take_row_ids([int(number) for number in numbers])
            found = query.select([*columns]).with_row_id().to_arrow()
        return list(found.to_batches())

    def _fragments(self) -> dict[int, Fragment]:
        """What the version consists of; one part with no files where its manifest can't be read here."""
        path = path_of(self._folder, self._version) if self._folder is not None else None
        if path is not None:
            known = {part.fragment.told: part.fragment for part in self._parts.values()}
            try:
                found = {one.key: one for one in fragments(path.read_bytes(), known).values()}
            except (OSError, Torn):
                found = {}
            if found and all(one.rows >= 0 for one in found.values()):
                return found
        return {-1: Fragment(-1, (), str(self._version).encode(), int(self._table.count_rows()))}

    def _numbers(self, now: Mapping[int, Fragment], key: int) -> RowIds:
        """The numbers of the rows of a part."""
        start = 0
        for other, fragment in now.items():
            if other == key:
                break
            start += fragment.rows
        held = [_row_ids(batch) for batch in self._scanned(start, now[key].rows, [])]
        return np.concatenate(held) if held else np.empty(0, np.uint64)

    def _read(
        self,
        now: Mapping[int, Fragment],
        keys: Sequence[int],
        columns: Sequence[str],
        take: Callable[[pa.RecordBatch, RowIds], None],
    ) -> dict[int, _Part]:
        """The parts, each run of neighbours in one scan, every row of them taken."""
        wanted = frozenset(keys)
        read: dict[int, _Part] = {}
        start = 0
        for new, run in groupby(now.items(), key=lambda item: item[0] in wanted):
            parts = list(run)
            rows = sum(fragment.rows for _, fragment in parts)
            if new and rows:
                found = []
                for batch in self._scanned(start, rows, columns):
                    found.append(_row_ids(batch))
                    take(batch, found[-1])
                ends = np.cumsum([fragment.rows for _, fragment in parts])
                numbers = np.split(np.concatenate(found), ends[:-1])
                read |= {key: _Part(held, part) for (key, held), part in zip(parts, numbers, strict=True)}
            start += rows
        return read

    def _scanned(self, start: int, rows: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with ours("Scanning", self._folder):
            selection = {c: name(c) for c in columns} or [_ROW_ID]
            query = self._table.search().select(selection)
            query = query.with_row_id(True) if columns else query
            query = query.limit(rows).offset(start)
            # few rows at once: each batch asked for is a turn of LanceDB's own thread
            yield from query.to_batches(batch_size=_BATCH) if rows > _BATCH else query.to_arrow().to_batches()


def _row_ids(batch: pa.RecordBatch) -> RowIds:
    return np.asarray(batch.column(_ROW_ID).to_numpy(zero_copy_only=False), np.uint64)
