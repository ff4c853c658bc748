"""What an opinion does to a conflict that rules have found."""

from __future__ import annotations

from dataclasses import replace
from math import nextafter
from typing import Final

from mendory.contradiction import Compared, Relation
from mendory.judge.model import Opinion

LOWERED: Final = "judge"
"""The word in `why` of a conflict that a judge spoke against."""


def weighed(compared: Compared, opinion: Opinion, decides: float) -> Compared:
    """The same, with a score below `decides` where the opinion speaks against a conflict.

    A judge never decides: it raises no score, turns nothing into a conflict, and what it does not know leaves the
    rules' word as it is. The surer it is, the less is left of the score; whatever is left is no deciding one.
    """
    if compared.relation is not Relation.CONFLICT or not opinion.against:
        return compared
    left = compared.score * (1.0 - opinion.confidence)
    score = min(left, nextafter(decides, 0.0))
    return replace(compared, score=score, why=(*compared.why, LOWERED))
