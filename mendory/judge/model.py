"""What a judge is asked and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class Verdict(StrEnum):
    """What a judge says of two texts about one person or thing."""

    CONTRADICTS = "contradicts"
    """Both can't hold."""
    AGREES = "agrees"
    """One says the same as the other, or more of it."""
    UNRELATED = "unrelated"
    """Both may hold, and neither says the other."""
    UNKNOWN = "unknown"
    """No answer that may be used."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A judge's verdict and how sure it says it is, 0 to 1; an unknown verdict has confidence 0."""

    verdict: Verdict
    confidence: float

    @property
    def against(self) -> bool:
        """Whether it speaks against a conflict."""
        return self.verdict in (Verdict.AGREES, Verdict.UNRELATED)

    def as_json(self, name: str) -> dict[str, Any]:
        """What a finding's evidence keeps of it; no text of the judge's, which may repeat a memory."""
        return {"name": name, "verdict": self.verdict.value, "confidence": round(self.confidence, 3)}


UNKNOWN = Opinion(Verdict.UNKNOWN, 0.0)

Pair = tuple[str, str]
"""Two texts in no order."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What judging some pairs takes: requests, characters sent, and money where a price is configured."""

    calls: int
    characters: int
    cost: float | None = None


class Judge(Protocol):
    """A model that says how two texts stand to each other."""

    @property
    def name(self) -> str:
        """What fixes its answers, as far as it can be named: opinions of another name are not this judge's."""

    @property
    def served(self) -> str:
        """The model's name by its last answer; "" before the first. Another one is another model."""

    @property
    def at_once(self) -> int:
        """How many pairs it is best given in one call of `judge`."""

    def estimate(self, pairs: Iterable[Pair]) -> Estimate:
        """What `judge` of these pairs takes at most, tries that fail apart; nothing is asked."""

    def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """One opinion a pair, in order, the same whichever text comes first.

        What can't be answered is unknown. Raises DependencyMissing, Unavailable, EndpointRefused or BudgetExceeded
        when nothing can be asked.
        """
