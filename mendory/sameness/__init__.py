"""Whether two texts say the same: how sure their words and vectors make it, and whether anything speaks against.

A score never overrules a veto. What a score is worth is a matter of the threshold it is held against.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from mendory.claims import claims_in
from mendory.language import Language, Reading, language_of
from mendory.sameness.features import Side, features
from mendory.sameness.model import probability, shipped
from mendory.sameness.wishes import apart
from mendory.thresholds import Threshold
from mendory.veto import Veto, vetoes_of

__all__ = ["Judgement", "judge", "score"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether two texts say the same, how sure the score is (0..1), and what speaks against; never same with a veto."""

    same: bool
    score: float
    vetoes: tuple[Veto, ...]


@dataclass(frozen=True, slots=True)
class _Read:
    language: Language
    reading: Reading
    side: Side


def score(a: Reading, b: Reading, cosine: float | None) -> float:
    """How sure two texts of one language say the same, in 0..1; the same for (b, a), never lower for a higher cosine.

    `cosine` is calibrated (`Threshold.calibrated`); None for texts without a vector. 1 where both are the same words.
    Cost: the product of the lengths in words.
    """
    return 1.0 if a == b else _score(Side.of(a), Side.of(b), a.language, cosine)


def judge(a: str, b: str, cosine: float | None, threshold: Threshold) -> Judgement:
    """Whether two texts say the same, by a threshold of their language and of the space of the cosine.

    `cosine` is as measured; None where one has no vector: then words alone decide. Texts that no language reads, or
    that two languages read, are never the same; nor are two that would be, but like or refuse two things (`apart`).
    """
    left, right = _read(a), _read(b)
    if left is None or right is None or left.language.code != right.language.code:
        return Judgement(False, float(a == b), (Veto.LANGUAGE,))
    against = vetoes_of(left.reading, right.reading, left.language)
    if left.reading == right.reading:
        sure = 1.0
    else:
        held = None if cosine is None else threshold.calibrated(cosine)
        sure = _score(left.side, right.side, left.language.code, held)
    value = threshold.text_value if cosine is None else threshold.value
    if not against and sure >= value and apart(claims_in(a), claims_in(b)):
        against = (Veto.NAME,)
    return Judgement(not against and sure >= value, sure, against)


def _score(a: Side, b: Side, language: str, cosine: float | None) -> float:
    weights = shipped()
    return probability(features(a, b), cosine, weights.get(language) or weights[""])


@lru_cache(maxsize=4096)
def _read(text: str) -> _Read | None:
    """What is read in a text; kept for a while, since a text is compared with several."""
    language = language_of(text)
    if language is None:
        return None
    reading = language.read(text)
    return _Read(language, reading, Side.of(reading))
