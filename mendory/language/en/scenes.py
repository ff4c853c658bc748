"""When and where an English statement holds, and whom it is about."""

from __future__ import annotations

from mendory.language.en.forms import folded
from mendory.language.en.lists import FUNCTION, listed
from mendory.language.en.names import GIVEN
from mendory.language.en.tokens import Token

_PLACES = listed("""
work school home office gym dinner dinners lunch lunches breakfast supper meeting meetings party parties conference
conferences wedding weddings holiday holidays vacation vacations trip trips flight flights weekday weekdays weekend
weekends workday workdays winter summer spring autumn public private company guests clients business interviews
commute travel travels christmas thanksgiving birthdays exams exam deadlines ramadan family friends colleagues
""")
_LEADS = listed("at during on in for over with")
_CLAUSES = listed("when whenever while if unless")
_KIN = listed("""
mother mom mum dad father brother sister son daughter wife husband girlfriend boyfriend partner uncle aunt cousin
grandmother grandma grandfather grandpa parents kids children friend friends boss manager colleague colleagues coworker
motherinlaw fatherinlaw sisterinlaw brotherinlaw soninlaw daughterinlaw stepmother stepfather stepson stepdaughter
stepbrother stepsister halfbrother halfsister exwife exhusband exboyfriend exgirlfriend godmother godfather godson
roommate neighbor neighbour dog cat niece nephew fiance fiancee landlord teacher doctor baby family team
""")
_POSSESSIVE = listed("my his her our their your user's")
_REPORTS = listed(
    "said says told tells announced reported reports added stated asked mentioned notes noted claims claimed"
)
_USER = listed("i we user im ive my")
_SUBJECTLESS = listed("""
likes like loves love prefers prefer hates hate works work lives live wants want uses use is was has had have drinks
drink eats eat plays play studies enjoys enjoy dislikes dislike refuses refuse speaks avoids avoid needs no never not
always allergic does doesn't do don't can can't cannot owns moved started stopped quit takes goes wakes sleeps
interested
""")


def scenes(found: list[Token]) -> frozenset[str]:
    """The scenes of a text, each in folded words of content: "at business dinners" is "busi dinner"."""
    read: set[str] = set()
    for at, token in enumerate(found):
        if token.kind != "word":
            continue
        if token.low in _LEADS:
            read.update(_place(found, at))
        elif token.low in _CLAUSES:
            clause = _clause(found, at)
            if clause and (token.low != "while" or (at + 1 < len(found) and found[at + 1].low.endswith("ing"))):
                read.add(clause)
    return frozenset(read)


def _place(found: list[Token], at: int) -> list[str]:
    said: list[str] = []
    for token in found[at + 1 : at + 5]:
        if token.kind != "word" or token.low in _LEADS or token.low in _CLAUSES:
            break
        if token.low in _PLACES:
            said.append(folded(token.low)[0])
            if token.low not in ("business", "family", "company", "christmas", "birthday"):
                return [" ".join(said)]
        elif token.low not in FUNCTION:
            said.append(folded(token.low)[0])
    return [" ".join(said)] if said and found[min(at + len(said), len(found) - 1)].low in _PLACES else []


def _clause(found: list[Token], at: int) -> str:
    said: list[str] = []
    for token in found[at + 1 : at + 9]:
        if token.kind == "mark":
            break
        if token.low not in FUNCTION:
            said.append(folded(token.low)[0])
    return " ".join(sorted(said)[:6])


def subject(found: list[Token], named: frozenset[int]) -> tuple[frozenset[str], bool]:
    """Whom a text is about besides the user, and whether it is about the user."""
    at = 0
    while at < len(found) and (
        found[at].kind == "mark" or found[at].low in ("well", "yes", "also", "oh", "the", "and", "so")
    ):
        at += 1
    if at == len(found):
        return frozenset(), False
    if found[at - 1].text == '"' and at:
        return frozenset(), False  # somebody's words: who says them is told behind
    low = found[at].low
    if at in named:
        return _named(found, at, named), False
    if low in _POSSESSIVE or (low == "user" and at + 1 < len(found) and found[at + 1].low == "'s") or low in _KIN:
        start = at if low in _KIN else at + 1 + (low == "user")
        for token in found[start : start + 3]:
            if token.low in _KIN:
                return frozenset((folded(token.low)[0],)), False
            if token.kind != "word" or token.low in FUNCTION:
                break
        return frozenset(), low in ("my", "our", "user")
    if low in GIVEN:
        return frozenset((low,)), False
    return frozenset(), low in _USER or low in _SUBJECTLESS


def _named(found: list[Token], at: int, named: frozenset[int]) -> frozenset[str]:
    end = at
    while end in named:
        end += 1
    if any(token.kind != "word" or token.text.isupper() for token in found[at:end]):
        return frozenset()  # a thing or a body, no person
    name = " ".join(token.low for token in found[at:end])
    if end < len(found) and found[end].low in _REPORTS:
        return frozenset()  # the statement is about whom is spoken of
    if end + 1 in named and found[end].low == "'s":
        return _named(found, end + 1, named)  # Norway's Anna Berg
    if end < len(found) and found[end].low == "'s":
        kin = next((token for token in found[end + 1 : end + 4] if token.low in _KIN), None)
        if kin:
            whose = " ".join(f"{part}'s" for part in name.split())  # Wei's boss is not Wei
            return frozenset((f"{whose} {folded(kin.low)[0]}",))
    return frozenset((name,))
