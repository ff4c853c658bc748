"""How alike the answers of two spaces are: what tells another model from none, and from a broken one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np

from mendory.migration.quality import DEPTH, Ranked
from mendory.migration.queries import Query

PERSISTENCE: Final = 0.9
"""Of a reader who goes on to the next answer nine times in ten (Webber, Moffat and Zobel 2010, p = .9)."""
APART: Final = 0.3
"""Below this mean overlap a person should look.

Between two real models it was .57 in English and .43 in Chinese, where one of them knows few characters; with one
vector in twenty of another length .18, with shuffled vectors .06 (docs/migration.md, "Agreement").
"""


class Trip(StrEnum):
    """What a person is told of the agreement."""

    NONE = "none"
    LOOK = "look"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Alike:
    """Means over the queries that either space answered."""

    queries: int
    overlap: float
    rbo: float
    same_first: float
    identical: int
    """Queries with the same answers in the same order."""

    @property
    def trip(self) -> Trip:
        """`same` where not one query is answered in another way, `look` where hardly one is answered alike."""
        if self.queries and self.identical == self.queries:
            return Trip.SAME
        return Trip.LOOK if self.overlap < APART else Trip.NONE

    def as_json(self) -> dict[str, Any]:
        """The agreement as plain values."""
        means = {name: round(getattr(self, name), 6) for name in ("overlap", "rbo", "same_first")}
        return {"queries": self.queries, **means, "identical": self.identical, "trip": self.trip.value}


def alike(queries: Sequence[Query], old: Ranked, new: Ranked) -> Alike:
    """How alike the first ten answers of both spaces are; a query with no answer in both says nothing."""
    pairs = [(tuple(old.get(q.id, ()))[:DEPTH], tuple(new.get(q.id, ()))[:DEPTH]) for q in queries]
    pairs = [(a, b) for a, b in pairs if a or b]
    if not pairs:
        return Alike(0, 0.0, 0.0, 0.0, 0)
    return Alike(
        len(pairs),
        float(np.mean([len(set(a) & set(b)) / max(len(a), len(b)) for a, b in pairs])),
        float(np.mean([rbo(a, b) for a, b in pairs])),
        float(np.mean([a[:1] == b[:1] for a, b in pairs])),
        sum(a == b for a, b in pairs),
    )


def rbo(a: Sequence[str], b: Sequence[str], p: float = PERSISTENCE) -> float:
    """Rank-biased overlap of two lists, extrapolated from their common depth (Webber 2010, equation 30).

    >>> rbo("abc", "abc"), rbo("abc", "xyz")
    (1.0, 0.0)
    >>> round(rbo("abc", "bac"), 3)
    0.9
    """
    depth = min(len(a), len(b))
    if not depth:
        return 0.0
    seen_a: set[str] = set()
    seen_b: set[str] = set()
    total = share = 0.0
    for at in range(depth):
        seen_a.add(a[at])
        seen_b.add(b[at])
        share = len(seen_a & seen_b) / (at + 1)
        total += share * p**at
    return float((1 - p) * total + share * p**depth)
