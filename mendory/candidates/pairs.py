"""Pairs of rows as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

PARTNERS = 64
"""Partners a row keeps at most, its nearest: ten thousand copies of one text are not fifty million pairs. A pair stays
when either of the two keeps the other, so no row is without its nearest."""

DIGITS = 5
EVEN = 10**-DIGITS
"""What a cosine is rounded to: the order in which a matrix product adds up moves it by a hundredth of that."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of row numbers, `left[k] < right[k]`, each pair once, ordered by left, then right.

    `cosine[k]` is NaN where one of the two has no vector: equal text keys alone joined them. It is rounded to `EVEN`:
    the same two vectors have the same cosine whichever others they are multiplied with.
    """

    left: Rows
    right: Rows
    cosine: Floats

    def __len__(self) -> int:
        return len(self.left)

    @staticmethod
    def none() -> Pairs:
        """No pair."""
        return Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))

    @staticmethod
    def of(left: Rows, right: Rows, cosine: Floats) -> Pairs:
        """The pairs of two columns in any order, with repetitions; no row is paired with itself."""
        low, high = np.minimum(left, right), np.maximum(left, right)
        code = codes(low, high)
        _, first = np.unique(code, return_index=True)
        first = first[low[first] < high[first]]
        return Pairs(low[first], high[first], np.round(cosine[first], DIGITS).astype(np.float32, copy=False))

    def at(self, keep: npt.NDArray[np.bool_] | Rows) -> Pairs:
        """The pairs at these places."""
        return Pairs(self.left[keep], self.right[keep], self.cosine[keep])


def codes(low: Rows, high: Rows) -> Rows:
    """One number for each pair, in the order of the pairs; rows are fewer than 2³¹."""
    return (low << np.int64(32)) | high


def places(code: Rows) -> tuple[Rows, Rows]:
    """The two rows of each pair."""
    return code >> np.int64(32), code & np.int64(0xFFFFFFFF)


def joined(parts: Iterable[Pairs]) -> Pairs:
    """All pairs of several, each once."""
    held = [part for part in parts if len(part)]
    if not held:
        return Pairs.none()
    columns = (np.concatenate([getattr(part, name) for part in held]) for name in ("left", "right", "cosine"))
    return Pairs.of(*columns)


def reaching(pairs: Pairs, floor: float) -> Pairs:
    """The pairs whose cosine is at least the floor, and those without one."""
    return pairs.at(~(pairs.cosine < np.float32(floor)))


def capped(pairs: Pairs, most: int = PARTNERS) -> Pairs:
    """The pairs in which at least one row has the other among its `most` nearest.

    Of equally near partners those with the lower row number are kept: of many copies each keeps the same first ones,
    and they hold the group together. A pair without cosine counts as nearest.
    """
    rows, place = np.unique(np.concatenate([pairs.left, pairs.right]), return_inverse=True)
    if len(pairs) == 0 or np.bincount(place).max() <= most:
        return pairs
    partner = np.concatenate([pairs.right, pairs.left])
    nearness = np.nan_to_num(np.concatenate([pairs.cosine, pairs.cosine]), nan=2.0)
    order = np.lexsort((partner, -nearness, place))
    begins = np.searchsorted(place[order], np.arange(len(rows)))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - begins[place[order]]
    near = rank < most
    return pairs.at(near[: len(pairs)] | near[len(pairs) :])
