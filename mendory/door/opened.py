"""What a door works with while the pointer stands where it stands: built once for it, and built anew when it moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa

from mendory.config import Config
from mendory.door.adding import Adding
from mendory.door.embedders import Embedders
from mendory.door.embedding import Embedding
from mendory.door.guard import Guard
from mendory.door.ledger import LedgerView
from mendory.door.recalling import Recalling
from mendory.door.rows import OwnRows
from mendory.door.visible import Visible
from mendory.lance import OwnTable, Reader
from mendory.mapping import Mapping as FieldMapping
from mendory.spaces.pointer import Pointed, Pointer
from mendory.telemetry import Telemetry


@dataclass(frozen=True, slots=True)
class Beside:
    """The space that is kept beside the searched one: its vectors, and recalls from it."""

    embedding: Embedding
    recalling: Recalling

    def columns(self, content: str, schema: pa.Schema) -> dict[str, Any]:
        """The column of this space with the vector of the content; empty of one, where none can be made now.

        A vector of another text must not stay there.
        """
        column = str(self.embedding.column)
        return {column: self.embedding.beside(content, schema)} if column in schema.names else {}


@dataclass(frozen=True, slots=True)
class Opened:
    """One table as the spaces of one pointer have it."""

    mapping: FieldMapping
    reader: Reader
    rows: OwnRows
    embedding: Embedding
    adding: Adding
    visible: Visible
    guard: Guard
    recalling: Recalling
    beside: Beside | None

    def touched(self, changes: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        """The changes of a memory with the time they are made, where the table has a place for it."""
        return {**changes, "updated_at": now} if self.mapping.has("updated_at") else dict(changes)


def _no_columns(content: str, schema: pa.Schema) -> dict[str, Any]:  # noqa: ARG001 - what `Adding` asks
    return {}


class Opening:
    """Opens one table for a pointer."""

    def __init__(
        self,
        config: Config,
        ledger: LedgerView,
        embedders: Embedders,
        telemetry: Telemetry,
        clock: Callable[[], datetime],
        would_be: Callable[[Mapping[str, Any]], pa.Table],
    ) -> None:
        """`would_be` makes the row that the door would write for a memory."""
        self._config, self._ledger, self._embedders, self._telemetry = config, ledger, embedders, telemetry
        self._clock, self._would_be = clock, would_be

    def opened(self, pointer: Pointer) -> Opened:
        """The table; raises TableNotFound, and SchemaMismatch where it does not fit the mapping."""
        config, beside = self._config, pointer.beside
        mapping = self._mapping(pointer.searched, beside)
        reader = Reader(config.table_uri, config.table.name, mapping)
        mapping = mapping.fitted(reader.schema) if mapping.other_spaces else mapping
        table = OwnTable(config.table_uri, config.table.name, reader.id_column)
        rows = OwnRows(table, mapping, self._telemetry)
        embedding = self._embedding(pointer, pointer.searched, mapping)
        other = None if beside is None else self._beside(pointer, beside)
        adding = Adding(mapping, embedding, rows.schema, other.columns if other else _no_columns)
        guard = Guard(config, mapping, self._ledger, self._would_be)
        visible, recalling = Visible(mapping), self._recalling(mapping, embedding)
        return Opened(mapping, reader, rows, embedding, adding, visible, guard, recalling, other)

    def _beside(self, pointer: Pointer, beside: Pointed) -> Beside:
        mapping = self._mapping(beside, pointer.searched)
        embedding = self._embedding(pointer, beside, mapping)
        return Beside(embedding, self._recalling(mapping, embedding))

    def _mapping(self, searched: Pointed | None, beside: Pointed | None) -> FieldMapping:
        plain = self._config.record_mapping()
        return plain.pointed(searched.column if searched else None, beside.column if beside else None)

    def _embedding(self, pointer: Pointer, space: Pointed | None, mapping: FieldMapping) -> Embedding:
        return Embedding(self._embedders, pointer, space.id if space else None, mapping)

    def _recalling(self, mapping: FieldMapping, embedding: Embedding) -> Recalling:
        return Recalling(self._config, mapping, embedding, self._ledger, self._clock)
