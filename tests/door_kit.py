"""What the tests of the door share: a quick embedder, and an owner's table of another shape than ours.

Plain functions, so that a test's helper process can use them too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

from mendory.config import Config

DIMENSION = 4
NAN_BITS = 0x7FC00123
"""A NaN with a payload of its own: whoever makes a NaN anew writes other bits."""


class Hashing:
    """A quick embedder: a unit vector that depends on every character of the text."""

    def embed(self, texts: Iterable[str]) -> np.ndarray:
        """One float32 vector a text."""
        rows = [np.frombuffer(hashlib.sha256(t.encode()).digest()[: 4 * DIMENSION], "<u4") for t in texts]
        plain = np.asarray(rows, dtype=np.float64) + 1.0
        return (plain / np.linalg.norm(plain, axis=1, keepdims=True)).astype(np.float32)


class Counting(Hashing):
    """The same, and it counts the texts it was given."""

    def __init__(self) -> None:
        self.texts = 0

    def embed(self, texts: Iterable[str]) -> np.ndarray:
        """One float32 vector a text."""
        given = list(texts)
        self.texts += len(given)
        return super().embed(given)


HOME_SCHEMA = pa.schema(
    [
        pa.field("mem_id", pa.string(), nullable=False),
        ("text", pa.string()),
        ("vec", pa.list_(pa.float32(), DIMENSION)),
        ("tenant", pa.string()),
        ("uid", pa.int64()),
        ("ts", pa.int64()),
        ("update_time", pa.string()),
        ("is_deleted", pa.int8()),
        ("hit_count", pa.int64()),
        ("meta", pa.string()),
        ("info", pa.struct([("who", pa.string()), ("weight", pa.float64()), ("tags", pa.list_(pa.string()))])),
        ("photo", pa.binary()),
    ]
)
"""A home-made table: epoch milliseconds, `is_deleted`, tenant + user, an owner's JSON, a struct, a picture."""

HOME: Mapping[str, Any] = {
    "table": {"uri": ".", "name": "chat_memory"},
    "mapping": {
        "absent": ["claim", "batch_id", "last_accessed_at", "last_verified_at", "duplicate_of", "related_notes"],
        "volatile": ["hit_count", "meta.seen"],
        "zone": "Asia/Shanghai",
        "columns": {
            "id": "mem_id",
            "content": "text",
            "embedding": "vec",
            "scope": "{tenant}/{uid}",
            "created_at": "ts",
            "updated_at": "update_time",
            "metadata": "meta",
            "source": "info.who",
            "kind": "meta.kind",
            "superseded_by": "meta.superseded_by",
            "related_ids": "info.tags",
            "status": "is_deleted",
        },
        "times": {
            "created_at": {"forms": ["ms"]},
            "updated_at": {"forms": ["%Y-%m-%d %H:%M:%S"], "zone": "Asia/Shanghai"},
        },
        "status": {"values": {"0": "active", "1": "archived"}},
        "hide": {"is_deleted": 1},
    },
}
"""Its mapping."""


def home_row(ident: str, text: str, **fields: Any) -> dict[str, Any]:
    """A row as the owner's program writes it."""
    return {
        "mem_id": ident,
        "text": text,
        "vec": [1.0, 0.5, -0.25, 0.0],
        "tenant": "甲",
        "uid": 7,
        "ts": 1740830400123,
        "update_time": "2025-03-01 20:00:00",
        "is_deleted": 0,
        "hit_count": 3,
        "meta": '{"topic" : "饮食","price":1.50, "seen":4}',
        "info": {"who": "user_stated", "weight": 1.5, "tags": []},
        "photo": b"\x00\xff",
    } | fields


def home_table(folder: Path, rows: Iterable[Mapping[str, Any]] = ()) -> Config:
    """That table, holding the rows, in the folder; its configuration."""
    held = pa.Table.from_pylist([dict(r) for r in rows], schema=HOME_SCHEMA)
    lancedb.connect(str(folder)).create_table("chat_memory", schema=HOME_SCHEMA, data=held)
    return Config.build(json.loads(json.dumps(HOME)), folder)


def with_vector_bits(table: pa.Table, column: str, bits: Iterable[Iterable[int]]) -> pa.Table:
    """The table with the vectors of a column replaced by these bits."""
    at = table.schema.get_field_index(column)
    values = np.asarray(list(bits), dtype="<u4").reshape(-1).view("<f4")
    return table.set_column(at, table.schema.field(at), pa.FixedSizeListArray.from_arrays(pa.array(values), DIMENSION))


def raw(config: Config, id_column: str, ident: str) -> dict[str, Any]:
    """The row as another LanceDB program reads it, its floats by their bits."""
    table = lancedb.connect(config.table_uri).open_table(config.table.name)
    rows = table.search().limit(10_000).to_arrow()
    [at] = [i for i, held in enumerate(rows.column(id_column).to_pylist()) if held == ident]
    found = {}
    for name in rows.column_names:
        cell = rows.column(name).combine_chunks().slice(at, 1)
        if pa.types.is_fixed_size_list(cell.type) and cell.null_count == 0:
            width = cell.type.list_size
            found[name] = cell.values.to_numpy(zero_copy_only=False)[at * width : (at + 1) * width].view("<u4").tolist()
        else:
            found[name] = cell.to_pylist()[0]
    return found
