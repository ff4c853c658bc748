"""Where a round keeps its ledger: in its folder, or in a schema of its own on a server the campaign was given."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = "ledger.db"
_URL = "ledger.url"


def ledger_url(folder: Path) -> str:
    """The URL of the round's ledger."""
    told = folder / _URL
    return told.read_text() if told.exists() else f"sqlite:///{folder / FILE}"


@contextmanager
def on_server(folder: Path, server: str) -> Iterator[None]:
    """Inside the block the round's ledger is in a new schema of the database `server`; with "" it is in its folder."""
    if not server:
        yield
        return
    import psycopg

    schema = f"crash_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        try:
            (folder / _URL).write_text(f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{schema}")
            yield
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())
