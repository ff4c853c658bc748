"""Whether two stances on one object can both be taken."""

from __future__ import annotations

from typing import Final

from mendory.language.claim import Claim

_WEAK: Final = 0.45
"""Sometimes against always; a refusal against indifference; a stance under a condition of which the other has none:
people say such things of one habit, so no score of these decides."""
_FAR: Final = 2
"""Steps of strength from which on two strengths are not one habit: sometimes (2), always (4)."""
NEVER: Final = 0
CONDITION: Final = "condition"
"""Named beside a stance that is taken under a condition alone: then a denial in words tells no more."""


def clash(a: Claim, b: Claim) -> tuple[float, tuple[str, ...]]:
    """How surely two stances on one object clash, 0 to 1, and by what.

    Wants against refuses does, also where it is only a little that is wanted, and "never" against any taking at all.
    """
    if a.stance is None or b.stance is None:
        return 0.0, ()
    low, high = sorted((a, b), key=lambda claim: claim.stance or 0)
    if low.stance == -1 and high.stance == 1:
        one_sided = _on_condition(a) != _on_condition(b)
        return (_WEAK, ("stance", CONDITION)) if one_sided else (1.0, ("stance",))
    if low.stance == -1 and high.stance == 0:
        return (1.0 if NEVER in (low.strength, high.strength) or high.strength else _WEAK), ("stance",)
    if a.stance == b.stance and a.strength is not None and b.strength is not None:
        if NEVER in (a.strength, b.strength) and a.strength != b.strength:
            return 1.0, ("strength",)
        if abs(a.strength - b.strength) >= _FAR:
            return _WEAK, ("strength",)
    return 0.0, ()


def _on_condition(claim: Claim) -> bool:
    """Whether the stance hangs on a condition; a quantity or frequency is none, nor is an allergy."""
    return bool(claim.constraint) and claim.strength is None and claim.stance == 1
