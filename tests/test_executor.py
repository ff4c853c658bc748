"""Plan → apply → verify → rollback on real LanceDB tables with a real ledger, through the clinic."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import lancedb
import pyarrow as pa
import pytest

from mendory import digest, treatment
from mendory.clinic import Clinic, Planned
from mendory.errors import (
    EmptyTargetSet,
    InputInvalid,
    LedgerCorrupt,
    LedgerMismatch,
    MendoryError,
    NotReversible,
    PlanClosed,
    PlanNotFound,
    TableWentBack,
)
from mendory.executor import execute as execution
from mendory.executor.execute import Context, Job, execute
from mendory.executor.owner import executing
from mendory.ledger import utc_now
from mendory.ledger.plans import PlanState
from mendory.ledger.records import IntentKind, IntentState
from mendory.plan.model import Plan
from mendory.record import FIELD_NAMES
from mendory.treatment import Treated, adopt, apply, approve, reject, take_back
from mendory.verify import Check, Verdict
from mendory.work import Outcome, Unit
from tests.conftest import GENEROUS, NOON, FakeClock, arrow, memory, on_both

pytestmark = pytest.mark.lance

MakeClinic = Callable[..., Clinic]
ALL = {"limits": GENEROUS, "rules": {"confirmed": ["merge.exact", "repoint.known_successor"]}}


def sick() -> list[dict[str, Any]]:
    """Two wrong statuses, a double write, a row that names the merged one, and healthy ones."""
    return [
        memory("s1", status="ACTIVE"),
        memory("s2", status="Archived", content="旧地址在上海"),
        memory("d1", content="不要香菜"),
        memory("d2", content="不要香菜", related_notes=["聚餐时说的"]),
        memory("r1", content="Cooks without it", related_ids=["d1"]),
        *(memory(f"h{n}") for n in range(5)),
    ]


def owner(clinic: Clinic) -> Any:
    """The table as its owner's program opens it."""
    return lancedb.connect(clinic.config.table_uri).open_table("memories")


def now(clinic: Clinic) -> dict[str, str]:
    """Row id → digest of the row as it is."""
    rows = owner(clinic).to_arrow()
    return dict(zip(rows["id"].to_pylist(), digest.row_digests(rows, clinic.mapping.volatile), strict=True))


def values(clinic: Clinic, column: str) -> dict[str, Any]:
    """Row id → that column."""
    rows = owner(clinic).to_arrow()
    return dict(zip(rows["id"].to_pylist(), rows[column].to_pylist(), strict=True))


def planned(clinic: Clinic) -> Plan:
    """The plan for what is found, which must be one."""
    made = clinic.plan().plan
    assert made is not None
    return made


def healed(clinic: Clinic) -> tuple[Plan, Treated]:
    """A plan made and applied, every step of it."""
    plan = planned(clinic)
    done = apply(clinic, plan.id)
    assert {"applied": len(list(plan.steps()))} == done.outcomes()
    return plan, done


def reasons(planned_: Planned) -> dict[tuple[str, ...], str]:
    """Ids of each finding that was not planned → why."""
    return {u.finding.ids: u.reason for u in planned_.drafted.unplanned}


# --- the whole way and back -------------------------------------------------------------------


@on_both
def test_plan_apply_verify(clinic: MakeClinic) -> None:
    """A plan is applied whole, verified, and the table is healthy: planning again gives nothing."""
    at = clinic(sick(), **ALL)
    before = now(at)

    plan, done = healed(at)

    assert done.verdict.ok
    assert PlanState.DONE == done.state
    assert {
        "rows_as_planned",
        "problems_gone",
        "rows_outside_the_plan_unchanged",
        "repaired_memories_whole",
    } == {c.name for c in done.verdict.checks if c.checked}
    assert {"s1": "active", "s2": "archived", "d1": "archived", "d2": "active"} == {
        i: s for i, s in values(at, "status").items() if i in ("s1", "s2", "d1", "d2")
    }
    assert "d2" == values(at, "duplicate_of")["d1"]
    assert plan.changed_ids == {i for i, d in now(at).items() if d != before[i]}
    assert at.plan().plan is None
    assert () == at.check().findings


def test_planning_writes_nothing_to_the_table(clinic: MakeClinic) -> None:
    """A check-up, and a plan with its rehearsal, leave every byte of the table as it was."""
    at = clinic(sick(), **ALL)
    folder = Path(at.config.table_uri) / "memories.lance"
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    at.check()
    assert not Path(at.config.ledger_url.removeprefix("sqlite:///")).exists()
    planned(at)

    assert before == {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_repairs_never_write_the_owners_times(clinic: MakeClinic) -> None:
    """created_at and updated_at are the owner's: no repair and no rollback writes them."""
    at = clinic(sick(), **ALL)
    before = [values(at, c) for c in ("created_at", "updated_at")]

    plan, _ = healed(at)
    assert before == [values(at, c) for c in ("created_at", "updated_at")]
    take_back(at, plan.id, "ann")

    assert before == [values(at, c) for c in ("created_at", "updated_at")]


@on_both
def test_rollback_of_a_plan_restores_every_row(clinic: MakeClinic) -> None:
    """After the rollback of a whole plan every row has its earlier bytes."""
    at = clinic(sick(), **ALL)
    before = now(at)
    plan, _ = healed(at)

    back = take_back(at, plan.id, "ann")

    assert before == now(at)
    assert () == back.skipped
    assert plan.changed_ids == set(back.restored)
    assert PlanState.ROLLED_BACK == at.ledger.plans.state(plan.id)
    assert at.ledger.verify() > 0


def test_rollback_of_a_group(clinic: MakeClinic) -> None:
    """A group is taken back alone."""
    at = clinic(sick(), **ALL)
    before = now(at)
    plan, _ = healed(at)
    merges = next(g for g in plan.groups if g.kind == "merge_exact")

    take_back(at, plan.id, "ann", group=merges.name)

    mine = {i for s in merges.steps for i in s.row_ids}
    assert {i for i, d in now(at).items() if d != before[i]} == plan.row_ids - mine
    assert PlanState.DONE == at.ledger.plans.state(plan.id)


def test_rollback_of_a_step(clinic: MakeClinic) -> None:
    """A step is taken back alone, named by the start of its id."""
    at = clinic(sick(), **ALL)
    before = now(at)
    plan, _ = healed(at)
    step = next(s for s in plan.steps() if s.row_ids == ("s1",))

    back = take_back(at, plan.id, "ann", step=step.id[:8])

    assert ("s1",) == back.restored
    assert {i for i, d in now(at).items() if d != before[i]} == plan.changed_ids - {"s1"}


@on_both
def test_rollback_of_a_row(clinic: MakeClinic) -> None:
    """A row is taken back alone, through every step that changed it."""
    at = clinic(sick(), **ALL)
    before = now(at)
    plan, _ = healed(at)

    back = take_back(at, plan.id, "ann", row="d1")

    assert ("d1",) == back.restored
    assert {i for i, d in now(at).items() if d != before[i]} == plan.changed_ids - {"d1"}


@on_both
def test_row_changed_by_two_steps_is_rolled_back_through_both(clinic: MakeClinic) -> None:
    """A row that one plan changed twice gets back to where it was before the first."""
    rows = [memory("m1", content="same", status="Active"), memory("m2", content="same")]
    at = clinic([*rows, *(memory(f"h{n}") for n in range(5))], **ALL)
    before = now(at)
    plan, _ = healed(at)
    assert 2 == len(list(plan.steps()))

    take_back(at, plan.id, "ann")

    assert before == now(at)


def test_rollback_survives_a_clock_set_back(clinic: MakeClinic, clock: FakeClock) -> None:
    """A row that two groups changed is rolled back whole, though the clock was set back between them."""
    rows = [memory("m1", content="same"), memory("m2", content="same", status="Active")]
    at = clinic([*rows, *(memory(f"h{n}") for n in range(5))], limits=GENEROUS)
    before = now(at)
    plan = planned(at)
    apply(at, plan.id)
    clock.move(hours=-1)
    approve(at, plan.id, None, "ann")
    apply(at, plan.id)

    back = take_back(at, plan.id, "ann")

    assert () == back.skipped
    assert before == now(at)


@on_both
def test_rollback_skips_and_lists_rows_changed_since(clinic: MakeClinic) -> None:
    """A row that its owner changed after the repair is skipped by name, and keeps the owner's value."""
    at = clinic(sick(), **ALL)
    before = now(at)
    plan, _ = healed(at)
    owner(at).update(where="id = 's1'", values={"content": "the owner's word"})

    back = take_back(at, plan.id, "ann")

    assert [("s1", "changed since the plan: s1")] == list(back.skipped)
    assert {"s1"} == {i for i, d in now(at).items() if d != before[i]}
    assert "the owner's word" == values(at, "content")["s1"]


def test_step_that_could_not_be_taken_back_is_not_called_so(clinic: MakeClinic) -> None:
    """Where every row of a step was skipped, the step still counts as applied."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    step = next(s for s in plan.steps() if s.row_ids == ("s1",))
    owner(at).update(where="id = 's1'", values={"content": "the owner's word"})

    take_back(at, plan.id, "ann", step=step.id)

    assert "applied" == at.ledger.plans.outcomes(plan.id)[step.id]["outcome"]


def test_rollback_twice_does_nothing_more(clinic: MakeClinic) -> None:
    """What was rolled back is listed as that, and no row is written again."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    take_back(at, plan.id, "ann")
    version = at.writer.latest()

    again = take_back(at, plan.id, "ann")

    assert version == at.writer.latest()
    assert () == again.restored
    assert {"rolled back before"} == {why for _, why in again.skipped}


def test_rollback_of_nothing_is_an_error(clinic: MakeClinic) -> None:
    """A rollback that means no applied repair is refused; so is an unknown group or step."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    with pytest.raises(EmptyTargetSet):
        take_back(at, plan.id, "ann")
    apply(at, plan.id)

    for what in ({"group": "G99"}, {"step": "zz"}):
        with pytest.raises(PlanNotFound):
            take_back(at, plan.id, "ann", **what)
    with pytest.raises(EmptyTargetSet):
        take_back(at, plan.id, "ann", row="h1")


@on_both
def test_rollback_past_retention_is_refused(clinic: MakeClinic, clock: FakeClock) -> None:
    """When the images are gone nothing is rolled back, and the error says so."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    after = now(at)
    clock.move(days=31)
    at.ledger.intents.forget_images(clock.now - timedelta(days=30))

    with pytest.raises(NotReversible):
        take_back(at, plan.id, "ann")

    assert after == now(at)


def test_rolled_back_findings_are_proposed_again_only_when_a_row_changes(clinic: MakeClinic) -> None:
    """What a person took back is dismissed; a changed row makes a new finding."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    take_back(at, plan.id, "ann")

    checked = at.check()
    assert (0, 3) == (len(checked.findings), checked.dismissed)
    assert at.plan().plan is None

    owner(at).update(where="id = 's1'", values={"status": "ACTIVE "})
    assert {"s1"} == planned(at).row_ids


# --- who may let it run -----------------------------------------------------------------------


def test_nothing_is_automatic_without_limits(clinic: MakeClinic) -> None:
    """No limits configured: nothing runs, every step says why, and not even the ledger's name is written."""
    at = clinic(sick(), rules={"confirmed": ["merge.exact"]})
    before, version = now(at), at.writer.latest()
    plan = planned(at)

    done = apply(at, plan.id)

    assert {"waits": len(list(plan.steps()))} == done.outcomes()
    assert any("no limits" in r.reason for r in done.rulings.values())
    assert (before, version) == (now(at), at.writer.latest())
    assert PlanState.OPEN == done.state


@on_both
def test_level_1_runs_and_level_2_waits(clinic: MakeClinic) -> None:
    """With limits and no confirmed rule, level 1 runs and merges wait."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)

    done = apply(at, plan.id)

    assert {"applied": 2, "waits": 2} == done.outcomes()
    assert PlanState.OPEN == done.state
    assert {None, "automatic"} == {o["authority"] for o in at.ledger.plans.outcomes(plan.id).values()}


def test_approving_one_group_lets_that_group_run(clinic: MakeClinic) -> None:
    """An approval of one group covers that group alone, and is used once."""
    at = clinic(sick())
    plan = planned(at)
    group = plan.groups[0]
    approve(at, plan.id, [group.name], "ann")

    done = apply(at, plan.id)

    assert {"applied": len(group.steps), "waits": len(list(plan.steps())) - len(group.steps)} == done.outcomes()
    assert {i for s in group.steps for i in s.row_ids} == {"s1", "s2"}
    assert {"person"} == {
        o["authority"] for o in at.ledger.plans.outcomes(plan.id).values() if o["outcome"] == "applied"
    }
    assert {} == at.ledger.decisions.approved(plan.id)


def test_approval_of_everything(clinic: MakeClinic) -> None:
    """A person's word on the whole plan lets it run without limits."""
    at = clinic(sick())
    plan = planned(at)
    approve(at, plan.id, None, "小安")

    assert PlanState.DONE == apply(at, plan.id).state


@pytest.mark.parametrize("by", ["", "  ", "ann\nbob", "\x1b[2J"])
def test_decision_needs_a_name(clinic: MakeClinic, by: str) -> None:
    """A decision without a plain name is refused and not recorded."""
    at = clinic(sick())
    plan = planned(at)

    with pytest.raises(InputInvalid):
        approve(at, plan.id, None, by)

    assert [] == at.ledger.decisions.of_plan(plan.id)


def test_decision_on_unknown_or_no_groups(clinic: MakeClinic) -> None:
    """An unknown group and an empty list of groups are errors, never the whole plan."""
    at = clinic(sick())
    plan = planned(at)

    with pytest.raises(PlanNotFound):
        approve(at, plan.id, ["G1", "G99"], "ann")
    with pytest.raises(EmptyTargetSet):
        approve(at, plan.id, [], "ann")

    assert [] == at.ledger.decisions.of_plan(plan.id)


def test_expired_approval_lets_nothing_run(clinic: MakeClinic, clock: FakeClock) -> None:
    """After its window an approval is none."""
    at = clinic(sick(), approval={"window": "P3D"})
    plan = planned(at)
    approve(at, plan.id, None, "ann", window=timedelta(hours=1))
    clock.move(hours=2)

    assert {"waits": len(list(plan.steps()))} == apply(at, plan.id).outcomes()


@on_both
def test_reject_dismisses_and_closes(clinic: MakeClinic) -> None:
    """A rejected plan is closed, its findings are dismissed, nothing is written."""
    at = clinic(sick(), **ALL)
    before = now(at)
    plan = planned(at)

    reject(at, plan.id, None, "ann", "they are different people")

    assert PlanState.REJECTED == at.ledger.plans.state(plan.id)
    with pytest.raises(PlanClosed):
        apply(at, plan.id)
    assert before == now(at)
    assert at.plan().plan is None
    assert {"rejected: they are different people"} == set(at.ledger.findings.dismissed().values())


def test_reject_one_group_ends_its_dependants(clinic: MakeClinic) -> None:
    """Steps that require a rejected one are ended too; the rest may run."""
    rows = [memory("m1", content="same", status="Active"), memory("m2", content="same"), memory("s1", status="ACTIVE")]
    at = clinic([*rows, *(memory(f"h{n}") for n in range(5))], **ALL)
    plan = planned(at)
    assert ["normalise_status", "merge_exact"] == [g.kind for g in plan.groups]

    reject(at, plan.id, ["G1"], "ann", "no")

    assert {"rejected", "blocked"} == {o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()}
    assert PlanState.DONE == at.ledger.plans.state(plan.id)


def test_open_plans_findings_are_not_planned_again(clinic: MakeClinic) -> None:
    """A finding under an open plan waits there: it is in no second plan and not in the human queue."""
    at = clinic(sick())
    plan = planned(at)

    again = at.plan()

    assert again.plan is None
    assert (plan.id,) == again.open_plans
    assert {f"under open plan {plan.code}"} == set(reasons(again).values())
    assert [] == at.ledger.findings.queued()


def test_new_trouble_beside_an_open_plan_is_planned_alone(clinic: MakeClinic) -> None:
    """A new finding is planned without what an open plan holds."""
    at = clinic(sick())
    planned(at)
    owner(at).add(arrow([memory("n1", status="ACTIVE")]))

    assert {"n1"} == planned(at).row_ids


def test_expired_plan_can_be_made_again(clinic: MakeClinic, clock: FakeClock) -> None:
    """Silence expires a plan; the next plan for the same rows is open and may run."""
    at = clinic(sick(), **ALL)
    first = planned(at)
    clock.move(days=1, minutes=1)
    assert PlanState.EXPIRED == at.ledger.plans.state(first.id)
    with pytest.raises(PlanClosed):
        apply(at, first.id)

    second = planned(at)

    assert PlanState.OPEN == at.ledger.plans.state(second.id)
    assert apply(at, second.id).verdict.ok


def test_person_waits_in_the_queue(clinic: MakeClinic) -> None:
    """What no step answers waits for a person, with the reason."""
    at = clinic([memory("m1", scope=None), memory("m2", status="nonsense"), *(memory(f"h{n}") for n in range(5))])
    made = at.plan()

    assert made.plan is None
    assert {("m1",), ("m2",)} == set(reasons(made))
    assert 2 == len(at.ledger.findings.queued())


# --- rows that changed meanwhile --------------------------------------------------------------


@on_both
def test_stale_row_is_refused_alone_with_its_reason(clinic: MakeClinic) -> None:
    """A row that changed after planning is refused by name; all others are repaired."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    owner(at).update(where="id = 's1'", values={"content": "changed since"})

    done = apply(at, plan.id)

    refused = {r.unit.edits[0].id: (r.outcome, r.reason) for r in done.results if r.outcome is not Outcome.APPLIED}
    assert {"s1": (Outcome.STALE, "changed since the plan: s1")} == refused
    assert ("ACTIVE", "changed since") == (values(at, "status")["s1"], values(at, "content")["s1"])
    assert "archived" == values(at, "status")["d1"]
    assert done.verdict.ok
    assert PlanState.DONE == done.state


def test_dependants_of_a_stale_row_are_refused_with_it(clinic: MakeClinic) -> None:
    """What was planned on a repair that was refused is refused, too, naming what it requires."""
    rows = [memory("m1", content="same", status="Active"), memory("m2", content="same"), memory("s1", status="ACTIVE")]
    at = clinic([*rows, *(memory(f"h{n}") for n in range(5))], **ALL)
    plan = planned(at)
    owner(at).update(where="id = 'm1'", values={"source": "system_log"})

    done = apply(at, plan.id)

    assert {"applied": 1, "blocked": 1, "stale": 1} == done.outcomes()
    [blocked] = [r for r in done.results if r.outcome is Outcome.BLOCKED]
    first = next(s for s in plan.steps() if s.row_ids == ("m1",))
    assert f"requires step {first.id[:8]}" in blocked.reason
    assert {"active", "Active"} == {values(at, "status")[i] for i in ("m1", "m2")}


@pytest.mark.parametrize("change", ["said otherwise", "gone", "archived"])
def test_merge_is_refused_when_the_row_to_keep_changed(clinic: MakeClinic, change: str) -> None:
    """A row is never archived in favour of one that is gone, hidden, or says something else by now."""
    at = clinic(
        [memory("d1", content="same"), memory("d2", content="same"), *(memory(f"h{n}") for n in range(5))], **ALL
    )
    plan = planned(at)
    [step] = plan.steps()
    assert ("d1", ("d2",)) == (step.detail["primary_id"], tuple(step.detail["merged_ids"]))
    if change == "gone":
        owner(at).delete("id = 'd1'")
    else:
        new = {"status": "archived"} if change == "archived" else {"content": "something else"}
        owner(at).update(where="id = 'd1'", values=new)

    done = apply(at, plan.id)

    assert {"stale": 1} == done.outcomes()
    assert "active" == values(at, "status")["d2"]


def test_merge_waits_for_the_repair_of_the_row_to_keep(clinic: MakeClinic) -> None:
    """A merge planned on a normalised primary requires that step: rejecting it must not hide both rows."""
    rows = [memory("m1", content="same", status="Active"), memory("m2", content="same")]
    at = clinic([*rows, *(memory(f"h{n}") for n in range(5))], **ALL)
    plan = planned(at)
    first, merge = plan.steps()

    assert ("normalise_status", "merge_exact") == (first.kind, merge.kind)
    assert (first.id,) == merge.requires


def test_vanished_row_is_refused_alone(clinic: MakeClinic) -> None:
    """A row that is gone is refused by name, never inserted again."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    owner(at).delete("id = 's1'")

    done = apply(at, plan.id)

    assert {"gone since the plan: s1"} == {r.reason for r in done.results if r.outcome is Outcome.STALE}
    assert "s1" not in now(at)
    assert "archived" == values(at, "status")["s2"]


def test_doubled_id_is_refused_alone(clinic: MakeClinic) -> None:
    """A row whose id another row took meanwhile can't be addressed; neither is touched."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    owner(at).add(arrow([memory("s1", status="ACTIVE", content="another with that id")]))

    done = apply(at, plan.id)

    assert {"several rows hold the id s1"} == {r.reason for r in done.results if r.outcome is Outcome.STALE}
    twins = owner(at).search().where("id = 's1'").to_list()
    assert ["ACTIVE", "ACTIVE"] == [r["status"] for r in twins]


def test_row_that_is_already_as_planned_is_done(clinic: MakeClinic) -> None:
    """A row that its owner put right meanwhile needs nothing."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    owner(at).update(where="id = 's1'", values={"status": "active"})

    done = apply(at, plan.id)

    assert {"its rows already are as planned"} == {r.reason for r in done.results if r.outcome is Outcome.DONE}
    assert done.verdict.ok


def test_volatile_columns_may_change_meanwhile(clinic: MakeClinic) -> None:
    """A mere read of a memory does not make its plan stale, and the time of the read is kept."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    owner(at).update(values_sql={"last_accessed_at": "TIMESTAMP '2025-06-01 00:00:00'"})

    done = apply(at, plan.id)

    assert {"applied": len(list(plan.steps()))} == done.outcomes()
    assert 1 == len(set(map(str, values(at, "last_accessed_at").values())))
    assert {None} != set(values(at, "last_accessed_at").values())


def test_unrelated_writes_and_optimize_are_no_obstacle(clinic: MakeClinic) -> None:
    """New rows, other rows' changes and a compaction after planning leave the plan valid."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    owner(at).add(arrow([memory("new")]))
    owner(at).update(where="id = 'h1'", values={"content": "other"})
    owner(at).optimize()

    done = apply(at, plan.id)

    assert {"applied": len(list(plan.steps()))} == done.outcomes()
    assert done.verdict.ok


@on_both
def test_conflicting_commit_is_tried_again(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A foreign commit between our read and our commit costs a further try, recorded in the ledger, not a repair."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    real, calls = at.writer.commit, []

    def racing(rows: Any, base: int, rid: str) -> int:
        if not calls:
            owner(at).update(where="id = 'h1'", values={"content": "raced"})
        calls.append(rid)
        return real(rows, base, rid)

    monkeypatch.setattr(at.writer, "commit", racing)
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    done = apply(at, plan.id)

    assert done.verdict.ok
    assert 2 == at.ledger.intents.get(calls[0]).tries
    assert "raced" == values(at, "content")["h1"]


def test_five_conflicts_defer(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """After five lost races the step is deferred, waits in its plan, and runs another time."""
    at = clinic([memory("s1", status="ACTIVE"), *(memory(f"h{n}") for n in range(9))], **ALL)
    plan = planned(at)
    real, calls = at.writer.commit, []

    def racing(rows: Any, base: int, rid: str) -> int:
        calls.append(rid)
        # another row each time: an update moves its row out of the fragment that ours lies in
        owner(at).update(where=f"id = 'h{len(calls)}'", values={"content": "raced"})
        return real(rows, base, rid)

    monkeypatch.setattr(at.writer, "commit", racing)
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    done = apply(at, plan.id)

    assert 5 == len(calls)
    assert {"deferred": 1} == done.outcomes()
    assert PlanState.OPEN == done.state
    monkeypatch.setattr(at.writer, "commit", real)
    assert {"applied": 1} == apply(at, plan.id).outcomes()


# --- twice at once ----------------------------------------------------------------------------


_HEAL = """
import sys, time
from pathlib import Path
from tests.conftest import GENEROUS, make_config
from mendory.clinic import Clinic
from mendory.errors import PlanClosed
from mendory.treatment import apply
ledger = {"url": sys.argv[4]}
clinic = Clinic(make_config(Path(sys.argv[1]), ledger=ledger, limits=GENEROUS, rules={"confirmed": ["merge.exact"]}))
clinic.writer, clinic.ledger
while time.time() < float(sys.argv[3]): pass
try:
    print(sorted(apply(clinic, sys.argv[2]).outcomes().items()))
except PlanClosed:
    print("closed")
"""


@on_both
def test_two_processes_heal_one_plan(tmp_path: Path, clinic: MakeClinic) -> None:
    """Two processes that apply the same plan at the same time do no work twice, and between them all of it."""
    at = clinic([memory(f"s{n}", status=("ACTIVE", " active")[n % 2]) for n in range(40)], limits=GENEROUS)
    at.clock = at.ledger.clock = utc_now
    plan = planned(at)
    start = str(time.time() + 4)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _HEAL, str(tmp_path), plan.id, start, at.config.ledger_url],
            cwd=Path(__file__).parents[1],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [r.communicate(timeout=240) for r in runs]

    assert [0, 0] == [r.returncode for r in runs], said
    assert {"active"} == set(values(at, "status").values())
    applied = at.ledger.intents.in_state(IntentState.APPLIED)
    rids = [i.rid for i in applied]
    assert 40 == len(at.ledger.intents.items(plan.id))
    ds = lance.dataset(str(tmp_path / "memories.lance"))
    commits = [
        (ds.read_transaction(v).transaction_properties or {}).get("mendory.rid") for v in range(1, ds.version + 1)
    ]
    assert sorted(rids) == sorted(c for c in commits if c)
    assert at.ledger.verify() > 0


def test_applying_a_done_plan_is_refused(clinic: MakeClinic) -> None:
    """A plan runs once; afterwards it is closed."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    version = at.writer.latest()

    with pytest.raises(PlanClosed):
        apply(at, plan.id)

    assert version == at.writer.latest()


# --- loops ------------------------------------------------------------------------------------


def test_repair_that_its_owner_reverts_is_a_persons(clinic: MakeClinic) -> None:
    """A row that is again as it was before its repair shows that something undoes it: no second automatic repair."""
    at = clinic(sick(), **ALL)
    healed(at)
    owner(at).update(where="id = 's1'", values={"status": "ACTIVE"})

    made = at.plan()

    assert made.plan is None
    assert "something undoes the repair" in reasons(made)["s1",]
    assert 1 == len(at.ledger.findings.queued())


@pytest.mark.parametrize("kind", ["status", "merge"])
def test_third_repair_of_one_problem_is_the_last(clinic: MakeClinic, clock: FakeClock, kind: str) -> None:
    """A problem that was repaired three times within the window, each time in another form, is a person's."""
    others = [memory(f"h{n}") for n in range(5)]
    at = clinic([memory("m1", content="same"), memory("m2"), *others], **ALL)
    for n in range(3):
        if kind == "status":
            owner(at).update(where="id = 'm1'", values={"status": "ACTIVE" + " " * n})
        else:
            owner(at).update(where="id = 'm2'", values={"content": "same", "status": "active", "batch_id": f"b{n}"})
        healed(at)
        clock.move(days=1)
    if kind == "status":
        owner(at).update(where="id = 'm1'", values={"status": "Active"})
    else:
        owner(at).update(where="id = 'm2'", values={"status": "active", "batch_id": "b9"})

    made = at.plan()

    assert made.plan is None
    assert any("repaired 3 times within 30 days" in why for why in reasons(made).values())
    clock.move(days=30)
    assert at.plan().plan is not None


# --- limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"rows_per_run": 2}, "above limits.rows_per_run 2"),
        ({"scope_share": 0.1, "min_rows": 0}, "above limits.scope_share 10%"),
        ({"repairs_per_day": 2}, "exceed limits.repairs_per_day 2"),
        ({"sick_share_scope": 0.1, "min_rows": 0}, "above limits.sick_share_scope 10%"),
        ({"sick_share_table": 0.1, "min_rows": 0}, "above limits.sick_share_table 10%"),
    ],
)
def test_above_a_limit_everything_is_suspended(clinic: MakeClinic, limit: dict[str, Any], reason: str) -> None:
    """Above a limit the steps concerned are suspended with the reason; no row is changed."""
    rows = [memory(f"s{n}", status="ACTIVE") for n in range(3)]
    at = clinic([*rows, *(memory(f"h{n}") for n in range(7))], limits=GENEROUS | limit)
    before = now(at)
    plan = planned(at)

    done = apply(at, plan.id)

    assert {"suspended": 3} == done.outcomes()
    said = [r.reason for r in done.rulings.values() if r.reason] + [r.reason for r in done.results]
    assert [True] * 3 == [reason in s for s in said if s]
    assert before == now(at)
    assert PlanState.OPEN == done.state


@on_both
def test_budget_is_fresh_the_next_day(clinic: MakeClinic, clock: FakeClock) -> None:
    """What one day's budget had no room for runs the next day."""
    rows = [memory(f"s{n}", status="ACTIVE") for n in range(2)]
    limits = GENEROUS | {"repairs_per_day": 2}
    at = clinic([*rows, *(memory(f"h{n}") for n in range(7))], limits=limits, approval={"window": "P7D"})
    healed(at)
    owner(at).add(arrow([memory("n1", status="ACTIVE")]))
    plan = planned(at)
    assert {"suspended": 1} == apply(at, plan.id).outcomes()
    clock.move(days=1)

    assert {"applied": 1} == apply(at, plan.id).outcomes()


# --- table and ledger -------------------------------------------------------------------------


def test_first_apply_binds_the_table_to_its_ledger(clinic: MakeClinic) -> None:
    """The first apply writes the ledger's id into the table; a check-up or plan does not."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    assert at.writer.ledger_id() is None

    apply(at, plan.id)

    assert at.ledger.id == at.writer.ledger_id()


@pytest.mark.parametrize("how", ["missing", "other"])
def test_missing_or_other_ledger(clinic: MakeClinic, tmp_path: Path, how: str) -> None:
    """With a missing or another ledger nothing is planned, applied or rolled back."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    owner(at).add(arrow([memory("n1", status="ACTIVE")]))
    there = clinic(None, ledger={"url": "sqlite:///elsewhere/other.db"}, **ALL)
    name = plan.id
    if how == "other":
        assert there.ledger.id != at.ledger.id
    before, version = now(at), at.writer.latest()

    for act in (there.plan, lambda: apply(there, name), lambda: take_back(there, name, "ann")):
        with pytest.raises(LedgerMismatch) as caught:
            act()
        assert "Nothing was done" in str(caught.value)

    assert (before, version) == (now(at), at.writer.latest())
    assert (how == "other") == (tmp_path / "elsewhere" / "other.db").exists()


def test_a_person_may_accept_a_table_whose_ledger_is_lost(clinic: MakeClinic) -> None:
    """After `adopt` the table is bound to the new ledger and can be healed; nothing of it was changed by that."""
    at = clinic(sick(), **ALL)
    healed(at)
    owner(at).add(arrow([memory("n1", status="ACTIVE")]))
    there = clinic(None, ledger={"url": "sqlite:///elsewhere/other.db"}, **ALL)
    before = now(at)
    adopt(there, "ann")

    assert before == now(at)
    assert there.ledger.id == there.writer.ledger_id()
    assert ["n1"] == sorted(planned(there).changed_ids)
    assert there.ledger.verify() > 0


def test_approval_of_an_expired_plan_is_gone_when_it_is_made_again(clinic: MakeClinic, clock: FakeClock) -> None:
    """Silence expires a plan and every word on it: planned again, it waits for a new one."""
    at = clinic(sick())
    plan = planned(at)
    clock.move(hours=23)
    approve(at, plan.id, None, "ann")
    clock.move(hours=2)
    again = planned(at)
    before = now(at)
    done = apply(at, again.id)

    assert plan.id == again.id
    assert {"waits"} == set(done.outcomes())
    assert before == now(at)


def test_a_spare_approval_is_not_used_after_the_newest_one(clinic: MakeClinic) -> None:
    """Approved twice and applied, the older word is spent with the newer."""
    at = clinic(sick())
    plan = planned(at)
    approve(at, plan.id, None, "ann")
    approve(at, plan.id, None, "bob")
    apply(at, plan.id)

    assert {} == at.ledger.decisions.approved(plan.id)


def test_a_rollback_cut_off_after_its_receipt_stays_a_persons_word(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dying right after the receipt, what was taken back is dismissed and noted all the same."""
    at = clinic(sick(), **ALL)
    plan, _ = healed(at)
    monkeypatch.setattr(treatment, "_dismiss_what_is_left", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        take_back(at, plan.id, "ann")
    monkeypatch.undo()

    assert {"rolled_back"} == {o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()}
    assert at.plan().plan is None


def test_a_run_cut_off_between_batches_has_noted_what_was_applied(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dying after the second of several batches, the applied steps say so; the next run does the others, judges all."""
    at = clinic([memory(f"s{n:02}", status="ACTIVE") for n in range(12)], **ALL)
    plan = planned(at)
    monkeypatch.setattr(execution.batches, "__defaults__", (5,))
    seal, sealed = execution.seal, []

    def dying(*args: Any, **more: Any) -> Any:
        sealed.append(seal(*args, **more))
        if len(sealed) == 2:
            raise KeyboardInterrupt
        return sealed[-1]

    monkeypatch.setattr(execution, "seal", dying)
    with pytest.raises(KeyboardInterrupt):
        apply(at, plan.id)
    monkeypatch.undo()
    outcomes = [o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()]

    assert {"applied": 10, None: 2} == dict(Counter(outcomes))
    done = apply(at, plan.id)
    assert ({"applied": 12}, 10) == (done.outcomes(), len(done.earlier))
    assert 12 == done.verdict.checks[0].checked
    assert {"applied"} == {o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()}
    assert {"automatic"} == {o["authority"] for o in at.ledger.plans.outcomes(plan.id).values()}


def test_the_slower_of_two_runs_does_not_overwrite_what_was_applied(clinic: MakeClinic) -> None:
    """A run that finds its approval used and its steps applied leaves the ledger saying applied."""
    at = clinic(sick())
    plan = planned(at)
    approve(at, plan.id, None, "ann")
    rulings = treatment.rule(at, plan)
    apply(at, plan.id)
    with executing(at.clock) as context:
        late = treatment._execute(at, plan, rulings, context)

    assert {Outcome.DONE} == {r.outcome for r in late}
    assert {"applied"} == {o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()}


def test_one_row_of_a_merge_taken_back_is_not_proposed_again(clinic: MakeClinic) -> None:
    """The kept row still holds what it gathered, which makes another finding; a person's word covers it too."""
    meta = {"topic": "饮食", "entities": ["茶"], "scene": "家"}
    rows = [
        memory("a", content="喜欢喝茶", metadata=meta),
        memory("b", content="喜欢喝茶", metadata={**meta, "session": "s1"}),
    ]
    at = clinic(rows, **ALL)
    plan, _ = healed(at)
    [step] = plan.steps()
    take_back(at, plan.id, "ann", row=step.detail["merged_ids"][0])

    assert at.plan().plan is None


def test_rolling_back_one_group_leaves_the_others_waiting(clinic: MakeClinic) -> None:
    """With G1 applied and taken back, G2 of the same plan can still be approved and applied."""
    at = clinic(sick())
    plan = planned(at)
    first, last = plan.groups[0].name, plan.groups[-1].name
    approve(at, plan.id, [first], "ann")
    apply(at, plan.id)
    take_back(at, plan.id, "ann", group=first)
    approve(at, plan.id, [last], "ann")

    assert PlanState.OPEN is at.ledger.plans.state(plan.id)


@on_both
def test_tampered_ledger_applies_nothing(clinic: MakeClinic) -> None:
    """A ledger whose chain does not hold lets nothing run."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    apply(at, plan.id)
    approve(at, plan.id, None, "ann")
    with at.ledger.transaction() as conn:
        conn.exec_driver_sql("UPDATE decision SET note = 'forged'")
    before = now(at)

    for act in (lambda: apply(at, plan.id), lambda: take_back(at, plan.id, "ann")):
        with pytest.raises(LedgerCorrupt):
            act()

    assert before == now(at)


def test_table_that_went_back_is_refused(clinic: MakeClinic) -> None:
    """A table older than the last receipt has lost repairs: nothing is applied."""
    at = clinic(sick(), **ALL)
    healed(at)
    owner(at).add(arrow([memory("n1", status="ACTIVE")]))
    plan = planned(at)
    folder = Path(at.config.table_uri) / "memories.lance" / "_versions"
    for manifest in sorted(folder.glob("*.manifest"))[:2]:
        manifest.unlink()
    (folder / "latest_version_hint.json").unlink(missing_ok=True)
    fresh = clinic(None, **ALL)
    before = now(fresh)

    with pytest.raises(TableWentBack):
        apply(fresh, plan.id)

    assert before == now(fresh)


def test_unknown_plan_is_a_named_error(clinic: MakeClinic) -> None:
    """Applying a plan that is not there is a named error."""
    at = clinic(sick(), **ALL)

    with pytest.raises(MendoryError):
        apply(at, "f" * 64)


# --- after a crash ----------------------------------------------------------------------------


def crash(clinic: Clinic, plan: Plan, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process dies before or after its first commit, with the intent open and its owner dead."""

    class Death(BaseException):
        """The end of a process."""

    real = clinic.writer.commit

    def dying(rows: Any, base: int, rid: str) -> int:
        if when == "after":
            real(rows, base, rid)
        raise Death

    monkeypatch.setattr(clinic.writer, "commit", dying)
    with pytest.raises(Death):
        apply(clinic, plan.id)
    monkeypatch.setattr(clinic.writer, "commit", real)
    assert 1 == len(clinic.ledger.intents.in_state(IntentState.OPEN))


@on_both
@pytest.mark.parametrize("when", ["before", "after"])
def test_recovery_rolls_forward(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Whether the process died before or after its commit, the next run finishes the repair, once."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    crash(at, plan, when, monkeypatch)
    versions = at.writer.latest()

    done = apply(at, plan.id)

    assert 1 == len(done.recovered)
    assert {Outcome.APPLIED} == {r.outcome for r in done.recovered[0].results}
    assert ["active", "archived"] == [values(at, "status")[i] for i in ("s1", "s2")]
    assert versions + (when == "before") == at.writer.latest()
    assert ["applied", "applied"] == [o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values() if o["outcome"]]
    assert at.ledger.verify() > 0


@on_both
def test_intent_of_a_living_process_is_left_to_it(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open intent whose owner is at work is not recovered; its units are busy."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    steps = list(plan.steps())
    units = tuple(Unit.of(s, "", None) for s in steps if s.level == 1)
    with executing(at.clock) as other:
        seen: list[dict[str, int]] = []

        def meanwhile(seconds: float) -> None:
            seen.append(apply(at, plan.id).outcomes())

        real, calls = at.writer.commit, []

        def racing(rows: Any, base: int, rid: str) -> int:
            if not calls:
                calls.append(rid)
                owner(at).update(where="id = 'h1'", values={"content": "raced"})
            return real(rows, base, rid)

        monkeypatch.setattr(at.writer, "commit", racing)
        context = Context(other.owner, other.new_rid, meanwhile, lambda: 0.5, other.alive)
        done = execute(Job(IntentKind.APPLY, plan.id, "G1", units), at.writer, at.ledger, context)

    assert [{"busy": 2, "waits": 2}] == seen
    assert {Outcome.APPLIED} == {r.outcome for r in done}


@on_both
def test_cleaned_history_makes_the_outcome_unknown(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """When history is cleaned up while an intent is open nobody guesses: unknown, a person's, no second write."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    crash(at, plan, "after", monkeypatch)
    owner(at).update(where="id = 'h1'", values={"content": "later"})
    owner(at).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    before = now(at)

    done = apply(at, plan.id)

    assert {Outcome.UNKNOWN} == {r.outcome for one in done.recovered for r in one.results}
    assert before == now(at)
    [intent] = at.ledger.intents.in_state(IntentState.UNKNOWN)
    assert "unknown" in {o["outcome"] for o in at.ledger.plans.outcomes(plan.id).values()}
    at.ledger.intents.resolve(intent.rid, applied=True, by="ann")
    back = take_back(at, plan.id, "ann")
    assert {"s1", "s2"} == set(back.restored)


def test_cleanup_between_commit_and_flush(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the owner cleans up right after our commit the repair is still sealed: a newer version holds it."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    real = at.writer.commit

    def cleaned(rows: Any, base: int, rid: str) -> int:
        version = real(rows, base, rid)
        owner(at).update(where="id = 'h1'", values={"content": "later"})
        owner(at).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
        return version

    monkeypatch.setattr(at.writer, "commit", cleaned)

    done = apply(at, plan.id)

    assert {"applied": 2, "waits": 2} == done.outcomes()


# --- verification -----------------------------------------------------------------------------


def tampering(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right after our commit a fault of our own spoils row s1, in a commit that carries our name."""
    real = clinic.writer.commit

    def spoiled(rows: Any, base: int, rid: str) -> int:
        at = rows.schema.get_field_index("status")
        pairs = zip(rows["id"].to_pylist(), rows["status"].to_pylist(), strict=True)
        bad = ["Spoiled" if i == "s1" else s for i, s in pairs]
        rows = rows.set_column(at, rows.schema.field(at), pa.array(bad, pa.string()))
        return real(rows, base, rid)

    monkeypatch.setattr(clinic.writer, "commit", spoiled)


def test_row_that_is_not_as_planned_fails_verification(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that came out otherwise than planned is named by the verdict, and its step has failed."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    tampering(at, monkeypatch)

    done = apply(at, plan.id)

    assert not done.verdict.ok
    [check] = [c for c in done.verdict.checks if c.name == "rows_as_planned"]
    assert ("s1",) == check.failed
    assert [s.id for s in plan.steps() if s.row_ids == ("s1",)] == list(done.verdict.failed_steps)


@on_both
def test_failed_level_1_takes_itself_back(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level-1 step whose problem is still there afterwards is rolled back by itself, and says so; others stay."""
    at = clinic(sick(), limits=GENEROUS)
    before = now(at)
    plan = planned(at)
    step = next(s for s in plan.steps() if s.row_ids == ("s1",))
    monkeypatch.setattr("mendory.verify._remains", lambda one, findings: one.id == step.id)

    done = apply(at, plan.id)

    assert (step.id,) == done.taken_back
    assert before["s1"] == now(at)["s1"]
    assert before["s2"] != now(at)["s2"]
    assert "taken_back" == at.ledger.plans.outcomes(plan.id)[step.id]["outcome"]
    assert not done.verdict.ok


def test_what_took_itself_back_may_be_tried_again(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repair that did not verify is not dismissed: it is planned again, until it is a person's after three."""
    at = clinic([memory("s1", status="ACTIVE"), *(memory(f"h{n}") for n in range(5))], limits=GENEROUS)
    for _ in range(3):
        plan = planned(at)
        with monkeypatch.context() as patch:
            patch.setattr("mendory.effect.verify", _never_verified)
            done = apply(at, plan.id)
        assert 1 == len(done.taken_back)

    made = at.plan()

    assert made.plan is None
    assert "repaired 3 times" in reasons(made)["s1",]


def _never_verified(applied: Any, *_: Any) -> Verdict:
    return Verdict((Check("problems_gone", 1, ("x",)),), tuple(s.id for s in applied))


def test_failed_level_2_waits_for_a_person(clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed merge is not rolled back by itself."""
    at = clinic(sick(), **ALL)
    plan = planned(at)
    merge = next(s for s in plan.steps() if s.kind == "merge_exact")
    monkeypatch.setattr("mendory.verify._remains", lambda one, findings: one.id == merge.id)

    done = apply(at, plan.id)

    assert () == done.taken_back
    assert (merge.id,) == done.verdict.failed_steps
    assert "archived" == values(at, "status")["d1"]


def test_foreign_change_during_the_run_is_listed_not_failed(
    clinic: MakeClinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that its owner changed right after our commit is the owner's: listed, neither failed nor taken back."""
    at = clinic(sick(), limits=GENEROUS)
    plan = planned(at)
    real = at.writer.commit

    def then_foreign(rows: Any, base: int, rid: str) -> int:
        version = real(rows, base, rid)
        owner(at).update(where="id = 's1'", values={"content": "the owner's word"})
        return version

    monkeypatch.setattr(at.writer, "commit", then_foreign)

    done = apply(at, plan.id)

    assert ("s1",) == done.verdict.changed_since
    assert () == done.taken_back
    assert done.verdict.ok


def test_every_run_is_recorded(clinic: MakeClinic) -> None:
    """Apply and rollback each leave a record of what they did."""
    at = clinic(sick(), **ALL)
    plan, done = healed(at)
    take_back(at, plan.id, "ann")

    runs = at.ledger.runs(plan.id)

    assert ["apply", "rollback"] == [r["kind"] for r in runs]
    assert done.run == runs[0]["id"]
    assert {"applied": 4} == runs[0]["outcomes"]
    assert {"automatic": 2, "rule": 2} == runs[0]["authority"]
    assert "ann" == runs[1]["by"]


# --- which rows are double writes, and which of them is kept ---------------------------------------


STATS = pa.struct([("a", pa.struct([("hits", pa.int64()), ("t", pa.string())]))])
NESTED: dict[str, tuple[pa.DataType, str, Callable[[int, str], Any]]] = {
    "json": (
        pa.string(),
        "meta.stats.hits",
        lambda hits, said: json.dumps({"stats": {"hits": hits, "t": said}, "topic": "茶"}, ensure_ascii=False),
    ),
    "json_alone": (
        pa.string(),
        "meta.stats.hits",
        lambda hits, said: json.dumps({"stats": {"hits": hits}, "topic": said}),
    ),
    "struct": (STATS, "meta.a.hits", lambda hits, said: {"a": {"hits": hits, "t": said}}),
}


def nested(clinic: MakeClinic, root: Path, kind: str, texts: tuple[str, str]) -> Clinic:
    """A clinic on an owner's table of twins that differ in a deeply nested counter, and in `texts` beside it."""
    column, volatile, cell = NESTED[kind]
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("content", pa.string()),
            ("scope", pa.string()),
            ("status", pa.string()),
            ("created_at", pa.timestamp("us", "UTC")),
            ("meta", column),
        ]
    )
    rows = [
        {"id": i, "content": "不要香菜", "scope": "u1", "status": "active", "created_at": NOON, "meta": cell(n, t)}
        for i, n, t in (("m1", 1, texts[0]), ("m2", 700, texts[1]))
    ]
    lancedb.connect(str(root)).create_table("memories", pa.Table.from_pylist(rows, schema=schema))
    columns = {} if kind == "struct" else {"metadata": "meta"}
    absent = sorted(set(FIELD_NAMES) - {*schema.names, *columns})
    return clinic(None, mapping={"absent": absent, "volatile": [volatile], "columns": columns}, **ALL)


@pytest.mark.parametrize("kind", sorted(NESTED))
def test_rows_that_differ_in_a_nested_counter_alone_are_double_writes(
    clinic: MakeClinic, tmp_path: Path, kind: str
) -> None:
    """A counter deep in JSON or a struct that a read moves does not make two memories of one."""
    at = nested(clinic, tmp_path, kind, ("x", "x"))

    plan, _ = healed(at)

    assert ["merge_exact"] == [s.kind.value for s in plan.steps()]


@pytest.mark.parametrize("kind", sorted(NESTED))
def test_rows_that_differ_beside_a_nested_counter_are_none(clinic: MakeClinic, tmp_path: Path, kind: str) -> None:
    """What lies beside the counter still counts: where it differs the rows are no plain double write."""
    seen = nested(clinic, tmp_path, kind, ("x", "y")).check().findings

    assert {("duplicate_restated", ("m1", "m2"))} == {(f.code, f.ids) for f in seen if f.code.startswith("duplicate")}


@pytest.mark.parametrize("richer", ["m1", "m2"])
def test_a_row_that_something_supersedes_is_not_the_one_kept(clinic: MakeClinic, richer: str) -> None:
    """Of a double write the row its owner has replaced is archived, however much it knows; what it names is kept."""
    more = {"topic": "general", "entities": ["user"], "scene": "daily", "more": 1}
    twins = {
        "m1": memory("m1", content="喜欢喝茶", superseded_by="h1"),
        "m2": memory("m2", content="喜欢喝茶"),
    }
    twins[richer] = memory(richer, content="喜欢喝茶", metadata=more, superseded_by=twins[richer]["superseded_by"])
    at = clinic([*twins.values(), memory("h1"), memory("h2")], **ALL)

    healed(at)

    assert {"m1": "archived", "m2": "active"} == {i: values(at, "status")[i] for i in twins}
    assert {"m1": "h1", "m2": None} == {i: values(at, "superseded_by")[i] for i in twins}
    assert ["h1"] == list(values(at, "related_ids")["m2"])


def test_where_all_are_superseded_the_most_informative_is_kept(clinic: MakeClinic) -> None:
    """When the owner has replaced every row of a double write, the choice is as ever, and its mark stays."""
    more = {"topic": "general", "entities": ["user"], "scene": "daily", "more": 1}
    rows = [
        memory("m1", content="Likes tea", superseded_by="h1"),
        memory("m2", content="Likes tea", superseded_by="h2", metadata=more),
    ]
    at = clinic([*rows, memory("h1"), memory("h2")], **ALL)

    healed(at)

    assert {"m1": "archived", "m2": "active"} == {i: values(at, "status")[i] for i in ("m1", "m2")}
    assert "h2" == values(at, "superseded_by")["m2"]
    assert ["h1"] == list(values(at, "related_ids")["m2"])
