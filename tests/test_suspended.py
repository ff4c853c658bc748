"""A plan that a limit suspends says so, and why, wherever a person meets it: show, review, report, server page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mendory.asking.ask import asked
from mendory.asking.page import page
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.due import waiting
from tests.cli.conftest import Run, configure, plan_code, run  # noqa: F401 - a fixture
from tests.conftest import make_table, memory

pytestmark = pytest.mark.lance
TIGHT = {
    "day": (
        "repairs_per_day = 1\nrows_per_run = 9",
        "0 rows were repaired on",
        "2 more exceed limits.repairs_per_day 1",
    ),
    "run": ("repairs_per_day = 9\nrows_per_run = 1", "the run would change 2 rows", "above limits.rows_per_run 1"),
    "sick": (
        "repairs_per_day = 9\nrows_per_run = 9\nsick_share_table = 0.1",
        "of the table is sick",
        "sick_share_table",
    ),
}


@pytest.fixture
def suspended(tmp_path: Path, run: Run, request: pytest.FixtureRequest) -> tuple[str, tuple[str, str], Path]:  # noqa: F811
    """A plan of two steps that a limit suspends: its code, what is said of it, the folder."""
    limit, *said = TIGHT[request.param]
    make_table(tmp_path / "db", [memory(f"s{n}", status="ACTIVE") for n in range(2)] + [memory("h1")])
    shares = "".join(f"{name} = 1.0\n" for name in ("scope_share", "sick_share_scope", "sick_share_table"))
    if "sick_share_table" in limit:
        shares = shares.replace("sick_share_table = 1.0\n", "")
    configure(tmp_path, f"\n[limits]\n{limit}\n{shares}min_rows = 0\n")
    return plan_code(run), (said[0], said[1]), tmp_path


@pytest.mark.parametrize("suspended", ["day", "run", "sick"], indirect=True)
def test_a_suspended_plan_says_why_everywhere(run: Run, suspended: tuple[str, tuple[str, str], Path]) -> None:  # noqa: F811
    """Before it is applied at all, and without applying it; in Chinese too."""
    code, words, folder = suspended
    at = Clinic(Config.load(folder / "mendory.toml"))

    said = [run("show", code).output, run("review").output, run("report", code).output]
    said.append(page(asked(at, at.ledger.plans.find(code)), "en"))

    for text in said:
        assert [True, True] == [word in text for word in words], text
    assert "suspended" in said[0]
    assert "2 steps suspended" in said[1]
    [plan] = json.loads(run("review", "--json").output)["plans"]
    assert [2] == [s["steps"] for s in plan["suspended"]]
    assert [True, True] == [word in plan["suspended"][0]["why"] for word in words]
    # tomorrow makes room in a day's budget and no word does, so nobody is asked
    assert ([] if "exceed limits.repairs_per_day" in text else [at.ledger.plans.find(code)]) == waiting(at)
    assert "已暂停" in run("review", "--lang", "zh").output
    assert "已暂停" in run("show", code, "--lang", "zh").output


@pytest.mark.parametrize("suspended", ["day"], indirect=True)
def test_what_is_suspended_for_the_day_is_not_said_to_run(
    run: Run,  # noqa: F811
    suspended: tuple[str, tuple[str, str], Path],
) -> None:
    """What a dry run foretells is what `apply` does: the day's budget has no room, and no row changes."""
    code, _, _ = suspended
    foretold = json.loads(run("apply", code, "--dry-run", "--json").output)["rulings"]
    done = run("apply", code, "--json")

    assert {"suspended"} == {r["verdict"] for r in foretold.values()}
    assert 4 == done.exit_code
    assert {"suspended": 2} == json.loads(done.output)["outcomes"]
