"""Near pairs of a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mendory.candidates.axes import Axes
from mendory.candidates.groups import across, within
from mendory.candidates.keys import same_key
from mendory.candidates.matrix import Matrix, runs
from mendory.candidates.net import netted
from mendory.candidates.pairs import EVEN, Pairs, Rows, capped, joined, reaching

EXACT = 1024
"""Rows of a scope, or of a block in a larger scope, up to which every pair of it is compared."""


def near(
    vectors: npt.NDArray[np.floating],
    scopes: Rows,
    blocks: Rows,
    keys: npt.NDArray[np.uint64],
    floor: float,
    rng: np.random.Generator,
) -> Pairs:
    """The pairs of rows of one scope whose vectors have a cosine of at least `floor`, or whose text keys are equal.

    `vectors` is (n, d); a row that is not finite or all zeros is joined by its key only. `scopes`, `blocks` and `keys`
    are (n,); a negative block is none, so is key 0. Up to `EXACT` rows of a scope every pair is found; in a larger one
    every pair inside a block of up to `EXACT` rows, every pair of equal keys, and of the others all but about one in
    a thousand (`net.netted`). A row keeps the `PARTNERS` nearest of those
    found. The same `rng` state gives the same pairs.

    Cost: grows with n · log n, whatever the sizes of scopes and blocks. Memory: about half of the vectors' beside them.
    """
    matrix, low = Matrix(vectors), floor - EVEN
    order = _by_scope(np.flatnonzero(matrix.known).astype(np.int64), scopes)
    small, large = _by_size(scopes[order])
    whole = order[small]
    found = [within(matrix, whole, scopes[whole], low)]
    found += _in_large(matrix, [order[start:end] for start, end in large], blocks, low, rng)
    alike = reaching(joined(found), floor)
    return capped(joined([same_key(matrix, np.arange(len(matrix)), scopes, keys), alike]))


def near_to(
    vectors: npt.NDArray[np.floating],
    scopes: Rows,
    blocks: Rows,
    keys: npt.NDArray[np.uint64],
    changed: Rows,
    floor: float,
    rng: np.random.Generator,
) -> Pairs:
    """The pairs of `near` in which at least one row is among `changed`, row numbers in any order.

    Up to `EXACT` changed rows of a scope every such pair is found, in a scope of any size; with more, as by `near`.

    Cost: scopes with no changed row are not looked at; in the others changed rows × rows, and never more than `near`.
    """
    new = np.zeros(len(vectors), bool)
    new[changed] = True
    rows = np.flatnonzero(np.isin(scopes, scopes[changed])).astype(np.int64)
    matrix, low = Matrix(vectors, rows), floor - EVEN
    found, crowded = list[Pairs](), []
    order = _by_scope(rows[matrix.known[rows]], scopes)
    for start, end in runs(scopes[order]):
        scope = order[start:end]
        few = scope[new[scope]]
        if len(few) > EXACT:
            crowded.append(scope)
        elif len(few):
            found.append(across(matrix, few, scope, low))
    found += _in_large(matrix, crowded, blocks, low, rng)
    pairs = joined([same_key(matrix, rows, scopes, keys), reaching(joined(found), floor)])
    return capped(pairs.at(new[pairs.left] | new[pairs.right]))


def _in_large(
    matrix: Matrix, scopes: list[Rows], blocks: Rows, floor: float, rng: np.random.Generator
) -> Iterator[Pairs]:
    """The near pairs inside the blocks of each scope that are small enough, and what a net finds besides."""
    if not scopes:
        return
    axes = Axes.of(matrix, np.concatenate(scopes), rng)
    for rows in scopes:
        order = rows[blocks[rows] >= 0]
        order = order[np.argsort(blocks[order], kind="stable")]
        order = order[_by_size(blocks[order])[0]]
        inside = within(matrix, order, blocks[order], floor)
        yield inside
        yield netted(matrix, rows, axes, floor, inside, rng)


def _by_scope(rows: Rows, scopes: Rows) -> Rows:
    return rows[np.argsort(scopes[rows], kind="stable")]


def _by_size(groups: Rows) -> tuple[npt.NDArray[np.bool_], list[tuple[int, int]]]:
    """(which places are in a group of up to EXACT, the runs of the larger groups)."""
    small, large = np.ones(len(groups), bool), []
    for start, end in runs(groups):
        if end - start > EXACT:
            small[start:end] = False
            large.append((start, end))
    return small, large
