"""What the tests of a move to another space share: models that are told apart, and a table on its way."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedder_section import MAX_CHARS
from mendory.embedding import Embedder, Estimate, Identity, Vectors
from mendory.embedding.batching import check_texts
from mendory.filling import Filling
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migration.gate import Examined, Gate, Lost, Outcome, Part
from mendory.migration.quality import Change, Slice
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


def looked(clinic: Clinic, alarm: str = "") -> Clinic:
    """The clinic, whose soaking space was looked at just now, with that alarm."""
    clinic.ledger.moves.note(clinic.ledger.moves.all()[-1].id, "cron", {"alarm": alarm})
    return clinic


def filling(config: Config, embedder: Embedder | None = None, **more: Any) -> Filling:
    """What fills the space beside the searched one."""
    clinic = Clinic(config, FakeClock())
    model = embedder or new_model()
    return Filling(clinic.beside, clinic.side_state_beside, model, 8000, time.monotonic, **more)


_CHANGE = Change(1_500, 0.8, 0.82, 0.02, 0.01, 0.03, 0.999)
_NUMBERS: Mapping[Part, Mapping[str, Any]] = {
    Part.PURITY: {
        "texts": 40,
        "fresh": 40,
        "dimensions": {str(NEW): 40},
        "unusable": 0,
        "norms": [1.0, 1.0],
        "embedded_again": 40,
        "agreed": 40,
        "lowest": 1.0,
        "left_out": {},
        "wrong": {},
    },
    Part.QUALITY: {
        "ndcg": _CHANGE.as_json(),
        "recall": _CHANGE.as_json(),
        "kinds": {"partial": 500, "reordered": 500, "paraphrased": 500},
        "left_out": {"too short": 3},
        "vetoes": [],
    },
    Part.SELF_RETRIEVAL: {"among_ten": _CHANGE.as_json(), "first": _CHANGE.as_json()},
    Part.AGREEMENT: {"queries": 1_500, "overlap": 0.5, "rbo": 0.6, "same_first": 0.7, "identical": 3, "trip": "none"},
    Part.COST: {
        "old_p95": 4.0,
        "new_p95": 4.4,
        "timed": 1_500,
        "filling": {"calls": 24, "texts": 40, "characters": 900, "cost": 1.25},
        "thousand_queries": {"calls": 16, "texts": 1_000, "characters": 22_000, "cost": 0.05},
    },
}


def a_gate(move: Move, version: int, seed: int = 1, refuses: bool = False) -> Gate:
    """A gate of that move, as one that examined forty memories says it; two queries lost something."""
    parts = tuple(
        Examined(
            part,
            Outcome.REFUSED if refuses and part is Part.QUALITY else Outcome.PASSED,
            ("worse",) if refuses and part is Part.QUALITY else (),
            numbers,
        )
        for part, numbers in _NUMBERS.items()
    )
    slices = (Slice("language", "zh", _CHANGE, False), Slice("language", "en", _CHANGE, False))
    lost = tuple(
        Lost(f"{one}/partial", "partial", "u1", language, (one,), (one, f"{other}2"), (f"{other}2", one), 1.0, 0.63)
        for one, language, other in (("m0", "en", "m"), ("z0", "zh", "z"))
    )
    return Gate(move.old, move.new, version, seed, parts, slices, lost)


WORDS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class Words(Model):
    """An embedder of words: texts that share words lie near, so that a memory is found by a part of its text.

    `slow` seconds pass before the vectors of a query are there.
    """

    def __init__(self, name: str, dimension: int, slow: float = 0.0) -> None:
        super().__init__(name, dimension)
        self.slow = slow

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The sum of the vectors of a text's words, at length 1."""
        check_texts(texts, MAX_CHARS)  # as the embedders of a configuration do
        rows = []
        for text in texts:
            self.texts += 1
            words = WORDS.findall(text.lower()) or [text]
            seeds = ([*word.encode(), *self.identity.model.encode()] for word in words)
            total = np.sum([np.random.default_rng(s).standard_normal(self.dimension) for s in seeds], axis=0)
            rows.append(total / np.linalg.norm(total))
        return np.asarray(rows, np.float32).reshape(len(rows), self.dimension)

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """The same, after a while."""
        time.sleep(self.slow)
        return self.embed(texts)
