"""What is seen of vectors without embedding anything, over all rows: signs of damage, and where they gather. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mendory.detect.vectors import ENOUGH, OFF_UNIT, SAME, UNIT, USUAL, ZERO
from mendory.drift.damage import Sign
from mendory.drift.survey import NONE, Source, Survey
from mendory.spaces.fingerprint import SAME as SAME_SPACE
from mendory.vectors import grid

PARTLY: Final = 0.2
"""So large a share of vectors of length 1 is no accident: a model that does not normalise has one in fifty of them."""
MOSTLY: Final = 0.5
"""From this share on another length than 1 is that of all: lengths that merely lie close never share one so often."""
SHORTEST: Final = 32
"""Vectors of fewer components may well end with zeros."""
TAIL: Final = 16
"""A sixteenth of the components, all zero at the end, is no accident."""
COMPARED: Final = 20_000
"""So many rows of repeated texts are compared at most: their vectors are held at once."""
EDGES: Final = (0.0, 0.5, 0.9, 0.99, 0.999, 1.001, 1.01, 1.1, 2.0)
"""Where the bins of a histogram of lengths begin, in usual lengths; the last has no end."""
CROWDED: Final = 2.0
LEAST: Final = 3
"""A cohort is named where its share is at least twice that of all other rows, and from three rows on."""


@dataclass(frozen=True, slots=True)
class Cohort:
    """Rows that have one thing in common: how many there are, and how many of them are damaged."""

    axis: str
    value: str
    rows: int
    damaged: int

    def as_json(self) -> dict[str, Any]:
        """The cohort as plain values."""
        return {"axis": self.axis, "value": self.value, "rows": self.rows, "damaged": self.damaged}


@dataclass(frozen=True, eq=False, slots=True)
class Signs:
    """Which rows show what, as one mask a sign; a row shows one sign at most. `length` is the usual one of vectors."""

    rows: Mapping[Sign, Any]
    length: float | None


def signs(seen: Survey, stale: Collection[str], differing: Collection[str]) -> Signs:
    """Every sign on the rows of a survey.

    `stale` are rows whose vector is known to be of an earlier text, `differing` those of one text that hold different
    vectors. What most of a table shows is its way, but for zeros and one vector for all.
    """
    ids = np.asarray(seen.ids, object)
    usual = usual_length(seen.norms)
    found: dict[Sign, Any] = {}
    taken = np.zeros(len(ids), bool)

    def put(sign: Sign, mask: Any) -> None:
        found[sign] = mask & ~taken
        taken[found[sign]] = True

    put(Sign.ZERO, seen.norms < ZERO)
    put(Sign.CONSTANT, seen.sound & (seen.flat | _shared(seen)))
    put(Sign.STALE, seen.sound & np.isin(ids, list(stale)) if stale else np.zeros(len(ids), bool))
    put(Sign.DIMENSION, seen.sound & _of_other_dimension(seen))
    tailed = seen.sound & (seen.dimensions >= SHORTEST) & (seen.tails * TAIL >= seen.dimensions)
    put(Sign.TAIL, tailed if tailed.sum() < USUAL * len(ids) else np.zeros(len(ids), bool))
    if usual is not None:
        put(Sign.LENGTH, seen.sound & (np.abs(seen.norms / usual - 1) > OFF_UNIT))
    if differing:
        put(Sign.SAME_TEXT, seen.sound & np.isin(ids, list(differing)))
    return Signs({sign: mask for sign, mask in found.items() if mask.any()}, usual)


def usual_length(norms: Any) -> float | None:
    """The length that vectors have where they are normalised, all or in part; None where lengths vary.

    >>> usual_length(np.array([1.0] * 30 + [7.3] * 70))
    1.0
    """
    known = norms[np.isfinite(norms) & (norms >= ZERO)]
    if len(known) < ENOUGH:
        return None
    if (np.abs(known - 1) <= UNIT).mean() >= PARTLY:
        return 1.0
    middle = float(np.median(known))
    return middle if (np.abs(known / middle - 1) <= UNIT).mean() >= MOSTLY else None


def histogram(norms: Any, usual: float) -> list[int]:
    """How many lengths lie in each bin of `EDGES`, measured in usual lengths."""
    known = norms[np.isfinite(norms)] / usual
    return [int(n) for n in np.histogram(known, bins=[*EDGES, np.inf])[0]]


def cohorts(seen: Survey, damaged: Any, most: int = 5) -> tuple[Cohort, ...]:
    """Where damaged rows gather: cohorts whose share of them is at least twice that of all others, the densest first.

    Nothing where they are spread evenly.
    """
    found: list[Cohort] = []
    all_rows, all_damaged = len(damaged), int(damaged.sum())
    for axis, (numbers, names) in seen.cohorts.items():
        rows = np.bincount(numbers, minlength=len(names))
        hit = np.bincount(numbers[damaged], minlength=len(names))
        for at in np.flatnonzero(hit >= LEAST):
            others = all_rows - rows[at]
            outside = (all_damaged - hit[at]) / others if others else 0.0
            if at != NONE and others and hit[at] / rows[at] >= CROWDED * outside:
                found.append(Cohort(axis, names[at], int(rows[at]), int(hit[at])))
    return tuple(sorted(found, key=lambda c: (-c.damaged / c.rows, -c.damaged, c.axis, c.value))[:most])


def repeated(seen: Survey, known: Signs) -> list[str]:
    """The rows whose text others have too, and that have a vector to compare and show no sign yet."""
    bare = ~np.logical_or.reduce([np.zeros(len(seen.ids), bool), *known.rows.values()])
    usable = np.flatnonzero(seen.sound & (seen.texts != 0) & bare)
    _, first, counts = np.unique(seen.texts[usable], return_inverse=True, return_counts=True)
    return [seen.ids[at] for at in usable[counts[first] > 1][:COMPARED]]


def different_vectors(source: Source, ids: Collection[str], text_key: Any) -> frozenset[str]:
    """Of the rows with these ids, those of one text that hold vectors of different directions: all of that text."""
    first: dict[int, Any] = {}
    rows: dict[int, list[str]] = {}
    differ: set[int] = set()
    for memories, vectors in source.with_vectors(ids) if ids else ():
        if vectors is None:
            continue
        units = grid(pa.chunked_array([vectors]))
        for memory, unit in zip(memories, units, strict=True):
            key = text_key(memory.content)
            if not key or not memory.id or np.isnan(unit).any():
                continue
            rows.setdefault(key, []).append(memory.id)
            held = first.setdefault(key, unit.copy())
            if len(held) != len(unit) or float(held @ unit) < SAME_SPACE:
                differ.add(key)
    return frozenset(name for key in differ for name in rows[key])


def _shared(seen: Survey) -> Any:
    """Which rows hold a vector that 20 or more different texts share; a few long ones may be cut alike."""
    shared = np.zeros(len(seen.ids), bool)
    usable = np.flatnonzero(seen.sound & (seen.texts != 0))
    order = usable[np.argsort(seen.marks[usable], kind="stable")]
    marks = seen.marks[order]
    starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]]) if len(order) else np.zeros(0, np.int64)
    lengths = np.diff(np.r_[starts, len(order)])
    for start, length in zip(starts[lengths >= SAME], lengths[lengths >= SAME], strict=True):
        rows = order[start : start + length]
        if len(np.unique(seen.texts[rows])) >= SAME:
            shared[rows] = True
    return shared


def _of_other_dimension(seen: Survey) -> Any:
    lengths = seen.dimensions[seen.sound]
    if not len(lengths):
        return np.zeros(len(seen.ids), bool)
    return seen.dimensions != int(np.bincount(lengths).argmax())
