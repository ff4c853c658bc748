"""`python -m tests.moving.foreign read|write FOLDER SEED PAUSE COLUMN`: programs that know nothing of Mendory.

Plain LanceDB with the old model's vectors, until SIGTERM. COLUMN is `-` where a search names no column. The writer
writes the columns that the table had before the move, and keeps the table compact as its owner would.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

from tests.moving.agent import METADATA, ids_of
from tests.moving.journal import Going, Journal
from tests.moving.setting import NAME, pool_of, queries_of

K = 10
OPTIMIZE_EVERY = 120


def read(folder: Path, seed: int, pause: float, column: str) -> None:
    """Searches the newest version; every answer is written down, or why there was none."""
    rng, going, journal = random.Random(seed), Going(pause), Journal(folder, "foreign-read")
    asked, vectors = queries_of(folder)
    table = lancedb.connect(str(folder)).open_table(NAME)
    more = {} if column == "-" else {"vector_column_name": column}
    print("ready", flush=True)
    while going:
        number = rng.randrange(len(asked))
        scope, at, began = asked[number]["scope"], time.time(), time.perf_counter()
        try:
            table.checkout_latest()
            search = table.search(vectors[number], **more).distance_type("cosine")
            rows = search.where(f"scope = '{scope}'", prefilter=True).select(["id", "_distance"]).limit(K).to_arrow()
        except Exception as error:  # noqa: BLE001 - whatever LanceDB raises is an answer that its owner did not get
            journal.tell(at=at, q=number, raised=f"{type(error).__name__}: {error}"[:300])
        else:
            ms = 1000 * (time.perf_counter() - began)
            near = [round(1 - distance, 6) for distance in rows["_distance"].to_pylist()]
            journal.tell(at=at, q=number, ms=ms, ids=rows["id"].to_pylist(), near=near)
        going.rest()


class Writer:
    """Adds some rows at a time, or changes one text with its vector."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._rng = random.Random(seed)
        texts, vectors = pool_of(folder)
        self._texts, self._vectors = texts[1::2], vectors[1::2]
        self._table = lancedb.connect(str(folder)).open_table(NAME)
        self._schema = self._table.schema
        self._mine = ids_of(folder, 1)
        self._journal = Journal(folder, "foreign-write")
        self._used = self._made = 0

    def write(self) -> None:
        """One write, told before and after, or nothing where the texts are used up."""
        count = self._rng.choice((1, 2, 4)) if self._rng.random() < 0.6 else 0
        taken = range(self._used, self._used + max(1, count))
        if taken.stop > len(self._texts):
            raise SystemExit("The texts are used up. Give a larger pool.")
        self._used = taken.stop
        ids = [f"foreign-{n}" for n in taken] if count else [self._rng.choice(self._mine)]
        rows = [[ident, self._texts[n]["text"]] for ident, n in zip(ids, taken, strict=True)]
        self._told("add" if count else "update", rows, lambda: self._written(ids, taken, new=count > 0))
        if self._made % OPTIMIZE_EVERY == 0:
            self._told("compact", [], self._table.optimize)

    def _told(self, op: str, rows: list[list[str]], work: Callable[[], object]) -> None:
        self._made += 1
        self._journal.tell(n=self._made, op=op, rows=rows, state="begun")
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever LanceDB raises is a write that its owner did not get
            self._journal.tell(n=self._made, state="raised", why=f"{type(error).__name__}: {error}"[:300])
        else:
            self._journal.tell(n=self._made, state="done")

    def _written(self, ids: list[str], taken: range, *, new: bool) -> None:
        self._add(ids, taken) if new else self._update(ids[0], taken.start)

    def _add(self, ids: list[str], taken: range) -> None:
        now = datetime.now(UTC)
        rows: list[dict[str, Any]] = [
            {
                "id": ident,
                "content": self._texts[n]["text"],
                "scope": self._texts[n]["scope"],
                "embedding": self._vectors[n],
                "metadata": json.dumps(METADATA),
                "created_at": now,
                "updated_at": now,
                "source": "user_stated",
                "status": "active",
                "kind": "fact",
            }
            for ident, n in zip(ids, taken, strict=True)
        ]
        self._table.add(pa.Table.from_pylist(rows, schema=self._schema))
        self._mine += ids

    def _update(self, ident: str, n: int) -> None:
        values = {"content": self._texts[n]["text"], "embedding": np.asarray(self._vectors[n]).tolist()}
        done = self._table.update(where=f"id = '{ident}'", values=values)
        if done.rows_updated != 1:
            raise RuntimeError(f"{done.rows_updated} rows updated instead of one")


def write(folder: Path, seed: int, pause: float) -> None:
    """Writes until SIGTERM."""
    writer, going = Writer(folder, seed), Going(pause)
    print("ready", flush=True)
    while going:
        writer.write()
        going.rest()


if __name__ == "__main__":
    verb, folder, seed, pause, column = sys.argv[1:]
    if verb == "read":
        read(Path(folder), int(seed), float(pause), column)
    else:
        write(Path(folder), int(seed), float(pause))
