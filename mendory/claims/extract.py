"""What a text claims, by the rules of its language."""

from __future__ import annotations

from functools import lru_cache

from mendory.language import language_of
from mendory.language.claim import Claim, Claiming


@lru_cache(maxsize=1 << 14)
def claims_in(text: str) -> tuple[Claim, ...]:
    """What the rules of its language find that the text claims; () where no language reads it or extracts claims."""
    language = language_of(text)
    return language.claims(text) if isinstance(language, Claiming) else ()
