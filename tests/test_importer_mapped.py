"""Import into an owner's own table: what it can't say is refused record by record, nothing is overwritten or bent."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from mendory import cli
from mendory.errors import SchemaMismatch
from mendory.mapping import Mapping
from mendory.record import FIELD_NAMES
from tests.test_importer import toml

pytestmark = pytest.mark.lance
Import = Callable[..., dict[str, Any]]
OWNERS = pa.schema(
    [
        ("mem_id", pa.string()),
        ("text", pa.string()),
        ("tenant", pa.string()),
        ("ts", pa.int64()),
        ("seen", pa.timestamp("s")),
        ("is_deleted", pa.bool_()),
        ("rank", pa.int64()),
        ("meta", pa.string()),
    ]
)
PLACED = {
    "id": "mem_id",
    "content": "text",
    "scope": "{tenant}/{meta.user.id}",
    "source": "meta.src",
    "kind": "rank",
    "status": "is_deleted",
    "metadata": "meta",
    "created_at": "ts",
    "updated_at": "seen",
}
MAPPING: dict[str, Any] = {
    "columns": PLACED,
    "absent": [n for n in FIELD_NAMES if n not in PLACED],
    "times": {"created_at": {"forms": ["ms"]}},
    "status": {"values": {"false": "active", "true": "archived"}},
    "hide": {"is_deleted": True},
}
LINE = {
    "id": "m1",
    "content": "喜欢喝茶",
    "scope": "组/u1",
    "source": "user_stated",
    "status": "active",
    "created_at": "2025-03-01T10:00:00Z",
}
PRIVATE = "我的密码是 1234 my password"


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of the owner's table by id."""
    held = lancedb.connect(str(folder / "db")).open_table("memories").to_arrow().to_pylist()
    return {row["mem_id"]: row for row in held}


def owned(folder: Path, mapping: dict[str, Any], schema: pa.Schema) -> Callable[..., Result]:
    """An empty table of that shape; gives `run(line, …)`, which imports the lines."""
    lancedb.connect(str(folder / "db")).create_table("memories", schema=schema)
    config = {"table": {"uri": str(folder / "db"), "name": "memories"}, "mapping": mapping}
    (folder / "mendory.toml").write_text(toml(config), encoding="utf-8")

    def run(*lines: dict[str, Any]) -> Result:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / "in.jsonl").write_text(text, encoding="utf-8")
        command = ["import", str(folder / "in.jsonl"), "--config", str(folder / "mendory.toml"), "--json"]
        return CliRunner().invoke(cli.main, command, catch_exceptions=False)

    return run


@pytest.fixture
def take(tmp_path: Path) -> Import:
    """`take(line, …)` imports the lines into the owner's table and gives the counts."""
    run = owned(tmp_path, MAPPING, OWNERS)

    def counts(*lines: dict[str, Any]) -> dict[str, Any]:
        result = run(*lines)
        found: dict[str, Any] = json.loads(result.stdout)
        assert found["read"] == found["ok"] + found["quarantined"] + found["rejected"]
        return found

    return counts


@pytest.mark.parametrize(
    "metadata",
    [
        {"src": "微信"},
        {"src": None, "user": {"id": "someone else"}},
        {"user": "张三"},
        {"user": ["u1"]},
        {"user": {"id": 1}},
    ],
    ids=str,
)
def test_a_key_of_the_records_own_metadata_is_never_overwritten(
    take: Import, tmp_path: Path, metadata: dict[str, Any]
) -> None:
    """Where the mapping keeps a field, another value refuses the record alone; its text is in the quarantine."""
    counts = take(LINE | {"metadata": metadata}, LINE | {"id": "m2", "content": "likes tea"})
    [entry] = map(json.loads, (tmp_path / "in.jsonl.quarantine.jsonl").read_text("utf-8").splitlines())

    assert ({"metadata_conflict": 1}, 1) == (counts["reasons"], counts["imported"])
    assert (1, metadata) == (entry["line"], json.loads(entry["text"])["metadata"])
    assert {"m2"} == set(rows(tmp_path))


def test_a_key_that_says_the_same_and_one_beside_it_are_kept(take: Import, tmp_path: Path) -> None:
    """Nothing is lost by writing a value that is there already; a neighbour of a field keeps its bytes."""
    counts = take(LINE | {"metadata": {"src": "user_stated", "user": {"name": "张三", "id": "u1"}, "价": 1.5}})

    assert 1 == counts["imported"]
    assert {"src": "user_stated", "user": {"name": "张三", "id": "u1"}, "价": 1.5} == json.loads(
        rows(tmp_path)["m1"]["meta"]
    )


@pytest.mark.parametrize("status", ["pending_review", "Active ", "归档", PRIVATE, None])
def test_a_status_the_owner_has_no_word_for_refuses_its_record_alone(
    take: Import, tmp_path: Path, status: str | None
) -> None:
    """Never null where the owner's reader asks for false, and never active by itself."""
    lines = [LINE | {"id": "ok"}, LINE | {"status": status}, LINE | {"id": "gone", "status": "archived"}]
    counts = take(*lines)
    again = take(*lines)
    held = rows(tmp_path)

    assert ({"illegal_status": 1}, {"missing_updated_at": 2}) == (counts["reasons"], counts["flagged"])
    assert {"ok": False, "gone": True} == {name: row["is_deleted"] for name, row in held.items()}
    assert (0, 2) == (again["imported"], again["already_there"])


def test_a_scope_of_another_form_and_a_value_of_another_type_refuse_their_records_alone(
    take: Import, tmp_path: Path
) -> None:
    """One of too few or too many parts, a word where the owner keeps numbers: by line, and the others come."""
    lines = [LINE | {"scope": "组"}, LINE | {"id": "b", "scope": "a/b/c"}, LINE | {"id": "c", "kind": "事实"}]
    counts = take(*lines, LINE | {"id": "好"}, LINE | {"id": "n", "kind": "7"})
    entries = [json.loads(e) for e in (tmp_path / "in.jsonl.quarantine.jsonl").read_text("utf-8").splitlines()]

    assert {"scope_not_allowed": 2, "wrong_type": 1} == counts["reasons"]
    assert [1, 2, 3] == [entry["line"] for entry in entries]
    assert {"好": None, "n": 7} == {name: row["rank"] for name, row in rows(tmp_path).items()}


def test_a_column_of_its_own_that_can_not_hold_a_value_refuses_the_record_alone(tmp_path: Path) -> None:
    """The same where every field has a column: a number's column takes no word, one row is refused and not all."""
    schema = pa.schema([("id", pa.string()), ("content", pa.string()), ("source", pa.int64())])
    absent = [n for n in FIELD_NAMES if n not in schema.names]
    run = owned(tmp_path, {"absent": absent}, schema)
    counts = json.loads(run({"id": "a", "content": "茶", "source": "chat"}, {"id": "b", "content": "tea"}).stdout)
    table = lancedb.connect(str(tmp_path / "db")).open_table("memories").to_arrow()

    assert ({"wrong_type": 1}, 1) == (counts["reasons"], counts["imported"])
    assert [{"id": "b", "content": "tea", "source": None}] == table.to_pylist()


def test_an_archived_record_is_hidden_where_only_marks_tell_a_status(tmp_path: Path) -> None:
    """It is not shown again for want of a column: the mark is set; another status is refused, none is active."""
    columns = {n: c for n, c in PLACED.items() if n != "status"}
    mapping = MAPPING | {"columns": columns, "absent": [*MAPPING["absent"], "status"], "show": {"is_deleted": False}}
    mapping.pop("status")
    run = owned(tmp_path, mapping, OWNERS)
    none = {k: v for k, v in LINE.items() if k != "status"} | {"id": "none"}
    lines = [LINE, LINE | {"id": "gone", "status": "archived"}, LINE | {"id": "odd", "status": "旧"}, none]
    counts, again = (json.loads(run(*lines).stdout) for _ in range(2))

    assert ({"illegal_status": 1}, {"missing_updated_at": 3}) == (counts["reasons"], counts["flagged"])
    assert {"m1": False, "gone": True, "none": False} == {n: r["is_deleted"] for n, r in rows(tmp_path).items()}
    assert (0, 3) == (again["imported"], again["already_there"])


def test_an_error_about_a_status_does_not_quote_it() -> None:
    """What stands in a record's status may be anything; a status of ours is named."""
    mapping = Mapping.of({}, words={"1": "archived"})
    for status, said in ((PRIVATE, False), ("active", True)):
        with pytest.raises(SchemaMismatch) as caught:
            mapping.write({"status": None}, {"status": status})
        assert said == (status in str(caught.value))


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ({"created_at": "2025-03-01T10:00:00.123Z", "updated_at": "2025-03-01T10:00:00Z"}, {}),
        (
            {"created_at": "2025-03-01T10:00:00.123456Z", "updated_at": "2025-03-01T10:00:01Z"},
            {"timestamp_precision": 1},
        ),
        ({"updated_at": "2025-03-01T10:00:00.5Z"}, {"timestamp_precision": 1}),
        ({"updated_at": "2025-03-01T10:00:01.000000001Z"}, {"timestamp_precision": 1}),
    ],
    ids=str,
)
def test_a_time_that_is_cut_is_told(take: Import, line: dict[str, Any], flags: dict[str, int]) -> None:
    """Milliseconds in a column of seconds, microseconds in one of milliseconds, nanoseconds anywhere."""
    counts = take(LINE | line)

    assert flags == {k: v for k, v in counts["flagged"].items() if k != "timestamp_order"}


def test_a_time_in_columns_of_their_own_that_is_cut_is_told(tmp_path: Path) -> None:
    """The same where every field has a column: of two times the one with half a second is counted."""
    schema = pa.schema([("id", pa.string()), ("content", pa.string()), ("created_at", pa.timestamp("s", "UTC"))])
    absent = [n for n in FIELD_NAMES if n not in schema.names]
    run = owned(tmp_path, {"absent": absent}, schema)
    lines = [
        {"id": n, "content": "茶 tea", "created_at": f"2025-03-01T10:00:00{t}Z"} for n, t in (("a", ".5"), ("b", ""))
    ]
    counts = json.loads(run(*lines).stdout)

    assert (2, {"timestamp_precision": 1}) == (counts["imported"], counts["flagged"])


def test_nanoseconds_of_a_parquet_file_are_told_where_cut_and_kept_under_extra(tmp_path: Path) -> None:
    """A field has microseconds; what became no field keeps its last digit. Whole numbers past 64 bits are refused."""
    run = owned(tmp_path, MAPPING, OWNERS)
    run()
    at = pa.array([1_740_823_200_123_456_789], pa.timestamp("ns", "UTC"))
    plain = {name: pa.array([value]) for name, value in LINE.items() if name != "created_at"}
    pq.write_table(pa.table({**plain, "created_at": at, "when": at}), tmp_path / "in.parquet")
    wide = pa.array([2**63], pa.uint64())
    pq.write_table(pa.table({**plain, "created_at": at, "很大": wide}), tmp_path / "wide.parquet")
    command = ["import", "--config", str(tmp_path / "mendory.toml"), "--json"]
    first, second = (
        json.loads(CliRunner().invoke(cli.main, [*command, str(tmp_path / f"{name}.parquet")]).stdout)
        for name in ("in", "wide")
    )
    held = rows(tmp_path)["m1"]

    assert 1 == first["flagged"]["timestamp_precision"]
    assert "2025-03-01T10:00:00.123456789+00:00" == json.loads(held["meta"])["extra"]["when"]
    assert {"number_out_of_range": 1} == second["reasons"]
    assert datetime(2025, 3, 1, 10, 0, 0, 123000, UTC).timestamp() * 1000 == held["ts"]
