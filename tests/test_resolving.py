"""What people answer to findings that wait for them: planned as they say, done, taken back, and never twice."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import lancedb
import pytest

from mendory import resolving, sparing
from mendory.calibrating.verdicts import verdicts
from mendory.catalogue import CHOSEN, Level, StepKind
from mendory.choices import COMPARED, Answer, Choice, check_answer, choices
from mendory.clinic import Clinic
from mendory.errors import InputInvalid, LedgerCorrupt
from mendory.finding import Code, Finding, Ring, Severity
from mendory.ledger import Ledger
from mendory.ledger import schema as t
from mendory.plan.model import Plan
from mendory.record import Kept
from mendory.treatment import apply, reject, take_back
from tests.conftest import GENEROUS, NOON, FakeClock, make_config, make_table, memory
from tests.test_conflict_repairs import bytes_of, pairs, queue, seen

pytestmark = pytest.mark.lance
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


def disputed(folder: Path, clock: FakeClock, language: str = "en", **sections: Any) -> tuple[Clinic, str]:
    """A clinic on one pair that no rule decides, marked as disputed, and the id of the finding that waits."""
    make_table(folder, pairs(language)[8:])
    clinic = Clinic(make_config(folder, **({"limits": GENEROUS} | sections)), clock)
    plan = clinic.plan().plan
    assert plan is not None
    apply(clinic, plan.id)
    [waiting] = clinic.ledger.findings.queued()
    return clinic, waiting["finding_id"]


def resolve(clinic: Clinic, name: str, answer: Answer, by: str = "li.wei") -> Plan | None:
    """The answer is given and planned; its steps are approved."""
    finding = resolving.answer(clinic, name, answer, by, "I know")
    settled = resolving.settle(clinic, [finding], by, "I know")
    assert {} == dict(settled.refused)
    return settled.plan


@LANGUAGES
def test_one_stays(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """The other is archived and names it, the dispute is over, and all is taken back to the byte."""
    clinic, waits = disputed(tmp_path, clock, language, rules={"confirmed": []})
    before, kept, lost = bytes_of(tmp_path), f"{language}-age-old", f"{language}-age-new"

    plan = resolve(clinic, waits[:8], Answer(Choice.KEEP, kept))

    assert plan is not None
    [step] = plan.steps()
    assert (StepKind.SUPERSEDE, Level.PERSON, None, "person") == (step.kind, step.level, step.rule, step.detail["rule"])
    assert {} == queue(clinic)
    done = apply(clinic, plan.id)
    assert done.verdict.ok, done.verdict.as_json()
    after = seen(clinic)
    assert ("archived", kept, Kept()) == (after[lost].status, after[lost].superseded_by, after[lost].kept)
    assert ("active", Kept()) == (after[kept].status, after[kept].kept)
    assert {} == queue(clinic)
    assert {"person": 1} == clinic.ledger.runs(plan.id)[-1]["authority"]

    take_back(clinic, plan.id, "ann")
    assert before == bytes_of(tmp_path)
    assert {} == dict(clinic.ledger.choices.standing())
    clinic.ledger.verify()


@LANGUAGES
def test_both_stay(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """Nothing is archived, the marks are lifted, and nobody is asked again until a row changes."""
    make_table(tmp_path, pairs(language)[8:])
    untouched = bytes_of(tmp_path)
    clinic = Clinic(make_config(tmp_path, limits=GENEROUS), clock)
    marking = clinic.plan().plan
    assert marking is not None
    apply(clinic, marking.id)
    [waits] = [q["finding_id"] for q in clinic.ledger.findings.queued()]

    plan = resolve(clinic, waits, Answer(Choice.BOTH))

    assert plan is not None
    assert {StepKind.LIFT_MARK} == {s.kind for s in plan.steps()}
    assert apply(clinic, plan.id).verdict.ok
    assert untouched == bytes_of(tmp_path)
    assert ({}, None) == (queue(clinic), clinic.plan().plan)
    assert [waits] == list(clinic.ledger.words.dismissed())


@LANGUAGES
def test_they_become_one(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """The row that says most stays, active and undisputed, and what only the other said is a note of it."""
    clinic, waits = disputed(tmp_path, clock, language)
    before = bytes_of(tmp_path)

    plan = resolve(clinic, waits, Answer(Choice.MERGE))

    assert plan is not None
    assert apply(clinic, plan.id).verdict.ok
    [step] = plan.steps()
    [gone], kept, after = step.detail["merged_ids"], step.detail["primary_id"], seen(clinic)
    assert ("archived", kept, Kept()) == (after[gone].status, after[gone].duplicate_of, after[gone].kept)
    assert ("active", Kept(), 1) == (after[kept].status, after[kept].kept, len(after[kept].related_notes))
    assert () == verdicts(clinic.ledger)

    take_back(clinic, plan.id, "ann")
    assert before == bytes_of(tmp_path)


def test_later_stays_in_the_queue(tmp_path: Path, clock: FakeClock) -> None:
    """Nothing is planned; it waits on with its age, and anybody may answer it all the same."""
    clinic, waits = disputed(tmp_path, clock)
    since = clinic.ledger.findings.queued()[0]["at"]

    assert resolve(clinic, waits, Answer(Choice.LATER, until=NOON + timedelta(days=2))) is None
    clinic.plan()

    assert [(waits, since)] == [(q["finding_id"], q["at"]) for q in clinic.ledger.findings.queued()]
    assert resolve(clinic, waits, Answer(Choice.BOTH), "ann") is not None
    assert [("ann", Choice.BOTH)] == [(c.by, c.answer.choice) for c in clinic.ledger.choices.standing().values()]


def test_an_answer_before_the_mark_is_applied_overtakes_it(tmp_path: Path, clock: FakeClock) -> None:
    """The step that would mark them runs no more; the answer's does."""
    make_table(tmp_path, pairs("en")[8:])
    clinic = Clinic(make_config(tmp_path, limits=GENEROUS), clock)
    marking = clinic.plan().plan
    assert marking is not None
    [waits] = [q["finding_id"] for q in clinic.ledger.findings.queued()]

    plan = resolve(clinic, waits, Answer(Choice.KEEP, "en-age-new"))

    assert plan is not None
    assert "done" == clinic.ledger.plans.state(marking.id).value
    assert apply(clinic, plan.id).verdict.ok
    assert {"archived", "active"} == {m.status for m in seen(clinic).values()}


def test_an_answer_does_not_outlive_its_rows(tmp_path: Path, clock: FakeClock) -> None:
    """Rows that changed are another finding: what was said of them before leads to nothing and ends."""
    clinic, waits = disputed(tmp_path, clock)
    finding = resolving.answer(clinic, waits, Answer(Choice.KEEP, "en-age-new"), "li.wei", "")
    lancedb.connect(str(tmp_path)).open_table("memories").update(
        where="id = 'en-age-old'", values={"content": "Is 32 years old."}
    )

    settled = resolving.settle(clinic, [finding], "li.wei", "")

    assert (None, {waits: resolving.OVER}) == (settled.plan, dict(settled.refused))
    assert {} == dict(clinic.ledger.choices.standing())
    assert waits not in {f.id for f in clinic.check().findings}


def test_no_double_decision(tmp_path: Path, clock: FakeClock) -> None:
    """A second person is told who decided what and when, also by dismiss; the answer taken back, they may."""
    clinic, waits = disputed(tmp_path, clock)
    resolve(clinic, waits, Answer(Choice.KEEP, "en-age-new"))

    with pytest.raises(InputInvalid, match=r"decided by li\.wei at 2025-03-01T12:00: keep en-age-new"):
        resolving.answer(clinic, waits, Answer(Choice.BOTH), "ann", "")
    with pytest.raises(InputInvalid, match=r"decided by li\.wei"):
        sparing.dismiss(clinic, waits, "", "ann")
    resolving.take_back(clinic, waits, "ann", "wrong one")

    assert [waits] == [q["finding_id"] for q in clinic.ledger.findings.queued()]
    assert resolve(clinic, waits, Answer(Choice.KEEP, "en-age-old"), "ann") is not None


def test_an_answer_taken_back_runs_no_more(tmp_path: Path, clock: FakeClock) -> None:
    """Its step is blocked though it was approved; what is done already is undone by rollback alone."""
    clinic, waits = disputed(tmp_path, clock)
    plan = resolve(clinic, waits, Answer(Choice.KEEP, "en-age-new"))
    assert plan is not None
    before = bytes_of(tmp_path)
    resolving.take_back(clinic, waits, "ann", "")

    assert {"blocked"} == {o["outcome"] for o in clinic.ledger.plans.outcomes(plan.id).values()}
    assert before == bytes_of(tmp_path)
    with pytest.raises(InputInvalid, match="Nobody has answered"):
        resolving.take_back(clinic, waits, "ann", "")

    again = resolve(clinic, waits, Answer(Choice.KEEP, "en-age-old"))
    assert again is not None
    apply(clinic, again.id)
    with pytest.raises(InputInvalid, match="is done"):
        resolving.take_back(clinic, waits, "ann", "")


def test_taking_back_that_both_stay_asks_again(tmp_path: Path, clock: FakeClock) -> None:
    """It is dismissed no more and waits, whether by the answer or by the dismissal that it is taken back."""
    clinic, waits = disputed(tmp_path, clock)
    resolve(clinic, waits, Answer(Choice.BOTH))
    resolving.take_back(clinic, waits, "ann", "")
    assert ({}, [waits]) == (
        clinic.ledger.findings.dismissed(),
        [q["finding_id"] for q in clinic.ledger.findings.queued()],
    )

    resolve(clinic, waits, Answer(Choice.BOTH))
    sparing.take_up(clinic, waits, "", "ann")
    assert {} == dict(clinic.ledger.choices.standing())


def test_what_cannot_be_done_is_not_decided(tmp_path: Path, clock: FakeClock) -> None:
    """A row that somebody keeps as it is, is not archived: the answer ends with the reason, and it waits on."""
    clinic, waits = disputed(tmp_path, clock)
    sparing.keep(clinic, "en-age-old", "", "ann")
    finding = resolving.answer(clinic, waits, Answer(Choice.KEEP, "en-age-new"), "li.wei", "")

    settled = resolving.settle(clinic, [finding], "li.wei", "")

    assert {waits: "kept as it is by a person: en-age-old"} == dict(settled.refused)
    assert ({}, [waits]) == (
        dict(clinic.ledger.choices.standing()),
        [q["finding_id"] for q in clinic.ledger.findings.queued()],
    )


def test_what_a_plan_asks_is_answered_there(tmp_path: Path, clock: FakeClock) -> None:
    """A finding under an open plan is approved or rejected; a rejection ends an answer with the plan's step."""
    rows = [memory("a1", content="喜欢喝茶", batch_id="b1"), memory("a2", content="喜欢喝茶", batch_id="b1")]
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path, limits=GENEROUS), clock)
    plan = clinic.plan().plan
    assert plan is not None
    [step] = plan.steps()

    with pytest.raises(InputInvalid, match=f"answered by the open plan {plan.code}"):
        resolving.answer(clinic, step.finding_id, Answer(Choice.KEEP, "a1"), "li.wei", "")
    reject(clinic, plan.id, None, "ann", "no")
    with pytest.raises(InputInvalid, match="is dismissed"):
        resolving.answer(clinic, step.finding_id, Answer(Choice.KEEP, "a1"), "li.wei", "")


def test_several_answers_are_one_plan(tmp_path: Path, clock: FakeClock) -> None:
    """Also about rows that they share: the second is planned on what the first leaves."""
    claims = [("r1", "31", "Is 31 years old."), ("r2", "45", "Turned 45."), ("r3", "60", "Is 60 years old.")]
    rows = [
        memory(name, content=said, claim={"entity": "user", "attribute": "age", "value": value}, batch_id="b")
        for name, value, said in claims
    ]
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path, limits=GENEROUS), clock)
    marking = clinic.plan().plan
    assert marking is not None
    apply(clinic, marking.id)
    waiting = clinic.ledger.findings.known([q["finding_id"] for q in clinic.ledger.findings.queued()])
    about = [f for f in waiting.values() if "r3" in f.ids]
    assert len(about) > 1
    given = [resolving.answer(clinic, f.id, Answer(Choice.KEEP, "r3"), "li.wei", "") for f in about]

    settled = resolving.settle(clinic, given, "li.wei", "")

    assert settled.plan is not None
    assert (len(about), {}) == (len(list(settled.plan.steps())), dict(settled.refused))
    assert apply(clinic, settled.plan.id).verdict.ok
    assert {"r1": "archived", "r2": "archived", "r3": "active"} == {i: m.status for i, m in seen(clinic).items()}


def found(code: Code, ids: tuple[str, ...] = ("a", "b"), evidence: Mapping[str, Any] | None = None) -> Finding:
    """A finding of that code."""
    return Finding("f" * 64, code, ids, "u1", Ring.MEANING, Severity.LOW, "why", evidence or {}, "x/1")


@pytest.mark.parametrize("code", list(Code))
def test_what_may_be_answered(code: Code) -> None:
    """Rows side by side: everything; any other finding can only be put off."""
    expected = tuple(Choice) if code in COMPARED else (Choice.LATER,)
    assert expected == choices(found(code))
    assert (Choice.LATER,) == choices(found(code, ("a",)))


def test_an_answer_must_fit() -> None:
    """A row of the finding, a time to come."""
    ours = found(Code.CONFLICT)
    check_answer(ours, Answer(Choice.KEEP, "a"), NOON)
    check_answer(ours, Answer(Choice.LATER, until=NOON + timedelta(1)), NOON)
    for wrong in (
        Answer(Choice.KEEP, "c"),
        Answer(Choice.KEEP),
        Answer(Choice.LATER),
        Answer(Choice.LATER, None, NOON),
    ):
        with pytest.raises(InputInvalid, match="Nothing was recorded"):
            check_answer(ours, wrong, NOON)
    with pytest.raises(InputInvalid, match="Put it off"):
        check_answer(found(Code.MISSING_SCOPE, ("a",)), Answer(Choice.BOTH), NOON)


def test_nothing_chosen_runs_by_a_rule() -> None:
    """Every step that follows from an answer is level 3: what no rule decided, no rule lets run."""
    assert {(Level.PERSON, None)} == {(r.level, r.rule) for r in CHOSEN.values()}
    assert set(Choice) - {Choice.LATER} == set(CHOSEN)


def test_an_answer_is_part_of_the_chain(ledger_url: str, clock: FakeClock) -> None:
    """Changed, ended by nobody's word or removed by somebody else, it is noticed."""
    ledger = Ledger.open(ledger_url, clock)
    ledger.choices.record("f1", Answer(Choice.LATER, until=NOON), "li.wei", "")
    ledger.choices.record("f1", Answer(Choice.BOTH), "li.wei", "")
    assert 3 == ledger.verify()
    for column in ("by", "ended_by"):
        with ledger.transaction() as conn:
            conn.execute(t.choice.update().values({column: "ann"}))
        with pytest.raises(LedgerCorrupt):
            ledger.verify()
        with ledger.transaction() as conn:
            conn.execute(t.choice.update().where(t.choice.c.seq == 1).values({column: "li.wei"}))
            conn.execute(t.choice.update().where(t.choice.c.seq == 2).values(by="li.wei", ended_by=None))
        assert 3 == ledger.verify()
    with ledger.transaction() as conn:
        conn.execute(t.choice.delete())
    with pytest.raises(LedgerCorrupt, match="its record is gone"):
        ledger.verify()
    ledger.close()


def test_of_two_at_once_one_decides(ledger_url: str) -> None:
    """Eight people answer at the same moment, each with a connection of their own: one stands, seven are told."""
    Ledger.open(ledger_url).close()
    ready = Barrier(8)

    def decide(number: int) -> str:
        ledger = Ledger.open(ledger_url)
        ready.wait()
        try:
            ledger.once(lambda it: it.choices.record("f1", Answer(Choice.KEEP, f"r{number}"), f"p{number}", ""))
            return f"p{number}"
        except InputInvalid as told:
            return str(told)
        finally:
            ledger.close()

    with ThreadPoolExecutor(8) as people:
        said = list(people.map(decide, range(8)))

    ledger = Ledger.open(ledger_url)
    [stands] = ledger.choices.standing().values()
    assert [stands.by] == [one for one in said if one.startswith("p")]
    assert 7 == sum(f"was decided by {stands.by}" in one for one in said)
    assert 1 == ledger.verify()
    ledger.close()
