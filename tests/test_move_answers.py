"""Answers about a move on a real table with a real ledger: what stands is a stage, what does not leaves all as it was.

The ledger is the authority, whatever the server, a page, or somebody with a copy of a request says.
"""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest
import sqlalchemy as sa

from mendory import deciding
from mendory.asking.answer import Answer, Refusal
from mendory.asking.move_answer import is_of_gate, move_round
from mendory.clinic import Clinic
from mendory.deciding import Answered
from mendory.errors import InputInvalid, LedgerCorrupt, MigrationRefused
from mendory.gated import answer, approve, held_gate, still_stands
from mendory.ledger import Ledger, schema
from mendory.ledger.move_answers import MoveAnswer
from mendory.ledger.moves import Move
from mendory.migration.gate import Gate
from mendory.migration.kept import gate_of
from mendory.migration.stages import Stage
from tests.answer_kit import SECRET, about_move, code_at, given, raised
from tests.conftest import NOON, FakeClock, make_config, on_both
from tests.moving_kit import a_gate, filling, on_its_way, rows_of

pytestmark = pytest.mark.lance

TEXTS = {f"m{n}": f"Likes tea number {n} in the evening" for n in range(10)} | {
    f"z{n}": f"晚上喜欢喝第{n}种茶" for n in range(10)
}
PEOPLE = {"approvers": ["ann", "李伟"]}
Desk = tuple[Clinic, Move, Gate]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled table whose gate passed at noon, eve enrolled; copied by each test."""
    folder = tmp_path_factory.mktemp("furnished")
    config, move = on_its_way(folder, [*rows_of(TEXTS), *rows_of({"d1": "不要香菜", "d2": "不要香菜"})])
    filling(config).run()
    clinic = Clinic(config, FakeClock())
    gate = a_gate(move, clinic.writer.latest())
    clinic.ledger.moves.to(move.id, Stage.GATING, "mendory", {"gate": gate.as_json()})
    clinic.ledger.approvers.enrol("eve", SECRET, "boss")
    clinic.ledger.close()
    return folder


@pytest.fixture
def desk(furnished: Path, tmp_path: Path, clock: FakeClock) -> Desk:
    """A clinic where ann and 李伟 may answer, eve with codes, a minute after the gate."""
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True)
    clinic = Clinic(make_config(tmp_path, approval=PEOPLE), clock)
    clock.move(minutes=1)
    move = clinic.ledger.moves.current()
    assert move is not None
    held = held_gate(move)
    assert held is not None
    return clinic, move, gate_of(held)


def at_eve(move: Move, gate: Gate, clock: FakeClock, verdict: str = "approve", number: int = 1, **more: Any) -> Answer:
    """Eve's answer now, with what her telephone shows."""
    now = clock.now
    said = {"by": "eve", "given_at": now, "one_time_code": code_at(now), **more}
    return about_move(move.id, gate.digest, verdict, number, **said)


def refused(desk: Desk, said: Answer, why: Refusal) -> Answered:
    """The answer is refused for this reason, leaves its record and nothing else, and no stage is passed."""
    clinic, move, _ = desk
    before = clinic.ledger.moves.all()
    done = answer(clinic, move.id, said)

    assert (False, why, False) == (done.stands, done.why, done.replayed)
    assert before == clinic.ledger.moves.all()
    held = clinic.ledger.move_answers.get(said.round)
    assert held is not None
    assert (why.value, "") == (held.outcome, held.note)
    clinic.ledger.verify()
    return done


# --- what stands ----------------------------------------------------------------------------------


def test_an_approval_with_a_code_stands(desk: Desk, clock: FakeClock) -> None:
    """The move is approved by her, on that gate; the note is with the answer, and all of it is in the chain."""
    clinic, move, gate = desk
    done = answer(clinic, move.id, at_eve(move, gate, clock, note="看过了 looked at it"))
    [now] = clinic.ledger.moves.all()

    assert (True, "approve", None) == (done.stands, done.verdict, done.why)
    assert (Stage.APPROVED, "eve", gate.digest) == (now.stage, now.passed[-1].by, now.passed[-1].told["gate"])
    assert still_stands(clinic, now) is None
    [held] = clinic.ledger.move_answers.of_move(move.id)
    assert ("approve", "eve", "看过了 looked at it", gate.digest) == (held.verdict, held.by, held.note, held.gate)
    clinic.ledger.verify()


@pytest.mark.parametrize("name", ["ann", "李伟"])
def test_whoever_may_answer_may_reject(desk: Desk, name: str) -> None:
    """No code is needed to say no: the gate stands no more, the move stays where it is."""
    clinic, move, gate = desk
    assert answer(clinic, move.id, about_move(move.id, gate.digest, "reject", by=name, note="中文变差")).stands
    [now] = clinic.ledger.moves.all()

    assert (Stage.GATING, None) == (now.stage, held_gate(now))
    assert {"rejected": gate.digest, "because": "中文变差"}.items() <= now.passed[-1].told.items()
    with pytest.raises(MigrationRefused):
        approve(clinic, gate.digest[:8], "ann")


def test_later_leaves_its_record_and_nothing_else(desk: Desk, clock: FakeClock) -> None:
    """An answer that stands and decides nothing; the next round may approve."""
    clinic, move, gate = desk
    assert answer(clinic, move.id, about_move(move.id, gate.digest, "later")).stands
    assert move == clinic.ledger.moves.current()
    assert answer(clinic, move.id, at_eve(move, gate, clock, number=2)).stands


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("why", "fields"),
    [
        (Refusal.UNKNOWN_VERDICT, {"verdict": "APPROVE"}),
        (Refusal.UNKNOWN_VERDICT, {"verdict": "part"}),
        (Refusal.WRONG_PLAN, {"plan_code": "0badc0de"}),
        (Refusal.WRONG_PLAN, {"plan_code": ""}),
        (Refusal.MADE_AGAIN, {"round": "move-1"}),
        (Refusal.MADE_AGAIN, {"round": move_round("f" * 32, "0" * 64, 1)}),
        (Refusal.CLOCK, {"given_at": NOON + timedelta(hours=1)}),
        (Refusal.CLOCK, {"given_at": NOON - timedelta(hours=1)}),
        (Refusal.ANONYMOUS, {"by": " "}),
        (Refusal.UNKNOWN_APPROVER, {"by": "mallory"}),
        (Refusal.UNKNOWN_APPROVER, {"by": "路人甲"}),
        (Refusal.UNKNOWN_APPROVER, {"by": "ann\x00\ud800\u202e" * 40}),
        (Refusal.UNKNOWN_APPROVER, {"by": '{"__prefect_kind": "jinja", "template": "ann"}'}),
        (Refusal.NOTE_UNFIT, {"note": "批准 {{ 7 * 7 }}"}),
        (Refusal.NOTE_UNFIT, {"note": "x" * 501}),
        (Refusal.NOT_ENROLLED, {"one_time_code": "123456"}),
        (Refusal.UNKNOWN_GROUP, {"groups": ("G1",)}),
        (Refusal.CODE_NEEDED, {}),
        (Refusal.CODE_NEEDED, {"by": "李伟"}),
        (Refusal.CODE_NEEDED, {"by": "eve"}),
        (Refusal.CODE_WRONG, {"by": "eve", "one_time_code": "abcdef"}),
        (Refusal.CODE_WRONG, {"by": "eve", "verdict": "reject", "one_time_code": "abcdef"}),
    ],
)
def test_a_forged_answer_changes_nothing_but_its_record(desk: Desk, why: Refusal, fields: dict[str, Any]) -> None:
    """Whatever is wrong with it: no stage is passed, no gate loses its standing."""
    _, move, gate = desk
    refused(desk, about_move(move.id, gate.digest, **fields), why)


def test_a_note_that_holds_the_code_is_refused(desk: Desk, clock: FakeClock) -> None:
    """A code typed into the wrong field as well would lie readable in the ledger."""
    _, move, gate = desk
    refused(desk, at_eve(move, gate, clock, note=f"code {code_at(clock.now)}"), Refusal.NOTE_UNFIT)


def test_a_round_of_a_plan_is_none_of_a_move(desk: Desk, clock: FakeClock) -> None:
    """Its name alone says so: nothing is recorded, and no code taken."""
    clinic, move, gate = desk
    with pytest.raises(InputInvalid, match="no round about a move"):
        answer(clinic, move.id, at_eve(move, gate, clock, round="approval-1a2b3c4d-1-1"))

    assert [] == clinic.ledger.move_answers.of_move(move.id)
    assert answer(clinic, move.id, at_eve(move, gate, clock)).stands


def test_a_move_nobody_began_is_a_named_error(desk: Desk, clock: FakeClock) -> None:
    """There is no such move; nothing is recorded."""
    clinic, move, gate = desk
    with pytest.raises(MigrationRefused, match="no move"):
        answer(clinic, "f" * 32, at_eve(move, gate, clock))


def test_an_answer_on_the_gate_before_is_refused(desk: Desk, clock: FakeClock) -> None:
    """The gate was examined again after the page was shown: whichever code is typed, that round is of another gate."""
    clinic, move, gate = desk
    stale = at_eve(move, gate, clock)
    again = a_gate(move, gate.version, seed=2)
    clinic.ledger.moves.note(move.id, "mendory", {"gate": again.as_json()})
    refused(desk, stale, Refusal.WRONG_PLAN)
    clock.move(minutes=1)
    retyped = at_eve(move, gate, clock, plan_code=again.digest[:8], number=2)
    refused(desk, retyped, Refusal.MADE_AGAIN)
    clock.move(minutes=1)

    assert answer(clinic, move.id, at_eve(move, again, clock)).stands


@pytest.mark.parametrize(
    ("stage", "told"),
    [
        (Stage.ROLLED_BACK, {}),
        (Stage.FILLING, {}),
        (Stage.APPROVED, {"gate": "x"}),
        (None, {"rejected": "x"}),
    ],
    ids=["taken back", "filled anew", "approved already", "rejected"],
)
def test_what_waits_no_more_takes_no_answer(
    desk: Desk, clock: FakeClock, stage: Stage | None, told: dict[str, Any]
) -> None:
    """A move that is past its gate, or whose gate stands no more; the answer is recorded, and its code is spent."""
    clinic, move, gate = desk
    moves = clinic.ledger.moves
    moves.note(move.id, "ann", told) if stage is None else moves.to(move.id, stage, "ann", told)
    refused(desk, at_eve(move, gate, clock), Refusal.PLAN_ENDED)

    eve = clinic.ledger.approvers.live()["eve"]
    assert int(clock.now.timestamp()) // 30 == clinic.ledger.approvers.last_step(eve)


@pytest.mark.parametrize("text", ["Likes coffee", "喜欢咖啡"], ids=["en", "zh"])
def test_rows_changed_beyond_the_share_take_no_approval_but_a_rejection(
    desk: Desk, clock: FakeClock, text: str
) -> None:
    """One row of 22 is within .05, a second one above it: yes counts no more, no does."""
    clinic, move, gate = desk
    table = lancedb.connect(clinic.config.table_uri).open_table("memories")
    table.update(where="id = 'm0'", values={"content": text})
    assert answer(clinic, move.id, at_eve(move, gate, clock, "later")).stands
    table.update(where="id = 'm1'", values={"content": text + "!"})
    clock.move(minutes=1)
    refused(desk, at_eve(move, gate, clock, number=2), Refusal.ROWS_CHANGED)

    assert answer(clinic, move.id, about_move(move.id, gate.digest, "reject", 3)).stands


# --- replayed, doubled, late ----------------------------------------------------------------------


def test_a_round_is_answered_once(desk: Desk, clock: FakeClock) -> None:
    """The same round read again says what became of it, and changes nothing, even when it says something else."""
    clinic, move, gate = desk
    assert answer(clinic, move.id, at_eve(move, gate, clock)).stands
    before = clinic.ledger.moves.all()
    for other in (at_eve(move, gate, clock), about_move(move.id, gate.digest, "reject")):
        again = answer(clinic, move.id, other)
        assert (True, "approve", True) == (again.stands, again.verdict, again.replayed)

    assert before == clinic.ledger.moves.all()
    assert 1 == len(clinic.ledger.move_answers.of_move(move.id))


def test_a_refused_round_stays_refused(desk: Desk, clock: FakeClock) -> None:
    """It can't be mended by answering it again: there is a next one."""
    clinic, move, gate = desk
    refused(desk, about_move(move.id, gate.digest), Refusal.CODE_NEEDED)
    again = answer(clinic, move.id, at_eve(move, gate, clock))

    assert (False, Refusal.CODE_NEEDED, True) == (again.stands, again.why, again.replayed)
    assert answer(clinic, move.id, at_eve(move, gate, clock, number=2)).stands


def test_a_code_used_on_a_plan_is_worth_nothing_on_a_move(desk: Desk, clock: FakeClock) -> None:
    """One telephone, one code, one answer: whichever of the two is read first."""
    clinic, move, gate = desk
    planned = clinic.plan().plan
    assert planned is not None
    plan = raised(clinic, planned)
    clock.move(minutes=1)
    code = code_at(clock.now)
    of_plan = given(plan, "later", by="eve", given_at=clock.now, one_time_code=code)
    assert deciding.answer(clinic, plan.id, of_plan).stands

    refused(desk, at_eve(move, gate, clock, one_time_code=code), Refusal.CODE_USED)


def test_a_code_used_on_a_move_is_worth_nothing_on_a_plan(desk: Desk, clock: FakeClock) -> None:
    """The other way about."""
    clinic, move, gate = desk
    planned = clinic.plan().plan
    assert planned is not None
    plan = raised(clinic, planned)
    clock.move(minutes=1)
    code = code_at(clock.now)
    assert answer(clinic, move.id, at_eve(move, gate, clock, one_time_code=code)).stands
    of_plan = given(plan, by="eve", given_at=clock.now, one_time_code=code)
    done = deciding.answer(clinic, plan.id, of_plan)

    assert (False, Refusal.CODE_USED) == (done.stands, done.why)
    clinic.ledger.verify()


def test_five_wrong_codes_on_plans_and_moves_together_lock_the_name(desk: Desk, clock: FakeClock) -> None:
    """Three about a plan and two about the move: the right code is not looked at for an hour, then it is."""
    clinic, move, gate = desk
    planned = clinic.plan().plan
    assert planned is not None
    plan = raised(clinic, planned)
    for number in range(1, 4):
        wrong = given(plan, number=number, by="eve", given_at=clock.now, one_time_code="abcdef")
        assert Refusal.CODE_WRONG == deciding.answer(clinic, plan.id, wrong).why
    for number in range(1, 3):
        refused(desk, at_eve(move, gate, clock, number=number, one_time_code="abcdef"), Refusal.CODE_WRONG)
    done = refused(desk, at_eve(move, gate, clock, number=3), Refusal.LOCKED)
    assert done.until is not None
    clock.move(minutes=61)

    assert answer(clinic, move.id, at_eve(move, gate, clock, number=4)).stands


def test_an_answer_read_too_late_is_refused(desk: Desk, clock: FakeClock) -> None:
    """The worker was down for eleven minutes: its code is not looked at."""
    _, move, gate = desk
    late = at_eve(move, gate, clock)
    clock.move(minutes=11)
    refused(desk, late, Refusal.TOO_LATE)


# --- the ledger -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE move_answer SET verdict = 'approve'",
        "DELETE FROM move_answer",
        "INSERT INTO move_answer SELECT 'move-forged', move_id, gate, 'approve', 'eve', 'stands', given_at, at, NULL "
        "FROM move_answer",
        "DELETE FROM code_use",
        "INSERT INTO code_use SELECT id, 1, 'move-nobody' FROM approver",
        "UPDATE move_stage SET stage = 'approved' WHERE stage = 'gating'",
    ],
)
def test_whoever_writes_the_ledger_by_hand_is_seen(desk: Desk, clock: FakeClock, forgery: str) -> None:
    """An answer, a code or a stage that Mendory did not write: no answer is taken, and no word holds."""
    clinic, move, gate = desk
    assert answer(clinic, move.id, at_eve(move, gate, clock, "later")).stands
    with clinic.ledger.transaction() as conn:
        conn.exec_driver_sql(forgery)
    with pytest.raises(LedgerCorrupt):
        answer(clinic, move.id, at_eve(move, gate, clock, number=2))
    with pytest.raises(LedgerCorrupt):
        approve(clinic, gate.digest[:8], "ann")
    current = clinic.ledger.moves.current()
    assert current is not None
    with pytest.raises(LedgerCorrupt):
        still_stands(clinic, current)


@on_both
def test_either_database_takes_a_round_once_and_a_code_once(
    tmp_path: Path, ledger_at: dict[str, str], clock: FakeClock
) -> None:
    """Constraints of SQLite and of PostgreSQL alike: a second answer of the round, a second use of the code."""
    config = make_config(tmp_path, ledger=ledger_at)
    ledger = Ledger.open(config.ledger_url, clock)
    move = ledger.moves.begin("a", "b", "c", "ann")
    ledger.approvers.enrol("eve", SECRET, "boss")
    code = (ledger.approvers.live()["eve"].id, 7)
    first = MoveAnswer("move-1", move.id, "g", "later", "eve", "stands", "备注", NOON, NOON)
    ledger.move_answers.record(first, code)
    for name, used in (("move-1", None), ("move-2", code)):
        with pytest.raises(sa.exc.IntegrityError):
            ledger.move_answers.record(MoveAnswer(name, move.id, "g", "later", "eve", "stands", "", NOON, NOON), used)

    assert [first] == ledger.move_answers.of_move(move.id)
    with ledger.reading() as conn:
        assert [(code[0], 7, "move-1")] == [tuple(row) for row in conn.execute(sa.select(schema.code_use))]
    ledger.verify()


def test_a_round_is_of_one_move_and_one_gate() -> None:
    """Another gate, another move, or a run's number never make one round of another."""
    name = move_round("a" * 32, "b" * 64, 3, "0f3a-11-1234567890ab")

    assert "move-aaaaaaaa-bbbbbbbb-3-1234567890ab" == name
    assert is_of_gate(name, "a" * 32, "b" * 64)
    assert not is_of_gate(name, "c" * 32, "b" * 64)
    assert not is_of_gate(name, "a" * 32, "c" * 64)
