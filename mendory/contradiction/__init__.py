"""Whether two texts can both hold: what their claims and their words say, never what their vectors say alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mendory.claims import claims_in
from mendory.claims.attributes import Singles
from mendory.contradiction.model import DECIDES, Compared, Relation
from mendory.contradiction.of_claims import compare_claims
from mendory.contradiction.of_texts import below, compare_texts
from mendory.contradiction.scoring import Weights
from mendory.contradiction.stances import CONDITION
from mendory.contradiction.two_things import of_two_things
from mendory.language.claim import USER, Claim, ClaimKind, untimed

__all__ = ["DECIDES", "Compared", "Relation", "compare"]


LIKELY: Final = 0.1
"""The score of words from which on they are heard though claims agree: who agree on a job may differ on the rest."""

Given = tuple[tuple[Claim, ...], tuple[Claim, ...]]
"""What each of two texts claims, where somebody knows it better than its words say: its writer did."""


def compare(
    a: str,
    b: str,
    cosine: float | None = None,
    claims: Given | None = None,
    singles: Singles = frozenset(),
    weights: Mapping[str, Weights] | None = None,
) -> Compared:
    """How two raw texts stand to each other; symmetric but for `narrower`, which is the side.

    What is claimed goes first: claims that clash make a conflict, and claims that hold beside each other make none,
    whatever the words say. Where claims tell nothing, words do; they decide nothing where all that is said is that one
    thing is liked and another refused.

    `cosine` is calibrated (`Threshold.calibrated`), None for texts without a vector. Texts that no language reads, or
    that two languages read, are unknown to each other. `singles` are attributes that the owner says hold one value.
    `weights` by language are what words are weighed by, the shipped ones where none are given.
    """
    held = claims or (claims_in(a), claims_in(b))
    told = compare_claims(*held, singles)
    if told.relation in (Relation.EXCEPTION, Relation.APART):
        return told
    words = compare_texts(a, b, cosine, weights)
    if of_two_things(a, b, held):
        words = replace(words, score=below(words.score))
    stated = told.relation is Relation.CONFLICT and told.score >= min(DECIDES.values())
    if stated and words.relation is Relation.APART and _of_user(told, held):
        return words  # a sentence about somebody whom the rules of claims did not recognise
    if CONDITION in told.why:
        return told
    if told.relation is Relation.CONFLICT and words.relation is Relation.EXCEPTION and _anywhere(told):
        return replace(told, relation=Relation.EXCEPTION, why=(*told.why, "scene"), narrower=words.narrower)
    if told.relation is Relation.CONFLICT:
        return replace(told, score=max(told.score, words.score), why=(*told.why, *words.why))
    agreed = told.relation is Relation.AGREE and (claims is not None or words.score < LIKELY or _within(told))
    return told if agreed else words


def _within(told: Compared) -> bool:
    """Whether the values that agree are two, of which one lies in the other: that is why the words differ."""
    one, two = told.claims
    if one is None or two is None or one.kind is ClaimKind.PREFERENCE:
        return False
    return {v.text for v in one.values} != {v.text for v in two.values}


def _of_user(told: Compared, held: Given) -> bool:
    """Whether claims are taken for the user's, and no other subject was recognised beside ("my wife is a nurse")."""
    named = any(claim.subject != USER for side in held for claim in side)
    return not named and any(claim is not None and claim.subject == USER for claim in told.claims)


def _anywhere(told: Compared) -> bool:
    """Whether preferences do not say themselves where they hold: the words around them may."""
    return all(
        claim is not None and claim.kind is ClaimKind.PREFERENCE and not untimed(claim.scenes) for claim in told.claims
    )
