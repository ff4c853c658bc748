"""Rows that changed, as columns: counted and linked as they are one by one, and what is called clean breaks no rule."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mendory.clinic import Clinic
from mendory.counts import Counts
from mendory.detect import Settings, examine
from mendory.facts import Changed, framed
from mendory.lance import Reader, any_of
from mendory.lance.reader import FETCH_IDS
from mendory.links import links
from mendory.mapping import VECTOR, Mapping
from mendory.record import Memory
from mendory.side import Note, Notes, overlaid, text_digest
from tests.conftest import NOON, FakeClock, arrow, make_config, make_table, memory
from tests.test_incremental import folder, left, row, told, unit  # noqa: F401  (a fixture)

pytestmark = pytest.mark.lance
SCHEMA = {"type": "object", "required": ["topic"], "properties": {"topic": {"type": "string"}}}
SCHEMAS: tuple[dict[str, Any], ...] = ({}, {"event": SCHEMA}, {"*": SCHEMA})
MAPPED = {"columns": {"scope": "metadata.user", "kind": "metadata.topic"}}


def both(
    home: Path, how: Settings, notes: Notes, mapping: Mapping
) -> tuple[list[Changed], list[tuple[pa.RecordBatch, list[Memory]]]]:
    """The rows of the table as columns, and as batches with their memories."""
    reader = Reader(str(home), "memories", mapping)
    batches = list(reader.batches())
    parts = [Changed(framed(mapping, batch, how, notes), mapping, how) for batch in batches]
    return parts, [(b, [overlaid(m, notes) for m in mapping.memories(b)]) for b in batches]


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 10**6), schemas=st.sampled_from(SCHEMAS), mapped=st.booleans())
def test_columns_tell_what_rows_tell(
    folder: Callable[[], Path],  # noqa: F811
    seed: int,
    schemas: dict[str, Any],
    mapped: bool,
) -> None:
    """Counts and links are those of the rows one by one; no detector finds anything on clean rows alone."""
    rng, home = random.Random(seed), folder()
    rows = [row(rng, rng.choice((f"r{n}", f"R{n}", f"r {n}", "r1"))) for n in range(50)]
    rows += [memory(f"h{n}", content=f"健康的 row {n}", embedding=unit(n + 500)) for n in range(40)]
    make_table(home, rows)
    config = make_config(home, **({"mapping": MAPPED} if mapped else {}))
    mapping = config.record_mapping()
    stale = frozenset(rng.sample(["r3", "h4", "h5"], 2))
    now = NOON + timedelta(days=1)
    how = Settings(
        frozenset(mapping.absent()),
        inside_metadata=mapping.inside_metadata,
        schemas=schemas,
        stale_vectors=stale,
        now=now,
    )
    noted = Memory(id="h7", content="健康的 row 7")
    notes = {"h7": Note(text_digest(noted), {"duplicate_of": "h8", "related_ids": ["h9"]})}
    parts, batches = both(home, how, notes, mapping)

    counts = Counts(how)
    for part, (_, memories) in zip(parts, batches, strict=True):
        assert [(m.id or "", links(m)) for m in memories] == list(part.links())
        expected: Counter[Any] = Counter(key for m in memories for key in counts._keys(m))
        assert +expected == +part.counted()
        counts.add_all(part.counted())
    usual = counts.usual()
    good = [one for part in parts for one in part.clean(usual)]
    clean = [m for m, one in zip((m for _, memories in batches for m in memories), good, strict=True) if one]
    assert not stale & {m.id for m in clean}
    if not mapped:
        assert len({m.id for m in clean} & {f"h{n}" for n in range(40)}) > 30
    known = {m.id: m for _, ms in batches for m in ms if m.id}
    fetch = lambda ids: {i: known[i] for i in ids if i in known}  # noqa: E731
    alone = {m.id: m for m in clean}  # rows that share an id are never left out
    for one in alone.values():
        found = examine([one, *counts.ballast([one])], fetch, how).findings
        assert [] == [f.code for f in found if one.id in f.ids]


def test_a_key_that_schemas_alone_judge_is_nobody_s_usual(tmp_path: Path, clock: FakeClock) -> None:
    """The last row that no schema judges loses a key: no row has it any more, as a check of everything says."""
    (tmp_path / "fact.json").write_text('{"type": "object"}', encoding="utf-8")
    rows = [memory(f"m{n}", content=f"记忆 {n} of its own", embedding=unit(n), kind="fact") for n in range(60)]
    rows[0]["kind"] = "event"
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path, metadata={"schemas": {"fact": "fact.json"}}), clock)
    left(clinic)
    table = lancedb.connect(str(tmp_path)).open_table("memories")
    table.update(where="id = 'm0'", values={"metadata": '{"entities": ["a"], "scene": "s"}'})

    full, part = clinic.check(), clinic.check(since="last")

    assert told(full.findings) == told(part.findings) == []
    assert ("metadata.topic", "no row of the table has a value") in part.examination.stands_down


def test_another_schema_is_a_full_check(tmp_path: Path, clock: FakeClock) -> None:
    """The file that `metadata.schemas` names says something else: rows that did not change may be wrong now."""
    (tmp_path / "fact.json").write_text('{"type": "object"}', encoding="utf-8")
    make_table(tmp_path, [memory(f"m{n}", content=f"记忆 {n}", embedding=unit(n), kind="fact") for n in range(60)])
    config = make_config(tmp_path, metadata={"schemas": {"fact": "fact.json"}})
    left(Clinic(config, clock))
    assert Clinic(config, clock).check(since="last").basis.since is not None

    (tmp_path / "fact.json").write_text('{"type": "object", "required": ["owner"]}', encoding="utf-8")
    part = Clinic(config, clock).check(since="last")

    assert (None, 60) == (part.basis.since, len(part.findings))


def test_clean_rows_are_not_read_as_memories(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many changed rows only those become objects that a detector may find something on."""
    # in one scope some would be alike by their vectors
    rows = [memory(f"m{n}", content=f"记忆 {n} of its own", embedding=unit(n), scope=f"u{n}") for n in range(60)]
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    table = lancedb.connect(str(tmp_path)).open_table("memories")
    table.update(where="id IN ('m1', 'm2', 'm3')", values={"source": "system_log"})
    table.update(where="id = 'm4'", values={"source": ""})
    made: list[str | None] = []
    plain = Mapping.memories
    monkeypatch.setattr(Mapping, "memories", lambda self, batch: [made.append(m.id) or m for m in plain(self, batch)])
    monkeypatch.setattr(type(clinic.side_state), "stale", lambda *_: frozenset())

    part = clinic.check(since="last")

    assert [("missing_source", ("m4",))] == [(f.code.value, f.ids) for f in part.findings]
    assert {"m4"} == set(made)
    assert (4, 4) == (part.basis.changed, part.basis.looked_at)


def test_many_ids_are_found_as_few_are(tmp_path: Path) -> None:
    """More ids than one filter takes: the same rows in the same order, rows of one id too, skipped ones not."""
    size = FETCH_IDS + 500
    rows = [memory(f"m{n}", content=f"第 {n} 条") for n in range(size)]
    make_table(tmp_path, rows)
    table = lancedb.connect(str(tmp_path)).open_table("memories")
    table.delete("id IN ('m5', 'm6', 'm2400')")
    table.add(arrow([memory("m7", content="又一条 m7"), memory("it's", content="别的")]))
    config = make_config(tmp_path, mapping={"skip_ids": ["m9"]})
    reader = Reader(str(tmp_path), "memories", config.record_mapping())
    wanted = [f"m{n}" for n in range(size)] + ["nobody", "it's"]

    found = pa.Table.from_batches(list(reader.found(wanted)))

    plain = pa.Table.from_batches(list(reader.batches(where=any_of("id", wanted))))
    assert size - 3 + 2 - 1 == plain.num_rows
    assert (
        plain.sort_by([("id", "ascending"), ("content", "ascending")]).to_pylist()
        == found.select(plain.column_names).sort_by([("id", "ascending"), ("content", "ascending")]).to_pylist()
    )
    assert plain.column("id").to_pylist() == found.column("id").to_pylist()
    assert "又一条 m7" == reader.fetch(wanted)["m7"].content
    assert 0 == sum(batch.num_rows for batch in reader.found([f"x{n}" for n in range(size)]))
    assert np.isfinite(found.column(VECTOR).combine_chunks().field("norm").to_numpy()).all()
