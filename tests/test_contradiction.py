"""Whether two texts can both hold, by their claims and by their words."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mendory.contradiction import DECIDES, Compared, Relation, compare
from mendory.contradiction.of_claims import compare_claims
from mendory.contradiction.scenes import Scenes, scenes
from mendory.contradiction.values import denies, excluded, one
from mendory.language import language_of
from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value, ValueKind
from tests.test_cases import cases, only

FIELDS = ("why", "a", "b", "relation", "decides", "narrower")


def decides(found: Compared, text: str) -> bool:
    """Whether a conflict has the score from which rules may decide it in the language of the text."""
    language = language_of(text)
    conflict = found.relation is Relation.CONFLICT
    return conflict and language is not None and found.score >= DECIDES[language.code]


def turned(found: Compared) -> tuple[Any, ...]:
    """What is the same whichever text comes first."""
    return found.relation, round(found.score, 12), None if found.narrower is None else 1 - found.narrower


@pytest.mark.parametrize("case", cases("contradiction"))
def test_two_texts_stand_to_each_other_as_the_case_says(case: dict[str, Any]) -> None:
    """Their relation, whether rules may decide it, and which side is the narrower one; in both orders."""
    only(FIELDS, case, "a case of contradiction")
    found = compare(case["a"], case["b"])
    assert case["decides"] == decides(found, case["a"])
    if "relation" in case:
        assert case["relation"] == found.relation
    if "narrower" in case:
        assert case["narrower"] == "ab"[found.narrower or 0]
    back = compare(case["b"], case["a"])
    assert (found.relation, round(found.score, 12), found.narrower) == turned(back)


VALUES = {
    ValueKind.NUMBER: ("2", "3"),
    ValueKind.TERM: ("teacher", "kindergarten teacher", "electrician"),
    ValueKind.PLACE: ("lyon", "france", "oslo"),
    ValueKind.DATE: ("day:3,month:5", "day:3,month:5,year:2026", "day:4,month:5"),
}
ABOUT = {
    ValueKind.NUMBER: ("age", "count:child"),
    ValueKind.TERM: ("job", "speaks", "has:pet"),
    ValueKind.PLACE: ("lives_in",),
    ValueKind.DATE: ("birthday",),
}
WITHIN = {"lyon": ("france",), "kindergarten teacher": ("teacher",)}


def value(kind: ValueKind, text: str) -> Value:
    """A value as a language would give it."""
    return Value(kind, text, Decimal(text) if kind is ValueKind.NUMBER else None, within=WITHIN.get(text, ()))


@st.composite
def facts(draw: st.DrawFn) -> Claim:
    """A fact of one of two subjects, in any tense, with up to two values."""
    kind = draw(st.sampled_from(sorted(VALUES)))
    return Claim(
        ClaimKind.FACT,
        draw(st.sampled_from((USER, "alice"))),
        draw(st.sampled_from(ABOUT[kind])),
        tuple(value(kind, text) for text in draw(st.lists(st.sampled_from(VALUES[kind]), max_size=2, unique=True))),
        draw(st.booleans()),
        scenes=draw(st.sampled_from((frozenset(), frozenset({"work"}), frozenset({"home"})))),
        tense=draw(st.sampled_from(sorted(Tense))),
        confidence=draw(st.sampled_from((0.4, 0.9, 1.0))),
    )


PREFERENCES = st.builds(
    Claim,
    st.just(ClaimKind.PREFERENCE),
    st.sampled_from((USER, "alice")),
    st.sampled_from(("tea", "coffee")),
    stance=st.sampled_from((-1, 0, 1)),
    strength=st.sampled_from((None, 0, 2, 4)),
    scenes=st.sampled_from((frozenset(), frozenset({"work"}))),
    tense=st.sampled_from(sorted(Tense)),
)
CLAIMS = st.one_of(facts(), PREFERENCES)
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How fast the machine draws claims is no matter of this test."""


@UNTIMED
@given(st.lists(CLAIMS, max_size=3), st.lists(CLAIMS, max_size=3))
def test_claims_stand_to_each_other_the_same_in_both_orders(a: list[Claim], b: list[Claim]) -> None:
    """Relation and score do not hang on which comes first, and the narrower side changes with it."""
    found, back = compare_claims(a, b), compare_claims(b, a)
    assert (found.relation, found.score) == (back.relation, back.score)
    assert 0 <= found.score <= 1


@UNTIMED
@given(CLAIMS)
def test_a_claim_does_not_contradict_itself(claim: Claim) -> None:
    """But for one that says of itself that it holds of two things that exclude each other; a claim of one value."""
    single = replace(claim, values=claim.values[:1])
    assert Relation.CONFLICT != compare_claims([single], [single]).relation


@UNTIMED
@given(CLAIMS, CLAIMS)
def test_only_what_holds_now_of_one_subject_is_a_conflict(a: Claim, b: Claim) -> None:
    """History, plans, suppositions and other people's claims are none."""
    if compare_claims([a], [b]).relation in (Relation.CONFLICT, Relation.EXCEPTION):
        assert (a.subject, Tense.NOW, Tense.NOW) == (b.subject, a.tense, b.tense)


def measured(number: str, unit: str) -> Value:
    """A number with its unit."""
    return Value(ValueKind.NUMBER, f"{number} {unit}", Decimal(number), unit)


@pytest.mark.parametrize(
    ("a", "b", "same", "apart"),
    [
        (value(ValueKind.PLACE, "lyon"), value(ValueKind.PLACE, "france"), True, False),
        (value(ValueKind.PLACE, "lyon"), value(ValueKind.PLACE, "oslo"), False, True),
        (value(ValueKind.DATE, "day:3,month:5"), value(ValueKind.DATE, "day:3,month:5,year:2026"), True, False),
        (value(ValueKind.DATE, "day:3,month:5"), value(ValueKind.DATE, "2026-05-03"), True, False),
        (value(ValueKind.DATE, "day:3,month:5"), value(ValueKind.DATE, "2026-05-04"), False, True),
        (value(ValueKind.DATE, "day:3,month:5"), value(ValueKind.DATE, "weekday:2"), False, False),
        (
            Value(ValueKind.NUMBER, "3 km", Decimal(3000), "m"),
            Value(ValueKind.NUMBER, "3000", Decimal(3000)),
            True,
            False,
        ),
        (
            Value(ValueKind.NUMBER, "3 m", Decimal(3), "m"),
            Value(ValueKind.NUMBER, "3 kg", Decimal(3), "kg"),
            False,
            False,
        ),
        (Value(ValueKind.PERSON, "tim"), Value(ValueKind.PERSON, "tim miller"), True, False),
        (Value(ValueKind.TERM, "老师"), Value(ValueKind.TERM, "数学老师"), True, False),
        (Value(ValueKind.TERM, "3.1"), Value(ValueKind.TERM, "3.1.4"), True, False),
        (Value(ValueKind.TERM, "3.1"), Value(ValueKind.TERM, "3.11"), False, True),
    ],
)
def test_values_are_compared_by_type(a: Value, b: Value, same: bool, apart: bool) -> None:
    """Whether they may be one, and whether they exclude each other; of some nothing can be told."""
    assert (same, same, apart, apart) == (one(a, b), one(b, a), excluded([a], [b]), excluded([b], [a]))


def test_what_is_denied_covers_what_lies_in_it_and_not_what_it_lies_in() -> None:
    """Who does not live in France does not live in Lyon; who does not live in Lyon may live in France."""
    town, country = value(ValueKind.PLACE, "lyon"), value(ValueKind.PLACE, "france")
    assert (True, False) == (denies([country], [town]), denies([town], [country]))
    assert (True, False) == (denies([], [town]), denies([town], []))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((), (), Scenes.SAME),
        (("work",), (), Scenes.FIRST_NARROWER),
        ((), ("出差时",), Scenes.SECOND_NARROWER),
        (("business dinner",), ("dinner",), Scenes.SAME),
        (("商务宴请",), ("宴请",), Scenes.SAME),
        (("work",), ("home",), Scenes.APART),
    ],
)
def test_scenes_overlap_or_one_is_narrower(a: tuple[str, ...], b: tuple[str, ...], expected: Scenes) -> None:
    """What holds in no scene holds everywhere."""
    assert expected == scenes(frozenset(a), frozenset(b))


def wants(stance: int, strength: int | None = None, constraint: str = "") -> Claim:
    """The user's stance on tea."""
    return Claim(ClaimKind.PREFERENCE, USER, "tea", stance=stance, strength=strength, constraint=constraint)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (wants(-1, 0), wants(1, 2, "a little"), 1.0),
        (wants(-1, 0), wants(0, 2, "a little"), 1.0),
        (wants(-1), wants(1), 1.0),
        (wants(-1), wants(0), 0.45),
        (wants(1, 2), wants(1, 4), 0.45),
        (wants(1, 2), wants(1, 3), 0.0),
        (wants(-1), wants(1, None, "without sugar"), 0.45),
        (wants(-1, None, "allergy"), wants(1), 1.0),
    ],
)
def test_stances_clash_by_their_strength(a: Claim, b: Claim, expected: float) -> None:
    """A little against never clashes for sure; sometimes against always, and what hangs on a condition, weakly."""
    assert expected == compare_claims([a], [b]).score


def test_the_writer_knows_better_than_words() -> None:
    """Claims that are given take the place of those that words make."""
    home = Claim(ClaimKind.FACT, USER, "lives_in", (value(ValueKind.PLACE, "lyon"),))
    found = compare("I live in Oslo.", "I live in Bergen.", claims=((home,), (home,)))
    assert Relation.AGREE == found.relation
