"""The server all tests of this folder share, and a worker for a test: see tests/served/kit.py for what they can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

import pytest

from tests.served.kit import LISTS, Served, serving, working


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


@pytest.fixture(autouse=True)
def withdrawn(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test puts on the shared server goes with it, as far as the server would go on working for it.

    Each deployed table has four schedules and three automations: sixty of them left behind keep the server so busy,
    with runs that are made, late and cancelled, that its database is locked for whoever comes later.
    """
    if "server" not in request.fixturenames:
        yield
        return
    served: Served = request.getfixturevalue("server")
    before = _at_work(served)
    yield
    for path in [path for path in _at_work(served) if path not in before]:
        served.change("DELETE", path)


def _at_work(served: Served) -> list[str]:
    """Where the objects are that make a server work by itself, in the order in which they can be taken away."""
    found = []
    for kind, name in (("automations", "id"), ("deployments", "id"), ("work pools", "name")):
        path, body = LISTS[kind]
        found += [f"{path.removesuffix('/filter')}/{one[name]}" for one in served.post(path, {"limit": 200} | body)]
    return found
