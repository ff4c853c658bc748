"""`make serve` without make: from nothing to a served, scheduled table, and back to nothing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from deployments import hardening
from deployments.processes import free_port
from tests.conftest import make_table, memory
from tests.served.kit import ROOT, Served, snapshot, until

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("story")]


@contextmanager
def served(folder: Path, port: int, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`python -m deployments serve` for the folder's configuration, ended when the block does."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("PREFECT_")} | {"PYTHONPATH": str(ROOT)}
    command = [
        sys.executable,
        "-m",
        "deployments",
        "serve",
        "--config",
        str(folder / "mendory.toml"),
        "--port",
        str(port),
    ]
    command += ["--home", str(folder / "home"), *words]
    with (folder / "said").open("w") as out:
        process = subprocess.Popen(command, cwd=folder, env=environ, stdout=out, stderr=out, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(90)


def said(folder: Path) -> str:
    """What it printed so far."""
    return (folder / "said").read_text()


def greeted(folder: Path) -> str:
    """What it printed once it serves."""
    return until("the greeting", lambda: said(folder) if "Stop with Ctrl-C" in said(folder) else None, within=240)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small sick table with its configuration; the ledger is a file, as it may be on one machine."""
    make_table(tmp_path / "db", [memory("a1"), memory("b1", content="喜欢喝茶", status="Active ")])
    (tmp_path / "mendory.toml").write_text('[table]\nuri = "db"\nname = "memories"\ndimension = 4\n')
    return tmp_path


def processes_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Server, worker and whatever they started."""
    return psutil.Process(process.pid).children(recursive=True)


def test_serving_twice_gives_the_same_objects_and_leaves_no_process(folder: Path) -> None:
    """Served, stopped and served again: ids stay, nothing doubles; a second one at the same time starts nothing."""
    port = free_port()
    with served(folder, port) as process:
        text = greeted(folder)
        again = subprocess.run(
            process.args, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        )
        server = Served(folder / "home", port, hardening.secret(folder / "home"), {})
        until("the worker", lambda: server.post("/work_pools/mendory/workers/filter", {}))
        first = {key for key in snapshot(server) if not key.startswith("flow runs")}
        held = processes_of(process)
    left = [one for one in held if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    stopped = process.returncode
    with served(folder, port) as process:
        greeted(folder)
        second = {key for key in snapshot(server) if not key.startswith("flow runs")}
        process.send_signal(signal.SIGINT)  # as Ctrl-C
        process.wait(90)
        last = said(folder)

    assert re.search(rf"Served at http://127\.0\.0\.1:{port} since \d\d:\d\d UTC, on this machine only", text)
    assert str(folder / "home" / "sign-in") in text
    assert "cron 0 * * * * UTC, looks and plans only; --apply lets it repair" in text
    assert server.auth.partition(":")[2] not in text
    assert 0 == again.returncode
    assert f"Already served: http://127.0.0.1:{port} by process" in again.stdout
    assert 2 <= len(held)
    assert [] == left
    assert 0 == stopped
    assert first == second
    assert 0 == process.returncode
    assert "Stopped: server and worker have ended." in last


def test_a_busy_port_is_named_and_nothing_starts(folder: Path) -> None:
    """The message says which port and what to do; the exit code is 1."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with served(folder, port) as process:
            process.wait(120)

    assert 1 == process.returncode
    assert f"Port {port} on 127.0.0.1 is taken by another program. Nothing was started." in said(folder)


def test_a_worker_that_ends_by_itself_stops_the_server_too(folder: Path) -> None:
    """Nothing is left that looks served and repairs nothing; the exit code is 1 and the log is named."""
    port = free_port()
    with served(folder, port) as process:
        greeted(folder)
        [worker] = [one for one in processes_of(process) if "worker" in one.cmdline()]
        worker.kill()
        process.wait(90)

    assert 1 == process.returncode
    assert "The worker ended by itself with -9; both were stopped." in said(folder)
    with socket.socket() as tried:
        assert 0 != tried.connect_ex(("127.0.0.1", port)), "nobody listens any more"
