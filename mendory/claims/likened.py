"""A writer's words in the form in which the rules of their language would have found them in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from mendory.claims.extract import claims_in
from mendory.language import fold
from mendory.language.claim import Claim, ClaimKind, Tense, Value
from mendory.text import script

_SAID: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "latin": {
            **{
                "": "I like {}.",
                "lives_in": "I live in {}.",
                "born_in": "I was born in {}.",
                "employer": "I work at {}.",
            },
            **{"job": "I work as a {}.", "birthday": "My birthday is {}.", "deadline": "The deadline is {}."},
            **{"marital": "I am {}.", "diet": "I am {}.", "gender": "I am a {}.", "zodiac": "I am a {}."},
            "works_on": "I work on Project {}.",
            **{"version": "The version is {}.", "name": "My name is {}.", "speaks": "I speak {}.", "uses": "I use {}."},
        },
        "zh": {
            **{"": "我喜欢{}。", "lives_in": "我住在{}。", "born_in": "我出生在{}。", "employer": "我在{}上班。"},
            **{"job": "我的职业是{}。", "birthday": "我的生日是{}。", "deadline": "截止日期是{}。"},
            **{"marital": "我{}。", "diet": "我{}。", "gender": "我是{}。", "zodiac": "我是{}。"},
            "works_on": "我负责{}项目。",
            **{"version": "版本是{}。", "name": "我叫{}。", "speaks": "我会说{}。", "uses": "我用{}。"},
        },
    }
)
"""How a text of a script says that an attribute has a value; without an attribute, that something is liked."""
_LONGEST: Final = 40
_PROJECT: Final = re.compile(r"^(?:the )?project\s+|^(?:the )|\s+project$|^项目\s*|\s*项目$", re.IGNORECASE)


def likened_object(text: str) -> str:
    """The object of a preference as an extracted claim has it; folded where the rules find none in it.

    >>> likened_object("Coriander") == likened_object("coriander")
    True
    """
    found = (claim.about for claim in likened("", text) if claim.kind is ClaimKind.PREFERENCE)
    return next(found, fold(text))


def likened_value(about: str, text: str) -> Value | None:
    """The value of an attribute as an extracted claim has it, with what contains it; None where the rules find none."""
    found = [claim.values for claim in likened(about, text) if claim.about == about and not claim.denied]
    return found[0][0] if len(found) == 1 and len(found[0]) == 1 else None


def likened(about: str, text: str) -> Iterator[Claim]:
    """All that the rules find in a sentence that says it so; nothing of what is too long to be a value."""
    if len(text) <= _LONGEST:
        said = text.strip()
        bare = _PROJECT.sub("", said) or said if about == "works_on" else said
        return (claim for claim in _said(about, bare) if claim.tense is Tense.NOW)
    return iter(())


@lru_cache(maxsize=4096)
def _said(about: str, text: str) -> tuple[Claim, ...]:
    sentence = _SAID.get(script(text), _SAID["latin"]).get(about)
    return claims_in(sentence.format(text)) if sentence else ()
