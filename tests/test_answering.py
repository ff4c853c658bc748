"""Answers on real tables with a real ledger: what stands runs, what does not leaves every row as it was.

Each refusal is followed by `apply`, and the table's version must be what it was: the ledger is the authority, whatever
the server, a page, or somebody with a copy of a request says.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest
import sqlalchemy as sa

from mendory import deciding, treatment
from mendory.asking.answer import Answer, Refusal, round_of
from mendory.clinic import Clinic
from mendory.deciding import Answered
from mendory.errors import InputInvalid, LedgerCorrupt, PlanClosed, PlanNotFound
from mendory.ledger import Ledger, schema
from mendory.ledger.plans import PlanState
from mendory.plan.model import Plan
from tests.answer_kit import SECRET, SICK, code_at, given, raised
from tests.conftest import NOON, FakeClock, make_config, make_table

pytestmark = pytest.mark.lance

Desk = tuple[Clinic, Plan]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table and a ledger with an open plan at noon, copied by each test: making them takes half a second."""
    folder = tmp_path_factory.mktemp("furnished")
    make_table(folder, SICK)
    clinic = Clinic(make_config(folder), FakeClock())
    planned = clinic.plan().plan
    assert planned is not None
    clinic.ledger.approvers.enrol("eve", SECRET, "boss")
    raised(clinic, planned)
    clinic.ledger.close()
    return folder


@pytest.fixture
def desk(furnished: Path, tmp_path: Path, clock: FakeClock) -> Desk:
    """A clinic where ann may answer for level 2 and eve is enrolled, and a plan that waits: G1 of level 1, G2 of 3.

    Level 1 waits since there are no limits; the two merges are lifted to level 3.
    """
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True)
    clinic = Clinic(make_config(tmp_path, approval={"approvers": ["ann", "李伟"]}), clock)
    [open_plan] = [p["id"] for p in clinic.ledger.plans.all() if p["state"] == "open"]
    plan = clinic.ledger.plans.load(open_plan)
    clock.move(minutes=1)
    assert [1, 3] == [int(g.level) for g in plan.groups]
    return clinic, plan


def statuses(clinic: Clinic) -> dict[str, str]:
    """Row id → status, as anybody reads it."""
    rows = lancedb.connect(clinic.config.table_uri).open_table("memories").to_arrow().to_pylist()
    return {row["id"]: row["status"] for row in rows}


def nothing_runs(clinic: Clinic, plan: Plan) -> None:
    """Apply after a refusal: the table is at the version it was, to the row."""
    before = clinic.writer.latest(), statuses(clinic)
    if clinic.ledger.plans.state(plan.id) is PlanState.OPEN:
        treated = treatment.apply(clinic, plan.id)
        assert [] == [r for r in treated.results if r.outcome.value == "applied"]
    else:
        with pytest.raises(PlanClosed):
            treatment.apply(clinic, plan.id)
    assert before == (clinic.writer.latest(), statuses(clinic))


def refused(clinic: Clinic, plan: Plan, answer: Answer, why: Refusal) -> Answered:
    """The answer is refused for this reason, leaves its record and nothing else, and nothing runs."""
    with clinic.ledger.reading() as conn:
        tables = (schema.decision, schema.dismissal, schema.decision_use)
        before = [conn.execute(sa.select(sa.func.count()).select_from(t)).scalar() for t in tables]
        outcomes = clinic.ledger.plans.outcomes(plan.id)
    done = deciding.answer(clinic, plan.id, answer)
    assert (False, why, ()) == (done.stands, done.why, done.steps)
    with clinic.ledger.reading() as conn:
        assert before == [conn.execute(sa.select(sa.func.count()).select_from(t)).scalar() for t in tables]
    assert outcomes == clinic.ledger.plans.outcomes(plan.id)
    held = clinic.ledger.answers.get(answer.round)
    assert held is not None
    assert (why.value, "") == (held.outcome, held.note)
    clinic.ledger.verify()
    nothing_runs(clinic, plan)
    return done


def at_eve(plan: Plan, clock: FakeClock, verdict: str = "approve", number: int = 1, **fields: Any) -> Answer:
    """Eve's answer now, with what her telephone shows."""
    now = clock.now
    return given(plan, verdict, number, **{"by": "eve", "given_at": now, "one_time_code": code_at(now), **fields})


# --- what stands ----------------------------------------------------------------------------------


def test_an_approval_with_a_code_runs_level_3(desk: Desk, clock: FakeClock) -> None:
    """Everything that waits runs by her word, which stands in the chain; the table is healed."""
    clinic, plan = desk

    done = deciding.answer(clinic, plan.id, at_eve(plan, clock, note="看过了 looked at it"))
    treated = treatment.apply(clinic, plan.id)

    assert (True, None, False) == (done.stands, done.why, done.replayed)
    assert {s.id for s in plan.steps()} == set(done.steps)
    assert {"applied": 3} == treated.outcomes()
    assert ("active", "archived", "archived") == tuple(statuses(clinic)[i] for i in ("s1", "d2", "e2"))
    [decision] = clinic.ledger.decisions.of_plan(plan.id)
    assert ("eve", "approve", "看过了 looked at it") == (decision["by"], decision["verdict"], decision["note"])
    assert PlanState.DONE == treated.state
    clinic.ledger.verify()


@pytest.mark.parametrize("name", ["ann", "李伟"])
def test_a_part_runs_alone_and_the_rest_waits(desk: Desk, name: str) -> None:
    """A configured name lets level 1 and 2 run; level 3 waits on."""
    clinic, plan = desk

    done = deciding.answer(clinic, plan.id, given(plan, "part", groups=("G1 · 规范状态 · 1 行",), by=name))
    treated = treatment.apply(clinic, plan.id)

    assert sorted(s.id for s in plan.groups[0].steps) == list(done.steps)
    assert {"applied": 1, "waits": 2} == treated.outcomes()
    assert ("active", "active", "active") == tuple(statuses(clinic)[i] for i in ("s1", "d2", "e2"))


def test_a_rejection_ends_the_plan_and_dismisses(desk: Desk) -> None:
    """What is rejected is not proposed again, the plan is over, no row changed."""
    clinic, plan = desk
    before = statuses(clinic)

    done = deciding.answer(clinic, plan.id, given(plan, "reject", note="都对，勿动"))

    assert done.stands
    assert PlanState.REJECTED == clinic.ledger.plans.state(plan.id)
    assert {s.finding_id for s in plan.steps()} <= set(clinic.ledger.findings.dismissed())
    nothing_runs(clinic, plan)
    assert clinic.plan().plan is None
    assert before == statuses(clinic)


def test_a_rejected_group_leaves_the_others_waiting(desk: Desk, clock: FakeClock) -> None:
    """One group is rejected in the first round, the other approved in the second."""
    clinic, plan = desk

    deciding.answer(clinic, plan.id, given(plan, "reject", groups=("G1",)))
    done = deciding.answer(clinic, plan.id, at_eve(plan, clock, number=2))
    treated = treatment.apply(clinic, plan.id)

    assert sorted(s.id for s in plan.groups[1].steps) == list(done.steps)
    assert {"applied": 2} == treated.outcomes()
    assert "ACTIVE" == statuses(clinic)["s1"]


def test_later_leaves_its_record_and_nothing_else(desk: Desk) -> None:
    """Later is an answer that stands, with its note, and decides nothing."""
    clinic, plan = desk

    done = deciding.answer(clinic, plan.id, given(plan, "later", note="先问李伟"))

    assert (True, "later", ()) == (done.stands, done.verdict, done.steps)
    [held] = clinic.ledger.answers.of_plan(plan.id, plan.made_at)
    assert ("later", "ann", "先问李伟", True) == (held.verdict, held.by, held.note, held.stands)
    assert [] == clinic.ledger.decisions.of_plan(plan.id)
    nothing_runs(clinic, plan)


def test_a_row_changed_since_the_plan_refuses_its_step_alone(desk: Desk, clock: FakeClock) -> None:
    """Between plan and approval another program rewrites one row: that merge is stale, the others run."""
    clinic, plan = desk
    table = lancedb.connect(clinic.config.table_uri).open_table("memories")
    table.update(where="id = 'd2'", values={"content": "可以吃香菜"})

    deciding.answer(clinic, plan.id, at_eve(plan, clock))
    treated = treatment.apply(clinic, plan.id)

    assert {"applied": 2, "stale": 1} == treated.outcomes()
    assert ("active", "active", "archived") == tuple(statuses(clinic)[i] for i in ("s1", "d2", "e2"))


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("why", "fields"),
    [
        (Refusal.UNKNOWN_VERDICT, {"verdict": "APPROVE"}),
        (Refusal.WRONG_PLAN, {"plan_code": "0badc0de"}),
        (Refusal.MADE_AGAIN, {"round": "approval-1"}),
        (Refusal.CLOCK, {"given_at": NOON + timedelta(hours=1)}),
        (Refusal.ANONYMOUS, {"by": " "}),
        (Refusal.UNKNOWN_APPROVER, {"by": "mallory"}),
        (Refusal.UNKNOWN_APPROVER, {"by": "路人甲"}),
        (Refusal.UNKNOWN_APPROVER, {"by": "ann\x00\ud800\u202e" * 40}),
        (Refusal.UNKNOWN_APPROVER, {"by": '{"__prefect_kind": "jinja", "template": "ann"}'}),
        (Refusal.NOTE_UNFIT, {"note": "批准 {{ 7 * 7 }}"}),
        (Refusal.NOTE_UNFIT, {"note": "x" * 501}),
        (Refusal.NOT_ENROLLED, {"one_time_code": "123456"}),
        (Refusal.NO_GROUPS, {"verdict": "part"}),
        (Refusal.NOT_ALL, {"groups": ("G1",)}),
        (Refusal.UNKNOWN_GROUP, {"groups": ("G1", "G2", "*")}),
        (Refusal.CODE_NEEDED, {}),
        (Refusal.CODE_NEEDED, {"by": "eve"}),
        (Refusal.CODE_WRONG, {"by": "eve", "one_time_code": "abcdef"}),
    ],
)
def test_a_refused_answer_changes_nothing_but_its_record(desk: Desk, why: Refusal, fields: dict[str, Any]) -> None:
    """Whatever is wrong with it: no decision, no outcome, no dismissal, and apply changes no row."""
    clinic, plan = desk

    refused(clinic, plan, given(plan, **fields), why)


def test_nothing_waits_once_it_was_applied(desk: Desk, clock: FakeClock) -> None:
    """A group that ran can't be approved again."""
    clinic, plan = desk
    deciding.answer(clinic, plan.id, given(plan, "part", groups=("G1",)))
    treatment.apply(clinic, plan.id)

    refused(clinic, plan, given(plan, "part", 2, groups=("G1",)), Refusal.NOTHING_WAITS)


def test_a_plan_that_ended_takes_no_answer(desk: Desk, clock: FakeClock) -> None:
    """After the window the plan is expired; the answer is recorded as refused, and its code is spent."""
    clinic, plan = desk
    clock.move(hours=25)
    step = int(clock.now.timestamp()) // 30

    refused(clinic, plan, at_eve(plan, clock), Refusal.PLAN_ENDED)
    assert step == clinic.ledger.approvers.last_step(clinic.ledger.approvers.live()["eve"])


def test_a_plan_nobody_made_is_a_named_error(desk: Desk) -> None:
    """There is no such plan; nothing is recorded."""
    clinic, plan = desk

    with pytest.raises(PlanNotFound):
        deciding.answer(clinic, "f" * 64, given(plan))


# --- replayed, doubled, late ----------------------------------------------------------------------


def test_a_round_is_answered_once(desk: Desk, clock: FakeClock) -> None:
    """The same round read again says what became of it, and changes nothing, even when it says something else."""
    clinic, plan = desk
    first = deciding.answer(clinic, plan.id, at_eve(plan, clock))
    treatment.apply(clinic, plan.id)
    version = clinic.writer.latest()

    for other in (at_eve(plan, clock), given(plan, "reject"), given(plan, by="mallory")):
        again = deciding.answer(clinic, plan.id, other)
        assert (True, "approve", first.steps, True) == (again.stands, again.verdict, again.steps, again.replayed)
    assert 1 == len(clinic.ledger.decisions.of_plan(plan.id))
    assert version == clinic.writer.latest()


def test_a_refused_round_stays_refused(desk: Desk, clock: FakeClock) -> None:
    """A round that was refused can't be mended by answering it again: there is a next one."""
    clinic, plan = desk
    refused(clinic, plan, given(plan), Refusal.CODE_NEEDED)

    again = deciding.answer(clinic, plan.id, at_eve(plan, clock))

    assert (False, Refusal.CODE_NEEDED, True) == (again.stands, again.why, again.replayed)
    nothing_runs(clinic, plan)
    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, number=2)).stands


def test_a_code_counts_once(desk: Desk, clock: FakeClock) -> None:
    """The code of an answer that stood is worth nothing in the next round, nor is an older one."""
    clinic, plan = desk
    clock.move(minutes=5)
    spent = at_eve(plan, clock, "part", groups=("G1",))
    assert deciding.answer(clinic, plan.id, spent).stands

    nothing = deciding.answer(clinic, plan.id, at_eve(plan, clock, number=2, one_time_code=spent.one_time_code))
    assert Refusal.CODE_USED == nothing.why
    older = code_at(clock.now - timedelta(seconds=30))
    assert Refusal.CODE_USED == deciding.answer(clinic, plan.id, at_eve(plan, clock, number=3, one_time_code=older)).why
    treatment.apply(clinic, plan.id)
    nothing_runs(clinic, plan)
    clock.move(seconds=60)
    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, number=4)).stands


def test_the_code_of_a_refused_answer_is_spent(desk: Desk, clock: FakeClock) -> None:
    """An answer with a right code and a wrong group lies readable on the server: its code is worth nothing any more."""
    clinic, plan = desk
    refused(clinic, plan, at_eve(plan, clock, groups=("G9",)), Refusal.UNKNOWN_GROUP)

    refused(clinic, plan, at_eve(plan, clock, number=2), Refusal.CODE_USED)


def test_a_code_is_worth_nothing_for_another_plan(desk: Desk, clock: FakeClock) -> None:
    """A code seen in the answer about one plan does not approve another."""
    made, plan = desk
    deciding.answer(made, plan.id, at_eve(plan, clock, "later"))
    deciding.reject(made, plan.id, ["G1"], "ann", "")
    lower = Plan(plan.groups[1:], plan.base_version, clock.now, plan.expires_at, plan.columns)
    made.ledger.plans.save(lower, made.ledger.plans.context(plan.id))
    assert lower.id != plan.id

    refused(made, lower, at_eve(lower, clock), Refusal.CODE_USED)


def test_an_answer_read_too_late_is_refused_and_said_so(desk: Desk, clock: FakeClock) -> None:
    """The worker was down for eleven minutes: the code is not looked at, the next round takes a fresh one."""
    clinic, plan = desk
    answer = at_eve(plan, clock)
    clock.move(minutes=11)

    refused(clinic, plan, answer, Refusal.TOO_LATE)
    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, number=2)).stands


def test_the_code_is_held_against_the_time_of_the_answer(desk: Desk, clock: FakeClock) -> None:
    """Read nine minutes later it still counts; a code of the time of reading does not fit the time of the answer."""
    clinic, plan = desk
    answered = clock.now
    clock.move(minutes=9)

    refused(clinic, plan, at_eve(plan, clock, given_at=answered), Refusal.CODE_WRONG)
    late = at_eve(plan, clock, number=2, given_at=answered, one_time_code=code_at(answered))
    assert deciding.answer(clinic, plan.id, late).stands


def test_a_ledger_clock_set_back_refuses(desk: Desk, clock: FakeClock) -> None:
    """Before the plan was made no approval would count, so none is taken."""
    clinic, plan = desk
    clock.move(days=-1)

    refused(clinic, plan, at_eve(plan, clock), Refusal.CLOCK)


def test_clocks_set_back_do_not_revive_a_code(desk: Desk, clock: FakeClock) -> None:
    """Both clocks go back to a moment whose code was seen and never used: a newer one was, so it counts for nothing."""
    clinic, plan = desk
    seen = clock.now
    clock.move(minutes=5)
    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, "later")).stands
    clock.now = seen

    refused(clinic, plan, at_eve(plan, clock, number=2), Refusal.CODE_USED)


def test_a_plan_made_again_needs_new_answers(desk: Desk, clock: FakeClock) -> None:
    """It expired and was made again: the approval of before counts for nothing, nor does an answer of its old page."""
    clinic, plan = desk
    assert deciding.answer(clinic, plan.id, at_eve(plan, clock)).stands
    clock.move(hours=25)
    again = Plan(plan.groups, plan.base_version, clock.now, clock.now + timedelta(hours=24), plan.columns)
    assert PlanState.EXPIRED == clinic.ledger.plans.state(plan.id)
    assert clinic.ledger.plans.save(again, clinic.ledger.plans.context(plan.id))
    assert again.id == plan.id

    nothing_runs(clinic, again)
    refused(clinic, again, at_eve(again, clock, round=round_of(plan, 2)), Refusal.MADE_AGAIN)
    clock.move(minutes=1)
    done = deciding.answer(clinic, again.id, at_eve(again, clock, round=round_of(again, 1)))
    assert (True, False) == (done.stands, done.replayed)


# --- guessing -------------------------------------------------------------------------------------


def test_five_wrong_codes_lock_for_an_hour(desk: Desk, clock: FakeClock) -> None:
    """The sixth is not looked at though it is right; the lock says until when, and ends then."""
    clinic, plan = desk
    first = clock.now
    for number in range(1, 6):
        assert (
            Refusal.CODE_WRONG
            == deciding.answer(clinic, plan.id, at_eve(plan, clock, "later", number, one_time_code="x")).why
        )
        clock.move(minutes=1)

    done = refused(clinic, plan, at_eve(plan, clock, number=6), Refusal.LOCKED)

    assert done.until is not None
    assert abs(done.until - (first + timedelta(hours=1))) < timedelta(seconds=1)
    assert deciding.answer(clinic, plan.id, given(plan, "part", 7, groups=("G1",), by="eve")).stands
    clock.now = done.until + timedelta(seconds=1)
    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, number=8)).stands


def test_a_new_secret_ends_a_lock(desk: Desk, clock: FakeClock) -> None:
    """Wrong codes of the old secret count against nobody once there is a new one."""
    clinic, plan = desk
    for number in range(1, 6):
        deciding.answer(clinic, plan.id, at_eve(plan, clock, "later", number, one_time_code="x"))
    refused(clinic, plan, at_eve(plan, clock, number=6), Refusal.LOCKED)
    clock.move(seconds=90)
    clinic.ledger.approvers.revoke("eve", "boss")
    clinic.ledger.approvers.enrol("eve", SECRET, "boss")

    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, number=7)).stands


def test_wrong_codes_of_others_lock_nobody_else(desk: Desk, clock: FakeClock) -> None:
    """Codes by names that are not enrolled, or wrong in other ways, count against nobody."""
    clinic, plan = desk
    for number in range(1, 10):
        deciding.answer(clinic, plan.id, given(plan, "approve", number, one_time_code="000000"))
        deciding.answer(clinic, plan.id, at_eve(plan, clock, "approve", 20 + number, plan_code="", one_time_code="x"))

    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, number=40)).stands


# --- approvers ------------------------------------------------------------------------------------


def test_a_revoked_approver_answers_no_more(desk: Desk, clock: FakeClock) -> None:
    """Neither with a code nor without."""
    clinic, plan = desk
    clinic.ledger.approvers.revoke("eve", "boss")

    refused(clinic, plan, at_eve(plan, clock), Refusal.UNKNOWN_APPROVER)
    refused(clinic, plan, at_eve(plan, clock, number=2, one_time_code=""), Refusal.UNKNOWN_APPROVER)


def test_a_new_secret_makes_the_old_one_worthless(desk: Desk, clock: FakeClock) -> None:
    """Revoked and enrolled again, only codes of the new secret count."""
    clinic, plan = desk
    clinic.ledger.approvers.revoke("eve", "boss")
    other = SECRET[::-1]
    clinic.ledger.approvers.enrol("eve", other, "boss")

    refused(clinic, plan, at_eve(plan, clock), Refusal.CODE_WRONG)
    assert deciding.answer(
        clinic, plan.id, at_eve(plan, clock, number=2, one_time_code=code_at(clock.now, other))
    ).stands


def test_a_live_name_is_enrolled_once(desk: Desk) -> None:
    """A second enrolment of a live name, and the revocation of nobody, are refused and leave no link."""
    clinic, _ = desk
    links = clinic.ledger.verify()

    with pytest.raises(InputInvalid, match="enrolled already"):
        clinic.ledger.approvers.enrol("eve", SECRET, "mallory")
    with pytest.raises(InputInvalid, match="Nobody is enrolled"):
        clinic.ledger.approvers.revoke("mallory", "boss")

    assert links == clinic.ledger.verify()


# --- forged ---------------------------------------------------------------------------------------

_AT = "2025-03-01T12:00:30+00:00"
FORGERIES = {
    "an approver": ("INSERT INTO approver (id, name, secret, by, at) VALUES ('x', 'mallory', :secret, 'boss', :at)",),
    "an approver revoked again": (
        "INSERT INTO approver (id, name, secret, by, at, revoked_at) VALUES ('x', 'mallory', :secret, 'b', :at, :at)",
    ),
    "another secret": ("UPDATE approver SET secret = 'AAAA' WHERE name = 'eve'",),
    "another name": ("UPDATE approver SET name = 'mallory' WHERE name = 'eve'",),
    "a revocation": ("UPDATE approver SET revoked_at = :at WHERE name = 'eve'",),
    "no approver any more": ("DELETE FROM approver WHERE name = 'eve'",),
    "an answer": (
        "INSERT INTO answer (round, plan_id, verdict, groups, by, outcome, given_at, at) "
        "VALUES ('r', :plan, 'approve', '[]', 'eve', 'stands', :at, :at)",
    ),
    "a decision": (
        "INSERT INTO decision (id, plan_id, verdict, groups, steps, by, note, at, expires_at) "
        "VALUES ('d', :plan, 'approve', '[]', :steps, 'eve', '', :at, '2099-01-01')",
    ),
    "an answer with its decision": (
        "INSERT INTO decision (id, plan_id, verdict, groups, steps, by, note, at, expires_at) "
        "VALUES ('d', :plan, 'approve', '[]', :steps, 'eve', '', :at, '2099-01-01')",
        "INSERT INTO answer (round, plan_id, verdict, groups, by, outcome, decision_id, given_at, at) "
        "VALUES ('r', :plan, 'approve', '[]', 'eve', 'stands', 'd', :at, :at)",
    ),
    "a refused answer that stands": ("UPDATE answer SET outcome = 'stands' WHERE by = 'ann'",),
    "a used code": ("INSERT INTO code_use (approver_id, step, round) SELECT id, 1, 'r' FROM approver",),
    "a used code given back": ("DELETE FROM code_use",),
    "a wrong code forgotten": ("DELETE FROM answer WHERE outcome = 'code_wrong'",),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_somebody_wrote_into_the_ledger_stops_everything(desk: Desk, clock: FakeClock, forgery: str) -> None:
    """Whatever row is forged, neither an answer nor apply goes on: LedgerCorrupt, 0 rows changed, nothing recorded."""
    clinic, plan = desk
    assert Refusal.CODE_NEEDED == deciding.answer(clinic, plan.id, given(plan)).why
    assert deciding.answer(clinic, plan.id, at_eve(plan, clock, "later", 2)).stands
    wrong = at_eve(plan, clock, "later", 3, one_time_code="x")
    assert Refusal.CODE_WRONG == deciding.answer(clinic, plan.id, wrong).why
    clock.move(minutes=1)
    values = {"plan": plan.id, "steps": json.dumps([s.id for s in plan.steps()]), "at": _AT, "secret": SECRET}
    with clinic.ledger.transaction() as conn:
        conn.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        for statement in FORGERIES[forgery]:
            named = sa.text(statement)
            used = {k: v for k, v in values.items() if f":{k}" in statement}
            assert conn.execute(named, used).rowcount
        if "DELETE FROM approver" in FORGERIES[forgery][0]:
            conn.exec_driver_sql("DELETE FROM code_use")
    before = clinic.writer.latest(), statuses(clinic)

    with pytest.raises(LedgerCorrupt):
        clinic.ledger.verify()
    with pytest.raises(LedgerCorrupt):
        treatment.apply(clinic, plan.id)
    name = "mallory" if "mallory" in FORGERIES[forgery][0] else "eve"
    with pytest.raises(LedgerCorrupt):
        deciding.answer(clinic, plan.id, at_eve(plan, clock, number=4, by=name))

    assert clinic.ledger.answers.get(round_of(plan, 4)) is None
    assert before == (clinic.writer.latest(), statuses(clinic))


# --- what is kept ---------------------------------------------------------------------------------


def test_no_code_stands_in_any_record(desk: Desk, clock: FakeClock, tmp_path: Path) -> None:
    """Right, wrong, refused, in the field for the name: the ledger's bytes hold none of the codes typed."""
    clinic, plan = desk
    right, spent = at_eve(plan, clock, "later"), code_at(clock.now)
    wrong = "918273" if spent != "918273" else "918274"
    deciding.answer(clinic, plan.id, right)
    deciding.answer(clinic, plan.id, at_eve(plan, clock, number=2, one_time_code=wrong))
    clock.move(minutes=1)
    fresh = code_at(clock.now)
    deciding.answer(clinic, plan.id, given(plan, number=3, by=fresh))
    deciding.answer(clinic, plan.id, given(plan, fresh, number=4, groups=(fresh,)))
    deciding.answer(clinic, plan.id, at_eve(plan, clock, number=5, note=f"code {fresh[:3]} {fresh[3:]}"))

    with clinic.ledger.reading() as conn:
        rows = [
            json.dumps([str(v) for v in row], ensure_ascii=False)
            for t in (schema.answer, schema.decision, schema.dismissal, schema.plan_step)
            for row in conn.execute(sa.select(t))
        ]
    assert 5 == sum("approval-" in row for row in rows)
    texts = [" ".join(row.split(plan.id)) for row in rows]
    for code in (spent, wrong, fresh, f"{fresh[:3]} {fresh[3:]}"):
        assert [] == [t for t in texts if f'"{code}' in t or f" {code}" in t]


# --- several at once ------------------------------------------------------------------------------

_AT_ONCE = """
import sys, time
from datetime import datetime
from pathlib import Path
from mendory import deciding
from mendory.clinic import Clinic
from tests.answer_kit import code_at, given
from tests.conftest import make_config
folder, plan_id, number, start = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
clinic = Clinic(make_config(folder, approval={"approvers": ["ann"]}))
plan = clinic.ledger.plans.load(plan_id)
moment = datetime.fromtimestamp(start, plan.made_at.tzinfo)
while time.time() < start: time.sleep(0.001)
answer = given(plan, number=number, by="eve", given_at=moment, one_time_code=code_at(moment))
done = deciding.answer(clinic, plan_id, answer)
print(done.stands, done.why and done.why.value, done.replayed, len(done.steps))
"""


def _at_once(folder: Path, plan_id: str, numbers: tuple[int, ...]) -> list[str]:
    """What processes that answer these rounds at the same moment say."""
    start = str(time.time() + 6)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _AT_ONCE, str(folder), plan_id, str(n), start],
            cwd=Path(__file__).parents[1],
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in numbers
    ]
    said = [r.communicate(timeout=240)[0].strip() for r in runs]
    assert [0] * len(runs) == [r.returncode for r in runs]
    return sorted(said)


@pytest.fixture
def real(tmp_path: Path) -> tuple[Clinic, Plan]:
    """The same desk by the real clock, since several processes share it."""
    make_table(tmp_path, SICK)
    clinic = Clinic(make_config(tmp_path, approval={"approvers": ["ann"]}))
    planned = clinic.plan().plan
    assert planned is not None
    clinic.ledger.approvers.enrol("eve", SECRET, "boss")
    return clinic, raised(clinic, planned)


def test_one_round_answered_by_two_processes_at_once_counts_once(real: tuple[Clinic, Plan], tmp_path: Path) -> None:
    """One of them answers, the other is told what became of it; there is one decision, and the steps run once."""
    clinic, plan = real

    said = _at_once(tmp_path, plan.id, (1, 1))

    assert ["True None False 3", "True None True 3"] == said
    assert 1 == len(clinic.ledger.decisions.of_plan(plan.id))
    assert {"applied": 3} == treatment.apply(clinic, plan.id).outcomes()
    nothing_runs(clinic, plan)


def test_one_code_given_in_two_rounds_at_once_counts_once(real: tuple[Clinic, Plan], tmp_path: Path) -> None:
    """Of two rounds with one code, one stands and the other is refused, whoever comes first."""
    clinic, plan = real

    said = _at_once(tmp_path, plan.id, (1, 2))

    assert ["False code_used False 0", "True None False 3"] == said
    assert 1 == len(clinic.ledger.decisions.of_plan(plan.id))
    clinic.ledger.verify()


def test_what_another_process_recorded_first_is_seen_the_second_time(clock: FakeClock) -> None:
    """Where a key was taken meanwhile, nothing of the work stands and it is done again, once."""
    ledger, runs = Ledger.in_memory(clock), []

    def work(within: Ledger) -> int:
        within.approvers.enrol(f"ann{len(runs)}", SECRET, "boss")
        runs.append(len(within.approvers.all()))
        if len(runs) == 1:
            with within.transaction() as conn:
                conn.execute(schema.code_use.insert(), [{"approver_id": "x", "step": 1, "round": "r"}] * 2)
        return len(runs)

    assert 2 == ledger.once(work)
    assert [1, 1] == runs
    assert ["ann1"] == [a.name for a in ledger.approvers.all()]
    assert 1 == ledger.verify()


def test_work_that_fails_leaves_nothing(clock: FakeClock) -> None:
    """An error in the middle of one transaction takes everything of it back."""
    ledger = Ledger.in_memory(clock)

    def work(within: Ledger) -> None:
        within.approvers.enrol("ann", SECRET, "boss")
        raise InputInvalid("stop")

    with pytest.raises(InputInvalid):
        ledger.once(work)
    assert () == ledger.approvers.all()
    assert 0 == ledger.verify()
