"""Facts that a row tells by itself, for a chunk of rows at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory.detect import Settings
from mendory.facts import moments, texts
from mendory.jsontext import NotAnObject, parse_object
from mendory.mapping import UNREAD, VECTORLESS, Mapping, unread_bit
from mendory.record import BY_NAME, FIELDS, Memory, Shape
from mendory.side import Notes, overlaid
from mendory.text import valueless
from mendory.traits import first_of

CHUNK_ROWS: Final = 100_000
_CHUNK_BYTES: Final = 2**28
_KEPT_ASIDE: Final = ("duplicate_of", "superseded_by", "related_ids", "related_notes", "status")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows in record terms (`Mapping.frame`), and the facts each of them tells by itself, as Arrow columns.

    `start` is the number of the first row in the table.
    """

    start: int
    frame: pa.Table
    facts: pa.Table

    @property
    def ids(self) -> pa.Array:
        """The ids, empty where there is none."""
        return column(self.frame, "id").fill_null("")


def chunks(mapping: Mapping, batches: Iterable[pa.RecordBatch], settings: Settings, notes: Notes) -> Iterator[Chunk]:
    """The rows in chunks of 100,000, of fewer where their texts are long, with what is kept aside laid over them."""
    fields = _fields(mapping, settings)
    held: list[pa.RecordBatch] = []
    rows = size = start = 0
    for batch in batches:
        held.append(_own(mapping.frame(batch, fields)))
        rows, size = rows + batch.num_rows, size + held[-1].nbytes
        if rows >= CHUNK_ROWS or size >= _CHUNK_BYTES:
            yield _chunk(start, pa.Table.from_batches(held), settings, notes)
            held, rows, size, start = [], 0, 0, start + rows
    if rows:
        yield _chunk(start, pa.Table.from_batches(held), settings, notes)


def framed(mapping: Mapping, batch: pa.RecordBatch, settings: Settings, notes: Notes) -> pa.Table:
    """The rows of one batch in record terms, with what is kept aside laid over them."""
    frame = pa.Table.from_batches([mapping.frame(batch, _fields(mapping, settings))])
    for name in dict.fromkeys(settings.names.all):
        if (held := mapping.beside(batch, name)) is not None:
            said = [first_of((name,), {name: value}) for value in held]  # as a diagnosis compares it
            frame = frame.append_column(beside(name), pa.array(said, pa.string()))
    return _overlaid(frame, notes) if notes else frame


def beside(name: str) -> str:
    """Name of the column that says what a further column of the owner's holds."""
    return f"mendory.beside:{name}"


def _fields(mapping: Mapping, settings: Settings) -> list[str]:
    return [f.name for f in FIELDS if f.shape is not Shape.VECTOR and _there(f.name, mapping, settings)]


def _own(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch in memory of its own: a column that comes from a reader keeps all others of its batch, vectors too."""
    copied = [pa.concat_arrays([c.slice(0, 1), c.slice(1)]) for c in batch.columns]
    return pa.RecordBatch.from_arrays(copied, schema=batch.schema)


def _there(name: str, mapping: Mapping, settings: Settings) -> bool:
    return name not in settings.absent and (mapping.has(name) or name == "status")


def column(table: pa.Table, name: str) -> pa.Array:
    """The column as one array."""
    found = table.column(name)
    return found.combine_chunks() if found.num_chunks != 1 else found.chunk(0)


def _chunk(start: int, frame: pa.Table, settings: Settings, notes: Notes) -> Chunk:
    frame = frame.combine_chunks()
    frame = _overlaid(frame, notes) if notes else frame
    return Chunk(start, frame, _facts(frame, settings))


def _facts(frame: pa.Table, settings: Settings) -> pa.Table:
    """The columns that the suite of memories reads."""
    judged = Judged(frame, settings)
    made: dict[str, pa.Array] = {}
    ids = column(frame, "id")
    made["id"] = pc.if_else(pc.equal(ids, ""), ids, texts.STAND_IN)
    content = texts.content(judged.filled("content"))
    made["content"] = content
    made["content:said"] = texts.said(content)
    for name in ("source", "scope"):
        if name in frame.column_names:
            made[name] = judged.filled(name)
    if "scope" in frame.column_names:
        scope = column(frame, "scope")
        made["scope:said"] = said = of_distinct(scope, lambda each: pc.if_else(texts.blank(each), None, each))
        made["scope:bytes"] = pc.binary_length(said)
    made |= moments.of({n: column(frame, n) for n in frame.column_names if _is_time(n)}, settings.now)
    for name in ("created_at", "updated_at"):
        if name in made:
            made[name] = judged.over(name, made[name], pa.scalar(0, pa.timestamp("us", "UTC")))
    if "status" in frame.column_names:
        made["status"] = judged.over("status", column(frame, "status"), pa.scalar("active"))
    if "metadata" in frame.column_names:
        made |= metadata_columns(frame, settings.schemas)
    made["unreadable"] = pa.array(judged.wrong != 0)
    return pa.table(made)


def metadata_columns(frame: pa.Table, schemas: Collection[str]) -> dict[str, pa.Array]:
    """The metadata by the schema that judges it: `metadata` by none of the user's, `metadata:<kind>` by that kind's."""
    whole = column(frame, "metadata").fill_null("")
    if not schemas:
        return {"metadata": whole}
    kinds = column(frame, "kind") if "kind" in frame.column_names else pa.nulls(len(whole), pa.string())
    named = [k for k in schemas if k != "*"]
    other = pc.invert(pc.is_in(kinds, value_set=pa.array(named, pa.string())))
    found = {f"metadata:{k}": pc.if_else(pc.equal(kinds, k).fill_null(False), whole, None) for k in named}
    found["metadata:*" if "*" in schemas else "metadata"] = pc.if_else(other, whole, None)
    return found


class Judged:
    """Which cells are of a wrong type, and which are beyond reading since their metadata is no JSON object."""

    def __init__(self, frame: pa.Table, settings: Settings) -> None:
        self._frame = frame
        self._unread = np.asarray(column(frame, UNREAD))
        inside = sum(unread_bit(name) for name in settings.inside_metadata)
        beyond: Any = np.int64(0)
        if inside and "metadata" in frame.column_names:
            readable = np.asarray(of_distinct(column(frame, "metadata"), _readable))
            beyond = np.where(readable, np.int64(0), np.int64(inside))
        self.wrong = self._unread & ~beyond
        self._excused = self.wrong | beyond

    def excused(self, name: str) -> Any:
        """The rows in which nothing can be said of the field."""
        return (self._excused & unread_bit(name)) != 0

    def over(self, name: str, values: pa.Array, instead: pa.Scalar) -> pa.Array:
        """The values, another one in the rows in which nothing can be said of the field."""
        excused = self.excused(name)
        return pc.if_else(pa.array(excused), instead, values) if excused.any() else values

    def filled(self, name: str) -> pa.Array:
        """The texts of a field, a stand-in in the rows in which nothing can be said of it."""
        return self.over(name, column(self._frame, name), pa.scalar(texts.STAND_IN))


def excused(frame: pa.Table, settings: Settings, name: str) -> Any:
    """The rows in which nothing can be said of the field."""
    return Judged(frame, settings).excused(name)


def statuses(frame: pa.Table, settings: Settings) -> Counter[tuple[str | None, bool]]:
    """How many rows with an id have which status, those merged into others apart; unreadable ones are left out."""
    ids = column(frame, "id").fill_null("")
    merged = pa.array(np.zeros(len(ids), bool))
    if "duplicate_of" in frame.column_names:
        merged = pc.not_equal(column(frame, "duplicate_of"), "").fill_null(False)
    told = pa.table({"status": column(frame, "status"), "merged": merged})
    told = told.filter(pc.and_(pc.not_equal(ids, ""), pc.invert(pa.array(excused(frame, settings, "status")))))
    rows = told.group_by(["status", "merged"], use_threads=False).aggregate([([], "count_all")]).to_pylist()
    return Counter({(row["status"], row["merged"]): row["count_all"] for row in rows})


def held(frame: pa.Table, settings: Settings, known: Collection[str]) -> set[str]:
    """The required fields that a row has a value for, but those known already."""
    judged = Judged(frame, settings)
    found = set()
    for name in ("source", "scope", "created_at", "updated_at"):
        if name in frame.column_names and name not in known:
            values = column(frame, name)
            there = values.is_valid() if _is_time(name) else of_distinct(values, lambda e: pc.invert(texts.blank(e)))
            if (np.asarray(there) & ~judged.excused(name)).any():
                found.add(name)
    if VECTORLESS in frame.column_names and not pc.all(column(frame, VECTORLESS)).as_py():
        found.add("embedding")
    return found


def held_keys(facts: pa.Table, settings: Settings, known: Collection[str], beside: Collection[str]) -> set[str]:
    """The required keys that metadata judged by none of the user's schemas holds, but those known already."""
    wanted = {key for key in settings.required_metadata if f"metadata.{key}" not in known and key not in beside}
    found: set[str] = set()
    if not wanted or "metadata" not in facts.column_names:
        return found
    for text in column(facts, "metadata").dictionary_encode().dictionary:
        held = _object(text.as_py()) or {}
        found |= {key for key in wanted if not valueless(held.get(key))}
        if found == wanted:
            break
    return {f"metadata.{key}" for key in found}


def _is_time(name: str) -> bool:
    return name in BY_NAME and BY_NAME[name].shape is Shape.TIME


def _readable(metadata: pa.Array) -> pa.Array:
    return pa.array([_object(text) is not None for text in metadata.to_pylist()], pa.bool_())


def _object(text: str | None) -> dict[str, Any] | None:
    """The object in the text, an empty one in blank text, None where there is none."""
    if text is None or not text.strip():
        return {}
    try:
        return parse_object(text)
    except NotAnObject:
        return None


def of_distinct(values: pa.Array, judge: Any) -> pa.Array:
    """What `judge` says of each value, asked once for each different one."""
    encoded = values.dictionary_encode(null_encoding="encode")
    return judge(encoded.dictionary).take(encoded.indices)


def _overlaid(frame: pa.Table, notes: Notes) -> pa.Table:
    """The rows with what is kept aside of them; few rows have anything."""
    ids = column(frame, "id")
    rows = np.flatnonzero(np.asarray(pc.is_in(ids, value_set=pa.array(sorted(notes), pa.string()))))
    if not len(rows):
        return frame
    names = [n for n in _KEPT_ASIDE if n in frame.column_names]
    plain = frame.select(["id", "content", *names]).take(pa.array(rows)).to_pylist()
    laid = [overlaid(_memory(row), notes) for row in plain]
    for name in _KEPT_ASIDE:
        listed = BY_NAME[name].shape is Shape.TEXTS
        kind = pa.list_(pa.string()) if listed else pa.string()
        values = column(frame, name).to_pylist() if name in names else [None] * frame.num_rows
        for row, memory in zip(rows, laid, strict=True):
            value = getattr(memory, name)
            values[row] = list(value) if listed else value
        if name in names:
            frame = frame.set_column(frame.column_names.index(name), name, pa.array(values, kind))
        elif name != "status" and any(values):
            frame = frame.append_column(name, pa.array(values, kind))
    return frame


def _memory(row: dict[str, Any]) -> Memory:
    lists = {k: tuple(v or ()) for k, v in row.items() if isinstance(v, list)}
    return replace(Memory(id=None, content=None), **{k: v for k, v in row.items() if v is not None} | lists)


def vectors(chunk: Chunk, name: str) -> dict[str, Any] | None:
    """What is known of the chunk's vectors, by this computed column; None where nobody looked at them."""
    if name not in chunk.frame.column_names:
        return None
    known = column(chunk.frame, name)
    leaves = {f.name: known.field(i).fill_null(f.type.to_pandas_dtype()()) for i, f in enumerate(known.type)}
    return {"there": np.asarray(known.is_valid())} | {name: np.asarray(leaf) for name, leaf in leaves.items()}
