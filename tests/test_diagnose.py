"""Diagnosis: which attribute the sick rows share, and which cause that suggests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from mendory.detect import Settings, examine
from mendory.diagnose import Cause, attributes, diagnose
from mendory.finding import AGED
from mendory.mapping import Mapping
from tests.conftest import NOON, arrow, memory


def causes(rows: Sequence[dict[str, Any]]) -> dict[str, Cause]:
    """Code → cause, for what is found on these rows."""
    held = Mapping.identity().memories(arrow(rows))
    by_id = {m.id: m for m in held if m.id}
    seen = examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, Settings())
    return {
        c.code: c
        for c in diagnose(seen.findings, by_id, Counter(pair for m in held for pair in attributes(m)), seen.read)
    }


def healthy(n: int, **fields: Any) -> list[dict[str, Any]]:
    """So many healthy rows, a day apart from each other."""
    return [memory(f"h{i}", **{"created_at": NOON - timedelta(days=i + 1), "kind": None} | fields) for i in range(n)]


def test_attributes_are_what_rows_are_compared_by() -> None:
    """Batch, source, scope, day and kind, where the row has them."""
    [one, bare] = Mapping.identity().memories(
        arrow([memory("a", batch_id="b7"), memory("b", source=None, scope=None, created_at=None, kind=None)])
    )

    assert {"batch": "b7", "source": "user_stated", "scope": "u1", "day": "2025-03-01", "kind": "fact"} == dict(
        attributes(one)
    )
    assert [] == attributes(bare)


def test_bad_import_is_named() -> None:
    """All rows without a source came with one batch: an import bug, with what it explains and its ratio."""
    sick = [memory(f"s{i}", source=None, batch_id="导入7", created_at=NOON - timedelta(days=i)) for i in range(5)]

    cause = causes([*sick, *healthy(45)])["missing_source"]

    assert ("import_bug", "batch", "导入7") == (cause.name, cause.attribute, cause.value)
    assert (5, 5) == (cause.explains, cause.total)
    assert cause.ratio is not None
    assert cause.ratio >= 3


@pytest.mark.parametrize(
    ("fields", "code", "name"),
    [
        ({"scope": None}, "missing_scope", "wrong_scope_field"),
        ({"related_ids": ["gone"]}, "reference_dangling", "foreign_delete"),
        ({"status": "ACTIVE"}, "illegal_status", "import_bug"),
        ({"content": "一样"}, "duplicate_exact", "redundant_import"),
    ],
)
def test_each_kind_of_finding_suggests_its_cause(fields: dict[str, Any], code: str, name: str) -> None:
    """What a shared batch suggests depends on what is wrong."""
    sick = [memory(f"s{i}", batch_id="b7", **fields) for i in range(4)]

    cause = causes([*sick, *healthy(40)])[code]

    assert (name, 4) == (cause.name, cause.explains)


def test_conflicts_that_no_rule_decides_say_so_themselves() -> None:
    """One pair of which no rule decides is enough; those that a rule decides are compared as before."""
    told = {"scope": "u1", "kind": "fact"}
    pair = [
        memory("c1", content="The user's timezone is UTC+8", source="config", **told),
        memory("c2", content="The user's timezone is UTC+9", created_at=NOON + timedelta(days=2), **told),
    ]

    cause = causes([*pair, *healthy(40)])["conflict"]

    assert ("no_conflict_rule", None, None, None) == (cause.name, cause.attribute, cause.value, cause.ratio)
    assert (2, 2) == (cause.explains, cause.total)


def test_fact_said_again_in_other_conversations() -> None:
    """Restatements that one source writes suggest that a fact was extracted again."""
    sick = [
        memory(f"s{i}", content="likes tea", source="model_inferred", kind=None, created_at=NOON - timedelta(days=i))
        for i in range(4)
    ]

    cause = causes([*sick, *healthy(40)])["duplicate_restated"]

    assert ("fact_extracted_again", "source", "model_inferred") == (cause.name, cause.attribute, cause.value)


def test_two_sick_rows_are_too_few() -> None:
    """Two rows may share anything by chance: nothing is named, and that is said."""
    sick = [memory(f"s{i}", source=None, batch_id="b7") for i in range(2)]

    cause = causes([*sick, *healthy(40)])["missing_source"]

    assert ("unknown", None, None, 0, 2) == (cause.name, cause.attribute, cause.value, cause.explains, cause.total)


def test_what_everybody_shares_explains_nothing() -> None:
    """A value that healthy rows have as well is no cause, nor is one that every row has."""
    sick = [memory(f"s{i}", status="Active", kind=None, created_at=NOON + timedelta(days=i)) for i in range(5)]

    assert "unknown" == causes([*sick, *healthy(45)])["illegal_status"].name
    assert "unknown" == causes([memory(f"s{i}", status="Active") for i in range(5)])["illegal_status"].name


def test_what_stays_unexplained_is_counted() -> None:
    """Of six sick rows four share a batch; two stay unexplained."""
    sick = [memory(f"s{i}", source=None, batch_id="b7" if i < 4 else None, kind=None) for i in range(6)]
    apart = [r | {"created_at": NOON - timedelta(days=100 + i)} for i, r in enumerate(sick)]

    cause = causes([*apart, *healthy(60)])["missing_source"]

    assert {"explains": 4, "unexplained": 2} == {k: cause.as_json()[k] for k in ("explains", "unexplained")}


def test_one_cause_per_code() -> None:
    """Each code has its own cause, in alphabetical order."""
    rows = [memory(f"s{i}", source=None, status="ACTIVE", batch_id="b7") for i in range(4)]

    assert ["illegal_status", "missing_source"] == list(causes([*rows, *healthy(40)]))


@pytest.mark.parametrize("text", ["Currently fixing the login bug", "正在修复登录 bug"])
def test_nobody_has_caused_what_time_does(text: str) -> None:
    """Tasks that are long over have no cause, however many came with one batch."""
    rows = [
        memory(
            f"t{n}", content=f"{text} {n}", kind="ephemeral", batch_id="b1", created_at=NOON - timedelta(days=90 + n)
        )
        for n in range(5)
    ]
    held = Mapping.identity().memories(arrow([*rows, *healthy(45)]))
    by_id = {m.id: m for m in held if m.id}
    seen = examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, Settings(now=NOON))
    old = [f for f in seen.findings if f.code in AGED]

    assert {"task_residue"} <= {f.code.value for f in old}
    assert [] == diagnose(old, by_id, Counter(pair for m in held for pair in attributes(m)), seen.read)


def test_nothing_found_no_cause() -> None:
    """A healthy table has no causes; rows without a name have none either."""
    assert {} == causes(healthy(10))
    assert {} == causes([memory(None), *healthy(10)])
