"""What speaks against two texts saying the same, read from the raw texts by rules.

A vector does not tell a statement from its opposite: such pairs sit at cosine 0.90 to 0.99. So whatever else says that
two texts are one, a veto keeps them apart, and the pair is looked at as a conflict. A veto wants a clash: each side
says of one kind of thing what the other does not. What one side alone says is more information and no veto, but where
it changes whom or when a statement is about: an owner, a scene, something that is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from mendory.language import Language, Quantity, Reading, Word, language_of


class Veto(StrEnum):
    """Why two texts are not one, however near their vectors."""

    POLARITY = "polarity"
    """One says what the other denies, its opposite, another strength, or that it is over."""
    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    VERSION = "version"
    NAME = "name"
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
    names = _names(a, b)
    found = {
        Veto.POLARITY: _polarity(a, b, language),
        Veto.NUMBER: numbers,
        Veto.UNIT: units,
        Veto.DATE: _dates(a.dates, b.dates),
        Veto.VERSION: bool(a.versions - b.versions and b.versions - a.versions),
        Veto.NAME: names or _kinds(a, b),
        Veto.OWNER: _owners(a, b),
        Veto.SCENE: _scenes(a, b),
    }
    return tuple(veto for veto, speaks in found.items() if speaks)


def _content(reading: Reading) -> list[Word]:
    return [word for word in reading.words if word.content]


def _polarity(a: Reading, b: Reading, language: Language) -> bool:
    if a.ended != b.ended:
        return True
    if a.strength is not None and b.strength is not None and a.strength != b.strength:
        return True
    return _denied(a, b) or _opposite(a, b, language)


def _denied(a: Reading, b: Reading) -> bool:
    """Whether one denies of a word what the other says of it; or denies something at all, where the other does not."""
    one, two = _signs(a), _signs(b)
    both = one.keys() & two.keys()
    differ = any(one[fold].isdisjoint(two[fold]) for fold in both)
    agree = any(True in one[fold] and True in two[fold] for fold in both)
    if differ:
        return not agree or a.negations != b.negations
    return bool(a.negations) != bool(b.negations)


def _signs(reading: Reading) -> dict[str, set[bool]]:
    signs: dict[str, set[bool]] = {}
    for word in reading.words:
        if word.content:
            signs.setdefault(word.fold, set()).add(word.negated)
    return signs


def _opposite(a: Reading, b: Reading, language: Language) -> bool:
    """Whether a word of one has its opposite in the other, and neither text has both."""
    one, two = _signs(a), _signs(b)
    for fold in one.keys() - two.keys():
        for other in language.opposites(fold):
            if other in two and other not in one and not one[fold].isdisjoint(two[other]):
                return True
    return False


def _kinds(a: Reading, b: Reading) -> bool:
    """Whether each has a word of one kind that the other lacks, all else being said by both: red for blue."""
    one, two = _signs(a).keys(), _signs(b).keys()
    ours = {word.kind for word in a.words if word.kind and word.fold not in two}
    theirs = {word.kind for word in b.words if word.kind and word.fold not in one}
    return bool(ours & theirs)


def _quantities(a: Reading, b: Reading) -> tuple[bool, bool]:
    ours, theirs = Counter(a.quantities), Counter(b.quantities)
    mine, yours = list((ours - theirs)), list((theirs - ours))
    if not mine or not yours:
        return False, False
    one, two = {quantity.unit for quantity in mine}, {quantity.unit for quantity in yours}
    alone = len(a.quantities) == len(b.quantities) == 1
    number = bool(one & two) or (alone and "" in one | two and mine[0].value != yours[0].value)
    unit = not number and (alone and "" not in one | two or _one_number_two_units(mine, yours))
    return number, unit


def _one_number_two_units(mine: Iterable[Quantity], yours: Iterable[Quantity]) -> bool:
    theirs = {quantity.value: quantity.unit for quantity in yours if quantity.unit}
    return any(q.unit and theirs.get(q.value, q.unit) != q.unit for q in mine)


def _dates(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool({day.partition(":")[0] for day in a - b} & {day.partition(":")[0] for day in b - a})


def _names(a: Reading, b: Reading) -> bool:
    """Whether each names something that the other neither names nor mentions."""
    return bool(_unnamed(a, b)) and bool(_unnamed(b, a))


def _unnamed(a: Reading, b: Reading) -> list[str]:
    said = {part for name in b.names for part in name.split()}
    said.update(word.fold for word in b.words)
    said.update(word.text.lower() for word in b.words)
    return [name for name in a.names if not _mentioned(name, said, b)]


def _mentioned(name: str, said: set[str], b: Reading) -> bool:
    parts = name.split()
    if any(part in said for part in parts):
        return all(part in said for part in parts) or not any(
            set(other.split()) & set(parts) and set(other.split()) - set(parts) for other in b.names
        )
    return any(len(part) >= 4 and any(other[:4] == part[:4] for other in said) for part in parts)


def _owners(a: Reading, b: Reading) -> bool:
    if a.owners and b.owners:
        return not any(set(one.split()) & set(two.split()) for one in a.owners for two in b.owners)
    return bool((a.owners and b.of_user) or (b.owners and a.of_user))


def _scenes(a: Reading, b: Reading) -> bool:
    return a.scenes != b.scenes
