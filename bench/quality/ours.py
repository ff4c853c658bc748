"""What Mendory says about pairs: how sure it is that they say the same, and whether something speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.quality.baselines import COSINE, jaccard
from bench.quality.measure import Flags, Scores
from mendory.veto import Veto, vetoes

RELATED_COSINE: Final = 0.5
RELATED_OVERLAP: Final = 0.2
"""Two texts speak of one thing, as far as this bench asks, from either of these on."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One entry a pair: its score (0 where vetoed), if it is a duplicate, if vetoed, if a candidate for a conflict.

    `at` is the score from which a pair is a duplicate.
    """

    scores: Scores
    same: Flags
    vetoed: Flags
    candidate: Flags
    at: float


def judged(texts: Sequence[tuple[str, str]], cosines: Scores, language: str) -> Judged:
    """Every pair as a check would see it, with the threshold that is shipped for the model and the language."""
    spoken = [vetoes(a, b) for a, b in texts]
    vetoed = np.array([bool(found) for found in spoken], dtype=bool)
    # where no language reads a text nothing is known, which is no sign of a conflict
    clash = np.array([bool(found) and Veto.LANGUAGE not in found for found in spoken], dtype=bool)
    scores = np.where(vetoed, 0.0, np.maximum(cosines, 0.0))
    overlap = np.array([jaccard(a, b, language) for a, b in texts])
    related = (cosines >= RELATED_COSINE) | (overlap >= RELATED_OVERLAP)
    return Judged(scores, scores >= COSINE, vetoed, clash & related, COSINE)
