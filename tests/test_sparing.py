"""What people let be: dismissed findings and kept rows, on real tables, and both taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mendory import sparing
from mendory.calibrating.verdicts import verdicts
from mendory.errors import InputInvalid, LedgerCorrupt, MemoryNotFound
from mendory.ledger import Ledger
from mendory.ledger import schema as t
from mendory.report import build
from mendory.treatment import apply, approve, rule, take_back
from tests.cli.conftest import Run, configure, plan_code, run  # noqa: F401 - a fixture
from tests.conftest import FakeClock, make_table, memory, on_both
from tests.test_executor import ALL, MakeClinic, now, planned, reasons, sick, values

pytestmark = pytest.mark.lance


@on_both
def test_a_dismissed_finding_is_not_planned_until_it_is_taken_up(clinic: MakeClinic) -> None:
    """It is named by the beginning of its id, waits for nobody, and comes back when that is taken back."""
    at = clinic([memory("m1", scope=None), *(memory(f"h{n}") for n in range(5))], **ALL)
    at.plan()
    [waiting] = at.ledger.findings.queued()
    name = waiting["finding_id"]

    assert name == sparing.dismiss(at, name[:8], "已经知道", "li.wei")
    assert [] == at.ledger.findings.queued()
    assert {("m1",): "dismissed: 已经知道"} == reasons(at.plan())
    assert [] == at.ledger.findings.queued()
    assert {name: ("已经知道", "li.wei")} == {i: (w.because, w.by) for i, w in at.ledger.words.dismissed().items()}

    assert name == sparing.take_up(at, name, "doch nicht", "ann")
    assert {} == at.ledger.words.dismissed()
    at.plan()
    assert [name] == [q["finding_id"] for q in at.ledger.findings.queued()]
    at.ledger.verify()


def test_what_was_rolled_back_can_be_taken_up(clinic: MakeClinic) -> None:
    """A rollback dismisses its findings; taken up, they are planned again."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    apply(at, plan.id)
    take_back(at, plan.id, "ann")
    [wrong] = [s for s in plan.steps() if s.row_ids == ("s1",)]

    sparing.take_up(at, wrong.finding_id, "", "ann")

    assert {"s1"} == planned(at).changed_ids


def test_no_double_decision(clinic: MakeClinic) -> None:
    """A second word on the same is refused and names who said the first; so is taking back what nobody said."""
    at = clinic([memory("m1", scope=None), memory("h1")], **ALL)
    at.plan()
    name = at.ledger.findings.queued()[0]["finding_id"]
    sparing.dismiss(at, name, "", "li.wei")
    sparing.keep(at, "h1", "", "li.wei")

    with pytest.raises(InputInvalid, match=r"dismissed by li\.wei"):
        sparing.dismiss(at, name, "", "ann")
    with pytest.raises(InputInvalid, match=r"li\.wei said so"):
        sparing.keep(at, "h1", "", "ann")
    sparing.take_up(at, name, "", "ann")
    sparing.release(at, "h1", "", "ann")
    with pytest.raises(InputInvalid, match="is not dismissed"):
        sparing.take_up(at, name, "", "ann")
    with pytest.raises(InputInvalid, match="Nobody keeps"):
        sparing.release(at, "h1", "", "ann")


def test_what_nobody_can_mean_is_refused(clinic: MakeClinic) -> None:
    """No finding of that name, no row of that id, no name of a person: nothing is recorded."""
    at = clinic(sick(), **ALL)
    at.plan()

    with pytest.raises(InputInvalid, match="No finding starts"):
        sparing.dismiss(at, "zz", "", "ann")
    with pytest.raises(InputInvalid, match="No finding starts"):
        sparing.dismiss(at, "", "", "ann")
    with pytest.raises(MemoryNotFound):
        sparing.keep(at, "nobody", "", "ann")
    with pytest.raises(InputInvalid, match="needs a name"):
        sparing.keep(at, "s1", "", " ")
    assert ({}, {}) == (at.ledger.words.kept(), at.ledger.words.dismissed())


def test_others_may_be_merged_into_a_kept_row(clinic: MakeClinic) -> None:
    """A step that only relies on it leaves it as it is."""
    at = clinic(sick(), **ALL)
    before = now(at)
    sparing.keep(at, "d2", "", "li.wei")

    apply(at, planned(at).id)

    assert (before["d2"], "archived") == (now(at)["d2"], values(at, "status")["d1"])


@pytest.mark.parametrize("row", ["d1", "r1"])
def test_no_step_changes_a_kept_row(clinic: MakeClinic, row: str) -> None:
    """Kept, it is neither hidden nor re-pointed; all else is repaired; released, it is planned again."""
    at = clinic(sick(), **ALL)
    before = now(at)
    sparing.keep(at, row, "ask me first", "li.wei")
    made = at.plan()

    assert made.plan is not None
    assert row not in made.plan.changed_ids
    assert reasons(made)["d1", "d2"].startswith("kept as it is by a person: ")
    apply(at, made.plan.id)
    assert before[row] == now(at)[row]

    sparing.release(at, row, "", "li.wei")
    assert {"d1", "d2"} & planned(at).changed_ids


def test_a_plan_made_before_waits(clinic: MakeClinic) -> None:
    """Whoever approved it: a step that would change a row kept since waits and says why; the others run."""
    at = clinic(sick(), **ALL)
    plan, before = planned(at), now(at)
    approve(at, plan.id, None, "ann")
    sparing.keep(at, "d1", "", "li.wei")
    held = {s.id: r.reason for s in plan.steps() if (r := rule(at, plan)[s.id]).by is None}

    apply(at, plan.id)

    assert {"kept as it is by a person: d1"} <= set(held.values())
    after = now(at)
    assert (before["d1"], before["d2"], before["r1"]) == (after["d1"], after["d2"], after["r1"])
    assert before["s1"] != after["s1"]


def test_a_word_is_part_of_the_chain(clinic: MakeClinic) -> None:
    """Changed, removed or slipped in by somebody else, it is noticed."""
    at = clinic([memory("h1")], **ALL)
    sparing.keep(at, "h1", "", "li.wei")
    at.ledger.verify()
    with at.ledger.transaction() as conn:
        conn.execute(t.word.update().values(by="ann"))

    with pytest.raises(LedgerCorrupt, match="its record was changed"):
        at.ledger.verify()
    with at.ledger.transaction() as conn:
        conn.execute(t.word.delete())
    with pytest.raises(LedgerCorrupt, match="its record is gone"):
        at.ledger.verify()


def test_the_newest_word_counts_whatever_the_clock_says(ledger_url: str, clock: FakeClock) -> None:
    """A clock that is set back does not bring an earlier word back."""
    with_clock = Ledger.open(ledger_url, clock)
    with_clock.words.keep("m1", "", "ann")
    clock.move(days=-3)
    with_clock.words.release("m1", "", "ann")

    assert {} == with_clock.words.kept()
    with_clock.close()


def test_the_record_lists_what_people_let_be(clinic: MakeClinic) -> None:
    """Kept rows stand in the record of a plan made then."""
    at = clinic(sick(), **ALL)
    sparing.keep(at, "h1", "", "li.wei")

    assert ["h1"] == build(at.ledger, planned(at).id)["kept"]


def test_the_command_line_lets_be_and_takes_back(tmp_path: Path, run: Run) -> None:  # noqa: F811
    """Dismiss and keep say what they did and how to take it back; plan and review list it on top, in both languages."""
    make_table(
        tmp_path / "db", [memory("a1", status="Active "), memory("c1", scope=None), memory("茶", content="喝茶")]
    )
    configure(tmp_path)
    plan_code(run)
    [waits] = json.loads(run("review", "--json").output)["waiting"]

    done = run("dismiss", waits["id"][:8], "--because", "known", "--as", "li.wei")
    kept = run("keep", "茶", "--as", "li.wei", "--json")
    listed, chinese = run("review"), run("review", "--lang", "zh")
    said = json.loads(run("review", "--json").output)

    assert (0, {"id": "茶", "kept": True}) == (kept.exit_code, json.loads(kept.output))
    assert done.output.splitlines() == [
        f"Dismissed finding {waits['id'][:8]}. It is not proposed again until a row changes.",
        f"next: mendory dismiss {waits['id'][:8]} --undo --as NAME",
    ]
    assert ["  kept as they are: 1 row: 茶", "  dismissed earlier: 1 finding"] == listed.output.splitlines()[:2]
    assert "  保持原样：1 行：茶" == chinese.output.splitlines()[0]
    assert [(waits["id"], "known", "li.wei")] == [(w["id"], w["because"], w["by"]) for w in said["dismissed"]]
    assert ["茶"] == [w["id"] for w in said["kept"]]

    assert 0 == run("keep", "茶", "--undo", "--as", "ann").exit_code
    assert 0 == run("dismiss", waits["id"][:8], "--undo", "--as", "ann").exit_code
    again = json.loads(run("review", "--json").output)
    assert ([], []) == (again["kept"], again["dismissed"])


def test_dismissed_near_duplicates_are_told_to_calibration(clinic: MakeClinic) -> None:
    """Two rows that a person let be say two things; rows that changed since are left out by their digests."""
    from mendory.finding import Code, Finding, Ring, Severity

    at = clinic([memory("a"), memory("b"), memory("c")], **ALL)
    finding = Finding(
        "f" * 32, Code.DUPLICATE_NEAR, ("a", "b"), "u1", Ring.MEANING, Severity.MEDIUM, "one thing", {}, "near/1"
    )
    at.ledger.findings.note([finding])
    before = now(at)
    sparing.dismiss(at, finding.id, "two things", "li.wei")

    [told] = verdicts(at.ledger)
    assert ("a", "b", False) == (told.a, told.b, told.same)
    assert {"a": frozenset({before["a"]}), "b": frozenset({before["b"]})} == dict(told.digests)
    sparing.take_up(at, finding.id, "", "li.wei")
    assert () == verdicts(at.ledger)
