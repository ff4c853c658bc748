"""Claims of short English statements: what they say of whom, by rules that speak only where they are sure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim, ClaimKind, Tense
from mendory.language.en.claims.allergies import allergies
from mendory.language.en.claims.clause import Clause, clauses
from mendory.language.en.claims.diet import diet
from mendory.language.en.claims.family import family
from mendory.language.en.claims.home import home
from mendory.language.en.claims.likes import likes
from mendory.language.en.claims.mentions import mentions
from mendory.language.en.claims.person import person
from mendory.language.en.claims.projects import projects
from mendory.language.en.claims.study import study
from mendory.language.en.claims.things import things
from mendory.language.en.claims.verdicts import verdicts
from mendory.language.en.claims.words import sentences
from mendory.language.en.claims.work import work
from mendory.language.en.lists import listed

__all__ = ["claims"]

_SEVERAL = listed("""
brother sister sibl son daughter child friend colleagu cowork cousin uncl aunt neighbor roommat dog cat doctor teacher
grandmoth grandfath niec nephew manag
""")
_RULES = (work, study, home, family, person, diet, allergies, likes, projects, things)


def claims(text: str) -> tuple[Claim, ...]:
    """What a text claims, in its order, no claim twice; () where no rule is sure of one. Questions claim nothing."""
    said = tuple(sentences(text))
    made = (claim for clause in clauses(said) for rule in _RULES for claim in _of_clause(clause, rule(clause)))
    found: dict[Claim, float] = {}
    for claim in (*made, *mentions(said), *verdicts(said)):
        bare = replace(claim, confidence=0.0)
        found[bare] = max(claim.confidence, found.get(bare, 0.0))
    return tuple(replace(claim, confidence=sure) for claim, sure in found.items())


def _of_clause(clause: Clause, made: Iterator[Claim]) -> Iterator[Claim]:
    for claim in made:
        yield from map(_one_of_many, _with_its_end(clause, claim))


def _one_of_many(claim: Claim) -> Claim:
    """The claim, less sure where the user may have several such people: of one brother and another both can hold."""
    return replace(claim, confidence=0.75 * claim.confidence) if claim.subject in _SEVERAL else claim


def _is_over(clause: Clause, claim: Claim) -> bool:
    """Whether a claim of what was tells that it is no more: of a job or a home; who had a cat may have another."""
    named = claim.about.partition(":")[0] not in ("has", "count") and any(value.within for value in claim.values)
    return clause.ended and claim.kind is ClaimKind.FACT and claim.tense is Tense.PAST and not claim.denied and named


def _with_its_end(clause: Clause, claim: Claim) -> Iterator[Claim]:
    """The claim, and of what "used to" be so that it is not so now."""
    yield claim
    if _is_over(clause, claim):
        yield replace(claim, tense=Tense.NOW, denied=True, before=claim.values, ends=True, confidence=0.6)
