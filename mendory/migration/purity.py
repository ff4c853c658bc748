"""Whether a new column holds the new model's vectors of these texts and nothing else, and what is wrong where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mendory.embedding import Vectors
from mendory.spaces.fingerprint import NORM_DRIFT, SAME, cosines
from mendory.spaces.witness import Agreement, Sample, Witnessed, agreement

SAMPLE: Final = 1_500
"""Rows embedded again: they show damage to one row in 500 nineteen times in twenty (design §10)."""
EVEN: Final = 0.001
"""Lengths that spread less than this are one length: the model normalises."""
OWN: Final = 0.5
"""Where half of the vectors lie nearest to the right vector of their own text, and as near as this, the model is right
and its input was not.

With and without a prefix, vectors of one text lie at .53 to .96; those of two models of one dimension at .24 to .29
(docs/migration.md, "Purity").
"""


class Impurity(StrEnum):
    """What is wrong with a new column; stable names."""

    HALF_MIGRATED = "half_migrated"
    OTHER_DIMENSION = "other_dimension"
    UNUSABLE = "unusable_vectors"
    UNNORMALISED = "unnormalised"
    SHUFFLED = "shuffled"
    LOST_PREFIX = "lost_prefix"
    WRONG_MODEL = "wrong_model"
    TOO_FEW = "too_few_rows_embedded_again"


REMADE: Final = frozenset(Impurity) - {Impurity.HALF_MIGRATED, Impurity.TOO_FEW}
"""What is mended by embedding every row again: filling takes a vector that is there for its text's."""


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of all rows: how many have a text, and of them what their new vector is.

    `fresh`: of the new fingerprint and of the text as it is now. `dimensions`: how many vectors of each length there
    are. `unusable`: zero or not finite. `norms`: the lowest and the highest, None without vectors.
    """

    texts: int
    fresh: int
    dimensions: Mapping[int, int]
    unusable: int = 0
    norms: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Purity:
    """What is wrong, each with how many rows say so; nothing where the column is pure. No id and no text in it."""

    column: Column
    witness: Agreement
    wrong: Mapping[Impurity, int]

    def as_json(self) -> dict[str, Any]:
        """The purity as plain values."""
        seen = self.witness
        return {
            "texts": self.column.texts,
            "fresh": self.column.fresh,
            "dimensions": {str(size): rows for size, rows in sorted(self.column.dimensions.items())},
            "unusable": self.column.unusable,
            "norms": None if self.column.norms is None else [round(norm, 6) for norm in self.column.norms],
            "embedded_again": seen.rows,
            "agreed": seen.agreed,
            "lowest": None if seen.lowest is None else round(seen.lowest, 6),
            "left_out": dict(sorted(seen.left_out.items())),
            "wrong": {what.value: rows for what, rows in self.wrong.items()},
        }


def examined(column: Column, sample: Sample, made: Vectors, old: Mapping[str, Vectors] | None = None) -> Purity:
    """The column, with the rows of a sample of it as `made` says that they should be.

    `old` are vectors of the sample's rows in the old column: what was never embedded anew is told by them from another
    model's. Fewer than 1,500 rows, or than all that can be, are too few.
    """
    seen = agreement(sample, made)
    wrong: dict[Impurity, int] = {}
    width = int(made.shape[1]) if made.ndim == 2 and len(made) else 0

    def put(what: Impurity, rows: int) -> None:
        if rows:
            wrong[what] = max(wrong.get(what, 0), rows)

    put(Impurity.HALF_MIGRATED, column.texts - column.fresh)
    put(Impurity.OTHER_DIMENSION, sum(rows for size, rows in column.dimensions.items() if width and size != width))
    put(Impurity.UNUSABLE, column.unusable)
    for what, rows in _told(sample.rows, made, set(seen.differing), old or {}).items():
        put(what, rows)
    put(Impurity.UNNORMALISED, _uneven(column, made))
    possible = column.texts - sum(seen.left_out.values())
    if not seen.rows or seen.rows < min(SAMPLE, possible):
        put(Impurity.TOO_FEW, max(1, min(SAMPLE, possible) - seen.rows))
    return Purity(column, seen, wrong)


def _uneven(column: Column, made: Vectors) -> int:
    """1 when the model's vectors have one length and some row's has another; it need not be in the sample."""
    lengths = np.linalg.norm(made.astype(np.float64), axis=1) if len(made) else np.empty(0)
    if column.norms is None or not len(lengths) or float(np.ptp(lengths)) > EVEN * float(lengths.mean()):
        return 0
    low, high = column.norms
    usual = float(lengths.mean())
    return int(low < usual * (1 - NORM_DRIFT) or high > usual * (1 + NORM_DRIFT))


def _told(
    rows: Sequence[Witnessed], made: Vectors, differing: set[str], old: Mapping[str, Vectors]
) -> dict[Impurity, int]:
    """How many of the differing rows have which fault: what a row says by itself first, then what they say together."""
    found: dict[Impurity, int] = {}
    rest: list[int] = []
    for at, row in enumerate(rows):
        if row.id not in differing:
            continue
        fault = _alone(row, made[at], old.get(row.id))
        if fault is None:
            rest.append(at)
        else:
            found[fault] = found.get(fault, 0) + 1
    if rest:
        right = _units(made)
        stored = _units(np.stack([rows[at].vector for at in rest]))
        fault = _together(stored, right, rest)
        found[fault] = found.get(fault, 0) + len(rest)
    return found


def _alone(row: Witnessed, right: Vectors, old: Vectors | None) -> Impurity | None:
    if len(row.vector) != len(right):
        return Impurity.OTHER_DIMENSION
    if _same(row.vector, right):
        return Impurity.UNNORMALISED
    if old is not None and len(old) == len(row.vector) and _same(row.vector, old):
        return Impurity.HALF_MIGRATED
    return None


def _together(stored: npt.NDArray[Any], right: npt.NDArray[Any], places: Sequence[int]) -> Impurity:
    """Vectors of the right model and other texts, of the right texts and another input, or of another model.

    A vector of the model lies as near to some of its vectors as they lie to one another, another model's does not.
    """
    near = stored @ right.T
    rows = np.arange(len(places))
    own = near[rows, list(places)].copy()
    near[rows, list(places)] = -1.0
    others = near.max(axis=1)
    if float(np.mean(own >= others)) >= OWN and float(np.median(own)) >= OWN:
        return Impurity.LOST_PREFIX
    among = right @ right.T
    np.fill_diagonal(among, -1.0)
    # a tenth of the model's own vectors lie farther from all others than this; of another model's, nearly all do
    usual = float(np.quantile(among.max(axis=1), 0.1))
    return Impurity.SHUFFLED if float(np.median(others)) >= usual else Impurity.WRONG_MODEL


def _same(a: Vectors, b: Vectors) -> bool:
    return bool(cosines(a[None], b[None])[0] >= SAME)


def _units(vectors: Vectors) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)
