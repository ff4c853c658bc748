"""Few axes on which many components are seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mendory.candidates.matrix import Matrix
from mendory.candidates.pairs import Floats, Rows

_COUNT = 64
_SAMPLE = 4096
_MARGIN = 3.0


@dataclass(frozen=True, slots=True)
class Axes:
    """Orthonormal axes of one space as columns: `anyhow` in random directions, `leading` where the rows vary most."""

    anyhow: Floats
    leading: Floats

    @staticmethod
    def of(matrix: Matrix, rows: Rows, rng: np.random.Generator) -> Axes:
        """Up to 64 of each kind; the leading ones are principal axes of 4,096 of the rows, all of them if fewer."""
        few = rows if len(rows) <= _SAMPLE else np.sort(rng.choice(rows, _SAMPLE, replace=False))
        sample = matrix.unit(few).astype(np.float64)
        sample -= sample.mean(axis=0)
        principal = np.linalg.eigh(sample.T @ sample)[1][:, : -_COUNT - 1 : -1]
        return Axes(anyhow(matrix.width, rng), np.ascontiguousarray(principal, np.float32))

    def looks(self, floor: float) -> float:
        """See `looks`."""
        return looks(floor, self.anyhow)


def anyhow(width: int, rng: np.random.Generator) -> Floats:
    """Orthonormal axes (width, k) in random directions; the space's own where it has no more than 64."""
    if width <= _COUNT:
        return np.eye(width, dtype=np.float32)
    return np.linalg.qr(rng.standard_normal((width, _COUNT)))[0].astype(np.float32)


def looks(floor: float, axes: Floats) -> float:
    """The cosine along random axes from which a pair is to be compared in full, lest one at the floor be missed.

    Seen along k random axes a cosine c varies by (1 - c²)/√k, one standard deviation; three of them are allowed for.
    """
    width, seen = axes.shape
    return floor if width == seen else floor - _MARGIN * (1 - floor * floor) / math.sqrt(seen)
