"""`python -m bench.quality.stores`: real stores with planted duplicates and contradictions, checked, planned, healed.

Every store becomes a real LanceDB table with real vectors. All rules of merging are confirmed, so that whatever
would be merged is. What a check names or a plan merges and nobody planted is written to
`.quality/stores/<store>.jsonl`, by ids and texts, for a person to look at. The last line is one JSON object: figures,
bounds, and `ok`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from bench.quality.__main__ import KEPT
from bench.quality.judging import Found, Judged, judge
from bench.quality.over_stores import measured
from bench.quality.planting import STORES, Row, plant, read
from bench.quality.storetable import tables
from bench.quality.vectors import Embed, model_of
from mendory import treatment
from mendory.catalogue import RULES
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.lance import Writer, create_table
from mendory.mapping import Mapping
from mendory.record import arrow_schema

BOUNDS: Final = {"contradictions_merged": 0, "rows_of_another_scope_touched": 0, "unnamed_rows_changed": 0}
"""At most that many."""
LEAST: Final = {"duplicates_found_share": 0.8}
"""At least that share: where nothing is found, nothing is merged wrongly either."""
_CHUNK: Final = 5000


@dataclass(frozen=True, slots=True)
class Healed:
    """What came of a store: what the check found, which rows a plan named, and what rows held before and after."""

    findings: tuple[Found, ...]
    steps: tuple[tuple[str | None, tuple[str, ...]], ...]
    outcomes: dict[str, int]
    before: dict[str, Any]
    after: dict[str, Any]

    def merges(self) -> Iterator[tuple[str, str]]:
        """Every row that is hidden as a duplicate, and of which row."""
        for name, row in self.after.items():
            if row["duplicate_of"] and not self.before[name]["duplicate_of"]:
                yield name, row["duplicate_of"]


def table(folder: Path, rows: list[Row], language: str, embed: Embed) -> Clinic:
    """The rows as a table of the record's own form, and its clinic."""
    vectors = embed([row.text for row in rows], language)
    dimension = vectors.shape[1]
    uri = str(folder / "db")
    create_table(uri, "memories", dimension)
    writer = Writer(uri, "memories", Mapping.identity())
    for start in range(0, len(rows), _CHUNK):
        writer.append(_arrow(rows[start : start + _CHUNK], vectors[start : start + _CHUNK], dimension))
    section = model_of(language).section()
    data = {
        "table": {"uri": uri, "name": "memories"},
        "ledger": {"url": f"sqlite:///{folder}/ledger.db"},
        "embedder": section.model_dump(exclude_unset=True),
        "rules": {"confirmed": sorted(RULES)},
        "limits": {
            "rows_per_run": 1_000_000,
            "repairs_per_day": 1_000_000,
            "scope_share": 1.0,
            "sick_share_scope": 1.0,
            "sick_share_table": 1.0,
        },
    }
    return Clinic(Config.build(data, folder))


def _arrow(rows: list[Row], vectors: Any, dimension: int) -> pa.Table:
    moments = pa.array([row.created_at for row in rows], pa.timestamp("us", "UTC"))
    column: dict[str, Any] = {
        "id": [row.id for row in rows],
        "content": [row.text for row in rows],
        "embedding": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), dimension),
        "metadata": ['{"topic": "life", "entities": ["user"], "scene": "any"}'] * len(rows),
        "created_at": moments,
        "updated_at": moments,
        "source": ["user_stated"] * len(rows),
        "scope": [row.scope for row in rows],
        "status": ["active"] * len(rows),
        "kind": ["fact"] * len(rows),
    }
    schema = arrow_schema(dimension)
    held = [(column.get(f.name, pa.nulls(len(rows), f.type)), f.type) for f in schema]
    return pa.table([a if isinstance(a, pa.Array) else pa.array(a, kind) for a, kind in held], schema=schema)


def heal(clinic: Clinic) -> Healed:
    """The table is checked, planned and, by the confirmed rules, repaired."""
    before = _held(clinic)
    checked = clinic.check(keep=True)
    planned = clinic.plan(checked)
    steps: list[tuple[str | None, tuple[str, ...]]] = []
    outcomes: dict[str, int] = {}
    if planned.plan is not None:
        steps = [(step.scope, step.changed_ids) for step in planned.plan.steps()]
        outcomes = treatment.apply(clinic, planned.plan.id).outcomes()
    findings = tuple((finding.code.value, finding.ids) for finding in checked.findings)
    return Healed(findings, tuple(steps), outcomes, before, _held(clinic))


def _held(clinic: Clinic) -> dict[str, Any]:
    """Every row by id, without its vector."""
    clinic.reader.refresh()
    batches = [batch.to_pylist() for batch in clinic.reader.batches()]
    return {row["id"]: row for batch in batches for row in batch}


def figures(rows: dict[str, Row], healed: Healed, come: Judged) -> dict[str, Any]:
    """The judged counts, and what the heal touched that it must not."""
    named = {i for _, ids in healed.steps for i in ids}
    foreign = {i for scope, ids in healed.steps for i in ids if rows[i].scope != scope}
    joined = {i for pair in come.scopes_joined for i in pair}
    changed = {i for i, row in healed.after.items() if row != healed.before[i]}
    return {
        "rows": len(rows),
        "outcomes": healed.outcomes,
        **come.as_json(),
        "rows_of_another_scope_touched": len(foreign | joined),
        "unnamed_rows_changed": len(changed - named),
    }


def main(argv: list[str]) -> int:
    """Plant, heal and judge each store; 0 when every bound holds in all of them."""
    return measured(argv, "stores", __doc__, STORES, _store, tables, BOUNDS, LEAST)


def _store(data: Path, store: str, embed: Embed) -> dict[str, Any]:
    language = STORES[store]
    held = read(data, store)
    rows = {row.id: row for row in [*held, *plant(held, language)]}
    with tempfile.TemporaryDirectory(prefix="mendory-stores-") as name:
        clinic = table(Path(name), list(rows.values()), language, embed)
        began = datetime.now(UTC)
        healed = heal(clinic)
        seconds = (datetime.now(UTC) - began).total_seconds()
        clinic.ledger.close()
    come = judge(rows, healed.findings, healed.merges())
    _list(KEPT / "stores" / f"{store}.jsonl", rows, come)
    return figures(rows, healed, come) | {"seconds": round(seconds, 1)}


def _list(file: Path, rows: dict[str, Row], come: Judged) -> None:
    """What a person looks at, a pair a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pairs = [
        *come.not_planted,
        *(("contradiction called duplicate", *pair) for pair in come.contradictions_called_duplicate),
        *(("contradiction merged", *pair) for pair in come.contradictions_merged),
        *(("scopes joined", *pair) for pair in come.scopes_joined),
    ]
    with file.open("w", encoding="utf-8") as out:
        for what, one, other in pairs:
            told = {"what": what, "ids": [one, other], "texts": [rows[one].text, rows[other].text]}
            out.write(json.dumps(told, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
