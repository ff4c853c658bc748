"""Attributes of facts, declared once: what sort of value each has, and whether it has one value at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from mendory.language.claim import ValueKind


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
