"""By which name the user of a memory calls himself or is called."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from mendory.claims import claims_in
from mendory.language.claim import USER, Tense, ValueKind
from mendory.scopes.names import form

_MAY_NAME: Final = re.compile(r"\b(?:name|called|call|i am|i'm|i’m)\b|叫|名|我是|本人", re.IGNORECASE)
"""What is in every text that gives the user's name; the rest claims none, and is not read."""
_FAMILIAR: Final = frozenset("小老阿")


def called(text: str) -> tuple[tuple[str, str], ...]:
    """(the spelling of a name, that of its kin) for each name that the text says the user has now.

    The kin is equal for a name and its short form: the first two Latin letters, or the first Chinese character behind
    小, 老 or 阿.
    """
    return _called(text) if _MAY_NAME.search(text) else ()


@lru_cache(maxsize=1 << 12)
def _called(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for claim in claims_in(text):
        if claim.about == "name" and claim.subject == USER and claim.tense is Tense.NOW and not claim.denied:
            for value in claim.values:
                if value.kind in (ValueKind.PERSON, ValueKind.TERM) and (name := form(value.text).spelling):
                    found[name] = _kin(name)
    return tuple(sorted(found.items()))


def _kin(name: str) -> str:
    if name.isascii():
        return name[:2]
    return name[1] if len(name) > 1 and name[0] in _FAMILIAR else name[0]
