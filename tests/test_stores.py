"""Memories no one here wrote: public stores are imported, and what is found is what their owner would call true.

The files lie beside the checkout and never in it; where they are missing the tests say so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest
from click.testing import CliRunner

from mendory.cli import main
from mendory.lance import Reader
from mendory.mapping import Mapping

STORES = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "stores"
SHAPES = {
    "locomo": (
        "--map content=text|--map scope=sample|--map created_at=date|--map id=locomo-{line}"
        "|--time-format %I:%M %p on %d %B, %Y|--set source=model_inferred|--set status=active"
    ),
    "memdaily": (
        "--map content=text|--map scope={file}/{tid}|--map created_at=time|--map id=memdaily-{line}"
        "|--time-format %Y年%m月%d日 %a %H:%M|--zone Asia/Shanghai|--set source=user_stated|--set status=active"
    ),
}
ROWS = {"locomo": 1840, "memdaily": 5000}
ANEW = {"locomo": {("locomo-263", "locomo-12")}, "memdaily": set[tuple[str, str]]()}
"""(What was said anew, what it was before) of one person in one scope: how many dogs he has."""
pytestmark = [
    pytest.mark.lance,
    pytest.mark.skipif(not STORES.is_dir(), reason="the public stores are not beside this checkout"),
]


@pytest.fixture(params=sorted(SHAPES))
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store imported into a table of our own, in the test's folder."""
    monkeypatch.chdir(tmp_path)
    name = str(request.param)
    assert 0 == run("init", "./db#memories", "--dimension", "8")[0]
    # of fixed dates: what is old would depend on the day
    with Path("mendory.toml").open("a", encoding="utf-8") as config:
        config.write("\n[staleness]\nstale_below = 0\n")
    options = [part for option in SHAPES[name].split("|") for part in option.split(" ", 1)]
    code, printed = run("import", str(STORES / f"{name}.jsonl.gz"), "--quarantine", "refused.jsonl", *options, "--json")
    assert (0, ROWS[name]) == (code, json.loads(printed)["imported"])
    return name


def run(*args: str) -> tuple[int, str]:
    """(exit code, output) of the command line."""
    result = CliRunner().invoke(main, list(args))
    return result.exit_code, result.output


def found() -> list[dict[str, Any]]:
    """The findings of a check."""
    return list(json.loads(run("check", "--json")[1])["findings"])


def test_a_healthy_store_gives_no_finding_but_what_was_said_anew(store: str) -> None:
    """No memory of the public stores is sick; what their owner has no field for stands down in one line each."""
    code, printed = run("check", "--json")
    checked = json.loads(printed)
    anew = [("conflict", *pair, "newer") for pair in ANEW[store]]
    told = [(f["code"], *(f["evidence"].get(key) for key in ("keep", "lose", "rule"))) for f in checked["findings"]]

    assert (2 if anew else 0, anew) == (code, told)
    lines = {"embedding", "metadata.topic", "metadata.entities", "metadata.scene", "space", "near duplicates"}
    assert lines == {line["what"] for line in checked["stands_down"]}


def rewrite(change: Callable[[dict[str, Any]], Any], which: Sequence[int]) -> list[dict[str, Any]]:
    """Rows of the store, each given to `change`; what it returns is added as a new row when it is one."""
    table = lancedb.connect("db").open_table("memories")
    rows = sorted(table.search().limit(10**6).to_list(), key=lambda r: r["id"])
    return [made for at in which if (made := change(dict(rows[at])))]


def _a_day_before(row: dict[str, Any]) -> dict[str, Any]:
    """The row's times a day earlier: no double write any more, and still in order."""
    return {name: row[name] - timedelta(days=1) for name in ("created_at", "updated_at")}


def test_planted_faults_are_found_and_healed_and_nothing_else_changes(store: str) -> None:
    """Copies and misspelt states are found, exactly these; healing and rollback are exact."""
    table = lancedb.connect("db").open_table("memories")
    schema = table.schema
    copies = rewrite(lambda r: {**r, "id": f"{r['id']}-again"}, range(0, 1500, 100))
    later = rewrite(lambda r: {**r, "id": f"{r['id']}-later", **_a_day_before(r)}, range(5, 1500, 300))
    import pyarrow as pa

    table.add(pa.Table.from_pylist(copies + later, schema=schema))
    odd = [r["id"] for r in rewrite(lambda r: r, range(50, 1500, 100))]
    for number, name in enumerate(odd):
        table.update(where=f"id = '{name}'", values={"status": ("Active", " active", "ACTIVE")[number % 3]})
    seen = Counter(f["code"] for f in found())

    gone = {old for _, old in ANEW[store]}
    planted = Counter(duplicate_exact=15, duplicate_restated=5, illegal_status=15)
    assert planted + Counter({"conflict": len(gone)}) == seen

    before = {r["id"]: r for r in table.search().limit(10**6).to_list()}
    plan = json.loads(run("plan", "--json")[1])["plan"]
    assert 0 == run("approve", plan["id"], "--as", "owner")[0]
    assert 0 == run("apply", plan["id"])[0]
    after = {r["id"]: r for r in lancedb.connect("db").open_table("memories").search().limit(10**6).to_list()}
    changed = {i for i in before if before[i] != after[i]}

    assert set(before) == set(after)
    doubled = {c["id"] for c in copies} | {c["id"].removesuffix("-again") for c in copies}
    assert set(odd) | gone <= changed <= set(odd) | doubled | gone
    hidden = {i for i in after if after[i]["status"] == "archived"}
    assert 15 + len(gone) == len(hidden)
    assert all(before[i]["content"] == after[i]["content"] for i in before)
    assert Counter({"duplicate_restated": 5}) == Counter(f["code"] for f in found())

    assert 0 == run("rollback", plan["id"])[0]
    back = {r["id"]: r for r in lancedb.connect("db").open_table("memories").search().limit(10**6).to_list()}
    assert before == back


def test_every_row_keeps_its_text_scope_and_time(store: str) -> None:
    """What was imported is what the file says, line by line."""
    import gzip

    with gzip.open(STORES / f"{store}.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    held = {m.id: m for m in Reader("db", "memories", Mapping.identity()).scan()}

    assert len(lines) == len(held)
    for number in range(1, len(lines) + 1, 97):
        line, memory = lines[number - 1], held[f"{store}-{number}"]
        assert line["text"] == memory.content
        assert memory.metadata is not None
        assert line["lang"] == memory.metadata["extra"]["lang"]
