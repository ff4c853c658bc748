"""What a language tells of projects, employers and tools: to which a text belongs, and which were left for others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

PROJECT: Final = "project"
EMPLOYER: Final = "employer"
TOOL: Final = "tool"


@dataclass(frozen=True, slots=True)
class MovedOn:
    """The user has left something for something else; names as written. `left` is empty where it is not said."""

    what: str
    left: tuple[str, ...]
    taken: tuple[str, ...]


@runtime_checkable
class Moving(Protocol):
    """A language that tells of what was left beyond its claims."""

    def moved_on(self, text: str) -> tuple[MovedOn, ...]:
        """What the user has left for something else; nothing planned, supposed, asked or of another person."""

    def belongs_to(self, text: str) -> tuple[tuple[str, str], ...]:
        """(project, employer or tool, its name as written) for each that the text is about."""
