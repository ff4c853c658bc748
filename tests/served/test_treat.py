"""`heal` asks, a person answers, `treat` does: each answer with its effect, on a real server."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import flows.treat
from mendory import treatment
from mendory.catalogue import StepKind
from mendory.ledger import utc_now
from mendory.ledger.plans import PlanState
from tasks import shared, turn
from tests.answer_kit import SECRET, code_at
from tests.conftest import arrow, memory
from tests.served.kit import Served
from tests.served.ward import SICK, TOML, Ward, admit, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]
NUMBERS = itertools.count(1)
AS_IT_WAS = {name: ("active" if name == "n1" else more.get("status", "active")) for name, _, more in SICK}
"""What the rows are once level 1 has run and nobody answered."""
MERGED = AS_IT_WAS | {"a2": "archived", "d2": "archived"}


@pytest.fixture
def ward(server: Served, tmp_path: Path) -> Iterator[Ward]:
    """A sick table, deployed under a prefix of its own."""
    one = Ward(server, admit(tmp_path / "table"), f"w{next(NUMBERS)}-")
    with client_of(server):
        one.deploy()
        yield one


def asked(ward: Ward) -> tuple[str, str]:
    """(plan id, run id) once a heal has asked and the run that asks is suspended."""
    [(plan_id, run)] = ward.heal()["asking"].items()
    assert "Suspended" == ward.carry_on(run)
    return plan_id, run


def form(plan_id: str, decision: str = "approve", **more: Any) -> dict[str, Any]:
    """What a person puts into the form."""
    return {"decision": decision, "approver": "李雷", "plan_code": plan_id[:8], "note": "看过了 seen"} | more


def test_heal_asks_once_for_a_plan_that_waits(ward: Ward) -> None:
    """One run a plan, however often heal runs; its name carries the plan's code, and what runs alone has run."""
    first = ward.heal()
    again, changes = ward.heal(), ward.heal(full=False)

    [plan_id] = first["plans"]
    [run] = ward.asking()
    assert {plan_id: run["id"]} == first["asking"] == again["asking"]
    assert None is changes, "an unchanged table ends at once"
    assert run["name"].startswith(plan_id[:8])
    assert AS_IT_WAS == ward.statuses()


def test_an_approval_runs_what_waited(ward: Ward) -> None:
    """Approved on the form: the rows are merged and verified, the plan is done, and no page of it is left."""
    plan_id, run = asked(ward)

    assert {"ACCEPT"} == {ward.answer(run, **form(plan_id))["status"]}
    assert "Completed" == ward.carry_on(run)

    assert MERGED == ward.statuses()
    assert PlanState.DONE is ward.clinic.ledger.plans.state(plan_id)
    [decision] = ward.clinic.ledger.decisions.of_plan(plan_id)
    assert ("approve", "李雷", "看过了 seen") == (decision["verdict"], decision["by"], decision["note"])
    assert [] == ward.inputs(run)
    assert ward.clinic.ledger.verify() > 0
    kinds = {a["key"] for a in ward.served.post("/artifacts/filter", {"flow_runs": {"id": {"any_": [run]}}})}
    assert {f"asked-{plan_id[:8]}", f"case-{plan_id[:8]}"} <= kinds


def test_a_rejection_changes_nothing_and_is_not_asked_again(ward: Ward) -> None:
    """Rejected: not a row is touched, and the next heal finds nothing to ask."""
    plan_id, run = asked(ward)
    before = ward.version

    ward.answer(run, **form(plan_id, "reject"))
    assert "Completed" == ward.carry_on(run)

    assert (AS_IT_WAS, before) == (ward.statuses(), ward.version)
    assert PlanState.DONE is ward.clinic.ledger.plans.state(plan_id)
    again = ward.heal()
    assert ([], {}) == (again["plans"], again["asking"])


def test_later_asks_again_and_changes_nothing(ward: Ward) -> None:
    """Put off: the run is suspended anew, in a new round; an approval then counts."""
    plan_id, run = asked(ward)

    ward.answer(run, **form(plan_id, "later"))
    assert "Suspended" == ward.carry_on(run)
    assert AS_IT_WAS == ward.statuses()

    ward.answer(run, **form(plan_id))
    assert "Completed" == ward.carry_on(run)
    assert MERGED == ward.statuses()


def test_a_wrong_plan_code_is_refused_by_the_form(ward: Ward) -> None:
    """The server itself refuses an answer that names another plan; the run stays suspended."""
    plan_id, run = asked(ward)

    told = ward.answer(run, **form(plan_id, plan_code="00000000"))

    assert "REJECT" == told["status"]
    assert "Suspended" == ward.served.run_of(run)["state"]["name"]
    assert AS_IT_WAS == ward.statuses()


def test_silence_expires_the_plan(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers for a day: nothing runs, the run that asked is over and says why, the next plan asks anew."""
    plan_id, run = asked(ward)
    monkeypatch.setattr(shared, "clock", lambda: utc_now() + timedelta(hours=25))

    after = ward.heal()

    over = ward.served.run_of(run)["state"]
    assert ("Cancelled", f"Plan {plan_id[:8]} is expired; nobody is asked any more.") == (over["name"], over["message"])
    assert [] == ward.inputs(run)
    assert [plan_id] == after["ended"]
    assert AS_IT_WAS == ward.statuses()
    assert 2 == len(ward.asking()), "the same problem is planned and asked for anew"


def test_an_answer_after_eight_days(server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a window of ten days an approval of the eighth day still runs, on rows that are as planned."""
    ward = Ward(server, admit(tmp_path / "table", TOML.replace("[approval]", "[approval]\nwindow = 'P10D'")), "eight-")
    with client_of(server):
        ward.deploy()
        plan_id, run = asked(ward)
        monkeypatch.setattr(shared, "clock", lambda: utc_now() + timedelta(days=8))

        ward.answer(run, **form(plan_id))
        assert "Completed" == ward.carry_on(run)

    assert MERGED == ward.statuses()


def test_a_plan_settled_elsewhere_asks_no_more(ward: Ward) -> None:
    """Approved and applied on the command line while the page waits: the next heal ends the run that asks."""
    plan_id, run = asked(ward)
    treatment.approve(ward.clinic, plan_id, None, "anna")
    treatment.apply(ward.clinic, plan_id)

    ward.heal()

    assert "Cancelled" == ward.served.run_of(run)["state"]["name"]
    assert MERGED == ward.statuses()


def test_a_run_that_was_cancelled_is_followed_by_another(ward: Ward) -> None:
    """Somebody cancels the run that asks, again and again: the plan still waits, so each next heal asks anew."""
    _, run = asked(ward)
    runs = [run]
    for _ in range(2):
        cancelled = {"state": {"type": "CANCELLED", "name": "Cancelled"}, "force": True}
        ward.served.post(f"/flow_runs/{runs[-1]}/set_state", cancelled)
        [again] = ward.heal()["asking"].values()
        assert [] == ward.inputs(runs[-1])
        runs.append(again)

    assert 3 == len(set(runs))


def test_a_run_without_repairs_asks_nobody(ward: Ward) -> None:
    """A dry run plans, repairs nothing and starts no run."""
    told = ward.heal(dry_run=True)

    assert 1 == len(told["plans"])
    assert ({}, []) == (told["asking"], ward.asking())
    assert AS_IT_WAS | {"n1": " ACTIVE"} == ward.statuses()


def test_a_confirmed_rule_needs_no_page(server: Served, tmp_path: Path) -> None:
    """Level 2 by a rule that a person confirmed in the configuration: it runs at once, and nobody is asked."""
    toml = f"{TOML}[rules]\nconfirmed = ['merge.exact']\n"
    ward = Ward(server, admit(tmp_path / "table", toml), "rule-")
    with client_of(server):
        ward.deploy()
        told = ward.heal()

    assert ({}, []) == (told["asking"], ward.asking())
    assert MERGED == ward.statuses()


LOST = ("l1", "坐有轨电车上班 by tram", {"scope": None, "metadata": {"topic": "t", "scene": "s", "owner": "u1"}})
"""A row whose owner is named and whose scope is gone: level 3."""


@pytest.fixture
def two_groups(server: Served, tmp_path: Path) -> Iterator[tuple[Ward, str, str, dict[str, str]]]:
    """(table, plan, run, kind of step → label of its group): merges and a scope wait, anna is enrolled."""
    one = Ward(server, admit(tmp_path / "table", rows=(*SICK, LOST)), f"g{next(NUMBERS)}-")
    one.clinic.ledger.approvers.enrol("anna", SECRET, "boss")
    with client_of(server):
        one.deploy()
        plan_id, run = asked(one)
        [schema] = [json.loads(i["value"]) for i in one.inputs(run) if i["key"].endswith("-schema")]
        labels = schema["properties"]["groups"]["items"]["enum"]
        kinds = {g.name: g.kind.value for g in one.clinic.ledger.plans.load(plan_id).groups}
        yield one, plan_id, run, {kinds[label.split()[0]]: label for label in labels}


def test_a_part_runs_and_the_rest_is_asked_for_again(two_groups: tuple[Ward, str, str, dict[str, str]]) -> None:
    """The merges are approved alone and run; the page then asks for the scope alone, and that runs by a code."""
    ward, plan_id, run, groups = two_groups
    assert {"merge_exact", "set_scope"} == set(groups)

    ward.answer(run, **form(plan_id, "part", groups=[groups["merge_exact"]]))
    assert "Suspended" == ward.carry_on(run)
    assert MERGED | {"l1": "active"} == ward.statuses()
    assert groups["merge_exact"].split()[0] not in ward.said(run).split("Decision")[0]

    ward.answer(run, **form(plan_id, approver="anna", one_time_code=code_at(utc_now())))
    assert "Completed" == ward.carry_on(run)

    assert PlanState.DONE is ward.clinic.ledger.plans.state(plan_id)
    assert {"applied": 4} == Counter(o["outcome"] for o in ward.clinic.ledger.plans.outcomes(plan_id).values())
    assert ward.clinic.ledger.verify() > 0


def test_a_part_is_rejected_and_the_rest_runs(two_groups: tuple[Ward, str, str, dict[str, str]]) -> None:
    """The scope is rejected, without a code; the merges wait on and run once approved; nothing is asked again."""
    ward, plan_id, run, groups = two_groups
    before = ward.version

    ward.answer(run, **form(plan_id, "reject", groups=[groups["set_scope"]]))
    assert "Suspended" == ward.carry_on(run)
    assert before == ward.version
    ward.answer(run, **form(plan_id))
    assert "Completed" == ward.carry_on(run)

    assert MERGED | {"l1": "active"} == ward.statuses()
    outcomes = Counter(o["outcome"] for o in ward.clinic.ledger.plans.outcomes(plan_id).values())
    assert {"applied": 3, "rejected": 1} == outcomes
    assert {} == ward.heal()["asking"]


def test_two_plans_are_asked_for_by_two_runs(ward: Ward) -> None:
    """Rows that come later are a plan of their own: its approval runs it alone, the first goes on waiting."""
    first, one = asked(ward)
    rows = [memory(name, content="对花生过敏 allergic", batch_id="b7") for name in ("p1", "p2")]
    ward.clinic.writer.append(arrow(rows))
    asking = ward.heal()["asking"]
    assert one == asking.pop(first)
    [(second, other)] = asking.items()
    assert "Suspended" == ward.carry_on(other)

    ward.answer(other, **form(second))
    assert "Completed" == ward.carry_on(other)

    assert AS_IT_WAS | {"p1": "active", "p2": "archived"} == ward.statuses()
    assert "Suspended" == ward.served.run_of(one)["state"]["name"]


def test_one_run_at_a_time_touches_the_table(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another has the turn, a look at changes leaves, and a treatment touches nothing: the next heal does it."""
    plan_id, run = asked(ward)
    monkeypatch.setattr(turn, "GLANCE", 1.0)
    ward.answer(run, **form(plan_id))
    with turn.table_turn(f"{ward.prefix}turn") as ours:
        assert ours
        assert "Skipped" == ward.heal(full=False, return_state=True).name
        monkeypatch.setattr(turn, "PATIENCE", 1.0)
        assert "Completed" == ward.carry_on(run)
        assert AS_IT_WAS == ward.statuses()

    assert PlanState.OPEN is ward.clinic.ledger.plans.state(plan_id)
    assert {} == ward.heal()["asking"]
    assert MERGED == ward.statuses()


def test_a_heal_that_was_faster(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was approved ran in another process while this one waited for its turn: the run completes."""
    plan_id, run = asked(ward)

    @contextmanager
    def late(_: str) -> Iterator[bool]:
        treatment.apply(ward.clinic, plan_id)
        yield True

    monkeypatch.setattr(flows.treat, "table_turn", late)
    ward.answer(run, **form(plan_id))
    assert "Completed" == ward.carry_on(run)

    assert MERGED == ward.statuses()
    assert 2 == len(ward.clinic.ledger.runs(plan_id)), "one of heal, one of the other process"


def test_a_step_over_the_days_budget_keeps_nobody_from_asking(server: Served, tmp_path: Path) -> None:
    """What needs nobody is put off until tomorrow; what waits for a person is asked for today, and approved today."""
    rows = [*SICK, ("n2", "喜欢喝茶", {"status": "Active "}), ("n3", "Likes tea", {"status": "ACTIVE"})]
    toml = TOML.replace("repairs_per_day = 1000", "repairs_per_day = 1")
    ward = Ward(server, admit(tmp_path / "table", toml, rows), "spent-")
    with client_of(server):
        ward.deploy()
        [(plan_id, run)] = ward.heal()["asking"].items()

        assert "Suspended" == ward.carry_on(run)
        [merges] = [g.name for g in ward.clinic.ledger.plans.load(plan_id).groups if g.kind is StepKind.MERGE_EXACT]
        options = json.dumps(ward.inputs(run), ensure_ascii=False)
        [label] = set(re.findall(rf"{merges} · [^\\\"]*", options))
        ward.answer(run, **form(plan_id, "reject", groups=[label]))
        assert "Completed" == ward.carry_on(run), "what is put off is left to the next heal"

    assert PlanState.OPEN is ward.clinic.ledger.plans.state(plan_id)


def test_a_run_started_by_hand_is_over_with_its_plan(ward: Ward) -> None:
    """A second run that asks, started by hand with another spelling of the path: with the plan both are over."""
    plan_id, run = asked(ward)
    deployment = ward.served.get(f"/deployments/name/treat/{ward.prefix}treat")["id"]
    made = {"config": f"{ward.folder}/../{ward.folder.name}/mendory.toml", "plan_id": plan_id}
    by_hand = ward.served.post(f"/deployments/{deployment}/create_flow_run", {"parameters": made})["id"]
    assert "Suspended" == ward.carry_on(by_hand)
    assert ward.served.run_of(run)["name"] == ward.served.run_of(by_hand)["name"], "both are called by what they ask"
    ward.answer(by_hand, **form(plan_id, "later"))
    assert "Suspended" == ward.carry_on(by_hand)
    ward.answer(run, **form(plan_id))
    assert "Completed" == ward.carry_on(run), "an answer counts for the run it was given to"

    ward.heal()

    assert "Cancelled" == ward.served.run_of(by_hand)["state"]["name"]
    assert ([], []) == (ward.inputs(run), ward.inputs(by_hand))
    assert MERGED == ward.statuses()
