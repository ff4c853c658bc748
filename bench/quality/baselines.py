"""What everybody has at hand: overlap of words or characters, and cue words of a contradiction."""

from __future__ import annotations

import re
from typing import Final

JACCARD: Final = {"en": 0.5, "zh": 0.4}
"""From which overlap two texts are called the same: words of English, pairs of characters of Chinese."""
COSINE: Final = 0.92

_WORD: Final = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_MARK: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION: Final = {
    "en": re.compile(r"n't\b|\b(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot)\b", re.IGNORECASE),
    "zh": re.compile(r"不|没|无|未|别|非|勿"),
}
_OPPOSITE: Final = {
    "en": (
        ("love", "hate"), ("like", "dislike"), ("like", "hate"), ("always", "never"), ("married", "single"),
        ("man", "woman"), ("boy", "girl"), ("open", "close"), ("up", "down"), ("hot", "cold"), ("young", "old"),
        ("true", "false"), ("good", "bad"), ("big", "small"), ("before", "after"), ("increase", "decrease"),
    ),
    "zh": (
        ("喜欢", "讨厌"), ("爱", "恨"), ("男", "女"), ("上", "下"), ("大", "小"), ("多", "少"), ("前", "后"),
        ("左", "右"), ("好", "坏"), ("开", "关"), ("买", "卖"), ("增", "减"), ("高", "低"), ("早", "晚"),
    ),
}  # fmt: skip
_OVERLAP: Final = 0.05
"""Cue words count only between texts that share this much; a negation between strangers says nothing."""


def parts(text: str, language: str) -> frozenset[str]:
    """The words of a text; of Chinese its pairs of characters, or the one character there is."""
    if language != "zh":
        return frozenset(_WORD.findall(text.lower()))
    held = _MARK.sub("", text.lower())
    return frozenset(held[at : at + 2] for at in range(max(1, len(held) - 1)))


def jaccard(a: str, b: str, language: str) -> float:
    """Shared parts over all parts, 0 to 1."""
    one, other = parts(a, language), parts(b, language)
    return len(one & other) / len(one | other) if one or other else 0.0


def cues(a: str, b: str, language: str) -> bool:
    """Whether cue words alone tell a contradiction: one side negated, an opposite, or other numbers."""
    if jaccard(a, b, language) < _OVERLAP:
        return False
    key = "zh" if language == "zh" else "en"
    negated = [len(_NEGATION[key].findall(text)) % 2 for text in (a, b)]
    numbers = [sorted(_NUMBER.findall(text)) for text in (a, b)]
    return negated[0] != negated[1] or (all(numbers) and numbers[0] != numbers[1]) or _opposite(a, b, key)


def _opposite(a: str, b: str, key: str) -> bool:
    one, other = (set(_WORD.findall(text.lower())) if key == "en" else text for text in (a, b))
    for left, right in _OPPOSITE[key]:
        for here, there in ((one, other), (other, one)):
            if left in here and right in there and right not in here and left not in there:
                return True
    return False
