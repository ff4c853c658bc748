"""The library door on owners' tables in place: columns, JSON keys, struct leaves, composites, times, what hides."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import mendory
from mendory.config import Config
from mendory.door import Door
from mendory.errors import MemoryNotFound, MemoryRefused, SchemaMismatch, StaleMemory, TableCorrupt
from mendory.template import Template
from mendory.text import is_blank
from tests.conftest import NOON, FakeClock
from tests.door_kit import DIMENSION, HOME_SCHEMA, NAN_BITS, Hashing, home_row, home_table, raw, with_vector_bits

pytestmark = pytest.mark.lance
WHO = {"scope": "乙/9", "source": "user_stated"}


@pytest.fixture
def home(tmp_path: Path, clock: FakeClock) -> Callable[..., Door]:
    """`home(rows)` opens the door to the home-made table that holds them."""
    return lambda *rows: mendory.open(home_table(tmp_path, rows), embedder=Hashing(), clock=clock, new_id=lambda: "new")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """One home-made table for the properties: Hypothesis calls a test many times."""
    with mendory.open(home_table(tmp_path_factory.mktemp("shared")), embedder=Hashing()) as door:
        yield door


def owner_searches(config: Config) -> set[str]:
    """The ids that the owner's own reader returns: it knows nothing of us."""
    table = lancedb.connect(config.table_uri).open_table(config.table.name)
    query = Hashing().embed(["任何问题"])[0].tolist()
    return {r["mem_id"] for r in table.search(query).where("is_deleted = 0").limit(100).to_list()}


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """The columns that differ."""
    return {n for n in before if before[n] != after[n]}


def codes(action: Callable[[], object]) -> tuple[str, ...]:
    """The codes for which the action is refused."""
    with pytest.raises(MemoryRefused) as caught:
        action()
    return caught.value.codes


def test_add_writes_the_owners_columns(home: Callable[..., Door]) -> None:
    """Each field lies where the owner keeps it and in the owner's form; the owner's reader finds the row."""
    door = home(home_row("a", "我不吃香菜"))

    door.add(
        "喜欢'喝茶'",
        scope="乙 a%2Fb/9",
        source="user_stated",
        metadata={"topic": "饮品", "n": 2},
        kind="preference",
        columns={"hit_count": 0, "photo": b"\x01", "info.weight": 0.25},
    )

    row = raw(door.config, "mem_id", "new")
    assert {
        "mem_id": "new",
        "text": "喜欢'喝茶'",
        "vec": Hashing().embed(["喜欢'喝茶'"])[0].view("<u4").tolist(),
        "tenant": "乙 a/b",
        "uid": 9,
        "ts": 1740830400000,
        "update_time": "2025-03-01 20:00:00",
        "is_deleted": 0,
        "hit_count": 0,
        "meta": '{"n": 2, "topic": "饮品", "kind": "preference"}',
        "info": {"who": "user_stated", "weight": 0.25, "tags": None},
        "photo": b"\x01",
    } == row
    held = door.get("new")
    assert ("乙 a%2Fb/9", "active", "preference", {"n": 2, "topic": "饮品"}) == (
        held.scope,
        held.status,
        held.kind,
        held.metadata,
    )
    assert timedelta(0) <= NOON - held.created_at < timedelta(milliseconds=1) if held.created_at else False
    assert {"a", "new"} == owner_searches(door.config)


def test_update_changes_leaves_and_keys_and_nothing_beside_them(home: Callable[..., Door], clock: FakeClock) -> None:
    """A leaf of a struct, a key of the owner's JSON and an owner's column change; their neighbours keep their bytes."""
    door = home(home_row("a", "我不吃香菜"), home_row("b", "别人的"))
    before, other = raw(door.config, "mem_id", "a"), raw(door.config, "mem_id", "b")
    clock.move(hours=1)

    door.update(
        "a",
        source="manual",
        metadata={"scene": "家"},
        related_ids=["b"],
        columns={"info.weight": 2.5},
        expect=door.get("a"),
    )

    after = raw(door.config, "mem_id", "a")
    assert {"update_time", "meta", "info"} == changed(before, after)
    assert {"who": "manual", "weight": 2.5, "tags": ["b"]} == after["info"]
    assert '{"topic" : "饮食","price":1.50, "seen":4, "scene": "家"}' == after["meta"]
    assert "2025-03-01 21:00:00" == after["update_time"]
    assert other == raw(door.config, "mem_id", "b")


def test_a_null_struct_gets_its_leaf(home: Callable[..., Door]) -> None:
    """A row whose struct is null takes a value into it."""
    door = home(home_row("a", "我不吃香菜", info=None))

    door.update("a", source="manual", expect=door.get("a"))

    assert {"who": "manual", "weight": None, "tags": None} == raw(door.config, "mem_id", "a")["info"]


def test_vectors_and_other_leaves_survive_bit_for_bit(tmp_path: Path, clock: FakeClock) -> None:
    """NaN vectors and NaN leaves beside a changed leaf keep their bits."""
    config = home_table(tmp_path)
    rows = pa.Table.from_pylist([home_row("a", "甲"), home_row("b", "乙", vec=None)], schema=HOME_SCHEMA)
    odd = [NAN_BITS, 0x7F800000, 0x80000000, 1]
    rows = with_vector_bits(rows, "vec", [odd, [0] * DIMENSION])
    weights = np.array([0x7FF8000000000123, 0x7FF0000000000000], dtype="<u8").view("<f8")
    info = rows.column("info").combine_chunks()
    leaves = [info.field("who"), pa.array(weights), info.field("tags")]
    at = rows.schema.get_field_index("info")
    rows = rows.set_column(at, rows.schema.field("info"), pa.StructArray.from_arrays(leaves, fields=list(info.type)))
    import lance

    lance.write_dataset(rows, str(tmp_path / "chat_memory.lance"), mode="append")
    door = mendory.open(config, clock=clock)

    door.update("a", source="manual", metadata={"scene": "家"}, expect=door.get("a"))
    door.archive("a")

    assert odd == raw(config, "mem_id", "a")["vec"]
    held = lancedb.connect(str(tmp_path)).open_table("chat_memory").search().where("mem_id = 'a'").to_arrow()
    assert [0x7FF8000000000123] == (
        held.column("info").combine_chunks().field("weight").to_numpy(zero_copy_only=False).view("<u8").tolist()
    )


def test_archive_writes_what_hides(home: Callable[..., Door], clock: FakeClock) -> None:
    """The owner's reader stops returning the row, `get` still does, and nothing else of it changed."""
    door = home(home_row("a", "住在北京"), home_row("b", "住在上海"))
    before = raw(door.config, "mem_id", "a")
    clock.move(hours=1)

    door.archive("a", superseded_by="b")

    after = raw(door.config, "mem_id", "a")
    assert {"b"} == owner_searches(door.config)
    assert {"is_deleted", "meta", "update_time"} == changed(before, after)
    assert ("archived", "b", "住在北京") == (
        door.get("a").status,
        door.get("a").superseded_by,
        door.get("a").content,
    )


def test_a_touch_of_what_a_read_changes_is_no_conflict(
    home: Callable[..., Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner counts a hit, in a column and in its JSON, between our reading and writing: both are kept."""
    door = home(home_row("a", "我不吃香菜"))
    held = door.get("a")
    foreign = lancedb.connect(door.config.table_uri).open_table("chat_memory")
    table = door._at().rows._table
    plain = table.read
    left = [2]

    def interrupted(ident: str) -> Any:
        read = plain(ident)
        if left[0]:
            left[0] -= 1
            foreign.checkout_latest()
            meta = f'{{"topic" : "饮食","price":1.50, "seen":{9 - left[0]}}}'
            foreign.update(where="mem_id = 'a'", values={"hit_count": 4, "meta": meta})
        return read

    monkeypatch.setattr(table, "read", interrupted)
    door.update("a", metadata={"scene": "家"}, expect=held)

    row = raw(door.config, "mem_id", "a")
    assert ('{"topic" : "饮食","price":1.50, "seen":9, "scene": "家"}', 4) == (row["meta"], row["hit_count"])


def test_a_change_of_the_owners_in_between_is_a_conflict(
    home: Callable[..., Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leaf that the caller relies on and somebody changed: nothing is written, and theirs stays."""
    door = home(home_row("a", "我不吃香菜"))
    held = door.get("a")
    foreign = lancedb.connect(door.config.table_uri).open_table("chat_memory")
    table = door._at().rows._table
    plain = table.read

    def interrupted(ident: str) -> Any:
        read = plain(ident)
        foreign.checkout_latest()
        foreign.update(
            where="mem_id = 'a'",
            values_sql={"info": "named_struct('who', 'them', 'weight', info.weight, 'tags', info.tags)"},
        )
        return read

    monkeypatch.setattr(table, "read", interrupted)
    with pytest.raises(StaleMemory):
        door.update("a", metadata={"scene": "家"}, expect=held)

    monkeypatch.undo()
    assert ("them", '{"topic" : "饮食","price":1.50, "seen":4}') == (
        door.get("a").source,
        raw(door.config, "mem_id", "a")["meta"],
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"scope": "没有斜线"}, "no_place"),
        ({"scope": "甲/not a number"}, "wrong_type"),
        ({"scope": "甲/007"}, "no_place"),
        ({"claim": {"a": 1}}, "no_place"),
        ({"batch_id": "b"}, "no_place"),
        ({"related_notes": ["x"]}, "no_place"),
        ({"status": "pending_review"}, "no_place"),
        ({"metadata": {"kind": "fact"}}, "no_place"),
        ({"metadata": {"seen": 1}}, "no_place"),
        ({"columns": {"colour": 1}}, "no_place"),
        ({"columns": {"info": {"who": "x"}}}, "no_place"),
        ({"columns": {"tenant": "x"}}, "no_place"),
        ({"columns": {"info.weight": "heavy"}}, "wrong_type"),
        ({"columns": {"hit_count": 2**70}}, "wrong_type"),
        ({"columns": {"photo": object()}}, "wrong_type"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value)[:40],
)
def test_what_the_table_has_no_place_for_is_refused(
    home: Callable[..., Door], fields: dict[str, Any], expected: str
) -> None:
    """Nothing is dropped and nothing bent into another value: the field is named and nothing written."""
    door = home(home_row("a", "我不吃香菜"))

    assert (expected,) == codes(lambda: door.add("一条", **{**WHO, **fields}))
    with pytest.raises(MemoryNotFound):
        door.get("new")
    if "status" not in fields:
        before = raw(door.config, "mem_id", "a")
        assert expected in codes(lambda: door.update("a", **fields))
        assert before == raw(door.config, "mem_id", "a")


def test_an_error_of_the_library_quotes_no_memory(home: Callable[..., Door], monkeypatch: pytest.MonkeyPatch) -> None:
    """When LanceDB refuses a statement it quotes it whole; our error, and what Python prints of it, does not."""
    old, new = "秘密 canary", "新的 canary"
    door = home(home_row("a", old))
    monkeypatch.setattr("mendory.lance.door._number", lambda value: "no_such_column")

    with pytest.raises(TableCorrupt) as caught:
        door.update("a", content=new, expect=door.get("a"))

    printed = "".join(traceback.format_exception(caught.value))
    assert "canary" not in printed
    assert "Nothing was written" in printed


ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tenant=ANY_TEXT,
    user=st.integers(-(2**63), 2**63 - 1),
    content=ANY_TEXT,
    born=st.integers(0, 10**15).map(lambda us: datetime(1971, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)),
)
@example(tenant="甲", user=-(2**63), content="a", born=NOON)
@example(tenant="%2F/", user=2**63 - 1, content="'", born=NOON)
def test_any_scope_text_and_time_come_back(shared: Door, tenant: str, user: int, content: str, born: datetime) -> None:
    """A scope joined from a text and a number, a content and a time come back exactly, the time to its millisecond."""
    assume(not is_blank(tenant) and not is_blank(content))
    scope = Template.of("{tenant}/{uid}").fill({"tenant": tenant, "uid": str(user)}.__getitem__)

    ident = shared.add(content, scope=scope, source="x", created_at=born)
    held = shared.get(ident)
    shared.update(ident, content=f"{content}!", expect=held)

    row = raw(shared.config, "mem_id", ident)
    assert (scope, content, tenant, user) == (held.scope, held.content, row["tenant"], row["uid"])
    assert held.created_at is not None
    assert timedelta(0) <= born - held.created_at < timedelta(milliseconds=1)
    assert f"{content}!" == shared.get(ident).content


def built(folder: Path, mapping: dict[str, Any], rows: pa.Table) -> Config:
    """A table `t` of these rows and its configuration."""
    lancedb.connect(str(folder)).create_table("t", rows)
    return Config.build({"table": {"uri": ".", "name": "t"}, "mapping": mapping}, folder)


ABSENT = [
    "claim",
    "batch_id",
    "last_accessed_at",
    "last_verified_at",
    "duplicate_of",
    "superseded_by",
    "related_ids",
    "related_notes",
    "updated_at",
    "kind",
    "source",
]


def bare(**more: Any) -> pa.Table:
    """A small owner's table: id, text, vector, metadata JSON, user."""
    columns = {
        "id": pa.array(["a"]),
        "text": pa.array(["住在北京"]),
        "vector": pa.array([[1.0, 0, 0, 0]], pa.list_(pa.float32(), 4)),
        "metadata": pa.array(['{"state":"confirmed"}']),
        "user": pa.array(["u"]),
        "created": pa.array([1740830400.5], pa.float64()),
    }
    return pa.table(columns | more)


PLACES = {"content": "text", "embedding": "vector", "scope": "user", "created_at": "created"}
FLOAT_SECONDS = {"created_at": {"forms": ["s"]}}


def test_where_nothing_hides_archive_is_refused(tmp_path: Path) -> None:
    """An owner whose reader can't be made to stop returning a row is told so; the row is untouched."""
    config = built(
        tmp_path,
        {"absent": [*ABSENT, "status"], "columns": PLACES, "times": FLOAT_SECONDS, "hide": "none"},
        bare(),
    )
    door = mendory.open(config, embedder=Hashing())
    before = raw(config, "id", "a")

    assert ("cannot_hide",) == codes(lambda: door.archive("a"))
    assert before == raw(config, "id", "a")
    assert door.get("a").status is None
    assert door.add("新的", scope="u")
    assert ("no_place",) == codes(lambda: door.add("新的", scope="u", source="user_stated"))


def test_hiding_marks_in_the_owners_json(tmp_path: Path, clock: FakeClock) -> None:
    """Archiving sets the owner's own keys, the time among them, and a word for the status; `get` reads it so."""
    config = built(
        tmp_path,
        {
            "absent": ABSENT,
            "columns": {**PLACES, "status": "metadata.state"},
            "times": FLOAT_SECONDS,
            "status": {"values": {"confirmed": "active", "pending": "pending_review", "archived": "archived"}},
            "hide": {"metadata.state": "archived", "metadata.invalidated_at": "now:ms"},
        },
        bare(),
    )
    door = mendory.open(config, embedder=Hashing(), clock=clock)

    door.archive("a", expect=door.get("a"))
    new = door.add("住在上海", scope="u")

    assert '{"state":"archived", "invalidated_at": 1740830400000}' == raw(config, "id", "a")["metadata"]
    assert ("archived", "active") == (door.get("a").status, door.get(new).status)
    assert {"state": "confirmed"} == json.loads(raw(config, "id", new)["metadata"])
    assert ("no_place",) == codes(lambda: door.update("a", status="active")), "a mark would still hide it"


def test_rows_that_are_no_memories_are_none(tmp_path: Path) -> None:
    """A placeholder row that the mapping skips can't be read, changed or added."""
    config = built(
        tmp_path,
        {"absent": [*ABSENT, "status"], "columns": PLACES, "times": FLOAT_SECONDS, "hide": "none", "skip_ids": ["a"]},
        bare(),
    )
    door = mendory.open(config, embedder=Hashing())

    for action in (door.get, lambda i: door.update(i, content="x")):
        with pytest.raises(MemoryNotFound):
            action("a")
    assert ("bad_id",) == codes(lambda: door.add("x", scope="u", id="a"))


def test_a_column_that_must_not_be_empty_is_asked_for(tmp_path: Path) -> None:
    """An owner's column that may not be null is named before anything is written, and taken from `columns`."""
    schema = bare().schema.append(pa.field("team", pa.string(), nullable=False))
    rows = bare().append_column(schema.field("team"), pa.array(["x"])).cast(schema)
    config = built(
        tmp_path, {"absent": [*ABSENT, "status"], "columns": PLACES, "times": FLOAT_SECONDS, "hide": "none"}, rows
    )
    door = mendory.open(config, embedder=Hashing())

    assert ("column_missing",) == codes(lambda: door.add("x", scope="u"))
    assert "red" == raw(config, "id", door.add("x", scope="u", columns={"team": "red"}))["team"]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_vectors_of_every_width_are_stored_in_it(tmp_path: Path, kind: pa.DataType) -> None:
    """Half, single and double precision; a vector too large for the width is refused."""
    vectors = pa.array([[1.0, 0, 0, 0]]).cast(pa.list_(kind, 4))
    config = built(
        tmp_path,
        {"absent": [*ABSENT, "status"], "columns": PLACES, "times": FLOAT_SECONDS, "hide": "none"},
        bare(vector=vectors),
    )
    door = mendory.open(config, embedder=Hashing())

    ident = door.add("x", scope="u")
    door.update(ident, content="y", expect=door.get(ident))

    table = lancedb.connect(str(tmp_path)).open_table("t").to_arrow()
    [held] = [
        v for i, v in zip(table.column("id").to_pylist(), table.column("vector").to_pylist(), strict=True) if i == ident
    ]
    assert np.allclose(Hashing().embed(["y"])[0], np.array(held, dtype=np.float64), atol=1e-3)
    if kind == pa.float16():
        assert ("embedding_non_finite",) == codes(lambda: door.add("z", scope="u", embedding=[1e6, 0, 0, 0]))


def test_large_and_dictionary_texts_naive_times_and_booleans(tmp_path: Path, clock: FakeClock) -> None:
    """Large strings, dictionary-encoded strings, naive timestamps in a zone, and a boolean that hides."""
    rows = pa.table(
        {
            "id": pa.array(["a"], pa.large_string()),
            "text": pa.array(["住在北京"], pa.large_string()),
            "vector": pa.array([[1.0, 0, 0, 0]], pa.list_(pa.float32(), 4)),
            "user": pa.array(["u"]).dictionary_encode(),
            "created": pa.array([datetime(2025, 3, 1, 20)], pa.timestamp("ms")),  # noqa: DTZ001
            "updated": pa.array([datetime(2025, 3, 1, 12, tzinfo=UTC)], pa.timestamp("ns", "UTC")),
            "gone": pa.array([False]),
        }
    )
    config = built(
        tmp_path,
        {
            "absent": [*(n for n in ABSENT if n != "updated_at"), "metadata"],
            "columns": {**PLACES, "updated_at": "updated", "status": "gone"},
            "zone": "Asia/Shanghai",
            "status": {"values": {"false": "active", "true": "archived"}},
        },
        rows,
    )
    door = mendory.open(config, embedder=Hashing(), clock=clock)
    clock.move(minutes=1)

    assert NOON == door.get("a").created_at
    door.update("a", content="住在'上海'", scope="v", expect=door.get("a"))
    door.archive("a", expect=door.get("a"))
    new = door.add("一条", scope="u", created_at=datetime(2025, 2, 1, 1, 2, 3, 456000, tzinfo=UTC))

    after = raw(config, "id", "a")
    assert ("住在'上海'", "v", True, datetime(2025, 3, 1, 20)) == (  # noqa: DTZ001
        after["text"],
        after["user"],
        after["gone"],
        after["created"],
    )
    assert timedelta(minutes=1) <= door.get("a").updated_at - NOON < timedelta(minutes=1, seconds=1)  # type: ignore[operator]
    assert (datetime(2025, 2, 1, 9, 2, 3, 456000), False) == (  # noqa: DTZ001
        raw(config, "id", new)["created"],
        raw(config, "id", new)["gone"],
    )
    assert datetime(2025, 2, 1, 1, 2, 3, 456000, tzinfo=UTC) == door.get(new).created_at
    assert ("no_place",) == codes(lambda: door.add("x", scope="u", metadata={"a": 1}))


def test_a_mapping_that_does_not_fit_is_refused_at_the_door(tmp_path: Path) -> None:
    """Opening names what does not fit; nothing is read or written."""
    config = built(tmp_path, {"columns": PLACES}, bare())

    with pytest.raises(SchemaMismatch, match="source"):
        mendory.open(config)
