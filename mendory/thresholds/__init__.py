"""Thresholds: from which score on two texts say the same, per embedding model and language.

No number serves two models: pairs that people rate as the same have a median cosine of .90 in one and .98 in
another. A threshold is shipped, calibrated by the owner of the table (`mendory calibrate`), or provisional: then it is
guessed from the table's own pairs, and whatever it merges goes to a person.
"""

from mendory.thresholds.found import LEAST, Found, Rate, at, lowest
from mendory.thresholds.lookup import Thresholds
from mendory.thresholds.model import TEXT_ALONE, Origin, Threshold, key
from mendory.thresholds.provisional import Spread, measure
from mendory.thresholds.shipped import shipped

__all__ = [
    "LEAST",
    "TEXT_ALONE",
    "Found",
    "Origin",
    "Rate",
    "Spread",
    "Threshold",
    "Thresholds",
    "at",
    "key",
    "lowest",
    "measure",
    "shipped",
]
