"""The process of a move's flow dies by kill -9, in the middle of the filling and of the canary; the next run goes on.

Worker, flow, table and gate are real. The models answer over HTTP, so that a test says at which text a run stands.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from threading import Event, Lock

import lancedb
import numpy as np
import psutil
import pytest

from mendory import gated
from mendory.embedding import build
from mendory.lance import Writer, create_table
from mendory.ledger.moves import Move
from mendory.mapping import Mapping
from mendory.migration.stages import Stage
from mendory.spaces import Fingerprint
from mendory.spaces.canaries import CANARIES
from tests.conftest import arrow, memory
from tests.loopback import Answer, Loopback, Request
from tests.moving_kit import Words
from tests.served.kit import Served, until
from tests.served.ward import Ward, client_of

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]
FIRST = 256
"""Rows of a filling's first batch."""
LONG = {f"e{n}": f"Guest{n} likes drink{n} with cake{n} near window{n} on day{n}, never noon{n}" for n in range(60)} | {
    f"z{n}": f"客人{a}{b}喜欢在{b}{c}边喝{c}{a}茶，从不加{a}{c}糖{b}"
    for n, (a, b, c) in enumerate((a, b, c) for a in "甲乙丙丁" for b in "春夏秋冬晨" for c in "江河")
}
"""Of each the gate makes three queries; more would only take longer."""
TEXTS = LONG | {f"s{n}": f"Seat{n} row{n} 桌{n}" for n in range(220)}
IDS = {text: ident for ident, text in TEXTS.items()}
MODELS = {name: Words(name, width) for name, width in (("old", 192), ("new", 256))}
TOML = """
[table]
uri = "db"
name = "memories"
dimension = 192
[embedder]
kind = "openai"
model = "{model}"
base_url = "{url}"
max_calls = 100000
price_per_million_chars = 0.1
[migration]
niceness = 1
"""


class Service(Loopback):
    """Both models. With a `bound`, what the new one is asked beyond so many texts waits for `on`; canaries never do.

    The old one is slow at each tenth query, so that on a busy machine too the gate finds the new one no slower.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        """What the new model was asked, in order, without canaries."""
        self.queries = itertools.count()
        self.bound: int | None = None
        self.stands, self.on, self.one = Event(), Event(), Lock()
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def answer(self, request: Request) -> Answer:
        """The vectors."""
        body = json.loads(request.body)
        with self.one:
            if body["model"] == "new":
                self.asked += [text for text in body["input"] if text not in CANARIES]
            held = self.bound is not None and body["model"] == "new" and len(self.asked) > self.bound
        if held:
            self.stands.set()
            self.on.wait(120)
        if body["model"] == "old" and len(body["input"]) == 1 and next(self.queries) % 10 == 0:
            time.sleep(0.1)
        made = MODELS[body["model"]].embed(body["input"])
        return 200, {}, {"data": [{"index": at, "embedding": v.tolist()} for at, v in enumerate(made)]}

    def stop_after(self, more: int) -> None:
        """The next run is answered so many texts."""
        self.stands.clear()
        self.on.clear()
        self.bound = len(self.asked) + more

    def go_on(self) -> None:
        """Everybody is answered; nobody who waited is there any more."""
        self.bound = None
        self.on.set()


class Moving(Ward):
    """The table on its way, and what a person asks of the server."""

    def configure(self, model: str, url: str) -> None:
        """That model is configured."""
        (self.folder / "mendory.toml").write_text(TOML.format(model=model, url=url), encoding="utf-8")

    @property
    def move(self) -> Move:
        """The move under way, read anew."""
        move = self.clinic.ledger.moves.current()
        assert move is not None
        return move

    def begun(self) -> str:
        """The id of a new run of the deployment."""
        there = self.served.get(f"/deployments/name/migrate/{self.prefix}migrate")["id"]
        return str(self.served.post(f"/deployments/{there}/create_flow_run", {})["id"])

    def asked(self) -> bool:
        """A run waits for a person's word on the gate."""
        return any("Suspended" == one["state"]["name"] for one in self.asking("migrate-ask"))

    def ended(self, run: str) -> None:
        """The run ended well."""
        state = self.served.state(run, "Completed", "Skipped", "Unchanged", "Failed", "Crashed", within=600)["state"]
        assert "COMPLETED" == state["type"], state

    def filled(self) -> dict[str, list[float]]:
        """Id → its vector of the new space, of the rows that have one."""
        rows = lancedb.connect(str(self.folder / "db")).open_table("memories").to_arrow().to_pylist()
        return {row["id"]: row[self.move.column] for row in rows if row[self.move.column] is not None}


@pytest.fixture
def service() -> Iterator[Service]:
    """Both models answer."""
    with Service() as made:
        yield made
        made.go_on()


@pytest.fixture
def ward(server: Served, tmp_path: Path, service: Service) -> Moving:
    """A table in the old model's space, deployed without its schedules; the new model is configured."""
    folder = tmp_path / "table"
    folder.mkdir()
    vectors = MODELS["old"].embed(list(TEXTS.values()))
    rows = [
        memory(ident, content=text, embedding=v.tolist())
        for (ident, text), v in zip(TEXTS.items(), vectors, strict=True)
    ]
    create_table(str(folder / "db"), "memories", 192)
    Writer(str(folder / "db"), "memories", Mapping.identity()).append(arrow(rows, 192))
    one = Moving(server, folder, "killed-")
    one.configure("old", service.url)
    clinic = one.clinic
    assert clinic.config.embedder is not None
    clinic.ledger.spaces.adopt(Fingerprint.of(build(clinic.config.embedder)), "ann", clinic.config.embedder)
    clinic.ledger.close()
    with client_of(server):
        one.deploy()
    for made in server.post("/deployments/filter", {"deployments": {"name": {"like_": one.prefix}}}):
        server.post(f"/deployments/{made['id']}/pause_deployment", None)
    one.configure("new", service.url)
    return one


def children(worker: Popen[bytes]) -> list[psutil.Process]:
    """What the worker runs."""
    return psutil.Process(worker.pid).children(recursive=True)


def killed(worker: Popen[bytes]) -> None:
    """What the worker runs is gone by kill -9; the worker itself lives."""
    for one in children(worker):
        with suppress(psutil.NoSuchProcess):
            one.kill()


def test_a_run_that_is_killed_while_it_fills_or_probes_is_followed_by_one_that_goes_on(
    ward: Moving, service: Service, worker: Callable[..., Popen[bytes]]
) -> None:
    """Filled rows stay and are not embedded again; the canary had not begun, and begins. One move, its chain whole."""
    at_work, whole = worker(ward.pool), set(TEXTS)

    service.stop_after(FIRST)
    run = ward.begun()
    assert service.stands.wait(600)
    until("the first batch", lambda: len(ward.filled()) == FIRST, 300)
    behind = {one.nice() - os.getpriority(os.PRIO_PROCESS, 0) for one in children(at_work)}
    assert 1 in behind, "it steps back as configured"
    killed(at_work)
    ward.served.state(run, "Crashed")
    before, waits = ward.filled(), whole - set(ward.filled())
    assert (Stage.FILLING, len(TEXTS) - FIRST) == (ward.move.stage, len(waits))

    service.go_on()
    since, move = len(service.asked), ward.move
    ward.ended(ward.begun())
    after = ward.filled()
    assert waits == {IDS[text] for text in service.asked[since : since + len(waits)]}, "nothing is filled twice"
    assert before == {ident: after[ident] for ident in before}
    fresh = dict(zip(TEXTS, MODELS["new"].embed(list(TEXTS.values())), strict=True))
    assert set(fresh) == set(after)
    assert all(np.allclose(after[ident], vector, atol=1e-6) for ident, vector in fresh.items())
    assert Stage.GATING is ward.move.stage, ward.move.passed[-1].told

    # a run that asks goes on by itself where the word is there before it asks, and would be the one that is killed
    until("the page", ward.asked, 600)
    held = gated.held_gate(ward.move)
    assert held is not None
    gated.approve(ward.clinic, str(held["digest"])[:8], "boss")
    service.stop_after(0)
    run = ward.begun()
    assert service.stands.wait(600)
    killed(at_work)
    ward.served.state(run, "Crashed")
    assert (Stage.APPROVED, 0.0) == (ward.move.stage, ward.clinic.pointer.share)

    service.go_on()
    # the place of a killed run is free once its lease of a minute is over; a test does not wait for that
    ward.served.change("PATCH", f"/v2/concurrency_limits/{ward.prefix}turn", {"active_slots": 0})
    ward.ended(ward.begun())
    assert (Stage.CANARY, 0.01, move.id) == (ward.move.stage, ward.move.passed[-1].told["share"], ward.move.id)
    stages = [Stage.REGISTERED, Stage.FILLING, Stage.GATING, Stage.APPROVED, Stage.CANARY]
    assert stages == [passed.stage for passed in ward.move.passed]
    assert 1 == len(ward.clinic.ledger.moves.all())
    assert ward.clinic.ledger.verify() > 0
