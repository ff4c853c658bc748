"""A threshold for a space nobody has calibrated, from the table's own vectors: good enough to ask people with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

PAIRS: Final = 2000
"""Random pairs that are looked at: the median of 2,000 is known to .02 of a spread, whatever the spread."""
FEW: Final = 30
"""With fewer random or same-text pairs than this, a table says nothing about its space."""
_CLOSE: Final = 0.05
"""More than twice what the choice of the pairs moves a median by."""
_CLOSE_HIGH: Final = 0.15
"""The second highest of 2,000 cosines, which few rows more or less move further than a median."""


@dataclass(frozen=True, slots=True)
class Spread:
    """What a table's own pairs say of its space; see `measure`."""

    unrelated: float
    high: float
    identical: float
    random_pairs: int
    same_text_pairs: int

    def agrees(self, other: Spread) -> bool:
        """Whether both may be of one space: they differ by no more than which pairs happened to be looked at."""
        close = abs(self.unrelated - other.unrelated) <= _CLOSE and abs(self.identical - other.identical) <= _CLOSE
        return close and abs(self.high - other.high) <= _CLOSE_HIGH

    def as_json(self) -> dict[str, Any]:
        """The spread as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Spread:
        """The spread whose `as_json` is `data`."""
        return cls(**data)


def measure(
    vectors: npt.NDArray[np.float32],
    scopes: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
    rng: np.random.Generator,
) -> Spread | None:
    """The cosines of random pairs and of pairs with one text (equal `keys`), both inside one scope; None for too few.

    `unrelated` is the median over random pairs of different text, `high` their 99.9 % quantile: few pairs above it are
    there by chance. `identical` is the 5 % quantile over pairs of one text: where it lies below 1 the vectors are not
    of one model, or of texts with something added. It is 1 with fewer than `FEW` of them, and where it is no higher
    than one random pair in twenty: such vectors do not tell one text from another. Rows that are NaN or zero take no
    part. Cost: one sort of the rows, then `PAIRS` products.
    """
    norms = np.linalg.norm(vectors, axis=1)
    usable = np.nonzero(np.isfinite(norms) & (norms > 0))[0]
    usable = usable[np.argsort(scopes[usable], kind="stable")]
    left, right = _random_pairs(scopes[usable], rng)
    left, right = usable[left], usable[right]
    apart = keys[left] != keys[right]
    chance = _cosines(vectors, left[apart], right[apart])
    if len(chance) < FEW:
        return None
    order = usable[np.lexsort((keys[usable], scopes[usable]))]
    twins = (scopes[order[1:]] == scopes[order[:-1]]) & (keys[order[1:]] == keys[order[:-1]])
    same = _cosines(vectors, order[1:][twins][:PAIRS], order[:-1][twins][:PAIRS])
    unrelated, often, high = (float(q) for q in np.quantile(chance, (0.5, 0.95, 0.999)))
    identical = float(np.quantile(same, 0.05)) if len(same) >= FEW else 1.0
    if identical <= often:
        identical = 1.0
    return Spread(unrelated, high, max(identical, unrelated + 1e-3), len(chance), len(same))


def _random_pairs(
    scopes: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Positions in the sorted `scopes` of up to `PAIRS` pairs of one scope, each row as likely as the other."""
    if not len(scopes):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    _, begins, counts = np.unique(scopes, return_index=True, return_counts=True)
    begin, count = np.repeat(begins, counts), np.repeat(counts, counts)
    left = rng.integers(0, len(scopes), PAIRS)
    right = begin[left] + rng.integers(0, np.iinfo(np.int32).max, PAIRS) % count[left]
    once = np.unique(np.stack([np.minimum(left, right), np.maximum(left, right)]), axis=1)
    once = once[:, once[0] != once[1]]
    return once[0], once[1]


def _cosines(
    vectors: npt.NDArray[np.float32], left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    a, b = vectors[left].astype(np.float64), vectors[right].astype(np.float64)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    found: npt.NDArray[np.float64] = np.einsum("ij,ij->i", a, b) / lengths
    return found
