"""What the ledger knows of each rule from real plans and repairs, what stops by itself, and a person's word on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config as Alembic

from mendory import confirming
from mendory.automation import Advice, Runs, Standing
from mendory.clinic import Clinic
from mendory.errors import InputInvalid, LedgerCorrupt
from mendory.events import Happened
from mendory.ledger import Ledger, database
from mendory.ledger import migrate as migrating
from mendory.ledger import schema as t
from mendory.plan.model import Plan
from mendory.sparing import take_up
from mendory.treatment import apply, approve, reject, rule, take_back
from tests.cli.conftest import LIMITS, Run, configure, plan_code, run  # noqa: F401 - a fixture
from tests.conftest import GENEROUS, NOON, FakeClock, arrow, make_table, memory, on_both
from tests.test_conflict_repairs import SCENES, UNDECIDED, a_clinic, heal
from tests.test_executor import ALL, MakeClinic, owner, planned
from tests.test_staleness import AWAY, BACK, HELIX, VIM

pytestmark = pytest.mark.lance
UNRULED = {"limits": GENEROUS}


def twins(number: int, mark: str = "t") -> list[dict[str, Any]]:
    """So many double writes."""
    return [
        memory(f"{mark}{n}{side}", content=f"第 {n} 次说起 {mark} 的事 {n}") for n in range(number) for side in "ab"
    ]


def stand(clinic: Clinic, subject: str = "merge.exact") -> Standing:
    """The subject's standing now."""
    return clinic.ledger.evidence.standings(clinic.config.rules.confirmed)[subject]


def counted(clinic: Clinic, subject: str = "merge.exact") -> tuple[int, int, int, int, int]:
    """Plans for and against, repairs, taken back, come back."""
    r = stand(clinic, subject).record
    return r.approved, r.rejected, r.repairs, r.taken_back, r.came_back


def more(clinic: Clinic, rows: list[dict[str, Any]]) -> Plan:
    """The owner writes the rows, and a plan is made."""
    owner(clinic).add(arrow(rows))
    return planned(clinic)


def verdicts(clinic: Clinic, plan: Plan) -> set[tuple[str, str]]:
    """What policy says of the plan's steps, and why."""
    return {(r.verdict.value, r.reason) for r in rule(clinic, plan).values()}


@on_both
def test_decisions_and_repairs_are_counted_from_what_the_ledger_holds(clinic: MakeClinic) -> None:
    """One word on a group counts once, each repair counts; what is taken back in part is taken back."""
    at = clinic([*twins(4), memory("s1", status="ACTIVE")], **UNRULED)
    plan = planned(at)
    approve(at, plan.id, None, "ann")
    assert (1, 0, 0, 0, 0) == counted(at)

    apply(at, plan.id)
    assert ((1, 0, 4, 0, 0), (1, 0, 1, 0, 0)) == (counted(at), counted(at, "normalise_status"))
    [one] = [s for s in plan.steps() if "t0a" in s.row_ids]
    take_back(at, plan.id, "ann", step=one.id)
    assert (1, 0, 4, 1, 0) == counted(at)
    later = more(at, twins(2, "u"))
    reject(at, later.id, None, "li.wei", "两件事")

    assert (1, 1, 4, 1, 0) == counted(at)
    at.ledger.verify()


def test_what_is_approved_and_then_rejected_is_rejected(clinic: MakeClinic) -> None:
    """Of several words on a step the newest counts; a plan approved in part and rejected in part counts as both."""
    at = clinic(twins(2), **UNRULED)
    plan = planned(at)
    approve(at, plan.id, None, "ann")
    reject(at, plan.id, None, "li.wei", "")

    assert (0, 1, 0, 0, 0) == counted(at)


def test_a_repair_counts_when_its_plan_is_long_forgotten(clinic: MakeClinic, clock: FakeClock) -> None:
    """Past retention the plan's body is gone and the figures stay."""
    at = clinic(twins(3), **ALL)
    apply(at, planned(at).id)
    clock.move(days=40)
    at.ledger.intents.forget_images(clock())

    assert (0, 0, 3, 0, 0) == counted(at)
    assert (3, 0) == (stand(at).record.settled, stand(at).record.bad)


def test_a_problem_that_is_found_again_came_back(clinic: MakeClinic) -> None:
    """An owner that brings back what was merged makes the repair one that came back, whether the row is as it was."""
    at = clinic(twins(2), **ALL)
    before = {r["id"]: r for r in owner(at).to_arrow().to_pylist()}
    plan = planned(at)
    apply(at, plan.id)
    assert at.plan().plan is None
    assert (0, 0, 2, 0, 0) == counted(at)

    # as it was to the byte: the loop is seen, nothing is repaired again
    again = next(i for s in plan.steps() for i in s.changed_ids if i.startswith("t0"))
    _put(at, [before[again]])
    assert at.plan().plan is None
    assert (0, 0, 2, 0, 1) == counted(at)

    # written anew: repaired again, and the first repair came back
    anew = next(i for s in plan.steps() for i in s.changed_ids if i.startswith("t1"))
    _put(at, [before[anew] | {"related_notes": ["说过"]}])
    apply(at, planned(at).id)
    assert (0, 0, 3, 0, 2) == counted(at)


def _put(clinic: Clinic, rows: list[dict[str, Any]]) -> None:
    table = owner(clinic)
    table.delete(f"id = '{rows[0]['id']}'")
    table.add(arrow(rows))


def test_a_mark_that_stands_has_not_come_back(tmp_path: Path, clock: FakeClock) -> None:
    """Both sides of an undecided conflict are found at every check; the repair was the mark, and it holds."""
    at = a_clinic(tmp_path, clock)
    heal(at)
    assert at.plan().plan is None

    marked = counted(at, "mark_disputed")
    assert (len(UNDECIDED) // 2, 0, 0) == marked[2:]
    assert (0, 0) == counted(at, "conflict.latest_user_statement")[3:]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_kept_aside_has_not_come_back(tmp_path: Path, clock: FakeClock, language: str) -> None:
    """An exception that is linked, and what weighs less, change no byte of a row; both repairs hold."""
    general, specific, scene = SCENES[language]
    about = {"object": "coriander"}
    rows = [
        memory("all", content=general, claim=about | {"stance": "refuse"}, created_at="2025-01-01"),
        memory("one", content=specific, claim=about | {"stance": "want", "scene": scene}, created_at="2025-02-01"),
        *(VIM, HELIX, AWAY),
    ]
    at = a_clinic(tmp_path, clock, rows, rules={"confirmed": ["conflict.exception", "weigh.context"]})
    heal(at)
    assert at.plan().plan is None
    owner(at).add(arrow([BACK]))
    heal(at)
    assert at.plan().plan is None

    assert (1, 0, 0) == counted(at, "conflict.exception")[2:]
    assert (0, 0) == counted(at, "weigh.context")[3:]


@on_both
def test_a_rule_whose_repairs_are_taken_back_stops_until_a_person_speaks(clinic: MakeClinic) -> None:
    """It is confirmed and runs no more; people may approve, which changes nothing; a word lets it run; undone, not."""
    at = clinic(twins(3), **ALL)
    first = planned(at)
    apply(at, first.id)
    assert Runs.ITSELF is stand(at).runs
    take_back(at, first.id, "li.wei")
    assert Runs.STOPPED is stand(at).runs

    second = more(at, twins(2, "u"))
    why = (
        "merge.exact stopped running by itself: 3 of its last 3 repairs were taken back or did not verify; "
        "a person may approve it"
    )
    assert {("waits", why)} == verdicts(at, second)
    assert {"waits": 2} == apply(at, second.id).outcomes()
    approve(at, second.id, None, "ann")
    assert {"applied": 2} == apply(at, second.id).outcomes()
    assert Runs.STOPPED is stand(at).runs

    third = more(at, twins(1, "v"))
    assert Runs.ITSELF is confirming.apply_proposal(at, "merge.exact", "geprüft", "li.wei")
    assert {("run", "")} == verdicts(at, third)
    assert 0 == stand(at).record.repairs
    confirming.take_back(at, "merge.exact", "", "li.wei")
    assert {("waits", why)} == verdicts(at, third)
    changed = [e.about["runs"] for e in at.ledger.events.all() if e.kind is Happened.POLICY_CHANGED]
    assert ["by_itself", "as_configured"] == changed
    at.ledger.verify()


def test_what_is_automatic_stops_too(clinic: MakeClinic) -> None:
    """Level 1 needs no rule; taken back three times it waits for a person, and other kinds go on."""
    at = clinic([memory(f"s{n}", status="ACTIVE") for n in range(3)], **ALL)
    first = planned(at)
    apply(at, first.id)
    take_back(at, first.id, "li.wei")

    plan = more(at, [memory("s9", status="ACTIVE"), *twins(1)])
    rulings = rule(at, plan)

    assert {"normalise_status": "waits", "merge_exact": "run"} == {
        s.kind.value: rulings[s.id].verdict.value for s in plan.steps()
    }
    assert Runs.STOPPED is stand(at, "normalise_status").runs


def test_evidence_widens_by_a_persons_word(clinic: MakeClinic, clock: FakeClock) -> None:
    """Sixteen plans that people approved and 80 repairs that held for a week: proposed; applied, it runs by itself."""
    at = clinic(twins(80), **UNRULED)
    plan = planned(at)
    approve(at, plan.id, None, "ann")
    apply(at, plan.id)
    with pytest.raises(InputInvalid, match="does not suffice: approved in 1 of 1 plans"):
        confirming.apply_proposal(at, "merge.exact", "", "ann")
    clock.move(days=8)
    for n in range(15):
        approve(at, more(at, twins(1, f"p{n}-")).id, None, "ann")
        if n < 14:
            assert stand(at).advice is None
    assert Advice.WIDEN is stand(at).advice

    waits = planned_last(at)
    assert {"merge.exact"} == {s.rule for s in waits.steps()}
    assert Runs.ITSELF is confirming.apply_proposal(at, "merge.exact", "", "li.wei")

    new = more(at, twins(1, "q"))
    assert {("run", "")} == verdicts(at, new)
    [word] = at.ledger.words.changes().values()
    assert (True, "li.wei") == (word.widens, word.by)
    assert word.because.startswith("approved in 16 of 16 plans (at least 81%); 0 of 80 settled repairs")
    with pytest.raises(InputInvalid, match="runs by itself, and its record does not speak against that"):
        confirming.apply_proposal(at, "merge.exact", "", "ann")
    at.ledger.verify()


def planned_last(clinic: Clinic) -> Plan:
    """The newest plan."""
    return clinic.ledger.plans.load(clinic.ledger.plans.all()[0]["id"])


def test_without_limits_nothing_runs_by_itself_whatever_was_said(clinic: MakeClinic) -> None:
    """A word widens what the configuration confirms, and never the limits."""
    at = clinic(twins(1))
    at.ledger.words.let_run("merge.exact", True, "", "ann")

    assert {("waits", "no limits are configured, so nothing runs without a person")} == verdicts(at, planned(at))


@pytest.mark.parametrize("subject", ["set_scope", "merge_near", "summarise", "delete", "conflict.undecided", ""])
def test_what_never_widens_takes_no_word(clinic: MakeClinic, subject: str) -> None:
    """Kinds that are a person's, and what is no kind at all: refused, nothing recorded."""
    at = clinic(twins(1), **ALL)

    with pytest.raises(InputInvalid, match="nothing that could run by itself"):
        confirming.apply_proposal(at, subject, "", "ann")
    assert {} == at.ledger.words.changes()


def test_words_need_a_name_and_something_to_take_back(clinic: MakeClinic) -> None:
    """No name, no word; nothing said, nothing taken back; a finding dismissed is another matter."""
    at = clinic(twins(1), **ALL)

    with pytest.raises(InputInvalid, match="needs a name"):
        confirming.apply_proposal(at, "merge.exact", "", " ")
    with pytest.raises(InputInvalid, match=r"Nobody has said anything of 'merge\.exact'"):
        confirming.take_back(at, "merge.exact", "", "ann")


def test_a_word_slipped_in_is_noticed(clinic: MakeClinic) -> None:
    """What widens is a link of the chain: changed by somebody else, nothing is applied."""
    at = clinic(twins(1), **ALL)
    at.ledger.words.let_run("merge.exact", False, "", "ann")
    with at.ledger.transaction() as conn:
        conn.execute(t.word.update().values(said="widen"))

    with pytest.raises(LedgerCorrupt):
        apply(at, planned(at).id)


def test_a_finding_taken_up_is_not_repaired_by_what_stopped(clinic: MakeClinic) -> None:
    """A whole plan taken back and taken up again waits: the rule had stopped."""
    at = clinic(twins(3), **ALL)
    plan = planned(at)
    apply(at, plan.id)
    take_back(at, plan.id, "ann")
    for step in plan.steps():
        take_up(at, step.finding_id, "", "ann")

    assert {"waits"} == {verdict for verdict, _ in verdicts(at, planned(at))}


def test_a_ledger_of_before_learns_the_kinds_of_its_steps(tmp_path: Path, clinic: MakeClinic) -> None:
    """Migrated, the steps of plans whose body is there have their kind and rule; older ones stay unknown."""
    at = clinic(twins(2), **ALL)
    plan = planned(at)
    url = f"sqlite:///{tmp_path}/old.db"
    engine = database.engine(url)
    config = Alembic()
    config.set_main_option("script_location", str(Path(migrating.__file__).parent / "migrations"))
    with engine.begin() as conn:
        config.attributes["connection"] = conn
        command.upgrade(config, "0008")
        times = {"made_at": NOON.isoformat(), "expires_at": NOON.isoformat(), "base_version": 1, "state": "done"}
        conn.execute(t.plan.insert().values(id=plan.id, body=json.dumps(plan.as_json()), **times))
        conn.execute(t.plan.insert().values(id="old", body=None, **times))
        insert = "INSERT INTO plan_step (plan_id, step_id, finding_id) VALUES (:plan, :step, 'f')"
        for plan_id, step_id in [*((plan.id, s.id) for s in plan.steps()), ("old", "s")]:
            conn.execute(sa.text(insert), {"plan": plan_id, "step": step_id})
    engine.dispose()

    ledger = Ledger.open(url)

    known = {("merge_exact", "merge.exact")}
    assert known == {(o["kind"], o["rule"]) for o in ledger.plans.outcomes(plan.id).values()}
    assert (None, None) == tuple(ledger.plans.outcomes("old")["s"][k] for k in ("kind", "rule"))
    ledger.close()


# --- the command line ---------------------------------------------------------------------------


def test_the_verb_shows_asks_and_takes_a_word(tmp_path: Path, run: Run) -> None:  # noqa: F811
    """A rule that stopped is shown with its figures, let run by a person, and that taken back; in both languages."""
    make_table(tmp_path / "db", twins(3))
    configure(tmp_path, LIMITS + '\n[rules]\nconfirmed = ["merge.exact"]\n')
    assert 0 == run("policy").exit_code
    assert not (tmp_path / ".mendory" / "ledger.db").exists()
    code = plan_code(run)
    run("apply", code)
    run("rollback", code, "--as", "ann")

    shown, chinese = run("policy"), run("policy", "--lang", "zh")
    assert (
        "  merge.exact stopped by itself: 3 of its last 3 repairs were taken back or did not verify, at least 43.9%; "
        "it runs again when a person says so"
    ) in shown.output.splitlines()
    assert "next: mendory policy --apply merge.exact --as NAME · mendory plan" == shown.output.splitlines()[-1]
    assert "merge.exact 已自行停止：最近 3 次修复中有 3 次被撤销或未通过验证，至少 43.9%" in chinese.output
    assert "  merge.exact stopped running by itself: mendory policy" in run("review").output.splitlines()
    assert ["merge.exact"] == json.loads(run("review", "--json").output)["stopped"]
    [row] = [s for s in json.loads(run("policy", "--json").output)["subjects"] if s["subject"] == "merge.exact"]
    assert ("stopped", 3, 3, 3, None) == (
        row["runs"],
        row["repairs"],
        row["taken_back"],
        row["latest_taken_back"],
        row["proposal"],
    )

    assert 1 == run("policy", "--apply", "merge.exact").exit_code
    assert 1 == run("policy", "--apply", "set_scope", "--as", "ann").exit_code
    done = run("policy", "--apply", "merge.exact", "--as", "ann", "--because", "seen")
    assert done.output.splitlines() == [
        "merge.exact runs by itself from now on, within the limits.",
        "next: mendory policy --undo merge.exact --as NAME",
    ]
    assert "ann let it run by itself" in run("policy").output
    undone = run("policy", "--undo", "merge.exact", "--as", "ann", "--json")
    assert {"subject": "merge.exact", "runs": "stopped"} == json.loads(undone.output)
