"""The interface of a language: what it reads in a text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Word:
    """A word: as written, as it is compared, whether it carries meaning, and whether a negation reaches it.

    `negated` is the parity of all that turns the word round: "not happy" and "unhappy" are both the fold "happy",
    negated; "not unhappy" is not. Words of stance are turned like that too: "hates tea" is "like", negated, and tea,
    negated. `turned`: the word says the opposite of its fold by itself ("unhappy", "hates"), whatever is around it.
    `kind` names a class whose members exclude one another ("colour", "kin", "job"); "" is none.
    """

    text: str
    fold: str
    content: bool = True
    negated: bool = False
    kind: str = ""
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit in one form: 三公里, 3 km and 3,000 m are (3000, "m"). Without a unit it is "" ."""

    value: Decimal
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a language reads in one text. Everything in it is in the one form in which two readings are compared.

    `words`: in order; names are among them, quantities, dates and versions are not. `dates`: days, weekdays, months,
    times of day, relative days, each as "kind:value" ("weekday:2", "month:10", "day:15", "year:2024", "time:15:00",
    "relative:1"); only values of one kind can clash. `names`: of persons, places, products, files and other things,
    a name of several words with single spaces between ("kevin rollins"). `owners`: whom a statement is about where it
    names somebody but the user ("mother", "小王"); `of_user`: it is about the user ("I", "User", 我, or no subject).
    Neither: it is not known. `scenes`: when or where it holds ("at business dinners", 出差时). `ended`: it says that
    something is over ("no longer", "used to", 不再, 已经…了). `negations`: how many negations hold in it. `strength`:
    how often or how much, 0 never, 1 hardly, 2 sometimes or a little, 3 often or a lot, 4 always; None where it is
    not said. `asks`: what a question asks for ("how", "why", "when", "how long", "where", "who", "how many", "which",
    "what", or "whether" alone); a statement asks for nothing. Two texts that ask for other things say other things,
    though one that asks and one that does not may be told apart by nothing else. `slots`: what fills a place that the
    word before it opens, by folds: ("work in", {"physic"}), ("redi for", {"session"}). `turns`: words that
    turn the order in which it says who does what to whom, as a passive does (被); None where the order of words does
    not say it. Two texts can be compared by the order of their names where these are the same. `bounds`: how far a
    statement holds where words say so: "only", "except", "or" (one of several), "plan" (meant, not yet so), "perhaps",
    "past" (by its tense), "more", "less", "out"; "must" tells only against "perhaps", "meant" against "done".
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
    of_user: bool = False
    negations: int = 0
    strength: int | None = None
    asks: frozenset[str] = frozenset()
    slots: tuple[tuple[str, frozenset[str]], ...] = ()
    turns: frozenset[str] | None = None
    bounds: frozenset[str] = frozenset()


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
