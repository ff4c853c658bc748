"""Helpers around a real server: its process, clients of it, workers, and waiting with a deadline. No fixtures here."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from click.testing import CliRunner, Result
from prefect.logging.handlers import APILogWorker
from prefect.settings import PREFECT_API_AUTH_STRING, PREFECT_API_URL, PREFECT_HOME, temporary_settings

from deployments import hardening, processes
from mendory.cli import main

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")


def until(what: str, ask: Callable[[], T | None], within: float = 300.0, pause: float = 0.5) -> T:
    """The first answer that is true; when none came in time the test fails and names what it waited for."""
    deadline = time.monotonic() + within
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {within:g} s for {what}; the last answer was {answer!r}")
        time.sleep(pause)


@dataclass
class Served:
    """A running server: where it is, how one signs in, and its processes."""

    home: Path
    port: int
    auth: str = field(repr=False)
    environ: dict[str, str] = field(repr=False)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address a browser opens."""
        return hardening.origin(self.port)

    def start(self) -> None:
        """The server answers; its database is that of its home."""
        log = self.home / "server.log"
        settings = self.environ | hardening.server(self.home, self.port, self.auth)
        self.process = processes.start(processes.server_command(self.port), settings, log, ROOT)
        processes.wait_healthy(self.process, self.port, log, time.sleep)

    def stop(self) -> None:
        """The server has ended, as by SIGTERM."""
        if self.process is not None:
            processes.stop(self.process)
            self.process = None

    def kill(self) -> None:
        """The server has ended, as by kill -9."""
        assert self.process is not None
        self.process.kill()
        self.stop()

    def settings(self, home: Path | None = None) -> dict[str, str]:
        """The environment of a client or worker; with a home of its own it shares no file with the server."""
        return self.environ | hardening.client(home or self.home, self.port, self.auth) | FAST

    def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, signed: bool = True
    ) -> tuple[int, dict[str, str], Any]:
        """(status, headers, JSON or text) of one plain HTTP request, without Prefect's client."""
        data = None if body is None else json.dumps(body).encode()
        sent = {"content-type": "application/json"} | dict(headers or {})
        if signed:
            sent["authorization"] = "Basic " + base64.b64encode(self.auth.encode()).decode()
        asked = urllib.request.Request(self.url + path, data, sent, method=method)  # noqa: S310
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=30) as answer:
                return answer.status, dict(answer.headers), _read(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), _read(error.read())

    @staticmethod
    def patient(ask: Callable[[], tuple[int, dict[str, str], Any]]) -> tuple[int, dict[str, str], Any]:
        """The answer, asked again while another write holds the server's database, as Prefect's own client does."""
        answer = ask()
        for _ in range(20):
            if answer[0] != 503:
                break
            time.sleep(0.5)
            answer = ask()
        return answer

    def token(self) -> dict[str, str]:
        """The headers that prove that a request is no forged one; they hold until the next are asked for."""
        _, _, told = self.patient(lambda: self.request("GET", "/api/csrf-token?client=kit"))
        return {"Prefect-Csrf-Token": told["token"], "Prefect-Csrf-Client": "kit"}

    def post(self, path: str, body: Any) -> Any:
        """The answer to a signed request with a token; fails the test unless it succeeds."""
        return self._asked("POST", path, body)

    def get(self, path: str) -> Any:
        """What is at the path; fails the test unless it is there."""
        return self._asked("GET", path, None)

    def change(self, method: str, path: str, body: Any = None) -> None:
        """PATCH, PUT or DELETE; fails the test unless it succeeds."""
        self._asked(method, path, body)

    def _asked(self, method: str, path: str, body: Any) -> Any:
        # a forged reading gains nothing: only what changes something is asked for a token
        token = (lambda: None) if method == "GET" else self.token
        status, _, told = self.patient(lambda: self.request(method, f"/api{path}", body, token()))
        assert status < 300, (method, path, status, told)
        return told

    def run_of(self, flow_run_id: str) -> dict[str, Any]:
        """A flow run as the server tells it."""
        told: dict[str, Any] = self.get(f"/flow_runs/{flow_run_id}")
        return told

    def state(self, flow_run_id: str, *names: str, within: float = 300.0) -> dict[str, Any]:
        """The flow run once its state has one of these names; fails the test when it takes too long."""

        def reached() -> dict[str, Any] | None:
            run = self.run_of(flow_run_id)
            return run if run["state"]["name"] in names else None

        return until(f"flow run {flow_run_id} to be {' or '.join(names)}", reached, within)

    def invoke(self, *words: str) -> Result:
        """The command line in this process, as a client of this server: Prefect is not imported again."""
        named = {
            PREFECT_API_URL: f"{self.url}/api",
            PREFECT_API_AUTH_STRING: self.auth,
            PREFECT_HOME: self.home,
        }
        with temporary_settings(named):
            return CliRunner().invoke(main, list(words))

    def mendory(self, *words: str, python: str = sys.executable, **environ: str) -> subprocess.CompletedProcess[str]:
        """The command line, run as a client of this server."""
        command = [python, "-m", "mendory", *words]
        return subprocess.run(
            command, cwd=self.home, env=self.settings() | environ, capture_output=True, text=True, timeout=180
        )


FAST = {"PREFECT_WORKER_QUERY_SECONDS": "1", "PREFECT_WORKER_HEARTBEAT_SECONDS": "5"}
"""A test does not wait as long as a worker at night may."""


def _read(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")


@contextmanager
def serving(home: Path, **settings: str) -> Iterator[Served]:
    """A hardened server on a free port in `home` until the block ends; further settings of its environment as given."""
    auth = hardening.secret(home)
    environ = hardening.outside(os.environ) | {"PYTHONPATH": str(ROOT)} | settings
    served = Served(home, processes.free_port(), auth, environ)
    try:
        served.start()
        yield served
    finally:
        # what flows of this process still have to tell is told while there is somebody to hear it: the thread that
        # does so would else write its complaints into the output of whatever test comes next
        APILogWorker.drain_all(timeout=20)
        served.stop()


@contextmanager
def working(served: Served, pool: str, home: Path, python: str = sys.executable, **settings: str) -> Iterator[Any]:
    """A worker of the pool with a home of its own until the block ends; it may be killed meanwhile."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    environ = served.settings(home) | settings
    command = processes.worker_command(pool, f"test-{home.name}", python=python)
    worker = processes.start(command, environ, home / "worker.log", home)
    try:
        yield worker
    finally:
        processes.stop(worker)


LISTS = {
    "work pools": ("/work_pools/filter", {}),
    "work queues": ("/work_queues/filter", {}),
    "deployments": ("/deployments/filter", {}),
    "automations": ("/automations/filter", {}),
    "flows": ("/flows/filter", {}),
    "flow runs": ("/flow_runs/filter", {}),
    "concurrency limits": ("/v2/concurrency_limits/filter", {}),
    "tag limits": ("/concurrency_limits/filter", {}),
    "variables": ("/variables/filter", {}),
    "block documents": ("/block_documents/filter", {"include_secrets": False}),
    "artifacts": ("/artifacts/filter", {}),
}


def snapshot(served: Served) -> dict[str, dict[str, Any]]:
    """Everything on the server: kind and id → the object as the server tells it, each field of it."""
    found = {}
    for kind, (path, body) in LISTS.items():
        for one in served.post(path, {"limit": 200} | body):
            found[f"{kind} {one['id']}"] = {k: v for k, v in one.items() if k not in MOVING}
    return found


MOVING = frozenset({"estimated_run_time", "estimated_start_time_delta", "active_slots"})
"""Fields that a server reckons whenever it is asked: from its clock, and from the runs under way."""


def settled(held: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A snapshot without the runs that the server's own scheduler made from a schedule, as it does at any moment."""
    return {key: one for key, one in held.items() if "auto-scheduled" not in one.get("tags", ())}
