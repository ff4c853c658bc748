"""The canary: a growing share of recalls is answered from the new space, and who decides that it may go on. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mendory.migration.quality import Change

SHARES: Final = (0.01, 0.1, 0.5)
"""The shares of recalls, one after the other (docs/migration.md)."""
SLOWER: Final = 1.5
"""A P95 of so many times the usual one is slow (docs/migration.md)."""
FEWEST: Final = 20
"""Answers of a space below which nothing is said of its P95."""
LEAST: Final = 5.0
"""Milliseconds by which a P95 must be slower as well: below, nobody notices, and a busy clock is no sign."""
CERTAIN: Final = 0.005
"""So rarely may a space that is just not slower have so many slow answers: it is asked again while a share lasts."""
PROBES: Final = 100
"""Queries made from memories that are asked in both spaces before a share grows."""
WORSE_HITS: Final = 0.05
"""The canary ends when certainly more than this share of the probes lost the first place. The gate has told small
losses; this is for what breaks after it, an index or a column."""
_PARTS: Final = 2**32


@dataclass(frozen=True, slots=True)
class Advice:
    """What follows from what was seen: `go_on`, `wait` or `abort`, and why."""

    what: str
    reason: str


def takes_part(scope: str, query: str, share: float) -> bool:
    """True for that share of all recalls; one query of a scope is always answered from one space at a share.

    Who takes part at a share takes part at every larger one.

    >>> [takes_part("u", "coffee?", share) for share in (0.0, 1.0)]
    [False, True]
    """
    held = hashlib.blake2b(f"{len(scope)}:{scope}{query}".encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(held, "big") < share * _PARTS


def quick(new: Sequence[float], old: Sequence[float], minimum: int) -> Advice:
    """Whether recalls of the new space, in milliseconds, are as quick as those of the old one in the same span.

    They are not when their P95 is above what `slowest` gives, and certainly so: one answer that was slow by chance ends
    nothing. That ends the canary before the minimum too; where it is above and not certain, more recalls tell.
    """
    wanted = max(minimum, FEWEST)
    if len(old) < FEWEST:
        return Advice("wait", f"{len(old)} of {FEWEST} recalls of the old space")
    if len(new) < FEWEST:
        return Advice("wait", f"{len(new)} of {wanted} recalls of the new space")
    before, now = p95(old), p95(new)
    bound = slowest(before)
    told = f"p95 {now:.1f} ms against {before:.1f} ms"
    if now > bound and _chance(sum(one > bound for one in new), len(new), 1 - _P95) < CERTAIN:
        return Advice("abort", told)
    if len(new) < wanted:
        return Advice("wait", f"{len(new)} of {wanted} recalls of the new space")
    return (
        Advice("wait", f"{told} of {len(new)} recalls, which is not certain") if now > bound else Advice("go_on", told)
    )


def hits(first: Change) -> Advice:
    """Whether the probes, queries made from memories, find their own memory first as they do in the old space."""
    told = f"{first.new:.2f} of {first.queries} probes find themselves first against {first.old:.2f}"
    return Advice("abort" if first.upper < -WORSE_HITS else "go_on", told)


def slowest(usual: float) -> float:
    """The highest P95 that is not slow where that one is usual, in milliseconds: of the gate, a canary and a throttle.

    >>> [slowest(3.0), slowest(10.0), slowest(40.0)]
    [8.0, 15.0, 60.0]
    """
    return max(SLOWER * usual, usual + LEAST)


_P95: Final = 0.95


def p95(milliseconds: Sequence[float]) -> float:
    """The 95th percentile."""
    return float(np.percentile(milliseconds, 100 * _P95))


def _chance(found: int, of: int, p: float) -> float:
    """How likely at least so many of them are, when each is with chance `p`.

    >>> round(_chance(5, 20, 0.05), 4)
    0.0026
    """

    def log(k: int) -> float:
        ways = math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)
        return ways + k * math.log(p) + (of - k) * math.log1p(-p)

    return math.fsum(math.exp(log(k)) for k in range(found, of + 1))
