"""A ledger that moves to another database: everything comes along, and only the new one counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import lancedb
import pytest

from mendory import treatment
from mendory.clinic import Clinic
from mendory.errors import LedgerMismatch
from mendory.ledger import Ledger
from mendory.ledger.moving import move
from mendory.side import Note
from tests.conftest import FakeClock, memory
from tests.postgres import Server

pytestmark = [pytest.mark.postgres, pytest.mark.lance]


def test_a_repair_is_taken_back_by_the_ledger_that_moved(
    clinic: Callable[..., Clinic], postgres: Server, tmp_path: Path
) -> None:
    """After the move the table is bound to the new ledger, which undoes what the old one did; the old is refused."""
    at = clinic([memory("m1", status="ACTIVE", content="不要香菜"), memory("m2", status="Active")])
    plan = at.plan().plan
    assert plan is not None
    treatment.approve(at, plan.id, None, "安")
    treatment.apply(at, plan.id)
    at.ledger.asides.take({"m\0": Note("about", {"duplicate_of": "记忆"})})
    own, links = at.ledger.id, at.ledger.verify()
    url = postgres.emptied()
    target = Ledger.open(url)

    assert links == move(at.ledger, target)

    there = clinic(None, ledger={"url": url})
    there.check_binding()
    assert (own, links) == (there.ledger.id, there.ledger.verify())
    assert {"m\0": Note("about", {"duplicate_of": "记忆"})} == there.ledger.asides.held()
    with pytest.raises(LedgerMismatch):
        clinic(None).check_binding()
    assert {"m1", "m2"} == set(treatment.take_back(there, plan.id, "安").restored)
    rows = lancedb.connect(at.config.table_uri).open_table("memories").to_arrow()
    assert {"m1": "ACTIVE", "m2": "Active"} == dict(
        zip(rows["id"].to_pylist(), rows["status"].to_pylist(), strict=True)
    )
    target.close()


def test_nothing_moves_onto_another_ledger_or_with_a_repair_open(
    postgres: Server, tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, clinic: Callable[..., Clinic]
) -> None:
    """A place that holds anything is refused, and so is a ledger with a repair under way; both stay as they were."""
    target = Ledger.open(postgres.emptied())
    source = Ledger.open(f"sqlite:///{tmp_path / 'a.db'}", clock)
    source.findings.dismiss(["f1"], "x", "ann")
    own = source.id
    target.findings.dismiss(["f2"], "y", "bob")
    with pytest.raises(LedgerMismatch, match="holds a ledger already"):
        move(source, target)

    assert (own, {"f1": "x"}, {"f2": "y"}) == (source.id, source.findings.dismissed(), target.findings.dismissed())

    at = clinic([memory("m1", status="ACTIVE")])
    plan = at.plan().plan
    assert plan is not None
    treatment.approve(at, plan.id, None, "ann")
    monkeypatch.setattr(at.writer, "commit", _die)
    with pytest.raises(KeyboardInterrupt):
        treatment.apply(at, plan.id)
    empty = Ledger.open(postgres.emptied())
    with pytest.raises(LedgerMismatch, match="is open"):
        move(at.ledger, empty)
    assert 0 == empty.verify()
    for one in (source, target, empty):
        one.close()


def _die(*_: object) -> None:
    raise KeyboardInterrupt
