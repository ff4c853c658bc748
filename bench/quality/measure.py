"""Precision, recall and F1 with 95 % intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mendory.thresholds import Rate

Scores = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Interval = tuple[float, float]

_DRAWS: Final = 2000


@dataclass(frozen=True, slots=True)
class Counts:
    """What was found against what was there."""

    hits: int
    false: int
    missed: int
    passed: int

    @classmethod
    def of(cls, found: Flags, there: Flags) -> Counts:
        """The counts of one flag a row against one label a row."""
        hits = int((found & there).sum())
        return cls(hits, int(found.sum()) - hits, int(there.sum()) - hits, int((~found & ~there).sum()))

    @property
    def n(self) -> int:
        """How many rows there were."""
        return self.hits + self.false + self.missed + self.passed

    @property
    def precision(self) -> float | None:
        """Of what was found, the share that was there; None where nothing was found."""
        return share(self.hits, self.hits + self.false)

    @property
    def recall(self) -> float | None:
        """Of what was there, the share that was found; None where nothing was there."""
        return share(self.hits, self.hits + self.missed)

    @property
    def even_precision(self) -> float | None:
        """The precision if as many rows were there as not: it does not hang on how a set was drawn."""
        recall, alarms = self.recall, share(self.false, self.false + self.passed)
        return None if recall is None or alarms is None or not recall + alarms else recall / (recall + alarms)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None where nothing was there."""
        return share(2 * self.hits, 2 * self.hits + self.false + self.missed) if self.hits + self.missed else None

    def intervals(self) -> dict[str, Interval | None]:
        """95 % intervals: Wilson's for precision and recall, a seeded bootstrap over the rows for F1."""
        return {
            "precision": wilson(self.hits, self.hits + self.false),
            "recall": wilson(self.hits, self.hits + self.missed),
            "f1": self._f1_interval(),
        }

    def _f1_interval(self) -> Interval | None:
        """Rows drawn with replacement, n of n: the four counts are then one multinomial draw."""
        if not self.hits + self.missed:
            return None
        cells = np.array([self.hits, self.false, self.missed, self.passed], dtype=float)
        drawn = np.random.default_rng(6).multinomial(self.n, cells / self.n, size=_DRAWS).astype(float)
        f1 = 2 * drawn[:, 0] / np.maximum(2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2], 1)
        low, high = np.quantile(f1, [0.025, 0.975])
        return float(low), float(high)


def share(part: int, whole: int) -> float | None:
    """The share as a number; None of nothing."""
    return part / whole if whole else None


def wilson(part: int, whole: int) -> Interval | None:
    """The 95 % interval of a share, Wilson's; None of nothing."""
    return Rate(part, whole).interval if whole else None


def mean(values: list[float | None]) -> float | None:
    """The plain mean of those that are known, each counting alike; None where none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def rounded(value: Any) -> Any:
    """Figures with four digits, in whatever they are held."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: rounded(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(held) for held in value]
    return value
