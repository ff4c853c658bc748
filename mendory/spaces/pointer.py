"""Which space is searched, and which is kept beside it: what a switch and a way back change, and nothing else does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

COLUMN: Final = "embedding__"
"""How the name of a column begins that a move has added; the beginning of its space's id follows."""


@dataclass(frozen=True, slots=True)
class Pointed:
    """One live space: its id, and the column its vectors are in; None for where the mapping says."""

    id: str
    column: str | None


@dataclass(frozen=True, slots=True)
class Pointer:
    """The space that is searched and written, and the one that is written beside it; None where none is known.

    `share` is the share of recalls that are answered from the space beside it.
    """

    searched: Pointed | None = None
    beside: Pointed | None = None
    share: float = 0.0

    @property
    def spaces(self) -> tuple[Pointed | None, Pointed | None]:
        """The spaces, whatever the share."""
        return self.searched, self.beside
