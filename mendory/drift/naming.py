"""Damage told apart by name: a row's stored vector beside the one that its text is embedded to now. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mendory.drift.damage import Damage
from mendory.drift.survey import Source
from mendory.embedding import Vectors
from mendory.spaces.fingerprint import NORM_DRIFT, SAME, cosines, norm_ratios
from mendory.spaces.witness import Witnessed
from mendory.text import exact_key
from mendory.vectors import grid

TOGETHER: Final = 8
"""From so many rows on it shows whether vectors lie to each other as their texts do."""
SHUFFLES: Final = 200
BY_CHANCE: Final = 0.01
"""So seldom do vectors of other texts lie so to each other by chance."""
ALONE: Final = 30
"""From so many rows on it is known how near to another a vector of the model lies."""
OUTSIDE: Final = 0.01
"""The share of the model's own vectors that may lie farther from all others than what counts as another model's."""
NOISE: Final = 2.0
"""Nor does a vector lie outside that is nearer to another than twice what any of as many chance directions are."""
REPEATED: Final = 3
"""So many wrong rows of different texts with one vector, and half of all wrong ones, are no accident: a model may make
one vector of a few texts, which then are swapped together."""


def differing(rows: Sequence[Witnessed], made: Vectors) -> list[int]:
    """The places of the rows whose vector is not that of their text: another direction, length or dimension."""
    return [at for at, row in enumerate(rows) if not _agrees(row.vector, made[at])]


def elsewhere(source: Source, rows: Sequence[Witnessed], made: Vectors) -> frozenset[str]:
    """Of these rows, those whose text's vector another row holds, of another text: they were swapped.

    One pass over the source. A text that another row has too is none of another.
    """
    if not rows:
        return frozenset()
    wanted = _units(made.astype(np.float32))
    keys = [exact_key(row.text) for row in rows]
    found: set[str] = set()
    for memories, vectors in source.with_vectors(None):
        units = None if vectors is None else grid(pa.chunked_array([vectors]))
        if units is None or units.shape[1] != wanted.shape[1]:
            continue
        near = np.nan_to_num(units) @ wanted.T >= SAME
        for at, which in zip(*np.nonzero(near), strict=True):
            if memories[at].id != rows[which].id and exact_key(memories[at].content or "") != keys[which]:
                found.add(rows[which].id)
    return frozenset(found)


def names(
    rows: Sequence[Witnessed],
    made: Vectors,
    stale: Collection[str],
    found: Callable[[Sequence[Witnessed], Vectors], Collection[str]],
) -> dict[str, Damage]:
    """Row id → damage, for those of the rows whose vector is not that of their text.

    `stale` are rows whose vector is known to be of an earlier text. `found` tells which of some rows have their
    vector in another row (`elsewhere`); asked of those alone whose vector does not say it by itself.
    """
    wrong = differing(rows, made)
    told: dict[str, Damage] = {}
    texts = {(rows[at].vector.tobytes(), exact_key(rows[at].text)) for at in wrong}
    shared = Counter(vector for vector, _ in texts)
    rest: list[int] = []
    for at in wrong:
        row = rows[at]
        if row.id in stale:
            told[row.id] = Damage.STALE
        elif shared[row.vector.tobytes()] >= max(REPEATED, len(wrong) / 2) or _flat(row.vector):
            told[row.id] = Damage.CONSTANT
        elif (by_shape := _by_shape(row.vector, made[at])) is not None:
            told[row.id] = by_shape
        else:
            rest.append(at)
    if not rest:
        return told
    stored = _units(np.stack([rows[at].vector for at in rest]))
    own, others, inside = _company(stored, _units(made), rest)
    swapped = found([rows[at] for at in rest], made[rest])
    # a model may make one vector of two texts; what another model made was not swapped for all that
    told |= {rows[at].id: Damage.SHUFFLED for n, at in enumerate(rest) if rows[at].id in swapped and inside[n]}
    left = [n for n, at in enumerate(rest) if rows[at].id not in told]
    alike = _lie_alike(stored[left], _units(made[[rest[n] for n in left]]))
    right_texts = alike or float(np.mean(own[left] >= others[left])) > 0.5 if left else False
    for n in left:
        told[rows[rest[n]].id] = Damage.OTHER_MODEL if right_texts or not inside[n] else Damage.OTHER_TEXT
    return told


def _agrees(vector: Any, made: Any) -> bool:
    if len(vector) != len(made):
        return False
    pair = vector[None].astype(np.float32), made[None]
    return bool(cosines(*pair)[0] >= SAME and norm_ratios(*pair)[0] <= NORM_DRIFT)


def _flat(vector: Any) -> bool:
    return len(vector) > 1 and bool(np.ptp(vector) <= 1e-6 * np.abs(vector).max())


def _by_shape(vector: Any, made: Any) -> Damage | None:
    """What one vector tells beside the one it should be; None when only others can tell."""
    stored, width = len(vector), len(made)
    if stored < width:
        return Damage.TRUNCATED if _parallel(vector, made[:stored]) else Damage.OTHER_MODEL
    if stored > width:
        filled = not vector[width:].any() and _parallel(vector[:width], made)
        return Damage.PADDED if filled else Damage.OTHER_MODEL
    if _parallel(vector, made):
        return Damage.UNNORMALISED
    tail = int((vector[::-1] != 0).argmax())
    if tail and not made[-tail:].any():
        return None
    if tail and _parallel(vector[:-tail], made[:-tail]):
        return Damage.TRUNCATED
    return Damage.PADDED if tail * 16 >= width >= 32 else None


def _parallel(a: Any, b: Any) -> bool:
    return bool(cosines(a[None].astype(np.float32), b[None].astype(np.float32))[0] >= SAME)


def _company(stored: Any, made: Any, places: Sequence[int]) -> tuple[Any, Any, Any]:
    """How near each vector lies to that of its own text, to the nearest of other texts, and whether it is the model's.

    Another model's vectors lie apart from all that this one makes, wherever their texts lie.
    """
    near = stored @ made.T
    own = near[np.arange(len(places)), list(places)].copy()
    near[np.arange(len(places)), list(places)] = -1.0
    others = near.max(axis=1)
    if len(made) < ALONE:
        return own, others, np.ones(len(places), bool)
    usual = made @ made.T
    np.fill_diagonal(usual, -1.0)
    chance = NOISE * math.sqrt(2 * math.log(len(made)) / made.shape[1])
    return own, others, others >= min(float(np.quantile(usual.max(axis=1), OUTSIDE)), chance)


def _lie_alike(a: Any, b: Any) -> bool:
    """True when the cosines among `a` go with those among `b` more than by chance (Mantel's test).

    Vectors of another model lie to each other much as their texts do, which vectors of other texts do not.
    """
    if len(a) < TOGETHER:
        return False
    pairs = np.triu_indices(len(a), 1)
    mine, theirs = a @ a.T, (b @ b.T)[pairs]
    if np.ptp(mine[pairs]) == 0 or np.ptp(theirs) == 0:
        return False
    seen = np.corrcoef(mine[pairs], theirs)[0, 1]
    chance = np.random.default_rng(0)
    orders = [chance.permutation(len(a)) for _ in range(SHUFFLES)]
    by_chance = [np.corrcoef(mine[np.ix_(order, order)][pairs], theirs)[0, 1] for order in orders]
    return bool(np.mean(np.asarray(by_chance) >= seen) < BY_CHANCE)


def _units(vectors: Any) -> Any:
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return vectors / np.where(lengths == 0, 1.0, lengths)


def counted(told: Mapping[str, Damage]) -> dict[Damage, list[str]]:
    """The rows of each damage, in order."""
    held: dict[Damage, list[str]] = {}
    for row, damage in sorted(told.items()):
        held.setdefault(damage, []).append(row)
    return held
