"""What the tests of a move to another space share: models that are told apart, and a table on its way."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedding import Embedder, Estimate, Identity, Vectors
from mendory.filling import Filling
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migration.stages import Stage
from mendory.spaces import Fingerprint, SpaceState
from tests.conftest import FakeClock, make_config, make_table, memory

OLD, NEW = 4, 8
COLUMN = "embedding__new"
FORWARD = (Stage.FILLING, Stage.GATING, Stage.APPROVED, Stage.CANARY, Stage.SWITCHED, Stage.SOAKING)


class Model:
    """An embedder whose vector of a text is drawn from the text and its own name."""

    def __init__(self, name: str, dimension: int) -> None:
        self.identity, self.dimension = Identity("test", name), dimension
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text."""
        given = list(texts)
        self.texts += len(given)
        rows = [np.random.default_rng([*t.encode(), *self.identity.model.encode()]) for t in given]
        made = np.stack([r.standard_normal(self.dimension) for r in rows]) if rows else np.empty((0, self.dimension))
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)

    embed_query = embed

    def estimate(self, lengths: Iterable[int]) -> Estimate:
        """One call, whatever there is."""
        sizes = list(lengths)
        return Estimate(1, len(sizes), sum(sizes))


def old_model() -> Model:
    """The model of the table's vectors."""
    return Model("old", OLD)


def new_model() -> Model:
    """The model the table moves to."""
    return Model("new", NEW)


def rows_of(texts: Mapping[str, str], **fields: Any) -> list[dict[str, Any]]:
    """Rows with these texts by id, in the old model's vectors."""
    made = old_model().embed(list(texts.values()))
    return [
        memory(i, content=text, embedding=vector.tolist(), **fields)
        for (i, text), vector in zip(texts.items(), made, strict=True)
    ]


def on_its_way(folder: Path, rows: Iterable[Mapping[str, Any]], stage: Stage = Stage.FILLING) -> tuple[Config, Move]:
    """A table with the column of the new space, and a ledger whose move has reached the stage."""
    config = make_config(folder)
    writer = make_table(folder, rows)
    ledger = Ledger.open(config.ledger_url, FakeClock())
    old = ledger.spaces.register(Fingerprint.of(old_model()), SpaceState.ACTIVE, "ann")
    writer.add_vectors(COLUMN, NEW)
    new = ledger.spaces.register(Fingerprint.of(new_model()), SpaceState.FILLING, "ann", COLUMN)
    move = ledger.moves.begin(old.id, new.id, COLUMN, "ann")
    for passed in FORWARD[: FORWARD.index(stage) + 1]:
        move = ledger.moves.to(move.id, passed, "ann")
    ledger.close()
    return config, move


def filling(config: Config, embedder: Embedder | None = None, **more: Any) -> Filling:
    """What fills the space beside the searched one."""
    clinic = Clinic(config, FakeClock())
    model = embedder or new_model()
    return Filling(clinic.beside, clinic.side_state_beside, model, 8000, time.monotonic, **more)
