"""Whether two typed values can be one: equal, one wider than the other, or two that exclude each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mendory.language.claim import Value, ValueKind
from mendory.veto.names import one_name

_DATED = re.compile(r"^(?:\w+:[\w:.-]+)(?:,\w+:[\w:.-]+)*$")


def shared(a: Sequence[Value], b: Sequence[Value]) -> bool:
    """Whether a value of the one may be a value of the other: what a list has beside that is more information."""
    return any(one(x, y) for x in a for y in b)


def excluded(a: Sequence[Value], b: Sequence[Value]) -> bool:
    """Whether both have values and none of the one can be one of the other; values of other sorts tell nothing."""
    return bool(a and b) and not shared(a, b) and all(_comparable(x, y) for x in a for y in b)


def denies(denied: Sequence[Value], told: Sequence[Value]) -> bool:
    """Whether what is denied covers a value that is told: who does not live in Norway does not live in Oslo.

    Denied without a value is all of it; told without one is some of it.
    """
    if not denied or not told:
        return not denied
    return any(_covers(no, yes) and not _together(no, yes) for no in denied for yes in told)


def _together(a: Value, b: Value) -> bool:
    """Whether each of two lies in the other: who writes may sing, and neither is a kind of the other."""
    return a.text != b.text and a.text in b.within and b.text in a.within


def one(a: Value, b: Value) -> bool:
    """Whether two values may be one: equal in their one form, or the one is in the other, of which it tells less."""
    if a.number is not None and b.number is not None:
        return a.number == b.number and (a.unit == b.unit or "" in (a.unit, b.unit))
    if ValueKind.DATE in (a.kind, b.kind):
        return _dates(a.text, b.text)
    if ValueKind.PERSON in (a.kind, b.kind):
        return a.text == b.text or one_name(a.text, b.text)
    return _covers(a, b) or _covers(b, a)


def _covers(wide: Value, narrow: Value) -> bool:
    """Whether the one is the other or a class or place in which the other lies."""
    if wide.number is not None and narrow.number is not None:
        return one(wide, narrow)
    if wide.text == narrow.text or wide.text in narrow.within:
        return True
    return wide.kind is ValueKind.TERM and narrow.kind is ValueKind.TERM and _part(wide.text, narrow.text)


def _part(wide: str, narrow: str) -> bool:
    """Whether a term says less of the same: a teacher, a kindergarten teacher; 老师, 数学老师; 3.1, 3.1.4.

    A number is not part of a longer one: 3号 is not 13号.
    """
    if wide.isascii():
        return set(wide.split()) <= set(narrow.split()) or narrow.startswith(f"{wide}.")
    rest = len(narrow) - len(wide)
    if narrow.endswith(wide):
        return not (wide[0].isdecimal() and narrow[rest - 1 : rest].isdecimal())
    return narrow.startswith(wide) and not (wide[-1].isdecimal() and narrow[len(wide)].isdecimal())


def _dates(a: str, b: str) -> bool:
    """Whether two dates may be one: no part of the one is another in the other, and some part is the same."""
    one, two = _parts(a), _parts(b)
    both = one.keys() & two.keys()
    return a == b or (bool(both) and all(one[part] == two[part] for part in both))


def _parts(date: str) -> dict[str, str]:
    """A date by its parts: "day:3,month:5", "2026-05-03" and "05-03" name them; any other text is one part."""
    if _DATED.match(date):
        return {kind: value.lstrip("0") for kind, _, value in (part.partition(":") for part in date.split(","))}
    numbers = [number.lstrip("0") for number in date.strip("-").split("-")]
    if not all(number.isdecimal() for number in numbers) or not 1 < len(numbers) < 4:
        return {"text": date}
    named = ("year", "month", "day") if len(date.strip("-").split("-")[0]) == 4 else ("month", "day")
    return dict(zip(named, numbers, strict=False))


def _comparable(a: Value, b: Value) -> bool:
    """Whether it can be told that two values are two: numbers of one unit, dates with a part in common."""
    if a.number is not None and b.number is not None:
        return a.unit == b.unit or "" in (a.unit, b.unit)
    if ValueKind.DATE in (a.kind, b.kind):
        return bool(_parts(a.text).keys() & _parts(b.text).keys())
    return a.kind is b.kind
