"""What texts claim: cases in both languages, and what holds of any text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.claims import claims_in
from mendory.claims.attributes import ATTRIBUTES, attribute
from mendory.claims.extract import extracted
from mendory.contradiction import DECIDES, Relation, compare
from mendory.language.claim import Claim, ClaimKind
from tests.test_cases import CASES, cases, one_of, only

_KEYS = ("kind", "subject", "about", "values", "denied", "stance", "strength", "scenes", "constraint", "tense")
_KEYS += ("before", "ends", "confidence", "within")


def _said(claim: Claim, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What a claim says under the keys that a case mentions; values by their text, and what each lies within."""
    said: dict[str, Any] = {key: getattr(claim, key) for key in wanted if key != "within"}
    if "within" in wanted:
        said["within"] = [list(value.within) for value in claim.values]
    for key in ("values", "before"):
        if key in said:
            said[key] = [value.text for value in said[key]]
    if "scenes" in said:
        said["scenes"] = sorted(said["scenes"])
    return said


@pytest.mark.parametrize("case", cases("claims"))
def test_claims(case: dict[str, Any]) -> None:
    """A text claims what its case lists, in that order, and nothing else; of two texts, whether both can't hold.

    A claim of a case mentions only what matters of it. Each of `texts` claims the same, or has claims of its own.
    """
    kind = one_of([{"text", "claims"}, {"texts", "claims"}, {"texts"}, {"conflict", "pairs"}], case)
    if "pairs" in kind:
        assert case["pairs"]
        for a, b in case["pairs"]:
            found = [_conflict(a, b), _conflict(b, a)]
            assert (a, b, case["conflict"], case["conflict"]) == (a, b, *found)
        return
    for entry in case.get("texts", [case]):
        if isinstance(entry, str):
            _check(entry, case["claims"])
        else:
            _check(entry["text"], entry["claims"])


def _conflict(a: str, b: str) -> bool:
    """Whether two texts are a conflict about which a rule may decide."""
    found = compare(a, b)
    return found.relation is Relation.CONFLICT and found.score >= max(DECIDES.values())


def _check(text: str, claims: list[dict[str, Any]]) -> None:
    found = claims_in(text)
    for wanted in claims:
        only(_KEYS, wanted, f"a claim of {text!r}")
    assert len(claims) == len(found), (text, [(claim.about, claim.subject) for claim in found])
    assert (text, claims) == (text, [_said(*pair) for pair in zip(found, claims, strict=True)])


def test_cases_are_in_pairs() -> None:
    """Every behaviour is shown in English and in Chinese, but for what one language alone has."""
    names = {file.stem for file in (CASES / "claims").glob("*.json")}

    assert all(name.endswith(("-en", "-zh")) for name in names)


def test_every_attribute_is_documented_as_it_is_declared() -> None:
    """The table of the docs names each attribute once, and whether it has one value at a time."""
    lines = (CASES.parent.parent / "docs" / "claims.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]

    assert {(f"`{one.name}`", "yes" if one.single else "no") for one in ATTRIBUTES.values()} == {
        (name, single) for name, _, single in cells
    }
    assert len(ATTRIBUTES) == len(cells)


_WORDS = (
    "I",
    "The user",
    "user's",
    "Alice",
    "my mother",
    "the API",
    "works",
    "work as",
    "lives in",
    "moved to",
    "no longer",
    "used to",
    "switched from",
    "to",
    "likes",
    "hates",
    "never",
    "not",
    "a nurse",
    "Berlin",
    "Oslo",
    "tea",
    "two dogs",
    "is",
    "am",
    "port",
    "8080",
    "due on",
    "May 3",
    "if",
    "would",
    "wants to",
    "and",
    "but",
    ",",
    ".",
    "?",
    '"',
    "25",
    "years old",
    "married",
    "vegan",
    "favourite colour",
    "red",
    "我",
    "用户",
    "住在",
    "上海",
    "喜欢",
    "不再",
    "咖啡",
    "，",
    "。",
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(_WORDS), max_size=14).map(" ".join)))
def test_any_text_has_well_formed_claims(text: str) -> None:
    """Of any text the claims are the same each time, none twice, and each has what its kind asks for."""
    found = claims_in(text)

    assert found == extracted(text)
    assert len(found) == len(set(found))
    for claim in found:
        assert claim.subject.strip()
        assert claim.about.strip()
        assert 0 < claim.confidence <= 1
        if claim.kind is ClaimKind.FACT:
            assert (None, True) == (claim.stance, attribute(claim.about) is not None)
        else:
            assert claim.stance in (-1, 0, 1)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=10).map(" ".join))
def test_a_question_claims_nothing(text: str) -> None:
    """Whatever is asked is not claimed."""
    asked = text.translate(str.maketrans("", "", ".?，。\n")) + "?"

    assert () == claims_in(asked)
