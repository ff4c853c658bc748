"""Staleness: what a memory is worth at recall, by its kind, its age and what its scope has moved on to."""

from __future__ import annotations

from mendory.staleness.ages import lasting, under_way
from mendory.staleness.curves import DAY, Curve, Curves, Weighed, age_of, curves_in, weigh

__all__ = [
    "DAY",
    "Curve",
    "Curves",
    "Weighed",
    "age_of",
    "curves_in",
    "lasting",
    "under_way",
    "weigh",
]
