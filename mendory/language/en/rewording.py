"""An English text in pieces and in other words."""

from __future__ import annotations

import re
from typing import Final

from mendory.language.en.forms import SYNONYMS
from mendory.language.en.lists import FUNCTION

_PIECE: Final = re.compile(r"\S+\s*")
_WORD: Final = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_FRAMES: Final = ("do you remember whether {}?", "is it so that {}?", "what about {}, is that right?")
_CHANGED: Final = {
    "i": "the user",
    "i'm": "the user is",
    "i've": "the user has",
    "my": "the user's",
    "me": "the user",
    "a": "",
    "an": "",
    "the": "",
    "and": "as well as",
    "doesn't": "does not",
    "don't": "do not",
    "isn't": "is not",
    "can't": "can not",
    "won't": "will not",
    "didn't": "did not",
}
"""Function words for function words, articles left out; a negation stays one."""


def pieces(text: str) -> tuple[str, ...]:
    """The words, each with what stands behind it.

    >>> pieces("Likes tea, never coffee.")
    ('Likes ', 'tea, ', 'never ', 'coffee.')
    """
    return tuple(_PIECE.findall(text.strip()))


def rewordings(text: str) -> tuple[str, ...]:
    """The text as questions with other words of its meanings.

    >>> rewordings("I like my new sofa.")[0]
    "do you remember whether the user love the user's new couch?"
    """
    said = _WORD.sub(lambda found: _other(found.group()), text.strip().rstrip(".!?;"))
    said = " ".join(said.split())
    return tuple(frame.format(said) for frame in _FRAMES)


def _other(word: str) -> str:
    low = word.lower().replace("’", "'")
    if low in _CHANGED:
        return _CHANGED[low]
    if low in FUNCTION:
        return low
    if word[0].isupper():
        return word
    if low in SYNONYMS:
        return SYNONYMS[low]
    return f"{SYNONYMS[low[:-1]]}s" if low.endswith("s") and low[:-1] in SYNONYMS else word
