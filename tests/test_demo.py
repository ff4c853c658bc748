"""The demonstration, without Prefect: the judge sees every changed row, and seeds make one store."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest

from demo import judge
from demo.embed import DIMENSION
from demo.memories import memories
from demo.plant import plant
from demo.rows import is_chinese
from mendory.config import StalenessSection
from mendory.detect import Settings, examine
from mendory.finding import KNOWN, Code, Finding, Ring
from mendory.lance import to_table
from mendory.mapping import VECTOR, VECTORLESS
from mendory.mapping import Mapping as FieldMapping
from mendory.record import arrow_schema
from mendory.text import is_blank
from mendory.vectors import facts
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


def _found(rows: list[dict[str, Any]], stale: frozenset[str] = frozenset()) -> tuple[Finding, ...]:
    """What is found on the rows; those that nothing was planted in have a vector of their own, of length 1."""
    table = to_table([{**r, "embedding": None} for r in rows], arrow_schema(DIMENSION)).drop_columns(["embedding"])
    drawn = np.random.default_rng(0).normal(size=(len(rows), DIMENSION)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    bare = [r.get("embedding", ...) is None or is_blank(r["content"]) for r in rows]
    for at, row in enumerate(rows):
        if row.get("embedding") is not None:
            drawn[at] = row["embedding"]
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(drawn.ravel()), DIMENSION, mask=pa.array(bare))
    table = table.append_column(VECTORLESS, pa.array(bare)).append_column(VECTOR, facts(vectors))
    held = FieldMapping.identity().memories(table.combine_chunks())
    by_id = {m.id: m for m in held if m.id}
    # its memories are of fixed dates: what is old would depend on the day
    wishes = Settings(now=datetime.now(UTC), stale_vectors=stale, staleness=StalenessSection(stale_below=0))
    return examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, wishes).findings


def _seen(rows: list[dict[str, Any]]) -> Counter[str]:
    return Counter(f.code.value for f in _found(rows))


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
    """The demonstration holds a fault of each kind that a row of a whole table of our own can have."""
    _, planting = plant(memories(7), 7)
    # a table of ours always has an id, types and lengths of vectors that fit, and metadata and times that were written
    never = {Code.MISSING_ID, Code.DUPLICATE_ID, Code.WRONG_TYPE, Code.EMBEDDING_DIM_MISMATCH}
    never |= {Code.MISSING_CREATED_AT, Code.MISSING_UPDATED_AT, Code.METADATA_INVALID}
    # of what is told by meaning it plants texts that are literally the same, and texts that oppose each other
    plain = {Code.DUPLICATE_EXACT, Code.DUPLICATE_RESTATED, Code.CONFLICT}
    never |= {code for code in set(Code) - plain if KNOWN[code][0] is Ring.MEANING}

    assert {c.value for c in set(Code) - never} == {f["code"] for f in planting["faults"]}


@pytest.mark.parametrize("seed", [1, 7, 42])
def test_what_is_planted_is_found_and_nothing_else(seed: int) -> None:
    """Every fault that a first check-up can see is a finding on exactly its rows, and no healthy row is named."""
    rows, planting = plant(memories(seed), seed)
    stale = frozenset(f["ids"][0] for f in planting["faults"] if f["code"] == "embedding_stale_text")
    found = [f.as_json() for f in _found(rows, stale)]

    assert [] == judge.unseen(planting, found)
    assert [] == judge.false_alarms(planting, found)


def test_planted_faults_of_each_code_are_in_both_languages() -> None:
    """Each kind of fault with two rows or more is planted in Chinese and in English memories."""
    rows, planting = plant(memories(7), 7)
    healthy = {r["id"]: r["content"] for r in memories(7)}
    texts = {r["id"]: healthy.get(r["id"], r["content"]) for r in rows}
    by_code: dict[str, list[bool]] = {}
    for fault in planting["faults"]:
        by_code.setdefault(fault["code"], []).extend(is_chinese(texts[i]) for i in fault["ids"])

    assert {} == {code: len(seen) for code, seen in by_code.items() if len(set(seen)) < 2}


def _step(row: str, name: str, value: str) -> dict[str, Any]:
    """A step that proposes a scope or source, as `mendory show --json` prints it."""
    return {"kind": f"set_{name}", "level": 3, "edits": [[row, "a", "b", [[name, None, value]]]]}


def test_a_wrong_or_lacking_proposal_is_seen_by_the_judge() -> None:
    """The judge names rows to which another scope or source is proposed than theirs, one nobody tells, or none."""
    _, planting = plant(memories(7), 7)
    meant = [(f["ids"][0], *f["detail"]["proposed"].items()) for f in planting["faults"] if "proposed" in f["detail"]]
    steps = [_step(row, name, value) for row, (name, value) in meant]
    unasked = next(f["ids"][0] for f in planting["faults"] if f["code"] == "missing_scope" and not f["detail"])
    strange = _step(unasked, "scope", "user:lin")
    other = _step(meant[1][0], meant[1][1][0], "another")

    def judged(held: list[dict[str, Any]]) -> list[str]:
        return judge.misproposed(planting, [{"groups": [{"steps": held}]}])

    assert {"scope", "source"} == {name for _, (name, _) in meant}
    assert [] == judged(steps)
    assert [meant[0][0]] == judged(steps[1:])
    assert [unasked] == judged([*steps, strange])
    assert [meant[1][0]] == judged([steps[0], other, *steps[2:]])


def test_a_planted_fault_that_nobody_finds_is_missed(tmp_path: Path) -> None:
    """Without the findings of one structural code after the run, the judge counts each of its faults as missed."""
    rows, planting = plant(memories(7), 7)
    table = to_table([{**r, "embedding": None} for r in rows], arrow_schema(4))
    lancedb.connect(str(tmp_path)).create_table("memories", table)
    left = [{"code": f["code"], "ids": f["ids"]} for f in planting["faults"]]
    for code in ("hidden_characters", "reference_cycle", "embedding_suspicious", "timestamp_unit"):
        faults = planting | {"faults": [f for f in planting["faults"] if f["code"] == code]}
        blind = [f for f in left if f["code"] != code]

        assert [] == judge.missed(faults, str(tmp_path), "memories", left)
        missed = judge.missed(faults, str(tmp_path), "memories", blind)
        assert faults["faults"] == [m["fault"] for m in missed]
        assert {"it is not found any more"} == {m["why"] for m in missed}
