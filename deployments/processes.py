"""The server and the worker as processes of ours: started, waited for, and stopped by their own ids."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from deployments.hardening import HOST, origin
from mendory.errors import InputInvalid, Unavailable

STARTED_WITHIN: Final = 180.0
"""Seconds until the server answers: the first start makes its database, and the machine may be busy."""
ENDED_WITHIN: Final = 30.0


def server_command(port: int) -> list[str]:
    """Starts the server; the secret is in its environment, never among its arguments."""
    return [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(port)]


def worker_command(pool: str, name: str, limit: int = 1, python: str = sys.executable) -> list[str]:
    """Starts a worker of the pool."""
    options = ["--pool", pool, "--name", name, "--limit", str(limit), "--type", "process"]
    return [python, "-m", "prefect", "worker", "start", *options]


def start(command: list[str], environ: Mapping[str, str], log: Path, folder: Path) -> subprocess.Popen[bytes]:
    """The process runs in a session of its own, where Ctrl-C does not reach it; its files are its owner's alone."""
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            env=dict(environ),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
        )


def stop(process: subprocess.Popen[bytes], within: float = ENDED_WITHIN) -> None:
    """The process and whatever it started have ended."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(within)
        except subprocess.TimeoutExpired:
            process.kill()
    # its session holds only what it started: a run of a worker that was killed
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """A port of this machine's loopback that nobody listens on."""
    with socket.socket() as tried:
        tried.bind((HOST, 0))
        return int(tried.getsockname()[1])


def port_must_be_free(port: int) -> None:
    """Return when somebody may listen on the port, else raise InputInvalid."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError:
            raise InputInvalid(
                f"Port {port} on {HOST} is taken by another program. Nothing was started. Name another with --port."
            ) from None


def wait_healthy(process: subprocess.Popen[bytes], port: int, log: Path, pause: Callable[[float], None]) -> None:
    """Return once the server answers. Raises Unavailable when it ended or took too long."""
    deadline = time.monotonic() + STARTED_WITHIN
    open_without_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with open_without_proxy(f"{origin(port)}/api/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        pause(0.3)
    how = "did not answer in time" if process.poll() is None else f"ended with {process.poll()}"
    raise Unavailable(f"The server on port {port} {how}. No worker was started. See {log}, mend it and start again.")
