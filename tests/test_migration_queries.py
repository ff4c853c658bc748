"""Queries whose answers are known: made from memories by rule, in two languages, and judged by people."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.errors import InputInvalid
from mendory.language import language_of
from mendory.language.rewording import rewording
from mendory.migration.queries import MADE, SLICE, Item, Kind, Query, known_items, read_judged, remade
from mendory.migration.queries import _turned as turned
from mendory.text import exact_key
from tests.test_cases import cases, only

ENGLISH = (
    "alice",
    "bob",
    "tea",
    "coffee",
    "the",
    "a",
    "never",
    "likes",
    "buys",
    "on",
    "kids",
    "Oslo,",
    "12:30",
    "don't",
    "sofa.",
)
CHINESE = (
    "我",
    "不",
    "喜欢",
    "喝",
    "咖啡",
    "，",
    "午饭",
    "后",
    "在",
    "上海",
    "开会",
    "三点",
    "孩子",
    "。",
    "的",
    "Anna",
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(ENGLISH), max_size=12).map(" ".join),
    st.lists(st.sampled_from(CHINESE), max_size=14).map("".join),
)
ITEMS = st.lists(st.tuples(TEXTS, st.sampled_from(("u1", "u2"))), max_size=12).map(
    lambda rows: [Item(f"m{at}", text, scope) for at, (text, scope) in enumerate(rows)]
)


def plenty(language: str, count: int) -> list[Item]:
    """So many memories that differ."""
    form = "Meets number {n} at the old harbour every week" if language == "en" else "每周在老码头和第{n}号客人见面"
    return [Item(f"{language}{n}", form.format(n=n), "u1") for n in range(count)]


@pytest.mark.parametrize("case", cases("queries"))
def test_queries(case: dict[str, Any]) -> None:
    """Texts in pieces and in other words, and of which memories queries are made."""
    if "text" in case:
        only(("why", "text", "pieces", "rewordings", "turned"), case, "case")
        told = rewording(language_of(case["text"]))
        assert told is not None
        pieces = told.pieces(case["text"])
        assert case["pieces"] == list(pieces)
        assert case["rewordings"] == list(told.rewordings(case["text"]))
        assert case["turned"] == turned(pieces, random.Random(0))
        return
    only(("why", "items", "asked", "left_out", "most"), case, "case")
    found = known_items([Item(**row) for row in case["items"]], random.Random(0), most=case.get("most"))

    assert case["asked"] == sorted({query.of for query in found.queries})
    assert case["left_out"] == found.left_out


@given(ITEMS, st.integers(0, 9))
def test_no_query_is_a_text_of_its_scope(items: list[Item], seed: int) -> None:
    """A query equals no text of its scope, finds one memory of it, and is made again from the same seed."""
    found = known_items(items, random.Random(seed))
    held = {(item.scope, exact_key(item.text)) for item in items}
    by_id = {item.id: item for item in items}

    assert [] == [query.id for query in found.queries if (query.scope, exact_key(query.text)) in held]
    assert [] == [query.id for query in found.queries if by_id[query.of].scope != query.scope]
    assert [] == [query.id for query in found.queries if query.relevant != (query.of,)]
    assert len({query.id for query in found.queries}) == len(found.queries)
    assert found == known_items(items, random.Random(seed))


@given(ITEMS, st.integers(0, 9), st.integers(10, 60))
def test_no_query_is_longer_than_a_model_takes(items: list[Item], seed: int, most: int) -> None:
    """Neither a query nor the memory that it is made from: another wording may be longer than its text."""
    found = known_items(items, random.Random(seed), most=most)
    long = {item.id for item in items if len(item.text) > most}

    assert [] == [query.id for query in found.queries if len(query.text) > most or query.of in long]


@given(TEXTS)
def test_pieces_joined_are_the_text(text: str) -> None:
    """No language loses or adds a character when it takes a text apart."""
    told = rewording(language_of(text)) if text.strip() else None

    assert told is None or text.strip() == "".join(told.pieces(text))


def test_every_memory_is_asked_once_before_any_is_asked_again() -> None:
    """As many queries as wanted, kinds evenly, of as many memories as can be."""
    found = known_items(plenty("en", 900), random.Random(3), wanted=600)
    more = known_items(plenty("en", 900), random.Random(3), wanted=1_000)

    assert 600 == len(found.queries) == len({query.of for query in found.queries})
    assert not found.all_of_them
    assert all(180 < times < 220 for times in Counter(query.kind for query in found.queries).values())
    assert (1_000, 900) == (len(more.queries), len({query.of for query in more.queries}))


def test_a_rare_language_can_still_veto() -> None:
    """A tenth of a table is Chinese: it has 300 queries, more than its share, as far as its memories go."""
    found = known_items(plenty("en", 2_000) + plenty("zh", 150), random.Random(3), wanted=900)
    held = Counter(query.language for query in found.queries)

    assert SLICE == held["zh"]
    assert 900 <= len(found.queries) < 900 + SLICE


def test_a_small_table_is_asked_in_every_kind() -> None:
    """With fewer memories than wanted each is asked three times, and that is all there is."""
    found = known_items(plenty("zh", 40), random.Random(3))

    assert found.all_of_them
    assert dict.fromkeys(MADE, 40) == Counter(query.kind for query in found.queries)


def test_a_query_is_made_again_from_its_memory_alone() -> None:
    """Nobody has to keep the text of a query: its memory, its kind and the seed give it."""
    items = plenty("en", 60) + plenty("zh", 60)
    found = known_items(items, random.Random(3), wanted=200)
    by_id = {item.id: item for item in items}

    assert [q.text for q in found.queries] == [remade(by_id[q.of], q.kind, found.seed) for q in found.queries]
    assert remade(items[0], Kind.JUDGED, found.seed) is None
    assert remade(Item("m", "Short", "u1"), Kind.PARTIAL, found.seed) is None


def test_a_query_does_not_show_its_text() -> None:
    """What a log prints of a query names it and no more."""
    assert "Query(m1/partial, en, partial)" == repr(
        Query("m1/partial", "the old harbour", "u1", "en", Kind.PARTIAL, ("m1",), "m1")
    )


def test_judged_queries_are_read() -> None:
    """Blank lines are left out; an id that is named twice counts once."""
    lines = [
        json.dumps({"query": "which train?", "scope": "u1", "relevant": ["m1", "m1", "m2"]}),
        "",
        json.dumps({"query": "哪班火车？", "scope": "u2", "relevant": ["m3"]}),
    ]
    found = read_judged(lines, "judged.jsonl", {"m1": "u1", "m2": "u1", "m3": "u2"})

    assert [("judged/1", "en", ("m1", "m2")), ("judged/3", "zh", ("m3",))] == [
        (query.id, query.language, query.relevant) for query in found
    ]


def test_judged_queries_that_are_none_are_told_by_line() -> None:
    """Every line that can't be used is named with its reason, and no text of it."""
    good = {"query": "which train to Oslo?", "scope": "u1", "relevant": ["m1"]}
    lines = [
        "{",
        json.dumps(good),
        json.dumps([]),
        json.dumps({**good, "note": "x"}),
        json.dumps({**good, "query": " \u200b"}),
        json.dumps({**good, "scope": None}),
        json.dumps({**good, "relevant": []}),
        json.dumps({**good, "relevant": [1]}),
        json.dumps({**good, "relevant": ["gone"]}),
        json.dumps({**good, "scope": "u2"}),
        json.dumps({**good, "query": " Which train to oslo?"}),
    ]
    with pytest.raises(InputInvalid) as refused:
        read_judged(lines, "judged.jsonl", {"m1": "u1"})

    assert (
        "judged.jsonl: line 1: no JSON; "
        'line 3, 4: no object of "query", "scope" and "relevant"; '
        "line 5: the query is no text; line 6: the scope is no text; line 7, 8: no ids of relevant memories; "
        "line 9, 10: a relevant memory is not in that scope; line 11: asked before. "
        "Nothing was asked. Mend these lines, or leave them out."
    ) == str(refused.value)
