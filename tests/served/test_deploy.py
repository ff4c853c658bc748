"""`mendory deploy` into a server and pools that somebody else set up: it touches its own objects and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.served.kit import Served, settled, snapshot, until

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A configuration whose ledger several machines can share; no database is asked by deploying."""
    toml = (
        '[table]\nuri = "db"\nname = "memories"\n[ledger]\nurl = "postgresql+psycopg://mendory@127.0.0.1:9/mendory"\n'
    )
    (tmp_path / "mendory.toml").write_text(toml)
    return tmp_path


def deploy(server: Served, folder: Path, *words: str) -> list[dict[str, Any]]:
    """What `mendory deploy … --json` says was changed; the test fails when it does not exit with 0."""
    done = server.invoke("deploy", "--config", str(folder / "mendory.toml"), "--json", *words)
    assert 0 == done.exit_code, done.stderr[-3000:]
    changes: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])["changes"]
    return changes


def actions(changes: list[dict[str, Any]]) -> set[str]:
    """What was done, in words."""
    return {c["action"] for c in changes}


@pytest.fixture
def theirs(server: Served) -> Iterator[dict[str, dict[str, Any]]]:
    """Objects of somebody else: a pool with queues in an order, a flow named like ours, a schedule, limits and more."""
    template = {"job_configuration": {"command": "{{ command }}"}, "variables": {"properties": {"command": {}}}}
    pool = {"name": "theirs", "type": "process", "description": "of team b", "base_job_template": template}
    trigger = {"type": "event", "posture": "Reactive", "expect": ["x"], "threshold": 1, "within": 0}
    automation = {"name": "crashed", "trigger": trigger, "actions": [{"type": "do-nothing"}], "tags": ["mendory"]}
    with ExitStack() as stack:

        def make(path: str, body: dict[str, Any], gone: str) -> str:
            made = str(server.post(path, body)["id"])
            stack.callback(server.change, "DELETE", gone.format(id=made))
            return made

        make("/work_pools/", pool | {"concurrency_limit": 7}, "/work_pools/theirs")
        for name, priority in (("urgent", 1), ("high", 2), ("bulk", 9)):
            server.post("/work_pools/theirs/queues", {"name": name, "priority": priority})
        flow = make("/flows/", {"name": "heal", "tags": ["team-b"]}, "/flows/{id}")
        schedule = {"schedule": {"cron": "0 4 * * *", "timezone": "UTC"}, "active": False, "slug": "theirs"}
        nightly = {"flow_id": flow, "name": "nightly", "entrypoint": "their.heal", "schedules": [schedule]}
        deployed = server.post("/deployments/", nightly | {"work_pool_name": "theirs", "work_queue_name": "bulk"})["id"]
        server.post(f"/deployments/{deployed}/create_flow_run", {})
        make("/v2/concurrency_limits/", {"name": "turn", "limit": 3, "active": True}, "/v2/concurrency_limits/{id}")
        make("/concurrency_limits/", {"tag": "mendory", "concurrency_limit": 5}, "/concurrency_limits/tag/mendory")
        make("/variables/", {"name": "mendory_theirs", "value": 1}, "/variables/name/mendory_theirs")
        make("/automations/", automation, "/automations/{id}")
        yield snapshot(server)


def test_their_server_and_pool_keep_every_field(server: Served, folder: Path, theirs: dict[str, Any]) -> None:
    """Printing, deploying twice and removing leave everything else as it was; our own objects keep their ids."""
    words = ("--pool", "theirs", "--prefix", "team-a-")
    printed = deploy(server, folder, *words, "--print")
    after_print = snapshot(server)
    first = deploy(server, folder, *words)
    made = snapshot(server)
    second = deploy(server, folder, *words)
    again = snapshot(server)
    removed = deploy(server, folder, *words, "--delete")

    assert {"create", "keep"} == actions(printed)
    assert theirs == after_print
    assert [(c["kind"], c["name"], c["action"]) for c in printed] == [
        (c["kind"], c["name"], c["action"]) for c in first
    ]
    assert theirs == {key: made.get(key) for key in theirs}
    assert {"same", "keep"} == actions(second)
    assert settled(made) == settled(again)
    assert {"delete", "keep"} == actions(removed)
    assert theirs == snapshot(server)


def test_in_their_pool_our_queues_stand_behind_theirs(server: Served, folder: Path, theirs: dict[str, Any]) -> None:
    """No queue of theirs is served later than before, and what a person answered is served before the rest of ours."""
    words = ("--pool", "theirs", "--prefix", "team-a-")
    deploy(server, folder, *words)
    queues = sorted(server.post("/work_pools/theirs/queues/filter", {}), key=lambda q: q["priority"])
    deploy(server, folder, *words, "--delete")
    ours = [q["name"] for q in queues if q["name"].startswith("team-a-")]

    assert ["team-a-high", "team-a-normal", "team-a-low"] == ours


def test_a_pool_of_our_own_comes_and_goes(server: Served, folder: Path) -> None:
    """It lets one run at a time, serves people first, and nothing is left when a process of its own removed it."""
    before = snapshot(server)
    changes = deploy(server, folder, "--pool", "ours", "--prefix", "own-")
    pool = server.get("/work_pools/ours")
    queues = sorted(server.post("/work_pools/ours/queues/filter", {}), key=lambda q: q["priority"])
    kinds = [(c["kind"], c["action"]) for c in changes]
    done = server.mendory("deploy", "--pool", "ours", "--prefix", "own-", "--delete", "--json", "--lang", "zh")
    removed = json.loads(done.stdout)["changes"]

    assert ("process", 1) == (pool["type"], pool["concurrency_limit"])
    assert ["high", "normal", "low", "default"] == [q["name"] for q in queues]
    assert {"work pool": 1, "work queue": 3, "deployment": 6, "concurrency limit": 1, "automation": 3} == {
        kind: sum(k == kind for k, _ in kinds) for kind, _ in kinds
    }
    assert {"create"} == actions(changes)
    assert {"delete"} == actions(removed)
    assert before == snapshot(server)


def test_two_tables_share_a_pool_and_go_one_by_one(server: Served, folder: Path) -> None:
    """Removing one prefix leaves the other whole, the pool and the flows with it; the last takes them along."""
    before = snapshot(server)
    deploy(server, folder, "--pool", "ours", "--prefix", "one-")
    one = snapshot(server)
    deploy(server, folder, "--pool", "ours", "--prefix", "two-")
    removed = deploy(server, folder, "--pool", "ours", "--prefix", "two-", "--delete")
    kept = {c["kind"] for c in removed if c["action"] == "keep"}
    left = snapshot(server)
    deploy(server, folder, "--pool", "ours", "--prefix", "one-", "--delete")

    assert {"work pool", "flow"} == kept
    assert settled(one) == settled(left)
    assert before == snapshot(server)


@pytest.mark.parametrize("kind", ["automation", "concurrency limit", "deployment", "work queue"])
def test_a_name_that_is_taken_is_refused_before_anything_is_written(
    server: Served, folder: Path, theirs: dict[str, Any], kind: str
) -> None:
    """An object without our mark under a name we need: nothing is made, and the object is named."""
    flow = next(f["id"] for f in server.post("/flows/filter", {}) if f["name"] == "heal")
    trigger = {"type": "event", "posture": "Reactive", "expect": ["x"], "threshold": 1, "within": 0}
    path, body, name = {
        "automation": (
            "/automations/",
            {"name": "team-a-crashed", "trigger": trigger, "actions": [{"type": "do-nothing"}]},
            "team-a-crashed",
        ),
        "concurrency limit": ("/v2/concurrency_limits/", {"name": "team-a-turn", "limit": 2}, "team-a-turn"),
        "deployment": ("/deployments/", {"flow_id": flow, "name": "team-a-heal", "entrypoint": "x.y"}, "team-a-heal"),
        "work queue": ("/work_pools/theirs/queues", {"name": "team-a-low"}, "team-a-low"),
    }[kind]
    made = server.post(path, body)
    try:
        before = snapshot(server)
        words = ("deploy", "--config", str(folder / "mendory.toml"), "--pool", "theirs", "--prefix", "team-a-")
        done = server.invoke(*words)
        removed = deploy(server, folder, "--pool", "theirs", "--prefix", "team-a-", "--delete")

        assert 1 == done.exit_code
        assert f"taken by objects without our mark: {kind} {name}. Nothing was written." in done.stderr
        assert {"keep"} == actions(removed)
        assert before == snapshot(server)
    finally:
        gone = {"concurrency limit": "/v2/concurrency_limits/", "work queue": "/work_queues/"}.get(kind, path)
        server.change("DELETE", f"{gone}{made['id']}")


@pytest.fixture
def own(server: Served, folder: Path) -> Iterator[tuple[str, ...]]:
    """The words that deploy under a prefix of the test's own; what they made is removed when it ends."""
    words = ("--pool", "ours", "--prefix", "own-")
    yield words
    for run in server.post("/flow_runs/filter", {"flow_runs": {"tags": {"all_": ["mendory:own-"]}}}):
        server.post(f"/flow_runs/{run['id']}/set_state", {"state": {"type": "CANCELLED"}, "force": True})
    deploy(server, folder, *words, "--delete")


def deployment(server: Served, name: str) -> dict[str, Any]:
    """A deployment as the server tells it."""
    told: dict[str, Any] = server.get(f"/deployments/name/{name}")
    return told


def test_repairs_are_switched_on_and_off_by_a_person_alone(server: Served, folder: Path, own: tuple[str, ...]) -> None:
    """New ones look only; --apply lets both repair; a deploy without a word keeps that; --dry-run takes it back."""

    def dry() -> list[bool]:
        names = ("heal/own-heal", "heal/own-heal-changes")
        return [deployment(server, name)["parameters"]["dry_run"] for name in names]

    seen = []
    for words in ((), ("--apply",), (), ("--dry-run",), ()):
        deploy(server, folder, *own, *words)
        seen.append(dry())

    assert [[True, True], [False, False], [False, False], [True, True], [True, True]] == seen


def test_what_a_person_switched_off_stays_off(server: Served, folder: Path, own: tuple[str, ...]) -> None:
    """A paused schedule, a disabled automation and a raised limit of the pool outlive a deploy that changes others."""
    deploy(server, folder, *own)
    heal = deployment(server, "heal/own-heal")
    [schedule] = heal["schedules"]
    server.change("PATCH", f"/deployments/{heal['id']}/schedules/{schedule['id']}", {"active": False})
    server.change("PATCH", "/work_pools/ours", {"concurrency_limit": 4})
    crashed = next(a for a in server.post("/automations/filter", {}) if a["name"] == "own-crashed")
    server.change("PATCH", f"/automations/{crashed['id']}", {"enabled": False})
    kept = deploy(server, folder, *own)
    deploy(server, folder, *own, "--apply")

    assert {"same"} == actions(kept)
    assert [False] == [s["active"] for s in deployment(server, "heal/own-heal")["schedules"]]
    assert False is server.get(f"/automations/{crashed['id']}")["enabled"]
    assert 4 == server.get("/work_pools/ours")["concurrency_limit"]


def test_what_was_changed_by_hand_is_brought_back_and_named(server: Served, folder: Path, own: tuple[str, ...]) -> None:
    """Another cron, another limit, another action: printed as they would change, written on deploying, ids kept."""
    deploy(server, folder, *own)
    heal = deployment(server, "heal/own-heal")
    [schedule] = heal["schedules"]
    path = f"/deployments/{heal['id']}/schedules/{schedule['id']}"
    server.change("PATCH", path, {"schedule": {"cron": "* * * * *", "timezone": "UTC"}, "active": True})
    server.change("PATCH", "/v2/concurrency_limits/own-turn", {"limit": 9})
    changed = next(a for a in server.post("/automations/filter", {}) if a["name"] == "own-left-behind")
    body = {k: changed[k] for k in ("name", "description", "enabled", "trigger", "tags")}
    server.change("PUT", f"/automations/{changed['id']}", body | {"actions": [{"type": "do-nothing"}]})
    printed = deploy(server, folder, *own, "--print")
    deploy(server, folder, *own)
    after = deploy(server, folder, *own)

    assert {
        "heal/own-heal": "schedules",
        "own-turn": "limit",
        "own-left-behind": "actions",
    } == {c["name"]: c["values"]["fields"] for c in printed if c["action"] == "update"}
    assert {"same"} == actions(after)
    assert heal["id"] == deployment(server, "heal/own-heal")["id"]
    assert ["0 * * * *"] == [s["schedule"]["cron"] for s in deployment(server, "heal/own-heal")["schedules"]]


def test_runs_that_waited_for_a_worker_are_cancelled_and_a_persons_are_not(
    server: Served, folder: Path, own: tuple[str, ...]
) -> None:
    """A scheduled run from before the deploy is cancelled: the next finds the same. One started by hand waits on."""
    deploy(server, folder, *own)
    heal = deployment(server, "heal/own-heal")
    long_ago = (datetime.now(UTC) - timedelta(hours=3)).isoformat()
    late = {"state": {"type": "SCHEDULED", "state_details": {"scheduled_time": long_ago}}}
    path = f"/deployments/{heal['id']}/create_flow_run"
    scheduled = server.post(path, late | {"tags": ["auto-scheduled"]})["id"]
    by_hand = server.post(path, late)["id"]
    deploy(server, folder, *own)

    assert "CANCELLED" == server.run_of(scheduled)["state"]["type"]
    assert "SCHEDULED" == server.run_of(by_hand)["state"]["type"]


def test_while_a_run_is_under_way_nothing_is_removed(server: Served, folder: Path, own: tuple[str, ...]) -> None:
    """The run is named; once it ended, removing works, and runs that waited for a person have ended with it."""
    deploy(server, folder, *own)
    before = settled(snapshot(server))
    treat = deployment(server, "treat/own-treat")
    path = f"/deployments/{treat['id']}/create_flow_run"
    run, waiting = (server.post(path, {"parameters": {"plan_id": "0" * 64}, "name": n}) for n in ("busy", "asks"))
    force = {"force": True}
    server.post(f"/flow_runs/{run['id']}/set_state", {"state": {"type": "RUNNING"}} | force)
    server.post(f"/flow_runs/{waiting['id']}/set_state", {"state": {"type": "PAUSED", "name": "Suspended"}} | force)
    done = server.invoke("deploy", *own, "--delete")
    unchanged = {key: value for key, value in snapshot(server).items() if key in before}
    server.post(f"/flow_runs/{run['id']}/set_state", {"state": {"type": "COMPLETED"}} | force)
    asked = server.run_of(waiting["id"])["state"]["type"]
    removed = deploy(server, folder, *own, "--delete")

    assert 1 == done.exit_code
    assert "1 runs are under way, first busy. Nothing was removed." in done.stderr
    assert before == unchanged
    assert "PAUSED" == asked
    assert {"delete"} == actions(removed)


@pytest.mark.parametrize(
    ("payload", "model"),
    [
        ({"model": "多语言 usem3"}, "多语言 usem3"),
        ({}, ""),
        ({"model": "{{ 7 * 7 }}"}, "{{ 7 * 7 }}"),
        ({"model": {"__prefect_kind": "jinja", "template": "{{ 7 * 7 }}"}}, "{'__prefect_kind': 'jinja', "),
    ],
    ids=["named", "unnamed", "a template", "a template in parts"],
)
def test_the_model_changed_event_has_the_model_looked_at(
    server: Served, folder: Path, own: tuple[str, ...], payload: dict[str, Any], model: str
) -> None:
    """One event, one run of migrate, at once, with the event's id and what it says, of which nothing is rendered."""
    deploy(server, folder, *own)
    migrate = deployment(server, "migrate/own-migrate")["id"]
    event = {
        "occurred": datetime.now(UTC).isoformat(),
        "event": "embedding-model.changed",
        "resource": {"prefect.resource.id": "embedding-model.minilm"},
        "payload": payload,
        "id": str(uuid4()),
    }
    status, _, told = server.request("POST", "/api/events", [event], server.token())
    wanted = {"deployments": {"id": {"any_": [migrate]}}}
    runs = until(
        "a run of migrate",
        lambda: [r for r in server.post("/flow_runs/filter", wanted) if "auto-scheduled" not in r["tags"]],
    )

    assert 204 == status, told
    assert 1 == len(runs)
    assert (event["id"], str(folder / "mendory.toml")) == (
        runs[0]["parameters"]["event"],
        runs[0]["parameters"]["config"],
    )
    assert runs[0]["parameters"]["model"].startswith(model)
    assert "49" not in runs[0]["parameters"]["model"]


def hasten(server: Served, name: str) -> None:
    """The automation waits ten seconds only, the least that Prefect allows; all else of it stays."""
    there = next(a for a in server.post("/automations/filter", {}) if a["name"] == name)
    body = {k: there[k] for k in ("name", "description", "enabled", "trigger", "tags", "actions")}
    body["trigger"] = body["trigger"] | {"within": 10}
    server.change("PUT", f"/automations/{there['id']}", body)


def test_a_run_whose_heartbeat_stopped_has_crashed(server: Served, folder: Path, own: tuple[str, ...]) -> None:
    """A heartbeat, and then neither another nor an end: the run is CRASHED; one that waits for a person is not."""
    deploy(server, folder, *own)
    hasten(server, "own-crashed")
    treat = deployment(server, "treat/own-treat")["id"]
    path, force = f"/deployments/{treat}/create_flow_run", {"force": True}
    dead, asking = (server.post(path, {"parameters": {"plan_id": "0" * 64}})["id"] for _ in range(2))
    for run in (dead, asking):
        server.post(f"/flow_runs/{run}/set_state", {"state": {"type": "RUNNING"}} | force)
        tags = ["mendory", "mendory:own-"]
        related = [{"prefect.resource.id": f"prefect.tag.{t}", "prefect.resource.role": "tag"} for t in tags]
        beat = {
            "occurred": datetime.now(UTC).isoformat(),
            "event": "prefect.flow-run.heartbeat",
            "resource": {"prefect.resource.id": f"prefect.flow-run.{run}"},
            "related": related,
            "id": run,
        }
        assert 204 == server.request("POST", "/api/events", [beat], server.token())[0]
    server.post(f"/flow_runs/{asking}/set_state", {"state": {"type": "PAUSED", "name": "Suspended"}} | force)
    crashed = server.state(dead, "Crashed")

    assert re.search(r"No heartbeat for two minutes\. Start the worker", crashed["state"]["message"])
    assert "Suspended" == server.run_of(asking)["state"]["name"]


def test_a_scheduled_run_that_no_worker_takes_is_cancelled(server: Served, folder: Path, own: tuple[str, ...]) -> None:
    """Late and still not taken: it goes by itself, so that none pile up; one that heal or a person started waits on."""
    deploy(server, folder, *own)
    hasten(server, "own-left-behind")
    heal, treat = (deployment(server, name)["id"] for name in ("heal/own-heal", "treat/own-treat"))
    just_now = (datetime.now(UTC) - timedelta(seconds=20)).isoformat()
    late = {"state": {"type": "SCHEDULED", "state_details": {"scheduled_time": just_now}}}
    left = server.post(f"/deployments/{heal}/create_flow_run", late | {"tags": ["auto-scheduled"]})["id"]
    asked = server.post(f"/deployments/{treat}/create_flow_run", late | {"parameters": {"plan_id": "0" * 64}})["id"]
    server.state(left, "Cancelled")

    assert "Late" == server.run_of(asked)["state"]["name"]
