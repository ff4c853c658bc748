"""A run that was cut off: the next one verifies what it applied, shows it, and names the undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lancedb
import pytest

from mendory import treatment
from mendory.cli import treat
from mendory.cli.words import speak
from mendory.clinic import Clinic
from mendory.errors import PlanClosed
from mendory.executor import execute as execution
from mendory.executor.execute import Context
from mendory.executor.owner import executing
from mendory.ledger.plans import Plans, PlanState
from mendory.plan.model import Plan
from mendory.report.build import build
from mendory.treatment import Treated, apply, approve, recover_all, take_back, unjudged
from tests.conftest import GENEROUS, FakeClock, memory, on_both

pytestmark = pytest.mark.lance

MakeClinic = Callable[..., Clinic]
ALL = {"limits": GENEROUS, "rules": {"confirmed": ["merge.exact", "repoint.known_successor"]}}
ROWS = [memory(f"s{n}", status="ACTIVE", content=f"第 {n} 条") for n in range(4)]


class Killed(BaseException):
    """The end of a process."""


def _killed_after_commit(at: Clinic, patch: pytest.MonkeyPatch) -> None:
    real = at.writer.commit

    def commit(*args: Any) -> int:
        real(*args)
        raise Killed

    patch.setattr(at.writer, "commit", commit)


def _killed_after_receipt(at: Clinic, patch: pytest.MonkeyPatch) -> None:
    real = execution.seal

    def seal(*args: Any) -> None:
        real(*args)
        raise Killed

    patch.setattr(execution, "seal", seal)


def _killed_after_closing(at: Clinic, patch: pytest.MonkeyPatch) -> None:
    real = Plans.close_if_settled

    def close(*args: Any) -> PlanState:
        real(*args)
        raise Killed

    patch.setattr(Plans, "close_if_settled", close)


MOMENTS = {
    "after_commit": _killed_after_commit,
    "after_receipt": _killed_after_receipt,
    "after_closing": _killed_after_closing,
}


def killed(at: Clinic, moment: str) -> Plan:
    """A plan whose apply was killed at that moment, everything of it in the table."""
    plan = at.plan().plan
    assert plan is not None
    with pytest.MonkeyPatch.context() as patch:
        MOMENTS[moment](at, patch)
        with pytest.raises(Killed):
            apply(at, plan.id)
    return plan


def verified(at: Clinic, done: Treated) -> dict[str, Any]:
    """The record, once the run has judged all four repairs of another."""
    record = build(at.ledger, done.plan.id)
    assert {"applied": 4} == done.outcomes()
    assert {s.id for s in done.plan.steps()} == done.earlier
    assert [4, 4, 4, 4] == [c.checked for c in done.verdict.checks]
    assert done.verdict.ok
    assert PlanState.DONE == done.state
    assert [[4, 4, 4, 4]] == [[c["checked"] for c in v["checks"]] for v in record["verdicts"]]
    assert {"automatic": 4, "rule": 0, "person": 0} == record["ran_by"]
    assert f"mendory rollback {done.plan.code}" == record["undo"]
    return record


@on_both
@pytest.mark.parametrize("moment", sorted(MOMENTS))
@pytest.mark.parametrize("first", ["apply", "recover"])
def test_what_a_killed_run_applied_is_this_runs_result(clinic: MakeClinic, moment: str, first: str) -> None:
    """Killed after the commit, the receipt or the closing, recovered by itself or before: verified, undo named."""
    at = clinic(ROWS, limits=GENEROUS)
    plan = killed(at, moment)
    version = at.writer.latest()
    at = clinic(None, limits=GENEROUS)
    if first == "recover":
        with executing(at.clock) as context:
            recover_all(at, context)
            assert [plan.code] == unjudged(at, context)

    done = apply(at, plan.id)

    verified(at, done)
    assert version == at.writer.latest()
    with executing(at.clock) as context:
        assert [] == unjudged(at, context)
    with pytest.raises(PlanClosed):
        apply(at, plan.id)


def test_a_plan_that_expired_meanwhile_is_still_judged(clinic: MakeClinic, clock: FakeClock) -> None:
    """What was applied in time is verified though the plan has expired; nothing else of it runs."""
    at = clinic(ROWS, limits=GENEROUS)
    plan = killed(at, "after_commit")
    clock.move(days=9)
    at = clinic(None, limits=GENEROUS)

    done = apply(at, plan.id)

    assert {"applied": 4} == done.outcomes()
    assert done.verdict.ok
    assert PlanState.EXPIRED == done.state
    with pytest.raises(PlanClosed):
        apply(at, plan.id)


@pytest.mark.parametrize("moment", ["after_commit", "after_receipt"])
def test_a_column_that_came_meanwhile_hides_nothing_from_the_verdict(clinic: MakeClinic, moment: str) -> None:
    """The owner's new column touches every row and changes none: all are judged but the one he also wrote to."""
    at = clinic(ROWS, limits=GENEROUS)
    plan = killed(at, moment)
    table = lancedb.connect(at.config.table_uri).open_table("memories")
    table.add_columns({"extra": "cast('新' as string)"})
    table.update(where="id = 's1'", values={"content": "主人改过"})
    at = clinic(None, limits=GENEROUS)

    done = apply(at, plan.id)

    assert {"applied": 4} == done.outcomes()
    assert ("s1",) == done.verdict.changed_since
    assert done.verdict.ok
    assert "the table gained column extra" == done.shape
    assert [("s1", "changed since the plan: s1; the table gained column extra")] == list(
        take_back(at, plan.id, "ann").skipped
    )


def test_what_recovery_finds_wrong_is_taken_back(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repair that recovery found and that does not verify is treated as any other: level 1 takes itself back."""
    at = clinic(ROWS, limits=GENEROUS)
    plan = killed(at, "after_commit")
    at = clinic(None, limits=GENEROUS)
    monkeypatch.setattr("mendory.verify._remains", lambda *_: True)

    done = apply(at, plan.id)

    assert not done.verdict.ok
    assert {s.id for s in plan.steps()} == set(done.taken_back)
    statuses = lancedb.connect(at.config.table_uri).open_table("memories").to_arrow()["status"].to_pylist()
    assert {"ACTIVE"} == set(statuses)
    # the record tells of what is there, not of what was there before it was taken back
    assert {"illegal_status": 4} == build(at.ledger, plan.id)["left"]


def test_repairs_of_a_living_process_are_its_own(clinic: MakeClinic) -> None:
    """What another process has applied and is about to verify is not called found by recovery."""
    at = clinic(ROWS, limits=GENEROUS)
    plan = killed(at, "after_receipt")
    with executing(at.clock) as context:
        living = Context(context.owner, context.new_rid, context.sleep, context.jitter, lambda owner, when: True)
        assert [] == unjudged(at, living)
        assert [plan.code] == unjudged(at, context)


def test_rolling_back_what_nobody_judged_leaves_nothing_to_judge(clinic: MakeClinic) -> None:
    """A killed run that a person takes back is recovered, taken back, and asks for no verdict any more."""
    at = clinic(ROWS, limits=GENEROUS)
    plan = killed(at, "after_commit")
    at = clinic(None, limits=GENEROUS)

    undone = take_back(at, plan.id, "李薇")

    assert {"s0", "s1", "s2", "s3"} == set(undone.restored)
    with executing(at.clock) as context:
        assert [] == unjudged(at, context)
    assert {"illegal_status": 4} == build(at.ledger, plan.id)["left"]


def test_another_plans_refusal_is_not_this_ones(clinic: MakeClinic) -> None:
    """What recovery refuses of one plan is noted there, and neither result nor exit code of the plan being applied."""
    at = clinic([*ROWS, memory("d1", content="同一句"), memory("d2", content="同一句")], **ALL)
    first = at.plan(wanted=lambda f: f.code == "illegal_status").plan
    other = at.plan(wanted=lambda f: f.code == "duplicate_exact").plan
    assert first is not None
    assert other is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(at.writer, "commit", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            apply(at, first.id)
    table = lancedb.connect(at.config.table_uri).open_table("memories")
    table.update(where="id LIKE 's%'", values={"content": "the owner's word"})
    at = clinic(None, **ALL)

    done = apply(at, other.id)

    assert {"stale"} == {r.outcome.value for one in done.recovered for r in one.results}
    assert {"applied": 1} == done.outcomes()
    assert 0 == treat.exit_of(done)
    assert ["stale"] * 4 == [o["outcome"] for o in at.ledger.plans.outcomes(first.id).values()]


def test_what_recovery_refuses_of_this_plan_is_its_result(clinic: MakeClinic) -> None:
    """A step of the plan being applied that recovery had to refuse is among the results, with its reason."""
    at = clinic(ROWS, limits=GENEROUS)
    plan = at.plan().plan
    assert plan is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(at.writer, "commit", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            apply(at, plan.id)
    lancedb.connect(at.config.table_uri).open_table("memories").update(where="id = 's1'", values={"content": "改了"})
    at = clinic(None, limits=GENEROUS)

    done = apply(at, plan.id)

    assert {"applied": 3, "stale": 1} == done.outcomes()
    assert ["changed since the plan: s1"] == [r.reason for r in done.results if r.reason]
    assert 4 == treat.exit_of(done)


def test_part_of_a_group_found_is_told_apart(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a group half of which a killed run applied, the line says how many recovery found."""
    at = clinic(ROWS, limits=GENEROUS)
    monkeypatch.setattr(execution.batches, "__defaults__", (3,))
    plan = killed(at, "after_receipt")
    approve(at, plan.id, None, "ann")
    said: list[str] = []
    speak("en")
    monkeypatch.setattr(treat.click, "echo", said.append)

    treat.show_treated(treatment.apply(at, plan.id))

    assert "  G1 normalise_status 4/4 (3 found by recovery)" == said[0]
