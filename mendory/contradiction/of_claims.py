"""How the claims of two texts stand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from mendory.claims.attributes import attribute
from mendory.contradiction.model import Compared, Relation
from mendory.language.claim import Claim, ClaimKind, Tense, Value, ValueKind


def compare_claims(a: Sequence[Claim], b: Sequence[Claim]) -> Compared:
    """The relation of the two claims that are surest to clash; else unknown."""
    found = [_pair(one, two) for one, two in product(a, b)]
    clashing = [one for one in found if one is not None and one.relation is Relation.CONFLICT]
    return max(clashing, key=lambda one: one.score, default=Compared(Relation.UNKNOWN, 0.0))


def _pair(a: Claim, b: Claim) -> Compared | None:
    if a.kind is not b.kind or a.subject != b.subject or a.about != b.about:
        return None
    if a.tense is not Tense.NOW or b.tense is not Tense.NOW:
        return None
    sure = min(a.confidence, b.confidence)
    if a.kind is ClaimKind.PREFERENCE:
        clash = a.stance is not None and b.stance is not None and a.stance * b.stance < 0
        return Compared(Relation.CONFLICT, sure, ("stance",), (a, b)) if clash else None
    if a.denied != b.denied:
        shared = not a.values or not b.values or any(_one(x, y) for x, y in product(a.values, b.values))
        return Compared(Relation.CONFLICT, sure, (f"attribute:{a.about}",), (a, b)) if shared else None
    known = attribute(a.about)
    if known is None or not known.single or a.denied:
        return None
    apart = bool(a.values and b.values) and not any(_one(x, y) for x, y in product(a.values, b.values))
    return Compared(Relation.CONFLICT, sure, (f"attribute:{a.about}",), (a, b)) if apart else None


def _one(a: Value, b: Value) -> bool:
    if a.kind in (ValueKind.PLACE, ValueKind.TERM):
        return a.text in (b.text, *b.within) or b.text in a.within
    if a.number is not None and b.number is not None:
        return a.number == b.number and a.unit == b.unit
    return a.text == b.text
