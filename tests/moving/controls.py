"""The gate's controls on a small table that was moved in the same way: each damage is refused, for its own reason."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.embedding import Embedder, Vectors
from mendory.gating import gate
from mendory.migrating import fill, start
from mendory.migration.purity import Impurity
from tests.moving.models import Pair
from tests.moving.setting import CONFIG, NAME, Setting, build, turn_to

SOUND = "sound"


def controls(folder: Path, pair: Pair, count: int, seed: int) -> dict[str, list[str]]:
    """Damage → the reasons of the first part of the gate; the sound table is one of them and has none."""
    setting = build(folder, pair, count, 4, seed)
    turn_to(setting)
    column = start(Clinic(Config.load(folder / CONFIG)), "ann", same_width=True).column
    fill(Clinic(Config.load(folder / CONFIG)))
    models = pair.models()
    table = lancedb.connect(str(folder)).open_table(NAME)
    held = table.to_arrow()
    ids = held["id"].to_pylist()
    right = [np.asarray(vector, np.float32) for vector in held[column].to_pylist()]
    found = {SOUND: _reasons(folder, models, seed)}
    for what, vectors in _damaged(setting, ids, right, random.Random(seed)).items():
        _write(table, column, ids, vectors)
        found[what] = _reasons(folder, models, seed)
    return found


def refused(found: dict[str, list[str]]) -> bool:
    """True when the sound table passes the first part, and each damage is refused by its own name."""
    return not found[SOUND] and all(what in reasons for what, reasons in found.items() if what != SOUND)


def _damaged(
    setting: Setting, ids: Sequence[str], right: Sequence[Vectors], rng: random.Random
) -> dict[str, list[Vectors | None]]:
    half = set(rng.sample(range(len(ids)), len(ids) // 2))
    long = set(rng.sample(range(len(ids)), len(ids) // 4))
    return {
        Impurity.HALF_MIGRATED.value: [None if at in half else vector for at, vector in enumerate(right)],
        Impurity.SHUFFLED.value: rng.sample(list(right), len(right)),
        Impurity.UNNORMALISED.value: [6 * vector if at in long else vector for at, vector in enumerate(right)],
        Impurity.WRONG_MODEL.value: [_other(setting.vectors[ident], len(right[0])) for ident in ids],
    }


def _other(old: Vectors, width: int) -> Vectors:
    """Another model's vector of the text, of the new model's length."""
    return np.pad(old, (0, width - len(old))) if len(old) < width else np.ascontiguousarray(old[::-1])


def _write(table: Any, column: str, ids: Sequence[str], vectors: Sequence[Vectors | None]) -> None:
    """The column holds these vectors, written by a program that knows nothing of us."""
    table.checkout_latest()
    kind = table.schema.field(column).type
    cells = pa.array([None if one is None else one.tolist() for one in vectors], kind)
    rows = table.to_arrow()
    at = {ident: n for n, ident in enumerate(ids)}
    order = pa.array([at[ident] for ident in rows["id"].to_pylist()])
    place = rows.schema.get_field_index(column)
    table.merge_insert("id").when_matched_update_all().execute(
        rows.set_column(place, rows.schema.field(place), cells.take(order)), on_bad_vectors="null"
    )


def _reasons(folder: Path, models: Sequence[Embedder], seed: int) -> list[str]:
    clinic = Clinic(Config.load(folder / CONFIG))
    old, new = clinic.ledger.spaces.live()
    found = gate(clinic, (old, models[0]), (new, models[1]), seed)[0]
    return list(found.parts[0].reasons)
