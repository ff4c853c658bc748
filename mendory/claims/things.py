"""Facts about things: services, projects, products."""

from __future__ import annotations

from typing import Final

from mendory.language.claim import Claim, ClaimKind

_THINGS: Final = frozenset({"port", "version", "deadline"})
"""Attributes of things: of whose the text does not say, the memory's first entity tells."""


def of_a_thing(claim: Claim) -> bool:
    """Whether it is a fact about a thing rather than a person."""
    return claim.kind is ClaimKind.FACT and claim.about.partition(":")[0] in _THINGS
