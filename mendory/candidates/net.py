"""The second net: near pairs of a large scope, whatever block they were put in, at a cost that grows with its rows.

Each throw divides the scope by random hyperplanes through the median of each part until parts are small, and compares
inside the parts on a sketch of the vectors; what looks near there is compared in full. Halving at the median keeps
every part small on any data, so a throw's cost is bounded before it is made. The hyperplanes lie along the axes in
which the table varies most: on real sentences near rows are parted less often there than along axes of any direction.
Near rows meet in one throw with a fair chance, and in many throws almost surely. How many throws are enough is read
from the throws themselves: pairs met once and pairs met twice tell how many were never met (A. Chao, Nonparametric
estimation of the number of classes in a population, Scandinavian Journal of Statistics 11, 1984).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from mendory.candidates.axes import Axes
from mendory.candidates.matrix import Matrix
from mendory.candidates.met import Met
from mendory.candidates.pairs import PARTNERS, Floats, Pairs, Rows, codes, joined, places

_PART = 256
_DENSE = 2
_LEAST_THROWS, _MOST_THROWS = 12, 64
_MISSED = 0.0003
_CLOSEST = 0.999
_TILE = 1 << 18


def netted(matrix: Matrix, rows: Rows, axes: Axes, floor: float, known: Pairs, rng: np.random.Generator) -> Pairs:
    """Pairs of these rows, all of them with a direction, whose cosine is at least the floor; without the known ones.

    Not every such pair is found: throws end when those still missing are estimated at less than three in ten thousand
    of the pairs found and known, after twelve throws at least and sixty-four at most. Rows with 64 partners look for no
    more at this floor, but among themselves at a floor three quarters nearer to 1, and so on: in a crowd the nearest
    are found.

    Cost of a throw: `len(rows)` × (256 + log₂ `len(rows)`) on 64 components, and where most rows are alike, on all.
    """
    sketch = np.zeros((len(rows) + 1, axes.anyhow.shape[1]), np.float32)  # the last stands for no row
    sketch[:-1] = matrix.along(axes.anyhow, rows)
    sketch /= np.maximum(np.linalg.norm(sketch, axis=1, keepdims=True), 1e-12)
    lead = matrix.along(axes.leading, rows)
    looks = max(axes.looks(floor), 1e-6)  # more than the place of no row has with any
    known_places = np.searchsorted(rows, np.stack([known.left, known.right]))
    met = Met(len(rows), codes(*known_places))
    depth = max(0, math.ceil(math.log2(len(rows) / _PART)))

    def dense(part: Rows) -> tuple[Rows, Floats]:
        return _in_full(matrix, rows, part, floor)

    for throw in range(_MOST_THROWS):
        parts = _parted(lead, rng.standard_normal((depth, lead.shape[1]), dtype=np.float32))
        code, cosine = (np.concatenate(c) for c in zip(*_alike(sketch, parts, looks, met.served, dense), strict=True))
        fresh = met.again(code)
        code, cosine = code[fresh], cosine[fresh]
        unread = np.flatnonzero(np.isnan(cosine))
        low, high = places(code[unread])
        cosine[unread] = matrix.cosines(rows[low], rows[high])
        met.add(code[cosine >= floor], cosine[cosine >= floor])
        enough = throw + 1 >= _LEAST_THROWS and met.missing() <= _MISSED * (len(known) + len(met))
        if enough or depth == 0:
            break
    closer = 1 - (1 - floor) / 4
    if met.served.any() and closer < _CLOSEST:
        return joined([met.pairs(rows), netted(matrix, rows[met.served], axes, closer, Pairs.none(), rng)])
    return met.pairs(rows)


def _parted(lead: Floats, directions: Floats) -> Rows:
    """The places 0 … n-1 in parts of one size, (parts, size), halved at the median along one direction after another.

    What is left over is n, the place of no row, which any part may hold.
    """
    none, parts = len(lead), 1 << len(directions)
    order = np.full(-(-none // parts) * parts, none, np.int64)
    order[:none] = np.arange(none)
    held: npt.NDArray[np.int64] = order.reshape(1, -1)
    distances = np.zeros((len(directions), none + 1), np.float32)
    np.matmul(directions, lead.T, out=distances[:, :-1])
    for along in distances:
        middle = held.shape[1] // 2
        halves = np.argpartition(along[held], middle, axis=1)
        held = np.take_along_axis(held, halves, 1).reshape(len(held) * 2, middle)
    return held


def _alike(
    sketch: Floats,
    parts: Rows,
    looks: float,
    served: npt.NDArray[np.bool_],
    in_full: Callable[[Rows], tuple[Rows, Floats]],
) -> Iterator[tuple[Rows, Floats]]:
    """(codes of pairs of places, their cosines) that look near inside the parts; NaN where not compared in full."""
    size, none = parts.shape[1], len(sketch) - 1
    step = max(1, _TILE // (size * size))
    for start in range(0, len(parts), step):
        tile = parts[start : start + step]
        seen = sketch[tile]
        looks_near = np.matmul(seen, seen.transpose(0, 2, 1)) >= looks
        most = (2 * _DENSE + 1) * size  # each pair is there twice, and each row with itself
        if np.count_nonzero(looks_near) > len(tile) * size + most - size:  # else no part can have so many
            dense = np.count_nonzero(looks_near, axis=(1, 2)) > most
            for part in tile[dense]:
                held = part[part < none]
                if not served[held].all():
                    yield in_full(held)
            looks_near[dense] = False
        at, place = np.divmod(np.flatnonzero(looks_near), size * size)
        a, b = np.divmod(place, size)
        at, a, b = at[a < b], a[a < b], b[a < b]
        a, b = tile[at, a], tile[at, b]
        yield codes(np.minimum(a, b), np.maximum(a, b)), np.full(len(a), np.nan, np.float32)


def _in_full(matrix: Matrix, rows: Rows, part: Rows, floor: float) -> tuple[Rows, Floats]:
    """The same for one part of which most pairs look near: one product is cheaper than many."""
    unit = matrix.unit(rows[part])
    product = unit @ unit.T
    np.fill_diagonal(product, -2)
    near = product >= floor
    if len(part) > PARTNERS:
        nearest = np.zeros_like(near)
        np.put_along_axis(nearest, np.argpartition(product, -PARTNERS, axis=1)[:, -PARTNERS:], True, axis=1)
        near &= nearest | nearest.T
    a, b = np.nonzero(np.triu(near))
    return codes(np.minimum(part[a], part[b]), np.maximum(part[a], part[b])), product[a, b]
