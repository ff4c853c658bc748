"""How two texts stand to each other by their words alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from mendory.contradiction.differences import Differences, differences
from mendory.contradiction.features import features
from mendory.contradiction.model import DECIDES, Compared, Relation
from mendory.contradiction.scoring import Weights, probability, scaled, shipped, terms
from mendory.contradiction.texts import Read, read
from mendory.text import letters

LIKELY = 0.02
"""From this score on a pair is named a conflict at all; below it the words tell nothing."""
_BELOW = 0.49
_DECIDES = min(DECIDES.values())
SAME_WORDS = 0.6
"""The least score of two texts of the same words in one order, of which one denies what the other says.

Of such pairs in the tuning halves of English sets 137 of 141 (sick) and 676 of 676 (cannot) are contradictions. In
Chinese there are too few to count, so there not a word may differ but those of `_DENYING`.
"""
_DENYING = frozenset("不没有未并是的了过会也他她它") | {"没有", "不是", "从不", "从来", "从来不"}
"""Chinese words that come and go with a denial, or say again of whom it is."""


def compare_texts(a: str, b: str, cosine: float | None, weights: Mapping[str, Weights] | None = None) -> Compared:
    """The relation of two raw texts by words, and by their calibrated cosine where it is known.

    APART where they are about different people or hold in different scenes; EXCEPTION where one denies for a scene
    what the other says of the same thing in general. A conflict reaches the score that decides (`DECIDES`) only where
    one denies what the other says of one thing (`Differences.decisive`). Cost: the product of the lengths.
    """
    one, two = read(a), read(b)
    if one is None or two is None or one.language.code != two.language.code or letters(a) == letters(b):
        return Compared(Relation.UNKNOWN, 0.0)
    held = (shipped() if weights is None else weights).get(one.language.code)
    if held is None:
        return Compared(Relation.UNKNOWN, 0.0)
    clash = differences(one, two)
    if clash.strangers:
        return Compared(Relation.APART, 0.0, ("owner",))
    seen = features(one, two, clash)
    why = _why(clash) or (("replaced",) if seen["replaced_only"] else ())
    if not why:
        return Compared(Relation.UNKNOWN, 0.0)
    found = terms(seen, clash, cosine)
    coefficients = held.alone if cosine is None else held.with_cosine
    decides = held.decides_alone if cosine is None else held.decides
    score = scaled(probability(found, coefficients), decides)
    if not clash.decisive:
        score = below(score)
    elif clash.denied and one.content == two.content and (one.language.code != "zh" or _bare(one, two)):
        score = max(score, SAME_WORDS)
    narrower = _narrower(one, two)
    if clash.polarity and narrower is not None and _of_one_thing(one, two):
        return Compared(Relation.EXCEPTION, score, (*why, "scene"), narrower=narrower)
    if score < LIKELY:
        return Compared(Relation.UNKNOWN, score, why)
    return Compared(Relation.CONFLICT, score, why)


def _of_one_thing(one: Read, two: Read) -> bool:
    """Whether two texts have a word of content in common that is no word of their scenes."""
    scenes = {word for held in (one, two) for scene in held.reading.scenes for word in scene.split()}
    return bool(set(one.content) & set(two.content) - scenes)


def _bare(one: Read, two: Read) -> bool:
    """Whether two Chinese texts differ in no word but those by which one denies the other."""
    return not ((one.folds ^ two.folds) - _DENYING)


def below(score: float) -> float:
    """The score of what words may not decide: as it is up to just below what decides, and in its order there."""
    return score if score < _BELOW else _BELOW + (score - _BELOW) * (_DECIDES - _BELOW) * 0.99 / (1 - _BELOW)


def _narrower(a: Read, b: Read) -> int | None:
    """The side that alone names a scene, where the other says nothing of it."""
    if bool(a.reading.scenes) == bool(b.reading.scenes):
        return None
    return 0 if a.reading.scenes else 1


def _why(clash: Differences) -> tuple[str, ...]:
    """What clashes, by the names of `Differences`."""
    told = ("owner", "scene", "open", "dated", "elsewhere", "strangers")
    return tuple(f.name for f in fields(clash) if f.name not in told and getattr(clash, f.name))
