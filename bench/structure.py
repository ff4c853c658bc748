"""`make bench-structure`: what the structural check costs against plainly reading the columns it reads.

Per size, alternating in one process: reading the columns with LanceDB alone; the facts, with that reading; the facts
and the Great Expectations suites. The least of several rounds counts, as wall time and as processor time of all
threads. Memory is the most that a process of its own held, nothing set for it from outside: the check itself asks that
large blocks be given back (`mendory.allocator`); what it would take without is told beside. Then a check of what
changed, with one row in a hundred changed, the least of three of which the first also loads what is loaded once,
against one check of everything. The last line is one JSON object: figures, the bounds they were held to, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
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

from expectations import running
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.facts import Gathered, chunks, gather, whole
from mendory.lance import create_table
from mendory.record import arrow_schema

SIZES = (10_000, 100_000, 1_000_000)
DIMENSION = 384
ROUNDS = 5
METADATA_TEXTS = 10_000
CHANGED_FROM = 100_000
BOUNDS = {
    # against the plain read of the same columns, at the largest size
    "facts_over_read": 1.5,
    "structure_over_read": 3.0,
    # most memory at 1 M rows beyond that at 100 k
    "structure_peak_growth_mb": 200,
    # a check of what changed, 1 % of 100 k rows, against a check of everything
    "incremental_over_full": 0.03,
}
_CHUNK = 50_000
_ALLOCATORS = ("MALLOC_", "GLIBC_TUNABLES", "ARROW_DEFAULT_MEMORY_POOL", "MIMALLOC_", "LD_PRELOAD")
"""Variables by which a caller could make the figure of memory better than a user's."""


def build(folder: Path, rows: int) -> Clinic:
    """A healthy table of that size in the folder, bilingual, its vectors normalised, and its clinic."""
    create_table(str(folder / "db"), "memories", DIMENSION)
    table = lancedb.connect(str(folder / "db")).open_table("memories")
    rng = np.random.default_rng(rows)
    for start in range(0, rows, _CHUNK):
        table.add(_rows(start, min(_CHUNK, rows - start), rng))
    data = {
        "table": {"uri": str(folder / "db"), "name": "memories"},
        "ledger": {"url": f"sqlite:///{folder}/ledger.db"},
    }
    return Clinic(Config.build(data, folder))


def _rows(start: int, size: int, rng: Any) -> pa.Table:
    numbers = range(start, start + size)
    vectors = rng.standard_normal((size, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    moments = pa.array([1_700_000_000_000_000 + n * 1_000_000 for n in numbers], pa.timestamp("us", "UTC"))
    column: dict[str, Any] = {
        "id": [f"m{n}" for n in numbers],
        "content": [
            f"用户第 {n} 次订了 {n % 97} 号座位" if n % 2 else f"Booked seat {n % 97}, trip {n}" for n in numbers
        ],
        "embedding": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSION),
        "metadata": [_metadata(n % METADATA_TEXTS) for n in numbers],
        "created_at": moments,
        "updated_at": moments,
        "source": ["user_stated" if n % 3 else "system_log" for n in numbers],
        "scope": [f"u{n % 200}" for n in numbers],
        "status": ["active"] * size,
        "kind": ["fact"] * size,
    }
    schema = arrow_schema(DIMENSION)
    held = [(column.get(f.name, pa.nulls(size, f.type)), f.type) for f in schema]
    return pa.table([a if isinstance(a, pa.Array) else pa.array(a, kind) for a, kind in held], schema=schema)


def _metadata(number: int) -> str:
    return f'{{"topic": "travel", "entities": ["u{number}"], "scene": "flight", "n": 1.50}}'


def read(clinic: Clinic) -> int:
    """The rows are read with LanceDB alone, in the columns that the structural check reads."""
    table = lancedb.connect(clinic.config.table_uri).open_table("memories")
    columns = [*clinic.mapping.scan_columns(table.schema), "embedding"]
    query = table.search().select(columns).limit(table.count_rows())
    return sum(batch.num_rows for batch in query.to_batches(batch_size=8192))


def facts(clinic: Clinic) -> int:
    """The facts of all rows are there, those of the whole table too."""
    held, reader, settings = Gathered(), clinic.reader, clinic.settings
    rows = sum(len(c.facts) for c in gather(chunks(clinic.mapping, reader.batches(), settings, {}), settings, held))
    whole.of(held, reader.fetch, settings)
    return rows


def structure(clinic: Clinic) -> int:
    """The facts and the suites; nothing must fail."""
    told = running.judged(clinic.mapping, clinic.reader.batches(), clinic.reader.fetch, clinic.settings)
    assert not told.failing, sorted(told.failing)
    return clinic.reader.count()


def costs(clinic: Clinic, rows: int, rounds: int) -> dict[str, tuple[float, float]]:
    """(wall, processor) seconds, the least of some rounds in which all three take turns."""
    spent: dict[str, list[tuple[float, float]]] = {"read": [], "facts": [], "structure": []}
    actions: tuple[Callable[[Clinic], int], ...] = (read, facts, structure)
    for _ in range(rounds + 1):  # the first, which also loads what is loaded once, does not count
        for action in actions:
            wall, processor = time.perf_counter(), time.process_time()
            assert rows == action(clinic)
            spent[action.__name__].append((time.perf_counter() - wall, time.process_time() - processor))
    return {what: (min(w for w, _ in times[1:]), min(p for _, p in times[1:])) for what, times in spent.items()}


def peak(folder: Path, *options: str) -> int:
    """Most bytes in memory of a process that does nothing but the structural check of the table in the folder."""
    root = str(Path(__file__).resolve().parent.parent)
    command = [sys.executable, "-m", "bench.structure", "--peak-of", str(folder), *options]
    bare = {name: value for name, value in os.environ.items() if not name.startswith(_ALLOCATORS)}
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, env=bare)
    return int(done.stdout.split()[-1])


def _most_held() -> int:
    """Most bytes this process held since it was started."""
    status = Path("/proc/self/status")
    if status.exists():  # the other figure counts what its parent held when it was forked
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def changed(clinic: Clinic) -> dict[str, float]:
    """Seconds of a check of everything and of one of what changed, with a hundredth of the rows changed."""
    start = time.perf_counter()
    checked = clinic.check(keep=True)
    full = time.perf_counter() - start
    assert clinic.checkpoint(checked)
    table = lancedb.connect(clinic.config.table_uri).open_table("memories")
    few = ", ".join(f"'m{n}'" for n in range(0, checked.rows, 100))
    table.update(where=f"id IN ({few})", values={"source": "model_inferred"})
    spent = []
    for _ in range(3):
        start = time.perf_counter()
        again = clinic.check(since="last")
        spent.append(time.perf_counter() - start)
        assert again.basis.since is not None, again.basis.why
    return {"full": full, "incremental": min(spent)}


def measure(root: Path, sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS) -> dict[str, float]:
    """The figures; a line for each size is printed."""
    figures: dict[str, float] = {}
    peaks: dict[int, int] = {}
    for size in sizes:
        folder = root / f"structure-{size}"
        folder.mkdir()
        clinic = build(folder, size)
        spent = costs(clinic, size, rounds)
        peaks[size] = peak(folder)
        figures[f"structure_peak_mb_holding_{size}"] = round(peak(folder, "--holding") / 2**20)
        for at, kind in enumerate(("", "_cpu")):
            figures[f"facts_over_read{kind}_{size}"] = round(spent["facts"][at] / spent["read"][at], 2)
            figures[f"structure_over_read{kind}_{size}"] = round(spent["structure"][at] / spent["read"][at], 2)
        figures[f"structure_peak_mb_{size}"] = round(peaks[size] / 2**20)
        times = ", ".join(f"{what} {wall:.2f} s ({cpu:.2f} s CPU)" for what, (wall, cpu) in spent.items())
        print(f"structure {size:>9,} rows: {times}, {peaks[size] / 2**20:,.0f} MB at most", flush=True)
        if size >= CHANGED_FROM:
            took = changed(clinic)
            figures[f"incremental_over_full_{size}"] = round(took["incremental"] / took["full"], 3)
            print(f"check of 1 % changed: {took['incremental']:.2f} s, of all {took['full']:.2f} s", flush=True)
    largest = sizes[-1]
    figures["incremental_over_full"] = figures[f"incremental_over_full_{largest}"]
    figures["facts_over_read"] = figures[f"facts_over_read_{largest}"]
    figures["structure_over_read"] = figures[f"structure_over_read_{largest}"]
    figures["structure_peak_growth_mb"] = round((peaks[largest] - peaks[sizes[-2]]) / 2**20)
    return figures


def held(figures: dict[str, float]) -> bool:
    """True when every bound holds."""
    return all(figures[name] <= bound for name, bound in BOUNDS.items())


def main(argv: list[str]) -> int:
    """Measure, print, and return 0 when every bound holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.structure", description=__doc__)
    parser.add_argument(
        "--peak-of", type=Path, help="only check the table in this folder and print the most bytes held"
    )
    parser.add_argument("--holding", action="store_true", help="with --peak-of: large blocks are not given back")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(argv)
    if options.peak_of:
        folder = options.peak_of.resolve()
        if options.holding:
            running.give_back = lambda: False
        structure(Clinic(Config.build({"table": {"uri": str(folder / "db"), "name": "memories"}}, folder)))
        print(_most_held())
        return 0
    with tempfile.TemporaryDirectory(prefix="mendory-structure-") as name:
        figures = measure(Path(name), rounds=options.rounds)
    print(json.dumps({"figures": figures, "bounds": BOUNDS, "ok": held(figures)}))
    return 0 if held(figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
