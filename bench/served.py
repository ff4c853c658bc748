"""`make bench-served`: Prefect's part of a heal of 100 k rows.

The same table is healed by the flow, against a running server, and by the calls of the library that the flow's tasks
make, each in a process of its own, by turns. What counts is the whole process, imports included: a worker starts one
for every run. The last line is one JSON object: figures, the bound they were held to, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deployments import hardening, processes

ROOT = Path(__file__).resolve().parent.parent
ROWS = 100_000
ROUNDS = 3
BOUNDS = {
    # of the flow's seconds, those that the library's own calls do not need; and of its processor's alike, which
    # a busy machine does not stretch
    "prefect_share": 0.15,
    "prefect_cpu_share": 0.15,
}
_CONFIG = """
[table]
uri = "db"
name = "memories"
[rules]
confirmed = ["merge.exact"]
[limits]
rows_per_run = 1000000
repairs_per_day = 1000000
scope_share = 1.0
sick_share_scope = 1.0
sick_share_table = 1.0
"""


@contextmanager
def server(home: Path) -> Iterator[dict[str, str]]:
    """The server that `make serve` starts, on a free port with a home of its own; gives the environment of clients."""
    port, auth = processes.free_port(), hardening.secret(home)
    outside, log = hardening.outside(os.environ), home / "server.log"
    locked = outside | hardening.server(home, port, auth)
    process = processes.start(processes.server_command(port), locked, log, ROOT)
    try:
        processes.wait_healthy(process, port, log, time.sleep)
        yield outside | hardening.client(home, port, auth) | {"PREFECT_LOGGING_LEVEL": "WARNING"}
    finally:
        processes.stop(process)


def library(config: str) -> dict[str, Any]:
    """What the flow's tasks call, called plainly."""
    from expectations.agreement import agree
    from mendory import due, treatment
    from mendory.clinic import Clinic
    from mendory.config import Config
    from mendory.ledger import utc_now
    from mendory.report import build
    from mendory.report.files import write

    def clinic() -> Clinic:
        return Clinic(Config.load(Path(config)))

    moment = utc_now()
    still = Clinic(Config.load(Path(config)), lambda: moment)
    checked = still.check(keep=True)
    agree(still, checked.examination.findings)
    clinic().ledger.findings.note(checked.findings)
    planned = clinic().plan(checked)
    done = {}
    for plan_id in due.open_plans(clinic()):
        treatment.rule(clinic(), treatment.open_plan(clinic(), plan_id))
        build(clinic().ledger, plan_id)
        if due.may_run(clinic(), plan_id):
            done = treatment.close(clinic(), treatment.run(clinic(), plan_id)).outcomes()
        write(build(clinic().ledger, plan_id), clinic().config.reports_path)
    assert "prefect" not in sys.modules
    return {"plan": planned.plan and planned.plan.id, "done": done}


def flow(config: str) -> dict[str, Any]:
    """The flow itself."""
    from flows.heal import heal

    came = heal(config, dry_run=False)
    return {"plan": came["plans"][0], "done": came["runs"][0]["outcomes"]}


def main(argv: list[str]) -> int:
    """Measure, print, and return 0 when the bound holds; with a way and a configuration, heal once."""
    parser = argparse.ArgumentParser(prog="python -m bench.served", description=__doc__)
    parser.add_argument("way", nargs="?", choices=("library", "flow"))
    parser.add_argument("config", nargs="?")
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args(argv)
    if options.way:
        print(json.dumps({"library": library, "flow": flow}[options.way](options.config)))
        return 0
    return measure(options.rows)


def measure(rows: int) -> int:
    """Print both ways' seconds by rounds, then the figures."""
    from bench.__main__ import table

    seconds: dict[str, list[float]] = {"library": [], "flow": []}
    busy: dict[str, list[float]] = {"library": [], "flow": []}
    came: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="mendory-served-") as name, server(Path(name) / "home") as env:
        seed = Path(name) / "seed"
        seed.mkdir()
        table(seed, rows)
        (seed / "mendory.toml").write_text(_CONFIG, encoding="utf-8")
        for number in range(ROUNDS):
            for way in ("library", "flow") if number % 2 else ("flow", "library"):
                spent, worked, result = _once(way, seed, Path(name) / "work", env)
                seconds[way].append(spent)
                busy[way].append(worked)
                came.add(json.dumps(result, sort_keys=True))
                print(f"{way:8} {spent:6.1f} s, {worked:6.1f} s of the processor  {result['done']}", flush=True)
    figures: dict[str, Any] = {"rows": rows}
    for kind, of in (("seconds", seconds), ("cpu_seconds", busy)):
        figures |= {f"{way}_{kind}": round(statistics.median(of[way]), 1) for way in of}
    figures["prefect_share"] = round(1 - figures["library_seconds"] / figures["flow_seconds"], 3)
    figures["prefect_cpu_share"] = round(1 - figures["library_cpu_seconds"] / figures["flow_cpu_seconds"], 3)
    figures["same_outcome"] = len(came) == 1
    ok = all(figures[name] <= bound for name, bound in BOUNDS.items()) and figures["same_outcome"]
    print(json.dumps({"figures": figures, "bounds": BOUNDS, "ok": ok}))
    return 0 if ok else 1


def _once(way: str, seed: Path, work: Path, env: dict[str, str]) -> tuple[float, float, dict[str, Any]]:
    """Seconds of one heal of a fresh copy of the table, seconds of the processor, and what it came to."""
    shutil.copytree(seed, work)
    command = [sys.executable, "-m", "bench.served", way, str(work / "mendory.toml")]
    try:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        spent, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return spent, worked, json.loads(done.stdout.strip().splitlines()[-1])
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
