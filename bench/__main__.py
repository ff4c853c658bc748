"""`make bench`: what a check, a plan and a repair cost, against plain LanceDB in the same run, and how it grows.

The last line is one JSON object: figures, the bounds they were held to, and `ok`.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("RUST_LOG", "error")

import lancedb
import numpy as np
import pyarrow as pa

from bench import guard, near, structure
from mendory.catalogue import Level, StepKind
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.detect import examine
from mendory.digest import row_digests
from mendory.executor.execute import Job, execute
from mendory.executor.owner import executing
from mendory.lance import Writer, create_table
from mendory.ledger.records import IntentKind
from mendory.mapping import Mapping
from mendory.plan.model import ColumnChange, Edit, Step
from mendory.record import arrow_schema
from mendory.rows import by_id, with_values
from mendory.work import Outcome, Unit

SIZES = (10_000, 30_000, 100_000)
DIMENSION = 384
ROUNDS = 5
BOUNDS = {
    # growth of a whole check from 10 k to 100 k rows: linear, with room for noise
    "check_exponent": 1.2,
    # one batch of the executor (read, compare, intent with images, commit, fsync, receipt) against an
    # unguarded, unlogged merge of the same rows that reads nothing and flushes nothing
    "repair_100_rows": 8.0,
    "repair_500_rows": 20.0,
    # the table work alone (read and commit) against the same merge
    "commit_100_rows": 2.5,
    "commit_500_rows": 2.5,
    # ledger bytes per repaired row, of two full images of 384 float32 and their texts
    "ledger_bytes_per_row": 12288,
}


def table(folder: Path, rows: int) -> Clinic:
    """A healthy table of that size, a few per cent of it sick, and its clinic."""
    create_table(str(folder / "db"), "memories", DIMENSION)
    writer = Writer(str(folder / "db"), "memories", Mapping.identity())
    rng = np.random.default_rng(rows)
    for start in range(0, rows, 10_000):
        size = min(10_000, rows - start)
        writer.append(_chunk(start, size, rng))
    data = {
        "table": {"uri": str(folder / "db"), "name": "memories"},
        "ledger": {"url": f"sqlite:///{folder}/ledger.db"},
    }
    return Clinic(Config.build(data, folder))


def _chunk(start: int, size: int, rng: Any) -> pa.Table:
    vectors = rng.normal(size=(size, DIMENSION)).astype("float32")
    ids = [f"m{start + i}" for i in range(size)]
    said = [start + i - (i % 50 == 1) for i in range(size)]  # every fiftieth says again what the one before it said
    moments = [1_700_000_000_000_000 + (start + i) * 1_000_000 for i in range(size)]
    column: dict[str, Any] = {
        "id": ids,
        "content": [f"用户 {n} prefers seat {n % 97} on flight {n}" for n in said],
        "embedding": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSION),
        "metadata": ['{"topic": "travel", "entities": ["u"], "scene": "flight", "n": 1.50}'] * size,
        "created_at": pa.array(moments, pa.timestamp("us", "UTC")),
        "updated_at": pa.array(moments, pa.timestamp("us", "UTC")),
        "source": ["user_stated"] * size,
        "scope": [f"u{n % 200}" for n in said],
        "status": ["Active" if i % 40 == 0 else "active" for i in range(size)],
        "kind": ["fact"] * size,
    }
    schema = arrow_schema(DIMENSION)
    held = [(column.get(f.name, pa.nulls(size, f.type)), f.type) for f in schema]
    return pa.table([a if isinstance(a, pa.Array) else pa.array(a, kind) for a, kind in held], schema=schema)


def seconds(action: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Median wall time of the action."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def check_cost(clinic: Clinic) -> dict[str, float]:
    """Seconds for reading the columns as Arrow, as record, and for the whole check."""
    reader = clinic.reader
    return {
        "read": seconds(lambda: [b.num_rows for b in reader.batches()], 3),
        "record": seconds(lambda: sum(1 for _ in reader.scan()), 3),
        "check": seconds(lambda: examine(reader.scan(), reader.fetch, clinic.settings), 3),
    }


def repair_cost(clinic: Clinic, rows: int) -> dict[str, float]:
    """Seconds for one repair of so many rows, for its table work alone, and for an unguarded merge of them."""
    writer, plain = clinic.writer, lancedb.connect(clinic.config.table_uri).open_table("memories")
    ids = [f"m{i * 97 % 90_000}" for i in range(rows)]
    flip = iter(f"bench-{rows}-{n}" for n in range(10_000))

    def merge() -> None:
        held = writer.rows(ids).set_column(6, "source", pa.array([next(flip)] * rows))
        start = time.perf_counter()
        plain.checkout_latest()
        plain.merge_insert("id").when_matched_update_all().execute(held.select(writer.schema.names))
        merges.append(time.perf_counter() - start)

    def commit() -> None:
        value = next(flip)
        start = time.perf_counter()
        read = writer.read_rows(ids)
        at = read.table.schema.get_field_index("source")
        after = read.table.set_column(at, read.table.schema.field(at), pa.array([value] * rows))
        writer.commit(after, read.version, value)
        commits.append(time.perf_counter() - start)

    def repair() -> None:
        job = Job(IntentKind.APPLY, None, None, tuple(_units(writer, ids, next(flip))))
        start = time.perf_counter()
        with executing() as context:
            done = execute(job, writer, clinic.ledger, context)
        repairs.append(time.perf_counter() - start)
        assert {Outcome.APPLIED} == {r.outcome for r in done}, {(r.outcome, r.reason) for r in done}

    merges: list[float] = []
    commits: list[float] = []
    repairs: list[float] = []
    for _ in range(ROUNDS):
        merge()
        commit()
        repair()
    return {k: statistics.median(v) for k, v in (("merge", merges), ("commit", commits), ("repair", repairs))}


def _units(writer: Writer, ids: list[str], value: str) -> list[Unit]:
    rows, _ = by_id(writer.read_rows(ids).table, "id")
    units = []
    for name, row in rows.items():
        change = ColumnChange("source", row.column("source")[0].as_py(), value)
        after = with_values(row, {"source": value})
        digests = (row_digests(r, writer.volatile)[0] for r in (row, after))
        edit = Edit(name, *digests, (change,))
        step = Step(StepKind.FILL, Level.AUTOMATIC, None, "bench", value, None, value, (edit,), {})
        units.append(Unit.of(step, f"{name}:{value}", None))
    return units


def main() -> int:
    """Measure, print, and return 0 when every bound holds."""
    figures: dict[str, Any] = {}
    checks = {}
    with tempfile.TemporaryDirectory(prefix="mendory-bench-") as name:
        for size in SIZES:
            folder = Path(name) / str(size)
            folder.mkdir()
            clinic = table(folder, size)
            checks[size] = check_cost(clinic)
            c = checks[size]
            times = f"read {c['read']:.2f} s, as record {c['record']:.2f} s, whole check {c['check']:.2f} s"
            print(f"check {size:>7,} rows: {times}, {size / c['check']:,.0f} rows/s", flush=True)
        figures["check_over_read"] = round(checks[SIZES[-1]]["check"] / checks[SIZES[-1]]["read"], 2)
        figures["check_exponent"] = round(_exponent(checks), 3)
        ledger = Path(str(clinic.config.ledger_url).removeprefix("sqlite:///"))
        repaired = 0
        for rows in (100, 500):
            cost = repair_cost(clinic, rows)
            repaired += rows * ROUNDS
            figures[f"commit_{rows}_rows"] = round(cost["commit"] / cost["merge"], 2)
            figures[f"repair_{rows}_rows"] = round(cost["repair"] / cost["merge"], 2)
            times = ", ".join(f"{what} {1e3 * spent:.0f} ms" for what, spent in cost.items())
            print(f"repair {rows:>4} of 100,000 rows: {times}", flush=True)
        clinic.ledger.close()
        used = sum(f.stat().st_size for f in ledger.parent.glob("ledger.db*"))
        figures["ledger_bytes_per_row"] = round(used / repaired)
    with tempfile.TemporaryDirectory(prefix="mendory-structure-") as name:
        figures |= structure.measure(Path(name))
    with tempfile.TemporaryDirectory(prefix="mendory-near-") as name:
        figures |= near.measure(Path(name))
    with tempfile.TemporaryDirectory(prefix="mendory-guard-") as name:
        figures |= guard.measure(Path(name))
    bounds = BOUNDS | structure.BOUNDS | near.BOUNDS | guard.BOUNDS
    ok = all(figures[k] <= bound for k, bound in bounds.items())
    print(json.dumps({"figures": figures, "bounds": bounds, "ok": ok}))
    return 0 if ok else 1


def _exponent(checks: dict[int, dict[str, float]]) -> float:
    small, large = SIZES[0], SIZES[-1]
    return math.log(checks[large]["check"] / checks[small]["check"]) / math.log(large / small)


if __name__ == "__main__":
    sys.exit(main())
