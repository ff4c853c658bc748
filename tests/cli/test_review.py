"""What waits for a person: the list, its ages, its next steps, and that it writes nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mendory.choices import COMPARED
from mendory.cli.advice import NEXT, next_step
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.finding import Code
from mendory.lance import Reader
from mendory.mapping import Mapping
from tests.cli.conftest import Run, configure, plan_code
from tests.conftest import FakeClock, make_table, memory

pytestmark = pytest.mark.lance


def test_without_a_ledger_nothing_waits_and_none_is_made(sick: Path, run: Run) -> None:
    """Before the first plan `review` exits 0, names `check`, and leaves no file behind."""
    result = run("review")

    assert result.exit_code == 0
    assert ["Nothing waits for a person.", "next: mendory check"] == result.output.splitlines()
    assert {} == {k: v for k, v in json.loads(run("review", "--json").output).items() if v}
    assert ["db", "mendory.toml"] == sorted(p.name for p in sick.iterdir())


def test_review_lists_findings_and_open_plans(sick: Path, run: Run) -> None:
    """Exit 3; severity, code, reason, id, scope and next command of a finding; an open plan with its ways out."""
    code = plan_code(run)
    result = run("review")

    assert result.exit_code == 3
    lines = result.output.splitlines()
    assert lines[0].startswith(f"plan {code} is open and expires 2")
    way = f"mendory show {code} · mendory approve {code} --as NAME · mendory reject {code} --as NAME"
    assert lines[1] == f"  next: {way}"
    assert (
        lines[2] == "HIGH missing_scope × 1: no scope is certain: its metadata names none in use, no unanimous siblings"
    )
    assert lines[3].startswith("    c1 · since 2")
    assert lines[-1] == "  next: write into these rows whose memory they are, then mendory plan"


def test_review_json_has_the_promised_shape(sick: Path, run: Run) -> None:
    """A finding with why, since and age; open plans; repairs of unknown outcome; texts only when asked for."""
    code = plan_code(run)
    plain = json.loads(run("review", "--json").output)
    with_texts = json.loads(run("review", "--json", "--texts").output)

    [waiting] = plain["waiting"]
    assert (
        "missing_scope",
        ["c1"],
        "high",
        "no scope is certain: its metadata names none in use, no unanimous siblings",
    ) == tuple(waiting[k] for k in ("code", "ids", "severity", "why"))
    assert datetime.fromisoformat(waiting["since"]).tzinfo is not None
    assert 0 <= waiting["age_seconds"] < 60
    assert "texts" not in waiting
    assert {"c1": "Lives in Oslo"} == with_texts["waiting"][0]["texts"]
    assert [code] == [p["id"][:8] for p in plain["plans"]]
    assert [] == plain["unknown"]


def test_texts_are_shown_cut_and_harmless(tmp_path: Path, run: Run) -> None:
    """--texts prints the beginning of each memory, with nothing in it that could move the cursor; else no text."""
    content = "秘密\x1b[31m\u202e" + "长" * 200
    make_table(tmp_path / "db", [memory("m1", scope=None, content=content), memory("m2")])
    configure(tmp_path)
    run("plan")
    without, printed = run("review").output, run("review", "--texts").output

    assert "秘密" not in without
    assert "m1: 秘密\\x1b[31m\\u202e长长" in printed
    assert "长" * 60 not in printed
    assert "\x1b" not in printed


def test_a_long_list_is_cut_and_says_so(tmp_path: Path, run: Run) -> None:
    """Of each sort --limit are listed and the rest is counted; JSON lists all."""
    make_table(tmp_path / "db", [memory("h"), *(memory(f"m{n:02}", scope=None) for n in range(25))])
    configure(tmp_path)
    run("plan")
    default, three = run("review").output, run("review", "--limit", "3").output

    assert "HIGH missing_scope × 25" in default
    assert "    and 5 findings more; --limit or --json lists them" in default
    assert "    and 22 findings more; --limit or --json lists them" in three
    assert 25 == len(json.loads(run("review", "--json").output)["waiting"])


def test_review_writes_nothing(sick: Path, run: Run) -> None:
    """After `review --texts` the table has its version and the ledger its rows."""
    run("plan")
    reader = Reader(str(sick / "db"), "memories", Mapping.identity())
    before = (reader.refresh(), json.loads(run("show", "--json").output))
    run("review", "--texts")

    assert before == (reader.refresh(), json.loads(run("show", "--json").output))


def test_what_waits_longest_is_told_how_long(sick: Path, run: Run) -> None:
    """A finding queued two days ago is two days old, also after it was planned again."""
    config = Config.load(sick / "mendory.toml")
    clock = FakeClock(datetime.now(UTC) - timedelta(days=2, minutes=1))
    Clinic(config, clock).plan()
    run("plan")
    result = run("review")

    assert " UTC, 2 days" in result.output


@pytest.mark.parametrize("code", [c.value for c in Code])
def test_every_code_has_something_to_do(code: str) -> None:
    """Whatever waits, the line behind it ends with a command that can be typed."""
    assert next_step(code, "a person must decide").startswith("next: ")
    then = "mendory review --as NAME" if code in COMPARED else "mendory plan"
    assert next_step(code, "a person must decide").endswith(then)
    assert NEXT[code] in next_step(code, "a person must decide")


@pytest.mark.parametrize(
    ("why", "advice"),
    [
        ("it did not verify: mendory rollback 12345678 --step abc", "next: mendory rollback 12345678 --step abc"),
        ("repaired 3 times within 30 days and back again: a person's", "find the program that writes these rows back"),
        ("the owner's reader cannot hide", "name in [mapping.hide]"),
        ("its id is held by several rows, so the row can't be addressed", "an id of its own"),
    ],
)
def test_the_reason_decides_the_advice_where_it_says_more(why: str, advice: str) -> None:
    """A loop, a reader that cannot hide, a shared id and a failed repair each have advice of their own."""
    assert advice in next_step("duplicate_exact", why)
