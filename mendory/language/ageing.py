"""What a language tells of how a text ages."""

from __future__ import annotations

from typing import Protocol, cast

from mendory.language.reading import Language


class Ageing(Protocol):
    """A language that also tells what lasts and what is soon over. One that does not says neither of any text."""

    def lasting(self, text: str) -> bool:
        """Whether the text says what holds for life or nearly so: an allergy, a blood type, a faith, a birthday."""

    def under_way(self, text: str) -> bool:
        """Whether the text says that a task is being done at the moment of writing ("fixing … today", 正在修复)."""


def ageing(language: Language | None) -> Ageing | None:
    """The language as one that tells of ageing; None where it does not."""
    # asked by name: up to Python 3.11, isinstance with a protocol costs more than reading a short text
    told = language is not None and all(hasattr(language, name) for name in ("lasting", "under_way"))
    return cast(Ageing, language) if told else None
