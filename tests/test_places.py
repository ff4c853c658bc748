"""Places: fields in structs, JSON keys and composites, times of every form, owners' words and marks, in one row."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory import digest
from mendory.catalogue import StepKind
from mendory.detect import Settings, examine
from mendory.errors import SchemaMismatch
from mendory.finding import Code, finding
from mendory.jsontext import members, parse_object, rebase, with_key, with_path, without_key
from mendory.mapping import Mapping, TimeForms
from mendory.mapping.times import UNITS, written
from mendory.plan.binding import bind
from mendory.plan.draft import Draft
from mendory.record import FIELD_NAMES, Memory
from mendory.rows import Present, value_at, with_changes, with_values
from mendory.template import NoTemplate, Template

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
FOUND = finding(Code.ILLEGAL_STATUS, [Memory("a", "x")], ("status",), "", {}, "test")
PAYLOAD = pa.struct(
    [
        ("text", pa.string()),
        ("made", pa.int64()),
        ("weight", pa.float64()),
        ("inner", pa.struct([("who", pa.string())])),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("payload", PAYLOAD),
        pa.field("vec", pa.list_(pa.float32(), 2)),
        pa.field("meta", pa.string()),
        pa.field("tenant", pa.string()),
        pa.field("uid", pa.int64()),
        pa.field("gone", pa.int32()),
        pa.field("private", pa.bool_()),
    ]
)
COLUMNS = {
    "content": "payload.text",
    "embedding": "vec",
    "metadata": "meta",
    "scope": "{tenant}/{uid}",
    "created_at": "payload.made",
    "last_accessed_at": "meta.seen_at",
    "source": "meta.from.who",
    "superseded_by": "meta.next",
    "status": "gone",
}
ABSENT = [n for n in FIELD_NAMES if n not in {*COLUMNS, "id"}]
MS = {"created_at": TimeForms(("ms", "s")), "last_accessed_at": TimeForms(("iso",))}


def owner(**k: Any) -> Mapping:
    """The mapping of a table that keeps everything somewhere else."""
    wishes = {"words": {"0": "active", "1": "archived"}, "hide": {"gone": 1}} | k
    return Mapping.of(COLUMNS, ABSENT, ["meta.hits", "payload.weight"], times=MS, **wishes)


def table(**fields: Any) -> pa.Table:
    """One row of that table."""
    payload = {"text": "不要香菜", "made": 1_740_830_400_000, "weight": 0.5, "inner": {"who": "li"}}
    meta = '{"topic": "饮食", "hits": 3, "seen_at": "2025-03-01T20:00:00+08:00", "from": {"who": "user_stated"}}'
    row = {"id": "k1", "payload": payload, "vec": [1.0, 0.0], "meta": meta, "tenant": "acme", "uid": 7, "gone": 0}
    return pa.Table.from_pylist([row | fields], schema=SCHEMA)


def test_fields_are_read_from_structs_json_keys_and_several_columns() -> None:
    """Each field is read from where it lies; keys that are fields or change by reading are no metadata."""
    mapping = owner()
    mapping.check(SCHEMA)

    [held] = mapping.memories(table(private=True))

    assert ("k1", "不要香菜", "acme/7", "user_stated", "active") == (
        held.id,
        held.content,
        held.scope,
        held.source,
        held.status,
    )
    assert (NOON, NOON) == (held.created_at, held.last_accessed_at)
    assert {"topic": "饮食", "from": {"who": "user_stated"}} == held.metadata
    assert {"private": True, "payload": {"inner": {"who": "li"}}} == held.others
    assert () == held.wrong
    assert {"meta.hits", "payload.weight", "meta.seen_at"} == mapping.volatile


@pytest.mark.parametrize("missing", ["tenant", "uid"])
def test_composite_with_a_missing_part_is_missing(missing: str) -> None:
    """A scope of which one part is null is no scope; it is never 'None/7'."""
    [held] = owner().memories(table(**{missing: None}))

    assert held.scope is None


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        (1_740_830_400_000, NOON),
        (1_740_830_400, NOON),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (-1_000, datetime(1969, 12, 31, 23, 43, 20, tzinfo=UTC)),
        (None, None),
    ],
)
def test_numbers_of_mixed_units_are_told_apart_by_size(cell: int | None, read: datetime | None) -> None:
    """Milliseconds and legacy seconds stand in one column, each read as what it is."""
    payload = {"text": "x", "made": cell, "weight": None, "inner": None}

    [held] = owner().memories(table(payload=payload))

    assert read == held.created_at


@pytest.mark.parametrize(
    ("forms", "zone", "cell", "read"),
    [
        (("iso",), None, "2025-03-01T12:00:00", NOON),
        (("iso",), "Asia/Shanghai", "2025-03-01 20:00:00", NOON),
        (("iso",), "Asia/Shanghai", "2025-03-01T12:00:00+00:00", NOON),
        (("iso", "%Y/%m/%d %H:%M"), "Asia/Shanghai", "2025/03/01 20:00", NOON),
        (("%Y年%m月%d日",), None, "2025年03月01日", NOON.replace(hour=0)),
        (("ms",), "Asia/Shanghai", 1_740_830_400_000 + 8 * 3_600_000, NOON),
        (("ms",), None, "1740830400000", NOON),
        (("s",), None, 1_740_830_400.5, NOON + timedelta(milliseconds=500)),
        (("us",), None, 1_740_830_400_000_000, NOON),
        (("ms",), None, 1_740_830_400_001.0, NOON + timedelta(milliseconds=1)),
        (("ns",), None, 1_740_830_400_000_000_000, NOON),
        (("iso",), None, " ", None),
    ],
)
def test_forms_of_times(forms: tuple[str, ...], zone: str | None, cell: Any, read: datetime | None) -> None:
    """Texts and numbers are read in the owner's form and zone; an offset that is written counts."""
    held = TimeForms(forms, ZoneInfo(zone) if zone else None)

    assert read == held.read(cell, ZoneInfo("UTC"))


@pytest.mark.parametrize("cell", [True, "gestern", "昨天", float("nan"), float("inf"), [1], 10**30, "2025-02-30"])
def test_what_is_no_time_is_a_wrong_cell(cell: Any) -> None:
    """A cell in none of the forms is refused; it is never guessed."""
    with pytest.raises((ValueError, OverflowError)):
        TimeForms(("ms", "iso")).read(cell, UTC)


@given(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)), st.sampled_from([*UNITS, "iso"]))  # noqa: DTZ001
def test_a_written_time_is_read_again(moment: datetime, form: str) -> None:
    """What is written in a form is read as the same time, to the form's precision."""
    aware = moment.replace(tzinfo=UTC)
    for zone in (None, ZoneInfo("Asia/Shanghai")):
        forms = TimeForms((form,), zone)

        read = forms.read(forms.write(aware, UTC), UTC)

        assert read is not None
        assert timedelta(0) <= aware - read < timedelta(seconds=1 / min(UNITS.get(form, 10**6), 10**6))


@pytest.mark.parametrize(
    ("cell", "status"), [(0, "active"), (1, "archived"), (None, None), (2, "2")], ids=["0", "1", "null", "other"]
)
def test_owners_words_for_a_status(cell: int | None, status: str | None) -> None:
    """A word of the owner's reads as ours; another stays as it is; none is none."""
    [held] = owner().memories(table(gone=cell))

    assert status == held.status


MARKED = pa.schema([pa.field("id", pa.string()), pa.field("content", pa.string()), pa.field("meta", pa.string())])


def marked(**k: Any) -> Mapping:
    """An owner whose reader is stopped by two marks inside JSON."""
    wishes = {"words": {"confirmed": "active", "pending": "pending_review", "archived": "archived"}} | k
    places = {"metadata": "meta", "status": "meta.state"}
    absent = [n for n in FIELD_NAMES if n not in ("id", "content", "metadata", "status")]
    hide = {"meta.state": "archived", "meta.ended_at": "now:ms"}
    return Mapping.of(places, absent, ["meta.hits"], hide=hide, missing="active", **wishes)


@pytest.mark.parametrize(
    ("meta", "status"),
    [
        ('{"state": "confirmed"}', "active"),
        ('{"state": "pending"}', "pending_review"),
        ('{"state": "confirmed", "ended_at": 1740830400000}', "archived"),
        ('{"state": "confirmed", "ended_at": 0}', "active"),
        ('{"state": "archived"}', "archived"),
        ("{}", "active"),
        (None, "active"),
        ('{"state": "Confirmed "}', "Confirmed "),
    ],
)
def test_marks_tell_a_hidden_row(meta: str | None, status: str) -> None:
    """A row with any of the hiding marks is archived; what no word says is what the mapping says it means."""
    mapping = marked()
    mapping.check(MARKED)

    [held] = mapping.memories(pa.Table.from_pylist([{"id": "a", "content": "x", "meta": meta}], schema=MARKED))

    assert status == held.status


def test_hiding_writes_every_mark_and_nothing_else() -> None:
    """Archiving sets the owner's marks inside his JSON; every other byte stays; the mark of time is the plan's."""
    row = pa.Table.from_pylist([{"id": "a", "content": "x", "meta": '{"price": 1.50,"hits":3}'}], schema=MARKED)

    new = marked().write(Present(row), {"status": "archived"}, NOON)

    assert {"meta": '{"price": 1.50,"hits":3, "state": "archived", "ended_at": 1740830400000}'} == new


@pytest.mark.parametrize(
    ("kind", "mark", "zone"),
    [
        (pa.timestamp("us", "UTC"), "now:timestamp", "UTC"),
        (pa.timestamp("ms"), "now:timestamp", "Asia/Shanghai"),
        (pa.timestamp("ns"), "now:timestamp", "UTC"),
        (pa.string(), "now:%Y-%m-%d %H:%M:%S", "Asia/Shanghai"),
        (pa.string(), "now:iso", "UTC"),
        (pa.int64(), "now:s", "UTC"),
        (pa.float64(), "now:ms", "UTC"),
    ],
    ids=str,
)
def test_a_mark_of_time_is_written_in_the_owners_form(kind: pa.DataType, mark: str, zone: str) -> None:
    """Rows are hidden by a time in a column of any type, read as hidden, and taken back to the byte."""
    schema = pa.schema([pa.field("id", pa.string()), pa.field("content", pa.string()), pa.field("deleted_at", kind)])
    absent = [n for n in FIELD_NAMES if n not in ("id", "content")]
    mapping = Mapping.of({}, absent, (), zone, hide={"deleted_at": mark})
    mapping.check(schema)
    row = pa.Table.from_pylist([{"id": "a", "content": "x"}], schema=schema)
    draft = Draft(StepKind.NORMALISE_STATUS, FOUND, "", {"a": {"status": "archived"}}, {})

    [step] = bind([draft], row, mapping, 1, NOON, timedelta(1)).steps()
    [edit] = type(step).from_json(json.loads(json.dumps(step.as_json()))).edits
    hidden = with_changes(row, [(c.column, c.old, c.new) for c in edit.columns], ())
    back = with_changes(hidden, [(c.column, c.new, c.old) for c in edit.columns], ())

    assert ["active", "archived", "active"] == [mapping.memories(r)[0].status for r in (row, hidden, back)]
    assert row.equals(back)
    if zone != "UTC":
        assert "2025-03-01 20:00:00" == str(value_at(hidden, "deleted_at"))[:19]


def test_a_dispute_without_a_mark_is_kept_aside() -> None:
    """Where the reader would lose a disputed row, the mark is Mendory's own; where a mark is named, it is written."""
    row = Present(pa.Table.from_pylist([{"id": "a", "content": "x", "meta": "{}"}], schema=MARKED))
    said = marked(pending={"meta.disputed": True})

    assert ({}, {"status": "pending_review"}) == (
        marked().write(row, {"status": "pending_review"}),
        marked().aside({"status": "pending_review"}),
    )
    assert ({"meta": '{"disputed": true}'}, {}) == (
        said.write(row, {"status": "pending_review"}),
        said.aside({"status": "pending_review"}),
    )


def test_an_owner_that_cannot_hide() -> None:
    """With hide none, or without a status, nothing hides; archiving such a row is refused, never invented."""
    mapping = marked()
    none = Mapping.of({"metadata": "meta", "status": "meta.state"}, hide=False)
    row = Present(pa.Table.from_pylist([{"id": "a", "content": "x", "meta": "{}"}], schema=MARKED))

    assert (True, False) == (mapping.can_hide, none.can_hide)
    assert "status" in Mapping.of({}, ["status"]).absent()
    assert "status" not in Mapping.of({}, ["status"], hide={"gone": 1}).absent()
    with pytest.raises(SchemaMismatch, match="no place for 'status'"):
        none.write(row, {"status": "archived"})


def test_a_new_row_gets_what_live_rows_hold() -> None:
    """Beside the marks of hidden rows stands what live ones hold there, in the forms of their places."""
    mapping = marked(show={"meta.ended_at": 0, "meta.state": "confirmed"})
    row = Present(pa.Table.from_pylist([{"id": "a", "content": "x", "meta": None}], schema=MARKED))

    assert {"meta": '{"ended_at": 0, "state": "confirmed"}'} == mapping.shown(row)
    assert {} == marked().shown(row)


def test_relations_without_a_place_are_kept_aside() -> None:
    """What the owner has no place for is Mendory's to keep; what has a place is written there; a kept mark ends."""
    mapping = owner()
    changes = {"duplicate_of": "k2", "related_ids": ("k3",), "superseded_by": "k4", "status": "archived"}

    new = mapping.write(Present(table(meta="{}")), changes)

    assert {"meta": '{"next": "k4"}', "gone": 1} == new
    assert {"duplicate_of": "k2", "related_ids": ("k3",), "status": None} == mapping.aside(changes)


def test_a_struct_leaf_is_written_alone() -> None:
    """Writing one leaf of a struct leaves the others bit for bit, NaN and inner structs included."""
    payload = {"text": "x", "made": 1, "weight": float("nan"), "inner": {"who": "li"}}
    row = table(payload=payload)

    new = with_values(row, owner().write(Present(row), {"content": "要香菜"}))

    assert "要香菜" == value_at(new, "payload.text")
    assert "li" == value_at(new, "payload.inner.who")
    assert digest.row_digests(row, ["payload.text"]) == digest.row_digests(new, ["payload.text"])
    assert digest.row_digests(row) != digest.row_digests(new)


def test_a_composite_is_written_to_its_parts() -> None:
    """A scope made of two columns is written to both, and another form is refused."""
    row = Present(table())

    assert {"tenant": "b/c", "uid": "9"} == owner().write(row, {"scope": "b%2Fc/9"})
    with pytest.raises(SchemaMismatch, match="is made of"):
        owner().write(row, {"scope": "nobody"})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"columns": {"content": "payload.body"}}, "has no 'body'"),
        ({"columns": {"content": "tenant.x"}, "drop": "tenant"}, "no column 'tenant'"),
        ({"columns": {"id": "payload.text"}}, "column of its own"),
        ({"columns": {"scope": "{tenant}/{nobody}"}}, "no column 'nobody'"),
        ({"columns": {"source": "{tenant}/{uid}"}}, "only the scope"),
        ({"columns": {"kind": "gone"}}, "mapped to several fields"),
        ({"hide": {"nowhere": 1}}, "hide: no column 'nowhere'"),
        ({"hide": {"private": "yes, very"}}, "can't hold"),
        ({"pending": {"uid": "now:iso"}}, "can't hold"),
        ({"volatile": ["hits"]}, "volatile: no column 'hits'"),
        ({"volatile": ["payload"]}, "volatile: column 'payload' holds the content and the created_at"),
        ({"volatile": ["payload.text"]}, "volatile: 'payload.text' holds the content: a change of it must be seen"),
        ({"hide": {"tenant": "trash"}}, "hide: column 'tenant' holds the scope, which a mark would overwrite"),
        ({"hide": {"id": ""}}, "hide: column 'id' holds the id"),
        ({"hide": {"gone": "yes"}}, "hide: column 'gone' of type int32 can't hold 'yes'"),
        ({"hide": {"gone": 1.5}}, "can't hold 1.5"),
        ({"times": {}}, "say how times are written under \\[mapping.times.created_at\\]"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], why: str) -> None:
    """Each place that is not there or can't hold its field is named before anything is read."""
    schema = SCHEMA.remove(SCHEMA.get_field_index(change["drop"])) if "drop" in change else SCHEMA
    columns = COLUMNS | change.get("columns", {})
    absent = [n for n in FIELD_NAMES if n not in {*columns, "id"}]
    marks = {"hide": change.get("hide", {"gone": 1}), "pending": change.get("pending")}
    mapping = Mapping.of(columns, absent, change.get("volatile", []), times=change.get("times", MS), **marks)

    with pytest.raises(SchemaMismatch, match=why):
        mapping.check(schema)


# --- what a mere read changes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "same"),
    [
        ('{"hits": 9, "state": "confirmed", "price": 1.50}', True),
        ('{"state":"confirmed","price":1.5,"hits":3}', True),
        ('{"state": "confirmed", "price": 1.50}', True),
        ('{"hits": 3, "state": "pending", "price": 1.50}', False),
        ('{"hits": 3, "state": "confirmed", "price": 1.51}', False),
        ("no json", False),
        (None, False),
    ],
)
def test_digest_leaves_out_the_keys_that_a_read_changes(now: str | None, same: bool) -> None:
    """A counter inside JSON may change, and the rest be written anew; any other change is a change."""
    rows = [
        {"id": "a", "content": "x", "meta": text} for text in ('{"hits": 3, "state": "confirmed", "price": 1.50}', now)
    ]

    before, after = digest.row_digests(pa.Table.from_pylist(rows, schema=MARKED), ["meta.hits"])

    assert same == (before == after)


def test_digest_leaves_out_the_leaves_that_a_read_changes() -> None:
    """A leaf of a struct may change; its neighbours and a null struct are told."""
    rows = [
        {"text": "x", "made": 1, "weight": w, "inner": {"who": who}} for w, who in ((0.5, "a"), (0.6, "a"), (0.5, "b"))
    ]
    cells = [table(payload=row) for row in (*rows, None)]

    one, touched, other, null = digest.row_digests(pa.concat_tables(cells), ["payload.weight"])

    assert (one, True) == (touched, one not in (other, null))


def test_a_repair_keeps_what_a_read_changed_meanwhile() -> None:
    """Carried out on a row whose counter has moved, a planned change of JSON keeps the counter; taken back, too."""
    row = pa.Table.from_pylist([{"id": "a", "content": "x", "meta": '{"hits":4,"a":1}'}], schema=MARKED)
    change = ("meta", '{"hits": 3, "a": 1}', '{"hits": 3, "a": 1, "state": "archived"}')

    done = with_changes(row, [change], ["meta.hits"])
    back = with_changes(done, [(change[0], change[2], change[1])], ["meta.hits"])

    assert '{"hits":4,"a":1, "state": "archived"}' == value_at(done, "meta")
    assert '{"hits":4,"a":1}' == value_at(back, "meta")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "热度", "d", "e"]), JSON)


@given(OBJECTS, st.sampled_from(["a", "b", "新键", "z"]), JSON, st.sampled_from([None, 1]))
def test_a_key_that_was_added_leaves_no_trace(held: dict[str, Any], key: str, value: Any, indent: int | None) -> None:
    """Adding a key and taking it away gives the same bytes; every other key keeps its own throughout."""
    text = json.dumps(held, ensure_ascii=False, indent=indent)
    if key not in held:
        assert text == without_key(with_key(text, key, value), key)
    changed = with_path(text, (key,), value)
    kept = {m.key: changed[slice(*m.value)] for m in members(changed)}
    assert {m.key: text[slice(*m.value)] for m in members(text) if m.key != key} == {
        k: v for k, v in kept.items() if k != key
    }


@given(OBJECTS, OBJECTS, OBJECTS)
def test_rebase_makes_the_change_and_keeps_the_rest(
    old: dict[str, Any], new: dict[str, Any], now: dict[str, Any]
) -> None:
    """Keys that the change sets or drops are as it says; all others are as they are now."""
    text = rebase(*(json.dumps(o, ensure_ascii=False) for o in (now, old, new)))
    assert text is not None
    as_text = {k: json.dumps(v, ensure_ascii=False) for k, v in old.items()}
    expected = {k: v for k, v in now.items() if k not in old or k in new}
    expected |= {k: v for k, v in new.items() if as_text.get(k) != json.dumps(v, ensure_ascii=False)}

    if now == old:
        expected = new
    assert digest.of(expected) == digest.of(parse_object(text))


@given(st.lists(st.text(min_size=1).filter(lambda t: t.strip("\u200b \n\t")), min_size=2, max_size=2))
def test_a_template_is_split_into_what_it_was_filled_with(values: list[str]) -> None:
    """For any two values, splitting what the template made gives them back, so no two pairs share a scope."""
    template = Template.of("{a}/{b}")
    try:
        text = template.fill(dict(zip("ab", values, strict=True)).get)
    except (KeyError, UnicodeEncodeError):
        return  # blank, or half a character

    assert {"a": values[0], "b": values[1]} == template.split(text)


@pytest.mark.parametrize("text", ["{a}{b}", "{a!r}", "{a:3}", "{}", "x", "{a", "{a[0]}", "{0}"])
def test_broken_templates_are_refused(text: str) -> None:
    """Only plain placeholders with something between them make a template."""
    with pytest.raises(NoTemplate):
        Template.of(text, dotted=True)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("ticks", [-(2**62), -1, 0, 2**62])
def test_a_further_column_of_any_time_is_read(unit: str, ticks: int) -> None:
    """A time of the owner's that lies in no calendar, alone, in a struct or in a list, stops no check."""
    stamp = pa.array([ticks], pa.int64()).view(pa.timestamp(unit))
    nested = pa.StructArray.from_arrays([stamp], ["at"])
    rows = pa.table(
        {"id": ["a"], "content": ["x"], "t": stamp, "s": nested, "l": pa.array([[0]], pa.list_(stamp.type))}
    )

    [held] = Mapping.of({}, [n for n in FIELD_NAMES if n not in ("id", "content")]).memories(rows)

    assert {"t": ticks, "s": {"at": ticks}, "l": [0]} == held.others


def test_a_copy_of_the_id_says_nothing() -> None:
    """A column or leaf that repeats the row's id does not set two equal rows apart."""
    nested = pa.array([{"id": "a", "n": 1}], pa.struct([("id", pa.string()), ("n", pa.int64())]))
    rows = pa.table({"id": ["a"], "content": ["x"], "copy": ["a"], "payload": nested})

    [held] = Mapping.of({}, [n for n in FIELD_NAMES if n not in ("id", "content")]).memories(rows)

    assert {"payload": {"n": 1}} == held.others


def test_fields_inside_unreadable_metadata_are_no_findings_of_their_own() -> None:
    """Metadata that is no JSON is one finding; what would lie in it is unreadable, not missing."""
    mapping = marked()
    settings = Settings(frozenset(mapping.absent()), (), inside_metadata=mapping.inside_metadata)
    rows = [{"id": f"m{n}", "content": f"事 {n}", "meta": '{"state": "confirmed"}'} for n in range(3)]
    rows += [{"id": "bad", "content": "y", "meta": "{"}]
    held = mapping.memories(pa.Table.from_pylist(rows, schema=MARKED))

    found = examine(held, lambda ids: {}, settings).findings

    assert [("metadata_invalid", ("bad",))] == [(f.code.value, f.ids) for f in found]


def test_times_are_written_in_the_form_asked_for() -> None:
    """Milliseconds, seconds and ISO text of one moment."""
    assert [1_740_830_400, 1_740_830_400_000, "2025-03-01T12:00:00+00:00"] == [
        written(NOON, form) for form in ("s", "ms", "iso")
    ]
