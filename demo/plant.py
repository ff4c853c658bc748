"""Plants faults into a healthy store and says what was planted. Whoever heals never sees the planting."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from random import Random
from typing import Any, Final

from demo.incident import plant_incident
from demo.plant_duplicates import plant_duplicates
from demo.plant_structure import plant_structure
from demo.rows import Row, metadata_of, metadata_text
from demo.scribe import new_id
from demo.ward import Ward, anyone

DEFAULT_TOPIC: Final = "general"
"""The topic the demo's configuration fills in where nothing is known; of a scene people are asked."""

Planting = dict[str, Any]
"""Seed, number of rows, the faults, every planted row as it was planted, and the incident's place, as JSON."""

_SPELLINGS: Final = (
    ("Active", "active"),
    (" active ", "active"),
    ("ACTIVE", "active"),
    ("active\n", "active"),
    ("PENDING_REVIEW", "pending_review"),
    ("Pending Review", "pending_review"),
    ("pending-review", "pending_review"),
    ("Archived", "archived"),
    ("ARCHIVED ", "archived"),
)
_UNKNOWN: Final = ("deleted", "draft", "inactive", "正常", "superseded", None, None, "")
_BLANKS: Final = ("", "   ", "\u200b\u200b", "\u3000", "\n\t", "\ufeff", "\u200d", None)


def plant(rows: Sequence[Row], seed: int = 7) -> tuple[list[Row], Planting]:
    """The rows with faults, in the order they were stored, and what was planted where."""
    ward = Ward.of(rows, Random(f"{seed}/planting"))
    _scene_lost_in_import(ward)
    plant_duplicates(ward)
    _metadata(ward)
    _required(ward)
    _statuses(ward)
    _references(ward)
    plant_structure(ward)
    incident = plant_incident(ward)
    faults = sorted((f.as_json() for f in ward.faults), key=lambda f: (f["code"], f["outcome"], f["ids"]))
    before = {i: {k: shown(v) for k, v in ward.rows[i].items() if k != "embedding"} for i in sorted(ward.taken)}
    planting = {"seed": seed, "rows": len(ward.rows), "faults": faults, "before": before, "incident": incident}
    return sorted(ward.rows.values(), key=lambda r: (r["created_at"], r["id"])), planting


def shown(value: Any) -> Any:
    """A value as JSON can hold it."""
    return value.isoformat() if isinstance(value, datetime) else value


def _without(row: Row, keys: Iterable[str], blank: Any = ...) -> None:
    """The row's metadata loses these keys, or holds something valueless there."""
    held = metadata_of(row)
    for key in keys:
        if blank is ...:
            del held[key]
        else:
            held[key] = blank
    row["metadata"] = metadata_text(held)


def _claim(row: Row) -> dict[str, Any]:
    """The row's claim, empty when it has none."""
    return dict(json.loads(row["claim"])) if row["claim"] else {}


def _scene_lost_in_import(ward: Ward) -> None:
    """One import whose rows all lack the scene: claims know that of some, and these tell that of the others."""

    def both(batch: Sequence[Row]) -> int:
        told = sum("scene" in _claim(r) for r in batch)
        return min(told, len(batch) - told)

    batch = max(ward.free_imports(), key=lambda b: (both(b), b[0]["id"]))
    assert both(batch) >= 3, "too few rows would tell the scene"
    for row in batch:
        ward.take(row)
        ward.struck = row["scope"]
        scene = metadata_of(row)["scene"]
        _without(row, ["scene"])
        ward.plant("metadata_missing_field", "filled", [row], values={"scene": scene})


def _metadata(ward: Ward) -> None:
    """Required keys missing, empty or null: known from a claim, from siblings, by default, or to nobody."""
    choose = partial(ward.choose, outside=ward.struck)

    def sure(row: Row, key: str) -> bool:
        return bool((row["batch_id"] or "").startswith("import") and ward.agreed(row, key))

    for at, row in enumerate(choose(10, lambda r: "scene" not in _claim(r) and sure(r, "scene"), lone_batches=True)):
        agreed = ward.agreed(row, "scene")
        _without(row, ["scene"], ... if at % 3 else "")
        ward.plant("metadata_missing_field", "filled", [row], values={"scene": agreed})
    for row in choose(4, lambda r: sure(r, "topic"), lone_batches=True):
        agreed = ward.agreed(row, "topic")
        _without(row, ["topic"])
        ward.plant("metadata_missing_field", "filled", [row], values={"topic": agreed})
    for at, row in enumerate(choose(10, lambda r: bool(r["claim"]) and not r["batch_id"])):
        said = _claim(row)
        key, value = ("scene", said["scene"]) if "scene" in said else ("entities", [said["entity"]])
        _without(row, [key], ... if at % 3 else None)
        ward.plant("metadata_missing_field", "filled", [row], values={key: value})
    for row in choose(6, lambda r: not r["batch_id"]):
        _without(row, ["topic"])
        ward.plant("metadata_missing_field", "filled", [row], values={"topic": DEFAULT_TOPIC})
    for at, row in enumerate(choose(8, lambda r: not r["batch_id"] and not r["claim"])):
        key = "scene" if at % 2 else "entities"
        _without(row, [key], ... if at % 4 else [])
        ward.plant("metadata_missing_field", "person", [row], keys=[key])
    for row in choose(3, lambda r: not r["batch_id"] and not r["claim"]):
        row["metadata"] = None
        ward.plant("metadata_missing_field", "filled", [row], values={"topic": DEFAULT_TOPIC})
        ward.plant("metadata_missing_field", "person", [row], keys=["entities", "scene"])


def _required(ward: Ward) -> None:
    """Source, scope, content or vector gone: only a person knows, or lets be set what others tell."""
    for at, row in enumerate(ward.choose(8, lambda r: not r["batch_id"])):
        row["source"] = None if at % 4 else " "
        ward.plant("missing_source", "person", [row])
    for row in ward.choose(4, partial(_said_by_siblings, ward), lone_batches=True):
        source, row["source"] = row["source"], None
        ward.plant("missing_source", "person", [row], proposed={"source": source})
    for row in ward.choose(5, lambda r: not r["related_ids"] and not r["batch_id"] and "user" not in metadata_of(r)):
        row["scope"] = None
        ward.plant("missing_scope", "person", [row])
    for witness in (_of_import, _of_user):
        for row in ward.choose(4, witness, lone_batches=True):
            scope, row["scope"] = row["scope"], None
            ward.plant("missing_scope", "person", [row], proposed={"scope": scope})
    for blank, row in zip(_BLANKS, ward.choose(len(_BLANKS), anyone), strict=True):
        row["content"] = blank
        ward.plant("content_empty", "person", [row])
        ward.plant("embedding_missing", "person", [row])
    for row in ward.choose(7, anyone):
        row["embedding"] = None
        ward.plant("embedding_missing", "person", [row])


def _of_import(row: Row) -> bool:
    """True when siblings of its import tell the row's scope."""
    return bool((row["batch_id"] or "").startswith("import") and not row["related_ids"])


def _of_user(row: Row) -> bool:
    """True when its metadata tell the row's scope."""
    return bool(not row["batch_id"] and "user" in metadata_of(row) and not row["related_ids"])


def _said_by_siblings(ward: Ward, row: Row) -> bool:
    """True when the row has the one source of at least three siblings of its batch."""
    sources = [r["source"] for r in ward.batch(row["batch_id"])]
    return len(sources) >= 4 and set(sources) == {row["source"]}


def _statuses(ward: Ward) -> None:
    """Spellings of a known status, and statuses that nobody knows."""
    for (spelt, meant), row in zip(_SPELLINGS, ward.choose(len(_SPELLINGS), anyone), strict=True):
        row["status"] = spelt
        ward.plant("illegal_status", "normalised", [row], status=meant)
    for status, row in zip(_UNKNOWN, ward.choose(len(_UNKNOWN), anyone), strict=True):
        row["status"] = status
        ward.plant("illegal_status", "person", [row])


def _references(ward: Ward) -> None:
    """References to memories that are gone, alone and beside good ones."""
    for at, row in enumerate(ward.choose(9, lambda r: bool(r["related_ids"]) or ward.rng.random() < 0.2)):
        gone = new_id(ward.rng)
        row["related_ids"] = [*(row["related_ids"] or ()), gone] if at % 3 else [gone]
        ward.plant("reference_dangling", "person", [row], missing=[gone])
    retired = [r for r in ward.rows.values() if r["status"] == "archived" and r["id"] not in ward.taken]
    for field in ("duplicate_of", "superseded_by"):
        for row in ward.rng.sample([r for r in retired if r[field]], 2):
            ward.take(row)
            row[field] = new_id(ward.rng)
            ward.plant("reference_dangling", "person", [row], missing=[row[field]])
