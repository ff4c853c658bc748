"""How two texts stand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mendory.language.claim import Claim

DECIDES: Final[Mapping[str, float]] = MappingProxyType({"en": 0.5, "zh": 0.5})
"""By language, the score from which a pair is a conflict that rules may decide; below it, it is at most a candidate for
a person to look at. In a language that is not here no score is enough."""


class Relation(StrEnum):
    """What holds between two texts of one scope."""

    CONFLICT = "conflict"
    """Both can't hold."""
    EXCEPTION = "exception"
    """One says for a scene what the other says in general: both hold, the specific one first where its scene is."""
    AGREE = "agree"
    """They claim the same of one thing."""
    APART = "apart"
    """They are about other things, people or times: nothing to decide."""
    UNKNOWN = "unknown"
    """The rules can't tell."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`score` is how sure it is that both can't hold, 0 to 1. `why` names what decided, in words of our own.

    `claims` are the two that were compared, None on a side where none was. `narrower` is the side (0 or 1) with the
    narrower scene, of an exception.
    """

    relation: Relation
    score: float
    why: tuple[str, ...] = ()
    claims: tuple[Claim | None, Claim | None] = (None, None)
    narrower: int | None = None
