"""What two texts have in common, as numbers that no embedding model has a part in.

Every feature is the same for (a, b) and (b, a), and lies in 0..1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations, pairwise
from math import log
from typing import Any, Final

from mendory.language.reading import Reading

NAMES: Final = (
    "words",  # Dice of all words
    "longer_covered",  # share of the content words of the side with more of them that have a partner
    "shorter_covered",  # of the side with fewer
    "exact",  # share of the longer side whose partner is the very same word
    "letters",  # Dice of characters
    "bigrams",  # Dice of character pairs
    "trigrams",  # Dice of character triples
    "word_pairs",  # Dice of neighbouring words
    "sequence",  # longest common subsequence of words, of both lengths
    "order",  # of the words both have, the share that stands in one order
    "swapped",  # words left without partner on both sides: something in another's place (1 for none, 0 for many)
    "left",  # words left without partner on the side with more of them
    "lengths",  # shorter length by longer
    "long",  # how long the shorter text is, in words, on a scale of logarithms
    "kinds_clash",  # a word of one class on each side, and not the same one
    "asks_clash",  # they ask for other things
    "asks_more",  # one alone asks for something, or for something further
    "numbers_clash",  # each side has a number the other lacks
    "numbers_more",  # one side alone has a further number
    "names_clash",
    "names_more",
    "negations",  # not equally often negated
    "same_bag",  # the same words in another order
    "persons_clash",  # I, you and others: each side speaks of one the other does not
    "persons_more",  # one side alone speaks of a further one
    "persons_turned",  # I before you against you before I
    "names_turned",  # two names in another order, and no "and" between them: Oslo to Rome, Rome to Oslo
    "numbers_turned",  # the same numbers in another order
    "nothing_left",  # every word of content has a partner
    "replaced",  # words in one place that the other text has nowhere, on both sides
    "replaced_only",  # and nothing else differs: one thing in another's place
)

_PERSONS: Final = {
    **dict.fromkeys(("i", "me", "my", "mine", "we", "us", "our", "我", "俺", "咱"), "I"),
    **dict.fromkeys(("you", "your", "yours", "你", "您"), "you"),
    **dict.fromkeys(("he", "him", "his", "she", "her", "they", "them", "their", "他", "她"), "other"),
}
_AND: Final = frozenset(
    {"and", "or", "with", "versus", "vs", "和", "与", "跟", "同", "及", "以及", "还是", "或", "或者"}
)


@dataclass(frozen=True, slots=True)
class Side:
    """One text, counted: what `features` needs of a reading, so that it is made once a text."""

    folds: tuple[str, ...]
    words: Counter[str]
    said: tuple[str, ...]
    content: Counter[str]
    pairs: Counter[tuple[str, str]]
    grams: tuple[Counter[str], Counter[str], Counter[str]]
    kinds: frozenset[tuple[str, str]]
    asks: frozenset[str]
    numbers: frozenset[Any]
    names: frozenset[str]
    persons: tuple[str, ...]
    named: Mapping[str, int]
    joined: tuple[int, ...]
    amounts: tuple[Any, ...]
    negated: int
    length: int

    @classmethod
    def of(cls, reading: Reading) -> Side:
        """The side that a reading makes."""
        folds = tuple(w.fold for w in reading.words)
        named = {part for name in reading.names for part in name.split()}
        text = "".join(w.text for w in reading.words).casefold()
        return cls(
            folds,
            Counter(folds),
            tuple(w.fold for w in reading.words if w.content),
            Counter(w.fold for w in reading.words if w.content),
            Counter(pairwise(folds)),
            (_grams(text, 1), _grams(text, 2), _grams(text, 3)),
            frozenset((w.kind, w.fold) for w in reading.words if w.kind),
            reading.asks,
            frozenset({*reading.quantities, *reading.dates, *reading.versions}),
            reading.names,
            tuple(dict.fromkeys(_persons(w.text.casefold() for w in reading.words))),
            {fold: at for at, fold in enumerate(folds) if fold in named and folds.count(fold) == 1},
            tuple(at for at, w in enumerate(reading.words) if w.text.casefold() in _AND),
            reading.quantities,
            reading.negations % 2,
            len(text),
        )


def features(a: Side, b: Side) -> tuple[float, ...]:
    """The features of the pair, in the order of `NAMES`."""
    common = sum((a.content & b.content).values())
    left_a, left_b, related = _leftovers(a.content, b.content)
    most, fewest = sorted((sum(a.content.values()), sum(b.content.values())), reverse=True)
    shared, run = sum((a.words & b.words).values()), _subsequence(a.folds, b.folds)
    return (
        _dice(a.words, b.words),
        _share(common + related, most),
        _share(common + related, fewest),
        _share(common, most),
        *(_dice(x, y) for x, y in zip(a.grams, b.grams, strict=True)),
        _dice(a.pairs, b.pairs),
        _share(2 * run, len(a.folds) + len(b.folds)),
        _share(run, shared),
        1 - min(left_a, left_b, 3) / 3,
        1 - min(max(left_a, left_b), 6) / 6,
        _share(min(a.length, b.length), max(a.length, b.length)),
        min(log(1 + min(len(a.folds), len(b.folds))) / 4, 1.0),
        float(_kinds_clash(a.kinds, b.kinds)),
        *_apart(a.asks, b.asks),
        *_apart(a.numbers, b.numbers),
        *_apart(a.names, b.names),
        float(a.negated != b.negated),
        float(a.words == b.words and a.folds != b.folds),
        *_apart(frozenset(a.persons), frozenset(b.persons)),
        float(set(a.persons) == set(b.persons) and a.persons != b.persons),
        float(_names_turned(a, b)),
        float(a.amounts != b.amounts and Counter(a.amounts) == Counter(b.amounts)),
        float(not left_a and not left_b),
        *_replaced(*sorted((a.said, b.said))),
    )


def _persons(words: Iterable[str]) -> Iterator[str]:
    """I, you or other, in the order of the words; of Chinese characters each counts, since 你求 is cut as one word."""
    for word in words:
        for part in (word,) if word.isascii() else word:
            if part in _PERSONS:
                yield _PERSONS[part]


def _names_turned(a: Side, b: Side) -> bool:
    """Two names that both texts have once, in another order; where "and" stands between them that says nothing."""
    both = sorted(a.named.keys() & b.named.keys(), key=a.named.__getitem__)
    return any(
        b.named[one] > b.named[two]
        and not any(a.named[one] < at < a.named[two] for at in a.joined)
        and not any(b.named[two] < at < b.named[one] for at in b.joined)
        for one, two in combinations(both, 2)
    )


def _replaced(a: Sequence[str], b: Sequence[str]) -> tuple[float, float]:
    """Whether words of content were put in the place of others, and whether that is all that differs."""
    edits = [op for op in SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if op[0] != "equal"]
    foreign = [op for op in edits if op[0] == "replace" and _new(a[op[1] : op[2]], b) and _new(b[op[3] : op[4]], a)]
    return float(bool(foreign)), float(bool(foreign) and len(foreign) == len(edits))


def _new(words: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one of the words has neither itself nor kin in the other text."""
    return any(word not in other and not any(kin(word, one) for one in other) for word in words)


def _grams(text: str, size: int) -> Counter[str]:
    return Counter(text[i : i + size] for i in range(max(len(text) - size + 1, 1)))


def _dice(a: Counter[Any], b: Counter[Any]) -> float:
    total = sum(a.values()) + sum(b.values())
    return 2 * sum(min(n, b[x]) for x, n in a.items()) / total if total else 1.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _leftovers(a: Counter[str], b: Counter[str]) -> tuple[int, int, int]:
    """Content words without a partner on each side, and pairs of words that are no equals but kin."""
    left_a, left_b = sorted((a - b).elements()), sorted((b - a).elements())
    if (len(left_b), left_b) < (len(left_a), left_a):  # pairing is greedy: begin with the same side for (a, b), (b, a)
        left_a, left_b = left_b, left_a
    alone, related = 0, 0
    for word in left_a:
        partner = next((other for other in left_b if kin(word, other)), None)
        if partner is None:
            alone += 1
        else:
            left_b.remove(partner)
            related += 1
    return alone, len(left_b), related


def kin(a: str, b: str) -> bool:
    """They share a beginning or an end of half the shorter one: four letters, or one Chinese character."""
    shorter = min(len(a), len(b))
    least = max(4 if a.isascii() else 1, (shorter + 1) // 2)
    return shorter >= least and (a[:least] == b[:least] or a[-least:] == b[-least:])


def _subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence. Cost: the product of the lengths."""
    row = [0] * (len(b) + 1)
    for x in a:
        diagonal = 0
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], diagonal + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def _apart(a: frozenset[Any], b: frozenset[Any]) -> tuple[float, float]:
    """Whether each side has something the other lacks, and whether one alone has."""
    return float(bool(a - b) and bool(b - a)), float(a < b or b < a)


def _kinds_clash(a: frozenset[tuple[str, str]], b: frozenset[tuple[str, str]]) -> bool:
    only_a, only_b = {kind for kind, _ in a - b}, {kind for kind, _ in b - a}
    return bool(only_a & only_b)
