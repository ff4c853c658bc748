"""What a language tells of how a text ages."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Ageing(Protocol):
    """A language that also tells what lasts and what is soon over. One that does not says neither of any text."""

    def lasting(self, text: str) -> bool:
        """Whether the text says what holds for life or nearly so: an allergy, a blood type, a faith, a birthday."""

    def under_way(self, text: str) -> bool:
        """Whether the text says that a task is being done at the moment of writing ("fixing … today", 正在修复)."""
