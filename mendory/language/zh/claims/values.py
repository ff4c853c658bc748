"""Claims and values as the rules here make them."""

from __future__ import annotations

from typing import Any, Final

from mendory.language.claim import USER, Claim, ClaimKind, Value, ValueKind
from mendory.language.folding import fold
from mendory.language.reading import Quantity
from mendory.language.zh.claims.lexicon import forms, named
from mendory.language.zh.claims.sayings import Saying
from mendory.language.zh.lexicon import SAME
from mendory.language.zh.scan import scan

_TOOLS = {name: kind for kind, names in named("tools") for name in names}
_GIVEN_AWAY: Final = 0.6
_FORMS = forms("things")
_KINDS = named("kinds")


def fact(said: Saying, about: str, *values: Value, sure: float, **more: Any) -> Claim:
    """A fact of a clause's subject, of the time of the clause."""
    subject = more.pop("subject", said.subject or USER)
    more.setdefault("tense", said.tense)
    return Claim(ClaimKind.FACT, subject, about, values, confidence=sure, **more)


def given_away(sure: float) -> float:
    """How sure a claim is that a way of talking gives away, so that no rule decides anything by it (`DECIDES`).

    Right in seven to nine of ten utterances of a chat (`make quality`, kvpi), but nobody has said it.
    """
    return round(sure * _GIVEN_AWAY, 2)


def term(text: str, *within: str) -> Value:
    """A word as a value, with the classes it is of."""
    return Value(ValueKind.TERM, text, within=within)


def count(number: int) -> Value:
    """How many there are of something that is counted one by one."""
    return amount(Quantity(scan(f"{number}").quantities[0].value))


def amount(quantity: Quantity) -> Value:
    """A number with its unit."""
    text = f"{quantity.value.normalize():f}{quantity.unit}"
    return Value(ValueKind.NUMBER, text, quantity.value, quantity.unit)


def day(text: str) -> Value | None:
    """The date at the head of a text, as parts of `Reading.dates` in their order; None without one."""
    found = sorted(one for one in scan(text).dates if not one.startswith(("half:", "period:")))
    return Value(ValueKind.DATE, ",".join(found)) if found else None


def thing(text: str) -> str:
    """The one form of what something is called."""
    said = fold(text)
    said = _FORMS.get(said, said)
    return SAME.get(said, said)


def kinds(said: str) -> tuple[str, ...]:
    """What a thing is one of, narrow to wide."""
    found: list[str] = []
    for kind, members in _KINDS:
        if said in members or any(one in members for one in found):
            found.append(kind)
    return tuple(found)


def tool(said: str) -> str | None:
    """The job a tool does of which one is used at a time; None of what is no known tool."""
    return _TOOLS.get(said)
