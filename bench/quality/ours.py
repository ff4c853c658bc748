"""What Mendory says about pairs: how sure it is that they say the same, and whether something speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.quality.baselines import jaccard
from bench.quality.measure import Flags, Scores
from bench.quality.vectors import model_of
from mendory.sameness import judge
from mendory.thresholds import Thresholds
from mendory.veto import Veto

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
    threshold = Thresholds().of(model_of(language).space, language)
    found = [judge(a, b, float(cosine), threshold) for (a, b), cosine in zip(texts, cosines, strict=True)]
    vetoed = np.array([bool(one.vetoes) for one in found], dtype=bool)
    # where no language reads a text nothing is known, which is no sign of a conflict
    clash = np.array([bool(one.vetoes) and Veto.LANGUAGE not in one.vetoes for one in found], dtype=bool)
    scores = np.array([0.0 if one.vetoes else one.score for one in found])
    same = np.array([one.same for one in found], dtype=bool)
    overlap = np.array([jaccard(a, b, language) for a, b in texts])
    related = (cosines >= RELATED_COSINE) | (overlap >= RELATED_OVERLAP)
    return Judged(scores, same, vetoed, clash & related, threshold.value)
