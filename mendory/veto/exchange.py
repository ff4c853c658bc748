"""Whether one text says of a name or number what the other says of another: 张三追李四, 李四追张三."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from mendory.language import Reading, Word

_LIKE = 0.5
"""Share of the words around the names that the texts must have in common, in one order. Measured on pairs of PAWS-X in
Chinese: of those in which names are exchanged at 0.5, 51 of 52 say different things."""
_AND = frozenset({"and", "or", "with", "和", "与", "跟", "及", "或", "、"})
_FEW = 24
"""Words of a text short enough for each of its words to be tried in the place of each other one."""
_WHO = ("person", "kin", "from", "to")


def exchanged(a: Reading, b: Reading) -> bool:
    """Whether two names have changed places, where the order of words says who does what (`Reading.turns`).

    Names with nothing but an "and" between them have not; nor have names that the same word follows, as in a choice
    between two schools. Of pronouns all other words must be the same: 我信你, 你信我.
    """
    if a.turns == b.turns and _two_changed(a, b):
        return True
    if a.turns is None or a.turns != b.turns:
        return False
    if _persons(a) != _persons(b) and sorted(_persons(a)) == sorted(_persons(b)) and _others(a) == _others(b):
        return True
    one, two = _line(a, b), _line(b, a)
    frame = _common([w.fold for w in one if not _named(w, a, b)], [w.fold for w in two if not _named(w, a, b)])
    if not frame:
        return False
    here, there = _places(one, frame, a, b), _places(two, frame, a, b)
    moved = [name for name in here.keys() & there.keys() if here[name][0] != there[name][0]]
    return any(
        here[x][0] == there[y][0] and here[y][0] == there[x][0] and here[x][1] != here[y][1]
        for x in moved
        for y in moved
        if x != y
    )


def _two_changed(a: Reading, b: Reading) -> bool:
    """Whether short texts differ in nothing but that two words stand in each other's place: 甲方付钱给乙方.

    Neighbours, and words with an "and" between them, have no places of their own; of names and of what is denied
    others tell (`exchanged`, polarity).
    """
    if len(a.words) > _FEW or a.asks or b.asks:
        return False
    if a.turns is not None:
        mine, yours = ("".join(word.text for word in reading.words) for reading in (a, b))
        return mine != yours and sorted(mine) == sorted(yours) and ("再" in mine or _changed(mine, yours))
    if len(a.words) != len(b.words):
        return False
    one, two = ([word.fold for word in reading.words] for reading in (a, b))
    moved = [at for at, fold in enumerate(one) if fold != two[at]]
    if len(moved) != 2 or one[moved[0]] != two[moved[1]] or one[moved[1]] != two[moved[0]]:
        return False
    first, last = moved
    between = {word.fold for word in a.words[first + 1 : last]}
    told = a.words[first].negated != b.words[last].negated or any(_named(a.words[at], a, b) for at in moved)
    return bool(between) and _AND.isdisjoint(between) and not told


def _changed(one: str, two: str) -> bool:
    """Whether one is XmY where the other is YmX, with the same around: 我借了小李的书, 小李借了我的书."""
    while one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    while one[0] == two[0]:
        one, two = one[1:], two[1:]
    for x in range(1, len(one) - 1):
        if two.endswith(one[:x]):
            for y in range(1, len(one) - x):
                middle = one[x : len(one) - y]
                if two == one[len(one) - y :] + middle + one[:x] and _AND.isdisjoint(middle):
                    return True
    return False


def redealt(a: Reading, b: Reading) -> bool:
    """Whether the same words have the same numbers in another order: 三只猫五只狗, 五只猫三只狗."""
    return (
        a.quantities != b.quantities
        and Counter(a.quantities) == Counter(b.quantities)
        and [w.fold for w in a.words if w.content] == [w.fold for w in b.words if w.content]
    )


def _persons(reading: Reading) -> list[str]:
    return [word.fold for word in reading.words if word.kind == "person"]


def _others(reading: Reading) -> list[str]:
    return [word.fold for word in reading.words if word.kind != "person"]


def _line(a: Reading, b: Reading) -> list[Word]:
    return [word for word in a.words if word.content or _named(word, a, b)]


def _named(word: Word, a: Reading, b: Reading) -> bool:
    return word.kind in _WHO or word.fold in a.names or word.fold in b.names


def _common(one: list[str], two: list[str]) -> list[str]:
    """The words both have in one order; none where they are less than `_LIKE` of the longer."""
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    frame = [one[at] for block in blocks for at in range(block.a, block.a + block.size)]
    return frame if len(frame) >= _LIKE * max(len(one), len(two)) else []


def _places(line: list[Word], frame: list[str], a: Reading, b: Reading) -> dict[str, tuple[int, str]]:
    """Of each name that stands in the line once: how much of the frame is before it, and what word follows."""
    found: dict[str, tuple[int, str]] = {}
    often: set[str] = set()
    met = 0
    for at, word in enumerate(line):
        if not _named(word, a, b):
            met += met < len(frame) and word.fold == frame[met]
        elif word.fold in found:
            often.add(word.fold)
        else:
            found[word.fold] = met, next((w.fold for w in line[at + 1 : at + 2]), "")
    return {name: place for name, place in found.items() if name not in often}
