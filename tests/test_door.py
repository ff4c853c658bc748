"""The library door on our own table: what is there after a call, what is refused, and what is never lost."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mendory
from mendory.config import Config
from mendory.door import Door
from mendory.errors import InputInvalid, MemoryNotFound, MemoryRefused, StaleMemory, TableNotFound
from tests.conftest import NOON, FakeClock, arrow, make_config, make_table, memory
from tests.door_kit import DIMENSION, NAN_BITS, Counting, Hashing, raw, with_vector_bits

pytestmark = pytest.mark.lance
WHO = {"scope": "u1", "source": "user_stated"}
ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=80)


@pytest.fixture
def door(tmp_path: Path, clock: FakeClock) -> Callable[..., Door]:
    """`door(rows)` makes a table of our own holding the rows and opens its door."""

    def make(rows: Any = (), embedder: Any = None, **sections: Any) -> Door:
        make_table(tmp_path, rows)
        ids = iter(f"new-{n}" for n in range(10_000))
        return mendory.open(
            make_config(tmp_path, **sections), embedder=embedder or Hashing(), clock=clock, new_id=lambda: next(ids)
        )

    return make


def row_of(door: Door, ident: str) -> dict[str, Any]:
    """The row as another program reads it."""
    return raw(door.config, "id", ident)


def rows_in(door: Door) -> int:
    """How many rows another program counts."""
    return int(lancedb.connect(door.config.table_uri).open_table("memories").count_rows())


def codes(action: Callable[[], object]) -> tuple[str, ...]:
    """The codes for which the action is refused."""
    with pytest.raises(MemoryRefused) as caught:
        action()
    assert "Nothing was" in str(caught.value)
    return caught.value.codes


# --- add ----------------------------------------------------------------------------------------


def test_add_writes_one_full_row_and_get_returns_it(door: Callable[..., Door]) -> None:
    """Every field that was given is in the row, the vector is the embedder's, and times are the clock's."""
    open_door = door()

    ident = open_door.add(
        "我不吃香菜，永远不吃",
        **WHO,
        metadata={"topic": "饮食", "entities": ["user"], "scene": "餐厅", "n": 1.5},
        kind="preference",
        claim={"object": "香菜", "stance": -1},
        batch_id="b1",
        related_notes=["说过两次"],
    )

    held = open_door.get(ident)
    assert ("new-0", "我不吃香菜，永远不吃", "u1", "user_stated", "active", "preference") == (
        ident,
        held.content,
        held.scope,
        held.source,
        held.status,
        held.kind,
    )
    assert {"topic": "饮食", "entities": ["user"], "scene": "餐厅", "n": 1.5} == held.metadata
    assert {"object": "香菜", "stance": -1} == held.claim
    assert ("b1", ("说过两次",)) == (held.memory.batch_id, held.related_notes)
    assert NOON + timedelta(microseconds=1) == held.created_at == held.updated_at
    vector = Hashing().embed(["我不吃香菜，永远不吃"])[0]
    assert vector.view("<u4").tolist() == row_of(open_door, ident)["embedding"]
    assert 1 == rows_in(open_door)
    assert () == open_door.check()


def test_add_takes_the_callers_id_time_and_vector(door: Callable[..., Door]) -> None:
    """What the caller gives is what is stored, and then nothing is embedded."""
    embedder = Counting()
    open_door = door(embedder=embedder)
    born = datetime(2024, 11, 2, 8, 30, tzinfo=UTC)

    ident = open_door.add("port is 8080", **WHO, id="fact/8080", created_at=born, embedding=[0.5, 0, 0, -0.5])

    held = open_door.get("fact/8080")
    assert ("fact/8080", born, born, 0) == (ident, held.created_at, held.updated_at, embedder.texts)
    assert np.array([0.5, 0, 0, -0.5], "<f4").view("<u4").tolist() == row_of(open_door, ident)["embedding"]


def test_an_id_that_is_taken_is_refused(door: Callable[..., Door]) -> None:
    """The row of that id stays as it was, and no second one appears."""
    open_door = door([memory("m1", content="原来的")])

    assert ("id_exists",) == codes(lambda: open_door.add("另一条", **WHO, id="m1"))
    assert (1, "原来的") == (rows_in(open_door), open_door.get("m1").content)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"content": " \u3000\u200b"}, "content_empty"),
        ({"content": "x" * 100_001}, "content_too_long"),
        ({"content": "火" * 10_000_000}, "content_too_long"),
        ({"content": "half \ud83d"}, "lone_surrogate"),
        ({"content": 5}, "wrong_type"),
        ({"scope": None}, "missing_scope"),
        ({"scope": "\u200b "}, "missing_scope"),
        ({"scope": "u\udc00"}, "lone_surrogate"),
        ({"source": ""}, "missing_source"),
        ({"status": "Active"}, "illegal_status"),
        ({"kind": "thought"}, "unknown_kind"),
        ({"id": "a\nb"}, "bad_id"),
        ({"id": "火" * 171}, "bad_id"),
        ({"id": "a\u202eb"}, "bad_id"),
        ({"id": ""}, "missing_id"),
        ({"id": 7}, "wrong_type"),
        ({"metadata": {"n": math.nan}}, "metadata_invalid"),
        ({"metadata": {"n": {"deep": [math.inf]}}}, "metadata_invalid"),
        ({"metadata": {1: "a"}}, "metadata_invalid"),
        ({"metadata": {"a": {1, 2}}}, "metadata_invalid"),
        ({"metadata": {"a": datetime(2025, 1, 1, tzinfo=UTC)}}, "metadata_invalid"),
        ({"metadata": {"a": "\ud800"}}, "lone_surrogate"),
        ({"metadata": '{"a": 1}'}, "wrong_type"),
        ({"claim": ["a"]}, "wrong_type"),
        ({"created_at": datetime(2025, 1, 1)}, "naive_timestamp"),  # noqa: DTZ001
        ({"created_at": NOON + timedelta(hours=1)}, "timestamp_future"),
        ({"created_at": "2025-01-01"}, "wrong_type"),
        ({"related_ids": ["gone"]}, "reference_dangling"),
        ({"related_ids": ["elsewhere"]}, "cross_scope_reference"),
        ({"related_ids": "m1"}, "wrong_type"),
        ({"related_notes": ["a", "\ud800"]}, "lone_surrogate"),
        ({"embedding": [1.0, 2.0]}, "embedding_dim_mismatch"),
        ({"embedding": [0.0] * 4}, "embedding_zero"),
        ({"embedding": [1.0, math.nan, 0, 0]}, "embedding_non_finite"),
        ({"embedding": [1e39, 0, 0, 0]}, "embedding_non_finite"),
        ({"embedding": "1,2,3,4"}, "wrong_type"),
        ({"embedding": [[1.0, 0, 0, 0]]}, "wrong_type"),
        ({"columns": {"nope": 1}}, "no_place"),
        ({"columns": {"content": "x"}}, "no_place"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_fault_is_refused_by_name_and_nothing_is_written(
    door: Callable[..., Door], given_: dict[str, Any], expected: str
) -> None:
    """Each fault has its own code; the table, its version and the telemetry are as before."""
    open_door = door([memory("m1"), memory("elsewhere", scope="u2")])
    before = lancedb.connect(open_door.config.table_uri).open_table("memories").version
    content = given_.get("content", "一条记忆")

    found = codes(lambda: open_door.add(content, **{**WHO, **{n: v for n, v in given_.items() if n != "content"}}))

    assert (expected,) == found
    assert (2, before) == (
        rows_in(open_door),
        lancedb.connect(open_door.config.table_uri).open_table("memories").version,
    )
    assert not open_door.config.telemetry_path.exists()


def test_all_faults_are_named_at_once_and_no_text_is_in_the_message(door: Callable[..., Door]) -> None:
    """One error lists every fault; it quotes nothing of the memory."""
    open_door = door()

    with pytest.raises(MemoryRefused) as caught:
        open_door.add("\ud800 secret 秘密", source=" ", metadata={"秘密": math.nan}, kind="秘密", embedding=[1.0])

    assert {
        "lone_surrogate",
        "missing_scope",
        "missing_source",
        "metadata_invalid",
        "unknown_kind",
        "embedding_dim_mismatch",
    } == set(caught.value.codes)
    assert "secret" not in str(caught.value)
    assert "秘密" not in str(caught.value)


def test_without_an_embedder_the_next_step_is_named(tmp_path: Path) -> None:
    """No vector is made up: neither zeros nor null."""
    make_table(tmp_path)
    open_door = mendory.open(make_config(tmp_path))

    with pytest.raises(MemoryRefused, match=r"configure \[embedder\]") as caught:
        open_door.add("a", **WHO)

    assert ("embedding_missing",) == caught.value.codes
    assert 0 == rows_in(open_door)
    assert open_door.add("a", **WHO, embedding=[1, 0, 0, 0])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (np.zeros((1, 4)), "embedding_zero"),
        (np.ones((1, 3)), "embedding_dim_mismatch"),
        (np.full((1, 4), np.nan), "embedding_non_finite"),
        (np.ones((2, 4)), "embedding_missing"),
        ([["0.1"] * 4], "embedding_missing"),
        ([[True] * 4], "embedding_missing"),
        ([[10**400, 1, 1, 1]], "embedding_missing"),
        ([[10**39, 1, 1, 1]], "embedding_non_finite"),
        (["喝茶"], "embedding_missing"),
        ("tea", "embedding_missing"),
        (None, "embedding_missing"),
        ([{}], "embedding_missing"),
    ],
    ids=["zeros", "dimension", "nan", "count", "digits", "truth", "huge", "large", "words", "text", "none", "mapping"],
)
def test_what_an_embedder_replies_is_proven(door: Callable[..., Door], made: Any, expected: str) -> None:
    """A reply that no table should hold is refused, whoever made it."""

    class Broken:
        def embed(self, texts: list[str]) -> Any:
            return made

    open_door = door(embedder=Broken())

    assert (expected,) == codes(lambda: open_door.add("a", **WHO))
    assert 0 == rows_in(open_door)


@pytest.mark.parametrize(
    "made",
    [
        [np.array([1.0, 0.5, 0.25, 0.0])],
        [[1, 0.5, np.float32(0.25), 0]],
        (one for one in [(1.0, 0.5, 0.25, 0.0)]),
    ],
    ids=["list of arrays", "mixed", "generator"],
)
def test_any_way_of_giving_numbers_is_taken(door: Callable[..., Door], made: Any) -> None:
    """What libraries give instead of one array is as good."""

    class Plain:
        def embed(self, texts: list[str]) -> Any:
            return made

    open_door = door(embedder=Plain())
    ident = open_door.add("喝茶", **WHO)

    assert np.array([1.0, 0.5, 0.25, 0.0], "<f4").view("<u4").tolist() == row_of(open_door, ident)["embedding"]


@pytest.mark.parametrize("vector", [["0.1"] * 4, [True] * 4, [10**400, 1, 1, 1], "abcd", {}, 5, [[1.0] * 4]], ids=str)
def test_a_callers_vector_is_one_list_of_numbers(door: Callable[..., Door], vector: Any) -> None:
    """Texts, yes and no, and numbers past all bounds are no components."""
    open_door = door()

    assert ("wrong_type",) == codes(lambda: open_door.add("喝茶", **WHO, embedding=vector))
    assert 0 == rows_in(open_door)


def test_something_that_embeds_nothing_is_told_at_once(tmp_path: Path) -> None:
    """The door is not opened with an embedder that is none."""
    make_table(tmp_path)

    with pytest.raises(InputInvalid, match="has no 'embed'"):
        mendory.open(make_config(tmp_path), embedder="bge-m3")  # type: ignore[arg-type]


HOSTILE = [
    "' OR 1=1",
    "a' OR '1'='1",
    "\\') OR (1=1) --",
    "\\",
    '"; DROP TABLE memories; --',
    "%_*?",
    "`id`",
    "🌿👨‍👩‍👧",
    "a\u2066b\u2069",
    "line\nline\r\n\ttab",
    "nul\x00nul",
    "a\u2028b\u2029c\x85d",
    "Ǆ é é ﬁ",
    "臺北/台北",
    "{tenant}/{uid}",
    "%00%2F",
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_texts_are_data(door: Callable[..., Door], text: str) -> None:
    """As content, scope, source, note and metadata such a text is kept, found, changed and archived like any other."""
    open_door = door([memory("bystander", content=text, scope=text)])
    before = row_of(open_door, "bystander")

    ident = open_door.add(text, scope=text, source=text, metadata={text: text}, related_notes=[text])
    held = open_door.get(ident)
    open_door.update(ident, expect=held, content=text + "!", scope=text + "!", metadata={text: text + "!"})
    changed = open_door.get(ident)
    open_door.archive(ident, expect={"content": text + "!", "scope": text + "!"})

    assert (text, text, text, {text: text}, (text,)) == (
        held.content,
        held.scope,
        held.source,
        held.metadata,
        held.related_notes,
    )
    assert (text + "!", text + "!", {text: text + "!"}) == (changed.content, changed.scope, changed.metadata)
    assert open_door.get(ident).archived
    assert before == row_of(open_door, "bystander")


@pytest.mark.parametrize("ident", ["' OR 1=1", "a' OR '1'='1", "\\') OR (1=1) --", "🌿", "火/'\"`", "%"], ids=ascii)
def test_hostile_ids_name_one_row(door: Callable[..., Door], ident: str) -> None:
    """An id that looks like SQL names its own row and no other."""
    open_door = door([memory("bystander")])
    before = row_of(open_door, "bystander")

    open_door.add("a", **WHO, id=ident)
    open_door.update(ident, kind="event")
    open_door.archive(ident)

    assert ("event", True) == (open_door.get(ident).kind, open_door.get(ident).archived)
    assert before == row_of(open_door, "bystander")
    with pytest.raises(MemoryNotFound):
        open_door.get(ident + "'")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """One table for the properties: Hypothesis calls a test many times."""
    folder = tmp_path_factory.mktemp("shared")
    make_table(folder)
    config = make_config(folder, guard={"duplicate_exact": "note"})  # one text may come twice
    with mendory.open(config, embedder=Hashing()) as open_door:
        yield open_door


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(content=ANY_TEXT, scope=ANY_TEXT, source=ANY_TEXT)
def test_any_text_comes_back_exactly_or_is_refused(shared: Door, content: str, scope: str, source: str) -> None:
    """What `add` takes `get` returns code point by code point; only what holds nothing to see is refused."""
    from mendory.text import is_blank

    if any(map(is_blank, (content, scope, source))):
        assert codes(lambda: shared.add(content, scope=scope, source=source))
        return
    held = shared.get(shared.add(content, scope=scope, source=source))
    assert (content, scope, source) == (held.content, held.scope, held.source)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",)), max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    first=st.dictionaries(st.text("abé火'\".\\ ", min_size=1, max_size=4), JSON_VALUES, max_size=4),
    second=st.dictionaries(st.text("abé火'\".\\ ", min_size=1, max_size=4), JSON_VALUES, min_size=1, max_size=3),
)
def test_any_metadata_comes_back_and_is_changed_key_by_key(
    shared: Door, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Metadata reads as it was given; an update sets its keys and leaves the others."""
    ident = shared.add("一条", **WHO, metadata=first)
    shared.update(ident, metadata=second)

    expected = json.loads(json.dumps(first | second))
    assert expected == json.loads(json.dumps(dict(shared.get(ident).metadata)))


# --- update and archive -------------------------------------------------------------------------


def test_update_changes_what_is_named_and_nothing_else(door: Callable[..., Door], clock: FakeClock) -> None:
    """New values, a new vector of the new text, a new `updated_at`; every other byte of the row stays."""
    odd = '{"topic" : "饮食" , "price":1.50,"big":1e3, "entities":["user"]}'
    open_door = door([memory("m1", metadata=odd), memory("m2")])
    before, other = row_of(open_door, "m1"), row_of(open_door, "m2")
    clock.move(hours=2)

    open_door.update("m1", content="少量香菜可以", metadata={"scene": "家"}, kind="preference")

    after = row_of(open_door, "m1")
    changed = {n for n in before if before[n] != after[n]}
    assert {"content", "embedding", "metadata", "kind", "updated_at"} == changed
    assert odd[:-1] + ', "scene": "家"}' == after["metadata"]
    assert Hashing().embed(["少量香菜可以"])[0].view("<u4").tolist() == after["embedding"]
    assert timedelta(hours=2) < after["updated_at"] - NOON < timedelta(hours=2, seconds=1)
    assert other == row_of(open_door, "m2")


def test_a_change_that_touches_no_text_leaves_a_broken_vector_bit_for_bit(tmp_path: Path, clock: FakeClock) -> None:
    """NaN with its payload, infinities, minus zero, inner nulls and a null vector survive updates of other fields."""
    table = make_table(tmp_path)
    odd = [NAN_BITS, 0x7F800000, 0xFF800000, 0x80000000]
    rows = arrow([memory("nan"), memory("plain")])
    table.append(with_vector_bits(rows, "embedding", [odd, [0x3F800000] * DIMENSION]))
    table.append(arrow([memory("null", embedding=None), memory("inner", embedding=[1.0, None, 0.5, 0.0])]))
    open_door = mendory.open(make_config(tmp_path), clock=clock)

    for ident in ("nan", "null", "inner"):
        open_door.update(ident, metadata={"scene": "家"}, source="system_log", expect=open_door.get(ident))
        open_door.archive(ident)

    assert odd == row_of(open_door, "nan")["embedding"]
    assert row_of(open_door, "null")["embedding"] is None
    stored = (
        lancedb.connect(open_door.config.table_uri).open_table("memories").search().where("id = 'inner'").to_arrow()
    )
    assert [1.0, None, 0.5, 0.0] == stored.column("embedding")[0].as_py()
    assert [0x3F800000] * DIMENSION == row_of(open_door, "plain")["embedding"]


def test_a_new_text_mends_a_broken_vector(tmp_path: Path, clock: FakeClock) -> None:
    """A row whose vector is NaN gets a sound one with its new content: the guard does not compare vectors."""
    table = make_table(tmp_path)
    table.append(with_vector_bits(arrow([memory("nan")]), "embedding", [[NAN_BITS] * DIMENSION]))
    open_door = mendory.open(make_config(tmp_path), embedder=Hashing(), clock=clock)

    open_door.update("nan", content="说得更清楚", expect=open_door.get("nan"))

    assert Hashing().embed(["说得更清楚"])[0].view("<u4").tolist() == row_of(open_door, "nan")["embedding"]


def test_archive_hides_and_get_still_tells(door: Callable[..., Door]) -> None:
    """The row is archived in favour of the newer one, whole and readable."""
    open_door = door([memory("old", content="住在北京"), memory("new", content="住在上海")])

    open_door.archive("old", superseded_by="new")

    held = open_door.get("old")
    assert (True, "new", "住在北京", None) == (held.archived, held.superseded_by, held.content, held.merged_into)
    assert not open_door.get("new").archived


@pytest.mark.parametrize(
    ("target", "expected"),
    [("gone", "reference_dangling"), ("m1", "self_reference"), ("theirs", "cross_scope_reference"), ("", "wrong_type")],
)
def test_a_replacement_that_is_none_is_refused(door: Callable[..., Door], target: str, expected: str) -> None:
    """Nothing is archived in favour of a memory that is gone, itself, or another person's."""
    open_door = door([memory("m1"), memory("theirs", scope="u2")])

    assert (expected,) == codes(lambda: open_door.archive("m1", superseded_by=target))
    assert "active" == open_door.get("m1").status


def test_lists_and_references_are_changed_and_taken_away(door: Callable[..., Door]) -> None:
    """Lists of texts go from empty to full and back; a value can be taken away with None."""
    open_door = door([memory("m1", batch_id="b"), memory("m2"), memory("null", related_notes=None)])

    open_door.update("m1", related_ids=["m2"], related_notes=["it's", "说"], batch_id=None)
    full = open_door.get("m1")
    open_door.update("m1", related_ids=[], related_notes=(), expect=full)
    open_door.update("null", related_notes=["x"], expect=open_door.get("null"))

    assert (("m2",), ("it's", "说"), None) == (full.related_ids, full.related_notes, full.memory.batch_id)
    empty = open_door.get("m1")
    assert ((), ()) == (empty.related_ids, empty.related_notes)
    assert ("x",) == open_door.get("null").related_notes


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"content": ""}, "content_empty"),
        ({"content": None}, "content_empty"),
        ({"scope": " "}, "missing_scope"),
        ({"source": None}, "missing_source"),
        ({"status": "gone"}, "illegal_status"),
        ({"status": None}, "wrong_type"),
        ({"metadata": {"a": math.nan}}, "metadata_invalid"),
        ({"metadata": None}, "wrong_type"),
        ({"text": "x"}, "unknown_field"),
        ({"created_at": NOON}, "no_place"),
        ({"embedding": [1.0, 0, 0, 0]}, "no_place"),
        ({"columns": {"nope": 1}}, "no_place"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_an_update_is_judged_like_an_addition(
    door: Callable[..., Door], changes: dict[str, Any], expected: str
) -> None:
    """Nothing comes in by an update that could not come in by an addition."""
    open_door = door([memory("m1"), memory("m2")])
    before = row_of(open_door, "m1")

    assert expected in codes(lambda: open_door.update("m1", **changes))
    assert before == row_of(open_door, "m1")


def test_an_update_of_nothing_and_a_strange_expectation_are_errors(door: Callable[..., Door]) -> None:
    """A call that names no field, or relies on what is none, does nothing and says so."""
    open_door = door([memory("m1")])

    with pytest.raises(InputInvalid, match="names no field"):
        open_door.update("m1")
    with pytest.raises(InputInvalid, match="text"):
        open_door.update("m1", kind="event", expect={"text": "x"})
    with pytest.raises(InputInvalid, match="'expect' is a list"):
        open_door.update("m1", kind="event", expect=["content"])  # type: ignore[arg-type]


@pytest.mark.parametrize("ids", ["m1", "记忆", b"m1", 5, [1], ["m1", None]], ids=str)
def test_check_takes_a_list_of_ids(door: Callable[..., Door], ids: Any) -> None:
    """One id that is no list would be taken letter by letter, and look healthy: it is an error."""
    open_door = door([memory("m1"), memory("记忆")])

    with pytest.raises(InputInvalid, match="takes a list of ids"):
        open_door.check(ids)

    assert () == open_door.check(["m1", "记忆"])


@pytest.mark.parametrize("ident", [["m1"], ("m1",), 1, None, b"m1"], ids=str)
def test_the_other_verbs_take_one_id(door: Callable[..., Door], ident: Any) -> None:
    """A list where one id is meant is refused by every verb."""
    open_door = door([memory("m1")])
    before = row_of(open_door, "m1")

    assert ("wrong_type",) == codes(lambda: open_door.get(ident))
    assert ("wrong_type",) == codes(lambda: open_door.update(ident, content="新"))
    assert ("wrong_type",) == codes(lambda: open_door.archive(ident))
    assert before == row_of(open_door, "m1")


@pytest.mark.parametrize("columns", [["hit_count"], "hit_count", {1: 2}], ids=str)
def test_columns_are_values_by_name(door: Callable[..., Door], columns: Any) -> None:
    """Whatever else is given as the owner's columns is refused."""
    open_door = door([memory("m1")])

    assert ("wrong_type",) == codes(lambda: open_door.add("喝茶", **WHO, columns=columns))
    assert ("wrong_type",) == codes(lambda: open_door.update("m1", content="新", columns=columns))
    assert 1 == rows_in(open_door)


def test_unreadable_metadata_is_not_edited(door: Callable[..., Door]) -> None:
    """A key can't be set in what is no JSON object; another field of that row can."""
    open_door = door([memory("m1", metadata="{broken")])

    assert ("metadata_invalid",) == codes(lambda: open_door.update("m1", metadata={"scene": "家"}))
    open_door.update("m1", kind="event")
    assert ("{broken", "event") == (row_of(open_door, "m1")["metadata"], open_door.get("m1").kind)


def test_unknown_and_shared_ids_are_told(door: Callable[..., Door]) -> None:
    """No row, and more than one row, of an id are different errors; neither writes."""
    open_door = door([memory("m1"), memory("twice", content="甲"), memory("twice", content="乙")])

    for action in (open_door.get, open_door.archive, lambda i: open_door.update(i, kind="event")):
        with pytest.raises(MemoryNotFound):
            action("nobody")
        assert ("duplicate_id",) == codes(lambda a=action: a("twice"))
    assert 3 == rows_in(open_door)


# --- expectations and other writers ---------------------------------------------------------------


def test_a_stale_expectation_writes_nothing(door: Callable[..., Door]) -> None:
    """What was decided on an older state of the row is refused, whichever way the state was named."""
    open_door = door([memory("m1", content="喝茶", kind="fact")])
    held = open_door.get("m1")
    open_door.update("m1", source="manual")
    before = row_of(open_door, "m1")

    for expect in (held, {"source": "user_stated"}, {"content": "喝茶", "kind": "event"}, {"metadata": {"topic": "x"}}):
        with pytest.raises(StaleMemory, match="Nothing was written"):
            open_door.update("m1", content="不喝茶", expect=expect)
        with pytest.raises(StaleMemory):
            open_door.archive("m1", expect=expect)

    assert before == row_of(open_door, "m1")
    open_door.update("m1", content="不喝茶", expect={"content": "喝茶", "metadata": dict(held.metadata)})
    assert "不喝茶" == open_door.get("m1").content


def test_a_row_changed_between_reading_and_writing_is_stale(
    door: Callable[..., Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old values are part of the write itself: a change that slips in is not overwritten, nor is it at a retry."""
    open_door = door([memory("m1", content="喝茶")])
    foreign = lancedb.connect(open_door.config.table_uri).open_table("memories")
    table = open_door._at().rows._table
    plain = table.read
    theirs = ["别人写的"]

    def interrupted(ident: str) -> Any:
        read = plain(ident)
        if theirs:
            foreign.checkout_latest()
            foreign.update(where="id = 'm1'", values={"content": theirs.pop()})
        return read

    monkeypatch.setattr(table, "read", interrupted)
    with pytest.raises(StaleMemory):
        open_door.update("m1", content="不喝茶")

    monkeypatch.undo()
    assert "别人写的" == open_door.get("m1").content


def test_a_mere_read_in_between_is_no_conflict(door: Callable[..., Door], monkeypatch: pytest.MonkeyPatch) -> None:
    """A touch of the time of last access between reading and writing neither blocks nor is overwritten."""
    open_door = door([memory("m1", content="喝茶")])
    held = open_door.get("m1")
    foreign = lancedb.connect(open_door.config.table_uri).open_table("memories")
    table = open_door._at().rows._table
    plain = table.read
    touched = datetime(2025, 6, 1, tzinfo=UTC)

    def interrupted(ident: str) -> Any:
        read = plain(ident)
        foreign.checkout_latest()
        foreign.update(where="id = 'm1'", values={"last_accessed_at": touched})
        return read

    monkeypatch.setattr(table, "read", interrupted)
    open_door.update("m1", content="不喝茶", expect=held)

    assert ("不喝茶", touched) == (open_door.get("m1").content, open_door.get("m1").memory.last_accessed_at)


def test_threads_that_share_a_door_lose_nothing(door: Callable[..., Door]) -> None:
    """Eight threads count in one memory, each deciding on what it read: the sum is exact. Additions all land once."""
    open_door = door([memory("m1", metadata={"topic": "t", "entities": ["u"], "scene": "s", "n": 0})])
    refused = []

    def count(worker: int) -> None:
        done = 0
        while done < 5:
            held = open_door.get("m1")
            try:
                open_door.update("m1", metadata={"n": held.metadata["n"] + 1}, expect=held)
                done += 1
            except StaleMemory:
                refused.append(worker)
        open_door.add(f"线程 {worker}", **WHO, id=f"t{worker}")

    workers = [threading.Thread(target=count, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert 40 == open_door.get("m1").metadata["n"]
    assert 9 == rows_in(open_door)
    assert 0 == open_door.telemetry.unwritten


def test_threads_that_add_one_id_add_it_once(door: Callable[..., Door]) -> None:
    """Of several threads with one new id, one adds it and the others are told."""
    open_door = door()
    told: list[str] = []

    def add(n: int) -> None:
        try:
            told.append(open_door.add(f"文本 {n}", **WHO, id="same"))
        except MemoryRefused as error:
            told.append(error.codes[0])

    workers = [threading.Thread(target=add, args=(n,)) for n in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert ["id_exists"] * 5 + ["same"] == sorted(told)
    assert 1 == rows_in(open_door)


# --- reading --------------------------------------------------------------------------------------


def test_get_tells_what_a_memory_was_merged_into(door: Callable[..., Door]) -> None:
    """A merged memory is archived, whole, and names its primary; the primary names what it gathered."""
    open_door = door(
        [
            memory("copy", status="archived", duplicate_of="primary"),
            memory("primary", related_ids=["copy"], related_notes=["在家时"]),
        ]
    )

    copy, primary = open_door.get("copy"), open_door.get("primary")

    assert (True, "primary") == (copy.archived, copy.merged_into)
    assert (("copy",), ("在家时",), None) == (primary.related_ids, primary.related_notes, primary.merged_into)


def test_what_get_returns_can_not_change_the_table(door: Callable[..., Door]) -> None:
    """The value is frozen; what is read next is read from the table."""
    open_door = door([memory("m1")])
    held = open_door.get("m1")

    with pytest.raises(AttributeError):
        held.version = 7  # type: ignore[misc]
    with pytest.raises(AttributeError):
        held.memory.content = "x"  # type: ignore[misc]
    assert "A memory of its own, m1" == open_door.get("m1").content


def test_check_of_some_ids_finds_what_concerns_them(door: Callable[..., Door]) -> None:
    """Blank content, lacking keys, dangling references and doubled ids of the given rows; of no other row."""
    open_door = door(
        [
            memory("blank", content=" "),
            memory("keyless", metadata={"topic": "t"}),
            memory("good", related_ids=["elsewhere"]),
            memory("elsewhere", content="", status="Active"),
            memory("dangling", superseded_by="gone", status="archived"),
            memory("twice"),
            memory("twice"),
        ]
    )

    found = {(f.code.value, f.ids) for f in open_door.check(["blank", "keyless", "good", "dangling", "twice", "gone"])}

    assert {
        ("content_empty", ("blank",)),
        ("metadata_missing_field", ("keyless",)),
        ("reference_dangling", ("dangling",)),
        ("duplicate_id", ("twice",)),
    } == found
    assert () == open_door.check([])
    assert () == open_door.check(["good"])
    assert {"illegal_status", "content_empty"} == {f.code.value for f in open_door.check(["elsewhere"])}


def test_check_of_the_table_is_the_clinics(door: Callable[..., Door], clinic: Callable[..., Any]) -> None:
    """The door and `mendory check` find the same, and the door's check writes nothing."""
    rows = [
        memory(f"m{n}", content="一样的" if n < 3 else f"别的 {n}", source=None if n == 5 else "x") for n in range(8)
    ]
    open_door = door(rows)
    before = sorted(p for p in Path(open_door.config.table_uri).rglob("*"))

    found = open_door.check()

    assert clinic().check().findings == found
    assert {"duplicate_exact", "missing_source"} == {f.code.value for f in found}
    assert before == sorted(p for p in Path(open_door.config.table_uri).rglob("*"))


# --- opening --------------------------------------------------------------------------------------


def test_open_reads_a_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, a text and the file in the working folder open the same door."""
    make_table(tmp_path, [memory("m1")])
    path = tmp_path / "mendory.toml"
    path.write_text('[table]\nuri = "."\nname = "memories"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    for where in (path, str(path), Config.load(path)):
        with mendory.open(where) as open_door:
            assert "m1" == open_door.get("m1").id
    assert "m1" == mendory.open().get("m1").id


def test_open_makes_no_table_and_no_file(tmp_path: Path) -> None:
    """A table that is not there is an error; looking at one that is leaves no file behind."""
    with pytest.raises(TableNotFound):
        mendory.open(make_config(tmp_path / "nowhere"))
    make_table(tmp_path, [memory("m1")])
    before = sorted(tmp_path.rglob("*"))

    with mendory.open(make_config(tmp_path)) as open_door:
        open_door.get("m1")
        open_door.check(["m1"])

    assert before == sorted(tmp_path.rglob("*"))


def test_what_a_tables_metadata_says_about_embedding_is_not_obeyed(tmp_path: Path, clock: FakeClock) -> None:
    """A table that names an embedding function nobody has, or a server, is written like any other."""
    make_table(tmp_path)
    evil = [
        {
            "name": "nobody-has-this",
            "model": {"base_url": "http://127.0.0.1:9/"},
            "source_column": "content",
            "vector_column": "embedding",
        }
    ]
    import lance

    dataset = lance.dataset(str(tmp_path / "memories.lance"))
    dataset.replace_schema_metadata({"embedding_functions": json.dumps(evil)})
    assert b"embedding_functions" in lancedb.connect(str(tmp_path)).open_table("memories").schema.metadata
    open_door = mendory.open(make_config(tmp_path), embedder=Hashing(), clock=clock)

    ident = open_door.add("一条", **WHO)
    open_door.update(ident, content="另一条")
    open_door.archive(ident)

    assert ("另一条", True) == (open_door.get(ident).content, open_door.get(ident).archived)


def test_an_index_on_the_id_changes_nothing(door: Callable[..., Door]) -> None:
    """With a scalar index on the id, rows are added, found and changed all the same, before and after optimizing."""
    open_door = door([memory(f"m{n}", content=f"第 {n} 条") for n in range(300)])
    table = lancedb.connect(open_door.config.table_uri).open_table("memories")
    table.create_scalar_index("id")

    open_door.add("新的", **WHO, id="m-new")
    open_door.update("m-new", content="更新的", expect={"content": "新的"})
    table.checkout_latest()
    table.optimize()
    open_door.update("m7", kind="event")
    open_door.archive("m-new")

    assert ("id_exists",) == codes(lambda: open_door.add("x", **WHO, id="m7"))
    assert ("event", True, 301) == (open_door.get("m7").kind, open_door.get("m-new").archived, rows_in(open_door))
