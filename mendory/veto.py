"""What speaks against two texts saying the same, read from the raw texts by rules.

A vector does not tell a statement from its opposite: such pairs sit at cosine 0.90 to 0.99. So whatever else says that
two texts are one, a veto keeps them apart, and the pair is looked at as a conflict. A veto wants a clash: each side
says of one kind of thing what the other does not. What one side alone says is more information and no veto, but where
it changes whom or when a statement is about: an owner, a scene, something that is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache

from mendory.language import Language, Quantity, Reading, Word, language_of

_SHORT = 10
"""Words of content up to which a text says one thing, so that whatever differs is about that thing."""

_HARDLY = 2
"""Words of content that are hardly any difference between two long texts."""

_OF_A_PLACE = ("an", "ese", "ish")
"""Endings that make of the name of a place what belongs to it: Mexico, Mexican."""


class Veto(StrEnum):
    """Why two texts are not one, however near their vectors."""

    POLARITY = "polarity"
    """One says what the other denies, its opposite, another strength, or that it is over."""
    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    VERSION = "version"
    NAME = "name"
    """They name other things: by name, by words of one kind, or where one sentence has one place for it."""
    OWNER = "owner"
    """They are about different people."""
    SCENE = "scene"
    """One holds at a time or place where the other is not said to hold."""
    LANGUAGE = "language"
    """No language reads one of them, or they are in two."""


def vetoes(a: str, b: str) -> tuple[Veto, ...]:
    """All that speaks against two raw texts saying the same, in the order of `Veto`; () is nothing.

    Symmetric. Nothing speaks against a text and itself, but that no language reads it.
    """
    one, two = _read(a), _read(b)
    if one is None or two is None or one[0] != two[0]:
        return (Veto.LANGUAGE,)
    if a == b:
        return ()
    return vetoes_of(one[1], two[1], one[0])


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> tuple[Language, Reading] | None:
    """A text stands in many pairs; it is read once."""
    language = language_of(text)
    return None if language is None else (language, language.read(text))


def vetoes_of(a: Reading, b: Reading, language: Language) -> tuple[Veto, ...]:
    """The same of two readings by one language."""
    numbers, units = _quantities(a, b)
    found = {
        Veto.POLARITY: _polarity(a, b, language),
        Veto.NUMBER: numbers,
        Veto.UNIT: units,
        Veto.DATE: _dates(a.dates, b.dates),
        Veto.VERSION: bool(a.versions - b.versions and b.versions - a.versions),
        Veto.NAME: _names(a, b) or _kinds(a, b) or _slots(a, b),
        Veto.OWNER: _owners(a, b),
        Veto.SCENE: _scenes(a, b),
    }
    return tuple(veto for veto, speaks in found.items() if speaks)


def _polarity(a: Reading, b: Reading, language: Language) -> bool:
    if a.ended != b.ended:
        return True
    if a.strength is not None and b.strength is not None and a.strength != b.strength:
        return True
    clash, explained = _opposites(a, b, language)
    return clash or _denied(a, b, explained)


def _opposites(a: Reading, b: Reading, language: Language) -> tuple[bool, bool]:
    """Whether a word of one has its opposite in the other; and whether one is denied, so that both say the same."""
    one, two = _meant(a), _meant(b)
    ours, theirs = _oftener(a, b), _oftener(b, a)
    clash = explained = False
    for fold in ours:
        for other in language.opposites(fold) & theirs:
            same = not one[fold].isdisjoint(two[other])
            clash, explained = clash or same, explained or not same
    return clash, explained


def _oftener(a: Reading, b: Reading) -> set[str]:
    """Words that one says and the other does not, or not as often."""
    return set(Counter(word.fold for word in a.words) - Counter(word.fold for word in b.words))


def _meant(reading: Reading) -> dict[str, set[bool]]:
    """By fold, whether it is negated. Of a word without content ("on", "off") the sign is not asked: it is both."""
    signs: dict[str, set[bool]] = {}
    for word in reading.words:
        signs.setdefault(word.fold, set()).update((word.negated,) if word.content else (True, False))
    return signs


def _denied(a: Reading, b: Reading, explained: bool) -> bool:
    """Whether one denies of a word what the other says of it; of short texts also whether one alone denies anything."""
    one, two = _signs(a), _signs(b)
    both = one.keys() & two.keys()
    if any(_turned(one[fold], two[fold]) for fold in both):
        return True
    agree = any(_alike(one[fold], two[fold]) for fold in both)
    if any({no for no, _ in one[fold]}.isdisjoint({no for no, _ in two[fold]}) for fold in both):
        return not agree or a.negations != b.negations
    lone = _denies(a) != _denies(b)
    return lone and not agree and not explained and max(len(one), len(two)) <= _SHORT


def _denies(reading: Reading) -> bool:
    """Whether a text denies anything but by the form of a word: words it reaches, or a number or date."""
    turned = sum(word.turned for word in reading.words)
    return reading.negations > turned or any(word.negated != word.turned for word in reading.words)


def _alike(one: set[tuple[bool, bool]], two: set[tuple[bool, bool]]) -> bool:
    """Whether both deny a word, or one denies its opposite by form: not sure, unsure; not impossible, possible."""
    if any(no for no, _ in one) and any(no for no, _ in two):
        return True
    return any((no, not turned) in two for no, turned in one)


def _signs(reading: Reading) -> dict[str, set[tuple[bool, bool]]]:
    """By fold of a word of content, whether it is negated and whether it says the opposite by itself."""
    signs: dict[str, set[tuple[bool, bool]]] = {}
    for word in reading.words:
        if word.content:
            signs.setdefault(word.fold, set()).add((word.negated, word.turned))
    return signs


def _turned(one: set[tuple[bool, bool]], two: set[tuple[bool, bool]]) -> bool:
    """Whether a word stands in one and its opposite by form in the other, and no negation makes up for it."""
    forms = {turned for _, turned in one}, {turned for _, turned in two}
    signs = {no for no, _ in one}, {no for no, _ in two}
    return forms[0].isdisjoint(forms[1]) and signs[0].isdisjoint(signs[1])


def _kinds(a: Reading, b: Reading) -> bool:
    """Whether each has, in the same place, a word of one kind that the other lacks: red for blue."""
    one, two = _lacking(a, b), _lacking(b, a)
    if not {word.kind for word in one if word.kind} & {word.kind for word in two if word.kind}:
        return False
    kinds = {word.fold: word.kind for word in (*one, *two) if word.kind}
    return any(
        {kinds[fold] for fold in ours if fold in kinds} & {kinds[fold] for fold in theirs if fold in kinds}
        for ours, theirs in _replaced(a, b)
    )


def _slots(a: Reading, b: Reading) -> bool:
    """Whether short texts fill one place with other words, of which the other text says none: Redis for ….

    Names in such a place are judged as names.
    """
    ours, theirs = dict(a.slots), dict(b.slots)
    both = ours.keys() & theirs.keys()
    if not both or max(_said(a), _said(b)) > _SHORT:
        return False
    one, two = {word.fold for word in a.words}, {word.fold for word in b.words}
    named = _parts(a.names) | _parts(b.names)
    return any(
        ours[place].isdisjoint(two) and theirs[place].isdisjoint(one) and not ours[place] | theirs[place] <= named
        for place in both
    )


def _parts(names: Iterable[str]) -> set[str]:
    return {part for name in names for part in name.split()}


def _said(reading: Reading) -> int:
    """How many words of content there are beside names."""
    return len(_signs(reading).keys() - _parts(reading.names))


def _lacking(a: Reading, b: Reading) -> list[Word]:
    more = _oftener(a, b)
    return [word for word in a.words if word.content and word.fold in more]


def _replaced(a: Reading, b: Reading) -> list[tuple[set[str], set[str]]]:
    """The words of content of one that stand where the other has others; what stands in one alone is none."""
    one = [word.fold for word in a.words if word.content]
    two = [word.fold for word in b.words if word.content]
    if two < one:  # a match depends on the order of the sides
        return [(ours, theirs) for theirs, ours in _replaced(b, a)]
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


def _quantities(a: Reading, b: Reading) -> tuple[bool, bool]:
    ours, theirs = Counter(a.quantities), Counter(b.quantities)
    mine, yours = list(ours - theirs), list(theirs - ours)
    if not mine or not yours:
        return False, False
    one, two = {quantity.unit for quantity in mine}, {quantity.unit for quantity in yours}
    if one & two:
        return True, False
    alone = len(a.quantities) == len(b.quantities) == 1 and "" not in one | two
    short = max(len(_signs(a)), len(_signs(b))) <= _SHORT
    return False, (alone and short) or _one_number_two_units(mine, yours)


def _one_number_two_units(mine: Iterable[Quantity], yours: Iterable[Quantity]) -> bool:
    theirs = {quantity.value: quantity.unit for quantity in yours if quantity.unit}
    return any(q.unit and theirs.get(q.value, q.unit) != q.unit for q in mine)


def _dates(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool({day.partition(":")[0] for day in a - b} & {day.partition(":")[0] for day in b - a})


def _names(a: Reading, b: Reading) -> bool:
    """Whether each names something that the other neither names nor mentions.

    In long texts only where the names stand in one place, or where hardly anything else differs.
    """
    ours, theirs = _unnamed(a, b), _unnamed(b, a)
    if not ours or not theirs:
        return False
    one, two = _signs(a).keys(), _signs(b).keys()
    if max(len(one), len(two)) <= _SHORT:
        return True
    mine, yours = _parts(ours), _parts(theirs)
    if len((one ^ two) - mine - yours) <= _HARDLY:
        return True
    return any(left & mine and right & yours for left, right in _replaced(a, b))


def _unnamed(a: Reading, b: Reading) -> list[str]:
    said = {word.fold for word in b.words} | {word.text.lower() for word in b.words}
    return [
        name
        for name in a.names
        if not any(_one_name(name, other) for other in b.names) and not said.issuperset(name.split())
    ]


def _one_name(a: str, b: str) -> bool:
    """Whether two names may be of one thing: all words of the shorter are in the longer, or it is its initials."""
    short, long = sorted((a.split(), b.split()), key=len)
    if all(any(_one_word(part, other, len(long)) for other in long) for part in short):
        return True
    letters = "".join(part[0] for part in long)
    return len(short) == 1 and len(long) > 1 and short[0] in (letters, letters.replace("o", ""))


def _one_word(a: str, b: str, words: int) -> bool:
    """The same word of a name, or a form of it: Iraq and Iraqi, Italy and Italian; Tim and Timothy beside others."""
    if a == b:
        return True
    least = 3 if words > 1 else 4
    if not (a.isalpha() and b.isalpha()) or a[:least] != b[:least]:
        return False
    return (
        a.startswith(b)
        or b.startswith(a)
        or (len(a) > 4 < len(b) and a.endswith(_OF_A_PLACE) != b.endswith(_OF_A_PLACE))
    )


def _owners(a: Reading, b: Reading) -> bool:
    if a.owners and b.owners:
        return not any(_one_owner(one, two) for one in a.owners for two in b.owners)
    return bool((a.owners and b.of_user) or (b.owners and a.of_user))


def _one_owner(a: str, b: str) -> bool:
    return _one_name(a, b) or len(set(a.split()) & set(b.split())) > 1


def _scenes(a: Reading, b: Reading) -> bool:
    """Whether one holds in a scene of which the other says nothing; in long texts, whether each does."""
    ours, theirs = _unmet(a, b), _unmet(b, a)
    long = max(len(a.words), len(b.words)) > 2 * _SHORT
    return (ours and theirs) if long else (ours or theirs)


def _unmet(a: Reading, b: Reading) -> bool:
    said = {word.fold for word in b.words}
    return any(not _met(set(scene.split()), b.scenes, said) for scene in a.scenes)


def _met(scene: set[str], scenes: Iterable[str], said: set[str]) -> bool:
    return scene <= said or any(2 * len(scene & set(other.split())) >= len(scene) for other in scenes)
