"""What two readings are compared by: words, how often, and where one stands in place of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

from mendory.language import Reading

SHORT = 10
"""Words of content up to which a text says one thing, so that whatever differs is about that thing. Tried with 10 and
12 on labelled pairs: with 12 a tenth more true duplicates are kept apart, and no contradiction more."""


def signs(reading: Reading) -> dict[str, set[tuple[bool, bool]]]:
    """By fold of a word of content, whether it is negated and whether it says the opposite by itself."""
    signs: dict[str, set[tuple[bool, bool]]] = {}
    for word in reading.words:
        if word.content:
            signs.setdefault(word.fold, set()).add((word.negated, word.turned))
    return signs


def oftener(a: Reading, b: Reading) -> tuple[set[str], set[str]]:
    """Folds that the first says and the second does not, or not as often; and the other way round."""
    ours, theirs = Counter([word.fold for word in a.words]), Counter([word.fold for word in b.words])
    return (
        {fold for fold, times in ours.items() if times > theirs.get(fold, 0)},
        {fold for fold, times in theirs.items() if times > ours.get(fold, 0)},
    )


def parts(names: Iterable[str]) -> set[str]:
    """The words of names."""
    return {part for name in names for part in name.split()}


def said(reading: Reading) -> int:
    """How many words of content there are beside names."""
    return len(signs(reading).keys() - parts(reading.names))


def replaced(a: Reading, b: Reading) -> list[tuple[set[str], set[str]]]:
    """The words of content of one that stand where the other has others; what stands in one alone is none."""
    one = [word.fold for word in a.words if word.content]
    two = [word.fold for word in b.words if word.content]
    if two < one:  # a match depends on the order of the sides
        return [(ours, theirs) for theirs, ours in replaced(b, a)]
    blocks: list[tuple[int, int, int, int]] = []
    apart = True
    for tag, i, j, k, m in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if tag == "equal":
            apart = j - i > 1 or not blocks  # one word that happens to stand in both parts nothing
        elif apart:
            blocks.append((i, j, k, m))
            apart = False
        else:
            blocks[-1] = (blocks[-1][0], j, blocks[-1][2], m)
    return [(set(one[i:j]), set(two[k:m])) for i, j, k, m in blocks if j > i and m > k]
