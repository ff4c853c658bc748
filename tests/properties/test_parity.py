"""Suites and pure rules flag the same rows of any table, our own and an owner's."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from mendory.detect import Settings
from mendory.mapping import Mapping
from mendory.side import Note, text_digest
from tests.conftest import NOON, arrow, memory
from tests.parity import OWNERS, SICK, both, owners_mapping, owners_row
from tests.properties.stores import NOW, as_table, memories, quick

SCHEMA = {
    "type": "object",
    "required": ["topic"],
    "properties": {"topic": {"type": "string", "minLength": 1}, "n": {"type": "number", "maximum": 5}},
}
EPOCHS = (None, 0, 1_740_000_000_000, 1_740_000_000, 4_000_000_000_000, 2**62, -(2**62), 1_740_000)
TEXTS = ("2025-03-01T08:00:00+08:00", "2025-02-01", "2300-01-01", "昨天", "", " ", None)
CONTENTS = (
    "likes tea",
    "不吃香菜",
    "",
    " ",
    "\u200b",
    "\u3000茶",
    "a\u202eb",
    "好\u200b",
    "x\ny",
    "👩\u200d👧",
    "ภา\u200bษา",
    None,
)
OWNER_METADATA = (
    '{"topic": "t", "entities": ["x"], "scene": "s", "src": "user_stated", "user": {"id": "u1"}}',
    '{"topic": "t", "entities": [], "src": "model", "user": {"id": "o\'brien"}, "next": "m1"}',
    '{"topic": "茶", "scene": "\\u200b", "src": [1], "user": {"id": 7}, "next": "gone"}',
    '{"topic": "t", "src": "", "user": {}, "next": ["m2"]}',
    '{"topic": 1, "n": 9, "user": {"id": "a;b"}}',
    '{"topic": "t", "src": {"a": 1}, "user": "李", "next": {"id": "m1"}}',
    '{"topic": "t", "src": "user_stated", "user": {"id": ["u1"]}, "next": "m2"}',
    '{"doubled": 1, "doubled": 2}',
    '{"n": NaN}',
    "{not json",
    "[1]",
    "{}",
    " ",
    None,
)


@given(memories(), st.sampled_from([None, NOW]), st.sampled_from([{}, {"*": SCHEMA}, {"fact": SCHEMA}]))
@quick(15)
def test_on_our_own_tables(rows: list[dict[str, Any]], now: datetime | None, schemas: dict[str, Any]) -> None:
    """Nasty ids, texts, metadata, references and vectors, with and without a clock and the user's schemas."""
    settings = Settings(now=now, schemas=schemas, stale_vectors=frozenset({"a", "😀"}))
    by_rules, by_suites = both(Mapping.identity(), as_table(rows), settings)

    assert by_rules == by_suites


@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
@quick(20)
def test_on_tables_of_sick_rows_with_shared_ids(seed: int, size: int) -> None:
    """Rows of every fault together, ids shared among them, in any number: what is usual changes with them."""
    rng = random.Random(seed)
    chosen = [dict(rng.choice(SICK)) for _ in range(size)]
    for row in chosen:
        if rng.random() < 0.2:
            row["id"] = rng.choice(["twin", "Near", "cycle-1", "", None])
        row.setdefault(
            "embedding", rng.choice([[0.6, 0.8, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0], None])
        )
    lacking = rng.choice([(), ("source",), ("scope", "created_at"), ("metadata",)])
    rows = [memory(**({**row} | dict.fromkeys(lacking))) for row in chosen]
    settings = Settings(now=NOON, stale_vectors=frozenset({"twin", "stale"}))
    by_rules, by_suites = both(Mapping.identity(), arrow(rows), settings)

    assert by_rules == by_suites


@given(st.integers(0, 2**32 - 1), st.integers(1, 50), st.sampled_from([{}, {"fact": SCHEMA}, {"*": SCHEMA}]))
@quick(25)
def test_on_an_owners_tables(seed: int, size: int, schemas: dict[str, Any]) -> None:
    """Content in a struct, epochs of two units, texts as times, keys in JSON, a flag that hides, a composite scope."""
    rng = random.Random(seed)
    sick = rng.random()
    rows = [_owners(rng, number) if rng.random() < sick else owners_row(number) for number in range(size)]
    mapping = owners_mapping()
    settings = Settings(
        absent=frozenset(mapping.absent()),
        status_words=mapping.vocabulary.words,
        inside_metadata=mapping.inside_metadata,
        now=NOON + timedelta(days=30),
        schemas=schemas,
    )
    by_rules, by_suites = both(mapping, pa.Table.from_pylist(rows, schema=OWNERS), settings)

    assert by_rules == by_suites


def _owners(rng: random.Random, number: int) -> dict[str, Any]:
    return owners_row(
        number,
        mem_id=rng.choice((f"m{number}", f"m{number}", f"M{number}", "m1", "m 1", "", None)),
        payload=rng.choice(
            (None, {"text": rng.choice(CONTENTS), "kind": rng.choice(("fact", "event", "*", "", None))})
        ),
        vec=rng.choice((None, [0.0] * 4, [1.0, 0.0, 0.0, 0.0], [float("nan"), 0, 0, 0], [5.0, None, 0, 0])),
        meta=rng.choice(OWNER_METADATA),
        tenant=rng.choice(("t1", "租户", "", None)),
        ts=rng.choice(EPOCHS),
        changed=rng.choice(TEXTS),
        is_deleted=rng.choice((0, 1, 2, None)),
    )


@given(st.integers(0, 2**32 - 1))
@quick(10)
def test_with_what_is_kept_aside(seed: int) -> None:
    """Relations and disputes kept in the ledger are laid over the rows on both sides, where the text is the same."""
    rng = random.Random(seed)
    rows = [
        memory(f"m{n}", content=rng.choice(CONTENTS), status=rng.choice(("active", "archived", None))) for n in range(8)
    ]
    table = arrow(rows).drop_columns(["duplicate_of"])
    mapping = Mapping.of({}, ("duplicate_of",))
    notes = {}
    for about in rng.sample(mapping.memories(table), 4):
        fields = {"duplicate_of": rng.choice(("m0", "m1", "gone", about.id)), "status": "pending_review"}
        told = rng.choice((text_digest(about), "another"))
        notes[str(about.id)] = Note(told, fields | {"related_ids": ["m2", rng.choice(("gone", "m3"))]})
    by_rules, by_suites = both(mapping, table, Settings(absent=frozenset({"duplicate_of"})), notes)

    assert by_rules == by_suites


@given(st.lists(st.tuples(st.integers(-2_500_000, 2_500_000), st.sampled_from([1, 10, 500, 1_000, 10**6])), min_size=1))
@quick(25)
def test_on_times_near_the_creation_and_the_clock(near: list[tuple[int, int]]) -> None:
    """Times less than three seconds from the creation, cut by their owner or not, that lie about the clock's edge."""
    rows = []
    for number, (away, unit) in enumerate(near):
        made = NOON + timedelta(minutes=5 * (number % 2), microseconds=number * 333_333)
        ticks = (made + timedelta(microseconds=away)).timestamp() * 10**6 // unit * unit
        changed = datetime.fromtimestamp(0, NOON.tzinfo) + timedelta(microseconds=int(ticks))
        rows.append(memory(f"m{number}", created_at=made, updated_at=changed, last_accessed_at=changed))
    by_rules, by_suites = both(Mapping.identity(), arrow(rows), Settings(now=NOON))

    assert by_rules == by_suites


@given(st.sampled_from(["s", "ms", "us", "ns"]), st.sampled_from([None, "UTC", "Asia/Shanghai"]), st.data())
@quick(15)
def test_on_timestamps_of_every_unit(unit: str, zone: str | None, data: st.DataObject) -> None:
    """Timestamps of any unit and zone, those outside the calendar too, are judged alike."""
    ticks = data.draw(
        st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62), st.integers(0, 2**31)), min_size=1, max_size=6)
    )
    table = arrow([memory(f"m{n}", metadata=json.dumps({"topic": "t"})) for n in range(len(ticks))])
    at = table.schema.get_field_index("updated_at")
    table = table.set_column(at, "updated_at", pa.array(ticks, pa.int64()).cast(pa.timestamp(unit, zone)))
    by_rules, by_suites = both(Mapping.of({}, (), (), "America/New_York"), table, Settings(now=NOON))

    assert by_rules == by_suites
