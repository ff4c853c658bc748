"""The interface of a language: what it reads in a text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Word:
    """A word: as written, as it is compared, whether it carries meaning, and whether a negation reaches it."""

    text: str
    fold: str
    content: bool = True
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit in one form: 三公里, 3 km and 3,000 m are (3000, "m"). Without a unit it is "" ."""

    value: Decimal
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a language reads in one text. Everything in it is in the one form in which two readings are compared.

    `dates`: days, weekdays, months, times of day, relative days. `names`: of persons, places, products and other
    things. `owners`: whom a statement is about where it names somebody but the user ("mother", "小王"). `scenes`:
    when or where it holds ("at business dinners", 出差时). `ended`: it says that something is over ("no longer",
    "used to", 不再, 已经…了).
    """

    language: str
    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...] = ()
    dates: frozenset[str] = frozenset()
    versions: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    scenes: frozenset[str] = frozenset()
    ended: bool = False


class Language(Protocol):
    """One language. All methods are pure; their cost grows with the length of the text."""

    @property
    def code(self) -> str:
        """Its ISO 639-1 code, the name under which it is chosen."""

    @property
    def scripts(self) -> tuple[str, ...]:
        """The scripts (`mendory.text.script`) in which it is written."""

    def speaks(self, text: str) -> bool:
        """Whether a text in one of its scripts is in this language as far as a rule can tell."""

    def read(self, text: str) -> Reading:
        """What the text says, by rules."""

    def sentences(self, text: str) -> tuple[str, ...]:
        """The text in sentences or, where it has none, in the parts between separators; each as written, stripped."""

    def opposites(self, word: str) -> frozenset[str]:
        """Folded words that say the opposite of a folded word."""
