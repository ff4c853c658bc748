"""What a first-person text says in passing of whom its speaker has: "my wife spends it all", "my three dogs"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value, ValueKind
from mendory.language.en.claims.kinds import kinds
from mendory.language.en.claims.values import figure
from mendory.language.en.claims.words import Said, Sentence
from mendory.language.en.forms import folded
from mendory.language.en.lists import listed, ordered

_MY = re.compile(r"\b(?:my|our) (?P<who>\w+(?: \w+){0,3})")
_UNSURE = listed("if unless want wants wish suppose imagine dream hope used ex late future was were had died dead said")
_MARITAL = {
    "husband": "married", "wife": "married", "hubby": "married", "spouse": "married",
    "fiance": "engaged", "fiancee": "engaged", "boyfriend": "dating", "girlfriend": "dating",
}  # fmt: skip
_ABOVE = {"engaged": ("dating",)}
_CHILDREN = {"daughter": "child", "son": "child", "child": "child", "toddler": "child", "stepson": "child"}
_SIBLINGS = {"brother": "sibl", "sister": "sibl", "sibl": "sibl"}
_NUMBERS = {
    word: n for n, word in enumerate(ordered("two three four five six seven eight nine ten eleven twelve thirteen"), 2)
}
_STOPS = listed("first second third old previous grand step and or s of in on at to is are was 's for with who that")


def mentions(sentences: Iterable[Sentence]) -> Iterator[Claim]:
    """Claims of `marital`, `has` and `count` from whom the text calls the speaker's own, wherever in a sentence."""
    for said, asked in sentences:
        if not asked and _UNSURE.isdisjoint(said.low) and '"' not in said.low:
            yield from _own(said)


def _own(said: Said) -> Iterator[Claim]:
    for found in _MY.finditer(" ".join(said.low)):
        many: int | None = None
        for at, word in enumerate(words := found["who"].split()):
            if word in _STOPS:
                break
            many = int(word) if word.isdigit() else _NUMBERS.get(word, many)
            kin = folded(word)[0]
            if words[at + 1 : at + 2] == ["'s"] or not (kin_or_pet := _is_one(word, kin)):
                continue
            yield from _claims(word, kin, kin_or_pet, many if at < 2 else None)
            break


def _is_one(word: str, kin: str) -> str:
    if word in _MARITAL:
        return "spouse"
    return _CHILDREN.get(kin) or _SIBLINGS.get(kin) or ("pet" if "pet" in kinds(kin) else "")


def _claims(word: str, kin: str, kind: str, many: int | None) -> Iterator[Claim]:
    if kind == "spouse":
        state = _MARITAL[word]
        value = Value(ValueKind.TERM, state, within=_ABOVE.get(state, ()))
        yield _fact("marital", (value,), 0.78)
        return
    for name in sorted({kin, kind, *kinds(kin)}):
        yield _fact(f"has:{name}", (), 0.75)
    if kind == "pet":
        liked = replace(_fact(kin, (), 0.6), kind=ClaimKind.PREFERENCE, stance=1)
        yield liked
    if many is not None:
        value = figure(Decimal(many))
        yield _fact(f"count:{kin}", (value,), 0.8)


def _fact(about: str, values: tuple[Value, ...], sure: float) -> Claim:
    return Claim(ClaimKind.FACT, USER, about, values, tense=Tense.NOW, confidence=sure)
