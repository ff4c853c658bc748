"""`make migrate`: a table moved to another model and taken back, while other programs use it and the acts are killed.

Three parts: the filling beside the model alone, the gate's controls, the story with its crowd. The last line is one
JSON object: figures, the bounds they were held to, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from mendory.ledger import Ledger
from mendory.migration.stages import Stage
from tests.moving.controls import controls, refused
from tests.moving.measure import throughput
from tests.moving.models import PAIRS
from tests.moving.setting import build
from tests.moving.story import Plan, Story, figures

ROWS, KILLS = 20_000, 50
SECOND, SLOWER, THROUGHPUT, LATER = 1.0, 1.5, 0.95, 1_000


def main(argv: list[str]) -> int:
    """Tell it; 0 when every bound holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.moving", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", choices=sorted(PAIRS), default="real")
    options = parser.parse_args(argv)
    began, folder = time.monotonic(), Path(tempfile.mkdtemp(prefix="mendory-moving-"))
    try:
        found = run(folder, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found["seconds"], found["load"] = round(time.monotonic() - began), round(os.getloadavg()[2], 1)
    broken = judged(found, options.kills, large=options.rows >= ROWS)
    print(json.dumps({"figures": found, "bounds": BOUNDS, "broken": broken, "ok": not broken}))
    return 0 if not broken else 1


def run(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of all three parts."""
    pair, large = PAIRS[options.models], options.rows >= ROWS
    found: dict[str, Any] = {}
    found["controls"] = controls(_new(folder, "controls"), pair, 120, options.seed)
    _say(f"the gate's controls: {found['controls']}")
    pool = 12_000 if large else 4_000
    setting = build(_new(folder, "table"), pair, options.rows, pool, options.seed)
    _say(f"{len(setting.texts):,} memories")
    if large:
        alone = shutil.copytree(setting.folder, folder / "alone")
        found["throughput"] = throughput(replace(setting, folder=alone))
        _say(f"filling beside the model alone: {found['throughput']}")
    pauses = (0.05, 0.7, 0.2, 1.0) if large else (0.01, 0.3, 0.05, 0.3)
    tries = math.ceil(1.1 * options.kills)  # some acts end before they are killed
    # a search costs more with each write until the table's owner compacts it: what is usual spans some such rounds
    seen = (240.0, 60.0) if large else (2.0, 1.0)
    plan = Plan(tries, options.seed, *seen, LATER if large else 40, pauses, 1.0 if large else 0.25)
    told = Story(setting, plan, _say).tell()
    ledger = Ledger.open(setting.config.ledger_url)
    [move] = ledger.moves.all()
    ledger.close()
    at = {stage: passed.at.timestamp() for stage in Stage if (passed := move.last(stage)) is not None}
    return found | figures(setting, told, at[Stage.SWITCHED], at[Stage.ROLLED_BACK])


BOUNDS = {
    "unanswered": 0,
    "mixed": 0,
    "rows_lost": 0,
    "writes_refused": 0,
    "new_vectors_not_fresh": 0,
    "old_vectors_not_fresh": 0,
    "old_vectors_changed": 0,
    "ledger_wrong": 0,
    "switch_s": SECOND,
    "back_s": SECOND,
    "p95_ratio": SLOWER,
    "throughput": THROUGHPUT,
    "later_writes": LATER,
    "kills": KILLS,
}


def judged(found: dict[str, Any], kills: int, large: bool) -> list[str]:
    """The bounds that do not hold. Of a small run what is measured in time, and how much was written, says nothing."""
    wrong = [name for name in ("unanswered", "mixed", "new_vectors_not_fresh") if any(found[name].values())]
    for name in ("rows_lost", "writes_refused", "old_vectors_not_fresh", "old_vectors_changed"):
        wrong += [name] if found[name] else []
    wrong += ["ledger_wrong"] if found["ledger_wrong"] else []
    wrong += [name for name in ("switch_s", "back_s") if found[name] >= SECOND]
    wrong += ["controls"] if not refused(found["controls"]) else []
    wrong += ["models_again"] if found["models_again"] < 0.999 else []
    wrong += ["kills"] if found["kills"] < kills else []
    if large:
        found["p95_ratio"] = {who: ratios(spans) for who, spans in found["p95_ms"].items()}
        slow = [one is None or one > SLOWER for held in found["p95_ratio"].values() for one in held.values()]
        wrong += ["p95_ratio"] if any(slow) else []
        wrong += ["throughput"] if found["throughput"]["ratio"] < THROUGHPUT else []
        wrong += ["later_writes"] if found["later_writes"] < LATER else []
    return wrong


def ratios(spans: dict[str, float | None]) -> dict[str, float | None]:
    """P95 during the move in times of that before it, of the crowd as it works throughout and in its hurry."""
    pairs = {"calm": ("before", "during"), "hurried": ("before_hurried", "hurried")}
    held = {name: (spans[before], spans[during]) for name, (before, during) in pairs.items()}
    return {name: round(during / before, 3) if before and during else None for name, (before, during) in held.items()}


def _new(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
