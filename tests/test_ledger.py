"""The ledger: what it keeps, who may read it, what it refuses twice, and how it shows that it was changed."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from mendory import digest
from mendory.catalogue import Level, StepKind
from mendory.detect import Settings, examine
from mendory.errors import (
    ConfigInvalid,
    EmptyTargetSet,
    LedgerCorrupt,
    LedgerMismatch,
    LostOwnership,
    MendoryError,
    NotReversible,
    PlanNotFound,
)
from mendory.finding import Finding
from mendory.ledger import Ledger, schema
from mendory.ledger.findings import problem_key
from mendory.ledger.plans import PlanState
from mendory.ledger.records import Cap, IntentKind, IntentState
from mendory.mapping import Mapping
from mendory.plan.model import ColumnChange, Edit, Group, Plan, Step
from mendory.rows import with_values
from mendory.work import Item, Outcome, Rows, Unit, settle
from tests.conftest import BOTH, NOON, FakeClock, arrow, memory

DAY = timedelta(days=1)
SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger's file lies."""
    return tmp_path / "folder" / "ledger.db"


@pytest.fixture
def ledger(ledger_url: str, clock: FakeClock) -> Iterator[Ledger]:
    """An open ledger in a file or on a server, its time told by `clock`."""
    opened = Ledger.open(ledger_url, clock)
    yield opened
    opened.close()


@pytest.fixture
def filed(path: Path, clock: FakeClock) -> Iterator[Ledger]:
    """An open ledger in a file of its own."""
    opened = Ledger.open(f"sqlite:///{path}", clock)
    yield opened
    opened.close()


def items(*ids: str, key: str = "k", decision: str | None = None, problem: str | None = None) -> tuple[Item, ...]:
    """One unit that archives these rows, as settled against rows read just now."""
    rows = arrow([memory(i) for i in ids])
    edits = []
    for at, row in enumerate(ids):
        one = rows.slice(at, 1)
        after = with_values(one, {"status": "archived"})
        [before_digest], [after_digest] = digest.row_digests(one), digest.row_digests(after)
        edits.append(Edit(row, before_digest, after_digest, (ColumnChange("status", "active", "archived"),)))
    unit = Unit(key, key, tuple(edits), (), problem, decision)
    settled = settle([unit], Rows(1, rows), "id", ())
    assert len(ids) == len(settled.items)
    return settled.items


def opened(ledger: Ledger, rid: str, its: tuple[Item, ...], cap: Cap | None = None, **k: Any) -> dict[str, Any]:
    """The answer to opening an intent."""
    kind = k.get("kind", IntentKind.APPLY)
    return ledger.intents.open(rid, kind, k.get("plan"), "G1", k.get("owner", "me"), 1, its, cap)


def applied(ledger: Ledger, rid: str, its: tuple[Item, ...], version: int = 2, **k: Any) -> None:
    """An intent that was opened and closed as applied."""
    assert {} == opened(ledger, rid, its, **k)
    ledger.intents.close(rid, 1, IntentState.APPLIED, version)


def plan(*rows: str, finding: str = "f", expires: timedelta = DAY) -> Plan:
    """A plan of one group, one step per row."""
    steps = tuple(
        Step(StepKind.FILL, Level.AUTOMATIC, None, "x", f"{finding}-{r}", "u1", r, (Edit(r, "0", "1", ()),), {})
        for r in rows
    )
    return Plan((Group("G1", StepKind.FILL, Level.AUTOMATIC, None, steps),), 1, NOON, NOON + expires)


# --- the file ---------------------------------------------------------------------------------


def test_file_and_folder_are_their_owners_alone(path: Path, filed: Ledger) -> None:
    """Nobody but the owner may read the ledger, its write-ahead log included, whatever the umask."""
    assert filed.id

    files = [p for p in path.parent.iterdir() if p.is_file()]
    assert path in files
    assert {0o600} == {stat.S_IMODE(p.stat().st_mode) for p in files}
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)


def test_connections_are_durable(filed: Ledger) -> None:
    """Every connection writes ahead, syncs fully, enforces foreign keys and overwrites what it deletes."""
    with filed.transaction() as conn:
        held = {p: conn.exec_driver_sql(f"PRAGMA {p}").scalar() for p in ("journal_mode", "synchronous")}
        others = {p: conn.exec_driver_sql(f"PRAGMA {p}").scalar() for p in ("foreign_keys", "secure_delete")}

    assert {"journal_mode": "wal", "synchronous": 2} == held
    assert {"foreign_keys": 1, "secure_delete": 1} == others


def test_migrated_schema_is_the_declared_one(ledger: Ledger) -> None:
    """The migrations lead exactly to the tables that the code declares."""
    with ledger.transaction() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True, "compare_server_default": True})

        assert [] == compare_metadata(context, schema.metadata)
        assert {t.name for t in schema.metadata.sorted_tables} < set(sa.inspect(conn).get_table_names())


def test_partial_index_is_migrated_too(ledger: Ledger) -> None:
    """The index that makes a repair idempotent covers live units only, in a migrated ledger as well."""
    with ledger.transaction() as conn:
        [found] = [i for i in sa.inspect(conn).get_indexes("intent_unit") if i["name"] == "uq_intent_unit_live"]

    assert found["unique"]
    assert "live" == str(found["dialect_options"][f"{conn.dialect.name}_where"])


_OPEN = """
import sys, time
from mendory.ledger import Ledger
while time.time() < float(sys.argv[2]): pass
print(Ledger.open(sys.argv[1]).id)
"""


@pytest.mark.parametrize("kind", BOTH)
def test_several_processes_open_a_new_ledger_at_once(kind: str, path: Path, request: pytest.FixtureRequest) -> None:
    """Several processes that make the ledger at the same time make one, with one id."""
    url = f"sqlite:///{path}" if kind == "sqlite" else request.getfixturevalue("postgres").fresh()
    start = str(time.time() + 3)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _OPEN, url, start],
            cwd=Path(__file__).parents[1],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    said = [r.communicate(timeout=240)[0] for r in runs]

    assert [0, 0, 0] == [r.returncode for r in runs]
    assert 1 == len(set(said))


def test_opening_again_keeps_the_id(ledger_url: str, ledger: Ledger) -> None:
    """A ledger's id is its own for ever."""
    again = Ledger.open(ledger_url)

    assert ledger.id == again.id
    again.close()


def test_asking_makes_no_ledger(path: Path) -> None:
    """Asking whether there is a ledger makes none; opening without leave to make one is refused."""
    assert not Ledger.exists(f"sqlite:///{path}")
    with pytest.raises(LedgerMismatch, match="no ledger at"):
        Ledger.open(f"sqlite:///{path}", create=False)

    assert not path.exists()


def test_wrong_url_is_a_named_error() -> None:
    """A ledger URL that is none is refused by name."""
    with pytest.raises(ConfigInvalid):
        Ledger.open("no url at all")


def test_file_that_is_no_database_is_a_named_error(path: Path) -> None:
    """A file that is no ledger is refused by name, and left as it is."""
    path.parent.mkdir()
    path.write_bytes(b"not a database, " * 200)
    before = path.read_bytes()

    with pytest.raises(MendoryError):
        Ledger.open(f"sqlite:///{path}")

    assert before == path.read_bytes()


@pytest.mark.parametrize("kind", BOTH)
def test_ledger_of_a_newer_release_is_a_named_error(kind: str, path: Path, request: pytest.FixtureRequest) -> None:
    """A ledger that a newer release has migrated is refused by name, not misread."""
    url = f"sqlite:///{path}" if kind == "sqlite" else request.getfixturevalue("postgres").fresh()
    ledger = Ledger.open(url)
    with ledger.transaction() as conn:
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    ledger.close()

    with pytest.raises(LedgerMismatch, match="another version"):
        Ledger.open(url)


# --- idempotency ------------------------------------------------------------------------------


def test_unit_that_is_being_applied_is_busy(ledger: Ledger) -> None:
    """A second intent on an open unit is refused, and nothing of it is recorded."""
    assert {} == opened(ledger, "r1", items("m1"))

    refused = opened(ledger, "r2", items("m1"))

    assert Outcome.BUSY == refused["k"][0]
    assert "r1" in refused["k"][1]
    assert ["r1"] == [i.rid for i in ledger.intents.in_state(IntentState.OPEN)]
    assert 1 == ledger.verify()


def test_unit_that_was_applied_is_done(ledger: Ledger) -> None:
    """A second intent on an applied unit is refused as done."""
    applied(ledger, "r1", items("m1"))

    assert Outcome.DONE == opened(ledger, "r2", items("m1"))["k"][0]


@pytest.mark.parametrize("state", [IntentState.REFUSED, IntentState.DEFERRED])
def test_unit_that_was_not_applied_may_be_tried_again(ledger: Ledger, state: IntentState) -> None:
    """After a refusal or deferral another intent may do the unit."""
    opened(ledger, "r1", items("m1"))
    ledger.intents.close("r1", 1, state)

    assert {} == opened(ledger, "r2", items("m1"))


def test_unit_of_unknown_outcome_waits_for_a_person(ledger: Ledger) -> None:
    """Nobody applies again what may have been applied; a person's word ends it, once."""
    opened(ledger, "r1", items("m1"))
    ledger.intents.close("r1", 1, IntentState.UNKNOWN, None, "history is gone")
    assert Outcome.UNKNOWN == opened(ledger, "r2", items("m1"))["k"][0]

    ledger.intents.resolve("r1", applied=False, by="ann")

    assert {} == opened(ledger, "r2", items("m1"))
    with pytest.raises(PlanNotFound):
        ledger.intents.resolve("r1", applied=True, by="bob")


def test_unit_that_a_person_says_was_applied_is_done(ledger: Ledger) -> None:
    """After a person's word that it was applied, the unit is done; nobody is asked again."""
    opened(ledger, "r1", items("m1"), plan="p")
    ledger.intents.close("r1", 1, IntentState.UNKNOWN, None, "history is gone")
    ledger.intents.resolve("r1", applied=True, by="ann")

    assert ["m1"] == [i.row_id for i in ledger.intents.items("p")]
    assert Outcome.DONE == opened(ledger, "r2", items("m1"))["k"][0]


def test_one_refused_unit_leaves_the_others_unrecorded(ledger: Ledger) -> None:
    """When one unit of an intent is refused the answer names it alone, and nothing was recorded."""
    applied(ledger, "r1", items("m1", key="a"))

    refused = opened(ledger, "r2", items("m1", key="a") + items("m2", key="b"))

    assert ["a"] == list(refused)
    assert [] == ledger.intents.in_state(IntentState.OPEN)
    assert {} == opened(ledger, "r3", items("m2", key="b"))


def test_unit_may_be_done_again_after_its_rollback(ledger: Ledger) -> None:
    """A rolled-back unit is live no more, and its items say what undid them."""
    applied(ledger, "r1", items("m1"), plan="p")
    back = items("m1", key="rollback:r1:0")
    applied(ledger, "r2", back, 3, plan="p", kind=IntentKind.ROLLBACK)

    assert ["r2"] == [i.undone_by for i in ledger.intents.items("p")]
    assert {} == opened(ledger, "r3", items("m1"))


def test_intent_taken_over_is_lost_to_its_first_owner(ledger: Ledger) -> None:
    """After a takeover the first owner can record nothing, and only one taker wins."""
    opened(ledger, "r1", items("m1"), owner="first")
    [seen] = ledger.intents.in_state(IntentState.OPEN)

    ours = ledger.intents.take_over(seen, "second")

    assert ours is not None
    assert ("second", 2) == (ours.owner, ours.epoch)
    assert ledger.intents.take_over(seen, "third") is None
    with pytest.raises(LostOwnership):
        ledger.intents.close("r1", 1, IntentState.APPLIED, 2)
    with pytest.raises(LostOwnership):
        ledger.intents.record_try("r1", 1, 5, items("m1"))
    ledger.intents.close("r1", 2, IntentState.APPLIED, 2)
    assert IntentState.APPLIED == ledger.intents.get("r1").state


def test_receipt_closes_once(ledger: Ledger) -> None:
    """A closed intent can't be closed again."""
    applied(ledger, "r1", items("m1"))

    with pytest.raises(LostOwnership):
        ledger.intents.close("r1", 1, IntentState.REFUSED)


def test_images_are_the_rows_bit_for_bit(ledger: Ledger) -> None:
    """The images of an item are the row before and after, whatever its vector holds."""
    its = items("m1")
    applied(ledger, "r1", its)

    before, after = ledger.intents.images("r1", 0)

    assert [its[0].before_digest] == digest.row_digests(before)
    assert [its[0].after_digest] == digest.row_digests(after)


# --- budget -----------------------------------------------------------------------------------


def test_budget_of_a_day(ledger: Ledger, clock: FakeClock) -> None:
    """A day's rows are counted over all intents; what does not fit is suspended with the numbers."""
    cap = Cap(3, UTC)
    assert {} == opened(ledger, "r1", items("m1", "m2", key="a"), cap)

    refused = opened(ledger, "r2", items("m3", "m4", key="b"), cap)

    assert Outcome.SUSPENDED == refused["b"][0]
    assert "2 rows were repaired" in refused["b"][1]
    assert "repairs_per_day 3" in refused["b"][1]
    assert {} == opened(ledger, "r3", items("m3", key="c"), cap)
    assert Outcome.SUSPENDED == opened(ledger, "r4", items("m4", key="d"), cap)["d"][0]
    clock.move(days=1)
    assert {} == opened(ledger, "r5", items("m4", key="d"), cap)


def test_budget_day_begins_in_the_configured_zone(ledger: Ledger, clock: FakeClock) -> None:
    """16:30 UTC is the next day in Shanghai, and still the same day in UTC."""
    clock.now = datetime(2025, 3, 1, 15, 30, tzinfo=UTC)
    assert {} == opened(ledger, "r1", items("m1", key="a"), Cap(1, SHANGHAI))
    clock.move(minutes=20)
    assert Outcome.SUSPENDED == opened(ledger, "r2", items("m2", key="b"), Cap(1, SHANGHAI))["b"][0]
    clock.move(minutes=20)

    assert {} == opened(ledger, "r3", items("m2", key="b"), Cap(1, SHANGHAI))


def test_clock_set_back_opens_no_fresh_budget(ledger: Ledger, clock: FakeClock) -> None:
    """A day that was begun goes on when the clock is set back to an earlier one."""
    assert {} == opened(ledger, "r1", items("m1", key="a"), Cap(1, UTC))
    clock.move(days=-2)

    assert Outcome.SUSPENDED == opened(ledger, "r2", items("m2", key="b"), Cap(1, UTC))["b"][0]


def test_refused_units_spend_nothing(ledger: Ledger) -> None:
    """What is done already is not paid for again."""
    applied(ledger, "r1", items("m1", key="a"), cap=Cap(2, UTC))
    opened(ledger, "r2", items("m1", key="a"), Cap(2, UTC))

    assert {} == opened(ledger, "r3", items("m2", key="b"), Cap(2, UTC))


def test_no_cap_no_budget(ledger: Ledger) -> None:
    """Without a cap, as in a rollback, nothing is counted."""
    assert {} == opened(ledger, "r1", items("m1", "m2", key="a"))
    assert {} == opened(ledger, "r2", items("m3", key="b"), Cap(1, UTC))


# --- approvals --------------------------------------------------------------------------------


def approved(ledger: Ledger, one: Plan, window: timedelta = DAY) -> str:
    """A person's approval of the whole plan."""
    ledger.plans.save(one, {})
    return ledger.decisions.record(one.id, "approve", ["G1"], [s.id for s in one.steps()], "ann", "", window)


def test_approval_covers_its_steps_once(ledger: Ledger) -> None:
    """An approval stands until it is used, and is used once."""
    one = plan("m1")
    word = approved(ledger, one)
    [step] = one.steps()
    assert {step.id: word} == ledger.decisions.approved(one.id)

    applied(ledger, "r1", items("m1", key=step.id, decision=word))

    assert {} == ledger.decisions.approved(one.id)


def test_used_approval_lets_nothing_run_again(ledger: Ledger) -> None:
    """A unit that names a used approval is blocked, even after the first use was rolled back."""
    one = plan("m1")
    word = approved(ledger, one)
    [step] = one.steps()
    applied(ledger, "r1", items("m1", key=step.id, decision=word), plan=one.id)
    applied(ledger, "r2", items("m1", key="rollback:r1:0"), 3, plan=one.id, kind=IntentKind.ROLLBACK)

    refused = opened(ledger, "r3", items("m1", key=step.id, decision=word))

    assert {step.id: (Outcome.BLOCKED, "its approval was used before")} == refused


def test_approval_of_a_deferred_unit_is_not_used_up(ledger: Ledger) -> None:
    """What was not applied has not used its approval."""
    one = plan("m1")
    word = approved(ledger, one)
    [step] = one.steps()
    opened(ledger, "r1", items("m1", key=step.id, decision=word))
    ledger.intents.close("r1", 1, IntentState.DEFERRED)

    assert {step.id: word} == ledger.decisions.approved(one.id)


def test_approval_expires(ledger: Ledger, clock: FakeClock) -> None:
    """After its window an approval is none."""
    one = plan("m1")
    approved(ledger, one, timedelta(hours=2))
    clock.move(hours=2, seconds=1)

    assert {} == ledger.decisions.approved(one.id)


def test_rejection_is_no_approval(ledger: Ledger) -> None:
    """A rejection covers no step."""
    one = plan("m1")
    ledger.plans.save(one, {})
    ledger.decisions.record(one.id, "reject", ["G1"], [s.id for s in one.steps()], "ann", "no", DAY)

    assert {} == ledger.decisions.approved(one.id)


def test_decision_on_nothing_is_refused(ledger: Ledger) -> None:
    """A decision that names no step is an error, never one on everything."""
    one = plan("m1")
    ledger.plans.save(one, {})

    with pytest.raises(EmptyTargetSet):
        ledger.decisions.record(one.id, "approve", [], [], "ann", "", DAY)

    assert [] == ledger.decisions.of_plan(one.id)


# --- the chain --------------------------------------------------------------------------------


@pytest.fixture
def chained(ledger: Ledger) -> Ledger:
    """A ledger that holds a plan, an approval, an applied and an open intent."""
    one = plan("m1")
    word = approved(ledger, one)
    [step] = one.steps()
    applied(ledger, "r1", items("m1", key=step.id, decision=word), plan=one.id)
    opened(ledger, "r2", items("m2", "m3", key="other"), plan=one.id)
    return ledger


def test_untouched_chain_holds(chained: Ledger) -> None:
    """A ledger that nobody touched verifies, link by link, and again after a restart."""
    assert 4 == chained.verify()


TAMPERING = {
    "intent's plan changed": "UPDATE intent SET plan_id = 'other' WHERE rid = 'r1'",
    "intent's time changed": "UPDATE intent SET opened_at = '2024-01-01T00:00:00+00:00' WHERE rid = 'r1'",
    "intent's state changed": "UPDATE intent SET state = 'refused' WHERE rid = 'r1'",
    "receipt's version changed": "UPDATE intent SET version = 99 WHERE rid = 'r1'",
    "intent removed": "DELETE FROM intent WHERE rid = 'r2'",
    "intent inserted": "INSERT INTO intent SELECT 'r9', 99, kind, plan_id, group_name, 'applied', base_version, 2, "
    '"by", '
    "owner, epoch, tries, opened_at, touched_at, closed_at, note, resolution FROM intent WHERE rid = 'r1'",
    "open intent closed by hand": "UPDATE intent SET state = 'applied', version = 3, closed_at = opened_at "
    "WHERE rid = 'r2'",
    "item's digest changed": "UPDATE item SET before_digest = 'x' WHERE rid = 'r1'",
    "item's row changed": "UPDATE item SET row_id = 'm9' WHERE rid = 'r1'",
    "item's part aside changed": "UPDATE item SET aside_digest = 'x' WHERE rid = 'r1'",
    "item removed": "DELETE FROM item WHERE rid = 'r1'",
    "item inserted": "INSERT INTO item SELECT rid, 7, key, step_id, 'm9', before_digest, after_digest, columns, "
    "before_image, after_image, schema_digest, undone_by, aside, aside_digest FROM item WHERE rid = 'r1'",
    "decision's steps changed": "UPDATE decision SET steps = '[]'",
    "decision's expiry changed": "UPDATE decision SET expires_at = '2099-01-01T00:00:00+00:00'",
    "decision's verdict changed": "UPDATE decision SET verdict = 'reject'",
    "decision's author changed": "UPDATE decision SET \"by\" = 'bob'",
    "decision removed": "DELETE FROM decision",
    "decision inserted": "INSERT INTO decision SELECT 'd9', plan_id, verdict, \"groups\", steps, 'bob', note, at, "
    "expires_at FROM decision",
    "approval made unused": "DELETE FROM decision_use",
    "link changed": "UPDATE chain SET payload = 'x' WHERE seq = 2",
    "link renamed": "UPDATE chain SET ref = 'r2' WHERE seq = 2",
    "first link removed": "DELETE FROM chain WHERE seq = 1",
    "middle link removed": "DELETE FROM chain WHERE seq = 2",
    "last link cut off": "DELETE FROM chain WHERE seq = 4",
    "link inserted": "INSERT INTO chain SELECT 5, kind, ref, payload, previous, digest FROM chain WHERE seq = 4",
    "two links swapped": "UPDATE chain SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE seq IN (2, 3)",
    "chain emptied": "DELETE FROM chain",
    "chain and count emptied": "DELETE FROM chain; DELETE FROM meta WHERE key = 'links'",
    "end cut off with its count": "DELETE FROM chain WHERE seq = 4; UPDATE meta SET value = '3' WHERE key = 'links'",
    "count changed": "UPDATE meta SET value = '5' WHERE key = 'links'",
}


@pytest.mark.parametrize("sql", TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_is_found(chained: Ledger, ledger_url: str, request: pytest.FixtureRequest, sql: str) -> None:
    """Whatever is changed, removed, inserted or cut off among what is chained, the ledger says so."""
    if ledger_url.startswith("sqlite"):
        raw = sqlite3.connect(ledger_url.removeprefix("sqlite:///"))
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.executescript(sql)
        raw.commit()
        raw.close()
    else:
        server = request.getfixturevalue("postgres")
        server.do(f"SET session_replication_role = replica; SET search_path = {server.schema_of(ledger_url)}; {sql}")

    with pytest.raises(LedgerCorrupt) as caught:
        chained.verify()

    assert "Nothing was applied" in str(caught.value)


def test_chain_survives_every_kind_of_record(ledger: Ledger, clock: FakeClock) -> None:
    """Tries, takeovers, resolutions, rollbacks and refusals are links that hold."""
    opened(ledger, "r1", items("m1", key="a"), plan="p")
    ledger.intents.record_try("r1", 1, 5, items("m1", key="a"))
    [seen] = ledger.intents.in_state(IntentState.OPEN)
    ledger.intents.take_over(seen, "second")
    ledger.intents.close("r1", 2, IntentState.APPLIED, 6)
    applied(ledger, "r2", items("m1", key="rollback:r1:0"), 7, plan="p", kind=IntentKind.ROLLBACK)
    opened(ledger, "r3", items("m2", key="b"))
    ledger.intents.close("r3", 1, IntentState.UNKNOWN, None, "gone")
    ledger.intents.resolve("r3", applied=False, by="ann")
    opened(ledger, "r4", items("m3", key="c") + items("m4", key="d"))
    ledger.intents.record_try("r4", 1, 8, items("m4", key="d"))
    ledger.intents.close("r4", 1, IntentState.REFUSED)

    assert 11 == ledger.verify()


# --- retention --------------------------------------------------------------------------------


def test_images_are_forgotten_and_digests_stay(ledger: Ledger, clock: FakeClock) -> None:
    """After their time images and values are gone, digests stay, the chain holds, a rollback is refused by name."""
    applied(ledger, "r1", items("m1", key="a"), plan="p")
    before = ledger.verify()
    clock.move(days=31)
    applied(ledger, "r2", items("m2", key="b"), plan="q")

    count = ledger.intents.forget_images(clock.now - timedelta(days=30))

    assert 1 == count
    assert before + 2 == ledger.verify()
    with pytest.raises(NotReversible):
        ledger.intents.images("r1", 0)
    with pytest.raises(NotReversible):
        ledger.intents.items("p")
    assert ["m2"] == [i.row_id for i in ledger.intents.items("q")]
    with ledger.transaction() as conn:
        i = schema.item.c
        row = conn.execute(sa.select(schema.item).where(i.rid == "r1")).one()
    assert (None, None, None) == (row.before_image, row.after_image, row.columns)
    assert row.before_digest
    assert row.after_digest


def test_forgotten_values_are_not_in_the_file(filed: Ledger, path: Path, clock: FakeClock) -> None:
    """After forgetting, a memory's text is nowhere in the ledger's files."""
    canary = "canary-7f3c-text"
    rows = arrow([memory("m1", content=canary)])
    after = with_values(rows, {"content": "x"})
    [one], [two] = digest.row_digests(rows), digest.row_digests(after)
    unit = Unit("k", "k", (Edit("m1", one, two, (ColumnChange("content", canary, "x"),)),))
    applied(filed, "r1", settle([unit], Rows(1, rows), "id", ()).items)
    clock.move(days=31)
    filed.intents.forget_images(clock.now)
    filed.close()
    sqlite3.connect(path).execute("PRAGMA wal_checkpoint(TRUNCATE)")

    assert [] == [p.name for p in path.parent.iterdir() if canary.encode() in p.read_bytes()]


def test_open_intents_keep_their_images(ledger: Ledger, clock: FakeClock) -> None:
    """An intent without a receipt is never forgotten: recovery needs it."""
    opened(ledger, "r1", items("m1"))
    clock.move(days=400)

    assert 0 == ledger.intents.forget_images(clock.now)
    assert 1 == len(ledger.intents.units("r1"))


def test_body_of_an_old_plan_is_forgotten(ledger: Ledger, clock: FakeClock) -> None:
    """A closed plan's values go with its images; an open plan's never do."""
    old, still = plan("m1"), plan("m2", expires=timedelta(days=999))
    ledger.plans.save(old, {})
    ledger.plans.save(still, {})
    ledger.plans.set_state(old.id, PlanState.DONE)
    clock.move(days=31)
    ledger.intents.forget_images(clock.now - timedelta(days=1))

    with pytest.raises(NotReversible):
        ledger.plans.load(old.id)
    assert still == ledger.plans.load(still.id)


def test_last_repair_is_the_newest_version(ledger: Ledger) -> None:
    """The newest receipt is the one with the highest version, whatever came last."""
    applied(ledger, "r1", items("m1", key="a"), 9)
    applied(ledger, "r2", items("m2", key="b"), 7)

    last = ledger.intents.last_receipt()

    assert last is not None
    assert ("r1", 9) == (last.rid, last.version)


# --- plans ------------------------------------------------------------------------------------


def test_plan_is_found_by_any_unique_beginning(ledger: Ledger) -> None:
    """A plan is named by the start of its id; no start, a wrong one and wildcards find none."""
    one = plan("m1")
    ledger.plans.save(one, {})

    assert one.id == ledger.plans.find(one.code)
    assert one.id == ledger.plans.find(one.id[:1])
    for name in ("", "zzzz", "%", "_" * 8, one.id + "0"):
        with pytest.raises(PlanNotFound):
            ledger.plans.find(name)


def test_ambiguous_beginning_names_no_plan(ledger: Ledger) -> None:
    """A beginning that several plans share is refused and says so."""
    many = [plan(f"m{n}") for n in range(17)]
    for one in many:
        ledger.plans.save(one, {})
    starts = [p.id[0] for p in many]
    shared = next(s for s in starts if starts.count(s) > 1)

    with pytest.raises(PlanNotFound, match="Several plans start"):
        ledger.plans.find(shared)


def test_unknown_plan_is_a_named_error(ledger: Ledger) -> None:
    """Asking for a plan that is not there is a named error in every method."""
    for ask in (ledger.plans.load, ledger.plans.state):
        with pytest.raises(PlanNotFound):
            ask("f" * 64)


def test_plan_is_kept_as_it_was(ledger: Ledger) -> None:
    """A loaded plan equals the one that was saved, id and all."""
    one = plan("m1", "记忆")
    ledger.plans.save(one, {"found": {"x": 1}})

    held = ledger.plans.load(one.id)

    assert (one, one.id) == (held, held.id)
    assert {"found": {"x": 1}} == ledger.plans.context(one.id)


def test_same_plan_is_saved_once(ledger: Ledger) -> None:
    """Saving the same open plan again changes nothing."""
    one = plan("m1")

    assert ledger.plans.save(one, {"n": 1})
    assert not ledger.plans.save(one, {"n": 2})
    assert {"n": 1} == ledger.plans.context(one.id)


def test_plan_expires(ledger: Ledger, clock: FakeClock) -> None:
    """An open plan past its time is expired, and covers no finding any more."""
    one = plan("m1")
    ledger.plans.save(one, {})
    assert {"f-m1": one.id} == ledger.plans.covered()
    clock.move(days=1, seconds=1)

    assert PlanState.EXPIRED == ledger.plans.state(one.id)
    assert {} == ledger.plans.covered()
    assert ["expired"] == [p["state"] for p in ledger.plans.all()]


def test_closed_plan_does_not_expire(ledger: Ledger, clock: FakeClock) -> None:
    """What is done stays done."""
    one = plan("m1")
    ledger.plans.save(one, {})
    ledger.plans.set_state(one.id, PlanState.DONE)
    clock.move(days=9)

    assert PlanState.DONE == ledger.plans.state(one.id)


def test_settled_step_covers_its_finding_no_more(ledger: Ledger) -> None:
    """Only steps that still wait hold their findings; the plan is done when none does."""
    one = plan("m1", "m2")
    ledger.plans.save(one, {})
    first, second = one.steps()
    ledger.plans.note(one.id, first.id, "applied", "person", "", "r1")

    assert {"f-m2": one.id} == ledger.plans.covered()
    assert PlanState.OPEN == ledger.plans.close_if_settled(one.id)
    ledger.plans.note(one.id, second.id, "stale", None, "changed", None)
    assert PlanState.DONE == ledger.plans.close_if_settled(one.id)


# --- findings ---------------------------------------------------------------------------------


def found(name: str = "m1") -> Finding:
    """A finding: the content of that row is empty."""
    held = Mapping.identity().memories(arrow([memory(name, content="")]))
    return examine(held, lambda ids: {}, Settings()).findings[0]


def test_finding_is_seen_first_and_last(ledger: Ledger, clock: FakeClock) -> None:
    """The same problem is one finding, with when it was first and last seen."""
    ledger.findings.note([found()])
    clock.move(days=2)
    ledger.findings.note([found()])

    with ledger.transaction() as conn:
        [row] = conn.execute(sa.select(schema.finding)).all()
    first, last = datetime.fromisoformat(row.first_seen), datetime.fromisoformat(row.last_seen)
    assert 2 == (last - first).days
    assert found() == Finding.from_json(json.loads(row.body))


def test_what_is_known_of_a_finding_is_what_was_noted_last(ledger: Ledger) -> None:
    """Reason, evidence and detector are the newest; the finding stays one and the same."""
    later = replace(found(), reason="other words 另一种说法", evidence={"rows": 4}, detector="required/2")
    ledger.findings.note([found()])
    ledger.findings.note([later])

    assert {later.id: later} == ledger.findings.known([found().id])


def test_first_dismissal_stands(ledger: Ledger) -> None:
    """Dismissing again changes neither reason nor author."""
    ledger.findings.dismiss(["f1"], "keep both", "ann")
    ledger.findings.dismiss(["f1"], "other", "bob")

    assert {"f1": "keep both"} == ledger.findings.dismissed()


def test_queue_is_what_waits_now(ledger: Ledger, clock: FakeClock) -> None:
    """The human queue is exactly what waits, each since when it first did, longest first."""
    ledger.findings.enqueue({"f1": "a", "f2": "b"})
    since = {q["finding_id"]: q["at"] for q in ledger.findings.queued()}
    clock.move(hours=1)
    ledger.findings.enqueue({"f2": "b", "f3": "c"})

    queue = ledger.findings.queued()

    assert ["f2", "f3"] == [q["finding_id"] for q in queue]
    assert since["f2"] == queue[0]["at"]
    ledger.findings.enqueue({})
    assert [] == ledger.findings.queued()


def test_attempts_are_counted_within_their_window(ledger: Ledger, clock: FakeClock) -> None:
    """How often a problem was repaired is counted by problem, within a sliding window."""
    key = problem_key("illegal_status", ["m1"])
    assert key == problem_key("illegal_status", ["m1"]) != problem_key("illegal_status", ["m2"])
    for n in range(2):
        applied(ledger, f"r{n}", items("m1", key=f"k{n}", problem=key))
        clock.move(days=20)

    assert {key: 1} == ledger.findings.attempts(timedelta(days=30))
    assert {key: 2} == ledger.findings.attempts(timedelta(days=60))
    assert {} == ledger.findings.attempts(timedelta(days=1))


def test_what_wrote_nothing_was_no_attempt(ledger: Ledger) -> None:
    """A repair for which other writers were too fast, or whose row had changed, is not held against its problem."""
    key = problem_key("illegal_status", ["m1"])
    for rid, state in (("r1", IntentState.DEFERRED), ("r2", IntentState.REFUSED), ("r3", IntentState.APPLIED)):
        assert {} == opened(ledger, rid, items("m1", key="k", problem=key))
        ledger.intents.close(rid, 1, state, 1)

    assert {key: 1} == ledger.findings.attempts(timedelta(days=30))


def test_heir_of_a_vanished_row(ledger: Ledger) -> None:
    """The ledger knows into which row a merged one went, until that is rolled back."""
    rows = arrow([memory("old")])
    values = {"status": "archived", "duplicate_of": "kept"}
    after = with_values(rows, values)
    [one], [two] = digest.row_digests(rows), digest.row_digests(after)
    columns = (ColumnChange("status", "active", "archived"), ColumnChange("duplicate_of", None, "kept"))
    its = settle([Unit("k", "k", (Edit("old", one, two, columns),))], Rows(1, rows), "id", ()).items
    applied(ledger, "r1", its, plan="p")

    assert {"old": "kept"} == ledger.findings.successors(["old", "none"], "duplicate_of")
    applied(ledger, "r2", items("old", key="rollback:r1:0"), 3, plan="p", kind=IntentKind.ROLLBACK)
    assert {} == ledger.findings.successors(["old"], "duplicate_of")


def test_transaction_is_whole_or_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """When recording an intent fails half-way nothing of it is there."""

    def fail(*_: Any) -> None:
        raise RuntimeError("power cut")

    monkeypatch.setattr("mendory.ledger.chain.append", fail)
    with pytest.raises(RuntimeError):
        opened(ledger, "r1", items("m1"), Cap(9, UTC))
    monkeypatch.undo()

    with ledger.transaction() as conn:
        counts = [
            conn.execute(sa.select(sa.func.count()).select_from(t)).scalar()
            for t in (schema.intent, schema.intent_unit, schema.item, schema.budget, schema.chain)
        ]
    assert [0] * 5 == counts


def test_order_of_repairs_survives_a_clock_set_back(ledger: Ledger, clock: FakeClock) -> None:
    """A plan's items are given in the order they were applied, though the clock was set back between two."""
    applied(ledger, "r1", items("m1", key="a"), 2, plan="p")
    clock.move(hours=-1)
    applied(ledger, "r2", items("m1", key="b"), 3, plan="p")

    assert ["r1", "r2"] == [i.rid for i in ledger.intents.items("p")]


def test_runs_are_recorded(ledger: Ledger) -> None:
    """What a run did is kept, oldest first."""
    first = ledger.note_run("apply", "p", {"n": 1})
    ledger.note_run("rollback", "q", {"n": 2})

    assert [(first, "apply", 1)] == [(r["id"], r["kind"], r["n"]) for r in ledger.runs("p")]
    assert ["apply", "rollback"] == [r["kind"] for r in ledger.runs()]


def test_umask_does_not_open_the_file(tmp_path: Path) -> None:
    """A lax umask leaves the ledger closed to others."""
    old = os.umask(0)
    try:
        Ledger.open(f"sqlite:///{tmp_path}/new/ledger.db").close()
    finally:
        os.umask(old)

    assert 0o600 == stat.S_IMODE((tmp_path / "new" / "ledger.db").stat().st_mode)
    assert 0o700 == stat.S_IMODE((tmp_path / "new").stat().st_mode)


def test_in_memory_ledger_works_alike(clock: Callable[[], datetime]) -> None:
    """A ledger in memory, as the rehearsal uses it, refuses and verifies like one on disk."""
    held = Ledger.in_memory(clock)
    applied(held, "r1", items("m1"))

    assert Outcome.DONE == opened(held, "r2", items("m1"))["k"][0]
    assert 2 == held.verify()
