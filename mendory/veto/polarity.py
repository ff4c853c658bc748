"""Whether one text denies what the other says."""

from __future__ import annotations

from mendory.language import Language, Reading
from mendory.veto.compare import SHORT, oftener, signs

_AGAINST = (frozenset({"meant", "done"}), frozenset({"must", "perhaps"}))
"""Bounds of which one alone says nothing, but one on each side."""
_WEAK = frozenset({"meant", "done", "must"})


def polarity(a: Reading, b: Reading, language: Language) -> bool:
    """Whether the texts say opposite things: one is over, stronger or weaker, denied, or has an opposite word."""
    if a.ended != b.ended:
        return True
    if a.strength is not None and b.strength is not None and a.strength != b.strength:
        return True
    if bounded(a, b):
        return True
    clashing, explained = opposed(a, b, language)
    return bool(clashing) or denied(a, b, explained)


def bounded(a: Reading, b: Reading) -> bool:
    """Whether one short statement holds no further than a word says, and the other is not bound so."""
    if max(len(signs(a)), len(signs(b))) > SHORT or a.asks | b.asks:
        return False
    apart = a.bounds ^ b.bounds
    return bool(apart - _WEAK) or any(one <= apart and not one <= a.bounds and not one <= b.bounds for one in _AGAINST)


def opposed(a: Reading, b: Reading, language: Language) -> tuple[frozenset[tuple[str, str]], bool]:
    """Words of the first with their opposites in the second; and whether one is denied, so that both say the same."""
    one, two = _meant(a), _meant(b)
    ours, theirs = oftener(a, b)
    clashing, explained = set(), False
    for fold in ours:
        for other in language.opposites(fold) & theirs:
            (meant, content), (meant_there, content_there) = one[fold], two[other]
            if (content or content_there) and meant.isdisjoint(meant_there):
                explained = True
            else:
                clashing.add((fold, other))
    return frozenset(clashing), explained


def _meant(reading: Reading) -> dict[str, tuple[set[bool], bool]]:
    """By fold, whether it is negated, and whether it carries meaning: two that do not ("on", "off") have no sign."""
    signs: dict[str, tuple[set[bool], bool]] = {}
    for word in reading.words:
        signs.setdefault(word.fold, (set(), word.content))[0].add(word.negated)
    return signs


def denied(a: Reading, b: Reading, explained: bool) -> bool:
    """Whether one denies of a word what the other says of it; of short texts also whether one alone denies anything."""
    one, two = signs(a), signs(b)
    both = one.keys() & two.keys()
    if any(_turned(one[fold], two[fold]) for fold in both):
        return True
    agree = any(_alike(one[fold], two[fold]) for fold in both)
    if any({no for no, _ in one[fold]}.isdisjoint({no for no, _ in two[fold]}) for fold in both):
        return not agree or a.negations != b.negations
    lone = _denies(a) != _denies(b)
    return lone and not agree and not explained and max(len(one), len(two)) <= SHORT


def _denies(reading: Reading) -> bool:
    """Whether a text denies anything but by the form of a word: words it reaches, or a number or date."""
    turned = sum(word.turned for word in reading.words)
    return reading.negations > turned or any(word.negated != word.turned for word in reading.words)


def _alike(one: set[tuple[bool, bool]], two: set[tuple[bool, bool]]) -> bool:
    """Whether both deny a word, or one denies its opposite by form: not sure, unsure; not impossible, possible."""
    if any(no for no, _ in one) and any(no for no, _ in two):
        return True
    return any((no, not turned) in two for no, turned in one)


def _turned(one: set[tuple[bool, bool]], two: set[tuple[bool, bool]]) -> bool:
    """Whether a word stands in one and its opposite by form in the other, and no negation makes up for it."""
    forms = {turned for _, turned in one}, {turned for _, turned in two}
    signs = {no for no, _ in one}, {no for no, _ in two}
    return forms[0].isdisjoint(forms[1]) and signs[0].isdisjoint(signs[1])
