"""What Mendory keeps aside for an owner, and what it derives of rows: laid over, brought up to date, droppable."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest

from mendory.catalogue import StepKind
from mendory.clinic import Clinic
from mendory.derived import Derived, derive
from mendory.executor.execute import Job, execute
from mendory.executor.owner import executing
from mendory.executor.rollback import rollback
from mendory.finding import Code, finding
from mendory.ledger.records import IntentKind
from mendory.links import links
from mendory.plan.binding import bind
from mendory.plan.draft import Draft
from mendory.plan.model import Aside, ColumnChange, Edit
from mendory.record import FIELD_NAMES, Kept, Memory
from mendory.side import Note, View, overlaid, text_digest
from mendory.treatment import apply, approve, take_back
from mendory.work import Outcome, Unit
from tests.conftest import GENEROUS, FakeClock, make_config
from tests.dying import died_after_its_commit

SCHEMA = pa.schema(
    [
        pa.field("mem_id", pa.string()),
        pa.field("正文", pa.string()),
        pa.field("vec", pa.list_(pa.float32(), 3)),
        pa.field("tenant", pa.string()),
        pa.field("ts", pa.int64()),
        pa.field("is_deleted", pa.int64()),
        pa.field("hits", pa.int64()),
    ]
)
COLUMNS = {
    "id": "mem_id",
    "content": "正文",
    "embedding": "vec",
    "scope": "tenant",
    "created_at": "ts",
    "status": "is_deleted",
}
MAPPING = {
    "columns": COLUMNS,
    "absent": [n for n in FIELD_NAMES if n not in COLUMNS],
    "volatile": ["hits"],
    "times": {"created_at": {"forms": ["ms"]}},
    "status": {"values": {"0": "active", "1": "archived"}},
    "hide": {"is_deleted": 1},
}
pytestmark = pytest.mark.lance


def row(name: str, text: str, **fields: Any) -> dict[str, Any]:
    """A row of the owner's table."""
    held = {"mem_id": name, "正文": text, "vec": [1.0, 0.0, 0.5], "tenant": "u1", "ts": 1_740_830_400_000}
    return held | {"is_deleted": 0, "hits": 1} | fields


ROWS = [
    row("a", "不要香菜"),
    row("b", "不要香菜", ts=1_740_830_401_000, vec=[float("nan"), 0.0, 0.5]),
    row("c", "Prefers tea"),
    row("d", "住在上海"),
]


def owners(folder: Path) -> Any:
    """The owner's own handle."""
    return lancedb.connect(str(folder)).open_table("memories")


@pytest.fixture
def clinic(tmp_path: Path, clock: FakeClock) -> Clinic:
    """A clinic on an owner's table with one double write, which he has no place to relate."""
    lancedb.connect(str(tmp_path)).create_table("memories", pa.Table.from_pylist(ROWS, schema=SCHEMA))
    wishes = {"mapping": MAPPING, "metadata": {"required": []}, "limits": GENEROUS}
    return Clinic(make_config(tmp_path, **wishes), clock)


def bytes_of(folder: Path) -> dict[str, Any]:
    """Every row of the owner's table, vectors by their bits."""
    rows = owners(folder).to_arrow().to_pylist()
    return {r["mem_id"]: r | {"vec": np.asarray(r["vec"], np.float32).tobytes()} for r in rows}


def healed(clinic: Clinic) -> str:
    """The double write is merged; returns the plan's id."""
    plan = clinic.plan().plan
    assert plan is not None
    approve(clinic, plan.id, None, "li.wei")
    done = apply(clinic, plan.id)
    assert (True, {"applied": 1}) == (done.verdict.ok, done.outcomes())
    return plan.id


def test_a_relation_without_a_column_is_kept_and_goes_with_the_rollback(clinic: Clinic, tmp_path: Path) -> None:
    """The merge hides the row by the owner's mark, its primary stands aside, and both are taken back to the byte."""
    before = bytes_of(tmp_path)

    plan = healed(clinic)

    after = bytes_of(tmp_path)
    assert before | {"b": before["b"] | {"is_deleted": 1}} == after
    clinic.reader.refresh()
    merged = clinic.view(clinic.reader).fetch(["b"])["b"]
    assert ("archived", "a") == (merged.status, merged.duplicate_of)
    assert ["embedding_non_finite"] == [f.code.value for f in clinic.check().findings]

    undone = take_back(clinic, plan, "li.wei")

    assert (("b",), ()) == (undone.restored, undone.skipped)
    assert before == bytes_of(tmp_path)
    assert {} == clinic.ledger.asides.held()
    assert clinic.ledger.verify()


def test_losing_the_side_state_changes_nothing(clinic: Clinic, tmp_path: Path) -> None:
    """The side state's file may be deleted or damaged: what is kept aside stands, and the rest is derived again."""
    healed(clinic)
    path = tmp_path / ".mendory" / "side.db"
    found, noted = clinic.check().findings, clinic.ledger.asides.held()
    held = clinic.side_state.get("abcd")
    for damage in (path.unlink, lambda: path.write_bytes(b"no database at all, " * 500)):
        damage()

        brought = clinic.side_state.bring_up(clinic.reader)

        assert (True, 4) == (brought.full, brought.looked_at)
        assert (found, noted) == (clinic.check().findings, clinic.ledger.asides.held())
        assert {i: d.content for i, d in held.items()} == {
            i: d.content for i, d in clinic.side_state.get("abcd").items()
        }


def test_only_changed_rows_are_derived_again(clinic: Clinic, tmp_path: Path) -> None:
    """After the first pass exactly the rows that somebody wrote or deleted are looked at."""
    first = clinic.side_state.bring_up(clinic.reader)
    again = clinic.side_state.bring_up(clinic.reader)
    owners(tmp_path).update(where="mem_id = 'c'", values={"正文": "Prefers coffee"})
    owners(tmp_path).delete("mem_id = 'd'")
    owners(tmp_path).add(pa.Table.from_pylist([row("e", "New")], schema=SCHEMA))
    clinic.reader.refresh()

    third = clinic.side_state.bring_up(clinic.reader)

    assert [(4, 0, True), (0, 0, False), (2, 1, False)] == [
        (b.looked_at, b.dropped, b.full) for b in (first, again, third)
    ]
    assert {"a", "b", "c", "e"} == set(clinic.side_state.get("abcde"))


def test_a_vector_older_than_its_text_is_known(clinic: Clinic, tmp_path: Path) -> None:
    """A new text under an old vector is told; embedding it again settles it."""
    clinic.side_state.bring_up(clinic.reader)
    for values, stale in (({"正文": "喜欢喝茶"}, 1), ({"vec": [0.0, 1.0, 0.0]}, 0), ({"正文": "喜欢喝茶。"}, 1)):
        owners(tmp_path).update(where="mem_id = 'c'", values=values)
        clinic.reader.refresh()

        clinic.side_state.bring_up(clinic.reader)

        assert {"rows": 4, "stale_vectors": stale, "known_space": 0} == clinic.side_state.counts()


@pytest.mark.parametrize("text", ["I moved to Bergen.", "我住在杭州。"])
def test_vectors_alone_are_brought_up_and_claims_and_links_later(clinic: Clinic, tmp_path: Path, text: str) -> None:
    """Whether a vector is of its text is known at once; claims and links wait, told as older, and then are whole."""
    side = clinic.side_state
    first = side.bring_up_vectors(clinic.reader)
    untied = side.tied(), side.links("abcd")
    side.bring_up(clinic.reader)
    tied, before, went = side.tied(), side.links("c"), side.links("d")
    owners(tmp_path).update(where="mem_id = 'c'", values={"正文": text})
    owners(tmp_path).delete("mem_id = 'd'")
    clinic.reader.refresh()

    again = side.bring_up_vectors(clinic.reader)
    stale, stands = side.stale(clinic.reader), (side.version(), side.tied(), side.links("c"))
    side.bring_up(clinic.reader)
    memory = clinic.reader.fetch(["c"])["c"]
    mark = memory.vector.mark if memory.vector else None

    assert (None, set()) == untied
    assert [(4, True), (1, False)] == [(one.looked_at, one.full) for one in (first, again)]
    assert frozenset("c") == stale
    assert (clinic.reader.version, tied, before) == stands
    assert clinic.reader.version == side.tied()
    assert links(memory, mark) == side.links("c")
    assert links(memory, mark) != before
    assert went
    assert set() == side.links("d")


def test_claims_of_another_reading_are_not_kept_by_vectors_alone(clinic: Clinic, tmp_path: Path) -> None:
    """Where rows are read another way now, what was tied is gone, though only vectors were brought up."""
    clinic.side_state.bring_up(clinic.reader)
    other = Clinic(make_config(tmp_path, mapping=MAPPING | {"volatile": []}, metadata={"required": []}), FakeClock())

    other.side_state.bring_up_vectors(other.reader)

    assert (None, set()) == (other.side_state.tied(), other.side_state.links("abcd"))


def test_the_space_that_was_seen_stays_until_the_vector_changes(clinic: Clinic, tmp_path: Path) -> None:
    """Rows seen to be of a space are known to be, also in an unchanged table; a new vector is of no known space."""
    clinic.side_state.bring_up(clinic.reader)
    told = clinic.side_state.bring_up(clinic.reader, {"a": "s1", "c": "s1"})
    spaces = {i: d.vector_space for i, d in clinic.side_state.get("abcd").items()}
    owners(tmp_path).update(where="mem_id = 'c'", values={"vec": [0.0, 1.0, 0.0]})
    owners(tmp_path).update(where="mem_id = 'a'", values={"正文": "要香菜"})
    clinic.reader.refresh()

    clinic.side_state.bring_up(clinic.reader)

    assert (2, False) == (told.looked_at, told.full)
    assert {"a": "s1", "b": None, "c": "s1", "d": None} == spaces
    assert ["s1", None] == [clinic.side_state.get("ac")[i].vector_space for i in "ac"]


def test_another_mapping_derives_anew(clinic: Clinic, tmp_path: Path, clock: FakeClock) -> None:
    """What was derived from rows read another way is of no use."""
    clinic.side_state.bring_up(clinic.reader)
    other = Clinic(make_config(tmp_path, mapping=MAPPING | {"volatile": []}, metadata={"required": []}), clock)

    assert (None, True) == (other.side_state.version(), other.side_state.bring_up(other.reader).full)


@pytest.mark.parametrize(
    ("before", "vector", "expected"),
    [
        (None, "v1", ("new", "s1")),
        (Derived("old", "m", None, "v1", "old", "s0"), "v1", ("old", "s1")),
        (Derived("old", "m", None, "v0", "old", "s0"), "v1", ("new", "s1")),
        (Derived("old", "m", None, "v1", "older", "s0"), None, (None, None)),
    ],
    ids=["first-seen", "same-vector", "new-vector", "no-vector"],
)
def test_where_a_vector_comes_from(before: Derived | None, vector: str | None, expected: tuple[Any, Any]) -> None:
    """A vector that stays comes from the text it came from; a new one from the text it is found with."""
    memory = Memory("a", "不要香菜")

    got = derive(memory, vector, "s1", before)

    text = text_digest(memory)
    assert (expected[0] and expected[0].replace("new", text), expected[1]) == (got.vector_text, got.vector_space)


def test_claim_and_factor_are_kept(clinic: Clinic) -> None:
    """The claim a writer gave and the factor of a weight belong to what is derived."""
    memory = Memory("a", "x", claim={"entity": "我", "value": 1.50})

    got = derive(memory, None, None, Derived("x", "y", factor=0.5))

    assert ({"entity": "我", "value": 1.5}, 0.5) == (got.claim, got.factor)


@pytest.mark.parametrize(
    ("status", "text", "seen"),
    [
        ("active", "x", ("pending_review", "a")),
        ("archived", "x", ("archived", "a")),
        ("active", "changed", ("active", None)),
        (None, "x", ("pending_review", "a")),
    ],
)
def test_a_note_is_laid_over_the_row_it_is_about(status: str | None, text: str, seen: tuple[str, Any]) -> None:
    """A dispute lies over active rows only, and nothing lies over a row whose text is another by now."""
    note = Note(text_digest(Memory("m", "x")), {"status": "pending_review", "duplicate_of": "a", "related_ids": ["b"]})

    got = overlaid(Memory("m", text, status=status), {"m": note})

    assert seen == (got.status, got.duplicate_of)
    assert (("b",) if text == "x" else ()) == got.related_ids


@pytest.mark.parametrize(
    ("text", "expected"),
    [("x", Kept(0.5, ("b",), ("c",), True)), ("changed", Kept(1.0, ("b",), (), True))],
)
def test_what_no_owner_has_a_field_for_is_laid_over_too(text: str, expected: Kept) -> None:
    """Factor and exception go with the text they are about; the marks stay until somebody lifts them."""
    fields = {"factor": 0.5, "disputed_with": ["b"], "exception_of": ["c"], "marked": True}

    got = overlaid(Memory("m", text), {"m": Note(text_digest(Memory("m", "x")), fields)})

    assert expected == got.kept


def test_what_was_kept_of_another_text_goes_and_comes_back_with_the_rollback(clinic: Clinic) -> None:
    """A new mark of a row that was rewritten since takes the place of what is about its old text, until undone."""
    ledger = clinic.ledger
    old = {"a": Note("of another text", {"factor": 0.5, "disputed_with": ["c"]})}
    ledger.asides.take(old)
    finding_of = finding(Code.CONFLICT, [Memory("a", "不要香菜"), Memory("d", "住在上海")], ("content",), "", {}, "")
    one = Draft(StepKind.MARK_DISPUTED, finding_of, "mark", {"a": {"disputed_with": ("d",)}}, {})
    rows = clinic.writer.rows(["a", "d"])
    plan = bind([one], rows, clinic.mapping, clinic.reader.version, clinic.clock(), timedelta(hours=1), old)
    with executing(clinic.clock) as context:
        units = tuple(Unit.of(s, "", None) for s in plan.steps())

        execute(Job(IntentKind.APPLY, plan.id, "G1", units), clinic.writer, ledger, context)
        after = ledger.asides.held()
        rollback(plan.id, None, None, clinic.writer, ledger, context)

    assert {"a": Note(text_digest(Memory("a", "不要香菜")), {"disputed_with": ["d"]})} == after
    assert old == ledger.asides.held()


def test_a_view_reads_as_the_table_where_nothing_is_kept(clinic: Clinic) -> None:
    """Without notes a view gives exactly the table's memories."""
    assert list(clinic.reader.scan()) == list(View(clinic.reader, {}).scan())
    assert clinic.reader.fetch(["a"]) == View(clinic.reader, {}).fetch(["a"])


def unit(clinic: Clinic, key: str, old: Any, new: Any) -> Unit:
    """A unit that changes nothing but what is kept aside of row a."""
    from mendory import digest

    [now] = digest.row_digests(clinic.writer.rows(["a"]), clinic.mapping.volatile)
    aside = Aside(text_digest(Memory("a", "不要香菜")), (ColumnChange("superseded_by", old, new),))
    return Unit(key, key, (Edit("a", now, now, (), aside),))


def test_a_unit_planned_on_something_else_kept_aside_is_stale(clinic: Clinic) -> None:
    """Of two repairs that change the same note, the later planned on the same is refused, with what changed."""
    with executing(clinic.clock) as context:
        done = [
            execute(
                Job(IntentKind.APPLY, "p", "G1", (unit(clinic, key, old, new),)), clinic.writer, clinic.ledger, context
            )
            for key, old, new in (("s1", None, "c"), ("s2", None, "d"), ("s3", "c", "d"))
        ]

    results = [(r.outcome, r.reason) for [r] in done]
    assert [
        (Outcome.APPLIED, ""),
        (Outcome.STALE, "changed since the plan: what is kept aside of a"),
        (Outcome.APPLIED, ""),
    ] == results
    assert {"superseded_by": "d"} == clinic.ledger.asides.held()["a"].fields


def test_a_crash_after_the_commit_keeps_what_stands_aside(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies between commit and receipt: recovery finds the commit and keeps the relation too."""
    plan = clinic.plan().plan
    assert plan is not None
    approve(clinic, plan.id, None, "li.wei")
    later, recovered = died_after_its_commit(clinic, plan.id, monkeypatch)

    assert [Outcome.APPLIED] == [r.outcome for one in recovered for r in one.results]
    assert {"duplicate_of": "a"} == later.ledger.asides.held()["b"].fields


def test_notes_of_memory_text_leave_with_the_images(clinic: Clinic, clock: FakeClock) -> None:
    """Past retention a repair's part aside is gone from its images; what stands aside now stays."""
    healed(clinic)
    clock.move(days=31)

    forgotten = clinic.ledger.intents.forget_images(clock() - timedelta(days=30))

    assert forgotten
    with clinic.ledger.transaction() as conn:
        assert [(None,)] * 2 == [tuple(r) for r in conn.exec_driver_sql("SELECT aside FROM item")]
    assert {"duplicate_of": "a"} == clinic.ledger.asides.held()["b"].fields
    assert clinic.ledger.verify()


def test_owner_who_deletes_the_row_of_a_note(clinic: Clinic, tmp_path: Path) -> None:
    """When the owner deletes the kept row, the merged one's relation dangles and is found."""
    healed(clinic)
    owners(tmp_path).delete("mem_id = 'a'")

    found = [f for f in clinic.check().findings if f.code.value != "embedding_non_finite"]

    assert [("reference_dangling", ("b",), True)] == [(f.code.value, f.ids, f.evidence["hidden"]) for f in found]


def test_plan_with_asides_survives_json(clinic: Clinic) -> None:
    """A plan whose steps keep something aside is the same after it was stored."""
    plan = clinic.plan().plan
    assert plan is not None

    again = type(plan).from_json(json.loads(json.dumps(plan.as_json())))

    assert (plan, plan.id) == (again, again.id)
    assert [1] == [sum(e.aside is not None for e in s.edits) for s in plan.steps()]


def test_a_stale_vector_is_found_before_the_side_state_is_brought_up(clinic: Clinic, tmp_path: Path) -> None:
    """A check sees a text that was changed under its vector since the last plan, and nothing when both were."""
    clinic.side_state.bring_up(clinic.reader)
    owners(tmp_path).update(where="mem_id = 'c'", values={"正文": "喜欢喝咖啡"})
    owners(tmp_path).update(where="mem_id = 'd'", values={"正文": "Lives in Oslo", "vec": [0.0, 1.0, 0.0]})

    found = clinic.check().findings

    assert [("c",)] == [f.ids for f in found if f.code.value == "embedding_stale_text"]
    assert {"rows": 4, "stale_vectors": 0, "known_space": 0} == clinic.side_state.counts()
