"""Reading a table at one version; nothing here can write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory.errors import SchemaMismatch, TableNotFound
from mendory.lance.border import dataset, local_folder, ours, table_folder
from mendory.lance.faults import openable
from mendory.lance.history import Changes, changed
from mendory.lance.quoting import any_of, name, quote
from mendory.mapping import VECTOR, VECTORLESS, further, unaddressable
from mendory.mapping import Mapping as FieldMapping
from mendory.record import Memory
from mendory.text import shown
from mendory.vectors import facts

SCAN_ROWS: Final = 8192
PAGE_ROWS: Final = 4 * SCAN_ROWS
FETCH_IDS: Final = 2000
_LOOKED_UP: Final = 65_536


class Reader:
    """A table at one version, readable and nothing else.

    The version is fixed when opened, so a scan, the fetches that follow and the version printed
    belong together; `refresh` moves to the newest.
    """

    def __init__(self, uri: str, table: str, mapping: FieldMapping) -> None:
        self._changes: dict[tuple[int, int], Changes] = {}
        self.uri, self.table_name = uri, table
        self.told: Callable[[int, int], None] | None = None
        path = local_folder(uri)
        if path is not None and not path.is_dir():
            raise TableNotFound(f"There is no folder {uri}. Nothing was read. Check table.uri.")
        self._folder = table_folder(uri, table)
        self._openable()
        with ours(f"Opening table '{table}'", self._folder):
            self._table: Any = lancedb.connect(uri).open_table(table)
        self.refresh()
        self.mapping = mapping.fitted(self.schema)
        self.mapping.check(self.schema)

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
        with ours("Reading the schema", self._folder):
            return self._table.schema

    @property
    def version(self) -> int:
        """The version read."""
        return self._version

    def refresh(self) -> int:
        """The newest version is read from now on. Raises TableCorrupt, by its cause, when it can't be opened."""
        self._openable()
        with ours("Opening the newest version", self._folder):
            self._table.checkout_latest()
            self._version = int(self._table.version)
            self._table.checkout(self._version)
        return self._version

    def _openable(self) -> None:
        if self._folder is not None:
            openable(self._folder)

    def count(self) -> int:
        """How many rows there are."""
        with ours("Counting rows", self._folder):
            return int(self._table.count_rows())

    def batches(self, columns: Sequence[str] | None = None, where: str | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in batches of at most 8,192, only these columns; memory stays flat.

        By default every column that can be compared, and instead of the vector what is known of it: `VECTORLESS`,
        whether it is null, and `VECTOR`, its facts; of further vectors that the mapping names, their facts.
        Rows that the mapping skips are left out.
        """
        with ours("Scanning", self._folder):
            vector = self.mapping.column("embedding") if columns is None else None
            chosen = self.mapping.scan_columns(self.schema) if columns is None else list(columns)
            others = self.mapping.vectors if columns is None else ()
            selection = {c: name(c) for c in (*chosen, *([vector] if vector else []), *others)}
            rows = max(self.count(), 1)
            wanted = " AND ".join(f"({part})" for part in (where, self._memories_only()) if part)
            # a scan reads far ahead of whoever takes its rows; by pages it can't fill the memory
            page = rows if wanted else PAGE_ROWS
            for start in range(0, rows, page):
                query = self._table.search().select(selection).limit(page).offset(start)
                if wanted:
                    query = query.where(wanted)
                for batch in query.to_batches(batch_size=SCAN_ROWS):
                    yield _with_facts(batch, vector, others, where is not None)

    def found(self, ids: Collection[str], columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """All rows with these ids, several of one id too, as `batches` gives them; with exact facts of the vectors.

        Cost: the id column is read once, however many ids there are, and the rows found.
        """
        wanted = sorted(set(ids))
        kind = self.schema.field(self.id_column).type
        if len(wanted) <= FETCH_IDS or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            for at in range(0, len(wanted), FETCH_IDS):
                yield from self.batches(columns, any_of(self.id_column, wanted[at : at + FETCH_IDS]))
            return
        offsets = self._offsets(wanted, kind)
        for start in range(0, len(offsets), SCAN_ROWS):
            yield from self._taken(offsets[start : start + SCAN_ROWS], columns, exact=True)

    def _offsets(self, ids: Sequence[str], kind: pa.DataType) -> list[int]:
        """Where the memories with these ids lie. A filter of many ids costs several times as much as this look-up."""
        quote("".join(ids))  # no table holds half a character, and Arrow would say so in its own words
        wanted, skipped = (pa.array(names, kind) for names in (ids, sorted(self.mapping.skip_ids)))
        places, start = [], 0
        with ours("Looking ids up", self._folder):
            query = self._table.search().select({self.id_column: name(self.id_column)}).limit(max(self.count(), 1))
            for batch in query.to_batches(batch_size=_LOOKED_UP):
                there = pc.is_in(batch.column(0), value_set=wanted)
                if len(skipped):
                    there = pc.and_not(there, pc.is_in(batch.column(0), value_set=skipped))
                places.append(np.flatnonzero(np.asarray(there)) + start)
                start += batch.num_rows
        return np.concatenate(places).tolist() if places else []

    def _taken(self, offsets: Sequence[int], columns: Sequence[str] | None, exact: bool) -> list[pa.RecordBatch]:
        vector = self.mapping.column("embedding") if columns is None else None
        others = self.mapping.vectors if columns is None else ()
        chosen = self.mapping.scan_columns(self.schema) if columns is None else list(columns)
        selection = {c: name(c) for c in (*chosen, *([vector] if vector else []), *others)}
        with ours("Reading rows", self._folder):
            batches = self._table.take_offsets(list(offsets)).select(selection).to_arrow().to_batches()
        return [_with_facts(batch, vector, others, exact) for batch in batches]

    def at(self, offsets: Sequence[int]) -> pa.Table:
        """The rows at these offsets, in the columns a scan reads; no other row is read."""
        vector = self.mapping.column("embedding")
        others = self.mapping.vectors
        chosen = [*self.mapping.scan_columns(self.schema), *([vector] if vector else []), *others]
        with ours("Reading a sample"):
            rows = self._table.take_offsets(list(offsets)).select({c: name(c) for c in chosen}).to_arrow()
        batches = rows.to_batches()
        return pa.Table.from_batches(
            [_with_facts(b, vector, others) for b in batches], None if vector or others else rows.schema
        )

    def _memories_only(self) -> str | None:
        skipped = self.mapping.skip_ids
        own = name(self.id_column)
        return f"{own} IS NULL OR NOT ({any_of(self.id_column, skipped)})" if skipped else None

    def scan(self) -> Iterator[Memory]:
        """Every memory, in record terms, without vectors; `told` hears how many of how many were read."""
        done, total = 0, self.count() if self.told else 0
        for batch in self.batches():
            yield from self.mapping.memories(batch)
            done += batch.num_rows
            if self.told:
                self.told(done, total)

    def with_vectors(
        self, ids: Collection[str] | None, texts_only: bool = False
    ) -> Iterator[tuple[list[Memory], pa.Array | None]]:
        """Batches of the memories with these ids, all when None, each with its vectors; memory stays flat.

        With `texts_only` nothing of a memory is read but its id and its text.
        """
        vector = self.mapping.column("embedding")
        said = {self.id_column, self.mapping.column("content")}
        read = [c for c in self.mapping.scan_columns(self.schema) if not texts_only or c in said]
        columns = [*read, *([vector] if vector else [])]
        for batch in self.batches(columns) if ids is None else self.found(ids, columns):
            yield self.mapping.memories(batch), batch.column(vector) if vector else None

    def fetch(self, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids, of several with one id the last; absent ids are left out."""
        found: dict[str, Memory] = {}
        for batch in self.found(ids):
            found |= {m.id: m for m in self.mapping.memories(batch) if m.id}
        return dict(sorted(found.items()))

    def rows(self, ids: Sequence[str]) -> pa.Table:
        """All columns of the rows with these ids, vectors bit for bit; raises SchemaMismatch where Lance can't."""
        wanted = sorted(set(ids))
        for column in unaddressable(self.schema):
            raise SchemaMismatch(
                f"Lance reads no column with a backtick in its name, such as {shown(column)}, so no row of the table "
                "can be kept whole. Nothing was planned or written. Rename the column."
            )
        with ours("Reading rows", self._folder):
            parts = [self.schema.empty_table()]
            for at in range(0, len(wanted), FETCH_IDS):
                query = self._table.search().where(any_of(self.id_column, wanted[at : at + FETCH_IDS]))
                parts.append(query.limit(2**31 - 1).to_arrow().cast(self.schema))
            return pa.concat_tables(parts).combine_chunks()

    def changed_since(self, version: int) -> Changes:
        """Which rows changed after `version`, from the transaction history; see `mendory.lance.Changes`."""
        span = version, self._version
        if span not in self._changes:  # history does not change: what was told once stays true
            self._changes = {span: changed(dataset(self.uri, self.table_name), *span, self.id_column)}
        return self._changes[span]


def _with_facts(
    batch: pa.RecordBatch, vector: str | None, others: Sequence[str], exact: bool = False
) -> pa.RecordBatch:
    """The batch with what is known of its vectors in their place."""
    for other in others:
        at = batch.schema.get_field_index(other)
        known = facts(batch.column(at))
        batch = batch.remove_column(at).append_column(further(other), known)
    if vector is None:
        return batch
    at = batch.schema.get_field_index(vector)
    column = batch.column(at)
    rest = batch.remove_column(at)
    return rest.append_column(VECTORLESS, column.is_null()).append_column(VECTOR, facts(column, exact))
