"""What the figures are held to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.quality.measure import Flags, Scores
from mendory.thresholds import Rate

PRECISION: Final = 0.90
"""The precision at which recall is asked for where a set has no goal of its own."""

BOUNDS: Final = {"precision": PRECISION, "recall_en": 0.50, "recall_zh": 0.40, "contradictions_called_duplicate": 0.005}
"""At least that macro-mean precision and recall of duplicates; at most that share of contradictions."""


@dataclass(frozen=True, slots=True)
class Goal:
    """At least this recall of a set's contradictions at at least this precision, at the set's own balance."""

    recall: float
    precision: float


GOALS: Final = {
    "contradictions/dnli": Goal(0.40, 0.90),
    "contradictions/sick": Goal(0.85, 0.85),
    "contradictions/letta_updates": Goal(0.70, 0.80),
    "contradictions/kvpi": Goal(0.55, 0.80),
}
"""Of the other sets figures are reported and nothing is asked: in free text of theirs people disagree, or what tells is
knowledge of the world."""


def own_threshold(name: str, scores: Scores, there: Flags) -> float | None:
    """A set's own threshold for contradictions, from one score and one label a pair; None where no threshold will do.

    It is the lowest from which on the precision that is asked of the set is sure: it is the lower end of the 95 %
    interval (Wilson's), not the share itself, since of many thresholds one that has just the share is a lucky one, and
    has less of it in other pairs. It lies midway to the next lower score.
    """
    asked = GOALS[name].precision if name in GOALS else PRECISION
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(there[order])
    last = np.append(ranked[1:] != ranked[:-1], True) & (ranked > 0)
    sure = [at for at in np.nonzero(last)[0] if Rate(int(hits[at]), int(at) + 1).interval[0] >= asked]
    if not sure:
        return None
    below = float(ranked[sure[-1] + 1]) if sure[-1] + 1 < len(ranked) else 0.0
    return (float(ranked[sure[-1]]) + below) / 2
