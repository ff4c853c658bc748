"""A ledger on PostgreSQL: what a server makes different, and what must not be."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from mendory import digest, treatment
from mendory.cli import main
from mendory.clinic import Clinic
from mendory.door.ledger import LedgerView
from mendory.errors import ConfigInvalid, DependencyMissing, LedgerMismatch, MendoryError, Unavailable
from mendory.ledger import Ledger, database, schema
from mendory.ledger.records import IntentKind, IntentState
from mendory.migration.stages import Stage
from mendory.plan.model import ColumnChange, Edit
from mendory.rows import with_values
from mendory.side import Note
from mendory.spaces import Fingerprint, SpaceState
from mendory.spaces.pointer import Pointed, Pointer
from mendory.work import Item, Rows, Unit, settle
from tests.conftest import NOON, FakeClock, arrow, make_table, memory
from tests.moving_kit import new_model, old_model
from tests.postgres import Server, binaries, serving

pytestmark = pytest.mark.postgres
ROOT = Path(__file__).resolve().parents[1]
SPACES = (
    (Fingerprint.of(old_model()), SpaceState.ACTIVE, None),
    (Fingerprint.of(new_model()), SpaceState.FILLING, "embedding__new"),
)
MakeClinic = Callable[..., Clinic]


@pytest.fixture
def url(postgres: Server) -> str:
    """Where an empty ledger is."""
    return postgres.emptied()


@pytest.fixture
def ledger(url: str, clock: FakeClock) -> Iterator[Ledger]:
    """An open ledger on the server."""
    opened = Ledger.open(url, clock)
    yield opened
    opened.close()


def items(row: str, key: str = "k") -> tuple[Item, ...]:
    """A unit that archives the row."""
    rows = arrow([memory(row)])
    after = with_values(rows, {"status": "archived"})
    [one], [two] = digest.row_digests(rows), digest.row_digests(after)
    unit = Unit(key, key, (Edit(row, one, two, (ColumnChange("status", "active", "archived"),)),))
    return settle([unit], Rows(1, rows), "id", ()).items


def opened(ledger: Ledger, rid: str, row: str = "m1", key: str = "k") -> dict[str, Any]:
    """The answer to opening an intent on that row."""
    return ledger.intents.open(rid, IntentKind.APPLY, "p", "G1", "me", 1, items(row, key), None)


# --- one writes, nobody waits to read ---------------------------------------------------------


def in_thread(act: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """A started thread, and where its result or error will be."""
    said: list[object] = []

    def run() -> None:
        try:
            said.append(act())
        except MendoryError as error:
            said.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, said


def test_one_transaction_writes_at_a_time(ledger: Ledger, url: str) -> None:
    """While one writes another waits, even before its first statement, and then sees all of what was written."""
    other = Ledger.open(url)
    with ledger.transaction():
        thread, said = in_thread(lambda: opened(other, "r2"))
        thread.join(0.5)
        assert thread.is_alive()
    thread.join(30)
    other.close()

    assert [{}] == said
    assert 1 == ledger.verify()


def test_who_waits_too_long_is_told(ledger: Ledger, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that is not given in time is `unavailable`, with nothing recorded and nothing left of the attempt."""
    monkeypatch.setattr(
        database, "_WRITING", database._WRITING.replace("lock_timeout = '30s'", "lock_timeout = '200ms'")
    )
    other = Ledger.open(url)
    with ledger.transaction(), pytest.raises(Unavailable, match=r"lock timeout\. Nothing more was recorded"):
        other.findings.dismiss(["f1"], "x", "ann")

    other.findings.dismiss(["f2"], "x", "ann")
    assert {"f2": "x"} == ledger.findings.dismissed()
    other.close()


def test_readers_wait_for_no_writer(ledger: Ledger, url: str) -> None:
    """While one writes, others read what was there before: findings, the chain, the ledger's id and size."""
    ledger.findings.dismiss(["f1"], "先看", "安")
    own = ledger.id
    other = Ledger.open(url)
    with ledger.transaction() as conn:
        conn.exec_driver_sql("DELETE FROM dismissal")
        assert {"f1": "先看"} == other.findings.dismissed()
        assert (0, own, True) == (other.verify(), other.id, other.size() > 0)
    assert {} == other.findings.dismissed()
    other.close()


def test_a_reading_sees_one_moment(ledger: Ledger, url: str) -> None:
    """What is read in one transaction is of one moment, whatever is written between two questions."""
    count = sa.text("SELECT count(*) FROM dismissal")
    other = Ledger.open(url)
    with other.reading() as conn:
        before = conn.execute(count).scalar()
        ledger.findings.dismiss(["f1"], "x", "ann")
        assert (0, 0) == (before, conn.execute(count).scalar())
    other.close()


def test_a_reading_can_not_write(ledger: Ledger) -> None:
    """A transaction that said it reads is held to it by the server."""
    with pytest.raises(Unavailable, match="read-only"), ledger.reading() as conn:
        conn.exec_driver_sql("DELETE FROM dismissal")


_APPENDS = """
import sys, time
from datetime import timedelta
from mendory.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
while time.time() < float(sys.argv[3]): pass
for n in range(20):
    ledger.decisions.record(sys.argv[4], "reject", [], [f"{sys.argv[2]}-{n}"], sys.argv[2], "", timedelta(days=1))
"""


def test_processes_that_write_at_once_make_one_chain(url: str, ledger: Ledger) -> None:
    """Four processes append to the chain as fast as they can: it has every link once, and holds."""
    with ledger.transaction() as conn:
        values = {"id": "p", "state": "open", "base_version": 1, "made_at": "", "expires_at": ""}
        conn.execute(schema.plan.insert().values(**values))
    start = str(time.time() + 4)
    runs = [
        subprocess.Popen([sys.executable, "-c", _APPENDS, url, f"w{n}", start, "p"], cwd=ROOT, stderr=subprocess.PIPE)
        for n in range(4)
    ]
    errors = [r.communicate(timeout=240)[1] for r in runs]

    assert [0] * 4 == [r.returncode for r in runs], errors
    assert 80 == ledger.verify()


# --- what a server may be set to --------------------------------------------------------------


@pytest.mark.parametrize(
    ("default", "used"), [("off", "on"), ("local", "on"), ("on", "on"), ("remote_apply", "remote_apply")]
)
def test_a_commit_is_on_disk_whatever_the_default(postgres: Server, url: str, default: str, used: str) -> None:
    """A role's weaker default is raised for our transactions, and a stronger one is left."""
    postgres.do(f"ALTER ROLE mendory SET synchronous_commit = {default}")
    ledger = Ledger.open(url)
    try:
        with ledger.transaction() as conn:
            assert used == conn.exec_driver_sql("SHOW synchronous_commit").scalar()
    finally:
        ledger.close()
        postgres.do("ALTER ROLE mendory RESET synchronous_commit")


def test_times_and_digests_sort_by_their_bytes(postgres: Server, url: str, clock: FakeClock) -> None:
    """Every text of the ledger compares by bytes, on a server that sorts as people do: a time is before a later one."""
    place = postgres.schema_of(url)
    other = postgres.one(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = %s AND data_type = 'text'"
        " AND collation_name IS DISTINCT FROM 'C'",
        place,
    )
    assert 0 == other
    ledger = Ledger.open(url, clock)
    clock.now = NOON - timedelta(microseconds=1)  # the next reading has no microseconds, the one after it has
    ledger.note_run("first", None, {})
    ledger.note_run("second", None, {})

    assert ["first", "second"] == [r["kind"] for r in ledger.runs()]
    # as the server itself would have it
    assert postgres.one("SELECT '2025-03-01T12:00:00+00:00' > '2025-03-01T12:00:00.000001+00:00'")
    ledger.close()


@pytest.mark.parametrize("row", ["m\0", "记忆\0a", "\ufdd0", "\ufdd00", "\ufdd01\0", "a\\0'\"; --", "%s %(x)s ?"])
def test_any_id_of_a_row_is_kept(ledger_url: str, clock: FakeClock, row: str) -> None:
    """An owner's id comes back as it is from either database, also with what PostgreSQL refuses in a text."""
    ledger = Ledger.open(ledger_url, clock)
    assert {} == opened(ledger, "r1", row)
    ledger.intents.close("r1", 1, IntentState.APPLIED, 2)
    ledger.asides.take({row: Note("about", {"duplicate_of": row})})

    assert [row] == [i.row_id for i in ledger.intents.items("p")]
    assert {row: Note("about", {"duplicate_of": row})} == ledger.asides.held() == LedgerView(ledger_url).notes(row)
    assert 2 == ledger.verify()
    ledger.close()


def test_both_databases_make_the_same_chain(url: str, tmp_path: Path) -> None:
    """The links depend on what is recorded and when, not on where."""
    chains = []
    for place in (url, f"sqlite:///{tmp_path / 'l.db'}"):
        ledger = Ledger.open(place, FakeClock())
        opened(ledger, "r1", "m1", "a")
        ledger.intents.close("r1", 1, IntentState.APPLIED, 2)
        opened(ledger, "r2", "记\0", "b")
        ledger.intents.close("r2", 1, IntentState.REFUSED)
        with ledger.reading() as conn:
            chains.append([tuple(r) for r in conn.exec_driver_sql("SELECT * FROM chain ORDER BY seq")])
        ledger.close()

    assert 4 == len(chains[0])
    assert chains[0] == chains[1]


# --- places -----------------------------------------------------------------------------------


def test_asking_makes_nothing_on_the_server(postgres: Server, tmp_path: Path, clock: FakeClock) -> None:
    """No ledger is none: asked, read by the door, looked for by a check and the CLI's show, its place stays empty."""
    place = postgres.fresh()
    make_table(tmp_path, [memory("m1", status="ACTIVE")])
    (tmp_path / "mendory.toml").write_text(
        f"[table]\nuri = '.'\nname = 'memories'\n[ledger]\nurl = '{place}'\n", encoding="utf-8"
    )

    assert not Ledger.exists(place)
    with pytest.raises(LedgerMismatch, match="no ledger at"):
        Ledger.open(place, create=False)
    assert ({}, Pointer()) == (LedgerView(place).notes(), LedgerView(place).pointer())
    for verb in ("check", "show", "doctor"):
        done = CliRunner().invoke(main, [verb, "--config", str(tmp_path / "mendory.toml")])
        assert postgres.password not in done.output
        assert "Traceback" not in done.output
    assert 0 == postgres.one("SELECT count(*) FROM pg_tables WHERE schemaname = %s", postgres.schema_of(place))


def test_two_ledgers_in_one_database(postgres: Server, url: str, ledger: Ledger) -> None:
    """A schema each: neither sees the other, waits for it, or takes it for its own."""
    other = Ledger.open(postgres.fresh())
    with ledger.transaction():
        other.findings.dismiss(["f1"], "x", "ann")

    assert ({}, {"f1": "x"}) == (ledger.findings.dismissed(), other.findings.dismissed())
    assert ledger.id != other.id
    other.close()


def test_a_schema_that_is_not_there(postgres: Server) -> None:
    """A schema is made by whoever owns the database; one that is missing is told, and so is one of another language."""
    with pytest.raises(ConfigInvalid, match="schema it names does not exist"):
        Ledger.open(postgres.url("nowhere"))
    postgres.do("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C' OWNER mendory")
    with pytest.raises(ConfigInvalid, match="LATIN1, not UTF8"):
        Ledger.open(postgres.url().replace("/ledgers", "/latin"))


def test_a_role_that_may_not_create(postgres: Server) -> None:
    """A role without the right to create tables is told so; nothing is there afterwards."""
    postgres.do("CREATE SCHEMA others")
    postgres.do("GRANT USAGE ON SCHEMA others TO mendory")

    with pytest.raises(ConfigInvalid, match="permission denied"):
        Ledger.open(postgres.url("others"))

    assert 0 == postgres.one("SELECT count(*) FROM pg_tables WHERE schemaname = 'others'")


def test_a_role_that_may_only_select(postgres: Server, url: str, ledger: Ledger) -> None:
    """An agent's role sees what is kept aside and the spaces, and can write nothing; what it can't see is told.

    Of a canary it must see the stages too: until then the space that is searched answers all.
    """
    ledger.asides.take({"m1": Note("about", {"duplicate_of": "m2"})})
    place = postgres.schema_of(url)
    postgres.do(f"CREATE ROLE agent LOGIN PASSWORD '{postgres.password}'; GRANT USAGE ON SCHEMA {place} TO agent")
    view = LedgerView(postgres.url(place, "agent"))
    with pytest.raises(Unavailable, match="permission denied"):
        view.notes()
    postgres.do(f"GRANT SELECT ON {place}.aside, {place}.space TO agent")

    old, new = (ledger.spaces.register(made, state, "ann", column) for made, state, column in SPACES)
    both = (Pointed(old.id, None), Pointed(new.id, "embedding__new"))
    move = ledger.moves.begin(old.id, new.id, "embedding__new", "ann")
    for stage in (Stage.FILLING, Stage.GATING, Stage.APPROVED):
        ledger.moves.to(move.id, stage, "ann")
    ledger.moves.to(move.id, Stage.CANARY, "ann", {"share": 0.1})

    assert ({"m1": Note("about", {"duplicate_of": "m2"})}, Pointer(*both)) == (view.notes(), view.pointer())

    postgres.do(f"GRANT SELECT ON {place}.move, {place}.move_stage TO agent")

    assert Pointer(*both, 0.1) == view.pointer()


@pytest.mark.parametrize("theirs", ["plan (id) AS SELECT 1", "alembic_version (version_num) AS SELECT '7a73514ca2d6'"])
def test_a_place_that_is_another_programs(postgres: Server, theirs: str) -> None:
    """Tables of somebody else are never taken for a ledger's, altered or added to."""
    url = postgres.fresh()
    place = postgres.schema_of(url)
    postgres.do(f"SET ROLE mendory; SET search_path = {place}; CREATE TABLE {theirs}")

    with pytest.raises(LedgerMismatch, match="Nothing was done"):
        Ledger.open(url)

    assert 1 == postgres.one("SELECT count(*) FROM pg_tables WHERE schemaname = %s", place)


# --- words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("postgresql://mendory:hush%40hush@127.0.0.1:1/ledgers", Unavailable),
        ("postgresql://mendory:hush@hush@127.0.0.1:{port}/ledgers", MendoryError),
        ("postgresql://mendory:hush@127.0.0.1:{port}/ledgers", Unavailable),
        ("postgresql://127.0.0.1:{port}/ledgers?user=mendory&password=hush", Unavailable),
        ("postgresql://mendory:hush@127.0.0.1:{port}/none", Unavailable),
        ("postgresql://mendory:hush@127.0.0.1:port/x", MendoryError),
        ("postgresql://mendory:hush@[::1/x", ConfigInvalid),
        ("postgresql://mendory:hush@host/x?nonsense=1", ConfigInvalid),
        ("postgresql:/mendory:hush@host/x", ConfigInvalid),
        ("postgresql+psycopg2://mendory:hush@host/x", ConfigInvalid),
        ("mysql://mendory:hush@host/x", ConfigInvalid),
        ("host=x password=hush", ConfigInvalid),
    ],
)
def test_no_message_shows_a_password(postgres: Server, tmp_path: Path, wrong: str, error: type[MendoryError]) -> None:
    """Whatever is wrong with the URL is told without the password in it, by the ledger, the door and the CLI."""
    place = wrong.replace("{port}", str(postgres.port))
    (tmp_path / "mendory.toml").write_text(
        f"[table]\nuri = '.'\nname = 'memories'\n[ledger]\nurl = '{place}'\n", encoding="utf-8"
    )
    make_table(tmp_path, [memory("m1")])

    for act in (lambda: Ledger.open(place), lambda: Ledger.exists(place), lambda: LedgerView(place).notes()):
        with pytest.raises(error) as caught:
            act()
        assert "hush" not in str(caught.value)
        assert "Nothing" in str(caught.value)
    for verb in ("check", "doctor"):
        done = CliRunner().invoke(main, [verb, "--config", str(tmp_path / "mendory.toml")])
        assert "hush" not in done.output + str(done.exception)


def test_a_table_bound_elsewhere_shows_no_password(postgres: Server, clinic: MakeClinic, url: str) -> None:
    """The message that a table has another ledger names its place without the password."""
    at = clinic([memory("m1", status="ACTIVE")])
    plan = at.plan().plan
    assert plan is not None
    treatment.approve(at, plan.id, None, "ann")
    treatment.apply(at, plan.id)

    with pytest.raises(LedgerMismatch) as caught:
        clinic(None, ledger={"url": url}).check_binding()

    assert postgres.password not in str(caught.value)
    assert f"mendory:***@127.0.0.1:{postgres.port}" in str(caught.value)


def test_no_value_of_a_row_is_in_an_error(ledger: Ledger) -> None:
    """What a statement carried is not in the error it ends in, however it is printed."""
    with pytest.raises(sa.exc.DBAPIError) as caught, ledger.transaction() as conn:
        conn.execute(sa.text("INSERT INTO meta VALUES (:a, :b), (:a, :b)"), {"a": "secret-words", "b": None})

    assert "secret-words" not in str(caught.value).partition("DETAIL")[0]
    assert "parameters hidden" in str(caught.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without psycopg a ledger on a server says what to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(DependencyMissing, match=r"mendory\[postgres\]"):
        Ledger.open("postgresql://host/db")


def test_the_doctor_reads_a_ledger_on_a_server(
    clinic: MakeClinic, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chain and size of a ledger on a server are told as those of a file are; and that a server may forget."""
    (tmp_path / "mendory.toml").write_text(
        f"[table]\nuri = '.'\nname = 'memories'\n[ledger]\nurl = '{url}'\n", encoding="utf-8"
    )
    at = clinic([memory("m1", status="ACTIVE")], ledger={"url": url})
    plan = at.plan().plan
    assert plan is not None
    treatment.approve(at, plan.id, None, "ann")
    treatment.apply(at, plan.id)
    done = CliRunner().invoke(main, ["doctor", "--json", "--config", str(tmp_path / "mendory.toml")])
    lines = {line["check"]: line for line in json.loads(done.output)["lines"]}

    assert ("ok", 4) == (lines["ledger"]["state"], lines["ledger"]["values"]["links"])
    assert lines["ledger"]["values"]["bytes"] > 100_000
    monkeypatch.setattr(database, "_SAFE", database._SAFE.replace("= 'on'", "= 'off'"))
    done = CliRunner().invoke(main, ["doctor", "--lang", "zh", "--config", str(tmp_path / "mendory.toml")])
    assert "断电会丢失记录（fsync 已关闭）" in done.output


# --- a server that goes -----------------------------------------------------------------------


@pytest.fixture
def own(postgres: Server) -> Iterator[Server]:
    """A server of the test's own, to be stopped and started."""
    tools = binaries()
    assert tools is not None
    with serving(tools) as server:
        yield server


def _in_one(ledger: Ledger, between: Callable[[], None]) -> None:
    """A transaction in which something happens between two writes."""
    with ledger.transaction() as conn:
        conn.exec_driver_sql("DELETE FROM dismissal")
        between()
        conn.exec_driver_sql("DELETE FROM queue")


def test_a_server_that_goes_and_comes_back(own: Server) -> None:
    """Restarted between two transactions nobody notices; gone, it is `unavailable`; cut off, what was said is there."""
    ledger = Ledger.open(own.emptied())
    ledger.findings.dismiss(["f1"], "x", "ann")
    own.stop()
    own.start()
    ledger.findings.dismiss(["f3"], "x", "ann")
    own.stop()
    with pytest.raises(Unavailable, match="Nothing more was recorded"):
        ledger.findings.dismiss(["f2"], "x", "ann")
    own.start()
    with pytest.raises(Unavailable, match="may or may not be recorded"):
        _in_one(ledger, lambda: own.stop(SIGKILL))
    own.start()

    assert {"f1": "x", "f3": "x"} == ledger.findings.dismissed()
    ledger.close()


def test_a_session_that_stands_still_gives_its_turn_up(
    ledger: Ledger, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who stops in the middle of a transaction loses it: the others go on, and he is told when he wakes."""
    other = Ledger.open(url)
    with ledger.transaction() as conn:
        assert "1min" == conn.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar()
    monkeypatch.setattr(
        database, "_WRITING", database._WRITING.replace("session_timeout = '60s'", "session_timeout = '300ms'")
    )
    with pytest.raises(Unavailable):
        _in_one(ledger, lambda: other.findings.dismiss(["f1"], "x", "ann"))

    assert {"f1": "x"} == ledger.findings.dismissed()
    other.close()
