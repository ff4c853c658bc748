"""The memories of each scope, held so that the near ones of a new one are found at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mendory.candidates.axes import anyhow, looks
from mendory.candidates.pairs import PARTNERS, Floats, Rows

_FIRST = 16


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Rows near one vector, the nearest first; the cosine is NaN where a text key alone joined them."""

    rows: Rows
    cosine: Floats


@dataclass(slots=True)
class _Shelf:
    """One scope: rows with their sketches and vectors at length 1, in columns that have room to grow."""

    sketch: Floats
    unit: npt.NDArray[np.float16]
    row: Rows
    used: int = 0
    place: dict[int, int] = field(default_factory=dict)
    key: dict[int, int] = field(default_factory=dict)
    by_key: dict[int, set[int]] = field(default_factory=dict)


class Index:
    """Rows by number, each in one scope, with its vector and text key.

    Memory: per row 64 single and `width` half precision components. A search reads the sketches of its scope alone:
    25 MB for 100,000 rows.
    """

    def __init__(self, width: int, rng: np.random.Generator) -> None:
        self._axes = anyhow(width, rng)
        self._shelves: dict[Hashable, _Shelf] = {}
        self._scope: dict[int, Hashable] = {}

    def __len__(self) -> int:
        return len(self._scope)

    def add(
        self, rows: Sequence[int], vectors: npt.NDArray[np.floating], scopes: Sequence[Hashable], keys: Sequence[int]
    ) -> None:
        """The rows are held with these vectors (rows, d), scopes and keys; one held before is replaced.

        A vector that is not finite or all zeros is none, key 0 is none.
        """
        unit = _unit(vectors)
        sketch = _unit(unit @ self._axes)
        for at, (row, scope, key) in enumerate(zip(rows, scopes, keys, strict=True)):
            self.discard(row)
            shelf = self._shelves.setdefault(scope, self._empty(_FIRST))
            if shelf.used == len(shelf.row):
                _grow(shelf)
            shelf.sketch[shelf.used], shelf.unit[shelf.used], shelf.row[shelf.used] = sketch[at], unit[at], row
            shelf.place[row] = shelf.used
            shelf.used += 1
            if key:
                shelf.key[row] = key
                shelf.by_key.setdefault(key, set()).add(row)
            self._scope[row] = scope

    def discard(self, row: int) -> None:
        """The row is not held."""
        if row not in self._scope:
            return
        shelf = self._shelves[self._scope.pop(row)]
        at, shelf.used = shelf.place.pop(row), shelf.used - 1
        last = int(shelf.row[shelf.used])
        if last != row:  # the last fills the gap
            for column in (shelf.sketch, shelf.unit, shelf.row):
                column[at] = column[shelf.used]
            shelf.place[last] = at
        key = shelf.key.pop(row, 0)
        if key:
            shelf.by_key[key].discard(row)

    def nearest(self, vector: npt.NDArray[np.floating], scope: Hashable, key: int, floor: float) -> Neighbours:
        """The rows of the scope with a cosine of at least the floor to the vector, or with its key; 64 at most.

        Cosines are right to one in ten thousand. Of a pair at the floor itself about one in a thousand is missed, for
        which its sketch looks farther; pairs nearer than that are found.
        """
        shelf = self._shelves.get(scope)
        if shelf is None:
            return Neighbours(np.empty(0, np.int64), np.empty(0, np.float32))
        unit = _unit(vector[None])
        seen = shelf.sketch[: shelf.used] @ _unit(unit @ self._axes)[0]
        places = np.flatnonzero(seen >= looks(floor, self._axes))
        cosine = shelf.unit[places].astype(np.float32) @ unit[0]
        places = places[cosine >= floor]
        same = sorted(shelf.by_key.get(key, ()))[:PARTNERS] if key else []
        places = np.union1d(places, np.array([shelf.place[row] for row in same], np.int64))
        cosine = shelf.unit[places].astype(np.float32) @ unit[0]
        known = shelf.unit[places].any(axis=1) & unit.any()
        cosine[~known] = np.nan
        rows = shelf.row[places]
        order = np.lexsort((rows, -np.nan_to_num(cosine, nan=2.0)))[:PARTNERS]
        return Neighbours(rows[order], cosine[order])

    def _empty(self, size: int) -> _Shelf:
        width, seen = self._axes.shape
        return _Shelf(np.zeros((size, seen), np.float32), np.zeros((size, width), np.float16), np.zeros(size, np.int64))


def _grow(shelf: _Shelf) -> None:
    shelf.sketch, shelf.unit, shelf.row = (
        np.concatenate([column, np.zeros_like(column)]) for column in (shelf.sketch, shelf.unit, shelf.row)
    )


def _unit(vectors: npt.NDArray[np.floating]) -> Floats:
    """The vectors at length 1 in single precision; zeros where one is not finite or has no length."""
    wide = vectors.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    usable = np.isfinite(length) & (length > 0)
    wide[~usable] = 0
    return (wide / np.where(usable, length, 1)[:, None]).astype(np.float32)
