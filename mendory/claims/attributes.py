"""Attributes of facts, declared once: what sort of value each has, and whether it has one value at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from mendory.language.claim import ValueKind

Singles = frozenset[str]
"""Attributes of which an owner says that they hold one value at a time, by the names that claims have for them."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """`single`: of two values that hold at one time one is wrong. `changes`: it may be another tomorrow."""

    name: str
    kind: ValueKind
    single: bool
    changes: bool = True


def _declared(*attributes: Attribute) -> Mapping[str, Attribute]:
    return MappingProxyType({one.name: one for one in attributes})


ATTRIBUTES: Final = _declared(
    Attribute("name", ValueKind.PERSON, True, False),
    Attribute("lives_in", ValueKind.PLACE, True),
    Attribute("born_in", ValueKind.PLACE, True, False),
    Attribute("employer", ValueKind.TERM, True),
    Attribute("job", ValueKind.TERM, True),
    Attribute("age", ValueKind.NUMBER, True),
    Attribute("birthday", ValueKind.DATE, True, False),
    Attribute("gender", ValueKind.TERM, True, False),
    Attribute("zodiac", ValueKind.TERM, True, False),
    Attribute("marital", ValueKind.TERM, True),
    Attribute("diet", ValueKind.TERM, True),
    Attribute("allergic", ValueKind.TERM, False, False),
    Attribute("blood", ValueKind.TERM, True, False),
    Attribute("height", ValueKind.NUMBER, True, False),
    Attribute("weight", ValueKind.NUMBER, True),
    Attribute("port", ValueKind.NUMBER, True),
    Attribute("version", ValueKind.TERM, True),
    Attribute("deadline", ValueKind.DATE, True),
    Attribute("from", ValueKind.PLACE, True, False),
    Attribute("grew_up_in", ValueKind.PLACE, True, False),
    Attribute("lives_with", ValueKind.TERM, False),
    Attribute("study", ValueKind.TERM, True),
    Attribute("studied", ValueKind.TERM, False),
    Attribute("degree", ValueKind.TERM, False),
    Attribute("faith", ValueKind.TERM, True),
    Attribute("politics", ValueKind.TERM, True),
    Attribute("hair", ValueKind.TERM, True),
    Attribute("eye", ValueKind.TERM, True, False),
    Attribute("stature", ValueKind.TERM, True, False),
    Attribute("scheduled", ValueKind.DATE, True),
    Attribute("favourite", ValueKind.TERM, True),
    Attribute("tool", ValueKind.TERM, True),
    Attribute("phone", ValueKind.TERM, True),
    Attribute("email", ValueKind.TERM, True),
    Attribute("detail", ValueKind.TERM, True),
    Attribute("has", ValueKind.TERM, False),
    Attribute("count", ValueKind.NUMBER, True),
    Attribute("speaks", ValueKind.TERM, False),
    Attribute("works_on", ValueKind.TERM, False),
    Attribute("uses", ValueKind.TERM, False),
    Attribute("does", ValueKind.TERM, False),
)
"""`count` and `has` name what they count or deny in the claim's `about` after a colon: "count:child", "has:pet".

So do `favourite` ("favourite:colour"), `tool`, which does a job of which one is used at a time ("tool:editor"),
`version` where it is another's ("version:python"), and `detail`, an attribute by its noun ("detail:timezone").
"""


def attribute(about: str) -> Attribute | None:
    """The declared attribute of a claim's `about`, whatever follows its colon; None of one nobody declared."""
    return ATTRIBUTES.get(about.partition(":")[0])


def single(about: str, singles: Singles = frozenset()) -> bool:
    """Whether of two values of it that hold at one time one is wrong: it is declared so here, or by the owner.

    >>> single("lives_in"), single("uses"), single("locker:gym", frozenset({"locker"}))
    (True, False, True)
    """
    known = attribute(about)
    return (known is not None and known.single) or _owners(about, singles) is not None


def declared(about: str, singles: Singles = frozenset()) -> str:
    """The name by which it is declared, here or by the owner; "" of one nobody declared: it may be a memory's text."""
    known = attribute(about)
    return known.name if known else _owners(about, singles) or ""


def _owners(about: str, singles: Singles) -> str | None:
    return next((name for name in (about, about.partition(":")[0]) if name in singles), None)
