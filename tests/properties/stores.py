"""Random tables of memories, as nasty as owners' tables are, and what the properties do with them."""

from __future__ import annotations

import math
import random
import struct
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from mendory.detect import Settings
from mendory.executor.execute import Context, Job, Result, execute
from mendory.executor.store import Store
from mendory.ledger import Ledger
from mendory.ledger.records import IntentKind
from mendory.mapping import Giving, Mapping
from mendory.plan.binding import bind
from mendory.plan.build import Wishes, draft
from mendory.plan.model import Plan
from mendory.record import arrow_schema
from mendory.work import Unit

SCHEMA = arrow_schema(4)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NAN_WITH_PAYLOAD = struct.unpack("<f", struct.pack("<I", 0x7FC00BAD))[0]
_NUMBERS = count(1)


def quick(examples: int) -> settings:
    """The settings of every property here: fixed seeds, the failing example printed with its blob."""
    checks = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
    return settings(
        max_examples=examples, deadline=None, derandomize=True, print_blob=True, suppress_health_check=checks
    )


IDS = (
    "a",
    "o'brien",
    'say "x"',
    "a' OR '1'='1",
    "记忆-1",
    "back\\",
    "-- drop",
    "tab\tid",
    "😀",
    "NULL",
    "%_",
    "id with space",
)
TEXTS = ("likes tea", "Likes  TEA", "不吃香菜", "不吃香菜 ", "Load 5 MW", "load 5 mw", "每天喝三杯", "v1.2", "", None)
STATUSES = (
    "active",
    "active",
    "active",
    "active",
    "Active",
    " Pending Review",
    "pending_review",
    "archived",
    "deleted",
    None,
)
METADATA = (
    '{"topic": "t", "entities": ["x"], "scene": "s"}',
    '{"topic": "t", "entities": ["x"], "scene": "s"}',
    '{"topic": "t", "entities": ["x"], "scene": "s", "price": 1.50, "n": 1e3, "文": "茶"}',
    '{"entities":["x"],"topic":"t","price":1.5,"scene":"s","extra":{"deep":[1,null,2.0]}}',
    '{"topic" : "t" , "entities":["x"],"scene":null,"n":1e3}',
    '{"price": 1.50}',
    "{}",
    "",
    None,
    '{"doubled": 1, "doubled": 2}',
    "[1]",
    "{not json",
)
CLAIMS = (None, None, '{"entity": "tea", "attribute": "likes", "scene": "饮食"}', '{"scene": ""}', "7")


COMPONENTS = (0.0, -0.0, 1.0, -0.25, math.inf, -math.inf, math.nan, NAN_WITH_PAYLOAD, None)


@st.composite
def memories(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """Rows of our own schema, few enough values to make duplicates, siblings and references likely.

    Hypothesis draws how many and a seed; drawing every cell by itself took 50 times as long.
    """
    size = draw(st.integers(1, most))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    ids = rng.sample(IDS, size)
    texts = rng.choices(TEXTS, k=rng.randint(1, 3))
    targets = (*ids, "gone", "gone'2")
    return [
        {
            "id": name,
            "content": rng.choice(texts),
            "embedding": rng.choice((None, [0.0] * 4, rng.choices(COMPONENTS, k=4), rng.choices(COMPONENTS, k=4))),
            "metadata": rng.choice(METADATA),
            "created_at": rng.choice((NOW, NOW, NOW + timedelta(minutes=20), NOW + timedelta(days=2), None)),
            "updated_at": NOW,
            "source": rng.choice(("user_stated", "model_inferred", None)),
            "scope": rng.choice(("u1", "u1", "u1", "u1", "o'u2", None)),
            "status": rng.choice(STATUSES),
            "kind": rng.choice(("fact", "fact", "fact", "fact", "event", None)),
            "claim": rng.choice(CLAIMS),
            "last_accessed_at": rng.choice((None, NOW)),
            "batch_id": rng.choice(("b1", "b1", None)),
            "duplicate_of": rng.choice((None, None, rng.choice(targets))),
            "superseded_by": rng.choice((None, None, rng.choice(targets))),
            "related_ids": rng.choice((None, rng.choices(targets, k=rng.randint(0, 3)))),
            "related_notes": rng.choice((None, rng.choices(("笔记", "note '1'", ""), k=rng.randint(0, 2)))),
        }
        for name in ids
    ]


def as_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """The rows as Arrow, vectors with the very bits given."""
    table = pa.Table.from_pylist([{**r, "embedding": None} for r in rows], schema=SCHEMA)
    bits = np.zeros((len(rows), 4), dtype="<f4")
    inner, outer = np.ones((len(rows), 4), dtype=bool), np.ones(len(rows), dtype=bool)
    for at, row in enumerate(rows):
        vector = row["embedding"]
        outer[at] = vector is not None
        for place, value in enumerate(vector or ()):
            inner[at, place] = value is not None
            bits[at, place] = 0 if value is None else value
    values = pa.array(bits.ravel(), mask=~inner.ravel(), from_pandas=False)
    column = pa.FixedSizeListArray.from_arrays(values, 4, mask=pa.array(~outer))
    return table.set_column(SCHEMA.get_field_index("embedding"), SCHEMA.field("embedding"), column)


def row_bits(table: pa.Table) -> Counter[str]:
    """Every row down to its bits, told without `mendory.digest`: floats by their bytes."""
    table = table.combine_chunks()
    columns = []
    for name in sorted(table.column_names):
        column = table.column(name)
        if pa.types.is_fixed_size_list(column.type) and column.num_chunks:
            columns.append([f"{name}={_vector_text(column, at)}" for at in range(table.num_rows)])
        else:
            columns.append([f"{name}={value!r}" for value in column.to_pylist()])
    return Counter(";".join(parts) for parts in zip(*columns, strict=True))


def _vector_text(column: pa.ChunkedArray, at: int) -> str:
    cell = column[at]
    if not cell.is_valid:
        return "null"
    inner = cell.values
    bits = np.frombuffer(inner.buffers()[1], dtype="<u4")[inner.offset : inner.offset + len(inner)]
    return "|".join(f"{b:08x}" if ok else "null" for b, ok in zip(bits, inner.is_valid().to_pylist(), strict=True))


def context(owner: str = "a") -> Context:
    """Somebody who executes alone."""
    return Context(owner, lambda: f"{next(_NUMBERS):032x}", lambda seconds: None, lambda: 0.5, lambda owner, at: False)


WISHES = Wishes({"scene": "general"}, 2)


def giving(store: Any) -> Any:
    """What can be given to rows of the store, as it is mapped."""
    return lambda ids: Giving(Mapping.identity(), store.rows(ids))


def a_plan(store: Any) -> Plan | None:
    """What planning makes of the table as it is; None when nothing follows."""
    drafted = draft(store.scan, store.fetch, Settings(), WISHES, lambda finding: None, lambda ids: {}, giving(store))
    if not drafted.drafts:
        return None
    rows = store.rows(sorted({i for d in drafted.drafts for i in d.rows}))
    return bind(drafted.drafts, rows, Mapping.identity(), store.version, NOW, timedelta(hours=24))


def apply(plan: Plan, store: Store, ledger: Ledger, owner: str = "a") -> list[Result]:
    """The whole plan, group after group."""
    results: list[Result] = []
    lost: set[str] = set()
    for group in plan.groups:
        units = tuple(Unit.of(step, "", None) for step in group.steps)
        results += execute(Job(IntentKind.APPLY, plan.id, group.name, units), store, ledger, context(owner), lost)
    return results
