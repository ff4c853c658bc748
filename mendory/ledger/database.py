"""Where a ledger is kept, and how its transactions begin: a SQLite file, or PostgreSQL for several machines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from mendory.errors import ConfigInvalid, DependencyMissing, LedgerCorrupt, LedgerMismatch, MendoryError, Unavailable

_SERVER: Final = re.compile(r"(?:postgres|postgresql|postgresql\+psycopg)://")
_SECRETS: Final = ((re.compile(r":(?!//).*@"), ":***@"), (re.compile(r"(password\s*=\s*)[^&\s]*"), r"\1***"))

# a worker that loses its network or stands still must not hold the others up for long
_LINK: Final = {
    "application_name": "mendory",
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
# SET LOCAL, not options of the connection: a pooler in between hands a transaction to any session
_LIMITS: Final = (
    "SET LOCAL lock_timeout = '30s'; SET LOCAL statement_timeout = '300s';"
    " SET LOCAL idle_in_transaction_session_timeout = '60s'"
)
_READING: Final = f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; {_LIMITS}"
# a receipt is on disk before the next word is said, whatever the server's default is; stronger ones stay
_DURABLE: Final = (
    "SELECT set_config('synchronous_commit', 'on', true)"
    " WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')"
)
# One writing transaction at a time in a schema, as SQLite's BEGIN IMMEDIATE: every one appends to the chain, so
# SERIALIZABLE would only fail and repeat them. READ COMMITTED, since the snapshot must be younger than the lock.
_TURN: Final = (
    "SELECT pg_advisory_xact_lock(1835363940, oid::int4) FROM pg_catalog.pg_namespace WHERE nspname = current_schema()"
)
_WRITING: Final = f"SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE; {_LIMITS}; {_DURABLE}; {_TURN}"
_THERE: Final = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = 'chain'"
_PLACE: Final = "SELECT current_schema(), current_setting('server_encoding')"
_SAFE: Final = "SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'"
_SIZE: Final = (
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class c"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'"
)


def shown(url: str) -> str:
    """The URL as it may be told to anybody: without a password."""
    if url.startswith("sqlite"):
        return url
    for secret, instead in _SECRETS:
        url = secret.sub(instead, url)
    return url


def on_server(url: str) -> bool:
    """True for PostgreSQL, False for SQLite; raises ConfigInvalid for anything else."""
    if _SERVER.match(url):
        return True
    try:
        if sa.make_url(url).get_backend_name() == "sqlite":
            return False
    except (sa.exc.ArgumentError, ValueError):
        pass
    raise ConfigInvalid(
        f"ledger.url '{shown(url)}' names no database a ledger is kept in. Nothing was done. "
        "Write sqlite:///path or postgresql://…"
    )


def file_of(url: str) -> Path | None:
    """The file of a SQLite ledger; None for one in memory or on a server."""
    if on_server(url):
        return None
    path = sa.make_url(url).database
    return None if path in (None, "", ":memory:") else Path(str(path))


def exists(url: str) -> bool:
    """True when there is a ledger at `url`; nothing is made. Raises Unavailable when its server does not answer."""
    path = file_of(url)
    if path is not None:
        return path.exists()
    return not on_server(url) or bool(fetched(url, _THERE))


def fetched(url: str, query: str, values: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    """What the query gives on the server, in a connection of its own that can't write."""
    import psycopg

    try:
        with psycopg.connect(**_link(url)) as connection:
            connection.read_only = True
            return connection.execute(query.encode(), values).fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
        return []  # none yet, or an older one
    except psycopg.Error as error:
        raise Unavailable(
            f"The ledger can't be read now: {_words(error)}. Nothing was done. "
            "See that its server answers and ledger.url is right, then try again."
        ) from None


def engine(url: str) -> sa.Engine:
    """The engine for that URL. Its transactions see nothing half done: one writes at a time, and readers wait for none.

    A connection says `reading=True` among its options when it does not write.
    """
    return _server_engine(url) if on_server(url) else _file_engine(url)


def check_place(conn: sa.Connection) -> None:
    """Return when the server has a place that can hold a ledger; else raise ConfigInvalid."""
    if conn.dialect.name != "postgresql":
        return
    schema, encoding = conn.exec_driver_sql(_PLACE).one()
    if schema is None or encoding != "UTF8":
        wrong = "the schema it names does not exist" if schema is None else f"that database is in {encoding}, not UTF8"
        raise ConfigInvalid(
            f"ledger.url can't be used: {wrong}. Nothing was done. See docs/postgresql.md for how to make one."
        )


def size(conn: sa.Connection) -> int:
    """How many bytes the ledger takes on disk."""
    if conn.dialect.name == "postgresql":
        return int(conn.exec_driver_sql(_SIZE).scalar_one())
    pages, bytes_each = (conn.exec_driver_sql(f"PRAGMA {p}").scalar_one() for p in ("page_count", "page_size"))
    return int(pages * bytes_each)


def durable(conn: sa.Connection) -> bool:
    """True when a commit is on disk before it is reported: our files always, a server unless it is told not to."""
    return conn.dialect.name != "postgresql" or bool(conn.exec_driver_sql(_SAFE).scalar_one())


def sort_by_bytes(conn: sa.Connection) -> None:
    """Times and digests compare as texts everywhere alike, whatever language the server sorts by."""
    if conn.dialect.name != "postgresql":
        return
    query = (
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
        " AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C' AND table_name IN"
        " (SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema())"
    )
    quoted = conn.dialect.identifier_preparer.quote
    for table, column in conn.exec_driver_sql(query).all():
        conn.exec_driver_sql(f'ALTER TABLE {quoted(table)} ALTER COLUMN {quoted(column)} TYPE text COLLATE "C"')


def named(error: sa.exc.DBAPIError) -> MendoryError | None:
    """The database's error in our words; None for one that is a fault of ours."""
    code = getattr(error.orig, "sqlstate", None)
    if code == "42501":
        return ConfigInvalid(
            f"The role in ledger.url may not do that: {_words(error.orig)}. Nothing more was recorded. "
            "Let it create tables in its schema, or own them: docs/postgresql.md."
        )
    if not isinstance(error, sa.exc.OperationalError | sa.exc.InternalError | sa.exc.InterfaceError):
        return None
    if not hasattr(error.orig, "sqlstate"):
        return Unavailable(
            f"The ledger can't be used now: {error.orig}. Nothing more was recorded; what it holds is whole. "
            "Free the lock, the disk or the folder, then run the same command again: it goes on where it stopped."
        )
    # a connection that broke while it committed says nothing of what became of it
    kept = "The last of it may or may not be recorded" if error.connection_invalidated else "Nothing more was recorded"
    return Unavailable(
        f"The ledger can't be used now: {_words(error.orig)}. {kept}; what it holds is whole. See that its server "
        "answers and ledger.url is right, then run the same command again: it goes on where it stopped."
    )


def unopened(url: str, error: sa.exc.DatabaseError) -> MendoryError:
    """Why there is no ledger to open at `url`."""
    if (known := named(error)) is not None:
        return known
    if on_server(url):
        return LedgerMismatch(
            f"What is at {shown(url)} is no ledger: {_words(error.orig)}. Nothing was done. "
            "Give the ledger a database or a schema of its own: docs/postgresql.md."
        )
    return LedgerCorrupt(
        f"The ledger at {shown(url)} can't be opened: {error.orig}. Nothing was done. "
        "Check ledger.url, or restore the ledger from a backup."
    )


def _words(error: Any) -> str:
    """What the server said, without the values it may quote."""
    return " ".join((error.diag.message_primary or str(error)).split())


def _link(url: str) -> dict[str, Any]:
    on_server(url)
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise DependencyMissing(
            f"ledger.url needs a driver that is missing: {error}. Nothing was done. "
            "Install mendory[postgres], or use SQLite."
        ) from None
    try:
        given = conninfo_to_dict(_SERVER.sub("postgresql://", url, count=1))
    except ProgrammingError:  # its message quotes the URL with the password
        given = {"port": "none"}
    # an @, / or : of a password that is not percent-encoded makes half of it a host or a port, which messages name
    if "@" in str(given.get("host", "")) or not re.fullmatch(r"[\d,]*", str(given.get("port", ""))):
        raise ConfigInvalid(
            f"ledger.url '{shown(url)}' is no URL of PostgreSQL. Nothing was done. Write "
            "postgresql://role:password@host/database, with @ : / ? # % of a password percent-encoded."
        ) from None
    # prepared statements belong to one session, and the plan of one does not outlive a migration
    return {**_LINK, **given, "client_encoding": "utf8", "prepare_threshold": None}


def _server_engine(url: str) -> sa.Engine:
    link = _link(url)
    made = sa.create_engine("postgresql+psycopg://", pool_pre_ping=True, hide_parameters=True)

    @sa.event.listens_for(made, "do_connect")
    def _connect(_dialect: Any, _record: Any, _args: Any, given: dict[str, Any]) -> Any:
        import psycopg

        return psycopg.connect(**{**given, **link})

    @sa.event.listens_for(made, "begin")
    def _begin(conn: sa.Connection) -> None:
        text = _READING if conn.get_execution_options().get("reading") else _WRITING
        conn.exec_driver_sql(text, execution_options={"no_parameters": True})

    return made


def _file_engine(url: str) -> sa.Engine:
    pool = sa.pool.StaticPool if file_of(url) is None else None
    link = {"timeout": 30, "check_same_thread": False}
    made = sa.create_engine(url, poolclass=pool, connect_args=link, hide_parameters=True)

    @sa.event.listens_for(made, "connect")
    def _connected(raw: Any, _: Any) -> None:
        raw.isolation_level = None  # we say BEGIN ourselves
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            raw.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(made, "begin")
    def _begin(conn: sa.Connection) -> None:
        if conn.get_execution_options().get("reading"):
            conn.exec_driver_sql("BEGIN")
            return
        # IMMEDIATE: a transaction that reads before it writes must not lose a race in between
        conn.exec_driver_sql("BEGIN IMMEDIATE")

    return made
