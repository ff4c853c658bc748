"""Doubts about scopes: from counts alone, in any order of rows, told a few at a time, without a text or a name."""

from __future__ import annotations

import doctest
import json
import random
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.cli.selection import Selection
from mendory.detect import Settings, examine
from mendory.detect.scopes import Scopes, again, told
from mendory.finding import Code, Finding
from mendory.record import Memory
from mendory.scopes import ancestors_by
from mendory.scopes.doubt import MOST, Wishes
from mendory.scopes.doubts import CODES, capped, doubts
from mendory.scopes.names import bare, differences, form, own_names
from mendory.scopes.people import called

OWNERS = ("owner", "user_id")


def row(name: str, scope: str | None, text: str = "", **metadata: Any) -> Memory:
    """An active row."""
    return Memory(id=name, content=text or f"of {name}", scope=scope, metadata=metadata, status="active")


def found(rows: Sequence[Memory], wishes: Wishes | None = None) -> list[Finding]:
    """What is found of the scopes of these rows."""
    detector = Scopes((), OWNERS, wishes or Wishes())
    for one in rows:
        detector.observe(one)
    return list(detector.findings(lambda ids: {}))


def codes(rows: Sequence[Memory], wishes: Wishes | None = None) -> list[tuple[str, tuple[str, ...]]]:
    """(code, ids) of each."""
    return sorted((one.code.value, one.ids) for one in found(rows, wishes))


def saying(scope: str, *texts: str) -> list[Memory]:
    """Rows of a scope that say so."""
    return [row(f"{scope}-{n}", scope, text) for n, text in enumerate(texts)]


BORIS = saying("u2", "My name is Boris")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # the scope's user is known by another name, oftener
        (
            [*saying("u1", "My name is Anna", "The user's name is Anna", "My name is Boris"), *BORIS],
            [("scope_subject", ("u1-2",))],
        ),
        (
            [*saying("u1", "我叫王芳", "用户的名字是王芳", "我叫李雷"), *saying("u2", "我的名字叫李雷")],
            [("scope_subject", ("u1-2",))],
        ),
        # as often the one as the other: whose name nobody else has is the user's
        ([*saying("u1", "My name is Anna", "My name is Boris"), *BORIS], [("scope_subject", ("u1-1",))]),
        ([*saying("u1", "我叫王芳", "我叫李雷"), *saying("u2", "我叫李雷")], [("scope_subject", ("u1-1",))]),
        # a name that nobody else has may be a new one
        ([*saying("u1", "My name is Anna", "My name is Boris"), *saying("u2", "My name is Carla")], []),
        ([*saying("u1", "我叫王芳", "我叫李雷"), *saying("u2", "我叫赵敏")], []),
        # a short form
        ([*saying("u1", "My name is Alexander", "My name is Alex"), *saying("u2", "My name is Alex")], []),
        ([*saying("u1", "我叫张三丰", "我叫小张"), *saying("u2", "我叫小张")], []),
        # namesakes
        ([*saying("u1", "My name is Anna"), *saying("u2", "My name is Anna")], []),
        ([*saying("u1", "我叫王芳"), *saying("u2", "我叫王芳")], []),
    ],
)  # fmt: skip
def test_a_user_by_another_scope_s_name(rows: list[Memory], expected: list[tuple[str, tuple[str, ...]]]) -> None:
    """A row that gives the user the name of another scope's is told where its own user evidently has another."""
    assert expected == codes(rows)


@pytest.mark.parametrize(
    ("texts", "people"),
    [
        (("My name is Anna", "My name is Boris", "The user's name is Carla"), 3),
        (("我叫王芳", "我的名字叫李雷", "用户的名字是赵敏"), 3),
        (("My name is Alexander", "My name is Alex", "The user's name is Boris"), 0),
        (("我叫王芳", "用户的名字是王芳", "我喜欢喝茶"), 0),
    ],
)
def test_several_people_in_a_default_scope_by_their_names(texts: tuple[str, ...], people: int) -> None:
    """Three names that users give themselves are three people; two may be one person's, and a short form is."""
    told_of = [one for one in found(saying("default", *texts)) if one.code is Code.SCOPE_COLLAPSED]

    assert [people] * bool(people) == [one.evidence["people"] for one in told_of]


def test_no_scope_anywhere_is_a_collapse_only_where_several_people_are_told() -> None:
    """Where no row has a scope nothing tells them apart; where some have, each row without is told by itself."""
    nobody = [row("a", None, user_id="1"), row("b", " ", user_id="2")]

    assert [("scope_collapsed", ("a", "b"))] == codes(nobody)
    assert [None] == [one.scope for one in found(nobody)]
    assert [] == codes([*nobody, row("c", "dora", user_id="3")])
    assert [] == codes([row("a", None, user_id="1"), row("b", None, user_id="1")])


def test_the_names_that_stand_for_nobody_are_the_owner_s_to_say() -> None:
    """Another list of defaults is another list of scopes that may be collapsed."""
    rows = [row("a", "tenant-0", user_id="1"), row("b", "tenant-0", user_id="2")]

    assert [] == codes(rows)
    assert [("scope_collapsed", ("a", "b"))] == codes(rows, Wishes(defaults=("Tenant_0",)))
    assert [] == codes([row("a", "default", user_id="1"), row("b", "default", user_id="2")], Wishes(defaults=()))


def test_parts_are_declared_to_lie_in_one_another() -> None:
    """Conversations and variants that are declared to lie in their owner's scope are no split."""
    rows = [row(f"s{n}", f"ann/2026-01-0{n}", owner="ann") for n in range(1, 5)]
    rows += [row("v1", "ann", owner="ann"), row("v2", "user:ann", owner="ann"), row("b", "ben", owner="ben")]

    assert ["scope_split"] == [code for code, _ in codes(rows)]
    parents = ancestors_by({"{user}/{day}": "{user}", "user:ann": "acme", "ann": "acme"})
    assert [] == codes(rows, Wishes(parents))


def test_many_doubts_are_told_by_their_number() -> None:
    """Of 400 misspelt pairs 50 are findings, and each says how many there are; so in a table of many scopes."""
    rows = [row(f"{number:05d}{end}", f"name{number:05d}x{end}") for number in range(400) for end in ("y", "Y")]

    seen = found(rows)

    assert MOST == len(seen)
    assert {400} == {one.evidence["such"] for one in seen}
    assert seen[0].reason.endswith(f"; one of 400 such, of which {MOST} are told")
    assert [f"name{n:05d}xY" for n in range(MOST)] == [one.scope for one in seen]


def test_a_doubt_names_few_rows_the_smallest() -> None:
    """Of a thousand rows three stand for the finding, whatever their order; the evidence says how many there are."""
    rows = [row(f"a{n:04d}", "ann", owner="ben") for n in range(1000)]
    rows += [row(f"o{n:04d}", "ann", owner="ann") for n in range(2000)] + [row("b", "ben", owner="ben")]
    random.Random(7).shuffle(rows)

    [one] = found(rows)

    assert ("a0000", "a0001", "a0002") == one.ids
    assert {"rows": 1000, "of": 3000, "elsewhere": "ben"} == dict(one.evidence)


def test_rows_that_come_do_not_make_it_another_finding() -> None:
    """What a person dismissed stays dismissed when the scopes get more rows."""
    rows = [row("m5", "Ann"), row("m6", "ann")]

    before, after = found(rows), found([*rows, row("m1", "ann"), row("m2", "Ann")])

    assert [one.id for one in before] == [one.id for one in after]
    assert [("m5", "m6"), ("m1", "m2")] == [one.ids for one in (*before, *after)]


def test_nothing_is_kept_that_can_be_read() -> None:
    """Neither counts nor findings hold a name that a text gives, nor an owner who is no scope."""
    texts = ("My name is Quentin", "我叫欧阳锋")
    rows = [*saying("u1", *texts), row("o", "u1", owner="Theodora"), *saying("u2", *texts), row("p", "u2", owner="u2")]
    rows += [row(f"d{n}", "default", "My name is Quentin", owner=f"Theodora {n}", tenant="Theodora") for n in range(3)]

    kept = Counter(key for one in rows for key in told(one, (), OWNERS))
    said = json.dumps([list(kept), [one.as_json() for one in found(rows)]], ensure_ascii=False).casefold()

    assert found(rows) != []
    assert [] == [name for name in ("quentin", "欧阳", "theodora") if name in said]


def test_a_table_without_scopes_is_counted_of_nothing() -> None:
    """Where the mapping says that there are no scopes, or recall returns no row, nothing is counted."""
    one = row("a", "ann", owner="ben")

    assert [] == list(told(one, {"scope"}, OWNERS))
    assert [] == list(told(Memory(id="a", content="x", scope="ann", status="archived"), (), OWNERS))
    assert [("live", "ann")] == list(told(Memory(id="a", content="x", scope="ann"), {"status"}, OWNERS))


SCOPES = (
    "ann",
    "Ann",
    "ann_old",
    "user:ann",
    "ben",
    "default",
    "team_a/b",
    "team/a_b",
    "team_a_b",
    "",
    "sess-1a2b3c4d",
)
TEXTS = ("My name is Ben", "我叫小王", "My name is Ann", "喜欢喝茶", "Takes the tram")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(SCOPES), st.sampled_from(("ann", "ben", "u9", "")), st.sampled_from(TEXTS), st.booleans()
    ),
    max_size=40,
)  # fmt: skip


def made(told_of: Sequence[tuple[str, str, str, bool]]) -> list[Memory]:
    """Rows of these scopes, owners, texts; the last says whether recall returns them."""
    return [
        Memory(f"m{n:02d}", text, {"owner": owner}, scope=scope, status="active" if live else "archived")
        for n, (scope, owner, text, live) in enumerate(told_of)
    ]


@given(ROWS, st.randoms())
def test_the_order_of_rows_changes_nothing(told_of: list[tuple[str, str, str, bool]], rng: random.Random) -> None:
    """What is found is the same in any order of the rows."""
    rows = made(told_of)
    mixed = rng.sample(rows, len(rows))

    assert found(rows) == found(mixed)


@given(ROWS, ROWS, st.sets(st.integers(0, 39)))
def test_what_counts_tell_is_what_all_rows_tell(
    first: list[tuple[str, str, str, bool]], then: list[tuple[str, str, str, bool]], gone: set[int]
) -> None:
    """From the counts and examples of before, and the rows that changed, the same as from every row now, or nothing."""
    rows = {m.id: m for m in made(first)}
    later = {i: m for n, (i, m) in enumerate(rows.items()) if n not in gone}
    later |= {f"x{m.id}" if n % 2 else str(m.id): _as(m, n) for n, m in enumerate(made(then))}
    touched = {i for i in {*rows, *later} if rows.get(i) != later.get(i)}
    before, whole = Scopes((), OWNERS, Wishes()), Scopes((), OWNERS, Wishes())
    for one in rows.values():
        before.observe(one)
    for one in later.values():
        whole.observe(one)
    expected = list(whole.findings(lambda ids: {}))
    list(before.findings(lambda ids: {}))

    counted = [Counter(k for m in held for k in told(m, (), OWNERS)) for held in (rows.values(), later.values())]
    fresh = [(str(m.id), key) for i, m in later.items() if i in touched for key in told(m, (), OWNERS)]
    got = again(counted[0], counted[1], before.firsts(), touched, fresh, Wishes())

    if got is not None:
        assert (expected, dict(whole.firsts())) == (list(got[0]), dict(got[1]))
    if not touched:
        assert got is not None


def _as(memory: Memory, number: int) -> Memory:
    name = f"x{memory.id}" if number % 2 else memory.id
    return Memory(name, memory.content, memory.metadata, scope=memory.scope, status=memory.status)


@given(st.text(max_size=30))
def test_any_scope_has_a_spelling_and_is_spelt_like_itself(scope: str) -> None:
    """Taking a name apart gives the same each time; a spelling's spelling is itself."""
    spelt = form(scope).spelling

    assert spelt == form(spelt).spelling
    assert () == differences([scope, scope])
    assert isinstance(bare(scope), str)
    assert spelt in own_names(scope) or not spelt


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My name is Anna Lee.", ("annalee",)),
        ("The user's name is Boris", ("boris",)),
        ("我叫小王", ("小王",)),
        ("用户的名字是张三", ("张三",)),
        ("My mother's name is Ann", ()),
        ("我妈妈叫李梅", ()),
        ("I used to be called Ann", ()),
        ("What is my name?", ()),
        ("The name of the project is Falcon", ()),
        ("项目的名字叫猎鹰", ()),
    ],
)
def test_by_which_name_the_user_goes(text: str, expected: tuple[str, ...]) -> None:
    """The user's own name is read, nobody else's, in both languages."""
    assert expected == tuple(name for name, _ in called(text))


def test_an_examination_tells_what_stands_for_its_doubts() -> None:
    """A check keeps of each doubt the rows that stand for it, and knows which scopes tell nothing."""
    rows = [row("a", "Ann"), row("b", "ann"), row("c", "ben", owner="ben"), row("d", "ben", owner="ann")]

    seen = examine(rows, lambda ids: {}, Settings(required_metadata=()))

    assert {("live", "Ann"): ("a",), ("live", "ann"): ("b",)} == {
        k: v for k, v in seen.firsts.items() if k[0] == "live"
    }
    assert ({"Ann", "ann"}, {"ben"}) == (set(seen.doubtful.places), set(seen.doubtful.strays))


def test_every_code_is_told_of_by_some_doubt() -> None:
    """The six codes are those that doubts have."""
    assert set(CODES) == {one for one in Code if one.value.startswith("scope_")} - {Code.SCOPE_NOT_ALLOWED}
    assert [] == capped(doubts([], Wishes()))


@pytest.mark.parametrize("module", ["ancestry", "doubt", "names"])
def test_examples_hold(module: str) -> None:
    """What the docstrings show is what comes out."""
    failed, tried = doctest.testmod(import_module(f"mendory.scopes.{module}"))

    assert (0, True) == (failed, tried > 0)


def test_a_scope_asked_for_brings_what_is_told_of_it_and_others() -> None:
    """A finding about several scopes is one of each of them."""
    [one] = found([row("a", "Ann"), row("b", "ann"), row("c", "ben")])

    assert [True, True, False] == [Selection(scopes=frozenset({scope})).wants(one) for scope in ("ann", "Ann", "ben")]
