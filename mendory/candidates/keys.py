"""Pairs of equal text keys inside one scope."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mendory.candidates.matrix import Matrix
from mendory.candidates.pairs import PARTNERS, Pairs, Rows


def same_key(matrix: Matrix, rows: Rows, scopes: Rows, keys: npt.NDArray[np.uint64]) -> Pairs:
    """The pairs of these rows, of one scope each, with equal keys, whatever their vectors; key 0 is none.

    Of more than 64 rows with one key each is paired with the first 64 of them. Cost: one sort.
    """
    rows = rows[keys[rows] != 0]
    order = rows[np.lexsort((rows, keys[rows], scopes[rows]))]
    if len(order) < 2:
        return Pairs.none()
    new = np.empty(len(order), bool)
    new[0] = True
    new[1:] = (scopes[order][1:] != scopes[order][:-1]) | (keys[order][1:] != keys[order][:-1])
    begin = np.flatnonzero(new)[np.cumsum(new) - 1]
    behind = np.arange(len(order)) - begin  # rows of this key before this one
    left, right = [], []
    for nth in range(min(int(behind.max()), PARTNERS)):
        later = np.flatnonzero(behind > nth)
        left.append(order[begin[later] + nth])
        right.append(order[later])
    if not left:
        return Pairs.none()
    low, high = np.concatenate(left), np.concatenate(right)
    return Pairs.of(low, high, matrix.cosines(low, high))
