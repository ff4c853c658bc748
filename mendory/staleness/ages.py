"""What lasts and what is soon over, as the words of a memory and its writer's claim say."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mendory.claims.attributes import attribute
from mendory.language import language_of
from mendory.language.ageing import ageing
from mendory.record import Memory

_HELD: Final = 1 << 14


def lasting(memory: Memory) -> bool:
    """Whether it says what holds for life or nearly so: by its words, or by its writer's attribute that never changes.

    Claims are not extracted for it: recall asks this of every memory it ranks.
    """
    said = (memory.claim or {}).get("attribute")
    known = attribute(said) if isinstance(said, str) else None
    return (known is not None and not known.changes) or _lasting(memory.content or "")


@lru_cache(maxsize=_HELD)
def _lasting(text: str) -> bool:
    language = ageing(language_of(text))
    return language is not None and language.lasting(text)


@lru_cache(maxsize=_HELD)
def under_way(text: str) -> bool:
    """Whether a text says that a task is being done at the moment of writing; False where no language tells."""
    language = ageing(language_of(text))
    return language is not None and language.under_way(text)
