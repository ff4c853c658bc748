"""What a Chinese text claims, by rules: of the user and of people, projects and services it names."""

from __future__ import annotations

from mendory.language.claim import Claim
from mendory.language.zh.claims.living import living
from mendory.language.zh.claims.person import person
from mendory.language.zh.claims.sayings import sayings
from mendory.language.zh.claims.talk import talk

__all__ = ["claims_of"]


def claims_of(text: str) -> tuple[Claim, ...]:
    """The claims of a text in its order."""
    found: dict[Claim, None] = {}
    for said in sayings(text):
        for claim in (*living(said, text), *person(said), *talk(said, text)):
            found.setdefault(claim)
    return tuple(found)
