"""The Mahalanobis tail: in which cohorts vectors lie far out. A hint alone: new topics lie far out too. Pure."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

KEPT: Final = 16
"""Main directions that distances are measured in; along the others there is too little to measure by."""
LEAST: Final = 100
OUT: Final = 0.01
"""The share of those rows that lie farther out than the bound."""
MANY: Final = 0.1
"""A cohort of which ten times that share lies out is told of."""


class Tail:
    """Distances from what is usual among vectors of length 1; made from a sample of them."""

    def __init__(self, sample: Any) -> None:
        known = sample.astype(np.float64)
        self._centre = known.mean(axis=0)
        _, strengths, directions = np.linalg.svd(known - self._centre, full_matrices=False)
        held = strengths > strengths[0] * 1e-6 if len(strengths) else np.zeros(0, bool)
        self._directions = directions[held][:KEPT]
        self._spread = strengths[held][:KEPT] / np.sqrt(max(len(known) - 1, 1))
        self._bound = float(np.quantile(self._distances(known), 1 - OUT))

    @property
    def width(self) -> int:
        """How many components the vectors have."""
        return len(self._centre)

    def _distances(self, units: Any) -> Any:
        return np.square((units - self._centre) @ self._directions.T / self._spread).sum(axis=1)

    def out(self, units: Any) -> Any:
        """Which vectors lie farther out than one in a hundred of the sample; not what has no direction."""
        found = np.zeros(len(units), bool)
        known = np.flatnonzero(np.isfinite(units).all(axis=1))
        found[known] = self._distances(units[known].astype(np.float64)) > self._bound
        return found


def fitted(sample: Any) -> Tail | None:
    """The tail of a sample of vectors; None where there are too few for one in a hundred to be any."""
    return Tail(sample) if len(sample) >= LEAST else None
