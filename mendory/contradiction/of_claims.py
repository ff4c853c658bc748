"""How the claims of two texts stand to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from mendory.claims.attributes import Singles, attribute, single
from mendory.contradiction.model import Compared, Relation
from mendory.contradiction.scenes import Scenes, scenes
from mendory.contradiction.stances import clash as stances
from mendory.contradiction.values import denies, excluded, one, shared
from mendory.language.claim import USER, Claim, ClaimKind, Tense, Value
from mendory.veto.names import one_name

_PERHAPS: Final = 0.49
"""What is left of a score where two names may be of one thing ("the project", "project Falcon"), or what is over may be
something else of the kind."""
_RANK: Final = (Relation.CONFLICT, Relation.EXCEPTION, Relation.APART, Relation.AGREE)
_UNKNOWN: Final = Compared(Relation.UNKNOWN, 0.0)


def compare_claims(a: Sequence[Claim], b: Sequence[Claim], singles: Singles = frozenset()) -> Compared:
    """The relation of the two claims that tell most: those that clash most surely, else an exception, else apart.

    Unknown where no claim of the one has to do with a claim of the other. `singles` are attributes of one value at a
    time beside those that are declared so.
    """
    pairs = product(_with_implied(a), _with_implied(b))
    found = [pair for one, two in pairs if (pair := _pair(one, two, singles)) is not None]
    return min(found, key=lambda held: (_RANK.index(held.relation), -held.score), default=_UNKNOWN)


def _with_implied(claims: Sequence[Claim]) -> Iterator[Claim]:
    """The claims, and that who has a number of things has some: "count:child" of 2 is "has:child", of 0 denies it."""
    for claim in claims:
        yield claim
        what, _, of = claim.about.partition(":")
        if what == "count" and of and len(claim.values) == 1 and not claim.denied:
            yield replace(claim, about=f"has:{of}", values=(), denied=claim.values[0].number == 0)


def _pair(a: Claim, b: Claim, singles: Singles) -> Compared | None:
    """What two claims are to each other; None where they are about other things, or hold beside each other."""
    if a.kind is not b.kind:
        return None
    clash = _preferences(a, b) if a.kind is ClaimKind.PREFERENCE else _facts(a, b, singles)
    if clash is None:
        return None
    if clash.relation is not Relation.CONFLICT:
        return clash if _one_subject(a.subject, b.subject) == 1 else None
    whose = _one_subject(a.subject, b.subject)
    if not whose:
        return Compared(Relation.APART, 0.0, ("subject",), (a, b))
    if not (a.tense is b.tense is Tense.NOW):
        return Compared(Relation.APART, 0.0, ("tense",), (a, b))
    where = scenes(a.scenes, b.scenes)
    if where is Scenes.APART:
        return Compared(Relation.APART, 0.0, ("scene",), (a, b))
    held = replace(clash, score=clash.score * whose)
    if where is Scenes.SAME:
        return held
    narrower = 0 if where is Scenes.FIRST_NARROWER else 1
    return replace(held, relation=Relation.EXCEPTION, why=(*held.why, "scene"), narrower=narrower)


def _one_subject(a: str, b: str) -> float:
    """How surely two subjects are one: 1, `_PERHAPS`, or 0; the user is nobody who is named."""
    if a == b:
        return 1.0
    return _PERHAPS if USER not in (a, b) and a and b and one_name(a, b) else 0.0


def _facts(a: Claim, b: Claim, singles: Singles) -> Compared | None:
    if a.about != b.about:
        return None
    sure, why = min(a.confidence, b.confidence), (f"attribute:{a.about}",)
    clash = Compared(Relation.CONFLICT, sure, why, (a, b))
    if a.denied != b.denied:
        no, yes = (a, b) if a.denied else (b, a)
        if no.ends and not no.values and (yes.values or a.about == "job"):
            # a job was lost: perhaps this one, perhaps one before it
            return replace(clash, score=sure * _PERHAPS)
        return clash if denies(no.values, yes.values) else None
    if a.denied:
        return None
    if _over(a, b.values) or _over(b, a.values):
        return replace(clash, why=(*why, "ended"))
    if excluded(a.values, b.values):
        if single(a.about, singles) or _in_its_place(a, b) or _in_its_place(b, a):
            return clash
        return Compared(Relation.APART, 0.0, ("beside",), (a, b)) if attribute(a.about) else None
    return Compared(Relation.AGREE, 0.0, why, (a, b)) if shared(a.values, b.values) else None


def _over(a: Claim, told: Sequence[Value]) -> bool:
    """Whether the first says that what the second tells was so until now, and tells something else itself."""
    return any(one(was, value) for was in a.before for value in told) and not shared(a.values, told)


def _in_its_place(a: Claim, b: Claim) -> bool:
    """Whether the first says that something of its kind is over, and the second tells of that kind."""
    kinds = {kind for value in a.values for kind in value.within}
    return a.ends and not kinds.isdisjoint(kind for value in b.values for kind in value.within)


def _preferences(a: Claim, b: Claim) -> Compared | None:
    sure = min(a.confidence, b.confidence)
    if a.about == b.about:
        part, why = stances(a, b)
        if part:
            return Compared(Relation.CONFLICT, sure * part, why, (a, b))
        if _instead(a, b) or _instead(b, a):
            return Compared(Relation.CONFLICT, sure, ("stance", "ended"), (a, b))
        same = a.stance is not None and a.stance == b.stance
        return Compared(Relation.AGREE, 0.0, ("stance",), (a, b)) if same else None
    ended = any(_wants(b, was) for was in a.before) or any(_wants(a, was) for was in b.before)
    return Compared(Relation.CONFLICT, sure, ("stance", "ended"), (a, b)) if ended else None


def _instead(a: Claim, b: Claim) -> bool:
    """Whether the first wants one of a kind in the place of what was wanted of it, and the second another of it."""
    return a.ends and a.stance == b.stance == 1 and excluded(a.values, b.values)


def _wants(claim: Claim, was: Value) -> bool:
    """Whether the claim wants what another says was wanted until now."""
    return claim.stance == 1 and was.text == claim.about
