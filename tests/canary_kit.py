"""A table on its way to its canary: memories that are found by parts of their texts, in the spaces of two models."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedding import Embedder
from mendory.filling import Filling
from mendory.lance.tables import create_table, to_table
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migration.stages import Stage
from mendory.recalls import RecallNote, Recalls
from mendory.record import arrow_schema
from mendory.spaces import Fingerprint, Space, SpaceState
from tests.conftest import FakeClock, make_config, memory
from tests.moving_kit import COLUMN, FORWARD, Words

OLD, NEW = 64, 96
WANTED = 30
"""Recalls a share needs here."""
TEXTS = {
    f"en{n}": f"Guest{n} likes drink{n} with cake{n} near window{n} on day{n}, never at noon{n}" for n in range(60)
} | {
    f"zh{n}": f"客人{a}{b}喜欢在{b}{c}边喝{c}{a}茶，从不加{a}{c}糖{b}"
    for n, (a, b, c) in enumerate(
        zip("甲乙丙丁戊己庚辛壬癸", "春夏秋冬晨昏晴雨风雪", "江河湖海山林田园城村", strict=True)
    )
}


def old_words() -> Words:
    """The model of the table's vectors."""
    return Words("old", OLD)


def new_words(slow: float = 0.0) -> Words:
    """The model the table moves to."""
    return Words("new", NEW, slow)


def canary_ready(
    folder: Path,
    clock: Callable[..., Any] | None = None,
    stage: Stage = Stage.APPROVED,
    bare: Mapping[str, str] | None = None,
) -> Config:
    """A filled table of `TEXTS` whose move has reached that stage; `bare` memories besides had no vector."""
    config = make_config(folder, migration={"canary_recalls": WANTED})
    create_table(str(folder), "memories", OLD)
    made = old_words().embed(list(TEXTS.values()))
    rows = [memory(i, content=t, embedding=v.tolist()) for (i, t), v in zip(TEXTS.items(), made, strict=True)]
    rows += [memory(ident, content=text, embedding=None) for ident, text in (bare or {}).items()]
    lancedb.connect(str(folder)).open_table("memories").add(to_table(rows, arrow_schema(OLD)))
    ledger = Ledger.open(config.ledger_url, clock or FakeClock())
    old = ledger.spaces.register(Fingerprint.of(old_words()), SpaceState.ACTIVE, "ann")
    Clinic(config).writer.add_vectors(COLUMN, NEW)
    new = ledger.spaces.register(Fingerprint.of(new_words()), SpaceState.FILLING, "ann", COLUMN)
    move = ledger.moves.begin(old.id, new.id, COLUMN, "ann")
    for passed in FORWARD[: FORWARD.index(stage) + 1]:
        ledger.moves.to(move.id, passed, "ann")
        if passed is Stage.FILLING:
            at = Clinic(config, FakeClock())
            Filling(at.beside, at.side_state_beside, new_words(), 8000, time.monotonic).run()
    ledger.close()
    return config


def models(clinic: Clinic, space: Space) -> Embedder:
    """The model of a space of the kit."""
    return old_words() if space.fingerprint.dimension == OLD else new_words()


def recalled(config: Config, clock: FakeClock, space: str, ms: float = 10.0, count: int = WANTED) -> None:
    """So many recalls were answered from that space just now, each in so long."""
    recalls = Recalls(config.telemetry_path, config.door_place, timedelta(days=90))
    for _ in range(count):
        recalls.note(RecallNote(clock(), space, ms, 3, None))
    recalls.close()


def move_of(config: Config) -> Move:
    """The newest move of the table."""
    ledger = Ledger.open(config.ledger_url, FakeClock())
    found = ledger.moves.all()[-1]
    ledger.close()
    return found
