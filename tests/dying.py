"""A process that dies between its commit and the receipt, and the one that recovers what it left."""

from __future__ import annotations

import dataclasses

import pytest

from mendory.clinic import Clinic
from mendory.executor.owner import executing
from mendory.executor.recover import Recovered
from mendory.treatment import apply, recover_all


def died_after_its_commit(
    clinic: Clinic, plan_id: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[Clinic, list[Recovered]]:
    """The clinic of a later process, and what it recovered; the first kept nothing aside."""
    clinic.writer.bind_ledger(clinic.ledger.id, None)
    monkeypatch.setattr(clinic.writer, "sync", lambda version: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        apply(clinic, plan_id)
    assert {} == clinic.ledger.asides.held()
    monkeypatch.undo()
    later = Clinic(clinic.config, clinic.clock)
    with executing(later.clock) as context:
        return later, recover_all(later, dataclasses.replace(context, alive=lambda owner, at: False))
