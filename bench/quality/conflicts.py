"""`python -m bench.quality.conflicts`: real stores with planted conflicts, checked, planned, healed.

Every store becomes a real LanceDB table with real vectors, and all rules are confirmed, so that whatever a rule may
decide is decided. False alarms, and conflicts that nobody planted, are written to `.quality/conflicts/<store>.jsonl`
by ids and texts, for a person to look at. The last line is one JSON object: figures, bounds, and `ok`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench.quality.__main__ import DEFAULT, KEPT
from bench.quality.conflict_judging import Judged, judge
from bench.quality.conflict_planting import ALL, plant
from bench.quality.page import put
from bench.quality.planting import Row
from bench.quality.stores import heal, table
from bench.quality.table import table as markdown
from bench.quality.vectors import Embed, cached

BOUNDS: Final = {"undecided_hidden": 0, "rows_of_another_scope_in_a_step": 0, "unnamed_rows_changed": 0}
"""At most that many."""


def main(argv: list[str]) -> int:
    """Plant, heal and judge each store; 0 when every bound holds in all of them."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality.conflicts", description=__doc__)
    parser.add_argument("stores", nargs="*", choices=[*ALL, []], help="which; all when none is named")
    parser.add_argument("--data", type=Path, default=DEFAULT)
    parser.add_argument("--markdown", type=Path, help="also put the tables between the marks of this page")
    options = parser.parse_args(argv)
    if not (options.data / "stores").is_dir():
        print(json.dumps({"stores": {}, "bounds": BOUNDS, "ok": False, "reason": f"no stores in {options.data}"}))
        return 1
    found: dict[str, Any] = {}
    for store in options.stores or ALL:
        found[store] = _store(options.data, store, cached(KEPT))
        print(f"{store}: {found[store]['rows']:,} rows, {found[store]['seconds']} s", flush=True)
    text = tables(found)
    print(text)
    if options.markdown:
        put(options.markdown, "conflicts", "python -m bench.quality.conflicts", text)
    ok = all(held[what] <= bound for held in found.values() for what, bound in BOUNDS.items())
    print(json.dumps({"stores": found, "bounds": BOUNDS, "ok": ok}, ensure_ascii=False))
    return 0 if ok else 1


def _store(data: Path, store: str, embed: Embed) -> dict[str, Any]:
    held, pairs = plant(data, store)
    rows = {row.id: row for row in held}
    with tempfile.TemporaryDirectory(prefix="mendory-conflicts-") as name:
        clinic = table(Path(name), held, ALL[store], embed)
        began = datetime.now(UTC)
        healed = heal(clinic)
        seconds = (datetime.now(UTC) - began).total_seconds()
        clinic.ledger.close()
    come = judge(pairs, healed.findings, healed.after)
    _list(KEPT / "conflicts" / f"{store}.jsonl", rows, come)
    named = {i for _, ids in healed.steps for i in ids}
    foreign = {i for scope, ids in healed.steps for i in ids if rows[i].scope != scope}
    changed = {i for i, row in healed.after.items() if row != healed.before[i]}
    return {
        "rows": len(rows),
        "seconds": round(seconds, 1),
        "outcomes": healed.outcomes,
        **come.as_json(),
        "rows_of_another_scope_in_a_step": len(foreign),
        "unnamed_rows_changed": len(changed - named),
    }


def _list(file: Path, rows: dict[str, Row], come: Judged) -> None:
    """What a person looks at, a pair a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    told = [
        *(("false alarm", *alarm) for alarm in come.alarms),
        *(("nobody planted", *pair) for pair in come.unplanted),
    ]
    with file.open("w", encoding="utf-8") as out:
        for what, code, one, other in told:
            texts = [rows[one].text, rows[other].text]
            line = {"what": what, "code": code, "ids": [one, other], "texts": texts}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def tables(stores: dict[str, dict[str, Any]]) -> str:
    """One line a store, then one line a kind of what was planted, as Markdown."""
    head = (
        "store",
        "rows",
        "conflicts found",
        "undecided, a side hidden",
        "false alarms",
        "conflicts nobody planted",
        "rows of another scope in a step",
        "rows changed that no plan names",
    )
    whole = [
        (
            name,
            f"{held['rows']:,}",
            f"{held['conflicts_found']:,} of {held['conflicts_planted']:,}",
            *(
                f"{held[key]:,}"
                for key in (
                    "undecided_hidden",
                    "false_alarms",
                    "conflicts_nobody_planted",
                    "rows_of_another_scope_in_a_step",
                    "unnamed_rows_changed",
                )
            ),
        )
        for name, held in stores.items()
    ]
    kinds = [
        (name, row["planted"], row["kind"], *(str(row[key]) for key in ("n", "found", "candidates", "healed")))
        for name, held in stores.items()
        for row in held["kinds"]
    ]
    names = ("store", "planted", "kind", "pairs", "found", "handed on as a candidate", "came out as it should")
    return f"{markdown(head, whole)}\n{markdown(names, kinds)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
