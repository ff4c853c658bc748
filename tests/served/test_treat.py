"""`heal` asks, a person answers, `treat` does: each answer with its effect, on a real server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mendory.ledger import utc_now
from mendory.ledger.plans import PlanState
from tasks import shared
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
    from mendory import treatment

    plan_id, run = asked(ward)
    treatment.approve(ward.clinic, plan_id, None, "anna")
    treatment.apply(ward.clinic, plan_id)

    ward.heal()

    assert "Cancelled" == ward.served.run_of(run)["state"]["name"]
    assert MERGED == ward.statuses()


def test_a_run_that_was_cancelled_is_followed_by_another(ward: Ward) -> None:
    """Somebody cancels the run that asks: the plan still waits, so the next heal asks again."""
    _, run = asked(ward)
    ward.served.post(
        f"/flow_runs/{run}/set_state", {"state": {"type": "CANCELLED", "name": "Cancelled"}, "force": True}
    )

    [again] = ward.heal()["asking"].values()

    assert run != again
    assert [] == ward.inputs(run)
