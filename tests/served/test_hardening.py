"""The server is locked: what each setting is for is tried against a running one."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.served.kit import ROOT, Served

pytestmark = [pytest.mark.served, pytest.mark.xdist_group("prefect")]
EVIL = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
PATHS = [
    ("POST", "/api/flow_runs/filter"),
    ("POST", "/api/flow_runs/00000000-0000-0000-0000-000000000001/resume"),
    ("POST", "/api/deployments/filter"),
    ("GET", "/api/admin/settings"),
    ("GET", "/api/csrf-token?client=x"),
    ("POST", "/api/events"),
]


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_nobody_asks_anything_without_signing_in(server: Served, method: str, path: str) -> None:
    """Without the secret, with a wrong one, and with a valid token alone, nothing is answered."""
    body = {} if method == "POST" else None
    wrong = {"authorization": "Basic bWVuZG9yeTpndWVzc2Vk"}

    assert server.request(method, path, body, signed=False)[0] in (401, 403)
    assert 401 == server.request(method, path, body, server.token(), signed=False)[0]
    assert 401 == server.request(method, path, body, server.token() | wrong, signed=False)[0]


def test_pages_and_health_are_readable_and_tell_nothing(server: Served) -> None:
    """Both pages and the health check answer to anybody; the secret and the objects of the server are not in them."""
    for path in ("/", "/v2/", "/openapi.json", "/api/health", "/ui-settings", "/v2/ui-settings"):
        status, _, told = server.request("GET", path, signed=False)
        assert status in (200, 404), path
        assert server.auth.partition(":")[2] not in str(told), path
    assert 200 == server.request("GET", "/", signed=False)[0]


def test_another_site_may_not_ask(server: Served) -> None:
    """A browser that asks for a foreign page is refused; for the server's own page it is let in."""
    status, headers, _ = server.request("OPTIONS", "/api/flow_runs/filter", headers=EVIL, signed=False)
    own = EVIL | {"Origin": server.url}
    own_status, own_headers, _ = server.request("OPTIONS", "/api/flow_runs/filter", headers=own, signed=False)
    named = {name.lower(): value for name, value in headers.items()}

    assert 400 == status
    assert "access-control-allow-origin" not in named
    assert 200 == own_status
    assert server.url == {n.lower(): v for n, v in own_headers.items()}["access-control-allow-origin"]


def test_a_signed_request_without_the_token_changes_nothing(server: Served) -> None:
    """A forged request that the browser signed by itself is refused; with the token it is taken."""
    flow = {"name": "forged"}

    assert 403 == server.request("POST", "/api/flows/", flow)[0]
    assert [] == [f for f in server.post("/flows/filter", {}) if f["name"] == "forged"]
    assert 201 == server.request("POST", "/api/flows/", {"name": "mine"}, server.token())[0]
    [mine] = [f for f in server.post("/flows/filter", {}) if f["name"] == "mine"]
    assert 204 == server.request("DELETE", f"/api/flows/{mine['id']}", headers=server.token())[0]


def test_the_server_runs_with_the_settings_of_the_page(server: Served) -> None:
    """What the server itself says of its settings is what docs/serving.md promises."""
    told = server.get("/admin/settings")

    assert False is told["server"]["analytics_enabled"]
    assert False is told["server"]["ui"]["show_promotional_content"]
    assert True is told["server"]["api"]["csrf_protection_enabled"]
    assert server.url == told["server"]["api"]["cors_allowed_origins"]
    assert "127.0.0.1" == told["server"]["api"]["host"]
    assert "json" == told["results"]["default_serializer"]
    assert told["server"]["concurrency"]["lease_storage"].endswith("filesystem")
    assert server.auth not in str(told)


def test_it_listens_and_talks_on_loopback_alone(server: Served) -> None:
    """No socket of the server's processes is open to, or connected with, another machine."""
    assert server.process is not None
    process = psutil.Process(server.process.pid)
    held = [c for one in (process, *process.children(recursive=True)) for c in one.net_connections("inet")]

    assert {"127.0.0.1"} == {c.laddr.ip for c in held if c.status == psutil.CONN_LISTEN}
    assert set() == {c.raddr.ip for c in held if c.raddr} - {"127.0.0.1", "::1"}


def test_the_secret_is_in_no_argument_and_no_log(server: Served) -> None:
    """What others on the machine can read names the secret nowhere, and the files of the home are its owner's."""
    assert server.process is not None
    word = server.auth.partition(":")[2]
    argv = Path(f"/proc/{server.process.pid}/cmdline").read_bytes().decode()
    logs = {path: path.read_text(errors="replace") for path in server.home.glob("*.log*")}
    held = [path for path in server.home.rglob("*") if path.is_file()]

    assert word not in argv
    assert logs
    assert [] == [str(path) for path, text in logs.items() if word in text]
    assert [] == [str(path) for path in held if path.name == "prefect.db" and path.stat().st_mode & 0o077]
    assert 0 == server.home.stat().st_mode & 0o077


def test_a_pickle_in_the_place_of_a_result_is_not_executed(server: Served, tmp_path: Path) -> None:
    """With the settings of a worker, a crafted blob is refused as no JSON; the same blob as a pickle would have run."""

    class Crafted:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (eval, (f"open({str(tmp_path / 'ran')!r}, 'w').close()",))

    blob = tmp_path / "blob"
    blob.write_bytes(pickle.dumps(Crafted()))
    code = (
        "import sys, pathlib\n"
        "from prefect.results import get_default_result_serializer\n"
        "found = get_default_result_serializer()\n"
        "try:\n    found.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "except ValueError as error:\n    print(found.type, 'refused')\n"
    )
    command = [sys.executable, "-c", code, str(blob)]
    done = subprocess.run(command, env=server.settings(tmp_path / "home"), cwd=ROOT, capture_output=True, text=True)

    assert "json refused" == done.stdout.strip(), done.stderr
    assert not (tmp_path / "ran").exists()
    pickle.loads(blob.read_bytes())  # noqa: S301 - the control: this blob is a live one
    assert (tmp_path / "ran").exists()
