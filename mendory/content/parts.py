"""Keys by which the parts of a compound text and texts that say one part alone are the same.

"Prefers short replies, tea and dark mode" has three parts; "Likes tea" says one of them. Only words as written count,
in their order: a negation, a number or a name more is another key.
"""

from __future__ import annotations

import re
from typing import Final

MOST_CHARACTERS: Final = 240
MOST_OF_A_PART: Final = 64
_MOST_PARTS: Final = 8
_MOST_WORDS: Final = 7
_MOST_HAN: Final = 14
_HEADS: Final = 3
_HAN: Final = re.compile("[\u3400-\u9fff]")
_SPACED: Final = str.maketrans(dict.fromkeys('.!?"“”„()[]*_。！？「」『』《》（）\t\n\r\u3000', " "))
_PARTED: Final = {**_SPACED, **str.maketrans(dict.fromkeys(",;，、；\n", "\n"))}
_ZH_LISTED: Final = re.compile(r"以及|还有|[和与及跟]")
_EN_SUBJECT: Final = frozenset(
    {"the", "user", "i", "he", "she", "they", "we", "you", "a", "an", "also", "really", "usually"}
)
_EN_LIKES: Final = frozenset(
    {
        "prefer",
        "prefers",
        "like",
        "likes",
        "love",
        "loves",
        "enjoy",
        "enjoys",
        "want",
        "wants",
        "appreciate",
        "appreciates",
    }
)
_ZH_HEAD: Final = re.compile(
    "(?:用户|我|他|她|你|您)?(?:也|还|很|最|更|比较|非常|特别|平时|一般|通常)?(?P<likes>喜欢|喜爱|偏好|偏爱|更爱|最爱|爱|想要|希望|倾向于?)?"
)


def core(text: str) -> str | None:
    """The key of a text that says one thing: without its subject, with + before what somebody likes or wants.

    None for texts of more than 64 characters, of several parts, or of nothing else.

    >>> core("The user likes tea."), core("喜欢喝茶"), core("Dislikes tea"), core("Tea, coffee")
    ('+tea', '+喝茶', '=dislikes tea', None)
    """
    if len(text) > MOST_OF_A_PART or not _one(text):
        return None
    return _key(text.casefold().translate(_SPACED).strip(" :：-"))


def _one(text: str) -> bool:
    return not any(mark in text for mark in ",;，、；\n")


def _key(text: str) -> str | None:
    """The key of folded text."""
    if _HAN.search(text):
        return _chinese_key(text.replace(" ", ""))
    words, likes = text.split(), False
    at = 0
    while at < len(words) - 1 and words[at] in _EN_SUBJECT:
        at += 1
    if at < len(words) - 1 and words[at] in _EN_LIKES:
        at, likes = at + 1, True
        at += at < len(words) - 1 and words[at] in ("to", "the", "a", "an")
    elif at < len(words) - 1 and words[at] in ("to", "the", "a", "an"):
        at += 1
    rest = words[at:]
    return f"{'+' if likes else '='}{' '.join(rest)}" if rest and len(rest) <= _MOST_WORDS else None


def _chinese_key(text: str) -> str | None:
    head = _ZH_HEAD.match(text)
    assert head is not None  # all of it may be absent
    said = text[head.end() :] or text
    return f"{'+' if head['likes'] else '='}{said}" if len(said) <= _MOST_HAN else None


def parts(text: str) -> tuple[frozenset[str], ...]:
    """For each part of a compound text the keys under which another text may say it; empty where it is none.

    What stands before the list counts for each part: its first words or characters are put before the part as well.

    >>> ["+tea" in keys for keys in parts("Prefers short replies, tea and dark mode")]
    [False, True, False]
    >>> "=speaks dutch" in parts("Speaks German, French and Dutch")[2]
    True
    """
    if not 6 <= len(text) <= MOST_CHARACTERS or (_one(text) and " and " not in text and not _ZH_LISTED.search(text)):
        return ()
    folded = text.casefold().translate(_PARTED).replace(" and ", "\n").replace(" & ", "\n")
    said = [one.strip(" :：-") for one in folded.split("\n")]
    if _HAN.search(folded):
        said[-1:] = _ZH_LISTED.split(said[-1])
    said = [one for one in said if one]
    if not 2 <= len(said) <= _MOST_PARTS or max(map(len, said)) > MOST_OF_A_PART:
        return ()
    keys = [key for one in said if (key := _key(one))]
    if len(keys) < len(said):
        return ()
    first, *others = keys
    chinese = bool(_HAN.search(first))
    found = [frozenset({first})]
    for alone in others:
        ways = {alone}
        if first[0] == "+":
            ways.add(f"+{alone[1:]}")
        ways |= {f"{first[0]}{head}{alone[1:]}" for head in _heads(first[1:], chinese)}
        found.append(frozenset(ways))
    return tuple(found)


def _heads(first: str, chinese: bool) -> list[str]:
    """The beginnings of a list's first part that may hold for all its parts."""
    if chinese:
        return [first[:size] for size in range(1, min(_HEADS, len(first) - 1) + 1)]
    words = first.split()
    return [" ".join(words[:size]) + " " for size in range(1, min(_HEADS, len(words) - 1) + 1)]
