"""All pairs inside small groups, exactly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mendory.candidates.matrix import Matrix, runs
from mendory.candidates.pairs import Floats, Pairs, Rows, capped, joined

_PACK = 64
_TILE = 256
_SPAN = 4096


def within(matrix: Matrix, rows: Rows, groups: Rows, floor: float) -> Pairs:
    """The pairs of two rows of one group whose cosine is at least the floor; at most 64 a row, see `PARTNERS`.

    `rows` are row numbers, `groups[k]` the group of `rows[k]`, in ascending order. Cost: half the sum of the squares of
    the groups' sizes; neighbouring groups share one product until they are 64 rows together.
    """
    found = []
    for start, end in _packs(groups):
        held, label = rows[start:end], groups[start:end]
        pairs = joined(_tiles(matrix.unit(held), held, label, floor))
        found.append(capped(pairs))
    return joined(found)


def across(matrix: Matrix, few: Rows, rows: Rows, floor: float) -> Pairs:
    """The pairs of one of the few and another of the rows, the few among them, whose cosine is at least the floor.

    Cost: few × rows.
    """
    mine = matrix.unit(few)
    found = []
    for start in range(0, len(rows), _SPAN):
        others = rows[start : start + _SPAN]
        product = mine @ matrix.unit(others).T
        a, b = np.nonzero(product >= floor)
        found.append(capped(Pairs.of(few[a], others[b], product[a, b])))
    return capped(joined(found))


def _tiles(unit: Floats, rows: Rows, groups: Rows, floor: float) -> Iterator[Pairs]:
    for start in range(0, len(rows), _TILE):
        product = unit[start : start + _TILE] @ unit[start:].T
        a, b = np.nonzero(product >= floor)
        keep = (a < b) & (groups[start + a] == groups[start + b])
        a, b = a[keep], b[keep]
        if len(a):
            yield Pairs.of(rows[start + a], rows[start + b], product[a, b])


def _packs(groups: Rows) -> Iterator[tuple[int, int]]:
    """Runs of neighbouring groups, none cut in two."""
    begin = end = 0
    for start, stop in runs(groups):
        if stop - begin > _PACK and begin < start:  # it would make the pack large, and goes alone or into the next
            yield begin, start
            begin = start
        end = stop
        if end - begin >= _PACK:
            yield begin, end
            begin = end
    if begin < end:
        yield begin, end
