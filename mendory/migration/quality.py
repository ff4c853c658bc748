"""Whether a new space finds as well as the old one: the same queries in both, their differences with bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mendory.errors import DependencyMissing
from mendory.migration.queries import SLICE, Query

DEPTH: Final = 10
"""So many answers of a query count: what a context holds (design §10)."""
MARGIN: Final = 0.02
"""A loss of nDCG@10 that is accepted: the lower bound may not lie below its negative (design §10)."""
LEVEL: Final = 0.05
"""Bounds hold in 95 of 100 tries, each on its side (design §10)."""

Ranked = Mapping[str, Sequence[str]]
"""The ids found for each query, by its id, best first."""
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """What each query found, in the order of the queries, from 0 to 1; one that found nothing has 0."""

    ndcg: Values
    recall: Values
    first: Values
    """1 where the best answer is a right one."""


@dataclass(frozen=True, slots=True)
class Change:
    """A mean over queries in the old space and the new, and the bounds of the difference.

    `lower` and `upper` are one-sided 95 % bounds; `p_worse` is how likely so low a difference were without any loss.
    """

    queries: int
    old: float
    new: float
    delta: float
    lower: float
    upper: float
    p_worse: float

    def as_json(self) -> dict[str, Any]:
        """The change as plain values, rounded to what is told."""
        names = ("old", "new", "delta", "lower", "upper", "p_worse")
        return {"queries": self.queries, **{name: round(getattr(self, name), 6) for name in names}}


@dataclass(frozen=True, slots=True)
class Slice:
    """The change of nDCG@10 among the queries of one scope or language, and whether it forbids the move."""

    axis: str
    value: str
    change: Change
    vetoes: bool

    def as_json(self) -> dict[str, Any]:
        """The slice as plain values."""
        return {"axis": self.axis, "value": self.value, "vetoes": self.vetoes, **self.change.as_json()}


def scored(queries: Sequence[Query], ranked: Ranked) -> Scores:
    """nDCG@10, recall@10 and success@1 of each query, by `ir_measures`; the order of answers counts, no similarity.

    Raises DependencyMissing when the library is not there.
    """
    try:
        import ir_measures
    except ImportError:
        raise DependencyMissing(
            "The gate measures with ir-measures, which is not installed. Nothing was measured. "
            "pip install 'mendory[migrate]'"
        ) from None
    wanted = (ir_measures.nDCG @ DEPTH, ir_measures.R @ DEPTH, ir_measures.Success @ 1)
    right = {query.id: dict.fromkeys(query.relevant, 1) for query in queries}
    # trec_eval sorts by score and breaks ties by name: places as scores keep the order in which they were found
    run = {
        query.id: {one: float(-place) for place, one in enumerate(dict.fromkeys(ranked.get(query.id, ())))}
        for query in queries
    }
    place = {query.id: at for at, query in enumerate(queries)}
    found = {measure: np.zeros(len(queries)) for measure in wanted}
    for metric in ir_measures.iter_calc(list(wanted), right, run) if queries else ():
        found[metric.measure][place[metric.query_id]] = metric.value
    return Scores(*(found[measure] for measure in wanted))


def changed(old: Values, new: Values, of: Sequence[str]) -> Change:
    """The paired change; `of` says of each query what it was made from: those of one thing are one witness.

    Bounds are the mean plus and minus 1.645 standard errors, clustered by `of`. Over 400 resamples of real differences
    they held as often as those of a bootstrap, at a hundredth of the work (docs/migration.md, "How many").
    """
    difference = new - old
    n = len(difference)
    if not n:
        return Change(0, 0.0, 0.0, 0.0, -1.0, 1.0, 1.0)
    delta = float(difference.mean())
    _, cluster = np.unique(np.asarray(of, object).astype(str), return_inverse=True)
    sums = np.bincount(cluster, weights=difference - delta)
    groups = len(sums)
    error = float(np.sqrt((sums**2).sum() * groups / (groups - 1)) / n) if groups > 1 else 1.0
    reach = NormalDist().inv_cdf(1 - LEVEL) * error
    p_worse = NormalDist().cdf(delta / error) if error else (0.0 if delta < 0 else 1.0)
    return Change(n, float(old.mean()), float(new.mean()), delta, delta - reach, delta + reach, p_worse)


def slices(queries: Sequence[Query], old: Values, new: Values) -> tuple[Slice, ...]:
    """Every scope and language with its change, the worst first; those of 300 queries or more may veto.

    A veto is a loss that is certain: its upper bound below 0, by Holm's step-down over all that may (Holm 1979), so
    that all of them together are wrong once in twenty gates.
    """
    of = [query.of for query in queries]
    parts: list[tuple[str, str, Change]] = []
    for axis, key in _AXES:
        values = np.asarray([key(query) for query in queries], object)
        for value in sorted(set(values.tolist())):
            at = np.flatnonzero(values == value)
            parts.append((axis, value, changed(old[at], new[at], [of[one] for one in at])))
    parts.sort(key=lambda part: (part[2].p_worse, part[0], part[1]))
    certain = _holm([change.p_worse for _, _, change in parts if change.queries >= SLICE])
    vetoing = [part for part in parts if part[2].queries >= SLICE][:certain]
    return tuple(Slice(axis, value, change, (axis, value, change) in vetoing) for axis, value, change in parts)


_AXES: Final[tuple[tuple[str, Callable[[Query], str]], ...]] = (
    ("language", lambda query: query.language),
    ("scope", lambda query: query.scope),
)


def _holm(ordered: Sequence[float]) -> int:
    """How many of these p values, in rising order, are certain.

    >>> _holm([0.001, 0.02, 0.5]), _holm([0.02, 0.03])
    (2, 2)
    >>> _holm([0.03, 0.03])
    0
    """
    for at, p in enumerate(ordered):
        if p > LEVEL / (len(ordered) - at):
            return at
    return len(ordered)


def worst(old: Values, new: Values, most: int = 20) -> tuple[int, ...]:
    """The places of the queries that lost most, the greatest loss first; none that lost nothing."""
    order = np.argsort(new - old, kind="stable")[:most]
    return tuple(int(at) for at in order if new[at] < old[at])
