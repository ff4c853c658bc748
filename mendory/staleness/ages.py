"""What lasts and what is soon over, as the claims and the words of a memory say."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mendory.claims import claims_in
from mendory.claims.attributes import attribute
from mendory.language import language_of
from mendory.language.ageing import Ageing
from mendory.language.claim import ClaimKind, Tense

_HELD: Final = 1 << 14


@lru_cache(maxsize=_HELD)
def lasting(text: str) -> bool:
    """Whether a text says what holds for life or nearly so: by its words, or by an attribute that never changes."""
    language = language_of(text)
    if isinstance(language, Ageing) and language.lasting(text):
        return True
    facts = (c for c in claims_in(text) if c.kind is ClaimKind.FACT and c.tense is Tense.NOW and not c.denied)
    return any((known := attribute(fact.about)) is not None and not known.changes for fact in facts)


@lru_cache(maxsize=_HELD)
def under_way(text: str) -> bool:
    """Whether a text says that a task is being done at the moment of writing; False where no language tells."""
    language = language_of(text)
    return isinstance(language, Ageing) and language.under_way(text)
