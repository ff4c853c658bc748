"""What speaks against two texts saying the same: cases in both languages, and what holds of any texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendory.veto import Veto, vetoes
from tests.test_cases import cases, only


@pytest.mark.parametrize("case", cases("veto"))
def test_vetoes(case: dict[str, Any]) -> None:
    """Each pair of a case has exactly these vetoes, whichever of the two comes first."""
    only(("why", "vetoes", "pairs"), case, "a case of vetoes")
    assert case["pairs"]
    for a, b in case["pairs"]:
        expected = tuple(Veto(name) for name in case["vetoes"])
        assert (a, b, expected, expected) == (a, b, vetoes(a, b), vetoes(b, a))


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            (
                *("I", "user", "likes", "hates", "not", "never", "no", "tea", "coffee", "3", "km", "$5", "Oslo"),
                *(
                    "Anna's",
                    "mother",
                    "at",
                    "work",
                    "when",
                    "v1.2",
                    "#260",
                    "May",
                    "5",
                    ",",
                    ".",
                    "?",
                    "unhappy",
                    "quit",
                ),
                *("我", "不", "喜欢", "香菜", "三", "公里", "出差时", "妈妈", "北京", "讨厌", "从不"),
            )
        ),
        max_size=12,
    ).map(" ".join),
)


@settings(deadline=None)  # the first text loads dictionaries
@given(TEXTS, TEXTS)
def test_whatever_the_texts_a_veto_is_symmetric(a: str, b: str) -> None:
    """Any two texts can be compared, and it does not matter which comes first."""
    assert vetoes(a, b) == vetoes(b, a)


@settings(deadline=None)
@given(TEXTS)
def test_nothing_speaks_against_a_text_and_itself(text: str) -> None:
    """A text and itself have no veto, but that no language reads it."""
    assert set(vetoes(text, text)) <= {Veto.LANGUAGE}
