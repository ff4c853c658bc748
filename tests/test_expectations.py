"""The suites: built from fields and mapping, broken checks are errors, no memory text in a result, the ledger's too."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import sqlalchemy as sa

from expectations import frames, records, running, suites
from mendory.detect import Settings
from mendory.detect.shapes import shape_of
from mendory.errors import CheckBroken, ConfigInvalid
from mendory.facts import rows as facts_rows
from mendory.facts.whole import Vectors, Whole
from mendory.finding import KNOWN, Code, Ring
from mendory.ledger import schema as t
from mendory.mapping import Mapping
from mendory.treatment import apply
from tests.conftest import GENEROUS, arrow, make_config, make_table, memory
from tests.parity import both, scanned, zoo

WHOLE = Whole({}, Vectors({}, 4, True), {}, frozenset(), ("active",))
SCHEMA = {
    "type": "object",
    "required": ["topic", "price"],
    "properties": {"price": {"type": "number", "minimum": 0}, "tags": {"type": "array", "items": {"type": "string"}}},
    "additionalProperties": True,
}


def judged(rows: list[dict[str, Any]], settings: Settings | None = None) -> dict[str, set[str]]:
    """What the suites say of rows of our own table."""
    batch = scanned(Mapping.identity(), arrow(rows))
    return running.judged(Mapping.identity(), [batch], lambda _: {}, settings or Settings()).failing


def test_every_structural_code_is_said_by_an_expectation_with_its_severity() -> None:
    """Each code of the structural ring has an expectation in a suite, marked with the code's severity."""
    facts = {f"reference:{kind}": [0] for kind in ("dangling", "self", "cycle", "chain", "crossing")}
    whole = Whole(facts, Vectors({"missing": [], "finite": [], "texts": []}, 4, True), {}, frozenset(), ("active",))
    settings = Settings(now=memory()["created_at"])
    mapping = Mapping.identity()
    built = [
        suites.memories(mapping, settings, whole),
        suites.references(whole),
        suites.embeddings("embedding", settings, whole),
    ]

    assert {code.value for code, (ring, _) in KNOWN.items() if ring is Ring.STRUCTURE} == suites.codes_of(built)
    assert {code.value: severity.value for code, (ring, severity) in KNOWN.items() if ring is Ring.STRUCTURE} == {
        rule.meta["code"]: rule.meta["severity"] for suite in built for rule in suite.expectations
    }


def test_what_the_owner_lacks_makes_no_expectation() -> None:
    """Absent fields, lacking ones and those left empty on purpose are not asked for."""
    settings = Settings(absent=frozenset({"source"}), optional=frozenset({"updated_at"}))
    whole = Whole({}, Vectors({}), {}, frozenset({"scope", "metadata.scene"}), ("active",))
    suite = suites.memories(Mapping.of({}, ("source",)), settings, whole)
    asked = {(rule.meta["code"], getattr(rule, "wanted", "")) for rule in suite.expectations}

    assert {"content_empty", "missing_created_at"} == {
        code for code, _ in asked if code.startswith("missing_") or code == "content_empty"
    } - {"missing_id"}
    assert {"topic", "entities"} == {wanted for code, wanted in asked if code == "metadata_missing_field"}


@pytest.mark.lance
def test_a_table_in_lance_is_judged_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a real table, in many chunks and with frames of their own, give what one chunk gives."""
    mapping, rows, settings = zoo()
    reader = make_table(tmp_path, [row for row in rows.to_pylist() if row["id"] is not None])
    in_one = running.judged(mapping, reader.batches(), reader.fetch, settings)
    batches = [part for batch in reader.batches() for part in _pieces(batch, 17)]
    monkeypatch.setattr(facts_rows, "CHUNK_ROWS", 40)
    monkeypatch.setattr(frames, "MANY", 5)
    in_many = running.judged(mapping, batches, reader.fetch, settings)

    assert in_one == in_many
    assert len(in_one.failing) > 20


def _pieces(batch: pa.RecordBatch, size: int) -> list[pa.RecordBatch]:
    return [batch.slice(at, size) for at in range(0, batch.num_rows, size)]


def test_an_empty_table_fails_nothing() -> None:
    """No row, no finding, no error."""
    assert {} == running.judged(Mapping.identity(), [], lambda _: {}, Settings()).failing


def test_no_memory_text_in_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failing rows are named by number in what GX returns; their values are in no result."""
    from great_expectations.datasource.fluent.interfaces import Batch

    seen = []
    whole = Batch.validate
    monkeypatch.setattr(Batch, "validate", lambda *a, **k: seen.append(whole(*a, **k)) or seen[-1])
    secrets = ("4111-1111", "暗号七", "SSN-078")
    rows = [
        memory("m1", content=f"\u202e{secrets[0]}", source=" "),
        memory("m2", scope=f"{secrets[1]};", status=secrets[2]),
        memory("m3", metadata=f'{{"{secrets[2]}": NaN}}'),
    ]
    failing = judged(rows)
    printed = json.dumps([s.to_json_dict() for s in seen], ensure_ascii=False)

    assert {"hidden_characters", "missing_source", "scope_not_allowed", "illegal_status"} <= set(failing)
    assert [secret for secret in secrets if secret in printed] == []


def test_a_broken_expectation_is_an_error_that_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """An expectation that raises is no finding: CheckBroken names it, its column and its suite."""
    monkeypatch.setattr(suites, "BARRED_PATTERN", "(unclosed")

    with pytest.raises(CheckBroken, match=r"expect_column_values_to_not_match_regex on scope:said of suite memories"):
        judged([memory("m1")])


def test_an_expectation_that_nothing_was_judged_by_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule about a column that no frame has was not checked, and that is said."""
    monkeypatch.setitem(suites.MISSING, "batch_id", Code.MISSING_SOURCE)

    with pytest.raises(CheckBroken, match=r"on batch_id of suite memories was judged on no column"):
        judged([memory("m1")])


def test_metadata_by_the_users_schemas() -> None:
    """Missing keys and other faults are told apart, by kind, the same in both ways; blanks of the default stay."""
    rows = [
        memory("fine", metadata={"topic": "茶", "price": 3}),
        memory("no-price", metadata={"topic": "t"}),
        memory("negative", metadata={"topic": "t", "price": -1}),
        memory("deep", metadata={"topic": "t", "price": 1, "tags": ["a", 7]}),
        memory("both", metadata={"price": "三"}),
        memory("null", metadata=None),
        memory("event", kind="event", metadata={"topic": "t"}),
        memory("broken", metadata='{"price": NaN}'),
    ]
    settings = Settings(schemas={"fact": SCHEMA})
    by_rules, by_suites = both(Mapping.identity(), arrow(rows), settings)

    assert by_rules == by_suites
    assert {"negative", "deep", "both", "broken"} == by_suites["metadata_invalid"]
    assert {"no-price", "both", "null", "event"} == by_suites["metadata_missing_field"]


def test_a_fault_says_where_and_never_what() -> None:
    """The path of the place that breaks the schema, without its value; missing keys of the whole apart."""
    shape = shape_of(SCHEMA)

    assert "tags[1]" == shape.fault({"tags": ["a", 7]})
    assert shape.fault({"price": 1}) is None
    assert ("topic",) == shape.missing({"price": 1})


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"$ref": "http://127.0.0.1:9/other.json"}])
def test_a_schema_that_is_none_is_refused(schema: dict[str, Any]) -> None:
    """What is no JSON Schema, or lies elsewhere, is an error of the configuration; nothing is fetched."""
    with pytest.raises(ConfigInvalid, match=r"no JSON Schema"):
        shape_of(schema)


def test_schema_files_are_read_from_the_configurations_folder(tmp_path: Path) -> None:
    """`metadata.schemas` names files; one that can't be read is refused by its key."""
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    config = make_config(tmp_path, metadata={"schemas": {"*": "schema.json"}})

    assert {"*": SCHEMA} == config.metadata_schemas()
    with pytest.raises(ConfigInvalid, match=r"metadata\.schemas\.fact: .*gone\.json can't be read"):
        make_config(tmp_path, metadata={"schemas": {"fact": "gone.json"}}).metadata_schemas()


@pytest.mark.lance
def test_every_applied_step_has_its_images(clinic: Callable[..., Any]) -> None:
    """A repaired table's ledger is complete; without one image its step is named; images past retention are fine."""
    open_clinic = clinic([memory("m1", status="Active"), memory("m2", status="ACTIVE ")], limits=GENEROUS)
    planned = open_clinic.plan().plan
    apply(open_clinic, planned.id)
    ledger = open_clinic.ledger
    steps = records.applied(ledger)

    assert sorted(step.id for step in planned.steps()) == sorted(steps["step"])
    assert [] == records.incomplete(ledger)

    with ledger.transaction() as conn:
        lost = conn.execute(sa.select(t.item.c.step_id).limit(1)).scalar_one()
        conn.execute(t.item.update().where(t.item.c.step_id == lost).values(after_image=None))
    assert [lost] == records.incomplete(ledger)

    ledger.intents.forget_images(open_clinic.clock() + timedelta(days=1))
    assert [] == records.incomplete(ledger)


@pytest.mark.lance
def test_a_ledger_without_a_receipt_or_a_row_is_incomplete(clinic: Callable[..., Any]) -> None:
    """An applied step whose rows are not in the ledger, or whose repair was never closed, is named."""
    open_clinic = clinic([memory("m1", status="Active")], limits=GENEROUS)
    planned = open_clinic.plan().plan
    apply(open_clinic, planned.id)
    [step] = [step.id for step in planned.steps()]
    ledger = open_clinic.ledger
    with ledger.transaction() as conn:
        conn.execute(t.intent.update().values(closed_at=None))
    unclosed = records.incomplete(ledger)
    with ledger.transaction() as conn:
        conn.execute(t.intent.update().values(closed_at="2025-03-01T12:00:00+00:00"))
        conn.execute(t.item.delete())

    assert [step] == unclosed
    assert [step] == records.incomplete(ledger)


@pytest.mark.lance
def test_the_task_stops_where_the_two_ways_differ(clinic: Callable[..., Any]) -> None:
    """On a sick table both ways agree; where the pure rules had missed a finding, CheckBroken says which code."""
    from expectations.agreement import agree

    rows = [memory("m1", content=" "), memory("m2", superseded_by="gone"), memory("m3", metadata="{没"), memory("")]
    open_clinic = clinic(rows)
    found = open_clinic.check().examination.findings

    agree(open_clinic, found)
    for missed in ("reference_dangling", "missing_id"):
        with pytest.raises(CheckBroken, match=rf"disagree on rows: {missed} \(1\)"):
            agree(open_clinic, [f for f in found if f.code.value != missed])


@pytest.mark.lance
def test_a_ledger_that_lost_an_image_stops_the_task(clinic: Callable[..., Any]) -> None:
    """A repair that could not be taken back is told before anything else is planned."""
    from expectations.agreement import agree

    open_clinic = clinic([memory("m1", status="Active")], limits=GENEROUS)
    apply(open_clinic, open_clinic.plan().plan.id)
    with open_clinic.ledger.transaction() as conn:
        conn.execute(t.item.update().values(before_image=None))

    with pytest.raises(CheckBroken, match=r"1 applied steps lack an image"):
        agree(open_clinic, open_clinic.check().examination.findings)
