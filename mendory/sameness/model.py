"""How sure two texts say the same: a logistic model over features, one for short texts and one for long ones.

Texts of some words differ by one that matters; in long ones the order tells more than any word. A pair is
scored by a mixture of both, by the length of its shorter text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import exp
from typing import Any, Final

from mendory.sameness.features import NAMES

SHORT: Final = 0.45
"""Up to this value of the feature `long` (5 words) a text is short."""
LONG: Final = 0.7
"""From this value on (16 words) it is long."""
HINGES: Final = (0.75, 0.88)
"""Calibrated cosines from which on a further step says more than one below did."""
_WITH_COSINE: Final = tuple(NAMES.index(n) for n in ("longer_covered", "letters", "bigrams", "order"))
_LETTERS, _ORDER, _LONG = (NAMES.index(n) for n in ("letters", "order", "long"))
ALL_WORDS: Final = 0.9
MIRRORED: Final = 0.3
"""With as many words in common, two names, numbers or persons that changed places say who does what to whom: "from Oslo
to Rome". In the Chinese sets 43 of 50 such pairs are labelled different. They score no higher than this, whatever their
vectors say: those hardly see an order.
"""
_WORDS = NAMES.index("words")
_TURNED: Final = tuple(NAMES.index(n) for n in ("names_turned", "numbers_turned", "persons_turned"))
TEXT_TERMS: Final = len(NAMES) + 2
COSINE_TERMS: Final = 1 + len(HINGES) + len(_WITH_COSINE)


@dataclass(frozen=True, slots=True)
class Weights:
    """Coefficients of `terms`, with a cosine and without one, for short and for long texts."""

    short: tuple[float, ...]
    long: tuple[float, ...]
    short_text: tuple[float, ...]
    long_text: tuple[float, ...]


def terms(features: Sequence[float], cosine: float | None) -> tuple[float, ...]:
    """What is weighed: 1, the features, letters in one order, and the calibrated cosine alone and with four features.

    No term falls as the cosine grows, and no coefficient of one is negative: nor does the score.
    """
    text = (1.0, *features, features[_LETTERS] * features[_ORDER])
    if cosine is None:
        return text
    steps = (max(cosine - at, 0.0) for at in HINGES)
    return (*text, cosine, *steps, *(cosine * features[i] for i in _WITH_COSINE))


def mixture(features: Sequence[float]) -> float:
    """How long the pair counts, 0 for short and 1 for long."""
    return min(max((features[_LONG] - SHORT) / (LONG - SHORT), 0.0), 1.0)


def mirrored(features: Sequence[float]) -> bool:
    """Whether the texts have the same words, and two names, numbers or persons in each other's place."""
    return features[_WORDS] >= ALL_WORDS and any(features[i] for i in _TURNED)


def probability(features: Sequence[float], cosine: float | None, weights: Weights) -> float:
    """How sure it is, in 0..1, that texts with these features say the same."""
    short, long = (weights.short, weights.long) if cosine is not None else (weights.short_text, weights.long_text)
    part = mixture(features)
    total = sum(x * ((1 - part) * s + part * w) for x, s, w in zip(terms(features, cosine), short, long, strict=True))
    sure = 1 / (1 + exp(-min(max(total, -30.0), 30.0)))
    return min(sure, MIRRORED) if mirrored(features) else sure


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Weights]:
    """The coefficients that come with Mendory, by language; "" for languages without their own.

    Made by `python -m bench.quality.fit`; weights.json says from which pairs.
    """
    data: dict[str, Any] = json.loads(resources.files("mendory.sameness").joinpath("weights.json").read_text("utf-8"))
    names = ("short", "long", "short_text", "long_text")
    return {code: Weights(*(tuple(held[name]) for name in names)) for code, held in data["languages"].items()}
