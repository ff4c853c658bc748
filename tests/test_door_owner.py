"""The library door beside its owner: what the owner's reader returns, its own times, its schema as it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import lancedb
import pyarrow as pa
import pytest

import mendory
from mendory.config import Config
from mendory.door import Door
from mendory.errors import CommitConflict, MemoryRefused, SchemaMismatch, TableNotFound
from mendory.importer.placing import as_row
from mendory.lance.door import ColumnsMoved
from tests.conftest import NOON, FakeClock
from tests.door_kit import DIMENSION, Hashing, raw

pytestmark = pytest.mark.lance
ABSENT = ["metadata", "updated_at", "source", "kind", "claim", "last_accessed_at", "last_verified_at", "batch_id"]
ABSENT += ["duplicate_of", "superseded_by", "related_ids", "related_notes"]
VECTOR = pa.list_(pa.float32(), DIMENSION)
TEXTS = ["早上喝绿茶", "green tea in the morning"]


def owned(
    folder: Path,
    own: Mapping[str, pa.DataType],
    rows: list[dict[str, Any]],
    clock: FakeClock | None = None,
    **mapping: Any,
) -> Door:
    """The door to an owner's table of an id, a text, a vector, a user, a time and these columns, holding the rows."""
    fields = {"id": pa.string(), "text": pa.string(), "vector": VECTOR, "user": pa.string()}
    fields |= {"at": pa.timestamp("us", "UTC")} | dict(own)
    plain = {"text": "我不吃香菜", "vector": [1.0, 0.5, -0.25, 0.0], "user": "u1", "at": NOON}
    plain = {name: value for name, value in plain.items() if name != "at" or pa.types.is_timestamp(fields["at"])}
    held = pa.Table.from_pylist([plain | row for row in rows], schema=pa.schema(fields))
    lancedb.connect(str(folder)).create_table("mem", data=held)
    places = {"content": "text", "embedding": "vector", "scope": "user", "created_at": "at"}
    mapping = {"absent": ABSENT, "hide": "none"} | mapping
    mapping["columns"] = places | mapping.get("columns", {})
    if "status" not in mapping["columns"]:
        mapping["absent"] = [*mapping["absent"], "status"]
    config = Config.build({"table": {"uri": ".", "name": "mem"}, "mapping": mapping}, folder)
    ids = iter(f"new{n}" for n in range(100))
    return mendory.open(config, embedder=Hashing(), new_id=lambda: next(ids), clock=clock or (lambda: NOON))


def owner(door: Door) -> Any:
    """The table as the owner's own program opens it."""
    return lancedb.connect(door.config.table_uri).open_table("mem")


def returned(door: Door, where: str) -> set[str]:
    """The ids that the owner's own search returns."""
    return {row["id"] for row in owner(door).search().where(where).limit(100).to_list()}


# --- what the owner's reader returns ----------------------------------------------------------------------------------

TWO = {"columns": {"status": "status"}, "hide": {"status": "archived", "is_deleted": True}}
SEEN = [
    ("two", {"status": pa.string(), "is_deleted": pa.bool_()}, {"status": "active", "is_deleted": False})
    + (TWO | {"show": {"is_deleted": False}}, "status = 'active' AND is_deleted = false"),
    ("zero", {"gone": pa.int64()}, {"gone": 0}) + ({"hide": {"gone": "now:ms"}, "show": {"gone": 0}}, "gone = 0"),
    ("text", {"状态": pa.string()}, {"状态": "正常"})
    + ({"hide": {"状态": "已删除"}, "show": {"状态": "正常"}}, "`状态` = '正常'"),
    ("leaf", {"s": pa.struct([("del", pa.int8())])}, {"s": {"del": 0}})
    + ({"hide": {"s.del": 1}, "show": {"s.del": 0}}, "s.del = 0"),
    ("json", {"meta": pa.string()}, {"meta": '{"del": false}'})
    + ({"hide": {"meta.del": True}, "show": {"meta.del": False}}, "meta LIKE '%\"del\": false%'"),
]


@pytest.mark.parametrize("case", SEEN, ids=[case[0] for case in SEEN])
@pytest.mark.parametrize("text", TEXTS)
def test_a_new_row_holds_what_live_rows_hold_at_the_marks(tmp_path: Path, case: Any, text: str) -> None:
    """The owner's reader returns what the door added, not what it added as archived, nor what it archived since."""
    _, columns, live, mapping, where = case
    door = owned(tmp_path, columns, [{"id": "a", **live}], **mapping)

    new = door.add(text, scope="u1")
    hidden = door.add(text, scope="u1", status="archived")
    before = returned(door, where)
    door.archive(new)

    assert {"a", new} == before
    assert {"a"} == returned(door, where)
    assert ["archived", "archived"] == [door.get(one).status for one in (new, hidden)]


def test_metadata_and_a_mark_in_one_cell_are_both_written(tmp_path: Path) -> None:
    """What live rows hold in the owner's JSON stands beside the metadata that is given, in the same text."""
    mapping = {"columns": {"metadata": "meta"}, "hide": {"meta.del": True}, "show": {"meta.del": False}}
    mapping["absent"] = [name for name in ABSENT if name != "metadata"]
    door = owned(tmp_path, {"meta": pa.string()}, [], **mapping)

    new = door.add("喝茶", scope="u1", metadata={"topic": "饮品"})

    assert '{"topic": "饮品", "del": false}' == raw(door.config, "id", new)["meta"]
    assert {"topic": "饮品"} == door.get(new).metadata


UNSHOWN: list[tuple[str, pa.DataType, Any, Any]] = [
    ("flag", pa.bool_(), False, True),
    ("number", pa.int8(), 0, 1),
    ("time", pa.int64(), 0, "now:ms"),
    ("blank", pa.string(), "", "now:iso"),
    ("word", pa.string(), "正常", "已删除"),
    ("leaf", pa.struct([("x", pa.float64())]), {"x": 0.0}, 1.0),
    ("json", pa.string(), '{"x": "live"}', "gone"),
]


@pytest.mark.parametrize("case", UNSHOWN, ids=[case[0] for case in UNSHOWN])
def test_a_row_that_the_owner_would_not_see_is_refused(tmp_path: Path, case: Any) -> None:
    """Live rows hold something at a mark, behind many hidden ones, and the mapping does not say what: that is asked."""
    name, kind, live, mark = case
    place = "mark.x" if name in ("leaf", "json") else "mark"
    hidden: Any = {"leaf": {"x": 1.0}, "json": '{"x": "gone"}', "time": 5, "blank": "2025-01-01"}.get(name, mark)
    rows = [{"id": f"h{n}", "mark": hidden} for n in range(300)]
    door = owned(tmp_path, {"mark": kind}, [*rows, {"id": "a", "mark": live}], hide={place: mark})

    with pytest.raises(MemoryRefused, match=r"\[mapping.show\]") as caught:
        door.add("喝茶", scope="u1")

    assert ("not_shown",) == caught.value.codes
    assert 301 == owner(door).count_rows()
    assert "new1" == door.add("隐藏的", scope="u1", status="archived")


@pytest.mark.parametrize("text", TEXTS)
def test_a_mark_that_is_empty_in_live_rows_stays_empty(tmp_path: Path, text: str) -> None:
    """Where live rows hold nothing at the mark, a new row holds nothing there either."""
    rows = [{"id": "a", "gone": None}, {"id": "h", "gone": 1740830400000}]
    door = owned(tmp_path, {"gone": pa.int64()}, rows, hide={"gone": "now:ms"})

    assert {"a", door.add(text, scope="u1")} == returned(door, "gone IS NULL")


def test_an_import_writes_what_live_rows_hold(tmp_path: Path) -> None:
    """A record that is imported is seen by the owner's reader too, and one that is archived is not."""
    door = owned(tmp_path, SEEN[0][1], [], **SEEN[0][3])
    mapping, schema = door.config.record_mapping(), owner(door).schema
    record = {"id": "i", "content": "喝茶", "scope": "u1", "created_at": NOON}

    rows = [as_row(record | {"status": status}, mapping, schema).to_pylist()[0] for status in ("active", "archived")]

    assert [("active", False), ("archived", True)] == [(row["status"], row["is_deleted"]) for row in rows]


# --- times ------------------------------------------------------------------------------------------------------------

SHANGHAI = ZoneInfo("Asia/Shanghai")
FORMS = [
    ("%Y-%m-%d %H:%M:%S", "2025-03-01 20:00:05"),
    ("%Y-%m-%dT%H:%M:%S.%f", "2025-03-01T20:00:05.678901"),
    ("%Y-%m-%dT%H:%M:%S%z", "2025-03-01T20:00:05+0800"),
    ("%Y-%m-%d %H:%M:%S+08:00", "2025-03-01 20:00:05+08:00"),
    ("%Y-%m-%dT%H:%M:%S.000", "2025-03-01T20:00:05.000"),
    ("%Y年%m月%d日 %H:%M", "2025年03月01日 20:00"),
    ("%Y年%m月%d日 %H时%M分%S秒", "2025年03月01日 20时00分05秒"),
    ("%Y/%m/%d", "2025/03/01"),
    ("%d %b %Y %I:%M:%S %p", "01 Mar 2025 08:00:05 PM"),
    ("iso", "2025-03-01T20:00:05.678901+08:00"),
    ("s", 1740830405 + 8 * 3600),
    ("ms", 1740830405678 + 8 * 3600_000),
    ("us", 1740830405678901 + 8 * 3600_000_000),
    ("ns", 1740830405678901000 + 8 * 3600_000_000_000),
]
LATE = NOON + timedelta(seconds=5, microseconds=678901)


def timed(folder: Path, form: str, zone: str, rows: Any = (), moment: datetime = LATE) -> Door:
    """The door to a table whose times are written in the form, in that zone."""
    kind = pa.string() if form == "iso" or "%" in form else pa.int64()
    forms = {"created_at": {"forms": [form, "iso"] if kind == pa.string() and form != "iso" else [form], "zone": zone}}
    return owned(folder, {"at": kind}, list(rows), times=forms, clock=lambda: moment)


@pytest.mark.parametrize(("form", "expected"), FORMS, ids=[form for form, _ in FORMS])
@pytest.mark.parametrize("text", TEXTS)
def test_a_time_is_written_as_the_owner_writes_it(tmp_path: Path, form: str, expected: Any, text: str) -> None:
    """Format, zone and precision are the column's; the time read back is the one given, as far as the form tells."""
    door = timed(tmp_path, form, "Asia/Shanghai")

    new = door.add(text, scope="u1")

    assert expected == raw(door.config, "id", new)["at"]
    held = door.get(new).created_at
    day = LATE.astimezone(SHANGHAI).date()
    assert held is not None
    assert day == held.astimezone(SHANGHAI).date()
    if form != "%Y/%m/%d":
        assert timedelta() <= LATE - held < timedelta(minutes=1)


def test_a_form_that_loses_the_hour_is_refused(tmp_path: Path) -> None:
    """Twelve hours without morning or afternoon would be read back as another time: nothing is written."""
    door = timed(tmp_path, "%Y-%m-%d %I:%M:%S", "Asia/Shanghai")

    with pytest.raises(MemoryRefused) as caught:
        door.add("晚上喝水", scope="u1")

    assert (("no_place",), 0) == (caught.value.codes, owner(door).count_rows())


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M:%S", "s"])
@pytest.mark.parametrize("minute", [0, 30])
def test_the_hour_that_a_clock_shows_twice_is_no_fault(tmp_path: Path, form: str, minute: int) -> None:
    """When summer ends a wall clock can't tell which of two hours it is; the agent may write all the same."""
    moment = datetime(2024, 11, 3, 6, minute, tzinfo=UTC)  # the second 1:00 of New York
    door = timed(tmp_path, form, "America/New_York", moment=moment)

    new = door.add("深夜", scope="u1")

    held = door.get(new).created_at
    assert held is not None
    wall = [one.astimezone(ZoneInfo("America/New_York")).replace(tzinfo=None) for one in (held, moment)]
    assert wall[0] == wall[1]


@pytest.mark.parametrize("text", TEXTS)
def test_the_owners_own_program_can_count_with_a_new_rows_time(tmp_path: Path, text: str) -> None:
    """A program that writes naive ISO texts takes one from another, by value and as text, the door's among them."""
    own = datetime(2025, 2, 28, 12, 0, 0, 123456, UTC).replace(tzinfo=None).isoformat()
    rows = [{"id": "c0", "at": own}]
    door = timed(tmp_path, "%Y-%m-%dT%H:%M:%S.%f", "UTC", rows)

    new = raw(door.config, "id", door.add(text, scope="u1"))["at"]

    age = datetime.fromisoformat(new) - datetime.fromisoformat(own)
    assert timedelta(days=1, seconds=5, microseconds=555445) == age
    assert [own, new] == sorted([new, own])


@pytest.mark.parametrize("form", [form for form, _ in FORMS if form != "%Y/%m/%d"])
def test_an_import_writes_times_as_the_owner_does(tmp_path: Path, form: str) -> None:
    """An imported record's time has the column's form too, and reads back to what it was."""
    door = timed(tmp_path, form, "Asia/Shanghai")
    mapping, schema = door.config.record_mapping(), owner(door).schema

    row = as_row({"id": "i", "content": "喝茶", "scope": "u1", "created_at": LATE}, mapping, schema).to_pylist()[0]

    assert dict(FORMS)[form] == row["at"]
    [read] = mapping.memories(pa.Table.from_pylist([row], schema=schema))
    assert read.created_at is not None
    assert timedelta() <= LATE - read.created_at < timedelta(minutes=1)


# --- the schema as its owner changes it -------------------------------------------------------------------------------


@pytest.fixture
def flagged(tmp_path: Path) -> Door:
    """A door to a table with a flag, a counter and a struct, holding three rows."""
    columns = {"gone": pa.int8(), "hits": pa.int64(), "s": pa.struct([("a", pa.string())])}
    rows = [{"id": ident, "gone": 0, "hits": 1, "s": {"a": "甲"}} for ident in ("a", "b", "c")]
    return owned(tmp_path, columns, rows, hide={"gone": 1}, show={"gone": 0})


def all_verbs(door: Door, text: str) -> set[str]:
    """Every verb is used once; the ids that the owner's reader returns after that."""
    new = door.add(text, scope="u1")
    door.update("a", content=text, expect=door.get("a"))
    door.archive("b")
    assert () == tuple(f for f in door.check([new, "a"]) if f.code not in ("duplicate_exact", "duplicate_restated"))
    assert text == door.get("a").content == door.get(new).content
    return returned(door, "gone = 0")


@pytest.mark.parametrize("text", TEXTS)
def test_an_open_door_lives_with_a_column_that_came(flagged: Door, text: str) -> None:
    """A new column is empty in a new row and untouched in the others."""
    flagged.get("a")
    owner(flagged).add_columns({"extra": "CAST(NULL AS string)"})
    owner(flagged).update(where="id = 'a'", values={"extra": "x"})

    assert {"a", "c", "new0"} == all_verbs(flagged, text)
    assert ["x", None] == [raw(flagged.config, "id", one)["extra"] for one in ("a", "new0")]


@pytest.mark.parametrize("text", TEXTS)
def test_an_open_door_lives_with_a_column_of_vectors_that_nobody_fills(flagged: Door, text: str) -> None:
    """As a move that was taken back leaves one. Of a real length: LanceDB minds nothing below ten dimensions."""
    flagged.get("a")
    owner(flagged).add_columns(pa.schema([pa.field("vector__new", pa.list_(pa.float32(), 512))]))

    assert {"a", "c", "new0"} == all_verbs(flagged, text)
    assert raw(flagged.config, "id", "new0")["vector__new"] is None


@pytest.mark.parametrize("text", TEXTS)
def test_an_open_door_lives_with_a_column_that_went(flagged: Door, text: str) -> None:
    """A column that is no field may go at any time."""
    flagged.get("a")
    owner(flagged).drop_columns(["s"])

    assert {"a", "c", "new0"} == all_verbs(flagged, text)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("extra", [False, True])
def test_an_open_door_lives_with_a_table_made_anew(flagged: Door, text: str, extra: bool) -> None:
    """A table that was dropped is told; one made anew under the name, with another column or without, is served."""
    flagged.get("a")
    rows = owner(flagged).to_arrow()
    database = lancedb.connect(flagged.config.table_uri)
    database.drop_table("mem")
    with pytest.raises(TableNotFound):
        flagged.get("a")
    with pytest.raises(TableNotFound):
        flagged.add(text, scope="u1", id="none")
    database.create_table("mem", rows.append_column("extra", pa.nulls(3, pa.string())) if extra else rows)

    assert {"a", "c", "new0"} == all_verbs(flagged, text)


@pytest.mark.parametrize("text", TEXTS)
def test_a_table_made_anew_at_the_same_version_is_the_new_one(flagged: Door, text: str) -> None:
    """Nothing of the old table is read or written again, though its version had the same number and nobody looked."""
    assert 1 == flagged.get("a").version
    rows = owner(flagged).to_arrow()
    database = lancedb.connect(flagged.config.table_uri)
    database.drop_table("mem")
    database.create_table("mem", rows.set_column(1, "text", pa.array([text] * 3)))

    assert (1, text) == (flagged.get("a").version, flagged.get("a").content)
    flagged.update("b", content="新 new")
    flagged.add("喝茶", scope="u1")

    assert {text, "新 new", "喝茶"} == set(owner(flagged).to_arrow()["text"].to_pylist())
    assert 4 == owner(flagged).count_rows()


@pytest.mark.parametrize("first", ["add", "update"])
def test_a_write_to_a_table_made_anew_keeps_its_rows(tmp_path: Path, first: str) -> None:
    """A door that was opened on an empty table writes into the one that took its place, beside what is there."""
    door = owned(tmp_path, {}, [])
    schema = owner(door).schema
    database = lancedb.connect(door.config.table_uri)
    database.drop_table("mem")
    row = {"id": "a", "text": "我不吃香菜", "vector": [1.0, 0, 0, 0], "user": "u1", "at": NOON}
    database.create_table("mem", pa.Table.from_pylist([row], schema=schema))

    if first == "add":
        door.add("喝茶", scope="u1", id="b")
    else:
        door.update("a", content="新的")

    expected = {"a", "b"} if first == "add" else {"a"}
    assert expected == set(owner(door).to_arrow()["id"].to_pylist())


@pytest.mark.parametrize("verb", ["get", "add", "update", "archive", "check", "check one"])
def test_a_mapped_column_that_went_is_named(flagged: Door, verb: str) -> None:
    """Where a field lost its place nothing is written, and the message says which and where to mend it."""
    calls: dict[str, Callable[[], object]] = {
        "get": lambda: flagged.get("a"),
        "add": lambda: flagged.add("喝茶", scope="u1"),
        "update": lambda: flagged.update("a", content="喝茶"),
        "archive": lambda: flagged.archive("a"),
        "check": flagged.check,
        "check one": lambda: flagged.check(["a"]),
    }
    owner(flagged).drop_columns(["user"])

    with pytest.raises(SchemaMismatch, match=r"scope: .*\[mapping.columns\]"):
        calls[verb]()

    assert 3 == owner(flagged).count_rows()


def dropping(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Just before the next write the owner drops a column."""
    table = door._at().rows._table
    plain = table._tried

    def tried(what: str, write: Any, schema: pa.Schema) -> Any:
        if "hits" in owner(door).schema.names:
            owner(door).drop_columns(["hits"])
        return plain(what, write, schema)

    monkeypatch.setattr(table, "_tried", tried)


def test_a_column_that_goes_between_making_and_adding_a_row(flagged: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is made anew for the table as it is then."""
    dropping(flagged, monkeypatch)

    new = flagged.add("喝茶", scope="u1", columns={"s.a": "乙"})

    assert {"a": "乙"} == raw(flagged.config, "id", new)["s"]
    assert "hits" not in owner(flagged).schema.names


def test_a_column_that_goes_before_it_is_changed(flagged: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the caller gives for a column that has just gone is refused by name, and nothing else is changed."""
    dropping(flagged, monkeypatch)

    with pytest.raises(MemoryRefused, match="'hits'"):
        flagged.update("a", content="新的", columns={"hits": 7})

    assert "我不吃香菜" == raw(flagged.config, "id", "a")["text"]


@pytest.mark.parametrize("verb", ["add", "update"])
def test_a_table_that_changes_on_and_on_is_told(flagged: Door, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After five tries the door gives up with an error of its own, and nothing was written."""

    def moved(*_: object) -> None:
        raise ColumnsMoved

    monkeypatch.setattr(flagged._at().rows._table, "_tried", moved)
    write: Callable[[], object] = {
        "add": lambda: flagged.add("喝茶", scope="u1"),
        "update": lambda: flagged.update("a", content="喝茶"),
    }[verb]

    with pytest.raises(CommitConflict, match="columns changed"):
        write()

    assert {"我不吃香菜"} == set(owner(flagged).to_arrow()["text"].to_pylist())
