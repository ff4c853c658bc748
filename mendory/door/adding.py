"""A new memory made ready: judged, embedded, and as a row of the owner's table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa

from mendory.door.embedding import Embedding
from mendory.door.judging import Fault, column_faults, judge, refuse
from mendory.door.shaping import new_row
from mendory.mapping import Mapping as FieldMapping
from mendory.record import FIELD_NAMES, Status

Beside = Callable[[str, pa.Schema], Mapping[str, Any]]
"""Column → vector of a content, in a table of that schema."""


@dataclass(frozen=True, slots=True)
class New:
    """A memory without a fault: its id, what is written of it by name, and its row for a schema of the table.

    `schema` is the one it was judged by.
    """

    id: str
    written: tuple[str, ...]
    schema: pa.Schema
    made: Callable[[pa.Schema], pa.Table]


class Adding:
    """Makes new memories ready for one table."""

    def __init__(
        self, mapping: FieldMapping, embedding: Embedding, schema: Callable[[], pa.Schema], beside: Beside
    ) -> None:
        """`beside` gives the column of the space beside the searched one, and its vector of a content."""
        self._mapping, self._embedding, self._schema, self._beside = mapping, embedding, schema, beside

    def ready(
        self,
        name: str,
        given: Mapping[str, Any],
        columns: Mapping[str, Any] | None,
        embedding: Sequence[float] | None,
        now: datetime,
    ) -> New:
        """The memory of these fields, embedded; raises MemoryRefused with every fault, SpaceUnknown."""
        schema = self._schema()
        fields: dict[str, Any] = {"id": name, **given}
        fields |= {n: fields.get(n) or None for n in ("related_ids", "related_notes")}
        faults = judge(fields, self.has_place, now, new=True, most=self._embedding.most)
        faults += self._embedding.faults(embedding, schema)
        faults += column_faults(columns)
        if name in self._mapping.skip_ids:
            faults.append(Fault("bad_id", "the mapping says that rows of this id are no memories"))
        refuse(faults)
        born = fields.get("created_at") or now
        fields |= {"created_at": born, "updated_at": born}
        fields = {n: v for n, v in spread_out(fields, whole=True).items() if v is not None and self._writes(n, v)}
        vector = self._embedding.of(fields["content"], embedding, schema)
        if vector is not None:
            fields["embedding"] = vector
        written = (*(n for n in fields if n != "id"), *(columns or ()))
        beside = self._beside(fields["content"], schema)

        def made(newest: pa.Schema) -> pa.Table:
            further = {n: v for n, v in beside.items() if n in newest.names}
            return new_row(self._mapping, newest, fields, {**(columns or {}), **further}, now)

        return New(name, written, schema, made)

    def has_place(self, name: str) -> bool:
        """True when the owner's table can hold something in the field."""
        if name == "status":
            return self._mapping.has("status") or self._mapping.can_hide
        return name in FIELD_NAMES and self._mapping.has(name)

    def _writes(self, name: str, value: Any) -> bool:
        """True for a field with a place; an active status that only marks tell is no mark."""
        if name == "status" and not self._mapping.has("status"):
            return bool(value != Status.ACTIVE)
        return self.has_place(name.partition(".")[0])


def spread_out(fields: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """Lists as tuples; unless `whole`, metadata key by key, so that the other keys keep their bytes."""
    spread: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "metadata" and not whole:
            spread |= {f"metadata.{key}": inner for key, inner in value.items()}
        else:
            spread[name] = tuple(value) if isinstance(value, list) else value
    return spread
