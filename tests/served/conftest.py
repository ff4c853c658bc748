"""The server all tests of this folder share, and a worker for a test: see tests/served/kit.py for what they can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

import pytest

from tests.served.kit import Served, serving, working


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A hardened server without any object of ours on it. Shared: use a prefix and pool of your own."""
    with serving(tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture
def worker(server: Served, tmp_path: Path) -> Iterator[Callable[..., Popen[bytes]]]:
    """`worker(pool)` starts a worker of the pool with a home of its own; it is stopped when the test ends."""
    with ExitStack() as stack:

        def start(pool: str, name: str = "worker", **settings: str) -> Popen[bytes]:
            process: Popen[bytes] = stack.enter_context(working(server, pool, tmp_path / name, **settings))
            return process

        yield start
