"""Guessing a mapping: names in three languages, times of any form, scopes, what hides, and what is asked or refused."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.cli.chinese import SENTENCES
from mendory.config import Config
from mendory.errors import SchemaMismatch
from mendory.guess import Evidence, Guess, guess, prove, toml
from mendory.guess.forms import unit
from mendory.guess.names import NAMES, plain, rank
from mendory.guess.shapes import OWNERS
from mendory.guess.zones import spoken
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

    made = Evidence("memories", rows.schema, rows, rows.num_rows, added, largest, zone, ADDED)
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


def test_vectors_beside_the_embedding_are_named_where_all_are_of_one_length() -> None:
    """A list of a fixed size, and lists that are alike in the sample; lists of any length, and of one, are not."""
    pairs = pa.array([[0.5, float(n)] for n in range(len(IDS))], pa.list_(pa.float32()))
    made = guessed(
        title_vector=VECTORS,
        标题向量=pairs,
        spans=pa.array([[0.5] * (n % 3 + 1) for n in range(len(IDS))], pa.list_(pa.float32())),
        rank=pa.array([[0.5]] * len(IDS), pa.list_(pa.float64())),
        none=pa.nulls(len(IDS), pa.list_(pa.float32())),
    )

    assert "vector" == made.mapping["columns"]["embedding"]
    assert ["title_vector", "标题向量"] == made.mapping["vectors"]
    assert ("title_vector", "标题向量") == configured(made).vectors
    assert any("vector is taken for the embedding" in question for question in questions(made)), questions(made)


def test_without_an_embedding_no_further_vectors_are_named() -> None:
    """Where a person has to say which of two vectors is the embedding, neither is a further one."""
    columns = {"id": IDS, "text": TEXTS, "a": VECTORS, "b": VECTORS}
    made = guess(evidence(pa.table(columns)))

    assert "embedding" not in made.mapping["columns"]
    assert "vectors" not in made.mapping


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
    assert "Name it under" not in str(refused.value)
    assert all(f"{f.name} ({f.type})" in str(refused.value) for f in rows.schema)
    assert "Nothing was written" in str(refused.value)


def test_ids_of_numbers_and_names_with_braces_are_refused_with_what_can_be_done() -> None:
    """The error says that ids must be text, or which column can't be named; naming it would be refused as well."""
    numbers = pa.table({"编号": list(range(ROWS)), "text": TEXTS})
    braces = pa.table({"id": IDS, "te{xt": TEXTS})

    with pytest.raises(SchemaMismatch, match="编号 holds numbers, and ids must be text"):
        guess(evidence(numbers))
    with pytest.raises(SchemaMismatch, match=r"a name with a dot, a brace or a backtick can't be mapped: te\{xt"):
        guess(evidence(braces))


def test_a_column_that_no_mapping_can_name_is_told() -> None:
    """A brace in a name would be read as a template: the column stays the owner's own, and one line says so."""
    made = guessed(**{"user{id}": ["u"] * ROWS})

    assert [
        "user{id} can't be mapped: a dot, a brace or a backtick in a name is read as more than a name"
    ] == questions(made)


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
        ("%Y-%m-%dT%H:%M:%S+00:00", ["%Y-%m-%dT%H:%M:%S+00:00", "iso"]),
        ("%Y-%m-%d %H:%M:%S", ["%Y-%m-%d %H:%M:%S", "iso"]),
        ("%Y/%m/%d %H:%M:%S", ["%Y/%m/%d %H:%M:%S"]),
        ("%Y年%m月%d日 %H:%M:%S", ["%Y年%m月%d日 %H:%M:%S"]),
        ("%Y%m%d%H%M%S", ["%Y%m%d%H%M%S"]),
    ],
)
def test_texts_are_read_in_the_form_they_are_written_in(form: str, expected: list[str]) -> None:
    """Forms without a doubt are named, ISO texts in theirs and as ISO; the times come back."""
    cells = [t.strftime(form) for t in TIMES]
    made = guessed(create_time=cells)

    assert expected == made.mapping["times"]["created_at"]["forms"]
    assert TIMES == [m.created_at for m in configured(made).memories(table(create_time=cells))]


EXACT = [t.replace(microsecond=123_456 + at) for at, t in enumerate(TIMES)]
SHANGHAI = timezone(timedelta(hours=8))
_WRITERS: dict[str, Callable[[datetime], str]] = {
    "blank": lambda t: t.strftime("%Y-%m-%d %H:%M:%S"),
    "naive with microseconds": lambda t: t.replace(tzinfo=None).isoformat(),
    "aware with microseconds": lambda t: t.isoformat(),
    "as JavaScript": lambda t: t.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    "seconds and Z": lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ"),
    "minutes": lambda t: t.strftime("%Y-%m-%d %H:%M"),
    "compact": lambda t: t.strftime("%Y%m%dT%H%M%SZ"),
    "day": lambda t: t.strftime("%Y-%m-%d"),
    "offset of Shanghai": lambda t: t.astimezone(SHANGHAI).isoformat(timespec="seconds"),
    "offset of New York": lambda t: t.astimezone(ZoneInfo("America/New_York")).isoformat(timespec="seconds"),
    "nanoseconds": lambda t: f"{t:%Y-%m-%dT%H:%M:%S.%f}000Z",
    "Chinese": lambda t: t.strftime("%Y年%m月%d日 %H:%M:%S"),
}


@pytest.mark.parametrize("writes", _WRITERS.values(), ids=_WRITERS)
def test_what_is_written_looks_like_the_columns_own(writes: Callable[[datetime], str]) -> None:
    """Gap, precision and offset of a new text are those of the column; every old one is read as it was meant."""
    cells = [writes(t) for t in EXACT]
    mapping = configured(guessed(create_time=cells))
    new = datetime(2025, 3, 4, 5, 6, 7, 89_012, UTC)

    text = mapping.write({"create_time": None}, {"created_at": new})["create_time"]

    assert re.sub(r"\d", "9", cells[-1]) == re.sub(r"\d", "9", text)
    near = timedelta(days=1) if len(text) == 10 else timedelta(minutes=1) if len(text) == 16 else timedelta(seconds=1)
    read = [m.created_at for m in mapping.memories(table(create_time=[*cells[:-1], text]))]
    meant = zip(read, [*EXACT[:-1], new], strict=True)
    assert [True] * ROWS == [r is not None and timedelta(0) <= t - r < near for r, t in meant]


@pytest.mark.parametrize(
    ("older", "newer", "forms"),
    [
        ("naive with microseconds", "aware with microseconds", ["%Y-%m-%dT%H:%M:%S.%f+00:00", "iso"]),
        ("aware with microseconds", "blank", ["%Y-%m-%d %H:%M:%S", "iso"]),
        ("blank", "Chinese", ["%Y年%m月%d日 %H:%M:%S", "iso"]),
    ],
)
def test_the_newest_rows_decide_which_form_is_written(older: str, newer: str, forms: list[str]) -> None:
    """A program that changed its form writes the new one, though most rows are in the old one."""
    cells = [_WRITERS[newer if at > 20 else older](t) for at, t in enumerate(EXACT)]
    made = guessed(create_time=cells)

    assert forms == made.mapping["times"]["created_at"]["forms"]
    read = [m.created_at for m in configured(made).memories(table(create_time=cells))]
    assert TIMES == [r and r.replace(microsecond=0) for r in read]


def test_the_newest_rows_decide_which_unit_is_written() -> None:
    """Milliseconds since a release are written, though most rows are in seconds."""
    cells = [ms(t) if at > 20 else int(t.timestamp()) for at, t in enumerate(TIMES)]

    assert ["ms", "s"] == guessed(ts=cells).mapping["times"]["created_at"]["forms"]


def test_an_offset_is_not_written_into_a_column_whose_other_texts_are_of_another_zone() -> None:
    """Naive texts of UTC beside texts of +08:00: no one zone writes both, so ISO says the offset of each."""
    cells = [
        t.astimezone(SHANGHAI).isoformat() if at % 2 else t.replace(tzinfo=None).isoformat()
        for at, t in enumerate(TIMES)
    ]
    made = guessed(create_time=cells)

    assert ["iso"] == made.mapping["times"]["created_at"]["forms"]
    assert TIMES == [m.created_at for m in configured(made).memories(table(create_time=cells))]


def test_a_column_named_like_a_time_that_holds_none_is_left_alone() -> None:
    """`time` as a text for a part of the day: no field lies there, and nothing is to be asked."""
    made = guessed(time=["morning", "晚上"] * (ROWS // 2))

    assert "created_at" in made.mapping["absent"]
    assert "holds no times that can be read" in made.reasons["created_at"]
    assert [] == questions(made)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            {"创建时间": [t.strftime("%d/%m/%Y %H:%M") for t in TIMES]},
            "创建时间 holds times in a form that is not sure: name created_at under [mapping.columns] and forms = "
            '["%d/%m/%Y %H:%M"] under [mapping.times.created_at], if that is how they are written',
        ),
        (
            {"create_date": [t.strftime("%m-%d-%Y") for t in TIMES]},
            "create_date holds times in a form that is not sure: name created_at under [mapping.columns] and forms = "
            '["%m-%d-%Y"] under [mapping.times.created_at], if that is how they are written',
        ),
        (
            {"ctime": [int(t.strftime("%Y%m%d%H%M%S")) for t in TIMES]},
            "ctime holds numbers that count no time in any unit: created_at has no place",
        ),
        (
            {"更新时间": pa.array([t.date() for t in TIMES], pa.date32())},
            "更新时间 holds dates without a time, which can't be mapped: updated_at has no place",
        ),
    ],
)
def test_a_time_that_cannot_be_read_is_told(column: dict[str, Any], said: str) -> None:
    """A column named like a time in a form that is not sure is asked about, with a form that would read it."""
    made = guessed(**column)

    assert set(column).isdisjoint(made.mapping["columns"].values())
    assert [said] == questions(made)


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
    """A newest value older than the commit, or off by an odd time, or by more than any zone, tells nothing.

    One that lies clearly after the commit can't be of UTC: that is asked, with the zone that would fit.
    """
    made = guessed(ts=[ms(t + timedelta(minutes=minutes)) for t in TIMES])

    assert {"forms": ["ms"]} == made.mapping["times"]["created_at"]
    assert "counted as UTC" in made.reasons["created_at"]
    said = {17: "name --zone, Asia/Shanghai would fit", 493: "name --zone", 1200: "no zone is so far ahead"}
    assert [q.rpartition(": ")[2] for q in questions(made)] == [said[m] for m in said if m == minutes]


@pytest.mark.parametrize("late", [17, 43, 30, 150, 343])
@pytest.mark.parametrize("number", [True, False], ids=["number", "text"])
def test_a_clock_ahead_of_the_history_is_never_taken_for_utc_without_a_word(late: int, number: bool) -> None:
    """Rows of +08:00 that were committed late: a zone is concluded or named; --zone settles it for numbers too."""
    local = [t + timedelta(hours=8, minutes=-late) for t in TIMES]
    cells = [ms(t) if number else t.strftime("%Y-%m-%d %H:%M:%S") for t in local]

    unsure, named = guessed(ctime=cells), guessed(zone="Asia/Shanghai", ctime=cells)

    assert "Asia/Shanghai" in questions(unsure)[0]
    assert not [q for q in questions(unsure) if "is of UTC:" in q]
    assert "Asia/Shanghai" == named.mapping["times"]["created_at"]["zone"]
    read = configured(named).memories(table(ctime=cells))
    assert [t - timedelta(minutes=late) for t in TIMES] == [m.created_at for m in read]


def test_a_zone_that_says_nothing_of_numbers_is_told_so() -> None:
    """West of Greenwich, or of true epochs, the history does not tell: --zone has no effect, and one line says it."""
    cells = {"ctime": [ms(t, -5) for t in TIMES], "utime": [ms(t, -5) for t in TIMES]}
    made = guessed(zone="America/New_York", **cells)

    assert {"forms": ["ms"]} == made.mapping["times"]["created_at"]
    assert [
        "--zone America/New_York says nothing of ctime, utime: numbers count from UTC, unless a zone stands under "
        "[mapping.times]"
    ] == questions(made)


def test_a_zone_is_said_as_people_read_it() -> None:
    """The sign in Etc/GMT-7 is the other way round: what is said, and the comment in the file, read UTC+7."""
    made = guessed(ts=[ms(t, 7) for t in TIMES])

    assert "UTC+7 (Etc/GMT-7)" in questions(made)[0]
    assert 'zone = "Etc/GMT-7"  # UTC+7 (Etc/GMT-7)' in toml(made)
    assert ("UTC-5 (Etc/GMT+5)", "Asia/Shanghai") == (spoken("Etc/GMT+5"), spoken("Asia/Shanghai"))


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
    made = guessed(source=["user"] + [""] * (ROWS - 1))

    assert "source" in made.mapping["absent"]
    assert "source is blank in 29 of 30 rows looked at" == made.reasons["source"]


@pytest.mark.parametrize(
    ("name", "field", "cells"),
    [
        ("source", "source", ["chat", ""]),
        ("来源", "source", ["对话", None, None]),
        ("updated_at", "updated_at", [None, None, None, None, "2025-03-01T00:00:00+00:00"]),
        ("更新时间", "updated_at", [None, 1740830400000]),
    ],
)
def test_what_part_of_the_rows_leave_empty_is_optional_and_asked(name: str, field: str, cells: list[Any]) -> None:
    """A source that some rows have, a time of change that only changed rows have: no finding on the others."""
    column = (cells * ROWS)[:ROWS]
    made = guessed(**{name: column})

    empty = sum(c in (None, "") for c in column)
    assert name == made.mapping["columns"][field]
    assert [field] == made.mapping["optional"]
    said = f"left empty on purpose? If not, take {field} out of mapping.optional"
    assert f"{name} is empty in {empty} of 30 rows: {said}" in questions(made)
    assert frozenset({field}) == configured(made).optional


def test_a_few_empty_cells_stay_findings() -> None:
    """One row of thirty without a source is at fault; a scope is required however many rows lack it."""
    made = guessed(source=["chat"] * (ROWS - 1) + [None], user_id=["u", "u", None] * (ROWS // 3))

    assert "optional" not in made.mapping
    assert {"source", "scope"} <= set(made.mapping["columns"])


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


def _stamps(*cells: datetime | None) -> pa.Array:
    return pa.array(cells, pa.timestamp("us"))


def _ago(year: int, month: int) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC).replace(tzinfo=None)


_FAR = ADDED + timedelta(days=30)


@pytest.mark.parametrize("name", ["deleted_at", "失效时间"])
@pytest.mark.parametrize(
    ("column", "what"),
    [
        (["0000-00-00 00:00:00"] * ROWS, "holds what is no such time in 30 of 30 rows"),
        (["9999-12-31 00:00:00"] * ROWS, "holds what is no such time in 30 of 30 rows"),
        (["null"] * ROWS, "holds what is no such time in 30 of 30 rows"),
        (["0"] * 29 + ["2025-02-01 08:00:00"], "holds what is no such time in 29 of 30 rows"),
        ([-1] * ROWS, "holds what is no such time in 30 of 30 rows"),
        ([-1] * 9 + [None] * 21, "holds what is no such time in 9 of 30 rows"),
        ([ms(_FAR)] * ROWS, "holds times to come in 30 of 30 rows"),
        ([ms(_FAR)] * 3 + [None] * 27, "holds times to come in 3 of 30 rows"),
        (_stamps(*[_FAR.replace(tzinfo=None)] * 2, *[None] * 28), "holds times to come in 2 of 30 rows"),
        (_stamps(*[_ago(1970, 1)] * 25, *[None] * 5), "holds what is no such time in 25 of 30 rows"),
        (
            pa.array([2**40] * 29 + [None], pa.int64()).cast(pa.timestamp("s")),
            "holds what is no such time in 29 of 30 rows",
        ),
        ([ms(t) for t in TIMES], "is filled in 30 of 30 rows"),
        ([t.isoformat() for t in TIMES[:20]] + [None] * 10, "is filled in 20 of 30 rows"),
    ],
)
def test_a_time_that_live_rows_hold_is_no_mark_and_is_asked_by_name(name: str, column: Any, what: str) -> None:
    """Zero dates, -1, "null", the year 9999, expiries and columns filled everywhere archive no row."""
    made = guessed(**{name: column})

    assert "none" == made.mapping["hide"]
    assert [f"{name} is named like a time of deletion and {what}"] == [
        q.partition(": ")[0] for q in questions(made) if "time of deletion" in q
    ]
    assert {None} == {m.status for m in configured(made).memories(table(**{name: column}))}


@pytest.mark.parametrize(
    ("column", "mark", "new"),
    [
        (_stamps(*[None] * 25, *[_ago(2025, 2)] * 5), "now:timestamp", None),
        ([None] * 29 + [1740830400], "now:s", None),
        ([0] * 29 + [1740830400000], "now:ms", 0),
        ([""] * 29 + ["2025-02-01 08:00:00"], "now:%Y-%m-%d %H:%M:%S", ""),
        ([None] * 29 + ["2025-02-01T08:00:00.123456+00:00"], "now:%Y-%m-%dT%H:%M:%S.%f+00:00", None),
        ([None] * 29 + ["2025年02月01日 08:00:00"], "now:%Y年%m月%d日 %H:%M:%S", None),
    ],
)
@pytest.mark.parametrize("name", ["deleted_at", "删除时间"])
def test_a_time_of_deletion_is_a_mark_beside_a_status_in_the_columns_own_form(
    name: str, column: Any, mark: str, new: Any
) -> None:
    """Rows with a deletion time are archived whatever their status says; a new row gets what live rows hold."""
    words = ["active", "archived", "active"] * (ROWS // 3)
    made = guessed(status=words, **{name: column})

    assert {"status": "archived", name: mark} == made.mapping["hide"]
    assert f"hide {name}={mark}: make sure that the reader skips such rows" in questions(made)
    assert ({} if new is None else {name: new}) == {k: v for k, v in made.mapping["show"].items() if k == name}
    read = configured(made).memories(table(status=words, **{name: column}))
    cells = zip(pa.array(column).to_pylist(), words, strict=True)
    assert ["archived" if c or w == "archived" else "active" for c, w in cells] == [m.status for m in read]


def test_a_mark_of_time_is_written_in_the_zone_of_the_tables_times() -> None:
    """A naive text of deletion beside naive texts of Shanghai gets the wall clock of Shanghai."""
    local = [(t + timedelta(hours=8)).strftime("%Y-%m-%d %H:%M:%S") for t in TIMES]
    deleted = [None] * 29 + ["2025-02-01 08:00:00"]
    made = guessed(create_time=local, deleted_at=deleted)

    mapping = configured(made)
    hidden = mapping.write({"deleted_at": None}, {"status": "archived"}, ADDED)
    assert {"deleted_at": "2025-03-01 20:00:00"} == hidden
    assert TIMES == [m.created_at for m in mapping.memories(table(create_time=local, deleted_at=deleted))]


def test_a_mark_in_an_unknown_zone_is_asked() -> None:
    """Where nothing tells of what zone a naive time of deletion is, UTC is assumed and asked."""
    made = guessed(deleted_at=[None] * 29 + ["2025-02-01 08:00:00"])

    assert "deleted_at has times without a zone, taken for UTC: if they are of another, name --zone" in questions(made)


def test_a_mark_that_counts_otherwise_than_its_table_is_told() -> None:
    """Numbers of a wall clock: the mark of a deletion counts from UTC, which is said."""
    made = guessed(ts=[ms(t, 8) for t in TIMES], deleted_at=[None] * 29 + [ms(TIMES[3], 8)])

    assert {"deleted_at": "now:ms"} == made.mapping["hide"]
    said = "deleted_at will be written as a count from UTC, though ts counts from the wall clock of Asia/Shanghai"
    assert [said] == [q.partition(": ")[0] for q in questions(made) if "count from UTC" in q]


def test_a_mark_in_a_struct_is_written_in_the_tables_zone() -> None:
    """A leaf of naive timestamps beside naive texts of Shanghai: the mapping's zone is Shanghai."""
    local = [(t + timedelta(hours=8)).strftime("%Y-%m-%d %H:%M:%S") for t in TIMES]
    control = [{"deleted_at": None}] * 29 + [{"deleted_at": _ago(2025, 2)}]
    made = guessed(create_time=local, control=control)

    assert {"control.deleted_at": "now:timestamp"} == made.mapping["hide"]
    assert "Asia/Shanghai" == made.mapping["zone"]


@pytest.mark.parametrize(
    ("columns", "show"),
    [
        (
            {"status": ["active"] * 29 + ["archived"], "is_deleted": [False] * ROWS},
            {"status": "active", "is_deleted": False},
        ),
        (
            {"status": ["active", "pending"] * 14 + ["archived"] * 2, "is_deleted": [False] * ROWS},
            {"is_deleted": False},
        ),
        ({"是否删除": ["否"] * 29 + ["是"]}, {"是否删除": "否"}),
        ({"is_deleted": [0, None] * 15}, {"is_deleted": 0}),
        ({"is_deleted": [None] * 29 + [1]}, None),
        ({"deleted_at": [0, None] * 15}, None),
        ({"metadata": ['{"deleted": false}'] * 29 + ['{"deleted": true}']}, {"metadata.deleted": False}),
    ],
)
def test_a_new_row_gets_what_all_live_rows_hold_at_a_mark(columns: dict[str, Any], show: dict[str, Any] | None) -> None:
    """One and the same value in every live row is what its reader looks for; where they differ, nothing is said."""
    made = guessed(**columns)

    assert show == made.mapping.get("show")
    assert show == tomllib.loads(toml(made))["mapping"].get("show")


@pytest.mark.parametrize(
    ("name", "no", "yes"), [("is_deleted", 0, 1), ("是否删除", "否", "是"), ("del_flag", "N", "Y")]
)
def test_an_empty_flag_is_active_only_where_no_row_says_no(name: str, no: Any, yes: Any) -> None:
    """Where rows say no, what an empty flag means is asked, and the file holds the line to uncomment."""
    mixed = guessed(**{name: [no, no, None] * (ROWS // 3)})
    alone = guessed(**{name: [None] * (ROWS - 5) + [yes] * 5})
    few = guessed(**{name: [no] * (ROWS - 1) + [None]})

    assert (None, "active", None) == tuple(made.mapping["status"].get("missing") for made in (mixed, alone, few))
    assert (
        f"{name} is empty in 10 of 30 rows: findings, unless missing under [mapping.status] says what that means"
        in (questions(mixed))
    )
    assert f"{name} is empty in 25 of 30 rows, which is taken for active" in questions(alone)
    assert [True, False, False] == ['# missing = "active"' in toml(made) for made in (mixed, alone, few)]
    uncommented = toml(mixed).replace("# missing", "missing")
    assert "active" == tomllib.loads(uncommented)["mapping"]["status"]["missing"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"status": [1, 0, 1] * 10}, "status is named like a status and holds 0, 1"),
        ({"状态": [2] * ROWS}, "状态 is named like a status and holds 2"),
        (
            {"is_deleted": pa.array([0] * ROWS, pa.decimal128(1, 0))},
            "is_deleted is named like a mark, and nothing of type decimal128(1, 0) can be mapped",
        ),
        ({"status": ["active"] * ROWS}, "status holds no word that means archived"),
        ({"状态": ["正常"] * ROWS}, "状态 holds no word that means archived"),
        ({"status": ["active"] * ROWS, "is_active": [True] * ROWS}, "if the reader skips rows by is_active, name it"),
        (
            {"is_deleted": [0] * ROWS, "is_archived": [0] * ROWS},
            "is_archived is named like a mark of deletion too",
        ),
    ],
)
def test_whatever_is_named_like_a_status_or_mark_and_hides_nothing_is_asked(columns: Any, said: str) -> None:
    """Codes, decimals, a status without a word for archived, a second flag: each has its question."""
    assert [said] == [q[: len(said)] for q in questions(guessed(**columns)) if q.startswith(said)]


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

    assert 30 <= len(sentences)
    assert set() == sentences - set(SENTENCES)


def test_hostile_names_survive_the_text() -> None:
    """Quotes, line breaks and bidi marks in column names and ids neither break the TOML nor reach a comment raw."""
    evil = 'a"b\n[limits]\u202e'
    made = guessed(**{evil: VECTORS, "__x__\n": ["y"] * ROWS}, id=["__evil__", *IDS[1:]])
    text = toml(made)

    written = tomllib.loads(text)
    assert {"mapping", "metadata"} >= set(written) - {"duplicate"}
    assert [evil] == written["mapping"]["vectors"]
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
