"""Memories of a wrong form beyond the cases: what holds for every text, and a check of what changed."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendory.clinic import Clinic
from mendory.content import envelope, repeated, says_nothing, suspect
from mendory.content.heads import head
from mendory.content.parts import core, parts
from mendory.content.recalled import is_echo, originals
from mendory.detect import examine
from mendory.finding import Code
from mendory.links import links
from tests.conftest import NOON, FakeClock, arrow, make_config, make_table, memory
from tests.test_cases import CASES, Case, _fetch

ALONE = (Code.REPETITION, Code.ENVELOPE_CONTENT, Code.NO_FACT)
TOGETHER = (Code.RECALL_ECHO, Code.COMPOUND_PARTS, Code.FRAGMENTS)
FOLDERS = ("repetition", "envelope", "no_fact", "echo", "compound", "fragments")


def every_case() -> list[Any]:
    """The cases of all six folders."""
    files = [f for folder in FOLDERS for f in sorted((CASES / folder).glob("*.json"))]
    return [pytest.param(json.loads(f.read_text(encoding="utf-8")), id=f"{f.parent.name}/{f.stem}") for f in files]


@pytest.mark.parametrize("data", every_case())
def test_a_check_of_what_changed_can_see_what_is_found(data: dict[str, Any]) -> None:
    """A text found by itself is suspect; rows found together hang together by links, however few of them changed."""
    case = Case(data)
    held = {m.id: m for m in case.memories(case.rows)}
    found = examine(held.values(), _fetch(list(held.values())), case.settings).findings

    for finding in found:
        rows = [held[i] for i in finding.ids]
        if finding.code in ALONE:
            assert [True] == [suspect(m.content or "") for m in rows]
        if finding.code in TOGETHER:
            reached, ties = {rows[0].id}, {m.id: links(m) for m in rows}
            for _ in rows:
                known = set().union(*(ties[i] for i in reached))
                reached |= {i for i, own in ties.items() if own & known}
            assert set(finding.ids) == reached


WORDS = st.sampled_from(["tea", "Oslo", "likes", "runs", "port", "喝茶", "杭州", "住在", "每天", "8080", "not", "不"])
STATEMENTS = st.lists(WORDS, min_size=4, max_size=8, unique=True).map(" ".join)


@given(STATEMENTS, st.integers(2, 5), st.sampled_from(["; ", "；", "\n", "。", ". "]))
def test_a_statement_said_again_is_repeated_as_often_as_it_is(said: str, times: int, between: str) -> None:
    """Whatever is said n times between separators was said n - 1 times before; once it was not."""
    told = repeated(between.join([said] * times))

    assert told is not None
    assert told.again >= times - 1
    assert repeated(said) is None


@given(st.lists(STATEMENTS, min_size=2, max_size=6, unique_by=str.casefold))
def test_different_statements_are_no_repetition(said: list[str]) -> None:
    """Parts of which no two are equal repeat nothing."""
    assert repeated("; ".join(said)) is None


@given(st.text(max_size=80), st.sampled_from("0123456789"))
def test_a_number_states_something(text: str, digit: str) -> None:
    """No text with a digit in it states nothing."""
    assert not says_nothing(text + digit)


@given(st.text(max_size=300))
def test_any_text_can_be_asked(text: str) -> None:
    """Every text has an answer to each question; a text is no echo of itself."""
    told = (suspect(text), envelope(text), originals(text), core(text), parts(text), head(text))

    assert len(told) == 6
    assert not is_echo(text, text)


@given(st.sampled_from(["From memory: ", "As you mentioned, ", "[Memory] ", "根据记忆：", "你之前说过，"]), STATEMENTS)
def test_what_stands_behind_words_of_recalling_is_an_original(prefix: str, said: str) -> None:
    """Prefix and text are an echo of the text, and of no text with a word more."""
    assert is_echo(prefix + said, said)
    assert not is_echo(prefix + said, f"{said} never")


@given(
    st.lists(
        st.sampled_from(["tea", "jazz", "dark mode", "short replies", "chess"]), min_size=2, max_size=5, unique=True
    )
)
def test_parts_of_a_list_are_said_by_their_own_texts(things: list[str]) -> None:
    """Each thing of a list of likings is the part that a text of its own says; a refusal of it is not."""
    listed = parts(f"Prefers {', '.join(things[:-1])} and {things[-1]}")

    assert len(things) == len(listed)
    for thing, keys in zip(things, listed, strict=True):
        assert core(f"The user likes {thing}.") in keys
        assert core(f"Dislikes {thing}") not in keys
        assert core(f"Likes no {thing}") not in keys


def unit(seed: int) -> list[float]:
    """A vector of length 1 that is far from those of other seeds below four, and from the others' plane."""
    return [1.0 if n == seed % 4 else 0.0 for n in range(4)]


@pytest.mark.lance
def test_an_incremental_check_finds_each_of_them(tmp_path: Path, clock: FakeClock) -> None:
    """One row changes and every other of its kind stood there before: both checks find the same, all six codes."""
    rows = [memory(f"m{n}", content=f"记忆 {n} of its own", embedding=unit(n), scope=f"s{n}") for n in range(60)]
    standing = {
        "echo": ("User prefers Vim",),
        "parts": ("Likes oolong", "喜欢爬山", "Likes jazz"),
        "pieces": ("奥斯陆之行：六月", "奥斯陆之行：坐火车"),
    }
    for scope, said in standing.items():
        texts = enumerate(said)
        rows += [memory(f"{scope}{n}", content=text, embedding=unit(n), scope=scope) for n, text in texts]
    make_table(tmp_path, rows)
    clinic = Clinic(make_config(tmp_path), clock)
    assert clinic.checkpoint(clinic.check(keep=True))
    later = NOON + timedelta(minutes=5)
    fresh = [
        ("echo", "n1", "From memory: User prefers Vim"),
        ("parts", "n2", "Prefers oolong, jazz and rain"),
        ("pieces", "n3", "奥斯陆之行：和小梅一起"),
        ("n4", "n4", "住在上海；住在上海"),
        ("n5", "n5", "[message_id: om_1]\nlikes oolong"),
        ("n6", "n6", "as always"),
    ]
    made = [memory(i, content=text, embedding=unit(9), scope=s, created_at=later) for s, i, text in fresh]
    lancedb.connect(str(tmp_path)).open_table("memories").add(arrow(made))

    full, part = clinic.check(), clinic.check(since="last")

    expected = {c.value for c in (*ALONE, *TOGETHER)}
    told = sorted((f.code.value, f.ids) for f in part.findings if f.code.value in expected)
    assert part.basis.since is not None
    assert told == sorted((f.code.value, f.ids) for f in full.findings if f.code.value in expected)
    assert expected == {code for code, _ in told}
