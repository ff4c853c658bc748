"""The suite of required fields says what the pure rules say, and a broken check is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from expectations import required_fields
from mendory.detect import Settings, examine
from mendory.errors import CheckBroken
from mendory.lance import Reader
from mendory.mapping import VECTORLESS, Mapping
from tests.conftest import make_table, memory

BLANKS = [None, "", "   ", "\u3000\u00a0", "\u200b\u200d\ufeff", "\n\t", "\x00"]
FULL = ["a", "好", " x ", "\u200b好", "0"]
CODES = {
    "content_empty",
    "missing_source",
    "missing_scope",
    "missing_created_at",
    "missing_updated_at",
    "embedding_missing",
}


def rows() -> list[dict[str, object]]:
    """Every required field blank in every way, and present in every way."""
    made = []
    for name in ("content", "source", "scope"):
        made += [memory(f"{name}-{at}", **{name: value}) for at, value in enumerate([*BLANKS, *FULL])]
    made += [memory(f"no-{name}", **{name: None}) for name in ("created_at", "updated_at", "embedding")]
    return made


def framed(reader: Reader) -> Iterator[pa.RecordBatch]:
    """The rows of a table as the suite sees them."""
    return required_fields.frames(reader.mapping, reader.batches())


@pytest.mark.lance
def test_suite_and_pure_rules_flag_the_same_ids(tmp_path: Path) -> None:
    """On blanks of every kind in both scripts, suite and rules flag exactly the same rows."""
    reader = make_table(tmp_path, rows())
    seen = examine(reader.scan(), reader.fetch, Settings())
    pure: dict[str, set[str]] = {}
    for finding in seen.findings:
        if finding.code.value in CODES:
            pure.setdefault(finding.code.value, set()).update(finding.ids)
    suite = required_fields.run(required_fields.suite(reader.mapping), framed(reader))

    assert pure == {code: ids for code, ids in suite.items() if ids}
    assert {f"content-{n}" for n in range(len(BLANKS))} == pure["content_empty"]


@pytest.mark.lance
def test_no_memory_text_in_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failing rows are named by id; their values are in no GX result."""
    seen = []
    from great_expectations.datasource.fluent.interfaces import Batch

    whole = Batch.validate
    monkeypatch.setattr(Batch, "validate", lambda *a, **k: seen.append(whole(*a, **k)) or seen[-1])
    reader = make_table(
        tmp_path, [memory("m1", content="卡号 4111", source=" "), memory("m2", content="SSN 078", scope=None)]
    )
    required_fields.run(required_fields.suite(reader.mapping), framed(reader))

    printed = json.dumps([s.to_json_dict() for s in seen], ensure_ascii=False)
    assert seen
    assert [t for t in ("4111", "078") if t in printed] == []


def test_a_broken_check_is_an_error_that_names_itself() -> None:
    """A column that is not there is no finding: CheckBroken names the expectation."""
    batch = pa.RecordBatch.from_pydict({"id": ["m1"], VECTORLESS: [False]})
    with pytest.raises(CheckBroken, match=r"expect_column_values_to_.* on content"):
        required_fields.run(required_fields.suite(Mapping.identity()), [batch])


def test_lacking_fields_are_left_out() -> None:
    """A field the owner lacks makes no expectation."""
    mapping = Mapping.of({}, ("source",))
    columns = {e.column for e in required_fields.suite(mapping, ["scope"]).expectations}

    assert {"content", "created_at", "updated_at", VECTORLESS} == columns
