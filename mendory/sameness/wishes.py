"""Whether two texts want, or refuse, two things: who likes jazz does not say that he likes classical jazz."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.language.claim import Claim, first_preference


def apart(a: Sequence[Claim], b: Sequence[Claim]) -> bool:
    """Whether what two texts first take a stance on is a thing and one of its kind, or one under a condition.

    Other words for one thing are no such pair: only what says all that the other says, and more before it ("classical
    jazz", 古典爵士乐), or names a condition the other lacks ("toast with seeds"). How often and how much is none.
    """
    one, two = first_preference(a), first_preference(b)
    if one is None or two is None or one.stance != two.stance or one.subject != two.subject:
        return False
    if one.about == two.about:
        return _condition(one) != _condition(two)
    return _narrower(one.about, two.about) or _narrower(two.about, one.about)


def _condition(claim: Claim) -> str:
    return claim.constraint if claim.strength is None else ""


def _narrower(about: str, wide: str) -> bool:
    """Whether an object is the other with something said before it that tells which."""
    return about.endswith(f" {wide}" if wide.isascii() else wide)
