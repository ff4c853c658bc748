"""`make heal`: seeds a bilingual table with planted faults, heals it with the flow, and judges the result from outside.

The planting file is never shown to the flow. The last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_QUIET = {
    "PREFECT_HOME": str(ROOT / ".prefect"),
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_UI_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_SERVER_LOGGING_LEVEL": "ERROR",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "DO_NOT_TRACK": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "RUST_LOG": "error",
}


def main(argv: list[str]) -> int:
    """Run the demonstration; 0 when every healthy row is as it was and everything planted was met."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="seed of the memories and faults")
    parser.add_argument("--folder", type=Path, default=ROOT / ".demo", help="where the table is built anew")
    parser.add_argument("--stray-write", action="store_true", help="let another program change one healthy row")
    options = parser.parse_args(argv)
    os.environ.update({k: os.environ.get(k, v) for k, v in _QUIET.items()})

    # imported late: Prefect reads its environment when it is imported
    from demo import judge
    from demo.seed import seed

    started = time.monotonic()
    print(f"Writing the demonstration table to {options.folder.name}/ …", flush=True)
    config = seed(options.folder, options.seed)
    uri = str(options.folder / "assistant.lancedb")
    planting = json.loads((options.folder / "planting.json").read_text(encoding="utf-8"))
    before = judge.digests(uri, "memories")
    if options.stray_write:
        _stray_write(uri, planting, before)
    print("Starting Prefect's embedded server …", flush=True)
    from flows.heal import heal

    outcome = heal(str(config), dry_run=False)
    after = judge.digests(uri, "memories")
    changed = judge.healthy_changed(before, after, planting)
    summary, told = _summary(config, outcome, len(before), changed, planting)
    _tell(outcome, summary, told, time.monotonic() - started)
    print(json.dumps(summary, ensure_ascii=False))
    return 0 if summary["ok"] else 1


def _stray_write(uri: str, planting: Any, before: dict[str, str]) -> None:
    """Another program changes a healthy row, as plain LanceDB: the judge must notice."""
    import lancedb

    from demo import judge

    healthy = sorted(set(before) - judge.planted_ids(planting))[0]
    quoted = healthy.replace("'", "''")
    lancedb.connect(uri).open_table("memories").update(where=f"id = '{quoted}'", values={"source": "stray"})


def _summary(
    config: Path, outcome: dict[str, Any], rows: int, changed: list[str], planting: Any
) -> tuple[dict[str, Any], list[str]]:
    """The last line's object, all of it judged from outside, and the incident's story."""
    from demo import judge
    from demo.aftermath import aftermath
    from demo.heard import heard, outcomes
    from demo.story import story
    from mendory.clinic import Clinic
    from mendory.config import Config
    from mendory.door import open_door

    clinic = Clinic(Config.load(config))
    steps: dict[str, Counter[str]] = {}
    for plan_id in outcome["plans"]:
        for step, became in outcomes(clinic, plan_id):
            steps.setdefault(f"level_{step['level']}", Counter())[became] += 1
    plans = [clinic.ledger.plans.load(plan_id).as_json() for plan_id in outcome["plans"]]
    misproposed = judge.misproposed(planting, plans)
    again = clinic.check()
    uri = str(clinic.config.table_uri)
    missed = judge.missed(planting, uri, "memories", [f.as_json() for f in again.findings])
    verdicts = [r["verdict"]["ok"] for r in outcome["runs"]]
    told = heard(clinic, outcome["plans"], outcome["causes"])
    scope = planting["incident"]["scope"]
    with open_door(clinic.config) as door:

        def recalls(query: str) -> list[dict[str, Any]]:
            return list(door.recall(query, scope, 10).as_json()["memories"])

        judged = aftermath(planting, judge.rows(uri, "memories"), recalls, told)
    summary = {
        "findings": outcome["found"],
        "steps": {level: dict(counts) for level, counts in sorted(steps.items())},
        "merged": judged.merged,
        "conflicts": judged.conflicts,
        "scenes": judged.scenes,
        "rows_compared": rows,
        "healthy_rows_changed": len(changed),
        "planted_missed": len(missed),
        "misproposed": len(misproposed),
        "report": os.path.relpath(outcome["records"][0]["report"], ROOT) if outcome["records"] else None,
        "ok": judge.holds([changed, missed, misproposed, judged.wrong], verdicts),
    }
    return summary, story(planting, judged)


def _tell(outcome: dict[str, Any], summary: dict[str, Any], told: list[str], seconds: float) -> None:
    found = ", ".join(f"{code} {n}" for code, n in outcome["found"].items())
    print(f"\nFound      {found}")
    for cause in outcome["causes"]:
        place = f" in {cause['attribute']} {cause['value']}" if cause["attribute"] else ""
        rows = f"{cause['explains']} of {cause['explains'] + cause['unexplained']} rows"
        print(f"  cause    {cause['code']} ← {cause['cause']}: {rows}{place}")
    for level, counts in summary["steps"].items():
        print(f"Done       {level.replace('_', ' ')}: " + ", ".join(f"{k} {n}" for k, n in sorted(counts.items())))
    for run in outcome["runs"]:
        checks = ", ".join(f"{c['name']} {'ok' if c['ok'] else 'FAILED'}" for c in _checks(run))
        print(f"Verified   {checks}")
        command = os.path.relpath(Path(sys.executable).with_name("mendory"))
        print(f"Undo       {command} rollback {run['plan'][:8]} --config .demo/mendory.toml")
    left: dict[str, list[str]] = {}
    for item in (item for record in outcome["records"] for item in record["unplanned"]):
        left.setdefault(item["why"], []).append(f"{item['code']} × {item['findings']}")
    for why, codes in left.items():
        print(f"Left       {why}: {', '.join(codes)}")
    print("", *told, "", sep="\n")
    changed = summary["healthy_rows_changed"]
    print(f"Judged     {summary['rows_compared']:,} rows by plain LanceDB: {changed} healthy rows changed")
    print(f"Report     {summary['report']} ({seconds:.0f} s in all)\n", flush=True)


def _checks(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": c["name"], "ok": not c["failed"]} for c in run["verdict"]["checks"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
