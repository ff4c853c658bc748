"""Whether a deletion file may be read through Lance without harm to the process.

It is an Arrow file of one batch of row numbers. Where a damaged one says how much memory a buffer takes unpacked, Lance
asks for that much and the process ends; so each such number is looked at here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pyarrow as pa

_MAGIC = b"ARROW1"
_PLAIN = -1
"""What stands before a buffer that is not packed."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a flatbuffer."""

    data: bytes
    at: int

    def _field(self, number: int) -> int | None:
        (back,) = struct.unpack_from("<i", self.data, self.at)
        names = self.at - back
        (size,) = struct.unpack_from("<H", self.data, names)
        if 4 + 2 * number + 2 > size:
            return None
        (offset,) = struct.unpack_from("<H", self.data, names + 4 + 2 * number)
        return self.at + offset if offset else None

    def long(self, number: int) -> int:
        at = self._field(number)
        return 0 if at is None else int(struct.unpack_from("<q", self.data, at)[0])

    def table(self, number: int) -> _Table:
        at = self._field(number)
        if at is None:
            raise ValueError("a part is missing")
        return _Table(self.data, at + struct.unpack_from("<I", self.data, at)[0])

    def structs(self, number: int, kind: str) -> list[tuple[int, ...]]:
        at = self._field(number)
        if at is None:
            return []
        at += struct.unpack_from("<I", self.data, at)[0]
        (count,) = struct.unpack_from("<I", self.data, at)
        step = struct.calcsize(kind)
        if count * step > len(self.data):
            raise ValueError("a list is longer than the file")
        return [struct.unpack_from(kind, self.data, at + 4 + n * step) for n in range(count)]


def plausible(data: bytes, deleted: int, rows: int) -> bool:
    """True when the bytes are a deletion file of so many different rows out of `rows`, and ask for no more memory."""
    try:
        _buffers(data, deleted)
        with pa.ipc.open_file(pa.BufferReader(data)) as reader:
            if reader.num_record_batches != 1 or reader.schema.types != [pa.uint32()]:
                return False
            batch = reader.get_batch(0)
            batch.validate(full=True)
            numbers = batch.column(0)
    except (pa.ArrowException, OSError, ValueError, struct.error):
        return False
    if numbers.null_count or len(numbers) != deleted:
        return False
    held = set(numbers.to_pylist())
    return len(held) == deleted and (not rows or not held or max(held) < rows)


def _buffers(data: bytes, deleted: int) -> None:
    """Return when the buffers lie in the file and hold what they must; else raise ValueError or struct.error."""
    if data[: len(_MAGIC)] != _MAGIC or data[-len(_MAGIC) :] != _MAGIC:
        raise ValueError("it is no Arrow file")
    (size,) = struct.unpack_from("<i", data, len(data) - 10)
    if not 0 < size <= len(data) - 10:
        raise ValueError("its end points outside")
    foot = data[len(data) - 10 - size : len(data) - 10]
    [(at, head, body)] = _root(foot, 0).structs(3, "<qi4xq")
    if at < 0 or head < 8 or body < 0 or at + head + body > len(data):
        raise ValueError("the batch lies outside")
    mark, length = struct.unpack_from("<ii", data, at)
    if mark != -1 or length != head - 8:
        raise ValueError("the batch begins elsewhere")
    message = _root(data[at + 8 : at + head], 0)
    batch = message.table(2)
    if message.long(3) != body or batch.long(0) != deleted or batch.structs(1, "<qq") != [(deleted, 0)]:
        raise ValueError("the batch has other rows")
    for (start, held), needed in zip(batch.structs(2, "<qq"), ((deleted + 7) // 8, 4 * deleted), strict=True):
        if start % 8 or start < 0 or held < 0 or start + held > body:
            raise ValueError("a buffer lies outside")
        if not held:
            continue
        (unpacked,) = struct.unpack_from("<q", data, at + head + start)
        if batch._field(3) is not None and unpacked != _PLAIN and not 0 <= unpacked <= needed + 64:
            raise ValueError("a buffer asks for more memory than it needs")


def _root(data: bytes, at: int) -> _Table:
    return _Table(data, at + struct.unpack_from("<I", data, at)[0])
