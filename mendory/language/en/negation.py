"""Which words of an English text a negation reaches."""

from __future__ import annotations

from dataclasses import dataclass

from mendory.language.en.forms import folded
from mendory.language.en.lists import ENDS, listed
from mendory.language.en.tokens import Token

_NO = listed("not never no nor neither none nobody nothing nowhere hardly barely scarcely rarely seldom without")


def _folds(words: str) -> frozenset[str]:
    return frozenset(folded(word)[0] for word in listed(words))


# By fold: what is said behind these words is not so, or not wished. Those of `_STANCE` where they are turned: dislike.
_TURNING = _folds("avoid refuse reject fail lack abstain lose lost")
_STANCE = _folds("like allow accept agree approve trust able")
_OVER = _folds("stop quit cease")
_IDLE = {
    "not": listed("only just merely"),
    "no": listed("doubt problem matter wonder longer"),
    "nothing": listed("but"),
}
_CLAUSE = listed("i you he she it we they is was are were has does do did will would can the")
_ABHOR = listed("stand bear tolerate")
_BE = listed("is are was were be am been being m re get got")


@dataclass(frozen=True, slots=True)
class Negation:
    """By token, whether it is negated; how many negations hold; whether something is over."""

    reached: tuple[bool, ...]
    count: int
    ended: bool


def negation(found: list[Token]) -> Negation:
    """What the negations of a text reach: from each to the end of its clause, a second one turning it back."""
    reached: list[bool] = []
    count = 0
    ended = False
    on = False
    for at, token in enumerate(found):
        low = token.low
        following = found[at + 1].low if at + 1 < len(found) else ""
        if token.kind == "mark":
            on = on and token.text in '-/&"'
            reached.append(False)
            continue
        if low in ENDS or (low in ("and", "as") and following in _CLAUSE):
            on = False
        reached.append(on)
        if _contrasted(found, at, following) or _far(low, following, found[at - 1].low if at else ""):
            on, count = True, count + 1
        elif low in _NO:
            longer = low == "no" and following == "longer"
            ended = ended or longer
            if longer or not _idle(found, at):
                on = not (on and _twice(found, at))
                count += 1
        elif token.kind == "word":
            fold, turned = folded(low)
            over = fold in _OVER and (following.endswith("ing") or (fold == "quit" and following not in ("", ".")))
            ended = ended or over or low in ("formerly", "anymore") or (low == "used" and _used_to(found, at))
            turns = over or fold in _TURNING or (fold == "declin" and following == "to")
            if turns or turned:
                count += -1 if on else 1
            if turns or (turned and fold in _STANCE):
                on = not on
    return Negation(tuple(reached), max(count, 0), ended)


def _twice(found: list[Token], at: int) -> bool:
    """Whether a word of negation in the reach of another takes it back, as "not without", or goes on, as "and no"."""
    before = found[at - 1].low if at else ""
    return found[at].low not in ("nor", "neither") and before not in ("and", "or", "but", "nor")


def _idle(found: list[Token], at: int) -> bool:
    """Whether a word of negation negates nothing: "not only", "no doubt", and a No that answers."""
    low = found[at].low
    if at + 1 == len(found):
        return low == "no"
    following = found[at + 1]
    if following.low in _IDLE.get(low, ()):
        return low != "not" or any(token.low in ("but", "also") for token in found[at + 2 :])
    if low == "not" and following.low == "to":
        return at + 2 < len(found) and found[at + 2].low == "mention"
    return low == "no" and following.kind == "mark" and following.text != '"'


def _used_to(found: list[Token], at: int) -> bool:
    """Whether "used" says what is over: used to smoke; not: is used to noise, is used to make bread."""
    if at + 1 >= len(found) or found[at + 1].low != "to":
        return False
    return _BE.isdisjoint(token.low for token in found[max(0, at - 2) : at])


def _contrasted(found: list[Token], at: int, following: str) -> bool:
    """Whether what comes behind a word is what is not wished: instead of, rather than, prefers tea over coffee."""
    low = found[at].low
    if (low, following) in (("instead", "of"), ("rather", "than")):
        return True
    if low == "than" and any(token.low == "rather" for token in found[max(0, at - 6) : at]):
        return True
    if low not in ("over", "to") or following in ("be", "have", "do", "go", "drink", "eat", "use", "work", "stay"):
        return False
    for token in reversed(found[max(0, at - 6) : max(0, at - 1)]):
        if token.kind == "mark" or token.low in _NO:
            return False
        if token.low.startswith("prefer"):
            return True
    return False


def _far(low: str, following: str, before: str) -> bool:
    """Whether what follows is said not to be so: has yet to arrive, far from happy, anything but patient."""
    if low == "far":
        return following == "from" and before in _BE
    if low == "yet":
        return following == "to" and before in (*_BE, "have", "has", "had", "ve", "'s", "s")
    return low == "anything" and following == "but"


def abhorred(low: str, reached: bool) -> bool:
    """Whether a word with its negation says dislike: can't stand, can't bear."""
    return reached and low in _ABHOR
