"""What Mendory says about pairs: how sure it is that they say the same, and whether something speaks against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bench.quality.baselines import jaccard
from bench.quality.folds import unseen
from bench.quality.measure import Flags, Scores
from bench.quality.vectors import model_of
from mendory.contradiction import DECIDES, Relation, compare
from mendory.contradiction.scoring import Weights
from mendory.detect.near_duplicates import ALIKE
from mendory.sameness import judge
from mendory.thresholds import Thresholds
from mendory.veto import Veto

RELATED_COSINE: Final = 0.5
RELATED_OVERLAP: Final = 0.2
"""Two texts have to do with each other, as far as this bench asks, from either of these on."""
NEVER: Final = 1.01
"""The threshold of a language in which no score is a conflict."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One entry a pair: its score (0 where vetoed), and what holds of it.

    `same`: it is a duplicate; `vetoed`: something speaks against that; `candidate`: a check would hand it on as a
    possible conflict; `related`: a veto between texts that have to do with each other, near enough for that or not.
    `at` is the score from which a pair is a duplicate. `conflicts` is how sure it is that both can't hold, 0 where that
    isn't what `contradiction.compare` says; from `decides` on it is a conflict.
    """

    scores: Scores
    same: Flags
    vetoed: Flags
    candidate: Flags
    related: Flags
    at: float
    conflicts: Scores
    decides: float


def judged(texts: Sequence[tuple[str, str]], cosines: Scores, language: str) -> Judged:
    """Every pair as a check would see it, with the threshold that is shipped for the model and the language."""
    threshold = Thresholds().of(model_of(language).space, language)
    found = [judge(a, b, float(cosine), threshold) for (a, b), cosine in zip(texts, cosines, strict=True)]
    vetoed = np.array([bool(one.vetoes) for one in found], dtype=bool)
    # where no language reads a text nothing is known, which is no sign of a conflict
    clash = np.array([bool(one.vetoes) and Veto.LANGUAGE not in one.vetoes for one in found], dtype=bool)
    scores = np.array([0.0 if one.vetoes else one.score for one in found])
    same = np.array([one.same for one in found], dtype=bool)
    near = np.array([threshold.calibrated(float(cosine)) >= ALIKE for cosine in cosines], dtype=bool)
    near |= np.array([one.score >= threshold.value for one in found], dtype=bool)
    overlap = np.array([jaccard(a, b, language) for a, b in texts])
    related = (cosines >= RELATED_COSINE) | (overlap >= RELATED_OVERLAP)
    conflicts = np.array(
        [_conflict(a, b, threshold.calibrated(float(cosine))) for (a, b), cosine in zip(texts, cosines, strict=True)]
    )
    decides = DECIDES.get(language, NEVER)
    return Judged(scores, same, vetoed, clash & near, clash & related, threshold.value, conflicts, decides)


def of_unseen(texts: Sequence[tuple[str, str]], cosines: Scores, language: str, folds: Sequence[int]) -> Scores:
    """`Judged.conflicts` of pairs of a tuning half, by weights that were not fitted on the fold of each."""
    threshold, weights = Thresholds().of(model_of(language).space, language), unseen(language)
    rows = zip(texts, cosines, folds, strict=True)
    return np.array([_conflict(a, b, threshold.calibrated(float(c)), weights[fold]) for (a, b), c, fold in rows])


def _conflict(a: str, b: str, cosine: float, weights: Mapping[str, Weights] | None = None) -> float:
    found = compare(a, b, cosine, weights=weights)
    return found.score if found.relation is Relation.CONFLICT else 0.0
