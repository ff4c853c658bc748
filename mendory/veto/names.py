"""Whether two texts name different things: by names, by words of one kind, or in one place of a sentence."""

from __future__ import annotations

from mendory.language import Reading
from mendory.veto.compare import SHORT, oftener, parts, replaced, said, signs

_HARDLY = 2
"""Words of content that are hardly any difference between two long texts."""

_OF_A_PLACE = ("an", "ese", "ish")
"""Endings that make of the name of a place what belongs to it: Mexico, Mexican."""


def names(a: Reading, b: Reading) -> bool:
    """Whether each names something that the other neither names nor mentions.

    In long texts only where the names stand in one place, or where hardly anything else differs.
    """
    ours, theirs = _unnamed(a, b), _unnamed(b, a)
    if not ours or not theirs:
        return False
    one, two = signs(a).keys(), signs(b).keys()
    if max(len(one), len(two)) <= SHORT:
        return True
    mine, yours = parts(ours), parts(theirs)
    if len((one ^ two) - mine - yours) <= _HARDLY:
        return True
    return any(left & mine and right & yours for left, right in replaced(a, b))


def _unnamed(a: Reading, b: Reading) -> list[str]:
    said = {word.fold for word in b.words} | {word.text.lower() for word in b.words}
    return [
        name
        for name in a.names
        if not any(one_name(name, other) for other in b.names) and not said.issuperset(name.split())
    ]


def one_name(a: str, b: str) -> bool:
    """Whether two names may be of one thing: all words of the shorter are in the longer, or it is its initials."""
    short, long = sorted((a.split(), b.split()), key=lambda words: (len(words), words))
    if all(any(_one_word(part, other, len(long)) for other in long) for part in short):
        return True
    letters = "".join(part[0] for part in long)
    return len(short) == 1 and len(long) > 1 and short[0] in (letters, letters.replace("o", ""))


def _one_word(a: str, b: str, words: int) -> bool:
    """The same word of a name, or a form of it: Iraq and Iraqi, Italy and Italian; Tim and Timothy beside others."""
    if a == b:
        return True
    least = 3 if words > 1 else 4
    if not (a.isalpha() and b.isalpha()) or a[:least] != b[:least]:
        return False
    return (
        a.startswith(b)
        or b.startswith(a)
        or (len(a) > 4 < len(b) and a.endswith(_OF_A_PLACE) != b.endswith(_OF_A_PLACE))
    )


def kinds(a: Reading, b: Reading) -> bool:
    """Whether each has, in the same place, a word of one kind that the other lacks: red for blue."""
    if not {word.kind for word in a.words if word.kind} & {word.kind for word in b.words if word.kind}:
        return False
    ours, theirs = oftener(a, b)
    one = [word for word in a.words if word.kind and word.fold in ours]
    two = [word for word in b.words if word.kind and word.fold in theirs]
    if not {word.kind for word in one} & {word.kind for word in two}:
        return False
    kind = {word.fold: word.kind for word in (*one, *two)}
    return any(
        {kind[fold] for fold in left if fold in kind} & {kind[fold] for fold in right if fold in kind}
        for left, right in replaced(a, b)
    )


def slots(a: Reading, b: Reading) -> bool:
    """Whether short texts fill one place with other words, of which the other text says none: Redis for ….

    Names in such a place are judged as names.
    """
    ours, theirs = dict(a.slots), dict(b.slots)
    both = ours.keys() & theirs.keys()
    if not both or max(said(a), said(b)) > SHORT:
        return False
    one, two = {word.fold for word in a.words}, {word.fold for word in b.words}
    if one == two:  # the same words in other places: from Oslo to Bergen, from Bergen to Oslo
        return any(ours[place].isdisjoint(theirs[place]) for place in both)
    named = parts(a.names) | parts(b.names)
    return any(
        ours[place].isdisjoint(two) and theirs[place].isdisjoint(one) and not ours[place] | theirs[place] <= named
        for place in both
    )
