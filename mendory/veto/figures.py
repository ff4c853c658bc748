"""Whether quantities and dates of two texts clash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mendory.language import Quantity, Reading
from mendory.veto.compare import SHORT, signs


def quantities(a: Reading, b: Reading) -> tuple[bool, bool]:
    """Whether numbers clash, each text having one of a unit that the other lacks; and whether their units do.

    Units clash where one number has two, and in short texts where each has one quantity and they measure other things.
    """
    if not a.quantities or not b.quantities or a.quantities == b.quantities:
        return False, False
    ours, theirs = Counter(a.quantities), Counter(b.quantities)
    mine, yours = list(ours - theirs), list(theirs - ours)
    if not mine or not yours:
        return False, False
    one, two = {quantity.unit for quantity in mine}, {quantity.unit for quantity in yours}
    if one & two:
        return True, False
    alone = len(a.quantities) == len(b.quantities) == 1 and "" not in one | two
    short = max(len(signs(a)), len(signs(b))) <= SHORT
    return False, (alone and short) or _one_number_two_units(mine, yours)


def _one_number_two_units(mine: Iterable[Quantity], yours: Iterable[Quantity]) -> bool:
    theirs = {quantity.value: quantity.unit for quantity in yours if quantity.unit}
    return any(q.unit and theirs.get(q.value, q.unit) != q.unit for q in mine)


def dates(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether each has a day, weekday, month, year or time of a kind of which the other has another."""
    return bool({day.partition(":")[0] for day in a - b} & {day.partition(":")[0] for day in b - a})
