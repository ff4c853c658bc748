"""Findings a person asks for: --only, --scope, --min-severity, --fail-on, and plans of a part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, configure, plan_code
from tests.conftest import make_table, memory

pytestmark = pytest.mark.lance


def found(run: Run, *options: str) -> list[str]:
    """The codes that `check` shows with these options."""
    return [f["code"] for f in json.loads(run("check", "--json", *options).output)["findings"]]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (("--only", "duplicate_exact"), ["duplicate_exact"]),
        (("--only", "duplicate"), ["duplicate_exact"]),
        (("--only", "missing,illegal_status"), ["illegal_status", "missing_scope"]),
        (("--only", "missing", "--only", "illegal"), ["illegal_status", "missing_scope"]),
        (("--scope", "u1"), ["duplicate_exact", "illegal_status"]),
        (("--scope", ""), ["missing_scope"]),
        (("--scope", "u1", "--scope", ""), ["duplicate_exact", "illegal_status", "missing_scope"]),
        (("--min-severity", "high"), ["missing_scope"]),
        (("--min-severity", "medium"), ["duplicate_exact", "illegal_status", "missing_scope"]),
        (("--only", "duplicate", "--min-severity", "high"), []),
    ],
)
def test_check_shows_what_was_asked_for(sick: Path, run: Run, options: tuple[str, ...], codes: list[str]) -> None:
    """Codes or their beginnings, scopes and severities narrow what is shown, together too."""
    assert codes == found(run, *options)


def test_what_was_not_asked_for_is_counted(sick: Path, run: Run) -> None:
    """Leaving findings out is said, in text and JSON, and the next command asks for the same part."""
    text = run("check", "--only", "duplicate", "--scope", "u1")
    data = json.loads(run("check", "--only", "duplicate", "--json").output)

    assert "not asked for: 2 findings" in text.output
    assert 2 == data["not_asked"]
    assert text.output.splitlines()[-1] == "next: mendory plan --only duplicate --scope u1"


@pytest.mark.parametrize("verb", ["check", "plan"])
def test_an_unknown_code_is_an_error_that_lists_the_codes(sick: Path, run: Run, verb: str) -> None:
    """A misspelt code exits 1 and never means nothing found."""
    result = run(verb, "--only", "duplicate_exact,dupes")

    assert result.exit_code == 1
    assert "There is no code dupes." in result.stderr
    assert "duplicate_exact" in result.stderr
    assert 1 == run(verb, "--only", ",").exit_code


@pytest.mark.parametrize("verb", ["check", "plan"])
def test_a_scope_without_rows_is_an_error(sick: Path, run: Run, verb: str) -> None:
    """A misspelt scope exits 1, names the scopes there are, and no plan is stored."""
    result = run(verb, "--scope", "U1")

    assert result.exit_code == 1
    assert result.stderr.startswith("empty_target_set: No row of the table is in scope U1.")
    assert "the first are: u1" in result.stderr
    assert [] == json.loads(run("show", "--json").output)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 2),
        (("--fail-on", "high"), 2),
        (("--fail-on", "never"), 0),
        (("--only", "duplicate", "--fail-on", "medium"), 2),
        (("--only", "duplicate", "--fail-on", "high"), 0),
        (("--only", "content_empty"), 0),
    ],
)
def test_fail_on_decides_the_exit_code_alone(sick: Path, run: Run, options: tuple[str, ...], code: int) -> None:
    """`check` exits 2 for a shown finding of that severity or worse, else 0; what is shown stays the same."""
    assert code == run("check", *options).exit_code


def test_a_plan_of_a_part_holds_that_part_alone(sick: Path, run: Run) -> None:
    """`plan --only` plans these findings, says what was not asked for, and a whole plan later takes the rest."""
    part = json.loads(run("plan", "--json", "--only", "duplicate").output)
    rest = json.loads(run("plan", "--json").output)

    assert ["merge_exact"] == [g["kind"] for g in part["plan"]["groups"]]
    assert {("illegal_status", "not asked for"), ("missing_scope", "not asked for")} == {
        (u["code"], u["why"]) for u in part["unplanned"]
    }
    assert ["normalise_status"] == [g["kind"] for g in rest["plan"]["groups"]]


def test_a_plan_of_a_part_leaves_the_queue_as_it_was(sick: Path, run: Run) -> None:
    """What waited for a person before still waits after a plan of something else, and nothing new does."""
    run("plan", "--only", "illegal")
    before = json.loads(run("review", "--json").output)["waiting"]
    run("plan")
    whole = json.loads(run("review", "--json").output)["waiting"]
    run("plan", "--only", "duplicate")
    after = json.loads(run("review", "--json").output)["waiting"]

    assert ([], ["missing_scope"]) == ([w["code"] for w in before], [w["code"] for w in whole])
    assert [w["id"] for w in whole] == [w["id"] for w in after]
    assert [w["since"] for w in whole] == [w["since"] for w in after]


def test_a_plan_of_a_part_is_applied_and_taken_back(sick: Path, run: Run) -> None:
    """Approved and applied it heals its part alone; rollback restores it."""
    code = plan_code(run, "--min-severity", "medium", "--only", "duplicate")
    run("approve", code, "--as", "li.wei")
    applied = run("apply", code)
    left = found(run)

    assert applied.exit_code == 0, applied.output
    assert ["illegal_status", "missing_scope"] == left
    assert 0 == run("rollback", code).exit_code


def test_a_plan_of_something_that_is_not_there_is_nothing_to_do(sick: Path, run: Run) -> None:
    """No finding of what was asked for: exit 0, no plan stored, and it is said."""
    result = run("plan", "--only", "reference_dangling")

    assert result.exit_code == 0
    assert result.output.splitlines() == ["Nothing to plan.", "  not asked for: 3 findings"]
    assert [] == json.loads(run("show", "--json").output)


def test_a_scope_with_chinese_and_quotes_is_meant_as_written(tmp_path: Path, run: Run) -> None:
    """Scopes are compared whole, whatever is in them, and come back quoted for a shell."""
    rows = [memory("m1", scope="用户:李'伟", status="Active "), memory("m2", scope="用户:李", status="Active ")]
    make_table(tmp_path / "db", rows)
    configure(tmp_path)
    result = run("check", "--scope", "用户:李'伟")

    assert "not asked for: 1 finding" in result.output
    assert """next: mendory plan --scope '用户:李'"'"'伟'""" == result.output.splitlines()[-1]
