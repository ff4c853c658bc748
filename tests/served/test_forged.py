"""Answers that are none, on a real server: forged, borrowed, replayed, doubled, stale, late. No row is changed by any.

Each leaves a state that is clear: the run is suspended anew and its page says why, or it has ended and says why.
"""

from __future__ import annotations

import base64
import itertools
import json
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest
import sqlalchemy as sa

from mendory import treatment
from mendory.asking.answer import Refusal, round_of
from mendory.asking.words import word
from mendory.errors import LedgerCorrupt
from mendory.ledger import utc_now
from mendory.ledger.records import IntentState
from tasks import shared
from tests.answer_kit import SECRET, code_at
from tests.served.kit import Served
from tests.served.test_treat import AS_IT_WAS, MERGED, asked, form
from tests.served.ward import SICK, Ward, admit, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]
NUMBERS = itertools.count(1)


def admitted(server: Served, folder: Path) -> Iterator[Ward]:
    """A sick table, deployed under a prefix of its own."""
    one = Ward(server, admit(folder), f"f{next(NUMBERS)}-")
    with client_of(server):
        one.deploy()
        yield one


@pytest.fixture
def ward(server: Served, tmp_path: Path) -> Iterator[Ward]:
    """A sick table of the test's own."""
    yield from admitted(server, tmp_path / "table")


@pytest.fixture(scope="module")
def desk(server: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ward, str, str]]:
    """(table, plan, run that asks about two merges of level 2); each test leaves it suspended and no row changed."""
    for one in admitted(server, tmp_path_factory.mktemp("forged") / "table"):
        yield one, *asked(one)


def unmoved(ward: Ward, before: int) -> None:
    """Not a row was written since that version, and nobody wrote the ledger but Mendory."""
    assert before == ward.version
    ward.clinic.ledger.verify()


def refused(ward: Ward, plan_id: str, run: str, why: Refusal) -> None:
    """A worker takes the run up: the answer does not count, no row is changed, and the next page says why."""
    before = ward.version
    assert "Suspended" == ward.carry_on(run)
    unmoved(ward, before)
    newest = max(ward.clinic.ledger.answers.of_plan(plan_id), key=lambda one: one.given_at)
    assert why.value == newest.outcome
    assert word(f"why_{why.value}", "en") in ward.said(run)


CLAIMS: dict[str, tuple[Any, Refusal]] = {
    "another plan": ({"plan_code": "00000000"}, Refusal.WRONG_PLAN),
    "no plan": ({"plan_code": ""}, Refusal.WRONG_PLAN),
    "nobody": ({"approver": ""}, Refusal.ANONYMOUS),
    "blanks": ({"approver": "  "}, Refusal.ANONYMOUS),
    "an unknown name": ({"approver": "mallory"}, Refusal.UNKNOWN_APPROVER),
    "a name that looks like one": ({"approver": "Аnna"}, Refusal.UNKNOWN_APPROVER),
    "a list for a name": ({"approver": ["李雷"]}, Refusal.UNKNOWN_APPROVER),
    "jinja for a name": ({"approver": "{{ '李雷' }}"}, Refusal.UNKNOWN_APPROVER),
    "a variable for a name": (
        {"approver": {"__prefect_kind": "workspace_variable", "variable_name": "approver"}},
        Refusal.UNKNOWN_APPROVER,
    ),
    "jinja in the note": ({"note": "好 {{ 7*7 }}"}, Refusal.NOTE_UNFIT),
    "a variable in the note": (
        {"note": {"__prefect_kind": "workspace_variable", "variable_name": "secret"}},
        Refusal.NOTE_UNFIT,
    ),
    "a decision that is none": ({"decision": "APPROVE ALL"}, Refusal.UNKNOWN_VERDICT),
    "a group that is none": ({"decision": "part", "groups": ["G99"]}, Refusal.UNKNOWN_GROUP),
    "a settled group": ({"decision": "part", "groups": ["G1"]}, Refusal.NOTHING_WAITS),
    "no group": ({"decision": "part", "groups": []}, Refusal.NO_GROUPS),
    "a code of nobody": ({"one_time_code": "000000"}, Refusal.NOT_ENROLLED),
    "a list": ([1, 2], Refusal.UNKNOWN_VERDICT),
    "nothing": ({}, Refusal.UNKNOWN_VERDICT),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_is_written_past_the_form_is_judged_all_the_same(desk: tuple[Ward, str, str], claim: str) -> None:
    """An answer put where the server keeps them, and the run's state forced: refused, and asked again."""
    ward, plan_id, run = desk
    said, why = CLAIMS[claim]
    body = form(plan_id) | said if isinstance(said, dict) and said else said

    ward.forge(run, ward.round(plan_id, run), json.dumps(body, ensure_ascii=False))

    refused(ward, plan_id, run, why)


def test_what_is_no_answer_at_all_is_judged_too(desk: tuple[Ward, str, str]) -> None:
    """Bytes that are no JSON where the server keeps the answer: refused as any other that says nothing."""
    ward, plan_id, run = desk

    ward.forge(run, ward.round(plan_id, run), "approve{")

    refused(ward, plan_id, run, Refusal.UNKNOWN_VERDICT)


def test_a_run_that_is_pushed_on_asks_again(desk: tuple[Ward, str, str]) -> None:
    """The state forced and nothing answered: nothing is taken for an answer, the run is suspended in a new round."""
    ward, plan_id, run = desk
    before, known = ward.version, len(ward.clinic.ledger.answers.of_plan(plan_id))

    ward.force(run, "SCHEDULED")
    assert "Suspended" == ward.carry_on(run)

    unmoved(ward, before)
    assert known == len(ward.clinic.ledger.answers.of_plan(plan_id))


def test_an_answer_to_another_round_does_not_count(desk: tuple[Ward, str, str]) -> None:
    """Of the plan as it was made before: refused by that name. Of a round to come: gone when its round begins."""
    ward, plan_id, run = desk
    before, plan = ward.version, ward.clinic.ledger.plans.load(plan_id)
    former = round_of(replace(plan, made_at=plan.made_at - timedelta(days=1)), 1)

    ward.forge(run, former, json.dumps(form(plan_id)))
    refused(ward, plan_id, run, Refusal.MADE_AGAIN)
    known = ward.clinic.ledger.answers.of_plan(plan_id)
    ward.forge(run, round_of(plan, len(known) + 99), json.dumps(form(plan_id)))
    assert "Suspended" == ward.carry_on(run)

    unmoved(ward, before)
    assert known == ward.clinic.ledger.answers.of_plan(plan_id)


def test_the_form_fills_in_no_templates(desk: tuple[Ward, str, str]) -> None:
    """Prefect resolves templates in an answer before it is checked: what they come to is checked as if typed."""
    ward, plan_id, run = desk
    before = ward.version

    def kind(template: str) -> dict[str, str]:
        return {"__prefect_kind": "jinja", "template": template}

    tried = [
        ward.answer(run, **form(plan_id, plan_code=kind("{{ 7*7 }}"))),
        ward.answer(run, **form(plan_id, approver=kind("{{ 7*7 }}"))),
        ward.answer(run, **form(plan_id, decision="{{ 'approve' }}")),
        ward.answer(run, **form(plan_id, note={"__prefect_kind": "workspace_variable", "variable_name": "none"})),
        ward.answer(run, **form(plan_id, note={"__prefect_kind": "json", "value": '{"a": 1}'})),
    ]

    assert ["REJECT"] * 5 == [one["status"] for one in tried]
    assert "Suspended" == ward.served.run_of(run)["state"]["name"]
    unmoved(ward, before)


def test_a_ledger_whose_clock_was_set_back_takes_no_answer(
    desk: tuple[Ward, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker's clock stands before the plan: refused, and the page says that the clocks disagree."""
    ward, plan_id, run = desk
    ward.answer(run, **form(plan_id))
    with monkeypatch.context() as patch:
        patch.setattr(shared, "clock", lambda: utc_now() - timedelta(hours=2))
        refused(ward, plan_id, run, Refusal.CLOCK)


def test_after_all_of_these_the_right_answer_counts(desk: tuple[Ward, str, str]) -> None:
    """Two people press the button at once: the server takes one of them, and what was approved runs once."""
    ward, plan_id, run = desk
    path, body, token = f"/api/flow_runs/{run}/resume", {"run_input": form(plan_id)}, ward.served.token()
    with ThreadPoolExecutor(3) as crowd:
        pressed = lambda: ward.served.request("POST", path, body, token)  # noqa: E731
        told = list(crowd.map(lambda _: ward.served.patient(pressed)[2]["status"], range(3)))

    assert ["ABORT", "ABORT", "ACCEPT"] == sorted(told)
    assert "Completed" == ward.carry_on(run)
    assert MERGED == ward.statuses()
    assert 1 == len(ward.clinic.ledger.decisions.of_plan(plan_id))


def test_two_runs_that_ask_about_one_plan(ward: Ward) -> None:
    """Somebody starts a second run by hand, and both are answered: what was approved runs once, by one of them."""
    plan_id, first = asked(ward)
    deployment = ward.served.get(f"/deployments/name/treat/{ward.prefix}treat")["id"]
    second = ward.served.post(
        f"/deployments/{deployment}/create_flow_run", {"parameters": {"config": ward.config, "plan_id": plan_id}}
    )["id"]
    assert "Suspended" == ward.carry_on(second)
    ward.answer(first, **form(plan_id))
    ward.answer(second, **form(plan_id, "reject"))

    assert "Completed" == ward.carry_on(first)
    done = ward.version
    assert "Completed" == ward.carry_on(second), "it ends, and says nothing of its own"

    assert (MERGED, done) == (ward.statuses(), ward.version)
    assert ["approve"] == [d["verdict"] for d in ward.clinic.ledger.decisions.of_plan(plan_id)]


def test_a_run_that_is_tried_again_applies_nothing_twice(ward: Ward) -> None:
    """`prefect flow-run retry` of a completed run, its old answer put back: it completes, and writes no row."""
    plan_id, run = asked(ward)
    name = ward.round(plan_id, run)
    ward.answer(run, **form(plan_id))
    assert "Completed" == ward.carry_on(run)
    done = ward.version
    receipts = len(ward.clinic.ledger.intents.in_state(IntentState.APPLIED))

    ward.forge(run, name, json.dumps(form(plan_id, "reject")), "COMPLETED")
    tried = subprocess.run(
        [sys.executable, "-m", "prefect", "flow-run", "retry", run],
        env=ward.served.settings(),
        capture_output=True,
        text=True,
    )
    assert 0 == tried.returncode, tried.stderr[-2000:]
    assert "Completed" == ward.carry_on(run)

    assert (MERGED, done) == (ward.statuses(), ward.version)
    assert receipts == len(ward.clinic.ledger.intents.in_state(IntentState.APPLIED))
    assert ward.clinic.ledger.verify() > 0


def test_a_row_that_changed_since_is_refused_alone(ward: Ward) -> None:
    """Somebody wrote to a row of one group while the page waited: that merge is refused, the other one runs."""
    plan_id, run = asked(ward)
    lancedb.connect(str(ward.folder / "db")).open_table("memories").update(
        where="id = 'd2'", values={"content": "Prefers an aisle seat"}
    )

    ward.answer(run, **form(plan_id))
    assert "Completed" == ward.carry_on(run)

    assert AS_IT_WAS | {"a2": "archived"} == ward.statuses()
    outcomes = Counter(o["outcome"] for o in ward.clinic.ledger.plans.outcomes(plan_id).values())
    assert {"applied": 2, "stale": 1} == outcomes
    assert ward.clinic.ledger.verify() > 0


def test_an_answer_outlives_a_run_that_was_taken_for_crashed(ward: Ward) -> None:
    """Answered, then set to Crashed before a worker took it up, and tried again: the answer is not lost, and counts."""
    plan_id, run = asked(ward)
    ward.answer(run, **form(plan_id))
    ward.force(run, "CRASHED")
    ward.force(run, "SCHEDULED")

    assert "Completed" == ward.carry_on(run)
    assert MERGED == ward.statuses()


ROWS = {
    "a decision": (
        "INSERT INTO decision (id, plan_id, verdict, groups, steps, by, note, at, expires_at) "
        "VALUES ('d', :plan, 'approve', '[]', :steps, 'anna', '', :at, '2099-01-01')",
        "DELETE FROM decision",
    ),
    "an answer": (
        "INSERT INTO answer (round, plan_id, verdict, groups, by, outcome, given_at, at) "
        "VALUES ('r', :plan, 'approve', '[]', 'anna', 'stands', :at, :at)",
        "DELETE FROM answer",
    ),
    "an approver": (
        "INSERT INTO approver (id, name, secret, by, at) VALUES ('x', 'mallory', :secret, 'boss', :at)",
        "DELETE FROM approver",
    ),
}


def test_rows_written_into_the_ledger_by_hand_stop_run_and_heal(ward: Ward) -> None:
    """A forged decision, answer or approver: the run fails and says so, nothing runs; taken out, the answer counts."""
    plan_id, run = asked(ward)
    steps = [s.id for s in ward.clinic.ledger.plans.load(plan_id).steps()]
    values = {"plan": plan_id, "steps": json.dumps(steps), "at": utc_now().isoformat(), "secret": SECRET}
    before = ward.version
    ward.answer(run, **form(plan_id))

    for put, take_out in ROWS.values():
        with ward.clinic.ledger.transaction() as conn:
            conn.execute(sa.text(put), {k: v for k, v in values.items() if f":{k}" in put})
        assert "Failed" == ward.carry_on(run)
        said = ward.served.run_of(run)["state"]["message"]
        assert (AS_IT_WAS, before) == (ward.statuses(), ward.version)
        assert "LedgerCorrupt" in said
        with pytest.raises(LedgerCorrupt):
            treatment.apply(ward.clinic, plan_id)
        with ward.clinic.ledger.transaction() as conn:
            conn.execute(sa.text(take_out))
        ward.force(run, "SCHEDULED")

    assert "Completed" == ward.carry_on(run)
    assert MERGED == ward.statuses()
    assert ["李雷"] == [d["by"] for d in ward.clinic.ledger.decisions.of_plan(plan_id)]


def test_a_page_of_a_plan_made_again_is_over(server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan expired and was made again, the same to the last byte: an answer to the old page is refused by name.

    The next heal ends the old page and asks anew; the answer to that one counts.
    """
    ward = Ward(server, admit(tmp_path / "table", rows=[row for row in SICK if row[0] != "n1"]), "again-")
    with client_of(server), monkeypatch.context() as patch:
        ward.deploy()
        patch.setattr(shared, "clock", lambda: utc_now() - timedelta(hours=50))
        plan_id, old = asked(ward)
        patch.setattr(shared, "clock", lambda: utc_now() - timedelta(hours=25))
        again = shared.clinic(ward.config).plan().plan
        assert again is not None
        assert plan_id == again.id
        ward.answer(old, **form(plan_id))
        refused(ward, plan_id, old, Refusal.MADE_AGAIN)

        patch.undo()
        [new] = ward.heal()["asking"].values()
        state = ward.served.run_of(old)["state"]
        why = f"Plan {plan_id[:8]} was made again since this page was shown; another run asks."
        assert ("Cancelled", why) == (state["name"], state["message"])
        assert [] == ward.inputs(old)
        assert "Suspended" == ward.carry_on(new)
        ward.answer(new, **form(plan_id))
        assert "Completed" == ward.carry_on(new)

    assert {"a2", "d2"} == {name for name, status in ward.statuses().items() if status == "archived"}


OTHER_SECRET = base64.b32encode(b"of a new telephone..").decode()
KNOWN = {"topic": "general", "entities": ["user"], "scene": "daily"}
LOST = (
    ("m1", "绝对不要香菜", {"scope": None, "metadata": KNOWN | {"owner": "李伟"}}),
    ("m2", "Takes the tram to work", {"scope": None, "metadata": KNOWN | {"owner": "anna"}}),
    ("s1", "在奥斯陆的极星公司上班", {"scope": "李伟"}),
    ("s2", "Reads contracts on paper", {"scope": "anna"}),
)
"""Two rows without a scope whose owner is named: level 3."""


def test_level_3_needs_a_code_of_its_approver(server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No code, a used, a late, wrong ones, a locked name: refused with the reason. A right code of a new secret runs.

    The late one was given in time, and read eleven minutes later since the worker was down.
    """
    ward = Ward(server, admit(tmp_path / "table", rows=LOST), "three-")
    ward.clinic.ledger.approvers.enrol("李伟", SECRET, "boss")

    def at(seconds: float, secret: str = SECRET) -> str:
        return code_at(utc_now() + timedelta(seconds=seconds), secret)

    def tries(why: Refusal, decision: str = "approve", **more: Any) -> None:
        told = ward.answer(run, **form(plan_id, decision, approver="李伟", **more))
        assert "ACCEPT" == told["status"], told
        refused(ward, plan_id, run, why)

    with client_of(server):
        ward.deploy()
        plan_id, run = asked(ward)
        tries(Refusal.CODE_NEEDED)
        spent = at(-20)
        tries(Refusal.NO_GROUPS, "part", one_time_code=spent)
        tries(Refusal.CODE_USED, one_time_code=spent)
        with monkeypatch.context() as patch:
            patch.setattr(shared, "clock", lambda: utc_now() + timedelta(minutes=11))
            tries(Refusal.TOO_LATE, one_time_code=at(20))
        for minutes in range(5, 10):
            tries(Refusal.CODE_WRONG, one_time_code=at(60 * minutes))
        tries(Refusal.LOCKED, one_time_code=at(20))

        ward.clinic.ledger.approvers.revoke("李伟", "boss")
        ward.clinic.ledger.approvers.enrol("李伟", OTHER_SECRET, "boss")
        ward.answer(run, **form(plan_id, approver="李伟", one_time_code=at(0, OTHER_SECRET)))
        assert "Completed" == ward.carry_on(run)

    scopes = lancedb.connect(str(ward.folder / "db")).open_table("memories").to_arrow()
    assert {"m1": "李伟", "m2": "anna", "s1": "李伟", "s2": "anna"} == dict(
        zip(*(scopes[c].to_pylist() for c in ("id", "scope")), strict=True)
    )
    assert ward.clinic.ledger.verify() > 0


class Trap:
    """What a pickle of it does when it is read: it leaves a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def test_a_crafted_result_is_not_executed(ward: Ward, tmp_path: Path) -> None:
    """A pickle lies where Prefect keeps results, the states of all runs point at it: heal and treat never read it."""
    plan_id, _ = asked(ward)
    storage, mark = ward.served.home / "storage", tmp_path / "executed"
    blob = base64.b64encode(pickle.dumps(Trap(mark))).decode()
    serializer = {"type": "pickle", "picklelib": "cloudpickle", "picklelib_version": None}
    about = {"storage_key": str(storage / "crafted"), "expiration": None, "serializer": serializer}
    storage.mkdir(exist_ok=True)
    (storage / "crafted").write_text(json.dumps({"metadata": about | {"prefect_version": "3.9.1"}, "result": blob}))
    data = {"type": "ResultRecordMetadata", **about}
    former = [one["id"] for one in ward.asking()]
    tasks = ward.served.post("/task_runs/filter", {"flow_runs": {"id": {"any_": former}}})
    for kind, ids in (("flow_runs", former), ("task_runs", [one["id"] for one in tasks])):
        for one in ids:
            completed = {"state": {"type": "COMPLETED", "data": data}, "force": True}
            ward.served.post(f"/{kind}/{one}/set_state", completed)

    [again] = ward.heal()["asking"].values()
    assert "Suspended" == ward.carry_on(again)
    ward.answer(again, **form(plan_id))
    assert "Completed" == ward.carry_on(again)
    unread = not mark.exists()
    pickle.loads(base64.b64decode(blob))  # noqa: S301

    assert mark.exists(), "it does what it says once it is read"
    assert unread
    assert MERGED == ward.statuses()
