"""Finding a threshold in scores of labelled pairs, and how sure its precision and recall are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

LEAST: Final = 50
"""So many pairs of each label are needed. With 50 accepted pairs none of which is wrong, the lower bound of a precision
is .93 (Wilson, 95 %): fewer can't show the .95 that is usually wanted."""
_Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % interval (Wilson): `hits` of `of`. Of nothing, it may be anything from 0 to 1."""

    hits: int
    of: int

    @property
    def share(self) -> float:
        """The share itself; 0 of nothing."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds between which the true share lies at 95 %."""
        if not self.of:
            return 0.0, 1.0
        share, n = self.share, self.of
        middle = share + _Z**2 / (2 * n)
        reach = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
        return max((middle - reach) / (1 + _Z**2 / n), 0.0), min((middle + reach) / (1 + _Z**2 / n), 1.0)


@dataclass(frozen=True, slots=True)
class Found:
    """What a threshold does with labelled pairs: `value`, precision (of those called same), recall (of the same)."""

    value: float
    precision: Rate
    recall: Rate
    false_alarms: Rate


def at(value: float, scores: Sequence[float], same: Sequence[bool]) -> Found:
    """What `value` does with these pairs."""
    held, label = np.asarray(scores, dtype=np.float64), np.asarray(same, dtype=bool)
    called = held >= value
    hits = int((called & label).sum())
    return Found(
        value,
        Rate(hits, int(called.sum())),
        Rate(hits, int(label.sum())),
        Rate(int((called & ~label).sum()), int((~label).sum())),
    )


def lowest(scores: Sequence[float], same: Sequence[bool], precision: float) -> Found | None:
    """The threshold with the most recall whose precision is at least `precision` on these pairs; None when none is.

    Of those with one recall it is the highest: where all that is the same is found, going on only adds what is not. It
    lies midway to the next lower score, so that it does not hang on one pair. Scores of pairs that may never be the
    same, for a veto, are 0 and no threshold accepts them.
    """
    held, label = np.asarray(scores, dtype=np.float64), np.asarray(same, dtype=bool)
    order = np.argsort(-held, kind="stable")
    ranked, hits = held[order], np.cumsum(label[order])
    last_of_its_score = np.append(ranked[1:] != ranked[:-1], True)
    fits = last_of_its_score & (hits >= precision * np.arange(1, len(hits) + 1) - 1e-9) & (ranked > 0) & (hits > 0)
    if not fits.any():
        return None
    end = int(np.nonzero(fits & (hits == hits[fits].max()))[0][0])
    below = float(ranked[end + 1]) if end + 1 < len(ranked) else 0.0
    return at((float(ranked[end]) + below) / 2, scores, same)
