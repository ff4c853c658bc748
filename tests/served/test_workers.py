"""Workers with the application installed from a checkout run the deployments by their modules, wherever they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import make_table, memory
from tests.served.kit import ROOT, Served, working

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python of its own in which the checkout is installed, as on a worker's machine; no PYTHONPATH is needed.

    Its other packages are those of this one, by a path file: nothing is fetched.
    """
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [site] = (folder / "lib").glob("python*/site-packages")
    (site / "shared.pth").write_text("\n".join(p for p in sys.path if p.endswith("site-packages")) + "\n")
    build = folder / "checkout"
    shutil.copytree(
        ROOT, build, ignore=shutil.ignore_patterns(".git", ".venv", ".demo", ".prefect", "__pycache__", "tests")
    )
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    own = str(folder / "bin" / "python")
    install = [sys.executable, "-m", "pip", "--python", own, "install", "--quiet", "--no-deps", "--no-build-isolation"]
    done = subprocess.run([*install, "--editable", str(build)], env=environ, capture_output=True, text=True)
    assert 0 == done.returncode, done.stderr[-3000:]
    return own


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small table with faults."""
    make_table(tmp_path / "db", [memory("a1"), memory("b1", content="喜欢喝茶", status="Active ")])
    (tmp_path / "mendory.toml").write_text('[table]\nuri = "db"\nname = "memories"\ndimension = 4\n')
    return tmp_path


@pytest.fixture
def deployed(server: Served, folder: Path) -> Iterator[dict[str, Any]]:
    """Heal for that table, in a pool we did not make.

    Deployed as `make serve` does it: both workers are on this machine, so the ledger may be a file.
    """
    template = {
        "job_configuration": {"command": "{{ command }}", "env": "{{ env }}"},
        "variables": {"properties": {"command": {"type": "string"}, "env": {"type": "object"}}},
    }
    server.post("/work_pools/", {"name": "theirs", "type": "process", "base_job_template": template})
    words = ["--pool", "theirs", "--prefix", "far-"]
    command = [sys.executable, "-m", "deployments", "into", "--config", str(folder / "mendory.toml"), *words]
    try:
        done = subprocess.run(command, env=server.settings(folder / "client"), cwd=ROOT, capture_output=True, text=True)
        assert 0 == done.returncode, done.stderr[-3000:]
        yield server.get("/deployments/name/heal/far-heal")
        removed = server.invoke("deploy", *words, "--delete")
        assert 0 == removed.exit_code, removed.stderr
    finally:
        server.change("DELETE", "/work_pools/theirs")


def test_two_workers_that_share_no_file_of_prefect_run_heal(
    server: Served, folder: Path, deployed: dict[str, Any], python: str
) -> None:
    """One is killed, the other takes the next run; each signs in, sends the token, and writes no result anywhere."""
    bare = {"PYTHONPATH": "", "MENDORY_CONFIG": ""}
    path = f"/deployments/{deployed['id']}/create_flow_run"
    with working(server, "theirs", folder / "one", python, **bare) as first:
        server.state(server.post(path, {})["id"], "Completed", within=240)
        first.kill()
        first.wait()
    with working(server, "theirs", folder / "two", python, **bare):
        run = server.state(server.post(path, {})["id"], "Completed", "Failed", within=240)
    stored = [p for home in ("one", "two") for p in (folder / home).rglob("storage/*")]

    assert "Completed" == run["state"]["name"]
    assert [] == stored
    assert (folder / ".mendory" / "ledger.db").exists()


def test_a_second_scheduled_run_of_the_kind_is_cancelled_not_queued(server: Served, deployed: dict[str, Any]) -> None:
    """While one is under way, another that a worker would take up is cancelled with the reason."""
    path = f"/deployments/{deployed['id']}/create_flow_run"
    first, second = (server.post(path, {})["id"] for _ in range(2))
    pending = {"state": {"type": "PENDING"}}
    taken = server.post(f"/flow_runs/{first}/set_state", pending)
    refused = server.post(f"/flow_runs/{second}/set_state", pending)
    server.post(f"/flow_runs/{first}/set_state", {"state": {"type": "CANCELLED"}, "force": True})

    assert "ACCEPT" == taken["status"]
    assert ("REJECT", "CANCELLED") == (refused["status"], refused["state"]["type"])
