"""Whether all that two texts say is that one thing is liked and another refused."""

from __future__ import annotations

from collections.abc import Sequence

from mendory.contradiction.texts import Read, read
from mendory.language.claim import Claim, first_preference


def of_two_things(a: str, b: str, claims: tuple[Sequence[Claim], Sequence[Claim]]) -> bool:
    """Whether one of two sentences likes something, the other refuses something, and neither speaks of the other's.

    Who likes classical music may be tired of pop music, though one text denies what the other says of music. Of texts
    of several sentences it is not said, since the rest may tell.
    """
    one, two = map(first_preference, claims)
    if one is None or two is None or one.subject != two.subject or one.stance == two.stance:
        return False
    left, right = read(a), read(b)
    if left is None or right is None or not (_one_sentence(left, a) and _one_sentence(right, b)):
        return False
    return not (_speaks_of(left, a, two.about) or _speaks_of(right, b, one.about))


def _one_sentence(known: Read, text: str) -> bool:
    return len(known.language.sentences(text)) == 1


def _speaks_of(known: Read, text: str, about: str) -> bool:
    """Whether a text holds all words of an object."""
    return set(about.split()) <= set(known.content) if about.isascii() else about in text
