"""What the pure rules and the suites say of the same rows, and a table with every structural fault of a row."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from expectations.running import judged
from mendory.detect import Settings, examine
from mendory.finding import Code, Ring
from mendory.mapping import VECTOR, VECTORLESS, Mapping, further
from mendory.record import Memory
from mendory.side import Note, overlaid
from mendory.vectors import facts
from tests.conftest import NOON, arrow, memory

Notes = dict[str, Note]
Flagged = dict[str, set[str] | int]


def scanned(mapping: Mapping, rows: pa.Table) -> pa.RecordBatch:
    """The rows as a scan gives them: instead of the vectors what is known of them."""
    rows = rows.combine_chunks()
    column = mapping.column("embedding")
    if column in rows.column_names:
        held = rows.column(column).combine_chunks()
        rows = rows.drop_columns([column]).append_column(VECTORLESS, pc.is_null(held))
        rows = rows.append_column(VECTOR, facts(held))
    for name in mapping.vectors:
        known = facts(rows.column(name).combine_chunks())
        rows = rows.drop_columns([name]).append_column(further(name), known)
    [batch] = rows.to_batches()
    return batch


def fetched(held: Sequence[Memory]) -> Callable[[Sequence[str]], dict[str, Memory]]:
    """A look-up in these memories: of several with one id the last."""
    by_id = {m.id: m for m in held if m.id}
    return lambda ids: {i: by_id[i] for i in sorted(set(ids)) if i in by_id}


def pure(mapping: Mapping, batch: pa.RecordBatch, settings: Settings, notes: Notes) -> Flagged:
    """Code → ids by the pure rules; for rows without an id how many there are."""
    held = [overlaid(m, notes) for m in mapping.memories(batch)]
    found: Flagged = {}
    for one in examine(iter(held), fetched(held), settings).findings:
        if one.code is Code.MISSING_ID:
            found[one.code] = one.evidence["rows"]
        elif one.ring is Ring.STRUCTURE:
            found.setdefault(one.code.value, set()).update(one.ids)  # type: ignore[union-attr]
    return found


def suites(mapping: Mapping, batch: pa.RecordBatch, settings: Settings, notes: Notes) -> Flagged:
    """Code → ids by the suites; for rows without an id how many there are."""
    held = [overlaid(m, notes) for m in mapping.memories(batch)]
    told = judged(mapping, _split(batch), fetched(held), settings, notes)
    found: Flagged = {code: ids for code, ids in told.failing.items() if ids}
    return found | ({Code.MISSING_ID.value: told.nameless} if told.nameless else {})


def both(mapping: Mapping, rows: pa.Table, settings: Settings, notes: Notes | None = None) -> tuple[Flagged, Flagged]:
    """What the pure rules flag, and what the suites flag."""
    batch = scanned(mapping, rows)
    return pure(mapping, batch, settings, notes or {}), suites(mapping, batch, settings, notes or {})


def _split(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows in two batches, as a scan of a larger table gives them."""
    half = batch.num_rows // 2
    yield from (part for part in (batch.slice(0, half), batch.slice(half)) if part.num_rows)


SICK: list[dict[str, Any]] = [
    *(
        {"id": f"blank-{n}", "content": text}
        for n, text in enumerate((None, "", " ", "\u3000", "\u200b\ufeff", "\x00"))
    ),
    *(
        {"id": f"hidden-{n}", "content": text}
        for n, text in enumerate(
            ("a\u202eb", "不吃\u200b香菜", "\x07bell", "x\u200dy", "ไทย\u200b\u200b\u200bไทย", "🏴\U000e0067\U000e0062")
        )
    ),
    *(
        {"id": f"seen-{n}", "content": text}
        for n, text in enumerate(
            (
                "👩\u200d👧",
                "a\tb\n",
                "\u3000好",
                "می\u200cخواهم",
                "ภาษา\u200bไทย",
                "Auf\u200clage",
                "10\u2060公里",
                "۝١",
            )
        )
    ),
    {"id": "long", "content": "好" * 100_001},
    {"id": "long-enough", "content": "好" * 100_000},
    *(
        {"id": f"scope-{n}", "scope": text}
        for n, text in enumerate(("u*", "u;1", " u1", "u1\u3000", "'; --", "用" * 171))
    ),
    *({"id": f"fine-{n}", "scope": text} for n, text in enumerate(("o'brien", "用户 1", "u" * 512))),
    {"id": "no-source", "source": "\u200b"},
    {"id": "no-scope", "scope": None},
    {"id": "no-created", "created_at": None},
    {"id": "no-updated", "updated_at": None},
    {"id": "1969", "created_at": "1969-12-31", "updated_at": "2025-01-01"},
    {"id": "milli", "created_at": "1970-01-21T03:33:50", "updated_at": "2025-01-01"},
    {"id": "1990", "created_at": "1990-01-01", "updated_at": "1990-01-01"},
    {"id": "2101", "updated_at": "2101-01-01"},
    {"id": "ahead", "last_accessed_at": NOON + timedelta(minutes=5, microseconds=1)},
    {"id": "slack", "last_accessed_at": NOON + timedelta(minutes=5)},
    {"id": "early", "created_at": NOON, "updated_at": NOON - timedelta(microseconds=1)},
    {"id": "cut-s", "created_at": "2025-02-01T08:00:00.700500", "updated_at": "2025-02-01T08:00:00"},
    {"id": "cut-ms", "created_at": "2025-02-01T08:00:00.700500", "last_accessed_at": "2025-02-01T08:00:00.700"},
    {"id": "not-cut", "created_at": "2025-02-01T08:00:00.700500", "updated_at": "2025-02-01T08:00:00.699"},
    {"id": "cut-ahead", "created_at": NOON + timedelta(minutes=5.001), "updated_at": NOON + timedelta(minutes=5)},
    {"id": "verified", "last_verified_at": NOON - timedelta(days=1)},
    {"id": "status", "status": "deleted"},
    {"id": "spelt", "status": " Pending Review"},
    {"id": "stateless", "status": None},
    *(
        {"id": f"meta-{n}", "metadata": text}
        for n, text in enumerate(('{"a": 1, "a": 2}', '{"n": NaN}', "[1]", "{no", "", None))
    ),
    {"id": "topicless", "metadata": {"topic": " ", "entities": [], "scene": "家"}},
    {"id": "twin", "content": "one"},
    {"id": "twin", "content": "two"},
    {"id": "Near"},
    {"id": "near"},
    {"id": "ne\u200bar"},
    {"id": ""},
    {"id": None},
    {"id": "dangling", "duplicate_of": "gone"},
    {"id": "self", "related_ids": ["self"]},
    {"id": "cycle-1", "superseded_by": "cycle-2"},
    {"id": "cycle-2", "superseded_by": "cycle-1"},
    {"id": "crossing", "related_ids": ["other"]},
    {"id": "other", "scope": "用户二"},
    *({"id": f"chain-{n}", "superseded_by": f"chain-{n + 1}"} for n in range(12)),
    {"id": "chain-12"},
    {"id": "unreadable", "related_ids": ["twin", None]},
    {"id": "vectorless", "embedding": None},
    {"id": "zero", "embedding": [0.0, 0.0, 0.0, 0.0]},
    {"id": "infinite", "embedding": [float("inf"), 0.0, 0.0, 0.0]},
    {"id": "nan", "embedding": [float("nan"), 0.0, 0.0, 0.0]},
    {"id": "far", "embedding": [1.02, 0.0, 0.0, 0.0]},
    {"id": "near-unit", "embedding": [1.009, 0.0, 0.0, 0.0]},
    {"id": "stale"},
]
"""Rows with every structural fault that can be told by row, and rows at the edge of each."""


def zoo() -> tuple[Mapping, pa.Table, Settings]:
    """A table whose vectors are normalised, with all those rows and twenty texts under one vector."""
    unit = {"embedding": [0.6, 0.8, 0.0, 0.0]}
    rows = [memory(**({"embedding": _unit(n)} | fields)) for n, fields in enumerate(SICK)]
    rows += [memory(f"fine-row-{n}", embedding=_unit(1000 + n), source="user_stated") for n in range(120)]
    rows += [memory(f"shared-{n}", content=f"第 {n} 件事", **unit) for n in range(20)]
    return Mapping.identity(), arrow(rows), Settings(now=NOON, stale_vectors=frozenset({"stale", "gone"}))


def _unit(number: int) -> list[float]:
    """A vector of length 1, another for each number."""
    first = (number % 997) / 1000
    return [first, (1 - first**2) ** 0.5, 0.0, 0.0]


def owners_mapping() -> Mapping:
    """An owner's table: content in a struct, times as epochs and text, keys in JSON, a flag that hides."""
    from mendory.mapping import TimeForms

    return Mapping.of(
        {
            "id": "mem_id",
            "content": "payload.text",
            "embedding": "vec",
            "metadata": "meta",
            "scope": "{tenant}/{meta.user.id}",
            "source": "meta.src",
            "created_at": "ts",
            "updated_at": "changed",
            "kind": "payload.kind",
            "superseded_by": "meta.next",
            "status": "is_deleted",
        },
        ["claim", "batch_id", "last_accessed_at", "last_verified_at", "duplicate_of", "related_ids", "related_notes"],
        times={"created_at": TimeForms(("ms", "s")), "updated_at": TimeForms(("iso",))},
        words={"0": "active", "1": "archived"},
        hide={"is_deleted": 1},
    )


OWNERS = pa.schema(
    [
        pa.field("mem_id", pa.string()),
        pa.field("payload", pa.struct([pa.field("text", pa.string()), pa.field("kind", pa.string())])),
        pa.field("vec", pa.list_(pa.float32(), 4)),
        pa.field("meta", pa.string()),
        pa.field("tenant", pa.string()),
        pa.field("ts", pa.int64()),
        pa.field("changed", pa.string()),
        pa.field("is_deleted", pa.int64()),
    ]
)
"""The schema of that owner's table."""


def owners_row(number: int, **changes: Any) -> dict[str, Any]:
    """A healthy row of that owner's."""
    meta = {"topic": "旅行", "entities": ["u"], "scene": "s", "src": "user_stated", "user": {"id": f"u{number % 3}"}}
    row = {
        "mem_id": f"m{number}",
        "payload": {"text": f"用户第 {number} 次订座", "kind": "fact"},
        "vec": _unit(number),
        "meta": json.dumps(meta, ensure_ascii=False),
        "tenant": "t1",
        "ts": 1_740_000_000_000 + number,
        "changed": "2025-03-01T08:00:00+08:00",
        "is_deleted": 0,
    }
    return row | changes
