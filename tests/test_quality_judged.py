"""What a judge is measured to do: conflicts alone are put to it, and counted with and without its word."""

from __future__ import annotations

from collections.abc import Sequence

from bench.quality.judged import Texts, figures
from bench.quality.sets import Choice, Labelled, Pair
from mendory.contradiction import DECIDES
from mendory.judge import Opinion, Verdict

RIGHT = ("I live in Oslo.", "I live in Lisbon.")
WRONG = ("I am 30 years old.", "I am 31 years old.")
NONE = ("I like jazz.", "I like hiking.")


class Judge:
    """Finds that ages agree, and that all else contradicts."""

    def __init__(self) -> None:
        self.asked: list[Texts] = []

    def __call__(self, pairs: Sequence[Texts]) -> dict[Texts, Opinion]:
        """By a word of the first text."""
        self.asked += pairs
        return {p: Opinion(Verdict.AGREES if "old" in p[0] else Verdict.CONTRADICTS, 0.95) for p in pairs}


def test_pairs_are_counted_with_and_without_a_judge() -> None:
    """Of two conflicts that rules find one is labelled wrong and taken back; the other half is not looked at."""
    judge = Judge()
    pairs = [Pair(*RIGHT, True, "k", True), Pair(*WRONG, False, "k", True), Pair(*NONE, True, "k", True)]
    held = Labelled("contradictions", "contradictions/x", "en", (*pairs, Pair("a", "b", True, "k", False)))

    found = figures(held, True, DECIDES["en"], judge)

    assert [RIGHT, WRONG] == judge.asked
    assert (2, 1) == (found["asked"], found["lowered"])
    assert {"precision": 0.5, "recall": 0.5, "found": 2, "right": 1, "of": 2} == found["without"]
    assert {"precision": 1.0, "recall": 0.5, "found": 1, "right": 1, "of": 2} == found["with"]


def test_of_old_facts_the_surest_counts() -> None:
    """A choice is right where the conflict found is one that is labelled, and wrong where none is."""
    choices = (
        Choice((NONE[0], RIGHT[0]), RIGHT[1], frozenset({1}), True),
        Choice((WRONG[0], NONE[0]), WRONG[1], frozenset(), True),
    )

    found = figures(Labelled("contradictions", "contradictions/y", "en", (), choices), True, DECIDES["en"], Judge())

    assert {"precision": 0.5, "recall": 1.0, "found": 2, "right": 1, "of": 1} == found["without"]
    assert {"precision": 1.0, "recall": 1.0, "found": 1, "right": 1, "of": 1} == found["with"]
