"""Whether two texts can both hold: what their claims and their words say, never what their vectors say alone."""

from __future__ import annotations

from mendory.claims import claims_in
from mendory.contradiction.model import DECIDES, Compared, Relation
from mendory.contradiction.of_claims import compare_claims
from mendory.language.claim import Claim

__all__ = ["DECIDES", "Compared", "Relation", "compare"]


Given = tuple[tuple[Claim, ...], tuple[Claim, ...]]
"""What each of two texts claims, where somebody knows it better than its words say: its writer did."""


def compare(
    a: str,
    b: str,
    cosine: float | None = None,  # noqa: ARG001 - words do not use it yet
    claims: Given | None = None,
) -> Compared:
    """How two raw texts stand to each other; symmetric but for `narrower`, which is the side.

    `cosine` is calibrated (`Threshold.calibrated`), None for texts without a vector. Texts that no language reads, or
    that two languages read, are unknown to each other.
    """
    return compare_claims(*(claims or (claims_in(a), claims_in(b))))
