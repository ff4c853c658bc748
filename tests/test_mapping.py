"""Mappings: an owner's table is read in record terms, and changes of fields become changes of its columns."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from mendory.clinic import Clinic
from mendory.detect import Settings, examine
from mendory.errors import SchemaMismatch
from mendory.mapping import VECTORLESS, Mapping
from mendory.record import FIELD_NAMES, arrow_schema
from mendory.treatment import apply
from tests.conftest import GENEROUS, NOON, FakeClock, arrow, make_config, memory

OWNERS = pa.schema(
    [
        pa.field("key", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("vec", pa.list_(pa.float32(), 4)),
        pa.field("meta", pa.string()),
        pa.field("ts", pa.timestamp("ms")),
        pa.field("tenant", pa.string()),
        pa.field("hits", pa.int64()),
    ]
)
COLUMNS = {
    "id": "key",
    "content": "text",
    "embedding": "vec",
    "metadata": "meta",
    "created_at": "ts",
    "scope": "tenant",
}
ABSENT = tuple(n for n in FIELD_NAMES if n not in COLUMNS)


def owners(zone: str = "UTC", **k: Any) -> Mapping:
    """The mapping of the owner's table above."""
    return Mapping.of(COLUMNS, ABSENT, ["hits"], zone, **k)


def row(**fields: Any) -> dict[str, Any]:
    """A row of the owner's table."""
    held = {
        "key": "k1",
        "text": "不要香菜",
        "vec": [1.0, 0, 0, 0],
        "meta": '{"price": 1.50}',
        "tenant": "u1",
        "hits": 1,
    }
    naive = datetime(2025, 3, 1, 20)  # noqa: DTZ001
    return held | {"ts": naive} | fields


def test_identity_maps_every_field_to_its_own_column() -> None:
    """Our own table fits the identity mapping, nothing is absent."""
    mapping = Mapping.identity()

    mapping.check(arrow_schema(4))
    assert () == mapping.absent()
    assert list(FIELD_NAMES) == [mapping.column(n) for n in FIELD_NAMES]
    assert {"last_accessed_at"} == mapping.volatile


def test_renamed_columns_are_read_in_record_terms() -> None:
    """An owner's columns of other names and types are read as the record's fields."""
    mapping = owners()
    mapping.check(OWNERS)

    [held] = mapping.memories(pa.Table.from_pylist([row()], schema=OWNERS))

    assert ("k1", "不要香菜", "u1") == (held.id, held.content, held.scope)
    assert {"price": 1.5} == held.metadata
    assert (None, (), None) == (held.status, held.related_ids, held.source)
    assert () == held.wrong


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 20), ("Asia/Shanghai", 12), ("America/New_York", 1)])
def test_naive_times_are_of_the_configured_zone(zone: str, hour: int) -> None:
    """A time without zone is read in the configured one, never in this machine's."""
    [held] = owners(zone).memories(pa.Table.from_pylist([row()], schema=OWNERS))

    assert held.created_at is not None
    assert (UTC, hour) == (held.created_at.tzinfo, held.created_at.hour)


def test_times_of_another_zone_become_utc() -> None:
    """A column with a zone is read by its own, whatever is configured for naive ones."""
    schema = OWNERS.set(4, pa.field("ts", pa.timestamp("us", tz="Asia/Shanghai")))
    [held] = owners("America/New_York").memories(pa.Table.from_pylist([row(ts=NOON)], schema=schema))

    assert NOON == held.created_at
    assert held.created_at is not None
    assert UTC == held.created_at.tzinfo


@pytest.mark.parametrize(
    ("unit", "value"),
    [("us", 1_700_000_000_000 * 10**6), ("s", 253_402_300_800), ("us", -(10**17)), ("ms", 2**62)],
    ids=["milliseconds-taken-for-seconds", "year-10000", "before-year-1", "far-future"],
)
def test_time_outside_the_calendar_is_a_wrong_cell(unit: str, value: int) -> None:
    """A time that no calendar holds makes that cell unreadable; it stops neither the row nor the check-up."""
    schema = OWNERS.set(4, pa.field("ts", pa.timestamp(unit)))
    table = pa.Table.from_pylist([row(ts=None), row(key="k2", ts=None)], schema=schema)
    cells = pa.array([value, 0], pa.int64()).view(pa.timestamp(unit))

    first, second = owners().memories(table.set_column(4, schema.field(4), cells))

    assert (None, ("created_at",)) == (first.created_at, first.wrong)
    assert (datetime(1970, 1, 1, tzinfo=UTC), ()) == (second.created_at, second.wrong)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_first_and_last_day_of_the_calendar(zone: str) -> None:
    """Times at the ends of the calendar may fall off it in another zone; that is a wrong cell, not a crash."""
    early, late = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59)  # noqa: DTZ001
    rows = [row(ts=early), row(key="k2", ts=late)]

    held = owners(zone).memories(pa.Table.from_pylist(rows, schema=OWNERS))

    assert 1 == sum(m.created_at is None and m.wrong == ("created_at",) for m in held)


def test_nanoseconds_are_read() -> None:
    """A column of nanoseconds is read to the microsecond."""
    schema = OWNERS.set(4, pa.field("ts", pa.timestamp("ns")))
    table = pa.Table.from_pylist([row(ts=None)], schema=schema)
    cells = pa.array([1_740_830_400_123_456_789], pa.int64()).view(pa.timestamp("ns"))

    [held] = owners().memories(table.set_column(4, schema.field(4), cells))

    assert datetime(2025, 3, 1, 12, 0, 0, 123456, tzinfo=UTC) == held.created_at


def test_missing_columns_and_wrong_types_are_all_named() -> None:
    """Every column that is missing or has an unusable type is named in one error."""
    schema = OWNERS.set(4, pa.field("ts", pa.string())).set(1, pa.field("text", pa.int64())).remove(5)

    with pytest.raises(SchemaMismatch) as caught:
        owners().check(schema)

    text = str(caught.value)
    assert "3 field(s)" in text
    assert "content: column 'text' has type int64" in text
    assert "created_at: column 'ts' has type string" in text
    assert "scope: no column 'tenant'" in text
    assert "Nothing was read" in text


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("embedding", pa.list_(pa.int32(), 4)),
        ("embedding", pa.string()),
        ("metadata", pa.struct([("a", pa.string())])),
        ("related_ids", pa.string()),
        ("related_ids", pa.list_(pa.int64())),
        ("created_at", pa.int64()),
        ("id", pa.int64()),
    ],
)
def test_unusable_types(field: str, kind: pa.DataType) -> None:
    """A column whose type can't hold the field is refused when the table is opened."""
    own = arrow_schema(4)
    schema = own.set(own.get_field_index(field), pa.field(field, kind))

    with pytest.raises(SchemaMismatch, match=f"{field}: column"):
        Mapping.identity().check(schema)


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("embedding", pa.list_(pa.float16(), 8)),
        ("embedding", pa.list_(pa.float64())),
        ("content", pa.large_string()),
        ("related_ids", pa.large_list(pa.string())),
        ("created_at", pa.timestamp("s")),
    ],
)
def test_usable_types(field: str, kind: pa.DataType) -> None:
    """Other widths of text, floats, lists and times are fine."""
    own = arrow_schema(4)

    Mapping.identity().check(own.set(own.get_field_index(field), pa.field(field, kind)))


@pytest.mark.parametrize("field", ["id", "content"])
def test_id_and_content_cant_be_absent(field: str) -> None:
    """A table without ids or contents is no table of memories."""
    with pytest.raises(SchemaMismatch, match="can't be absent"):
        Mapping.of({}, [field]).check(arrow_schema(4))


def test_scan_columns_leave_the_vector_out() -> None:
    """A scan reads what can be compared, never the vector, never a binary, never what a mere read changes."""
    schema = OWNERS.append(pa.field("photo", pa.binary())).append(pa.field("private", pa.bool_()))

    assert {"key", "text", "meta", "ts", "tenant", "private"} == set(owners().scan_columns(schema))


def test_write_changes_one_key_of_the_owners_json() -> None:
    """A change inside metadata leaves every other byte of the owner's JSON."""
    new = owners().write({"meta": '{"price": 1.50, "n": 1e3}'}, {"metadata.scene": "饮食", "metadata.topic": "香菜"})

    assert {"meta": '{"price": 1.50, "n": 1e3, "scene": "饮食", "topic": "香菜"}'} == new


def test_write_of_renamed_and_listed_fields() -> None:
    """A change of a field is a change of its column; a tuple is written as a list."""
    assert {"text": "x"} == owners().write({"text": "y"}, {"content": "x"})
    assert {"related_ids": ["a"]} == Mapping.identity().write({"related_ids": []}, {"related_ids": ("a",)})


def test_write_of_an_absent_field_is_refused() -> None:
    """What the owner's table has no place for can't be written."""
    with pytest.raises(SchemaMismatch, match="no place for 'status'"):
        owners().write({}, {"status": "archived"})


def test_absent_fields_stand_down() -> None:
    """Fields the owner lacks are a line each, never a finding per row."""
    mapping = owners()
    held = mapping.memories(pa.Table.from_pylist([row(meta="{}"), row(key="k2", text=" ")], schema=OWNERS))

    seen = examine(held, lambda ids: {}, Settings(frozenset(mapping.absent()), ()))

    assert [("content_empty", ("k2",))] == [(f.code.value, f.ids) for f in seen.findings]
    assert {"source", "status", "updated_at", "duplicate_of"} <= {what for what, _ in seen.stands_down}


def test_field_that_no_row_holds_stands_down() -> None:
    """In a table of some size, a field or key for which not one row has a value is one the owner lacks."""
    rows = [memory(f"m{n}", source=None, embedding=None, metadata={"topic": "饮食"}) for n in range(25)]
    held = Mapping.identity().memories(arrow(rows).append_column(VECTORLESS, pa.array([True] * 25)))

    seen = examine(held, lambda ids: {}, Settings())

    assert () == seen.findings
    assert {"source", "embedding", "metadata.entities", "metadata.scene"} == {what for what, _ in seen.stands_down}


def test_one_value_among_many_rows_makes_the_others_findings() -> None:
    """One row that has a value shows that the owner knows the field: the others lack it."""
    rows = [memory(f"m{n}", source=None) for n in range(24)]
    held = Mapping.identity().memories(arrow([*rows, memory("m99")]))

    seen = examine(held, lambda ids: {}, Settings())

    assert {"missing_source"} == {f.code.value for f in seen.findings}
    assert 24 == len(seen.findings)


@pytest.mark.lance
def test_owners_table_is_healed_where_it_lies(tmp_path: Path, clock: FakeClock) -> None:
    """A table of other columns is checked and healed in place: one key's bytes change, the counter stays its own."""
    rows = [row(key=f"k{n}", text=f"记忆 {n}", meta='{"price": 1.50, "scene": "daily"}') for n in range(5)]
    db = lancedb.connect(str(tmp_path))
    db.create_table("memories", pa.Table.from_pylist([*rows, row(key="it's")], schema=OWNERS))
    mapping = {"columns": COLUMNS, "absent": ABSENT, "volatile": ["hits"], "zone": "Asia/Shanghai"}
    wishes = {"required": ["scene"], "defaults": {"scene": "聚餐"}}
    clinic = Clinic(make_config(tmp_path, mapping=mapping, metadata=wishes, limits=GENEROUS), clock)
    plan = clinic.plan().plan
    assert plan is not None
    db.open_table("memories").update(where="key = 'it''s'", values={"hits": 7})

    done = apply(clinic, plan.id)

    assert {"applied": 1} == done.outcomes()
    [healed] = db.open_table("memories").search().where("key = 'it''s'").to_list()
    assert ('{"price": 1.50, "scene": "聚餐"}', 7) == (healed["meta"], healed["hits"])
    assert () == clinic.check().findings


def test_a_field_left_empty_on_purpose_is_no_finding() -> None:
    """Where the owner leaves a field empty, rows without it are healthy, and the others are still read."""
    rows = [memory("m1", source=""), memory("m2", source=None), memory("m3", source="user_stated", scope=" ")]
    mapping = Mapping.of({}, optional=["source"])

    seen = examine(mapping.memories(arrow(rows)), lambda ids: {}, Settings(optional=mapping.optional))

    assert [("missing_scope", ("m3",))] == [(f.code.value, f.ids) for f in seen.findings]
