"""The memories of a table as a guard holds them in the agent's process: by scope, by text and by vector, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.candidates import Index, Neighbours
from mendory.lance.following import Following, RowIds
from mendory.language import fold
from mendory.mapping import Mapping as FieldMapping
from mendory.record import RECALLABLE, Memory
from mendory.text import exact_key, is_blank
from mendory.vectors import grid

_FIELDS: Final = ("id", "content", "scope", "status")
ROW_BYTES: Final = 3500
"""What a row takes beside its vector: its place, numbers for its texts, and the axes it is looked for along."""
COMPONENT_BYTES: Final = 4
"""Half precision, in columns that double as they grow. `make bench-guard`: 4.5 to 5.8 kB a row of 512 components."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Rows of the scope of a memory, by number: those with its text, and others with their cosine, nearest first."""

    equal: tuple[int, ...]
    near: Neighbours


class Shelf:
    """The recallable rows of a table at the version last read; `bring_up` moves to the newest.

    Memory: `row_bytes` a row, by which the process grows. Not for threads.
    """

    def __init__(self, following: Following, mapping: FieldMapping, width: int) -> None:
        self._following, self._whole, self.width = following, mapping, width
        self._clear()

    def bring_up(self, most_bytes: int) -> bool:
        """The newest version is held; False, and nothing is, when it would take more memory than that."""
        following = self._following
        if not following.newest():
            return True
        if following.count * row_bytes(self.width) > most_bytes:
            following.forget()
            self._clear()
            return False
        schema = self._schema = following.schema
        self.mapping = self._whole.fitted(schema)
        self.mapping.check(schema)
        following.advance(self._columns(), self._clear, self._drop, self._take)
        return True

    def alike(self, memory: Memory, vector: npt.NDArray[np.float32] | None, floor: float, most: int) -> Alike:
        """The rows of the memory's scope with its text, the newest first, and those alike by the floor: `most` of each.

        Text is what `text.exact_key` gives; texts that fold to one are near whatever their vectors.
        """
        content, scope = memory.content or "", str(memory.scope)
        equal = sorted(self._by_text.get(_number(scope, exact_key(content)), ()), reverse=True)
        given = np.zeros(self.width, np.float32) if vector is None else vector
        found = self._index.nearest(given, _number(scope), _number(fold(content)), floor)
        other = ~np.isin(found.rows, equal)
        return Alike(tuple(equal[:most]), Neighbours(found.rows[other][:most], found.cosine[other][:most]))

    def memories(self, rows: Sequence[int]) -> dict[int, Memory]:
        """These rows as they are in the version held, by number, without what is known of their vectors."""
        found: dict[int, Memory] = {}
        columns = self.mapping.scan_columns(self._schema)
        for batch in self._following.rows(rows, columns) if rows else ():
            numbers = batch.column("_rowid").to_pylist()
            plain = batch.select(columns)
            found |= dict(zip(numbers, self.mapping.memories(plain), strict=True))
        return found

    def _columns(self) -> list[str]:
        said = self.mapping.vocabulary
        marks = {place.column for held in (said.hide, said.pending) for place, _ in held or ()}
        vector = self.mapping.column("embedding")
        plain = self.mapping.columns_of([n for n in _FIELDS if self.mapping.has(n)]) | marks
        return [*sorted(plain), *([vector] if vector else [])]

    def _clear(self) -> None:
        self._index = Index(self.width, np.random.default_rng(0))
        self._text: dict[int, int] = {}
        self._by_text: dict[int, set[int]] = {}

    def _drop(self, rows: RowIds) -> None:
        for row in rows.tolist():
            self._index.discard(row)
            text = self._text.pop(row, None)
            if text is not None:
                held = self._by_text[text]
                held.discard(row)
                if not held:
                    del self._by_text[text]

    def _take(self, batch: pa.RecordBatch, rows: RowIds) -> None:
        """Hold those of the rows that recall returns."""
        vector = self.mapping.column("embedding")
        plain = batch.select([c for c in batch.schema.names if c not in (vector, "_rowid")])
        held: dict[str, Any] = {"scope": [None] * len(rows), "status": [None] * len(rows)}
        fields = [n for n in _FIELDS if self.mapping.has(n) or (n == "status" and self.mapping.can_hide)]
        frame = self.mapping.frame(plain, fields)
        held |= {n: frame.column(n).to_pylist() for n in fields}
        tells = "status" not in self.mapping.absent()
        skipped = self.mapping.skip_ids
        chosen = [
            at
            for at, (ident, text, scope, status) in enumerate(zip(*(held[n] for n in _FIELDS), strict=True))
            if ident and ident not in skipped and not is_blank(scope) and not is_blank(text)
            if status in RECALLABLE or not tells
        ]
        vectors = np.zeros((len(rows), self.width), np.float32)
        if vector:
            given = grid(pa.chunked_array([batch.column(vector)]))
            vectors = given if given.shape[1] == self.width else vectors
        numbers = rows.astype(np.int64)[chosen].tolist()
        scopes = [_number(held["scope"][at]) for at in chosen]
        texts = [held["content"][at] for at in chosen]
        self._index.add(numbers, vectors[chosen], scopes, [_number(fold(text)) for text in texts])
        for row, at, text in zip(numbers, chosen, texts, strict=True):
            key = self._text[row] = _number(held["scope"][at], exact_key(text))
            self._by_text.setdefault(key, set()).add(row)


def row_bytes(width: int) -> int:
    """About what a row of vectors of that width takes."""
    return ROW_BYTES + COMPONENT_BYTES * width


def _number(*texts: str) -> int:
    """A number of 63 bits, never 0, that stands for texts; nothing of them is kept."""
    whole = "\0".join(texts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(whole, digest_size=8).digest(), "big") >> 1 | 1
