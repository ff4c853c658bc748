"""`make bench-migration`: how filling and gate of a move grow with the table, in time and in memory.

Each size is a process of its own. The baseline, in the same process, is the model alone on the same texts, and the
memory held once it is loaded. The last line is one JSON object: figures, the bounds they were held to, and `ok`.
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


def measured(folder: Path) -> dict[str, Any]:
    """Seconds and peak memory of the model alone, of a filling and of a gate of the table in the folder."""

    def clinic() -> Clinic:
        return Clinic(Config.load(folder / CONFIG))

    model = PAIRS["quick"].models()[1]
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    alone = _seconds(lambda: [len(model.embed(texts[at : at + _AT_ONCE])) for at in range(0, len(texts), _AT_ONCE)])
    held = _peak()
    whole = _seconds(lambda: fill(clinic()))
    filled = _peak()
    gated = _seconds(lambda: examine_move(clinic(), SEED, by="ann"))
    return {
        "rows": len(texts),
        "model_s": round(alone, 1),
        "fill_s": round(whole, 1),
        "gate_s": round(gated, 1),
        "held_mib": round(held / 2**20),
        "fill_mib": round((filled - held) / 2**20),
        "gate_mib": round((_peak() - held) / 2**20),
    }


def grown(small: dict[str, Any], large: dict[str, Any]) -> dict[str, float]:
    """How each cost grows from the small table to the large one."""
    times, rows = large["rows"] / small["rows"], large["rows"] - small["rows"]
    found = {}
    for what in ("fill", "gate"):
        found[f"{what}_exponent"] = round(math.log(large[f"{what}_s"] / small[f"{what}_s"], times), 2)
        more = max(0, large[f"{what}_mib"] - small[f"{what}_mib"]) * 2**20
        found[f"{what}_bytes_per_row"] = round(more / rows)
    return found


def main(argv: list[str]) -> int:
    """Measure, print, and return 0 when every bound holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.migration", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--folder", type=Path, help="measure the table that is there, and print that alone")
    options = parser.parse_args(argv)
    if options.folder:
        print(json.dumps(measured(options.folder)))
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
    """What a process of its own measured on a table of that size, whose move was begun."""
    setting = build(folder, PAIRS["quick"], rows, 10, SEED)
    (folder / "texts.json").write_text(json.dumps(list(setting.texts.values()), ensure_ascii=False), encoding="utf-8")
    turn_to(setting)
    start(Clinic(Config.load(folder / CONFIG)), "ann", same_width=True)
    command = [sys.executable, "-m", "bench.migration", "--folder", str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **_THREADS})
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def _seconds(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def _peak() -> int:
    """Most bytes this process ever had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
