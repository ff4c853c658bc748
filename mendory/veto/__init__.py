"""What speaks against two texts saying the same, read from the raw texts by rules.

A vector does not tell a statement from its opposite: such pairs sit at cosine 0.90 to 0.99. So whatever else says that
two texts are one, a veto keeps them apart, and the pair is looked at as a conflict. A veto wants a clash: each side
says of one kind of thing what the other does not. What one side alone says is more information and no veto, but where
it changes whom or when a statement is about: an owner, a scene, something that is over.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from mendory.language import Language, Reading, language_of
from mendory.text import letters
from mendory.veto.about import owners, scenes
from mendory.veto.alone import one_word, redated
from mendory.veto.exchange import exchanged, redealt
from mendory.veto.figures import dates, quantities
from mendory.veto.names import kinds, names, slots
from mendory.veto.polarity import polarity

__all__ = ["Veto", "vetoes", "vetoes_of"]


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

    Symmetric. Nothing speaks against a text and itself, however it begins, but that no language reads it.
    """
    one, two = _read(a), _read(b)
    if one is None or two is None or one[0] != two[0]:
        return (Veto.LANGUAGE,)
    if letters(a) == letters(b):
        return ()
    return vetoes_of(one[1], two[1], one[0])


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> tuple[Language, Reading] | None:
    """A text stands in many pairs; it is read once."""
    language = language_of(text)
    return None if language is None else (language, language.read(text))


def vetoes_of(a: Reading, b: Reading, language: Language) -> tuple[Veto, ...]:
    """The same of two readings by one language."""
    numbers, units = quantities(a, b)
    found = {
        Veto.POLARITY: polarity(a, b, language),
        Veto.NUMBER: numbers or redealt(a, b),
        Veto.UNIT: units,
        Veto.DATE: dates(a.dates, b.dates) or redated(a, b),
        Veto.VERSION: bool(a.versions - b.versions and b.versions - a.versions),
        Veto.NAME: names(a, b) or kinds(a, b) or slots(a, b) or exchanged(a, b) or one_word(a, b),
        Veto.OWNER: owners(a, b),
        Veto.SCENE: scenes(a, b),
    }
    return tuple(veto for veto, speaks in found.items() if speaks)
