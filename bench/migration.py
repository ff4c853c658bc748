"""`make bench-migration`: how filling and gate of a move grow with the table, in time and in memory.

The baseline, in a process of its own as the move is, so that neither hides in the other's peak of memory, is the model
alone on the same texts. The last line is one JSON object: figures, the bounds they were held to, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.gated import examine_move
from mendory.migrating import fill, start
from tests.moving.models import PAIRS
from tests.moving.setting import CONFIG, build, turn_to

SIZES = (5_000, 20_000)
SEED = 3
TEXTS = "texts.json"
_AT_ONCE = 512
BOUNDS = {
    # growth of a whole filling, with its readings of the table, beside that of the model alone
    "fill_exponent": 1.1,
    # the gate's sample and its queries do not grow; it reads each row and its vector once
    "gate_exponent": 1.0,
    # memory a row more takes: ids and digests of what waits; a vector of this model has 2,048 bytes
    "fill_bytes_per_row": 1024,
    "gate_bytes_per_row": 1024,
}
_THREADS = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "RUST_LOG": "error", "HF_HUB_OFFLINE": "1"}


def alone(folder: Path) -> dict[str, Any]:
    """Seconds and peak memory of the model, loaded and asked for the vectors of all texts, none of which it keeps."""
    texts = json.loads((folder / TEXTS).read_text(encoding="utf-8"))
    model = PAIRS["quick"].models()[1]
    took = _seconds(lambda: [len(model.embed(texts[at : at + _AT_ONCE])) for at in range(0, len(texts), _AT_ONCE)])
    return {"rows": len(texts), "model_s": took, "model_mib": _peak()}


def moved(folder: Path) -> dict[str, Any]:
    """Seconds and peak memory of a filling, and then of a gate, of the table in the folder, whose move was begun."""

    def clinic() -> Clinic:
        return Clinic(Config.load(folder / CONFIG))

    filling, held = _seconds(lambda: fill(clinic())), _peak()
    gating = _seconds(lambda: examine_move(clinic(), SEED, by="ann"))
    return {"fill_s": filling, "fill_mib": held, "gate_s": gating, "gate_mib": _peak()}


def grown(small: dict[str, Any], large: dict[str, Any]) -> dict[str, float]:
    """How each cost grows from the small table to the large one; memory is what is needed beside the model alone."""
    times, rows = large["rows"] / small["rows"], large["rows"] - small["rows"]
    found = {}
    for what in ("fill", "gate"):
        found[f"{what}_exponent"] = round(math.log(large[f"{what}_s"] / small[f"{what}_s"], times), 2)
        beside = [size[f"{what}_mib"] - size["model_mib"] for size in (small, large)]
        found[f"{what}_bytes_per_row"] = round((beside[1] - beside[0]) * 2**20 / rows)
    return found


def main(argv: list[str]) -> int:
    """Measure, print, and return 0 when every bound holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.migration", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--one", nargs=2, metavar=("WHAT", "FOLDER"), help="measure alone or moved, in this process")
    options = parser.parse_args(argv)
    if options.one:
        what, folder = options.one
        print(json.dumps({"alone": alone, "moved": moved}[what](Path(folder))))
        return 0
    sizes = []
    for rows in options.sizes:
        with tempfile.TemporaryDirectory(prefix="mendory-migration-") as name:
            sizes.append(_apart(Path(name), rows))
        print(sizes[-1], flush=True)
    growth = grown(sizes[0], sizes[-1])
    ok = all(growth[name] <= bound for name, bound in BOUNDS.items())
    print(json.dumps({"figures": {"sizes": sizes, **growth}, "bounds": BOUNDS, "ok": ok}))
    return 0 if ok else 1


def _apart(folder: Path, rows: int) -> dict[str, Any]:
    """What two processes measured on a table of that size, whose move was begun."""
    setting = build(folder, PAIRS["quick"], rows, 10, SEED)
    (folder / TEXTS).write_text(json.dumps(list(setting.texts.values()), ensure_ascii=False), encoding="utf-8")
    turn_to(setting)
    start(Clinic(Config.load(folder / CONFIG)), "ann", same_width=True)
    found: dict[str, Any] = {}
    for what in ("alone", "moved"):
        command = [sys.executable, "-m", "bench.migration", "--one", what, str(folder)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **_THREADS})
        found |= json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _seconds(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return round(time.monotonic() - began, 1)


def _peak() -> int:
    """The most this process ever had in memory, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (20 if sys.platform == "darwin" else 10)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
