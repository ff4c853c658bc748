"""The canary: a growing share of recalls is answered from the new space, and who decides that it may go on. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

SHARES: Final = (0.01, 0.1, 0.5)
"""The shares of recalls, one after the other (docs/migration.md)."""
SLOWER: Final = 1.5
"""The canary ends when its P95 is more than so many times that of the old space in the same span."""
FEWEST: Final = 20
"""Answers of a space below which nothing is said of its P95 or of its self-hits."""
_PARTS: Final = 2**32


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen of one space during one share: latencies in milliseconds, and probes that found themselves."""

    milliseconds: Sequence[float]
    probes: int
    hits: int

    @property
    def p95(self) -> float | None:
        """The 95th percentile of the latencies; None below `FEWEST` answers."""
        return float(np.percentile(self.milliseconds, 95)) if len(self.milliseconds) >= FEWEST else None

    @property
    def hit_rate(self) -> float | None:
        """The share of probes that found themselves first; None below `FEWEST` probes."""
        return self.hits / self.probes if self.probes >= FEWEST else None


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


def judge(new: Watched, old: Watched, minimum: int, worse_hits: float) -> Advice:
    """Whether the share may grow: not before `minimum` recalls of the new space, never when it does worse.

    It does worse when its P95 is above `SLOWER` times the old space's, or its share of probes that find themselves
    first is more than `worse_hits` below. Both end it as soon as they can be told, before the minimum as well.
    """
    if new.p95 is not None and old.p95 is not None and new.p95 > SLOWER * old.p95:
        return Advice("abort", f"p95 {new.p95:.1f} ms against {old.p95:.1f} ms")
    if new.hit_rate is not None and old.hit_rate is not None and new.hit_rate < old.hit_rate - worse_hits:
        return Advice("abort", f"{new.hit_rate:.2f} of the probes find themselves first against {old.hit_rate:.2f}")
    seen = len(new.milliseconds)
    if seen < max(minimum, FEWEST):
        return Advice("wait", f"{seen} of {max(minimum, FEWEST)} recalls")
    if new.hit_rate is None or old.hit_rate is None:
        return Advice("wait", f"{min(new.probes, old.probes)} of {FEWEST} probes")
    if old.p95 is None:
        return Advice("wait", f"{len(old.milliseconds)} of {FEWEST} recalls of the old space")
    return Advice("go_on", f"{seen} recalls, p95 {new.p95:.1f} ms")
