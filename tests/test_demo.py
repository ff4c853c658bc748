"""The demonstration, without Prefect: the judge sees every changed row, and seeds make one store."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import lancedb
import pytest

from demo import judge
from demo.memories import memories
from demo.plant import plant
from demo.rows import is_chinese
from mendory.detect import Settings, examine
from mendory.lance import to_table
from mendory.mapping import Mapping as FieldMapping
from mendory.record import arrow_schema
from tests.conftest import make_table, memory

pytestmark = pytest.mark.lance


def test_a_stray_write_is_seen_by_the_judge(tmp_path: Path) -> None:
    """One healthy row changed by another program counts as one; a planted row that changes counts as none."""
    make_table(tmp_path, [memory(f"m{n}") for n in range(9)])
    before = judge.digests(str(tmp_path), "memories")
    table = lancedb.connect(str(tmp_path)).open_table("memories")
    table.update(where="id = 'm3'", values={"source": "stray"})

    assert ["m3"] == judge.healthy_changed(before, judge.digests(str(tmp_path), "memories"), _planting())
    table.update(where="id = 'm5'", values={"source": "stray"})
    table.delete("id = 'm7'")
    changed = judge.healthy_changed(before, judge.digests(str(tmp_path), "memories"), _planting())
    assert ["m3", "m7"] == sorted(changed)


def _planting() -> dict[str, object]:
    fault = {"code": "illegal_status", "ids": ["m5"], "outcome": "normalised"}
    return {"faults": [fault], "rows": []}


def _seen(rows: list[dict[str, object]]) -> Counter[str]:
    held = FieldMapping.identity().memories(to_table(rows, arrow_schema(4)))
    by_id = {m.id: m for m in held if m.id}
    found = examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, Settings()).findings
    return Counter(f.code.value for f in found)


@pytest.mark.parametrize("seed", [1, 7, 42])
def test_the_healthy_store_is_healthy_in_both_languages(seed: int) -> None:
    """Whatever the seed: at least 5,000 memories, a good part in each language, and not one finding."""
    rows = memories(seed)
    chinese = sum(is_chinese(r["content"]) for r in rows)

    assert len(rows) >= 5000
    assert 0.3 < chinese / len(rows) < 0.7
    assert Counter() == _seen(rows)


def test_one_seed_is_one_store() -> None:
    """Memories and faults are the same for the same seed and others for another."""
    one, two, other = (json.dumps(plant(memories(s), s)[1], default=str) for s in (3, 3, 4))

    assert one == two
    assert one != other


def test_every_code_of_a_row_is_planted() -> None:
    """The demonstration holds a fault of each kind that a row of a whole table can have."""
    rows, planting = plant(memories(7), 7)

    assert set(_seen(rows)) | {"embedding_missing"} >= {f["code"] for f in planting["faults"]}
    wanted = {"metadata_missing_field", "illegal_status", "reference_dangling", "duplicate_exact", "duplicate_restated"}
    assert wanted <= {f["code"] for f in planting["faults"]}
