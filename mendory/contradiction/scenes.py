"""How the scenes of two claims stand to each other: where and when each is said to hold."""

from __future__ import annotations

from collections.abc import Set
from enum import StrEnum

from mendory.language.claim import HOUR, WEEKDAY


class Scenes(StrEnum):
    """Where two claims hold, seen together."""

    SAME = "same"
    """Both everywhere, or in scenes that overlap."""
    FIRST_NARROWER = "first"
    """The first in a scene, the second in general."""
    SECOND_NARROWER = "second"
    APART = "apart"
    """In scenes that have nothing in common."""


def scenes(a: Set[str], b: Set[str]) -> Scenes:
    """How two sets of scenes stand to each other; () holds everywhere.

    What holds at other times of the day or the week is apart; a time of one alone makes it no narrower: who never
    drinks coffee does not drink it every morning.
    """
    for kind in (HOUR, WEEKDAY):
        times = [{scene for scene in side if scene.startswith(kind)} for side in (a, b)]
        if all(times) and times[0].isdisjoint(times[1]):
            return Scenes.APART
        a, b = a - times[0], b - times[1]
    if bool(a) != bool(b):
        return Scenes.FIRST_NARROWER if a else Scenes.SECOND_NARROWER
    return Scenes.SAME if not a or any(_overlap(one, two) for one in a for two in b) else Scenes.APART


def _overlap(a: str, b: str) -> bool:
    """Half the words of the longer in the other: "business dinner", "dinner"; 商务宴请, 宴请."""
    if not a.isascii() or not b.isascii():
        return a in b or b in a
    one, two = set(a.split()), set(b.split())
    return 2 * len(one & two) >= max(len(one), len(two))
