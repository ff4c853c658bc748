"""The write guard: what a memory is to those of its scope, and that no memory is lost by asking."""

from __future__ import annotations

import json
import logging
import math
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest

import mendory
from mendory.clinic import Clinic
from mendory.detect import Settings
from mendory.door import Door
from mendory.door.verdict import Around, Guarded, Unjudged, Verdict, covers, judged
from mendory.errors import InputInvalid, MemoryRefused
from mendory.guard import check
from mendory.language import language_of
from mendory.mapping import Mapping
from mendory.record import Memory
from mendory.telemetry import since_mark
from mendory.thresholds import Origin, Threshold, Thresholds
from mendory.veto import Veto
from tests.conftest import NOON, FakeClock, arrow, make_config, make_table, memory
from tests.door_kit import Hashing, home_row, home_table, raw

SPACE = "universal-sentence-encoder-multilingual"
KNOWN = {"kind": "usem3"}
WHO = {"scope": "u1", "source": "user_stated"}
ABOUT = {"topic": "general", "entities": ["user"], "scene": "daily"}
CASES = Path(__file__).parent / "cases" / "near"


def toward(cosine: float) -> list[float]:
    """A vector of that cosine to [1, 0, 0, 0]."""
    return [cosine, math.sqrt(1 - cosine * cosine), 0.0, 0.0]


@pytest.fixture
def door(tmp_path: Path, clock: FakeClock) -> Callable[..., Door]:
    """`door(rows)` makes a table of our own holding the rows and opens its door; vectors are of a known space."""

    def make(rows: Any = (), **sections: Any) -> Door:
        make_table(tmp_path, rows)
        ids = iter(f"new-{n}" for n in range(10_000))
        sections = {"embedder": KNOWN, **sections}
        sections = {name: held for name, held in sections.items() if held is not None}
        return mendory.open(
            make_config(tmp_path, **sections), embedder=Hashing(), clock=clock, new_id=lambda: next(ids)
        )

    return make


def told(door: Door, content: str, vector: list[float] | None = None, **fields: Any) -> Guarded:
    """What the guard says of a fact of the first scope."""
    given = {**WHO, "metadata": ABOUT, "kind": "fact", "content": content, **fields}
    return door.guard.check(given | ({"embedding": vector} if vector else {}))


def foreign(door: Door) -> Any:
    """The table as another program has it."""
    return lancedb.connect(door.config.table_uri).open_table(door.config.table.name)


# --- exact ---------------------------------------------------------------------------------------


@pytest.mark.lance
@pytest.mark.parametrize("text", ["Likes green tea", "喜欢喝绿茶"])
def test_an_exact_double_write_is_refused_and_the_memory_that_is_there_is_named(
    door: Callable[..., Door], text: str
) -> None:
    """Nothing is written, the id of the row is in the message and the text is not."""
    open_door = door()
    first = open_door.add(text, **WHO)

    found = open_door.guard.check({"content": text, **WHO})
    with pytest.raises(MemoryRefused) as caught:
        open_door.add(text, **WHO)

    assert (Verdict.DUPLICATE_EXACT, (first,), 1.0, True) == (found.verdict, found.ids, found.score, found.covered)
    assert ("duplicate_exact",) == caught.value.codes
    assert f"'{first}'" in str(caught.value)
    assert text not in str(caught.value)
    assert 1 == foreign(open_door).count_rows()


@pytest.mark.lance
def test_a_memory_said_again_after_the_window_is_new_and_names_what_it_restates(
    door: Callable[..., Door], clock: FakeClock
) -> None:
    """Outside the window the same text is history; in another scope or kind of metadata it is another memory."""
    open_door = door()
    first = open_door.add("Likes green tea", **WHO)
    other = open_door.guard.check({"content": "Likes green tea", **WHO, "scope": "u2"})
    clock.move(hours=2)
    later = open_door.guard.check({"content": "Likes green tea", **WHO})
    second = open_door.add("Likes green tea", **WHO)

    assert (Verdict.NEW, ()) == (other.verdict, other.ids)
    assert (Verdict.NEW, (first,)) == (later.verdict, later.ids)
    assert first != second


@pytest.mark.lance
@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {**ABOUT, "place": "Oslo"}},
        {"related_notes": ["only in the morning"]},
        {"source": "system_log"},
        {"related_ids": ["m2"]},
    ],
    ids=["metadata", "notes", "source", "relation"],
)
def test_a_double_write_that_brings_something_is_written_and_noted(
    door: Callable[..., Door], more: dict[str, Any]
) -> None:
    """Refusing it would lose what the row that is there does not hold."""
    open_door = door([memory("m1", content="Likes green tea"), memory("m2")])
    given = {"metadata": ABOUT, "kind": "fact", **WHO, **more}

    found = open_door.guard.check({"content": "Likes green tea", **given})
    name = open_door.add("Likes green tea", **given)

    assert (Verdict.DUPLICATE_EXACT, ("m1",), False) == (found.verdict, found.ids, found.covered)
    assert "Likes green tea" == open_door.get(name).content


@pytest.mark.lance
def test_with_note_a_double_write_is_written_and_the_next_check_says_so(door: Callable[..., Door]) -> None:
    """Ids and numbers are in the telemetry file, no text; once shown they are not shown again."""
    open_door = door(guard={"duplicate_exact": "note"})
    first = open_door.add("Likes green tea", **WHO)
    second = open_door.add("Likes green tea", **WHO)
    clinic = Clinic(open_door.config)

    seen = clinic.check(mark=True).door_writes
    again = clinic.check(mark=True).door_writes

    [noted] = seen.notes
    assert ({"duplicate_exact": 1}, {}) == (dict(seen.guarded), dict(again.guarded))
    assert (second, (first,), "duplicate_exact", 1.0, False) == (
        noted.id,
        noted.about,
        noted.verdict,
        noted.score,
        noted.refused,
    )
    assert b"green" not in open_door.config.telemetry_path.read_bytes()


@pytest.mark.lance
def test_a_refused_memory_is_noted_as_refused(door: Callable[..., Door]) -> None:
    """It is no door write: nothing was written."""
    open_door = door()
    open_door.add("Likes green tea", **WHO)
    with pytest.raises(MemoryRefused):
        open_door.add("Likes green tea", **WHO)

    seen = since_mark(open_door.config.telemetry_path, open_door.config.door_place)

    assert ({"add": 1}, {"refused": 1}, None) == (dict(seen.by_verb), dict(seen.guarded), seen.notes[0].version)


@pytest.mark.lance
def test_of_threads_that_add_one_text_at_once_one_wins(door: Callable[..., Door]) -> None:
    """The verdict and the write are one step for the threads of a door."""
    open_door = door()
    outcomes: list[str] = []
    gate = threading.Barrier(6)

    def add() -> None:
        gate.wait()
        try:
            outcomes.append(open_door.add("Likes green tea", **WHO))
        except MemoryRefused as error:
            outcomes.append(error.codes[0])

    threads = [threading.Thread(target=add) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 5 == outcomes.count("duplicate_exact")
    assert 1 == foreign(open_door).count_rows()


# --- near, and vetoed ----------------------------------------------------------------------------


@pytest.mark.lance
@pytest.mark.parametrize(
    ("held", "text"),
    [("User prefers short replies", "The user prefers short replies"), ("用户喜欢简短回复", "用户喜欢简短的回复")],
)
def test_the_same_in_other_words_is_named_and_written(door: Callable[..., Door], held: str, text: str) -> None:
    """A near duplicate is never refused: it is noted."""
    open_door = door([memory("m1", content=held, embedding=[1.0, 0, 0, 0])])

    found = told(open_door, text, toward(0.96))
    name = open_door.add(text, metadata=ABOUT, kind="fact", embedding=toward(0.96), **WHO)
    [noted] = since_mark(open_door.config.telemetry_path, open_door.config.door_place).notes

    assert (Verdict.DUPLICATE_NEAR, ("m1",), (), ()) == (found.verdict, found.ids, found.vetoes, found.unjudged)
    assert found.score is not None
    assert (name, "duplicate_near", ("m1",), found.score) == (noted.id, noted.verdict, noted.about, noted.score)


@pytest.mark.lance
@pytest.mark.parametrize(
    ("held", "text", "vetoes"),
    [
        ("User drinks two cups of coffee a day", "User drinks three cups of coffee a day", (Veto.NUMBER,)),
        ("The user likes coffee in the morning", "The user does not like coffee in the morning", (Veto.POLARITY,)),
        ("用户每天喝两杯咖啡", "用户每天喝三杯咖啡", (Veto.NUMBER,)),
        ("用户喜欢早上喝咖啡", "用户不喜欢早上喝咖啡", (Veto.POLARITY,)),
    ],
)
def test_what_only_a_veto_keeps_apart_is_a_conflict_candidate(
    door: Callable[..., Door], held: str, text: str, vetoes: tuple[Veto, ...]
) -> None:
    """However near the vectors: the veto says why, and the memory is written."""
    open_door = door([memory("m1", content=held, embedding=[1.0, 0, 0, 0])])

    found = told(open_door, text, toward(0.98))
    name = open_door.add(text, metadata=ABOUT, kind="fact", embedding=toward(0.98), **WHO)

    assert (Verdict.CONFLICT_CANDIDATE, ("m1",), vetoes) == (found.verdict, found.ids, found.vetoes)
    assert text == open_door.get(name).content


@pytest.mark.lance
@pytest.mark.parametrize(
    "fields",
    [
        {"scope": "u2"},
        {"status": "archived"},
        {"kind": "event"},
        {"metadata": {**ABOUT, "scene": "at work"}},
        {"embedding": [0.0, 0.0, 1.0, 0.0]},
        {"content": "Nutzer trinkt jeden Morgen gern grünen Tee"},
    ],
    ids=["scope", "archived", "event", "scene", "far", "language"],
)
def test_what_may_not_be_one_memory_is_new(door: Callable[..., Door], fields: dict[str, Any]) -> None:
    """Another scope, an archived row, an event, another scene, a far vector, another language."""
    row = {"content": "User prefers short replies", "embedding": [1.0, 0, 0, 0], **fields}
    open_door = door([memory("m1", **row)])

    assert (Verdict.NEW, ()) == (lambda g: (g.verdict, g.ids))(
        told(open_door, "The user prefers short replies", toward(0.96))
    )


@pytest.mark.lance
def test_an_update_is_never_refused_and_its_own_row_is_no_other(door: Callable[..., Door]) -> None:
    """A memory that becomes what another says is noted; one that stays what it was is not compared with itself."""
    open_door = door()
    first, second = open_door.add("Likes green tea", **WHO), open_door.add("Plays chess on Sundays", **WHO)

    open_door.update(second, content="Likes green tea")
    open_door.update(first, content="Likes  green tea ")
    noted = since_mark(open_door.config.telemetry_path, open_door.config.door_place).notes

    assert [(second, (first,)), (first, (second,))] == [(n.id, n.about) for n in noted]


# --- what is known, and what is not --------------------------------------------------------------


@pytest.mark.lance
def test_in_a_space_of_which_no_bound_is_known_only_exact_writes_are_found(door: Callable[..., Door]) -> None:
    """It says so; a bound that the owner has calibrated is one."""
    open_door = door([memory("m1", content="User prefers short replies", embedding=[1.0, 0, 0, 0])], embedder=None)
    near = told(open_door, "The user prefers short replies", toward(0.99))
    exact = told(open_door, "User prefers short replies", toward(1.0))
    bound = Threshold("unknown", "en", 0.5, Origin.CALIBRATED, 0.5)
    ledger = Clinic(open_door.config).ledger
    ledger.thresholds.keep(bound, "ann")
    ledger.close()
    with mendory.open(open_door.config, embedder=Hashing(), clock=lambda: NOON) as again:
        calibrated = told(again, "The user prefers short replies", toward(0.99))

    assert (Verdict.NEW, (Unjudged.SPACE,)) == (near.verdict, near.unjudged)
    assert (Verdict.DUPLICATE_EXACT, ("m1",)) == (exact.verdict, exact.ids)
    assert (Verdict.DUPLICATE_NEAR, ("m1",)) == (calibrated.verdict, calibrated.ids)


@pytest.mark.lance
def test_a_text_that_no_language_reads_is_compared_by_its_letters_alone(door: Callable[..., Door]) -> None:
    """No pack, no veto, so nothing is near; the very same text is a double write."""
    open_door = door([memory("m1", content="お茶が好きです", embedding=[1.0, 0, 0, 0])])

    near, exact = told(open_door, "お茶が大好きです", toward(0.99)), told(open_door, "お茶が好きです", toward(1.0))

    assert (Verdict.NEW, (Unjudged.LANGUAGE,)) == (near.verdict, near.unjudged)
    assert (Verdict.DUPLICATE_EXACT, ("m1",)) == (exact.verdict, exact.ids)


@pytest.mark.lance
def test_a_table_without_a_scope_is_compared_with_nothing(tmp_path: Path) -> None:
    """Nobody knows whose memories they are."""
    table = arrow([memory("m1", content="Likes green tea")]).drop_columns(["scope"])
    lancedb.connect(str(tmp_path)).create_table("memories", data=table)
    config = make_config(tmp_path, mapping={"absent": ["scope"]})
    with mendory.open(config, embedder=Hashing(), clock=lambda: NOON) as open_door:
        given = {"content": "Likes green tea", "source": "user_stated", "metadata": ABOUT, "kind": "fact"}
        found = open_door.guard.check(given)
        open_door.add(**given)

    assert (Verdict.NEW, (Unjudged.SCOPE,)) == (found.verdict, found.unjudged)


@pytest.mark.lance
def test_a_table_without_vectors_is_compared_by_its_texts(tmp_path: Path) -> None:
    """Double writes are found; texts that fold to one are near by their words alone."""
    table = arrow([memory("m1", content="User prefers short replies")]).drop_columns(["embedding"])
    lancedb.connect(str(tmp_path)).create_table("memories", data=table)
    config = make_config(tmp_path, embedder=KNOWN, mapping={"absent": ["embedding"]})
    with mendory.open(config, clock=lambda: NOON) as open_door:
        exact = told(open_door, "User prefers short replies")
        near = told(open_door, "User prefers short replies!")
        new = told(open_door, "User plays chess on Sundays")

    assert [Verdict.DUPLICATE_EXACT, Verdict.DUPLICATE_NEAR, Verdict.NEW] == [g.verdict for g in (exact, near, new)]


@pytest.mark.lance
def test_rows_without_a_vector_are_found_by_their_text(door: Callable[..., Door]) -> None:
    """A null vector hides no double write."""
    open_door = door([memory("m1", content="Likes green tea", embedding=None)])

    assert (Verdict.DUPLICATE_EXACT, ("m1",)) == (lambda g: (g.verdict, g.ids))(told(open_door, "Likes green tea"))


@pytest.mark.lance
def test_switched_off_it_says_so_and_holds_nothing(door: Callable[..., Door]) -> None:
    """Every memory is written as it was without a guard."""
    open_door = door(guard={"enabled": False})
    open_door.add("Likes green tea", **WHO)
    found = open_door.guard.check({"content": "Likes green tea", **WHO})
    open_door.add("Likes green tea", **WHO)

    assert Guarded(Verdict.NEW, unjudged=(Unjudged.OFF,)) == found
    assert 2 == foreign(open_door).count_rows()


@pytest.mark.lance
def test_a_table_too_large_for_its_memory_is_not_held(door: Callable[..., Door]) -> None:
    """A guard does not fill an agent's process: at 3,500 bytes a row, 500 rows are over a megabyte."""
    open_door = door([memory(f"m{n}") for n in range(500)], guard={"max_memory_mb": 1})

    assert (Unjudged.SIZE,) == told(open_door, "A memory of its own, m7").unjudged


@pytest.mark.lance
def test_what_cannot_be_read_breaks_no_write(door: Callable[..., Door], caplog: pytest.LogCaptureFixture) -> None:
    """An agent's memory is worth more than a verdict: it is written, and the log says what happened."""
    open_door = door([memory("m1")])
    ledger = Path(open_door.config.ledger_url.removeprefix("sqlite:///"))
    ledger.parent.mkdir()
    ledger.write_bytes(b"no ledger" * 1000)
    with caplog.at_level(logging.WARNING, "mendory.door.guard"):
        name = open_door.add("Likes green tea", embedding=toward(1.0), **WHO)

    assert ["A memory was compared with no other one: ledger_corrupt."] == [r.getMessage() for r in caplog.records]
    assert "Likes green tea" == raw(open_door.config, "id", name)["content"]


# --- following the table -------------------------------------------------------------------------


@pytest.mark.lance
@pytest.mark.parametrize("fragments", [1, 3])
def test_what_others_write_is_seen_at_once(door: Callable[..., Door], fragments: int) -> None:
    """Added, archived, changed in a column, deleted, compacted, made anew: the verdict is of the newest version."""
    open_door = door()
    table = foreign(open_door)
    for n in range(fragments):
        table.add(arrow([memory(f"other-{n}-{k}") for k in range(9)]))
    new = Verdict.NEW, ()
    held = Verdict.DUPLICATE_EXACT, ("m1",)

    def says() -> tuple[Verdict, tuple[str, ...]]:
        found = told(open_door, "Likes green tea")
        return found.verdict, found.ids

    assert new == says()
    table.add(arrow([memory("m1", content="Likes green tea")]))
    assert held == says()
    table.update(where="id = 'm1'", values={"status": "archived"})
    assert new == says()
    table.update(where="id = 'm1'", values={"status": "active"})
    assert held == says()
    table.optimize()
    assert held == says()
    table.update(where="id = 'm1'", values={"content": "Likes black tea"})
    assert new == says()
    part = arrow([memory("m1", content="Likes green tea")]).select(["id", "content"])
    table.merge_insert("id").when_matched_update_all().execute(part)
    assert held == says()
    table.delete("id = 'm1'")
    assert new == says()
    db = lancedb.connect(open_door.config.table_uri)
    db.create_table("memories", data=arrow([memory("m1", content="Likes green tea")]), mode="overwrite")
    assert held == says()


@pytest.mark.lance
def test_a_table_whose_files_are_elsewhere_is_followed_too(
    door: Callable[..., Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no manifest can be read here, rows that came and went are told by their numbers."""
    from mendory.lance import following

    whole = following.Following
    monkeypatch.setattr("mendory.door.guard.Following", lambda uri, name: whole(uri, name, folder=lambda *_: None))
    open_door = door([memory(f"other-{k}") for k in range(9)])
    table, seen = foreign(open_door), []
    for change in (
        lambda: None,
        lambda: table.add(arrow([memory("m1", content="Likes green tea")])),
        lambda: table.update(where="id = 'm1'", values={"status": "archived"}),
        lambda: table.add(arrow([memory("m2", content="Likes green tea")])),
        lambda: table.delete("id = 'm2'"),
    ):
        change()
        seen.append(told(open_door, "Likes green tea").ids)

    assert [(), ("m1",), (), ("m2",), ()] == seen


@pytest.mark.lance
def test_an_owners_own_table_is_guarded_in_its_own_shape(tmp_path: Path) -> None:
    """Scope in two columns, status as a mark: the hidden row is none, the shown one is named."""
    config = home_table(tmp_path, [home_row("a1", "喜欢喝绿茶", is_deleted=1), home_row("a2", "喜欢喝绿茶")])
    with mendory.open(config, embedder=Hashing()) as open_door:
        now = open_door.get("a2").created_at
        assert now is not None
        given = {"content": "喜欢喝绿茶", "scope": "甲/7", "source": "user_stated", "metadata": {"topic": "饮食"}}
        same = open_door.guard.check(
            {**given, "created_at": now + timedelta(minutes=1), "columns": {"info.weight": 1.5, "photo": b"\x00\xff"}}
        )
        other = open_door.guard.check({**given, "scope": "乙/7", "created_at": now})

    assert ("a2",) == same.ids
    assert ((), Verdict.NEW) == (other.ids, other.verdict)


# --- asking --------------------------------------------------------------------------------------


@pytest.mark.lance
def test_it_is_reached_from_the_package_by_door_configuration_or_file(
    door: Callable[..., Door], tmp_path: Path
) -> None:
    """`mendory.guard.check` takes what `add` takes, or a memory as the record has it."""
    text = "A memory of its own, m1"
    open_door = door([memory("m1")], embedder=None)
    (tmp_path / "mendory.toml").write_text('[table]\nuri = "."\nname = "memories"\n', encoding="utf-8")
    given = {"content": text, **WHO, "metadata": ABOUT, "kind": "fact", "created_at": NOON}
    whole = Memory(None, text, ABOUT, NOON, None, "user_stated", "u1", "active", "fact")

    found = [
        mendory.guard.check(given, open_door),
        mendory.guard.check(whole, open_door),
        check({**given, "embedding": [1.0, 0.0, 0.0, 0.0]}, open_door.config),
        check({**given, "embedding": [1.0, 0.0, 0.0, 0.0]}, tmp_path / "mendory.toml"),
    ]

    assert [("m1",)] * 4 == [one.ids for one in found]
    assert [Verdict.DUPLICATE_EXACT] * 4 == [one.verdict for one in found]
    assert 1 == foreign(open_door).count_rows()


@pytest.mark.lance
@pytest.mark.parametrize("given", ["Likes green tea", {"text": "Likes green tea"}, {"scope": "u1"}])
def test_what_add_would_not_take_is_said(door: Callable[..., Door], given: Any) -> None:
    """A text alone, an unknown name, no content."""
    with pytest.raises(InputInvalid, match="Nothing was read"):
        door().guard.check(given)


@pytest.mark.lance
def test_what_add_would_refuse_the_guard_refuses(door: Callable[..., Door]) -> None:
    """All faults at once, as `add` names them."""
    with pytest.raises(MemoryRefused) as caught:
        door().guard.check({"content": " ", "kind": "rumour", "source": "user_stated"})

    assert {"content_empty", "missing_scope", "unknown_kind"} == set(caught.value.codes)


# --- the verdict alone ---------------------------------------------------------------------------


def _cases() -> list[Any]:
    held = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in sorted(CASES.glob("*.json"))}
    pairs = [pytest.param(case, id=name) for name, case in held.items() if len(case["memories"]) == 2]
    assert pairs, f"no cases of two memories in {CASES}"
    return pairs


@pytest.mark.parametrize("case", _cases())
def test_the_guard_says_of_the_last_of_two_what_a_check_says_of_both(case: dict[str, Any]) -> None:
    """The cases of the detector of near duplicates, as writes."""
    held, last = Mapping.identity().memories(arrow([memory(**row) for row in case["memories"]]))
    language = language_of(last.content or "")
    limit = Thresholds().of(SPACE, language.code) if language else None
    near = [(held, case["cosine"])] if held.recallable and held.scope == last.scope else []

    found = judged(last, Around([], near), Settings(), limit, language.code if language else None)

    expected = Verdict.NEW
    for verdict in (Verdict.DUPLICATE_NEAR, Verdict.CONFLICT_CANDIDATE):
        expected = verdict if case[verdict.value] else expected
    assert expected == found.verdict


@pytest.mark.parametrize(
    ("held", "new", "expected"),
    [
        ({}, {}, True),
        ({"metadata": {"topic": "tea", "lang": "en"}}, {"metadata": {"topic": "tea", "lang": "zh"}}, True),
        ({"metadata": {"topic": "tea", "place": "Oslo"}}, {"metadata": {"topic": "tea"}}, True),
        ({"metadata": {"topic": "tea"}}, {"metadata": {"topic": "tea", "place": "Oslo"}}, False),
        ({"related_notes": ("a", "b")}, {"related_notes": ("b",)}, True),
        ({"related_notes": ("a",)}, {"related_notes": ("b",)}, False),
        ({"related_ids": ("x",)}, {"related_ids": ("x", "held")}, True),
        ({"related_ids": ("x",)}, {"related_ids": ("y",)}, False),
        ({"source": "system_log"}, {"source": "user_stated"}, False),
    ],
)
def test_a_memory_is_covered_by_one_that_holds_all_it_says(
    held: dict[str, Any], new: dict[str, Any], expected: bool
) -> None:
    """More in the row that is there is no loss; more in the one that would be written is."""
    assert expected == covers(Memory("held", "Likes tea", **held), Memory("new", "Likes tea", **new))
