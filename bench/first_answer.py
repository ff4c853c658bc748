"""`make first-answer`: how long a new user waits for `init` and the first `check` of a large table, and in what memory.

The table is an owner's own: Chinese and English, epoch milliseconds, two columns for the scope, long vectors. Each
command is a process of its own; the baseline, in the same run, reads the columns that a check reads with plain LanceDB.
The last line is one JSON object: figures, the bounds they were held to, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

BOUNDS = {
    # a guess and its proof look at a sample: no time to speak of beside reading the columns
    "init_over_read": 3.0,
    # memory of a check per row: ids, text keys, findings; never the vectors
    "check_bytes_per_row": 2500,
}
_CHUNK = 20_000
_COLUMNS = ("mem_id", "content", "tenant", "uid", "ts", "is_deleted", "tags")


def build(folder: Path, rows: int, dimension: int) -> None:
    """`chat_memory` with that many rows is in the folder; every fiftieth says again what the one before it said."""
    rng = np.random.default_rng(7)
    table: Any = None
    for start in range(0, rows, _CHUNK):
        chunk = _rows(start, min(_CHUNK, rows - start), dimension, rng)
        if table is None:
            table = lancedb.connect(str(folder)).create_table("chat_memory", chunk)
        else:
            table.add(chunk)


def _rows(start: int, size: int, dimension: int, rng: Any) -> pa.Table:
    numbers = range(start, start + size)
    said = [n - (n % 50 == 1) for n in numbers]
    vectors = rng.standard_normal((size, dimension), dtype="float32")
    texts = [f"用户第 {n} 次订了 {n % 97} 号座位" if n % 2 else f"Booked seat {n % 97} on trip {n}" for n in said]
    return pa.table(
        {
            "mem_id": [f"m{n}" for n in numbers],
            "content": texts,
            "vec": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), dimension),
            "tenant": [f"t{n % 20}" for n in said],
            "uid": [f"u{n % 200}" for n in said],
            "ts": [1_700_000_000_000 + n * 1000 for n in numbers],
            "is_deleted": [0] * size,
            "hit_count": [n % 9 for n in numbers],
            "tags": ["旅行"] * size,
        }
    )


def measured(folder: Path, *command: str) -> tuple[float, int, str]:
    """(seconds, most bytes in memory, what was printed) of a command run in the folder."""
    start = time.perf_counter()
    report = folder / "peak"
    script = (
        "import resource, subprocess, sys, pathlib; done = subprocess.run(sys.argv[2:]);"
        "pathlib.Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss));"
        "sys.exit(done.returncode)"
    )
    root = str(Path(__file__).resolve().parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", script, str(report), *command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root, "RUST_LOG": "error"},
    )
    seconds = time.perf_counter() - start
    if done.returncode not in (0, 2):
        raise SystemExit(f"{' '.join(command[-3:])} ended with {done.returncode}: {done.stderr[-2000:]}")
    return seconds, int(report.read_text()) * 1024, done.stdout


def main(argv: list[str]) -> int:
    """Measure, print, and return 0 when every bound holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.first_answer", description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--dimension", type=int, default=1024)
    options = parser.parse_args(argv)
    read = (
        f"import lancedb; t = lancedb.connect('.').open_table('chat_memory');"
        f"print(sum(b.num_rows for b in t.search().select({list(_COLUMNS)}).limit({options.rows}).to_batches()))"
    )
    mendory = (sys.executable, "-m", "mendory")
    with tempfile.TemporaryDirectory(prefix="mendory-first-") as name:
        folder = Path(name)
        build(folder, options.rows, options.dimension)
        figures: dict[str, Any] = {"rows": options.rows, "dimension": options.dimension}
        for what, command in (
            ("read", (sys.executable, "-c", read)),
            ("init", (*mendory, "init", ".#chat_memory")),
            ("check", (*mendory, "check")),
        ):
            seconds, peak, out = measured(folder, *command)
            figures |= {f"{what}_seconds": round(seconds, 1), f"{what}_peak_mb": round(peak / 2**20)}
            print(f"{what}: {seconds:.1f} s, {peak / 2**20:,.0f} MB at most", flush=True)
            print("".join(f"  {line}\n" for line in out.splitlines()[:12]), end="", flush=True)
    figures["init_over_read"] = round(figures["init_seconds"] / figures["read_seconds"], 2)
    figures["check_over_read"] = round(figures["check_seconds"] / figures["read_seconds"], 2)
    extra = (figures["check_peak_mb"] - figures["read_peak_mb"]) * 2**20
    figures["check_bytes_per_row"] = round(max(extra, 0) / options.rows)
    ok = all(figures[key] <= bound for key, bound in BOUNDS.items())
    print(json.dumps({"figures": figures, "bounds": BOUNDS, "ok": ok}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
