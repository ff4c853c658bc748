"""A server, its deployments and a worker on this machine, until Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from deployments import hardening, processes
from deployments.objects import Order
from mendory.config import Config
from mendory.errors import Unavailable

ROOT: Final = Path(__file__).resolve().parent.parent
HOME: Final = ROOT / ".prefect" / "serve"
PORT: Final = 4200
POOL: Final = "mendory"
PREFIX: Final = "mendory-"


@dataclass(frozen=True)
class Serving:
    """What is served from where."""

    config: Path
    home: Path = HOME
    port: int = PORT
    dry_run: bool | None = None

    @property
    def order(self) -> Order:
        """What is deployed."""
        return Order(PREFIX, POOL, str(self.config.resolve()), self.dry_run)


def serve(serving: Serving, say: Callable[[str], None], environ: Mapping[str, str]) -> int:
    """Server and worker ran until a signal came, and both ended; 0, or 1 when one of them ended by itself."""
    Config.load(serving.config)
    auth = hardening.secret(serving.home)
    with ExitStack() as stack:
        if not stack.enter_context(_alone(serving)):
            held = (serving.home / "serving").read_text(encoding="utf-8").strip()
            say(f"Already served: {held}. Nothing was started. Stop that one first to serve anew.")
            return 0
        told = stack.enter_context(_signals())
        processes.port_must_be_free(serving.port)
        outside = hardening.outside(environ) | {"PYTHONPATH": _path(environ)}
        log = _log(serving.home, "server")
        say(f"Starting Prefect's server; the first start takes a little longer. Its log: {log}")
        locked = outside | hardening.server(serving.home, serving.port, auth)
        server = processes.start(processes.server_command(serving.port), locked, log, ROOT)
        stack.callback(processes.stop, server)
        processes.wait_healthy(server, serving.port, log, told.pause)
        settings = outside | hardening.client(serving.home, serving.port, auth)
        for line in _deploy(serving, settings):
            say(line)
        command = processes.worker_command(POOL, f"serve-{os.getpid()}")
        worker = processes.start(command, settings, _log(serving.home, "worker"), ROOT)
        stack.callback(processes.stop, worker)
        _greet(serving, say)
        while server.poll() is None and worker.poll() is None:
            told.pause(1.0)
        ended = "server" if server.poll() is not None else "worker"
        raise Unavailable(
            f"The {ended} ended by itself with {(server if ended == 'server' else worker).poll()}; both were stopped. "
            f"What it was doing is taken up by the next run. See {serving.home / f'{ended}.log'} and serve again."
        )


class Stopped(Exception):
    """A person or the system asked us to stop."""


class _Told:
    """Whether a signal came; waiting ends when one does."""

    def pause(self, seconds: float) -> None:
        """That long has passed, unless a signal came: then Stopped is raised, from the signal's own place."""
        time.sleep(seconds)


@contextmanager
def _signals() -> Iterator[_Told]:
    """Inside, SIGINT and SIGTERM raise Stopped once; while all is being stopped further ones are not heard."""

    def heard(*_: Any) -> None:
        for one in before:
            signal.signal(one, signal.SIG_IGN)
        raise Stopped

    before: dict[signal.Signals, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.getsignal(number)
        signal.signal(number, heard)
    try:
        yield _Told()
    finally:
        for number in before:
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def _alone(serving: Serving) -> Iterator[bool]:
    """True when no other process serves from the home; it then says who does."""
    with (serving.home / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        said = f"{hardening.origin(serving.port)} by process {os.getpid()}, for {serving.config}"
        (serving.home / "serving").write_text(f"{said}\n", encoding="utf-8")
        yield True


def _path(environ: Mapping[str, str]) -> str:
    """The checkout first, so that a run finds the flows also where the checkout is not installed."""
    return os.pathsep.join([str(ROOT), *filter(None, [environ.get("PYTHONPATH")])])


def _log(home: Path, name: str) -> Path:
    """An empty log that only its owner reads; the one before is kept beside it."""
    log = home / f"{name}.log"
    if log.exists():
        log.replace(log.with_suffix(".log.1"))
    log.touch(mode=0o600)
    return log


def _deploy(serving: Serving, settings: Mapping[str, str]) -> list[str]:
    """Deploys in a process of its own: Prefect reads its settings once, when it is imported."""
    order = serving.order
    command = [sys.executable, "-m", "deployments", "into", "--prefix", order.prefix, "--pool", order.pool]
    command += ["--config", order.config]
    command += [] if order.dry_run is None else ["--dry-run" if order.dry_run else "--apply"]
    done = subprocess.run(command, env=dict(settings), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"Nothing is scheduled: {done.stderr.strip()[-1500:]}")
    return done.stdout.splitlines()


def _greet(serving: Serving, say: Callable[[str], None]) -> None:
    say(f"Served at {hardening.origin(serving.port)} since {datetime.now(UTC):%H:%M} UTC, on this machine only.")
    say(f"Sign in with the one line of {hardening.secret_file(serving.home)} (user {hardening.USER}).")
    say("Stop with Ctrl-C. What waits for a person goes on waiting.")
