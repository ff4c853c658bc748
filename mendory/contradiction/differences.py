"""In what two readings clash, kind by kind, and whether a kind is one by which both can't hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mendory.contradiction.texts import Read
from mendory.language import Language, Reading
from mendory.sameness.features import kin
from mendory.veto.about import owners, scenes
from mendory.veto.alone import one_word, redated
from mendory.veto.exchange import exchanged, redealt
from mendory.veto.figures import dates, quantities
from mendory.veto.names import kinds, names, one_name, slots
from mendory.veto.polarity import bounded, denied, opposed

PERSONS: Final = frozenset(
    ("man", "men", "woman", "women", "boy", "girl", "guy", "ladi", "gentleman", "male", "femal", "child", "kid")
) | frozenset(("男", "女", "男人", "女人", "男生", "女生", "男孩", "女孩", "男性", "女性", "孩子"))
"""Words for a person of some sort. "A man sings", "a woman sings": two persons, and no contradiction."""
ANYBODY: Final = frozenset(("person", "peopl", "someon", "somebodi", "人", "有人"))
"""Words for a person of any sort, who may be the one whom the other text names by its sort."""
_MOST: Final = 0.5
_SOME: Final = frozenset(("a", "an", "some", "有", "一个", "某", "某个"))
_OPEN: Final = frozenset(("plan", "perhaps", "or"))
"""Bounds of what is not said to hold: a plan, a guess, one of several."""


@dataclass(frozen=True, slots=True)
class Differences:
    """What clashes, and what keeps a clash from telling anything.

    `who`: they speak of persons of opposite sorts. `stronger`: how far strengths lie apart, 0 to 1. `parity`: one
    denies what it says and the other does not. `open`: one asks, plans or supposes. `dated`: one tells of a day
    or version of which the other does not, or each of other numbers. `elsewhere`: more than half of what they say
    is about other things; or what one denies is nothing of which the other speaks; or both tell of something that
    they don't name ("a dog is inside", "a dog is outside"). `strangers`: they are about different people and name
    nobody in common.
    """

    denied: bool
    opposite: bool
    ended: bool
    stronger: float
    bounded: bool
    number: bool
    unit: bool
    date: bool
    version: bool
    name: bool
    kind: bool
    slot: bool
    exchanged: bool
    one_word: bool
    owner: bool
    scene: bool
    who: bool
    parity: bool
    open: bool
    dated: bool
    elsewhere: bool
    strangers: bool

    @property
    def polarity(self) -> bool:
        """One denies what the other says, says its opposite, or that it is over."""
        return self.denied or self.opposite or self.ended

    @property
    def figure(self) -> bool:
        """They have another number, unit, date or version."""
        return self.number or self.unit or self.date or self.version

    @property
    def instead(self) -> bool:
        """Something else stands in one place."""
        return self.name or self.kind or self.slot or self.exchanged or self.one_word

    @property
    def decisive(self) -> bool:
        """Whether one can't hold beside the other: it denies, of one thing and one time, what the other says.

        Another word, name or figure in one place is no such thing: "likes tea", "likes coffee"; "bought 3", "bought 5".
        Nor is a denial of one of a class where the other text has another of it: "does not play the flute", "plays the
        drums". Which attributes have one value is told by claims, not by words.
        """
        other = self.name or self.slot or self.owner or (self.kind and not self.opposite)
        return self.polarity and not (self.open or self.dated or self.elsewhere or other)


def differences(a: Read, b: Read) -> Differences:
    """What clashes between two texts of one language; symmetric."""
    one, two, language = a.reading, b.reading, a.language
    number, unit = quantities(one, two)
    owner = owners(one, two)
    words, explained = opposed(one, two, language)
    persons = {pair for pair in words if pair[0] in PERSONS and pair[1] in PERSONS}
    in_other_words = explained and not words  # "not safe", "dangerous": what is denied is the opposite of what is said
    return Differences(
        denied(one, two, explained) and not in_other_words,
        bool(words - persons),
        one.ended != two.ended,
        _strengths(one, two),
        bounded(one, two),
        number or redealt(one, two),
        unit,
        dates(one.dates, two.dates) or redated(one, two),
        bool(one.versions - two.versions and two.versions - one.versions),
        names(one, two),
        kinds(one, two),
        slots(one, two),
        exchanged(one, two),
        one_word(one, two),
        owner,
        scenes(one, two),
        bool(persons),
        a.denies != b.denies,
        a.asks or b.asks or bool((one.bounds | two.bounds) & _OPEN),
        _dated(one, two),
        2 * (len(rest(a, b)) + len(rest(b, a))) > len(a.content) + len(b.content)
        or (a.denies == b.denies and _indefinite(one) and _indefinite(two))
        or (a.denies != b.denies and not words and met(*((a, b) if a.denies else (b, a))) < _MOST),
        owner and not named_alike(a, b),
    )


def _dated(a: Reading, b: Reading) -> bool:
    if a.dates != b.dates or a.versions != b.versions:
        return True
    return bool(a.quantities and b.quantities) and a.quantities != b.quantities


def _indefinite(reading: Reading) -> bool:
    return bool(reading.words) and reading.words[0].text.lower() in _SOME


def met(denier: Read, other: Read) -> float:
    """Of the words of content that one denies, the share that the other has, itself or a kin."""
    denied = [word.fold for word in denier.reading.words if word.content and word.negated]
    found = sum(fold in other.folds or any(kin(fold, word) for word in other.content) for fold in denied)
    return found / len(denied) if denied else 0.0


def named_alike(a: Read, b: Read) -> bool:
    """Whether both name one thing."""
    return any(one_name(one, two) for one in a.reading.names for two in b.reading.names)


def _strengths(a: Reading, b: Reading) -> float:
    return abs(a.strength - b.strength) / 4 if a.strength is not None and b.strength is not None else 0.0


def rest(a: Read, b: Read) -> list[str]:
    """Words of content of the first that have no partner in the second: itself, a kin, an opposite, or anybody."""
    return [fold for fold in a.content if not _partner(fold, b, a.language)]


def _partner(fold: str, other: Read, language: Language) -> bool:
    if fold in other.folds or not language.opposites(fold).isdisjoint(other.folds):
        return True
    sorts = ANYBODY if fold in PERSONS else PERSONS if fold in ANYBODY else frozenset()
    return not sorts.isdisjoint(other.folds) or any(kin(fold, word) for word in other.content)
