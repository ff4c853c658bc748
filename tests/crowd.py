"""A foreign writer that never rests while a table is checked and repaired: nothing of theirs may be overwritten.

`python -m tests.crowd --rows 100000` makes a table with faults, starts a process that knows nothing of Mendory and
writes with plain LanceDB, checks, plans and applies meanwhile, several times, and compares. JSON on its last line:
`ok` is true when repairs were applied, the writer wrote between them, and nothing of either is lost.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final

import lancedb
import pyarrow as pa

from mendory import treatment
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import CommitConflict, RehearsalFailed, Unavailable
from mendory.record import FIELD_NAMES, arrow_schema
from tests.conftest import make_config, memory

DIMENSION: Final = 8
LIMITS: Final = {
    "rows_per_run": 10**6,
    "repairs_per_day": 10**7,
    "scope_share": 1.0,
    "sick_share_scope": 1.0,
    "sick_share_table": 1.0,
}
CHUNK: Final = 20_000


def row(number: int) -> dict[str, Any]:
    """Row number so and so: every 20th has a misspelt status, every 50th is a double of the one before."""
    text = number - 1 if number % 50 == 1 else number
    return memory(
        f"m{number:07d}",
        content=f"第 {text} 条 memory of its own",
        embedding=[math.cos(number), math.sin(number), *([0.0] * (DIMENSION - 2))],
        status="Active " if number % 20 == 0 else "active",
        scope=f"u{text // 50 % 97}",
    )


def make(folder: Path, rows: int) -> Config:
    """The table in the folder, and a configuration that lets everything decided run."""
    table = lancedb.connect(str(folder)).create_table("memories", schema=arrow_schema(DIMENSION))
    for at in range(0, rows, CHUNK):
        table.add(
            pa.Table.from_pylist([row(n) for n in range(at, min(at + CHUNK, rows))], schema=arrow_schema(DIMENSION))
        )
    return make_config(folder, limits=LIMITS, rules={"confirmed": ["merge.exact"]})


def foreign(folder: Path, rows: int, log: Path, seed: int, pace: float) -> None:
    """Writes until there is a file `end`: updates of some rows, additions; each is logged once it is acknowledged."""
    rng, table, made = Random(seed), lancedb.connect(str(folder)).open_table("memories"), 0
    end = folder / "end"
    with log.open("a", encoding="utf-8") as out:
        while not end.exists():
            made += 1
            token = f"foreign {made}"
            # rows that Mendory wants to change, and their neighbours
            wanted = [f"m{20 * rng.randrange(rows // 20) + rng.choice((0, 0, 1)):07d}" for _ in range(5)]
            try:
                if made % 7:
                    listed = ", ".join(f"'{name}'" for name in sorted(set(wanted)))
                    done = table.update(where=f"id IN ({listed})", values={"source": token, "batch_id": token})
                    told = {"ids": sorted(set(wanted)), "token": token, "version": done.version}
                else:
                    name = f"n{made:07d}"
                    fresh = row(10**6 + 2 * made) | {"id": name, "source": token, "batch_id": token, "status": "active"}
                    done = table.add(pa.Table.from_pylist([fresh], schema=table.schema))
                    told = {"ids": [name], "token": token, "version": done.version}
            except (RuntimeError, OSError, ValueError):
                continue  # it lost a race, and nothing of it was written
            out.write(json.dumps(told) + "\n")
            out.flush()
            time.sleep(rng.uniform(0, pace))


def crowd(rows: int, rounds: int, seed: int, folder: Path, pace: float = 0.5) -> dict[str, Any]:
    """What was written by whom, and what of the foreign writes was lost: both numbers must be 0.

    After `rounds` it goes on, at most as often again and twice more, until a repair found its way between the writes.
    """
    begun = time.monotonic()
    config = make(folder, rows)
    log = folder / "foreign.jsonl"
    command = [sys.executable, "-m", "tests.crowd", "--foreign", *map(str, (folder, log, rows, seed, pace))]
    applied = refused = failed = findings = 0
    with subprocess.Popen(command) as writer:
        try:
            while not log.exists() or not log.stat().st_size:
                time.sleep(0.05)
                if writer.poll() is not None:
                    raise RuntimeError("the foreign writer ended")
            for number in range(3 * rounds):
                if number >= rounds and applied:
                    break
                clinic = Clinic(config, lambda: datetime.now(UTC))
                checked = clinic.check(keep=True, since="last" if number else None)
                findings = findings or len(checked.findings)
                try:
                    planned = clinic.plan(checked)
                    for plan_id in [planned.plan.id] if planned.plan else planned.open_plans:
                        for result in treatment.apply(clinic, plan_id).results:
                            applied += result.outcome.value == "applied"
                            refused += result.outcome.value != "applied"
                except (CommitConflict, RehearsalFailed, Unavailable):
                    failed += 1
        finally:
            (folder / "end").touch()
            writer.wait(timeout=120)
    told = compared(folder, rows, log)
    return {
        "rows": rows,
        "rounds": rounds,
        "findings": findings,
        "applied": applied,
        "refused": refused,
        "failed_rounds": failed,
        **told,
        "seconds": round(time.monotonic() - begun, 1),
        "ok": bool(applied and told["foreign_writes"] and not told["overwritten"] and not told["astray"]),
    }


def compared(folder: Path, rows: int, log: Path) -> dict[str, int]:
    """Foreign writes that are not in the table any more, and rows that changed in what nobody planned to change."""
    last: dict[str, str] = {}
    writes = 0
    for line in log.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        writes += 1
        last |= dict.fromkeys(told["ids"], told["token"])
    held = {str(r["id"]): r for r in lancedb.connect(str(folder)).open_table("memories").to_arrow().to_pylist()}
    lost = sum(i not in held or (held[i]["source"], held[i]["batch_id"]) != (token, token) for i, token in last.items())
    ours = {"status", "duplicate_of", "related_ids", "related_notes", "metadata"}
    theirs = {"source", "batch_id"}
    astray = 0
    for number in range(rows):
        expected = row(number)
        found = held.get(str(expected["id"]))
        names = [n for n in FIELD_NAMES if n not in ours and not (n in theirs and expected["id"] in last)]
        astray += found is None or any(_plain(found[n]) != _plain(expected[n]) for n in names)
    return {"foreign_writes": writes, "foreign_rows": len(last), "overwritten": lost, "astray": astray}


def _plain(value: Any) -> Any:
    is_vector = isinstance(value, list) and value and isinstance(value[0], float)
    return pa.array(value, pa.float32()).to_pylist() if is_vector else value


def main(words: Sequence[str] | None = None) -> int:
    """Runs the crowd; 0 when nothing was overwritten."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pace", type=float, default=0.5, help="longest rest of the foreign writer, in seconds")
    parser.add_argument("--foreign", nargs=5, help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.foreign:
        folder, log, rows, seed, pace = asked.foreign
        foreign(Path(folder), int(rows), Path(log), int(seed), float(pace))
        return 0
    with tempfile.TemporaryDirectory(prefix="crowd-") as folder:
        outcome = crowd(asked.rows, asked.rounds, asked.seed, Path(folder), asked.pace)
    sys.stdout.write(json.dumps(outcome) + "\n")
    return 0 if outcome["ok"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
