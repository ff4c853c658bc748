"""`python -m bench.quality.conflicts`: real stores with planted conflicts, checked, planned, healed.

Every store becomes a real LanceDB table with real vectors, and all rules are confirmed, so that whatever a rule may
decide is decided. False alarms, and conflicts that nobody planted, are written to `.quality/conflicts/<store>.jsonl`
by ids and texts, for a person to look at. The last line is one JSON object: figures, bounds, and `ok`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench.quality.__main__ import KEPT
from bench.quality.conflict_judging import Judged, judge
from bench.quality.conflict_planting import ALL, plant
from bench.quality.over_stores import measured
from bench.quality.planting import Row
from bench.quality.stores import heal, table
from bench.quality.table import table as markdown
from bench.quality.vectors import Embed

BOUNDS: Final = {
    "undecided_hidden": 0,
    "false_alarms": 0,
    "conflicts_nobody_planted_share": 0.002,
    "rows_of_another_scope_in_a_step": 0,
    "unnamed_rows_changed": 0,
}
"""At most that many; conflicts that nobody planted as a share of the rows: people do contradict themselves."""
LEAST: Final = {"conflicts_found_share": 0.5}
"""At least that share of what was planted: in locomo, whose talk claims least, half is found."""


def main(argv: list[str]) -> int:
    """Plant, heal and judge each store; 0 when every bound holds in all of them."""
    return measured(argv, "conflicts", __doc__, ALL, _store, tables, BOUNDS, LEAST)


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
    told = come.as_json()
    return {
        "rows": len(rows),
        "seconds": round(seconds, 1),
        "outcomes": healed.outcomes,
        **told,
        "conflicts_nobody_planted_share": round(told["conflicts_nobody_planted"] / len(rows), 4),
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
