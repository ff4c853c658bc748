"""A writer that knows nothing of us: plain LanceDB, and a log of what LanceDB acknowledged.

Every write carries a token of its own, so that the oracle can recognise it in the table. The log is written after
the call has returned. SIGTERM ends the process between two writes.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa

from tests.crash import table
from tests.crash.processes import Say

LONGEST_PAUSE = 2.0


class Foreigner:
    """Updates, merges single columns, appends, deletes and optimizes, at seeded random times."""

    def __init__(self, folder: Path, name: str, seed: int, hot: int) -> None:
        self._rng = random.Random(seed)
        self._name, self._hot, self._made = name, hot, 0
        self._own: list[str] = []
        self._table = lancedb.connect(str(folder)).open_table(table.NAME)
        self._log = os.open(folder / f"foreign-{name}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, rest: float) -> None:
        """One write, logged once it is acknowledged, and a pause of `rest` times what it took, more or less."""
        began = time.monotonic()
        operations = (self._update, self._update_scope, self._merge, self._append, self._delete, self._optimize)
        [operation] = self._rng.choices(operations, (32, 4, 34, 12, 8, 10))
        self._made += 1
        try:
            told = operation(f"{self._name}.{self._made}")
        except (RuntimeError, OSError, ValueError) as error:
            told = {"op": "failed", "what": operation.__name__, "error": str(error)[:300]}
        os.write(self._log, (json.dumps(told) + "\n").encode())
        os.fsync(self._log)
        time.sleep(min(self._rng.uniform(0, 2 * rest) * (time.monotonic() - began), LONGEST_PAUSE))

    def _some(self) -> list[str]:
        names = [table.row_name(self._rng.randrange(self._hot)) for _ in range(self._rng.choice((1, 2, 4)))]
        if self._own and self._rng.random() < 0.2:
            names.append(self._rng.choice(self._own))
        return sorted(set(names))

    def _update(self, token: str) -> dict[str, Any]:
        names = self._some()
        done = self._table.update(where=f"id IN ({_listed(names)})", values={"source": token})
        return {"op": "update", "token": token, "ids": names, "rows": done.rows_updated, "version": done.version}

    def _update_scope(self, token: str) -> dict[str, Any]:
        scope = f"s{self._rng.randrange(table.SCOPES):02d}"
        done = self._table.update(where=f"scope = '{scope}' AND source != ''", values={"source": token})
        return {"op": "update", "token": token, "ids": None, "rows": done.rows_updated, "version": done.version}

    def _merge(self, token: str) -> dict[str, Any]:
        names = self._some()
        rows = pa.table({"id": pa.array(names), "batch_id": pa.array([token] * len(names))})
        done = self._table.merge_insert("id").when_matched_update_all().execute(rows)
        return {"op": "merge", "token": token, "ids": names, "rows": done.num_updated_rows, "version": done.version}

    def _append(self, token: str) -> dict[str, Any]:
        names = [f"f{token}.{n}" for n in range(self._rng.choice((1, 3, 8)))]
        rows = [table.row(self._rng, n, bad_vectors=False) | {"source": token} for n in names]
        done = self._table.add(pa.Table.from_pylist(rows, schema=self._table.schema))
        self._own += names
        return {"op": "append", "token": token, "ids": names, "rows": len(names), "version": done.version}

    def _delete(self, token: str) -> dict[str, Any]:
        number = self._rng.randrange(table.ROWS)
        if self._own and self._rng.random() < 0.5:
            name = self._own.pop(self._rng.randrange(len(self._own)))
        else:
            name = table.row_name(number)
        done = self._table.delete(f"id = '{name}'")
        rows = done.num_deleted_rows
        return {"op": "delete", "token": token, "ids": [name], "rows": rows, "version": done.version}

    def _optimize(self, token: str) -> dict[str, Any]:
        self._table.optimize()
        return {"op": "optimize", "token": token, "ids": [], "rows": 0, "version": None}


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{n}'" for n in names)


def write(say: Say, folder: Path, name: str, seed: int, hot: int, rest: float) -> None:
    """Writes until SIGTERM."""
    going = True

    def stop(*_: Any) -> None:
        nonlocal going
        going = False

    signal.signal(signal.SIGTERM, stop)
    writer = Foreigner(folder, name, seed, hot)
    say("ready")
    while going:
        writer.write(rest)
