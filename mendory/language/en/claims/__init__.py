"""Claims of short English statements: what they say of whom, by rules that speak only where they are sure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, ClaimKind, Tense
from mendory.language.en.claims.clause import Clause, clauses
from mendory.language.en.claims.diet import diet
from mendory.language.en.claims.family import family
from mendory.language.en.claims.home import home
from mendory.language.en.claims.likes import likes
from mendory.language.en.claims.mentions import mentions
from mendory.language.en.claims.person import person
from mendory.language.en.claims.things import things
from mendory.language.en.claims.work import work

__all__ = ["claims"]

_RULES = (work, home, family, person, diet, likes, things)


def claims(text: str) -> tuple[Claim, ...]:
    """What a text claims, in its order, no claim twice; () where no rule is sure of one. Questions claim nothing."""
    found: dict[Claim, None] = {}
    for clause in clauses(text):
        for rule in _RULES:
            for claim in rule(clause):
                found.update(dict.fromkeys(_with_its_end(clause, claim)))
    found.update(dict.fromkeys(mentions(text)))
    return tuple(found)


def _with_its_end(clause: Clause, claim: Claim) -> Iterator[Claim]:
    """The claim, and of what "used to" be so that it is not so now."""
    yield claim
    if claim.tense is Tense.PAST and clause.ended and claim.kind is ClaimKind.FACT and not claim.denied:
        yield replace(claim, tense=Tense.NOW, denied=True, before=claim.values, ends=True, confidence=0.6)
