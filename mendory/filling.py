"""Filling the vectors of the space beside the searched one: what waits, batch by batch, the active rows first.

Nothing is kept of how far it is but the rows themselves: a row waits while it has no vector of the space, or one of an
earlier text. So it goes on after a kill wherever that fell, and what others write meanwhile waits like the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np
import pyarrow as pa

from mendory.derived import vector_digests
from mendory.embedding import Embedder, Vectors
from mendory.embedding.batching import refusal
from mendory.errors import CommitConflict
from mendory.lance import Reader, Writer
from mendory.lance.quoting import name
from mendory.opened import unheard
from mendory.record import Memory
from mendory.side import text_digest
from mendory.sidestate import SideState

RID: Final = "mendory-fill"
TRIES: Final = 5
FEWEST: Final = 32
MOST: Final = 4096
"""Rows of a batch, between which it is sized by the time the last one took: a commit costs some 20 ms whatever it
holds, and what a kill throws away is one batch."""
SECONDS: Final = 2.0
"""How long a batch is to take: what a commit and the upkeep after it cost is the less a row the more it holds."""
_UNIQUE: Final = "the id is not unique"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits: ids in the order in which they are filled, and why other rows can't be (reason → rows)."""

    ids: tuple[str, ...]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over what waited: rows filled, rows that changed meanwhile and wait again, seconds it took.

    `embedding` are the seconds spent in the model.
    """

    filled: int
    again: int
    seconds: float
    embedding: float


@dataclass(slots=True)
class Filling:
    """Fills one space of one table.

    `table` and `side` read the vectors of that space as the table's; `embedder` makes them. `monotonic` tells
    seconds, `pause` waits for as long as the foreground needs before a batch, `told` hears rows done, rows in all.
    `upkeep` is called after each commit, while the next batch is embedded: rows written anew have left the indexes.
    """

    table: Writer
    side: SideState
    embedder: Embedder
    max_chars: int
    monotonic: Callable[[], float]
    pause: Callable[[], None] = lambda: None
    told: Callable[[int, int], None] = unheard
    stop: Callable[[], bool] = lambda: False
    upkeep: Callable[[], object] = lambda: None
    size: int = field(default=256)

    def waiting(self) -> Waiting:
        """What waits in the newest version."""
        return waiting(self.table, self.side, self.max_chars)

    def run(self, waits: Waiting | None = None) -> Pass:
        """Every row that waits has its vector, but those that change meanwhile; they wait again.

        Those that wait at this moment, where `waits` does not say which.

        While a batch is embedded the one before is committed, and the texts of the one after are read. Raises what the
        embedder raises, SpaceMoved among it: what was committed until then stays.
        """
        ids, done, tried, embedding = (waits or self.waiting()).ids, 0, 0, 0.0
        began = self.monotonic()
        committing: Future[int] | None = None
        with ThreadPoolExecutor(1) as beside:
            for rows, texts in self._batches(ids, beside):
                if self.stop():
                    break
                self.pause()
                start = self.monotonic()
                vectors = self.embedder.embed(list(texts.values()))
                took = self.monotonic() - start
                embedding += took
                if committing is not None:
                    done += committing.result()
                    self.told(done, len(ids))
                committing = beside.submit(self._committed, texts, vectors)
                tried += rows
                self.size = _sized(rows, took)
            if committing is not None:
                done += committing.result()
                self.told(done, len(ids))
        return Pass(done, tried - done, self.monotonic() - began, embedding)

    def _batches(self, ids: Sequence[str], beside: Executor) -> Iterator[tuple[int, dict[str, str]]]:
        """Each batch in order, how many rows and their texts, while `beside` reads the next one."""
        at, part = 0, ids[: self.size]
        reading = beside.submit(self._texts, part)
        while part:
            texts, rows, at = reading.result(), len(part), at + len(part)
            part = ids[at : at + self.size]
            reading = beside.submit(self._texts, part)
            yield rows, texts

    def _texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Id → text, of those rows that are still there and can be embedded."""
        if not ids:
            return {}
        self.table.refresh()
        held = [m for batch in self.table.found(ids, self._said) for m in self.table.mapping.memories(batch)]
        counts = Counter(m.id for m in held)
        return {
            str(m.id): str(m.content)
            for m in held
            if counts[m.id] == 1 and refusal(m.content or "", self.max_chars) is None
        }

    @property
    def _said(self) -> list[str]:
        """The columns of the id and the text."""
        return [self.table.id_column, str(self.table.mapping.column("content"))]

    def _committed(self, texts: Mapping[str, str], vectors: Vectors) -> int:
        done = self._commit(texts, vectors)
        self.upkeep()
        return done

    def _commit(self, texts: Mapping[str, str], vectors: Vectors) -> int:
        """How many rows hold these vectors now: those whose text is still what was embedded.

        Which text a vector is of is on record before the row holds it, so nobody need know whether a commit came
        through.
        """
        made = dict(zip(texts, vectors, strict=True))
        column = str(self.table.mapping.column("embedding"))
        for _ in range(TRIES):
            rows = self.table.read_rows(sorted(texts))
            memories = self.table.mapping.memories(rows.table.select(self._said))
            counts = Counter(m.id for m in memories)
            same = [at for at, m in enumerate(memories) if counts[m.id] == 1 and m.content == texts[str(m.id)]]
            if not same:
                return 0
            kept = rows.table.take(pa.array(same))
            kind = kept.schema.field(column).type
            stacked = np.stack([made[str(memories[at].id)] for at in same]).astype(kind.value_type.to_pandas_dtype())
            cells = pa.FixedSizeListArray.from_arrays(pa.array(stacked.ravel(), kind.value_type), type=kind)
            digests = vector_digests(cells, len(same))
            self.side.of_text(
                (str(memories[at].id), str(mark), text_digest(memories[at]))
                for at, mark in zip(same, digests, strict=True)
            )
            place = kept.schema.get_field_index(column)
            try:
                self.table.commit(kept.set_column(place, kept.schema.field(place), cells), rows.version, RID)
            except CommitConflict:
                continue
            return len(same)
        return 0


def waiting(table: Reader, side: SideState, max_chars: int, again: bool = False) -> Waiting:
    """What waits in the newest version of the table, whose vectors are read as those of the space that is filled.

    Reads the rows without a vector, and those whose text changed; `again` takes all others for waiting as well.
    """
    table.refresh()
    side.bring_up_vectors(table)
    column = str(table.mapping.column("embedding"))
    found: dict[str, bool] = {}  # id → whether recall returns it; no text is kept, so that memory stays flat
    left_out: Counter[str] = Counter()
    stale = table.fetch(sorted(side.stale(table))).values()
    for memory in chain(_read(table, None if again else f"{name(column)} IS NULL"), () if again else stale):
        if (why := _obstacle(memory, max_chars)) is None:
            found[str(memory.id)] = memory.recallable
        else:
            left_out[why] += 1
    for ident, rows in _rows_of(table, found).items():
        if rows > 1:
            del found[ident]
            left_out[_UNIQUE] += rows
    order = sorted(found, key=lambda i: (not found[i], i))
    return Waiting(tuple(order), dict(left_out))


def _read(table: Reader, where: str | None) -> Iterator[Memory]:
    for batch in table.batches(table.mapping.scan_columns(table.schema), where):
        yield from table.mapping.memories(batch)


def _rows_of(table: Reader, ids: Collection[str]) -> Counter[str]:
    """Id → how many rows have it."""
    own = table.id_column
    return Counter(i for batch in table.found(ids, [own]) for i in batch.column(own).to_pylist())


def _obstacle(memory: Memory, max_chars: int) -> str | None:
    return _UNIQUE if not memory.id else refusal(memory.content or "", max_chars)


def _sized(rows: int, took: float) -> int:
    """How many rows the next batch has, for it to take `SECONDS`; at most twice as many as the last."""
    wanted = rows * SECONDS / took if took > 0 else rows * 2
    return int(min(max(wanted, FEWEST), 2 * rows, MOST)) or FEWEST
