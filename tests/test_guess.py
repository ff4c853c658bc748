"""Guessing a mapping: names in three languages, times of any form, scopes, what hides, and what is asked or refused."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.cli.chinese import SENTENCES
from mendory.config import Config
from mendory.errors import SchemaMismatch
from mendory.guess import Evidence, Guess, guess, prove, toml
from mendory.guess.names import NAMES, plain, rank
from mendory.guess.shapes import OWNERS
from mendory.guess.times import unit
from mendory.mapping import Mapping
from mendory.record import FIELD_NAMES, arrow_schema

ADDED = datetime(2025, 3, 1, 12, tzinfo=UTC)
ROWS = 30
TEXTS = [f"{'李薇喜欢喝茶' if at % 2 else 'Anna likes tea'} {at}" for at in range(ROWS)]
IDS = [f"m{at}" for at in range(ROWS)]
TIMES = [ADDED - timedelta(hours=7 * (ROWS - 1 - at)) for at in range(ROWS)]
VECTORS = pa.array([[1.0, 0.5]] * ROWS, pa.list_(pa.float32(), 2))


def ms(at: datetime, ahead: float = 0) -> int:
    """Milliseconds since 1970 of a time, counted from a wall clock so many hours ahead."""
    return int((at + timedelta(hours=ahead)).timestamp() * 1000)


def table(**columns: Any) -> pa.Table:
    """A table of 30 memories with an id, a text, a vector, and these columns besides or instead."""
    return pa.table({"id": IDS, "text": TEXTS, "vector": VECTORS} | columns)


def evidence(rows: pa.Table, zone: str | None = None, added: datetime | None = ADDED) -> Evidence:
    """What is known when the sample is the whole table."""
    made: Evidence

    def largest(place: str) -> Any:
        return max(made.places[place].held, default=None)

    made = Evidence("memories", rows.schema, rows, rows.num_rows, added, largest, zone)
    return made


def guessed(zone: str | None = None, added: datetime | None = ADDED, **columns: Any) -> Guess:
    """The guess about `table(**columns)`, once it has been written down, read back and proved."""
    rows = table(**columns)
    made = guess(evidence(rows, zone, added))
    prove(configured(made), rows)
    return made


def configured(made: Guess) -> Mapping:
    """The mapping that the written configuration gives."""
    text = f'[table]\nuri = "."\nname = "memories"\n{toml(made)}'
    return Config.parse(text, Path()).record_mapping()


def questions(made: Guess) -> list[str]:
    """What a person is asked."""
    return [str(q) for q in made.questions]


# --- names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("create_time", "created_at"),
        ("createTime", "created_at"),
        ("gmt_create", "created_at"),
        ("创建时间", "created_at"),
        ("chuangjian_shijian", "created_at"),
        ("gmtModified", "updated_at"),
        ("更新时间", "updated_at"),
        ("gxsj", "updated_at"),
        ("last_hit", "last_accessed_at"),
        ("lastAccessedAt", "last_accessed_at"),
        ("最后访问时间", "last_accessed_at"),
    ],
)
def test_a_time_is_known_by_its_english_chinese_or_pinyin_name(name: str, field: str) -> None:
    """A column of epoch milliseconds under any of the names is that field's."""
    made = guessed(**{name: [ms(t) for t in TIMES]})

    assert name == made.mapping["columns"][field]
    assert {"forms": ["ms"]} == made.mapping["times"][field]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["mem_id", "内容", "向量"], ("mem_id", "内容", "向量")),
        (["memoryId", "neirong", "emb"], ("memoryId", "neirong", "emb")),
        (["编号", "正文", "vec"], ("编号", "正文", "vec")),
        (["uuid", "page_content", "embedding"], ("uuid", "page_content", "embedding")),
        (["_id", "mem_text", "v"], ("_id", "mem_text", "v")),
    ],
)
def test_id_content_and_vector_are_known_by_name(names: list[str], expected: tuple[str, ...]) -> None:
    """The three fields without which there is no memory are found under the owner's names."""
    rows = pa.table({names[0]: IDS, names[1]: TEXTS, names[2]: VECTORS, "note": ["x"] * ROWS})

    columns = guess(evidence(rows)).mapping["columns"]

    assert expected == (columns["id"], columns["content"], columns["embedding"])


@pytest.mark.parametrize("field", sorted(NAMES))
def test_every_name_is_written_as_it_is_compared(field: str) -> None:
    """No name of the lists could never match, and none stands twice."""
    assert list(NAMES[field]) == [plain(n) for n in NAMES[field]]
    assert len(NAMES[field]) == len(set(NAMES[field]))


@given(st.sampled_from(sorted(NAMES)), st.data())
@settings(max_examples=60, deadline=None)
def test_a_name_is_known_however_it_is_joined(field: str, data: st.DataObject) -> None:
    """camelCase, PascalCase, kebab-case and capitals are the same name."""
    name = data.draw(st.sampled_from([n for n in NAMES[field] if n.isascii()]))
    words = name.split("_")
    camel = words[0] + "".join(w.capitalize() for w in words[1:])

    found = {rank(spelt, NAMES[field]) for spelt in (name, camel, camel[:1].upper() + camel[1:], "-".join(words))}

    assert {NAMES[field].index(name)} == found | {rank(name.upper(), NAMES[field])}


def test_without_names_content_is_the_longest_text_and_the_id_the_only_one_without_repeats() -> None:
    """What is concluded from values alone is asked."""
    rows = pa.table({"a": IDS, "b": TEXTS, "c": VECTORS, "d": ["x", "y"] * (ROWS // 2)})

    made = guess(evidence(rows))

    assert ("a", "b", "c") == tuple(made.mapping["columns"][n] for n in ("id", "content", "embedding"))
    assert ["a is taken for the id by its values alone", "b is taken for the content by its values alone"] == questions(
        made
    )


@pytest.mark.parametrize(
    ("columns", "missing"),
    [
        ({"id": list(range(ROWS)), "text": TEXTS}, "id"),
        ({"id": ["same"] * ROWS, "text": TEXTS}, "id"),
        ({"id": IDS, "n": list(range(ROWS))}, "remembered"),
    ],
)
def test_a_table_without_id_or_content_is_refused_naming_its_columns(columns: dict[str, Any], missing: str) -> None:
    """The error says what is not there and what is, with types."""
    rows = pa.table(columns)

    with pytest.raises(SchemaMismatch) as refused:
        guess(evidence(rows))

    assert missing in str(refused.value)
    assert all(f"{f.name} ({f.type})" in str(refused.value) for f in rows.schema)
    assert "Nothing was written" in str(refused.value)


def test_columns_that_are_not_mapped_stay_the_owners_own() -> None:
    """Only fields are mapped: a rating, tags and a private note are not."""
    made = guessed(rating=[1.0] * ROWS, tags=[["茶"]] * ROWS, remark=["x"] * ROWS)

    assert {"id": "id", "content": "text", "embedding": "vector"} == made.mapping["columns"]
    assert {*FIELD_NAMES} - {"id", "content", "embedding"} == set(made.mapping["absent"])


# --- times ------------------------------------------------------------------------------------------------


@given(
    st.integers(int(datetime(1991, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2099, 1, 1, tzinfo=UTC).timestamp()))
)
@settings(max_examples=80, deadline=None)
def test_the_unit_of_a_number_is_told_by_its_size(seconds: int) -> None:
    """A time between 1991 and 2099 has one unit, as a whole number and as a JavaScript one."""
    found = [unit(seconds * each) for each in (1, 1e3, 1_000_000, 1e9)]

    assert ["s", "ms", "us", "ns"] == found


def test_units_mixed_in_one_column_are_all_named() -> None:
    """Milliseconds with older seconds among them read as the same times."""
    cells = [t.timestamp() if at < 8 else float(ms(t)) for at, t in enumerate(TIMES)]
    made = guessed(createdAt=cells)

    assert ["ms", "s"] == made.mapping["times"]["created_at"]["forms"]
    read = configured(made).memories(table(createdAt=cells))
    assert TIMES == [m.created_at for m in read]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("%Y-%m-%dT%H:%M:%S+00:00", "iso"),
        ("%Y-%m-%d %H:%M:%S", "iso"),
        ("%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M:%S"),
        ("%Y年%m月%d日 %H:%M:%S", "%Y年%m月%d日 %H:%M:%S"),
        ("%Y%m%d%H%M%S", "%Y%m%d%H%M%S"),
    ],
)
def test_texts_are_read_in_the_form_they_are_written_in(form: str, expected: str) -> None:
    """ISO texts and formats without a doubt are named; the times come back."""
    cells = [t.strftime(form) for t in TIMES]
    made = guessed(create_time=cells)

    assert [expected] == made.mapping["times"]["created_at"]["forms"]
    assert TIMES == [m.created_at for m in configured(made).memories(table(create_time=cells))]


def test_a_column_named_like_a_time_that_holds_none_is_left_alone() -> None:
    """`time` as a text for a part of the day, `date` with day and month in doubtful order: no field lies there."""
    made = guessed(time=["morning", "晚上"] * (ROWS // 2), update_date=["03/04/2025"] * ROWS)

    assert {"created_at", "updated_at"} <= set(made.mapping["absent"])
    assert "holds no times that can be read" in made.reasons["created_at"]


def test_numbers_counted_from_a_wall_clock_are_told_by_the_commit_that_wrote_the_newest() -> None:
    """The newest value is 8 h after the commit; the language of the texts names the zone; it is asked."""
    cells = [ms(t, ahead=8) for t in TIMES]
    made = guessed(ts=cells)

    assert {"forms": ["ms"], "zone": "Asia/Shanghai"} == made.mapping["times"]["created_at"]
    assert TIMES == [m.created_at for m in configured(made).memories(table(ts=cells))]
    assert [
        "ts counts from the wall clock of Asia/Shanghai: its newest is 8 h after the commit that wrote it"
    ] == questions(made)


@pytest.mark.parametrize(
    ("ahead", "zone"), [(0, None), (1, "Etc/GMT-1"), (5.5, "Asia/Kolkata"), (8, "Asia/Shanghai"), (9, "Etc/GMT-9")]
)
def test_a_wall_clock_is_a_whole_number_of_half_hours_ahead(ahead: float, zone: str | None) -> None:
    """Whole and half hours are zones; none at all is a true epoch."""
    made = guessed(ts=[ms(t, ahead) for t in TIMES])

    assert zone == made.mapping["times"]["created_at"].get("zone")


@pytest.mark.parametrize("minutes", [-7 * 60, 17, 8 * 60 + 13, 20 * 60])
def test_what_fits_no_zone_is_counted_as_utc_and_said(minutes: int) -> None:
    """A newest value older than the commit, or off by an odd time, or by more than any zone, tells nothing."""
    made = guessed(ts=[ms(t + timedelta(minutes=minutes)) for t in TIMES])

    assert {"forms": ["ms"]} == made.mapping["times"]["created_at"]
    assert "counted as UTC" in made.reasons["created_at"]


def test_the_zone_that_was_named_is_preferred_where_its_clock_fits() -> None:
    """A wall clock 8 h ahead is of the zone given, not of the one that the language suggests."""
    made = guessed(zone="Asia/Singapore", ts=[ms(t, 8) for t in TIMES])

    assert "Asia/Singapore" == made.mapping["times"]["created_at"]["zone"]


def test_numbers_that_run_with_a_naive_text_are_of_the_zone_given() -> None:
    """Without evidence in the history, a local text beside the number and --zone tell what it counts."""
    local = [t + timedelta(hours=8) for t in TIMES]
    columns = {"ts": [ms(t) for t in local], "update_time": [t.strftime("%Y-%m-%d %H:%M:%S") for t in local]}
    later = ADDED + timedelta(days=3)

    told = guessed(zone="Asia/Shanghai", added=later, **columns)
    untold = guessed(added=later, **columns)

    assert "Asia/Shanghai" == told.mapping["times"]["created_at"]["zone"]
    assert "Asia/Shanghai" == told.mapping["times"]["updated_at"]["zone"]
    assert {"forms": ["ms"]} == untold.mapping["times"]["created_at"]
    assert "update_time has times without a zone, taken for UTC: if they are of another, name --zone" in questions(
        untold
    )


def test_a_naive_text_beside_a_time_with_a_zone_is_of_the_zone_between_them() -> None:
    """An Arrow timestamp in UTC and a local text in the same rows: the text's zone follows."""
    local = [(t + timedelta(hours=8)).strftime("%Y-%m-%d %H:%M:%S") for t in TIMES]
    stamps = pa.array(TIMES, pa.timestamp("us", "UTC"))
    made = guessed(added=ADDED + timedelta(days=3), created_at=stamps, update_time=local)

    assert "Asia/Shanghai" == made.mapping["times"]["updated_at"]["zone"]
    assert "created_at" not in made.mapping["times"]


def test_naive_arrow_timestamps_get_the_zone_of_the_mapping() -> None:
    """A column of timestamps without zone, 8 h ahead of the commit, sets `mapping.zone`."""
    cells = pa.array([(t + timedelta(hours=8)).replace(tzinfo=None) for t in TIMES], pa.timestamp("ms"))
    made = guessed(created_at=cells)

    assert "Asia/Shanghai" == made.mapping["zone"]
    assert TIMES == [m.created_at for m in configured(made).memories(table(created_at=cells))]


def test_a_time_without_a_value_is_written_as_the_time_of_creation() -> None:
    """A column that nothing was ever accessed in: its form is assumed, and asked."""
    empty = pa.array([None] * ROWS, pa.int64())
    made = guessed(ts=[ms(t, 8) for t in TIMES], last_hit=empty)

    assert {"forms": ["ms"], "zone": "Asia/Shanghai"} == made.mapping["times"]["last_accessed_at"]
    assert "last_hit holds no value to tell its form by: ms is assumed" in questions(made)


# --- scope, metadata, what a read changes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["user_id"], "user_id"),
        (["userId", "tenantId"], "{tenantId}/{userId}"),
        (["租户", "用户"], "{租户}/{用户}"),
        (["zuhu_id", "yonghu_id"], "{zuhu_id}/{yonghu_id}"),
        (["namespace", "user_id"], "namespace"),
        (["scope", "tenant"], "{tenant}/{scope}"),
        (["user_id", "agent_id"], "{user_id}/{agent_id}"),
        (["agentId"], "agentId"),
    ],
)
def test_the_scope_is_a_column_or_made_of_tenant_and_user(columns: list[str], expected: str) -> None:
    """Whose memory it is, in one column or several."""
    assert expected == guessed(**{c: ["a", "b", "c"] * (ROWS // 3) for c in columns}).mapping["columns"]["scope"]


def test_a_tenant_alone_is_asked_about() -> None:
    """Where nothing narrower is known, the wider part is the scope, and a person should know it."""
    made = guessed(organization_id=["o1", "o2"] * (ROWS // 2))

    assert "organization_id" == made.mapping["columns"]["scope"]
    assert ["organization_id is taken for the scope, and may hold several people's memories"] == questions(made)


def test_a_part_that_is_mostly_blank_is_no_part_of_a_scope() -> None:
    """A tenant in few rows would leave the others without a scope."""
    made = guessed(tenant=["t"] * 5 + [None] * (ROWS - 5), uid=["u"] * ROWS)

    assert "uid" == made.mapping["columns"]["scope"]


def test_a_user_inside_the_metadata_is_the_scope() -> None:
    """Where no column names the owner, a key that most rows hold does."""
    meta = [json.dumps({"user_id": f"u{at % 3}", "topic": "茶", "entities": ["李薇"]}) for at in range(ROWS)]
    made = guessed(metadata=meta)

    assert "metadata.user_id" == made.mapping["columns"]["scope"]
    assert ("topic", "entities") == made.required


def test_only_keys_that_nine_of_ten_rows_hold_are_required() -> None:
    """Keys held by fewer rows, or empty in many, are not asked of every memory; a few broken objects change nothing."""
    meta = [json.dumps({"topic": "tea", "entities": [] if at % 2 else ["a"]}) for at in range(ROWS - 1)]
    made = guessed(meta_json=[*meta, '{"topic": '])

    assert "meta_json" == made.mapping["columns"]["metadata"]
    assert ("topic",) == made.required
    assert ["topic"] == tomllib.loads(toml(made))["metadata"]["required"]


def test_what_a_mere_read_changes_is_named() -> None:
    """Counters and last times in columns and in JSON, in English, Chinese and pinyin."""
    meta = [json.dumps({"access_count": 1, "topic": "x"})] * ROWS
    made = guessed(
        hit_count=[0] * ROWS, 命中次数=[0] * ROWS, fangwen_cishu=[0] * ROWS, metadata=meta, ts=[ms(t) for t in TIMES]
    )

    assert {"hit_count", "命中次数", "fangwen_cishu", "metadata.access_count"} == set(made.mapping["volatile"])


def test_leaves_of_a_struct_are_places() -> None:
    """Content, times and counters inside a struct column are mapped as its leaves."""
    payload = [{"text": t, "created_at": ms(at), "hits": 0} for t, at in zip(TEXTS, TIMES, strict=True)]
    rows = pa.table({"id": IDS, "vector": VECTORS, "data": payload})

    made = guess(evidence(rows))

    assert ("data.text", "data.created_at") == tuple(made.mapping["columns"][n] for n in ("content", "created_at"))
    assert ["data.hits"] == made.mapping["volatile"]
    assert TEXTS == [m.content for m in configured(made).memories(rows)]


def test_a_category_is_a_kind_only_when_every_value_is_one_of_ours() -> None:
    """A word of the owner's own would keep its rows from ever being merged."""
    ours, other = (guessed(category=[word, "fact"] * (ROWS // 2)) for word in ("preference", "decision"))

    assert ("category", None) == tuple(made.mapping["columns"].get("kind") for made in (ours, other))


def test_a_source_that_most_rows_leave_blank_is_not_asked_of_the_rest() -> None:
    """A column that the owner hardly uses stands down, with the count."""
    made = guessed(source=["user"] * 4 + [""] * (ROWS - 4))

    assert "source" in made.mapping["absent"]
    assert "source is blank in 26 of 30 rows looked at" == made.reasons["source"]


def test_placeholder_rows_are_no_memories() -> None:
    """A row that a program wrote to make its table is skipped."""
    made = guessed(id=["__schema__", *IDS[1:]])

    assert ["__schema__"] == made.mapping["skip_ids"]


# --- status and hiding ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cells", "words", "mark"),
    [
        ("is_deleted", [0, 1], {"0": "active", "1": "archived"}, 1),
        ("isDeleted", [False, True], {"false": "active", "true": "archived"}, True),
        ("del_flag", ["0", "1"], {"0": "active", "1": "archived"}, "1"),
        ("是否删除", ["否", "是"], {"否": "active", "是": "archived"}, "是"),
        ("deleted", ["N", "Y"], {"N": "active", "Y": "archived"}, "Y"),
        ("sfsc", [0.0, 1.0], {"0": "active", "1": "archived"}, 1),
    ],
)
def test_a_deletion_flag_is_the_status_and_hides_once_confirmed(
    name: str, cells: list[Any], words: dict[str, str], mark: Any
) -> None:
    """Flags of any type are read as the status; hiding by them is proposed, and asked."""
    column = [cells[0]] * (ROWS - 1) + [cells[1]]
    made = guessed(**{name: column})

    assert (name, words) == (made.mapping["columns"]["status"], made.mapping["status"]["values"])
    assert {name: mark} == made.mapping["hide"]
    assert type(mark) is type(made.mapping["hide"][name])
    assert [q for q in questions(made) if "make sure that the reader skips" in q]
    read = configured(made).memories(table(**{name: column}))
    assert ["active"] * (ROWS - 1) + ["archived"] == [m.status for m in read]


def test_words_of_a_status_are_translated_and_unknown_ones_asked() -> None:
    """English and Chinese words have their meaning; one that nobody knows is left out."""
    made = guessed(状态=["正常", "待审核", "已归档", "奇怪", "正常"] * (ROWS // 5))

    assert {"正常": "active", "待审核": "pending_review", "已归档": "archived"} == made.mapping["status"]["values"]
    assert {"状态": "已归档"} == made.mapping["hide"]
    assert "状态 also holds 奇怪: findings, unless [mapping.status] says their meaning" in questions(made)


@pytest.mark.parametrize(
    "column", [{"visible": [1] * ROWS}, {"is_active": [1] * ROWS}, {"priority": [0, 1] * (ROWS // 2)}]
)
def test_nothing_hides_beyond_what_says_deleted_by_its_name(column: dict[str, Any]) -> None:
    """No other column is guessed to hide a row."""
    assert "none" == guessed(**column).mapping["hide"]


def test_a_time_of_deletion_hides_by_the_time_of_the_plan() -> None:
    """A number that is set when a row is deleted gets the time in its own unit."""
    cells = [None] * (ROWS - 1) + [ms(ADDED)]
    made = guessed(deleted_at=pa.array(cells, pa.int64()))

    assert {"deleted_at": "now:ms"} == made.mapping["hide"]
    read = configured(made).memories(table(deleted_at=pa.array(cells, pa.int64())))
    assert ["active"] * (ROWS - 1) + ["archived"] == [m.status for m in read]


# --- as text, and proved ----------------------------------------------------------------------------------


def test_what_is_asked_can_be_said_in_chinese() -> None:
    """Every sentence of a question, and every reason why nothing hides, is in the command line's Chinese."""
    folder = Path(__file__).parent.parent / "mendory" / "guess"
    texts = {
        node.value
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    sentences = {t for t in texts if re.search(r"\{(place|places|marks)\}", t)}
    sentences |= {o.hide_why for o in OWNERS if not o.hide}
    sentences |= {guessed().hide_why}

    assert 18 <= len(sentences)
    assert set() == sentences - set(SENTENCES)


def test_hostile_names_survive_the_text() -> None:
    """Quotes, line breaks and bidi marks in column names and ids neither break the TOML nor reach a comment raw."""
    evil = 'a"b\n[limits]\u202e'
    made = guessed(**{evil: VECTORS, "__x__\n": ["y"] * ROWS}, id=["__evil__", *IDS[1:]])
    text = toml(made)

    assert {"mapping", "metadata"} >= set(tomllib.loads(text)) - {"duplicate"}
    assert "\u202e" not in text


def test_a_mapping_that_reads_no_content_is_refused() -> None:
    """A proof fails when content is blank in most rows; nothing is written then."""
    rows = table(note=["", "x", None] * (ROWS // 3))
    absent = [n for n in FIELD_NAMES if n not in ("id", "content", "embedding")]
    wrong = Mapping.of({"content": "note", "embedding": "vector"}, absent, hide=False)

    with pytest.raises(SchemaMismatch, match="content can be read in 10 of 30 rows"):
        prove(wrong, rows)


def test_a_proof_counts_what_is_readable_and_names_the_span_of_times() -> None:
    """Rows that hold a value, rows whose cell can't be read, first and last time."""
    cells = [t.isoformat() for t in TIMES[:-2]] + ["soon", None]
    rows = table(create_time=cells)

    proofs = {p.field: p for p in prove(configured(guess(evidence(rows))), rows)}

    found = proofs["created_at"]
    assert (28, 1, 30, TIMES[0], TIMES[-3]) == (found.held, found.unread, found.rows, found.first, found.last)
    assert 30 == proofs["embedding"].held


def test_an_empty_table_is_guessed_by_names_and_types() -> None:
    """Without a row the names still tell; nothing can be proved."""
    empty = table(uid=["u"] * ROWS, ts=[1] * ROWS).slice(0, 0)
    made = guess(evidence(empty, added=None))

    assert {"id": "id", "content": "text", "embedding": "vector", "created_at": "ts", "scope": "uid"} == made.mapping[
        "columns"
    ]
    assert {0} == {p.rows for p in prove(configured(made), empty)}


def test_values_that_python_cannot_hold_are_none() -> None:
    """Years past 9999, and nanoseconds, which are more exact than a datetime, stop no guess."""
    far = pa.array([2**62] * ROWS, pa.int64())
    rows = table(far=far.cast(pa.timestamp("s")), fine=far.cast(pa.timestamp("ns", "UTC")))

    places = evidence(rows).places

    assert [None] * ROWS == list(places["far"].values)
    assert {2116} == {t.year for t in places["fine"].values}
    assert "id" == guess(evidence(rows)).mapping["columns"]["id"]


def test_our_own_columns_are_guessed_to_be_themselves() -> None:
    """The general rules find every field of our own table under its own name but the ones no value tells."""
    rows = pa.Table.from_pylist(
        [
            {"id": i, "content": t, "created_at": at, "scope": "u", "status": "active"}
            for i, t, at in zip(IDS, TEXTS, TIMES, strict=True)
        ],
        schema=arrow_schema(4),
    )

    columns = guess(evidence(rows)).mapping["columns"]

    assert {} == {n: p for n, p in columns.items() if n != p}
    assert {"id", "content", "embedding", "created_at", "scope", "status", "related_ids"} <= set(columns)


# --- whatever the table -----------------------------------------------------------------------------------

_STAMPS = [pa.timestamp(u, z) for u in ("s", "ms", "us", "ns") for z in (None, "UTC", "Asia/Shanghai")]
_CELLS: dict[str, st.SearchStrategy[pa.Array]] = {
    "text": st.lists(st.none() | st.text(max_size=12), min_size=6, max_size=6).map(lambda v: pa.array(v, pa.string())),
    "words": st.lists(st.sampled_from(["active", "已删除", "0", "1", "是", "x", None]), min_size=6, max_size=6).map(
        lambda v: pa.array(v, pa.string())
    ),
    "json": st.lists(
        st.sampled_from(['{"user_id": "u", "state": 1}', '{"topic": []}', "{", "[]", None]), min_size=6, max_size=6
    ).map(lambda v: pa.array(v, pa.string())),
    "whole": st.lists(st.none() | st.integers(-(2**62), 2**62), min_size=6, max_size=6).map(
        lambda v: pa.array(v, pa.int64())
    ),
    "real": st.lists(st.none() | st.floats(), min_size=6, max_size=6).map(lambda v: pa.array(v, pa.float64())),
    "epoch": st.lists(st.sampled_from([0, 1740830400, 1740830400000, None]), min_size=6, max_size=6).map(
        lambda v: pa.array(v, pa.int64())
    ),
    "bool": st.lists(st.none() | st.booleans(), min_size=6, max_size=6).map(lambda v: pa.array(v, pa.bool_())),
    "stamp": st.lists(st.none() | st.integers(-(10**9), 4 * 10**9), min_size=6, max_size=6).flatmap(
        lambda v: st.sampled_from(_STAMPS).map(lambda kind: pa.array(v, pa.timestamp("s")).cast(kind))
    ),
    "day": st.just(pa.array([1] * 6, pa.date32())),
    "texts": st.just(pa.array([["a"], None, [], ["b", None], ["c"], ["d"]], pa.list_(pa.string()))),
    "struct": st.just(pa.array([{"text": "a", "created_at": 1740830400, "status": "ok"}, None] * 3)),
    "vector": st.just(pa.array([[1.0], None, [0.5], [2.0], [1.0], [1.0]], pa.list_(pa.float32(), 1))),
    "bytes": st.just(pa.array([b"x"] * 6)),
    "code": st.just(pa.array(["a", "b"] * 3).dictionary_encode()),
}
_FURTHER = {"is_deleted", "deleted_at", "有效", "uid", "租户", "scope", "hits", "x"}
_NAMES = sorted(_FURTHER.union(*NAMES.values()) - {"uuid", "content"})


@given(
    st.dictionaries(
        st.sampled_from(_NAMES), st.sampled_from(sorted(_CELLS)).flatmap(lambda kind: _CELLS[kind]), max_size=8
    ),
    st.sampled_from([None, "Asia/Shanghai", "Europe/Lisbon"]),
    st.sampled_from([None, ADDED]),
)
@settings(max_examples=300, deadline=None)
def test_any_table_with_id_and_content_gets_a_mapping_that_fits_it(
    columns: dict[str, pa.Array], zone: str | None, added: datetime | None
) -> None:
    """Whatever else there is, of whatever type: the guess is a valid configuration that fits the table and reads it."""
    rows = pa.table({"uuid": [f"id{at}" for at in range(6)], "content": TEXTS[:6]} | columns)

    made = guess(evidence(rows, zone, added))
    mapping = configured(made)

    mapping.check(rows.schema)
    assert 6 == len(mapping.memories(rows))
    assert set(FIELD_NAMES) == set(made.mapping["columns"]) | set(made.mapping["absent"])
