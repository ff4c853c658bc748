"""How a server on this machine is locked: every setting of it, and those its clients need. Why: docs/serving.md."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

HOST: Final = "127.0.0.1"
USER: Final = "mendory"
_KEPT: Final = ("PREFECT_API_DATABASE_CONNECTION_URL", "PREFECT_SERVER_DATABASE_CONNECTION_URL")
"""The only settings of Prefect that pass through from outside: where its own database is."""


def origin(port: int) -> str:
    """The one address pages of the server come from."""
    return f"http://{HOST}:{port}"


def server(home: Path, port: int, auth: str) -> dict[str, str]:
    """The settings of the server's process."""
    return client(home, port, auth) | {
        "PREFECT_SERVER_API_HOST": HOST,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_API_AUTH_STRING": auth,
        "PREFECT_SERVER_CSRF_PROTECTION_ENABLED": "true",
        "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": origin(port),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        # the newer pages ask a host of analytics whatever is set: they are there, under /v2/, for who wants them
        "PREFECT_SERVER_UI_V2_ENABLED": "false",
        "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
        "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
    }


def client(home: Path, port: int, auth: str) -> dict[str, str]:
    """The settings of a worker, of the runs it starts, and of whoever deploys."""
    return {
        "PREFECT_HOME": str(home),
        "PREFECT_PROFILES_PATH": str(home / "profiles.toml"),
        "PREFECT_API_URL": f"{origin(port)}/api",
        "PREFECT_API_AUTH_STRING": auth,
        "PREFECT_CLIENT_CSRF_SUPPORT_ENABLED": "true",
        "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",
        "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30",
        "PREFECT_WORKER_QUERY_SECONDS": "5",
        "PREFECT_UI_URL": f"{origin(port)}/v2",  # the older pages do not ask who follows a link to sign in
        "DO_NOT_TRACK": "1",
        "GX_ANALYTICS_ENABLED": "false",
        "RUST_LOG": "error",
        "TOKENIZERS_PARALLELISM": "false",
        "NO_PROXY": HOST,
        "no_proxy": HOST,
    }


def outside(environ: Mapping[str, str]) -> dict[str, str]:
    """What passes through from outside: nothing of Prefect's but its database; no stray setting loosens a lock."""
    return {name: value for name, value in environ.items() if not name.startswith("PREFECT_") or name in _KEPT}


def secret(home: Path) -> str:
    """The words a person signs in with, made on the first call and kept in a file that only its owner reads."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    home.chmod(0o700)
    path = secret_file(home)
    if not path.exists():
        fresh = path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        fresh.touch(mode=0o600)
        fresh.write_text(f"{USER}:{secrets.token_urlsafe(24)}\n", encoding="ascii")
        fresh.rename(path)
    path.chmod(0o600)
    return path.read_text(encoding="ascii").strip()


def secret_file(home: Path) -> Path:
    """Where those words are."""
    return home / "sign-in"
