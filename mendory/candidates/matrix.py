"""A table's vectors as they are compared: by direction, in single precision, without a second copy of them all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mendory.candidates.pairs import Floats, Rows

_CHUNK = 1 << 14
_GATHERED = 1 << 12


class Matrix:
    """Vectors of shape (n, d) in any float type; a row that is not finite or has no length has no direction."""

    def __init__(self, vectors: npt.NDArray[np.floating], rows: Rows | None = None) -> None:
        """Only the `rows` will be asked for, all if None; the others are not read and have no direction."""
        self._vectors = vectors
        self._scale = np.zeros(len(vectors), np.float32)
        asked = np.arange(len(vectors)) if rows is None else rows
        for start in range(0, len(asked), _CHUNK):
            part = asked[start : start + _CHUNK]
            length = _lengths(vectors[part])
            usable = np.isfinite(length) & (length > 1e-30) & (length < 1e30)
            self._scale[part] = np.divide(1.0, length, where=usable, out=np.zeros(len(part)))
        self.known: npt.NDArray[np.bool_] = self._scale > 0

    def __len__(self) -> int:
        return len(self._vectors)

    @property
    def width(self) -> int:
        """Components of a vector."""
        return int(self._vectors.shape[1])

    def unit(self, rows: Rows) -> Floats:
        """The vectors of these rows at length 1, of shape (rows, d); zeros where there is no direction."""
        part = self._vectors[rows].astype(np.float32)
        known = self.known[rows]
        if not known.all():
            part[~known] = 0
        part *= self._scale[rows][:, None]
        return part

    def cosines(self, left: Rows, right: Rows) -> Floats:
        """The cosine of each pair; NaN where one of the two has no direction."""
        found = np.empty(len(left), np.float32)
        for start in range(0, len(left), _GATHERED):
            part = slice(start, start + _GATHERED)
            found[part] = np.einsum("ij,ij->i", self.unit(left[part]), self.unit(right[part]))
        found[~(self.known[left] & self.known[right])] = np.nan
        return found

    def along(self, axes: Floats, rows: Rows) -> Floats:
        """The rows' directions seen along a few axes (d, k): shape (rows, k)."""
        seen = np.empty((len(rows), axes.shape[1]), np.float32)
        for start in range(0, len(rows), _CHUNK):
            seen[start : start + _CHUNK] = self.unit(rows[start : start + _CHUNK]) @ axes
        return seen


def _lengths(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        squares: npt.NDArray[np.float64] = np.einsum("ij,ij->i", wide, wide)
    return np.sqrt(squares)


def runs(labels: Rows) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of equal labels."""
    if len(labels) == 0:
        return
    edges = np.flatnonzero(np.diff(labels)) + 1
    yield from zip(np.concatenate([[0], edges]).tolist(), np.concatenate([edges, [len(labels)]]).tolist(), strict=True)
