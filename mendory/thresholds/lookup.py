"""Which threshold holds for a space and a language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mendory.thresholds.model import TEXT_ALONE, Origin, Threshold, key
from mendory.thresholds.provisional import Spread
from mendory.thresholds.shipped import UNKNOWN, shipped

_FLOOR_SHARE = 0.6
"""A pair of an unknown space is read from this share of the way between unrelated and same texts on: the shipped
floors lie there or above."""


class Thresholds:
    """The thresholds of one table: calibrated ones before shipped ones before provisional ones.

    `spread` is what the table's own pairs say, for spaces and languages of which nothing else is known.
    """

    def __init__(self, calibrated: Iterable[Threshold] = (), spread: Spread | None = None) -> None:
        known = {(t.space, t.language): t for t in shipped()}
        self._known = known | {(key(t.space), t.language): t for t in calibrated}
        self._spread = spread

    def of(self, space: str | None, language: str) -> Threshold:
        """The threshold of the space (a model's name; None or "" for texts without a vector) and language.

        Always one: where nothing is calibrated or shipped it is provisional, and its merges are for people. Without
        a `spread` a provisional one takes cosines as they are.
        """
        name = key(space or TEXT_ALONE)
        known = self._known.get((name, language))
        return known if known is not None else self._provisional(name, language)

    def _provisional(self, name: str, language: str) -> Threshold:
        """The strictest shipped threshold of the language, on the scale of the table's own pairs."""
        strict = max((t.value for t in shipped() if t.language == language), default=UNKNOWN)
        text = max((t.text_value for t in shipped() if t.language == language), default=UNKNOWN)
        guessed = Threshold(name, language, strict, Origin.PROVISIONAL, text)
        spread = self._spread
        if spread is None or name == TEXT_ALONE:
            return guessed
        unrelated, identical = spread.unrelated, spread.identical
        floor = max(unrelated + _FLOOR_SHARE * (identical - unrelated), spread.high)
        return replace(guessed, unrelated=unrelated, identical=identical, floor=min(floor, identical))
