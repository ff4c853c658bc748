"""Records set aside on disk until all of a source is judged: memory holds 28 bytes a record, whatever its size.

While repeated ids are looked for it holds some 100.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mendory import digest
from mendory.importer.judging import Kept
from mendory.jsontext import parse_object
from mendory.record import BY_NAME, Shape, arrow_schema

_ROWS: Final = 1024
_BYTES: Final = 8 * 2**20
DIGEST: Final = np.dtype("S16")


def id_digest(ident: str) -> bytes:
    """Sixteen bytes that stand for an id."""
    return hashlib.blake2b(ident.encode(), digest_size=16).digest()


class Batches:
    """Batches of one schema in a file, written once and then read as often as wanted, one at a time."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self.schema, self.rows = path, schema, 0
        self._sink: Any = pa.OSFile(str(path), "wb")
        self._writer: Any = pa.ipc.new_stream(self._sink, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        """The batch is in the file."""
        self._writer.write_batch(batch)
        self.rows += batch.num_rows

    def close(self) -> None:
        """The file is whole."""
        self._writer.close()
        self._sink.close()

    def reader(self) -> pa.RecordBatchReader:
        """All batches, from the first."""
        return pa.ipc.open_stream(pa.OSFile(str(self.path), "rb"))


class Stage:
    """Judged records in the order of their numbers, as rows of our own schema.

    `numbers`, `flags` and `ids` are of each record; `uniform` is True as long as all vectors are one.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        self._held = Batches(path, arrow_schema(max(dimension, 1)))
        self.numbers, self.flags, self._ids = array("q"), array("I"), bytearray()
        self.vectors, self.uniform = 0, True
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0
        self._first: list[float] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def ids(self) -> np.ndarray:
        """The digest of each record's id."""
        return np.frombuffer(bytes(self._ids), DIGEST)

    def add(self, kept: Kept) -> None:
        """The record is the last one."""
        record = kept.record
        self.numbers.append(kept.number)
        self.flags.append(kept.flags)
        self._ids += id_digest(record["id"])
        vector = record["embedding"]
        if vector is not None:
            self._first = self._first or vector
            self.vectors, self.uniform = self.vectors + 1, self.uniform and vector == self._first
        self._rows.append(record)
        self._bytes += len(record["content"]) + len(record["metadata"] or "")
        if len(self._rows) >= _ROWS or self._bytes >= _BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._held.write(pa.RecordBatch.from_pylist(self._rows, schema=self._held.schema))
        self._rows, self._bytes = [], 0

    def close(self) -> None:
        """No record follows."""
        self._flush()
        self._held.close()

    def batches(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """(position of its first record, batch) of all records."""
        at = 0
        for batch in self._held.reader():
            yield at, batch
            at += batch.num_rows

    def same_as_first(self) -> tuple[np.ndarray, np.ndarray]:
        """(leader, differs) of each record: the first of its id, and whether any record of that id is another one."""
        ids = self.ids
        leader, differs = np.arange(len(ids)), np.zeros(len(ids), bool)
        order = np.argsort(ids, kind="stable")
        again = np.concatenate([[False], ids[order][1:] == ids[order][:-1]]) if len(ids) else np.zeros(0, bool)
        if not again.any():
            return leader, differs
        starts = np.flatnonzero(~again)
        leader[order] = np.repeat(order[starts], np.diff(np.append(starts, len(ids))))
        repeated = np.zeros(len(ids), bool)
        repeated[order[again]] = True
        repeated[leader[order[again]]] = True
        told = self._digests(repeated)
        other = np.flatnonzero(told[leader] != told)
        differs[leader[other]] = True
        return leader, differs[leader]

    def _digests(self, wanted: np.ndarray) -> np.ndarray:
        told = np.zeros(len(wanted), DIGEST)
        for at, batch in self.batches():
            for row in np.flatnonzero(wanted[at : at + batch.num_rows]):
                [record] = batch.slice(row, 1).to_pylist()
                plain = {name: comparable(name, value) for name, value in record.items()}
                told[at + row] = bytes.fromhex(digest.of(plain)[:32])
        return told


def comparable(name: str, value: Any) -> Any:
    """A field's value as records are compared by: times as text, JSON as parsed."""
    shape = BY_NAME[name].shape
    if shape is Shape.TIME:
        return value and value.isoformat()
    return parse_object(value) if value is not None and shape is Shape.JSON else value
