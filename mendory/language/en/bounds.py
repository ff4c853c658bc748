"""How far an English statement holds: only, except, one of several, meant, perhaps, or no longer so by its tense."""

from __future__ import annotations

from mendory.language.en.forms import known
from mendory.language.en.lists import FUNCTION, listed
from mendory.language.en.tokens import Token

_ONLY = listed("only solely exclusively")
_NO_BOUND_BEFORE = listed("not the an if")
"""Before "only" these make of it another word: not only, the only son, if only."""
_EXCEPT = listed("except excepting excluding barring")
_ALL = listed("all any everyone everybody everything anyone nobody no none every")
_NO_OTHER = listed("so more less not two three four five six seven eight nine ten twice thrice later else")
_PLAN = {
    "plan": listed("to on"),
    "plans": listed("to on"),
    "planning": listed("to on"),
    "planned": listed("to"),
    "intends": listed("to"),
    "intend": listed("to"),
    "thinking": listed("about of"),
}
_PERHAPS = listed("may might maybe perhaps possibly supposedly allegedly reportedly apparently rumour rumor rumored")
_MUST = {
    "must": frozenset[str](),
    "has": listed("to"),
    "have": listed("to"),
    "needs": listed("to"),
    "need": listed("to"),
}
_GIVES = listed("rent rents rented renting lease leases leased leasing hire hires hired hiring")
"""Who rents out has what another takes."""
_OTHER_MEASURE = {"more": "more", "fewer": "less", "less": "less"}
_LASTING = listed("lived worked owned used played smoked loved liked preferred wanted taught drove spoke wore")
"""Past forms of what lasts: who lived there lives there no more."""
_BEHIND_WAS = listed("a an the")
_BEHIND_HAD = listed("a an the no two three four five many")
_HELPS = listed("have has had ve 's s is are was were be been being get gets got to which that")
_REPORTS = listed("said says told mentioned stated added noted explained wrote asked")
"""With one of these a past form may be the tense of the report alone: said he loved tea."""


def bounds(found: list[Token], negations: int) -> frozenset[str]:
    """The bounds of a text; "or" is none under a negation, where it says neither, nor between numbers: one or two."""
    said: set[str] = set()
    reported = any(token.low in _REPORTS for token in found)
    for at, token in enumerate(found):
        before = found[at - 1].low if at else ""
        following = found[at + 1].low if at + 1 < len(found) else ""
        said.add(_bound(found, at, before, following))
        if token.low == "or" and not negations and following[:1].isalpha() and following not in _NO_OTHER:
            said.add("or")
        if not reported and before not in _HELPS and _past(token.low, following):
            said.add("past")
    return frozenset(said - {""})


def _bound(found: list[Token], at: int, before: str, following: str) -> str:
    low = found[at].low
    if low == "nothing" and following == "but":
        return "only"
    if low in _ONLY:
        return "" if before in _NO_BOUND_BEFORE else "only"
    if low in _EXCEPT or (low == "but" and any(token.low in _ALL for token in found[max(0, at - 2) : at])):
        return "except"
    if low in ("considering", "will", "ll") or following in _PLAN.get(low, ()) or _going(found, at):
        return "plan"
    if low in _PERHAPS and found[at].text != "May":
        return "perhaps"
    if low in _GIVES and following == "out":
        return "out"
    if low in _OTHER_MEASURE and following[:1].isalpha() and following not in ("than", "or", "about"):
        return _OTHER_MEASURE[low]
    return "must" if low in _MUST and (low == "must" or following in _MUST[low]) else ""


def _going(found: list[Token], at: int) -> bool:
    """Whether it is going to be so; not: going to a place."""
    if [token.low for token in found[at : at + 2]] != ["going", "to"] or at + 2 >= len(found):
        return False
    behind = found[at + 2]
    return behind.text.islower() and behind.low not in FUNCTION and known(behind.low)


def _past(low: str, following: str) -> bool:
    return (
        (low == "had" and following in _BEHIND_HAD)
        or (low in ("was", "were") and following in _BEHIND_WAS)
        or (low in _LASTING and following != "to")
    )
