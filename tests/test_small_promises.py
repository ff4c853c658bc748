"""Small promises of the docs, each of which was once broken."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import ConfigInvalid, Unavailable
from mendory.ledger import Ledger
from mendory.mapping import Mapping
from mendory.record import arrow_schema
from mendory.report.markdown import cell
from mendory.treatment import apply, approve
from tests.conftest import FakeClock, memory


def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` in table.uri and ledger.url is the user's home, not a folder beside the configuration."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    data = {"table": {"uri": "~/db", "name": "memories"}, "ledger": {"url": "sqlite:///~/ledger.db"}}
    made = Config.build(data, tmp_path / "work")

    assert str(tmp_path / "home" / "db") == made.table_uri
    assert f"sqlite:///{tmp_path / 'home' / 'ledger.db'}" == made.ledger_url


def test_dictionary_encoded_texts_are_texts() -> None:
    """A status or scope that is dictionary-encoded is read as the text it stands for."""
    schema = arrow_schema(4)
    at = schema.get_field_index("status")
    schema = schema.set(at, pa.field("status", pa.dictionary(pa.int8(), pa.string())))
    Mapping.identity().check(schema)
    table = pa.table({"id": ["m1"], "status": pa.array(["归档"]).dictionary_encode()})

    assert ["归档"] == [m.status for m in Mapping.identity().memories(table)]


@pytest.mark.parametrize("text", ["http://evil.com", "see www.evil.com", "a@b.com", "见 www.evil.com", "张@例.com"])
def test_no_link_survives_in_markdown(text: str) -> None:
    """Nothing that Markdown renderers make a link of by themselves is left whole."""
    shown = cell(text)

    assert [] == [mark for mark in ("://", "www.", "@b", "@例") if mark in shown]


@pytest.mark.lance
def test_a_locked_ledger_is_unavailable_not_corrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another program holds the ledger's lock a write says so and advises no restore; reading goes on."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    Ledger.open(url).close()
    holder = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    held = Ledger.open(url)
    assert {} == held.findings.dismissed()
    with held.reading() as conn:
        conn.exec_driver_sql("PRAGMA busy_timeout = 50")
    with pytest.raises(Unavailable, match="locked"):
        held.findings.dismiss(["f"], "x", "ann")
    holder.close()


def test_a_ledger_in_another_database_is_refused() -> None:
    """A ledger URL of a database whose transactions nobody has examined is refused, driver or not."""
    with pytest.raises(ConfigInvalid, match="names no database a ledger is kept in"):
        Ledger.open("oracle://somewhere/x")


@pytest.mark.lance
def test_a_run_forgets_images_past_their_retention(clinic: Callable[..., Clinic], clock: FakeClock) -> None:
    """Images are gone at the first run after their retention, and the chain still holds."""
    at = clinic([memory("m1", status="Active"), memory("m2", content="好", status="Active"), memory("m3")])
    plan = at.plan().plan
    assert plan is not None
    approve(at, plan.id, None, "ann")
    apply(at, plan.id)
    clock.now += timedelta(days=31)
    import lancedb

    lancedb.connect(at.config.table_uri).open_table("memories").update(where="id = 'm3'", values={"status": "Active"})
    later = at.plan().plan
    assert later is not None
    approve(at, later.id, None, "ann")
    apply(at, later.id)
    with at.ledger.transaction() as conn:
        rows = conn.exec_driver_sql("SELECT row_id, before_image IS NULL FROM item ORDER BY row_id").all()

    assert [("m1", 1), ("m2", 1), ("m3", 0)] == [tuple(r) for r in rows]
    assert at.ledger.verify() > 0
