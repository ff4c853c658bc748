"""A private PostgreSQL for the tests: on a free loopback port, with a random password, gone with the process."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from deployments.processes import free_port
from mendory.ledger import Ledger

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "on",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "max_wal_size": "64MB",
    "min_wal_size": "32MB",
    "autovacuum": "off",
    "log_min_messages": "fatal",
}
_INITDB = ("-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
_DATABASE = "ledgers"


def binaries() -> Path | None:
    """The folder of `initdb` and `postgres`: on PATH, or where Debian keeps the newest release; None without one."""
    on_path = shutil.which("initdb")
    if on_path is not None and (Path(on_path).parent / "postgres").exists():
        return Path(on_path).parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    return found[-1].parent if found else None


class Server:
    """A running server; `url` and `fresh` give databases on it."""

    def __init__(self, folder: Path, tools: Path) -> None:
        self._folder, self._tools = folder, tools
        self.password = secrets.token_urlsafe(12)
        self.port = free_port()
        self._made = 0
        self._ledger: str | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._as = _other_user()

    def url(self, schema: str = "", role: str = "mendory", password: str | None = None) -> str:
        """The ledger URL of a schema, with the password in it."""
        tail = f"?options={quote(f'-csearch_path={schema}')}" if schema else ""
        return f"postgresql://{role}:{password or self.password}@127.0.0.1:{self.port}/{_DATABASE}{tail}"

    def fresh(self) -> str:
        """The URL of a new place with nothing in it."""
        self._made += 1
        self.do(f"CREATE SCHEMA t{self._made} AUTHORIZATION mendory")
        return self.url(f"t{self._made}")

    def emptied(self) -> str:
        """The URL of a ledger that holds nothing; always the same one, since making one takes longer than a test."""
        if self._ledger is None:
            self._ledger = self.fresh()
            Ledger.open(self._ledger).close()
        schema = self.schema_of(self._ledger)
        names = self.one(
            "SELECT string_agg(format('DELETE FROM %%I.%%I', schemaname, tablename), ';') FROM pg_tables"
            " WHERE schemaname = %s AND tablename <> 'alembic_version'",
            schema,
        )
        # as an administrator who also ignores foreign keys
        self.do(f"SET session_replication_role = replica; {names}")
        return self._ledger

    @staticmethod
    def schema_of(url: str) -> str:
        """The schema in the URL."""
        return url.rpartition("search_path%3D")[2]

    def do(self, statement: str, database: str = _DATABASE) -> None:
        """The administrator executes it, outside any transaction of ours."""
        with self.connect(database) as connection:
            connection.execute(statement.encode())

    def one(self, query: str, *values: Any) -> Any:
        """The first value of what the administrator is told."""
        with self.connect() as connection:
            row = connection.execute(query.encode(), values).fetchone()
        return row[0] if row else None

    def dumped(self, database: str) -> bytes:
        """Everything in the database, as `pg_dump` writes it."""
        link = ["--host=127.0.0.1", f"--port={self.port}", "--username=postgres", database]
        environ = os.environ | {"PGPASSWORD": self.password}
        done = subprocess.run(
            [self._tools.joinpath("initdb").resolve().with_name("pg_dump"), *link],
            env=environ,
            capture_output=True,
            check=True,
        )
        return done.stdout

    def connect(self, database: str = _DATABASE) -> psycopg.Connection[Any]:
        """The administrator's connection."""
        link = {"host": "127.0.0.1", "port": self.port, "user": "postgres", "password": self.password}
        return psycopg.connect(**link, dbname=database, autocommit=True)

    def start(self) -> None:
        """The server answers; its data are made when they are not there."""
        data, log = self._folder / "data", self._folder / "log"
        new = not data.exists()
        if new:
            secret = self._folder / "password"
            secret.write_text(self.password)
            self._hand_over()
            self._run("initdb", "-D", data, "-U", "postgres", "--auth=scram-sha-256", f"--pwfile={secret}", *_INITDB)
        settings = [f"-c{k}={v}" for k, v in _SETTINGS.items()]
        command = [self._tools / "postgres", "-D", data, "-p", self.port, "-k", self._folder, *settings]
        until = time.monotonic() + 60
        while not self._answers(command, log, until):
            # children of one that was killed hold its memory until they have seen that it is gone
            if "still in use" not in log.read_text()[-800:] or time.monotonic() > until:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()[-800:]}")
            time.sleep(0.2)
        if new:
            self._make_database()

    def _answers(self, command: list[Any], log: Path, until: float) -> bool:
        """Whether the server, started with this command, answers in time."""
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [*self._as, *map(str, command)], stdout=out, stderr=out, cwd=self._folder, start_new_session=True
            )
        while self._process.poll() is None and time.monotonic() < until:
            try:
                self.connect("postgres").close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return True
        return False

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """The server is gone: with SIGINT at once and cleanly, with SIGKILL as in a power cut."""
        if self._process is not None and self._process.poll() is None:
            if number is signal.SIGKILL:
                # its children too: one that has not seen yet that it is gone would still commit
                pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
                children = Path(f"/proc/{pid}/task/{pid}/children")
                for one in (pid, *map(int, children.read_text().split() if children.exists() else ())):
                    with suppress(ProcessLookupError):
                        os.kill(one, number)
            else:
                self._process.send_signal(number)
            self._process.wait(60)

    def _make_database(self) -> None:
        self.do(f"CREATE ROLE mendory LOGIN PASSWORD '{self.password}'", "postgres")
        made = f"CREATE DATABASE {_DATABASE} OWNER mendory TEMPLATE template0"
        try:
            # sorts as people do, not by bytes: the ledger must not mind
            self.do(f"{made} LOCALE_PROVIDER icu ICU_LOCALE 'en'", "postgres")
        except psycopg.Error:
            self.do(made, "postgres")

    def _hand_over(self) -> None:
        if self._as:
            owner = pwd.getpwnam(self._as[2].removeprefix("--reuid="))
            for path in (self._folder, *self._folder.rglob("*")):
                os.chown(path, owner.pw_uid, owner.pw_gid)

    def _run(self, tool: str, *words: Any) -> None:
        command = [*self._as, str(self._tools / tool), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self._folder, check=False)
        if done.returncode:
            raise RuntimeError(f"{tool} failed: {done.stderr[-800:]}")


@contextmanager
def serving(tools: Path) -> Iterator[Server]:
    """A server that is stopped and whose data are gone when the block ends."""
    # not pytest's own folder: another user must be able to enter it, and the path of a socket is short
    folder = Path(tempfile.mkdtemp(prefix="mendory-pg-"))
    server = Server(folder, tools)
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)  # its data go with it
        shutil.rmtree(folder, ignore_errors=True)


def _other_user() -> list[str]:
    """What runs a command as somebody else than root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return []
    known = {u.pw_name for u in pwd.getpwall()}
    name = "postgres" if "postgres" in known else "nobody"
    return ["setpriv", "--init-groups", f"--reuid={name}", f"--regid={pwd.getpwnam(name).pw_gid}", "--"]
