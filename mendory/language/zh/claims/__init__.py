"""What a Chinese text claims, by rules: of the user and of people, projects and services it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mendory.language.claim import Claim
from mendory.language.writing import halfwidth, simplified
from mendory.language.zh.claims.allergies import allergies
from mendory.language.zh.claims.details import details
from mendory.language.zh.claims.having import having
from mendory.language.zh.claims.lexicon import words
from mendory.language.zh.claims.liking import liking
from mendory.language.zh.claims.living import living
from mendory.language.zh.claims.person import person
from mendory.language.zh.claims.projects import projects
from mendory.language.zh.claims.sayings import Saying, sayings
from mendory.language.zh.claims.settings import settings
from mendory.language.zh.claims.talk import talk
from mendory.language.zh.claims.values import given_away
from mendory.language.zh.claims.work import work
from mendory.language.zh.lexicon import KIN
from mendory.language.zh.scenes import scenes

__all__ = ["claims_of"]


_TIMES = words("times")
_ANY_TIME = frozenset({"", "平时", "一般"})
"""What is no scene of its own, though it is said of one."""
_RELATED = frozenset(KIN.values())
_ONLY_ONE = words("only_one")


def claims_of(text: str) -> tuple[Claim, ...]:
    """The claims of a text in its order, each once; a question makes none but for what it gives away of who asks."""
    found: dict[tuple[object, ...], Claim] = {}
    held: frozenset[str] = frozenset()
    plain = simplified(halfwidth(text))
    for said in sayings(plain):
        held = _scenes(said) or (held if said.before else frozenset())
        for claim in map(_whoever, _claims(said, plain, held)):
            found.setdefault((claim.subject, claim.about, claim.values, claim.stance, claim.tense, claim.denied), claim)
    return tuple(found.values())


def _scenes(said: Saying) -> frozenset[str]:
    """Where and when a clause holds; who it is about is no part of it: 出差 of 小王出差时."""
    told = (" ".join(word for word in scene.split() if word != said.subject) for scene in scenes([said.tokens]))
    return frozenset({*told, *(word for word in _TIMES if word in said.text)} - _ANY_TIME)


def _whoever(claim: Claim) -> Claim:
    """The claim, below what decides where its subject may be another each time: 我同事, of whom there are several."""
    several = claim.subject in _RELATED and claim.subject not in _ONLY_ONE
    return replace(claim, confidence=min(claim.confidence, given_away(0.75))) if several else claim


def _claims(said: Saying, text: str, held: frozenset[str]) -> Iterator[Claim]:
    yield from living(said, text)
    if not said.asked:
        yield from person(said)
        yield from work(said)
        yield from having(said)
        yield from projects(said)
        yield from settings(said)
        yield from details(said)
        borne = tuple(allergies(said, held))
        yield from borne or liking(said, held)
    yield from talk(said, text)
