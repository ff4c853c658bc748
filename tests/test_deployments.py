"""What is deployed, as the two files say it, and what `mendory deploy` refuses before it asks any server."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from deployments import hardening, processes
from deployments.objects import QUEUES, Order, automations, deployments, document, filled
from mendory.cli import main
from mendory.errors import InputInvalid

ROOT = Path(__file__).resolve().parent.parent
ORDER = Order("team-a-", "pool", "/srv/mendory.toml")


def unknown_keys(read: dict[str, Any]) -> list[str]:
    """Keys of a deployment file that Prefect's own model does not know."""
    from prefect.cli.deploy._models import (
        ConcurrencyLimitSpec,
        DeploymentConfig,
        PrefectYamlModel,
        RawScheduleConfig,
        WorkPoolConfig,
    )

    PrefectYamlModel.model_validate(read)
    parts: list[tuple[Any, dict[str, Any]]] = [(PrefectYamlModel, read)]
    for deployment in read["deployments"]:
        parts += [(DeploymentConfig, deployment), (WorkPoolConfig, deployment["work_pool"])]
        parts += [(ConcurrencyLimitSpec, deployment.get("concurrency_limit", {}))]
        parts += [(RawScheduleConfig, schedule) for schedule in deployment["schedules"]]
    known = [({f.alias or n for n, f in model.model_fields.items()}, part) for model, part in parts]
    return sorted(key for names, part in known for key in set(part) - names)


def test_every_key_of_the_deployment_file_is_known_to_prefect() -> None:
    """Prefect ignores a misspelt key in silence; this test does not."""
    read = document("prefect.yaml")
    misspelt = copy.deepcopy(read)
    misspelt["deployments"][0]["entrypont"] = misspelt["deployments"][0].pop("entrypoint")

    assert [] == unknown_keys(read)
    assert ["entrypont"] == unknown_keys(misspelt)


def test_every_automation_is_one_that_prefect_knows() -> None:
    """Each is valid for Prefect and no key of it is one that Prefect would ignore."""
    from prefect.events.schemas.automations import AutomationCore

    for one in automations(ORDER, True, "00000000-0000-0000-0000-000000000001"):
        known = AutomationCore.model_validate(one).model_dump(mode="json")
        assert set() == set(one) - set(known), one["name"]
        assert set() == set(one["trigger"]) - set(known["trigger"]), one["name"]
        for action, kept in zip(one["actions"], known["actions"], strict=True):
            assert set() == set(action) - set(kept), one["name"]


def test_each_entrypoint_is_a_flow_whose_parameters_are_those_deployed() -> None:
    """The module is importable, the flow is in it, and it takes every parameter that the deployment gives."""
    from prefect import Flow

    for deployment in deployments(ORDER, True):
        module, _, name = deployment["entrypoint"].rpartition(".")
        flow = getattr(import_module(module), name)
        assert isinstance(flow, Flow)
        assert deployment["flow_name"] == flow.name
        assert set() == set(deployment["parameters"]) - set(flow.parameters.properties)


def test_the_schedules_are_those_of_the_design() -> None:
    """Structure every five minutes on changes, hourly in full; a run nobody asked for changes nothing at first."""
    by_name = {d["name"]: d for d in deployments(ORDER, True)}
    crons = {name: [s["schedule"]["cron"] for s in d["schedules"]] for name, d in by_name.items()}
    minutes = range(2, 58, 5)

    by_hand = {"team-a-treat": [], "team-a-review": [], "team-a-migrate-ask": []}
    assert {
        "team-a-heal": ["0 * * * *"],
        "team-a-heal-changes": ["2-57/5 * * * *"],
        "team-a-migrate": ["9-54/15 * * * *", "31 4 * * *"],
        **by_hand,
    } == crons
    assert [{}, {"probe": True}] == [s["parameters"] for s in by_name["team-a-migrate"]["schedules"]]
    assert 12 == len(minutes)
    assert [True, False] == [by_name[n]["parameters"]["full"] for n in ("team-a-heal", "team-a-heal-changes")]
    assert [True, True] == [by_name[n]["parameters"]["dry_run"] for n in ("team-a-heal", "team-a-heal-changes")]


def test_runs_of_one_table_share_a_turn_and_nothing_piles_up() -> None:
    """Each deployment takes the same turn; a scheduled run is cancelled while one of its kind is under way."""
    made = deployments(ORDER, True)
    limits = {d["name"]: (d["concurrency_limit"], d["concurrency_options"]) for d in made if d["schedules"]}

    at_the_table = [d for d in made if d["flow_name"] != "review"]  # which asks and plans, and changes no row
    assert {"team-a-turn"} == {d["parameters"]["turn"] for d in at_the_table}
    assert 3 == len(limits)
    waits = {"team-a-migrate": "ENQUEUE"}  # a run that an event started is not made again by the next schedule
    for name, (limit, options) in limits.items():
        assert (1, waits.get(name, "CANCEL_NEW")) == (limit, options["collision_strategy"])
    assert {"treat/team-a-treat"} == {d["parameters"]["treat"] for d in made if d["flow_name"] == "heal"}
    assert {"team-a-migrate": "migrate/team-a-migrate-ask", "team-a-migrate-ask": ""} == {
        d["name"]: d["parameters"].get("ask", "") for d in made if d["flow_name"] == "migrate"
    }, "an answer waits under no limit that a scheduled run holds"


def test_a_person_who_waits_is_served_first() -> None:
    """Answers go to the first queue, changes to the next, whole tables to the last; prefixed in another's pool."""
    ours = {d["name"]: d["work_queue_name"] for d in deployments(ORDER, True)}
    theirs = {d["name"]: d["work_queue_name"] for d in deployments(ORDER, False)}

    assert {
        "team-a-treat": "high",
        "team-a-review": "high",
        "team-a-migrate-ask": "high",
        "team-a-heal-changes": "normal",
        "team-a-heal": "low",
        "team-a-migrate": "low",
    } == ours
    assert {name: f"team-a-{queue}" for name, queue in ours.items()} == theirs
    assert set(QUEUES) == set(ours.values())


def test_everything_carries_the_prefix_and_the_mark() -> None:
    """No name is without the prefix, no object that can have tags is without ours, no place is left unfilled."""
    made = [*deployments(ORDER, False), *automations(ORDER, False, "the-id")]

    assert all(one["name"].startswith("team-a-") for one in made)
    assert all(["mendory", "mendory:team-a-"] == one["tags"] for one in made)
    assert "$MENDORY" not in json.dumps(made)
    assert "/srv/mendory.toml" in json.dumps(made)


def test_an_unknown_place_is_no_empty_text() -> None:
    """A place nobody fills is an error, never a name that lacks a part."""
    with pytest.raises(KeyError):
        filled({"name": "{{ $MENDORY_NOBODY }}heal"}, {})


@pytest.mark.parametrize("prefix", ["", "-", "a", "A-", "a b-", "团队-", "a_-", "a" * 41 + "-", "a-*", "a-\n", "!a-"])
def test_a_prefix_that_would_match_other_names_is_refused(prefix: str) -> None:
    """Only lower-case letters, digits and dashes, a dash at the end: no pattern of Prefect's, nothing invisible."""
    with pytest.raises(InputInvalid):
        Order(prefix, "pool")


@pytest.mark.parametrize("prefix", ["mendory-", "a-", "team-a-", "a" * 40 + "-"])
def test_a_plain_prefix_is_taken(prefix: str) -> None:
    """It stands before every name as it was given."""
    assert f"{prefix}turn" == Order(prefix, "pool").turn


def test_no_setting_of_prefect_from_outside_loosens_the_server() -> None:
    """Of Prefect's variables only its database's address passes; all others pass, and ours come last."""
    kept = "PREFECT_API_DATABASE_CONNECTION_URL"
    environ = {"PATH": "/bin", "PREFECT_SERVER_CSRF_PROTECTION_ENABLED": "false", "PREFECT_PROFILE": "x", kept: "db"}

    assert {"PATH": "/bin", kept: "db"} == hardening.outside(environ)


def test_the_secret_is_made_once_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    """The second call gives the same words; file and folder are closed to others, whatever the mask is."""
    before = os.umask(0)
    try:
        first, second = hardening.secret(tmp_path / "home"), hardening.secret(tmp_path / "home")
    finally:
        os.umask(before)

    assert first == second
    assert first.startswith("mendory:")
    assert 32 <= len(first.partition(":")[2])
    assert first != hardening.secret(tmp_path / "other")
    assert (0o700, 0o600) == tuple(
        path.stat().st_mode & 0o777 for path in (tmp_path / "home", hardening.secret_file(tmp_path / "home"))
    )


def test_no_secret_is_an_argument_of_a_process() -> None:
    """What everybody on the machine can read of a process names neither the secret nor its file."""
    said = " ".join([*processes.server_command(4200), *processes.worker_command("pool", "name")])

    assert "sign-in" not in said
    assert "AUTH" not in said


# --- mendory deploy ---------------------------------------------------------------------------


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `mendory.toml`, its ledger in SQLite, and no Prefect server named."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("PREFECT_", "MENDORY_")):
            monkeypatch.delenv(name)
    (tmp_path / "mendory.toml").write_text('[table]\nuri = "db"\nname = "memories"\n')
    return tmp_path


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_ledger_in_a_file_is_refused_with_the_reason(configured: Path, lang: str) -> None:
    """Workers may be on other machines, where the file is not; the next step is named."""
    done = CliRunner().invoke(main, ["deploy", "--pool", "p", "--lang", lang])

    assert 1 == done.exit_code
    assert done.stderr.startswith("input_invalid")
    assert "two ledgers would repair one table. Nothing was written. Set ledger.url to PostgreSQL" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--print", "--delete"), "exclude each other"),
        (("--prefix", "Bad"), "is no prefix"),
        (("--config", "nowhere.toml"), "There is no configuration at nowhere.toml"),
    ],
)
def test_what_cannot_be_done_is_refused(configured: Path, words: tuple[str, ...], said: str) -> None:
    """Each refusal says what it is about, and no server was asked."""
    done = CliRunner().invoke(main, ["deploy", "--pool", "p", *words])

    assert 1 == done.exit_code
    assert said in done.stderr


def run(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """`mendory …` as a process of its own, with nothing of Prefect's set but what is given."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("PREFECT_")}
    told = plain | {"PYTHONPATH": str(ROOT), "PREFECT_HOME": str(folder / "home"), "RUST_LOG": "error"} | environ
    command = [sys.executable, "-m", "mendory", *words]
    return subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, timeout=120)


def test_without_a_server_named_none_is_started(configured: Path) -> None:
    """Prefect's client would start a server of its own; deploy says which setting names one."""
    done = run(configured, "deploy", "--pool", "p", "--delete")

    assert 1 == done.returncode
    assert "No Prefect server is named. Nothing was written. Set PREFECT_API_URL" in done.stderr


def test_a_server_that_does_not_answer_is_named(configured: Path) -> None:
    """The address is in the message, the secret is not."""
    said = {"PREFECT_API_URL": "http://127.0.0.1:9/api", "PREFECT_API_AUTH_STRING": "admin:verysecret"}
    done = run(configured, "deploy", "--pool", "p", "--delete", PREFECT_CLIENT_MAX_RETRIES="0", **said)

    assert 1 == done.returncode
    assert "unavailable: No server answers at http://127.0.0.1:9/api" in done.stderr
    assert "verysecret" not in done.stderr + done.stdout


def test_a_library_installed_alone_says_how_to_get_the_flows(configured: Path, tmp_path: Path) -> None:
    """Where no deployments lie beside the library, a package of that name elsewhere is not taken for them."""
    shutil.copytree(ROOT / "mendory", tmp_path / "site" / "mendory", ignore=shutil.ignore_patterns("__pycache__"))
    done = run(
        configured, "deploy", "--pool", "p", "--print", PYTHONPATH=os.pathsep.join([str(tmp_path / "site"), str(ROOT)])
    )

    assert 1 == done.returncode
    assert "dependency_missing: " in done.stderr
    assert "pip install -e '.[flows]'" in done.stderr


def test_another_package_named_deployments_is_not_run(configured: Path, tmp_path: Path) -> None:
    """A folder of that name in front of the checkout is refused, and nothing of it is executed."""
    other = tmp_path / "theirs" / "deployments"
    other.mkdir(parents=True)
    for name in ("__init__", "objects"):
        (other / f"{name}.py").write_text("print('ran')")
    path = os.pathsep.join([str(tmp_path / "theirs"), str(ROOT)])
    done = run(configured, "deploy", "--pool", "p", "--print", PYTHONPATH=path)

    assert 1 == done.returncode
    assert "dependency_missing: Another package named deployments is in the way" in done.stderr
    assert "ran" not in done.stdout
