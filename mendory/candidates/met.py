"""What the throws of a net have met so far."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mendory.candidates.pairs import PARTNERS, Floats, Pairs, Rows, places


class Met:
    """Pairs of places 0 … n-1 as codes, how near they are, and whether they were met once, twice or more often."""

    def __init__(self, size: int, known: Rows) -> None:
        self._known = np.sort(known)
        self._code = np.empty(0, np.int64)
        self._cosine = np.empty(0, np.float32)
        self._times = np.empty(0, np.int64)
        self._partners = np.zeros(size, np.int64)
        self._count(self._known)

    @property
    def served(self) -> npt.NDArray[np.bool_]:
        """Which places have all the partners they keep, and look for no more."""
        return self._partners >= PARTNERS

    def __len__(self) -> int:
        return len(self._code)

    def again(self, code: Rows) -> npt.NDArray[np.bool_]:
        """Which of the codes are new and looked for; those met before are counted once more."""
        at, before = _find(self._code, code)
        self._times[at[before]] += 1
        return ~before & ~_find(self._known, code)[1] & ~self._done(code)

    def add(self, code: Rows, cosine: Floats) -> None:
        """The new pairs are met once."""
        if len(code) == 0:
            return
        held = np.concatenate([self._code, code])
        order = np.argsort(held, kind="stable")
        self._code = held[order]
        self._cosine = np.concatenate([self._cosine, cosine])[order]
        self._times = np.concatenate([self._times, np.ones(len(code), np.int64)])[order]
        self._count(code)

    def missing(self) -> float:
        """How many pairs were probably never met, from those met once and twice (Chao 1984, bias-corrected).

        Pairs of two rows that look for no more do not count.
        """
        looking = ~self._done(self._code)
        once, twice = (int(np.count_nonzero(looking & (self._times == times))) for times in (1, 2))
        return once * (once - 1) / (2 * (twice + 1))

    def pairs(self, rows: Rows) -> Pairs:
        """The pairs met, as rows; `rows` ascend."""
        low, high = places(self._code)
        return Pairs(rows[low], rows[high], self._cosine)

    def _count(self, code: Rows) -> None:
        for side in places(code):
            self._partners += np.bincount(side, minlength=len(self._partners))

    def _done(self, code: Rows) -> npt.NDArray[np.bool_]:
        """Pairs whose rows both look for no more."""
        low, high = places(code)
        return self.served[low] & self.served[high]


def _find(held: Rows, code: Rows) -> tuple[Rows, npt.NDArray[np.bool_]]:
    """(where each code is in the ascending ones held, whether it is there)."""
    if len(held) == 0:
        return np.zeros(len(code), np.int64), np.zeros(len(code), bool)
    at = np.minimum(np.searchsorted(held, code), len(held) - 1)
    return at, held[at] == code
