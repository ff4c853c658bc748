"""How a plan ends: by its checks, its sampled memories, and what a person says of them; on real tables."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory import ticking
from mendory.automation import Runs
from mendory.catalogue import StepKind
from mendory.errors import EmptyTargetSet, InputInvalid, LedgerCorrupt
from mendory.ledger import schema as t
from mendory.ledger.plans import PlanState
from mendory.proof import sample, strayed, told
from mendory.report import build, markdown
from mendory.report.html import html
from mendory.treatment import apply, take_back
from mendory.verify import verify
from tests.cli.conftest import LIMITS, Run, configure, plan_code, run  # noqa: F401 - a fixture
from tests.conftest import memory, on_both
from tests.test_executor import ALL, MakeClinic, healed, now, owner, planned, sick, tampering, values
from tests.test_verify import findings, step

pytestmark = pytest.mark.lance


def failing(patch: pytest.MonkeyPatch, *steps: str) -> None:
    """From now on the problem of these steps is said to be there still."""
    patch.setattr("mendory.verify._remains", lambda one, _: one.id in steps)


def of_row(plan: Any, row: str) -> Any:
    """The plan's step on that row alone."""
    return next(s for s in plan.steps() if s.row_ids == (row,))


# --- the state of a plan ----------------------------------------------------------------------


@on_both
def test_what_failed_at_level_1_is_taken_back_and_the_plan_is_not_done(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest stands, so the plan is corrected; nothing is left to a person."""
    at = clinic([memory("s1", status="ACTIVE"), memory("s2", status="ACTIVE"), memory("h1")], **ALL)
    before, plan = now(at), planned(at)
    failing(monkeypatch, of_row(plan, "s1").id)

    done = apply(at, plan.id)

    assert (PlanState.CORRECTED, ()) == (done.state, done.asked)
    assert before["s1"] == now(at)["s1"]
    assert before["s2"] != now(at)["s2"]
    assert [] == at.ledger.findings.queued()


def test_a_plan_of_which_nothing_verified_is_rolled_back(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it took itself back."""
    at = clinic([memory("s1", status="ACTIVE"), memory("h1")], **ALL)
    before, plan = now(at), planned(at)
    failing(monkeypatch, of_row(plan, "s1").id)

    assert PlanState.ROLLED_BACK is apply(at, plan.id).state
    assert before == now(at)


@on_both
def test_what_failed_at_level_2_stands_and_its_rollback_is_proposed(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan has failed until a person takes it back by the command that is shown; then it is corrected."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    merge = next(s for s in plan.steps() if s.kind is StepKind.MERGE_EXACT)
    with monkeypatch.context() as patch:
        failing(patch, merge.id)
        done = apply(at, plan.id)

    [waits] = at.ledger.findings.queued()
    assert PlanState.FAILED is done.state
    assert (waits["reason"],) == done.asked
    assert waits["reason"] == f"it did not verify: mendory rollback {plan.code} --step {merge.id[:8]}"
    held = at.ledger.plans.outcomes(plan.id)[merge.id]
    assert ("failed", "rule", True) == (held["outcome"], held["authority"], held["rid"] is not None)

    take_back(at, plan.id, "ann", step=merge.id)

    assert PlanState.CORRECTED is at.ledger.plans.state(plan.id)
    assert [] == at.ledger.findings.queued()


def test_a_change_outside_the_plan_leaves_it_failed(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """No step can be blamed for it, so nothing takes itself back and the plan is not done."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    monkeypatch.setattr("mendory.effect.verify", lambda applied, digests, *_: verify(applied, digests, (), (), {"h1"}))

    done = apply(at, plan.id)

    assert (PlanState.FAILED, ()) == (done.state, done.taken_back)
    take_back(at, plan.id, "ann")
    assert PlanState.ROLLED_BACK is at.ledger.plans.state(plan.id)


def test_a_spoiled_row_is_a_persons(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not as the repair left it, so it can't take itself back: the sample names it, and the plan has failed."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    tampering(at, monkeypatch)

    done = apply(at, plan.id)

    assert PlanState.FAILED is done.state
    assert {"rows_as_planned": ("s1",), "repaired_memories_whole": ("s1",)} == {
        c.name: c.failed for c in done.verdict.checks if c.failed and c.name != "problems_gone"
    }


# --- where a step failed ----------------------------------------------------------------------


def test_only_the_rows_that_failed_are_named() -> None:
    """Of a kind whose rows stand by themselves; of a merge all its rows."""
    from dataclasses import replace

    from mendory.finding import Code
    from mendory.plan.model import ColumnChange

    def changing(one: Any, code: str) -> Any:
        edits = tuple(replace(e, columns=(ColumnChange("status", "a", "b"),)) for e in one.edits)
        return replace(one, edits=edits, code=code)

    status = changing(step(StepKind.NORMALISE_STATUS, "m1", "m2", status="active"), Code.ILLEGAL_STATUS.value)
    seen = findings(memory("m1", status="ACTIVE"))
    merge = changing(step(StepKind.MERGE_EXACT, "d1", "d2", merged_ids=["d1"]), Code.DUPLICATE_EXACT.value)

    assert ((status.id, "m1"),) == verify([status], {"m1": "new", "m2": "new"}, (), seen, ()).failed_rows
    assert ((merge.id, "d1"), (merge.id, "d2")) == verify([merge], {"d1": "new"}, (), (), ()).failed_rows


# --- the sample -------------------------------------------------------------------------------


@given(st.sets(st.text(min_size=1, max_size=4), max_size=60), st.text(max_size=8), st.text(min_size=1, max_size=4))
def test_the_sample_is_the_plans_own(rows: set[str], plan: str, more: str) -> None:
    """Twenty at most, the same ones whatever the order; one row more replaces at most one of them."""
    chosen = sample(plan, rows)

    assert min(20, len(rows)) == len(chosen)
    assert chosen == sample(plan, sorted(rows, reverse=True))
    assert len(set(chosen) - set(sample(plan, rows | {more}))) <= 1


def test_a_column_that_the_plan_does_not_name_must_be_as_before() -> None:
    """Bit for bit, vectors too; what it names must be as the repair left it; what a read changes is left out."""
    kind = pa.struct([("a", pa.int64()), ("b", pa.int64())])

    def row(status: str, vector: list[float], read: int, pair: dict[str, int]) -> pa.Table:
        held = {"status": [status], "vector": pa.array([vector], pa.list_(pa.float32())), "read": [read]}
        return pa.table({**held, "pair": pa.array([pair], kind)})

    before, after = row("x", [0.0, 1.0], 1, {"a": 1, "b": 1}), row("y", [0.0, 1.0], 1, {"a": 2, "b": 1})
    places = ("status", "pair.a")

    def lacks(status: str = "y", vector: tuple[float, ...] = (0.0, 1.0), a: int = 2, b: int = 1) -> tuple[str, ...]:
        return strayed(before, after, row(status, list(vector), 9, {"a": a, "b": b}), places, ("read",))

    assert () == lacks()
    assert ("status",) == lacks(status="x")
    assert ("vector",) == lacks(vector=(-0.0, 1.0))
    assert ("pair",) == lacks(a=1)
    assert ("pair",) == lacks(b=2)


def test_a_change_inside_json_is_told_key_by_key() -> None:
    """Only what differs, each key a place of its own; what is no JSON is told whole."""
    keys = told("meta", '{"场景": "家", "in": {"k": 1, "l": 2}}', '{"场景": "家", "in": {"k": 1, "l": 3}, "new": null}')

    assert [("meta.in.l", 2, 3), ("meta.new", None, None)] == [(c.column, c.old, c.new) for c in keys]
    assert [("status", "x", "y")] == [(c.column, c.old, c.new) for c in told("status", "x", "y")]


def test_what_others_wrote_since_is_neither_proven_nor_lacking(clinic: MakeClinic) -> None:
    """It is said so, and nobody can tick it as good."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    owner(at).update(where="id = 's1'", values={"content": "the owner's word"})

    looked = ticking.look(at, plan.id)

    assert {"s1"} == {one.row for one in looked.sample if one.changed_since}
    assert {"s1"} == {one.row for one in looked.sample if not one.whole}
    with pytest.raises(InputInvalid, match="written by others"):
        ticking.good(at, plan.id, ["s1"], "", "ann")


def test_a_memory_must_not_name_what_is_not_there(clinic: MakeClinic) -> None:
    """The reference that a repair wrote leads nowhere any more: the memory is not whole, by name."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    owner(at).delete("id = 'd2'")

    [merged] = ticking.look(at, plan.id, ["d1"]).sample

    assert ("d2",) == merged.proof.dangling
    assert not merged.whole


# --- a person's word --------------------------------------------------------------------------


@on_both
def test_a_wrong_row_fails_its_plan_until_it_is_taken_back(clinic: MakeClinic) -> None:
    """The rollback of that row alone is proposed; the word is in the chain and counts against the step's kind."""
    at = clinic(sick(), **ALL)
    before = now(at)
    plan, _ = healed(at)
    subject = StepKind.NORMALISE_STATUS.value

    looked = ticking.wrong(at, plan.id, "s1", "不是这个意思", "li.wei")

    [waits] = at.ledger.findings.queued()
    assert PlanState.FAILED is looked.state
    assert waits["reason"] == f"a person found it wrong: mendory rollback {plan.code} --row s1"
    standing = at.ledger.evidence.standings(())[subject]
    assert 1 == standing.record.taken_back
    assert Runs.STOPPED is not standing.runs
    at.ledger.verify()

    take_back(at, plan.id, "li.wei", row="s1")

    assert PlanState.CORRECTED is at.ledger.plans.state(plan.id)
    assert {"s1"} == {i for i in plan.changed_ids if now(at)[i] == before[i]}
    assert [] == at.ledger.findings.queued()


def test_a_wrong_word_that_is_taken_back_lets_the_plan_be_done(clinic: MakeClinic) -> None:
    """The newest word on a row counts; all-good speaks of no row that was found wrong."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    authority = {s: o["authority"] for s, o in at.ledger.plans.outcomes(plan.id).items()}
    ticking.wrong(at, plan.id, "s1", "", "ann")
    swept = ticking.good(at, plan.id, (), "", "ann")

    assert {"s1": "wrong"} == {row: w.said.value for row, w in swept.words.items() if w.said.value != "good"}
    assert PlanState.FAILED is swept.state

    ticking.good(at, plan.id, ["s1"], "looked again", "ann")

    assert PlanState.DONE is at.ledger.plans.state(plan.id)
    assert authority == {s: o["authority"] for s, o in at.ledger.plans.outcomes(plan.id).items()}
    assert {"applied"} == {o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()}


def test_what_nobody_can_say_is_refused(clinic: MakeClinic) -> None:
    """No name, a row the plan did not repair, nothing left to tick: nothing is recorded."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)

    with pytest.raises(InputInvalid, match="needs a name"):
        ticking.good(at, plan.id, (), "", "")
    with pytest.raises(InputInvalid, match="no standing repair of 'h1'"):
        ticking.wrong(at, plan.id, "h1", "", "ann")
    take_back(at, plan.id, "ann")
    with pytest.raises(EmptyTargetSet):
        ticking.good(at, plan.id, (), "", "ann")
    assert {} == at.ledger.words.ticks(plan.id)


def test_a_word_that_was_changed_is_noticed(clinic: MakeClinic) -> None:
    """It is a link of the chain as every other."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    ticking.good(at, plan.id, (), "", "ann")
    with at.ledger.transaction() as conn:
        conn.execute(t.word.update().values(said="wrong"))

    with pytest.raises(LedgerCorrupt):
        at.ledger.verify()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_record_shows_the_sample_without_a_text(clinic: MakeClinic, lang: str) -> None:
    """Ids, digests, the proof, a person's word and the command; Prefect shows the same Markdown."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    ticking.good(at, plan.id, ["s1"], "", "li.wei")
    record = build(at.ledger, plan.id)
    held = {one["id"]: one for one in record["sample"]}

    assert plan.changed_ids == set(held)
    assert ({"good": True, "by": "li.wei"}, None) == (
        {k: held["s1"]["word"][k] for k in ("good", "by")},
        held["s2"]["word"],
    )
    assert now(at)["s1"] == held["s1"]["after"]
    texts = set(values(at, "content").values())
    assert [] == [text for text in texts if text in json.dumps(record["sample"], ensure_ascii=False)]
    for page in (markdown(record, lang), html(record, lang)):
        assert f"mendory verify {plan.code}" in page
        assert held["s1"]["after"][:8] in page
        assert "li.wei" in page


def test_the_command_line_shows_and_takes_down(sick_table: Run) -> None:
    """Original and result of each, the proof; exit code 3 until all were looked at, 4 when one is wrong."""
    do = sick_table
    code = plan_code(do)
    applied = do("apply", code)
    shown, chinese = do("verify", code), do("verify", code, "--lang", "zh")

    assert f"next: mendory verify {code}" in applied.output
    assert 3 == shown.exit_code
    assert shown.output.splitlines() == [
        f"Plan {code} is done. 1 of 1 repaired memories, original → result:",
        "  b1  normalise_status  whole · not looked at yet",
        "      Prefers window seats",
        '      status: "Active " → "active"',
        f"next: mendory verify {code} --all-good --as NAME · mendory verify {code} --wrong ID --because TEXT --as NAME",
    ]
    assert "完整 · 尚未查看" in chinese.output
    assert 1 == do("verify", code, "--all-good").exit_code
    assert 1 == do("verify", code, "--all-good", "--wrong", "b1", "--as", "ann").exit_code

    assert 0 == do("verify", code, "--all-good", "--as", "ann").exit_code
    wrong = do("verify", code, "--wrong", "b1", "--because", "no", "--as", "ann")
    said = json.loads(do("verify", code, "--json").output)

    assert 4 == wrong.exit_code
    assert f"  a person found it wrong: mendory rollback {code} --row b1" in wrong.output.splitlines()
    assert ("failed", 1, False) == (said["state"], said["repaired"], said["memories"][0]["word"]["good"])
    assert f"next: mendory rollback {code} --row b1" in do("review").output


@pytest.fixture
def sick_table(tmp_path: Any, run: Run) -> Run:  # noqa: F811
    """One misspelt status, and limits that let it be repaired."""
    from tests.conftest import make_table

    make_table(
        tmp_path / "db", [memory("b1", content="Prefers window seats", status="Active "), memory("h1"), memory("h2")]
    )
    configure(tmp_path, LIMITS)
    return run
