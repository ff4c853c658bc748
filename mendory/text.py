"""Text keys for exact comparison, the same for every language.

Nothing here strips punctuation or folds width: "1.5" and "15", "3:00" and "300" must stay apart.
"""

from __future__ import annotations

import re
import unicodedata

_NUMBER = re.compile(
    # a run that starts or ends with a numeral, with the unit written right behind it
    r"[^\W\d_]*[\d０-９][\w.,:/%°+\-‐-―²³¹⁰-₟]*(?:\s?(?:[^\W\d_]{1,3}\b|[%‰°℃℉€£¥$]))?",
    re.UNICODE,
)
_CJK_NUMBER = re.compile(r"[〇零一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟]+")


def exact_key(text: str) -> str:
    """The text under which two memories count as saying literally the same.

    NFC, case-folded, every run of white space one space, ends stripped; nothing more (design §5).

    >>> exact_key("  Likes\\u00a0 TEA ") == exact_key("likes tea")
    True
    >>> exact_key("10²") == exact_key("102")
    False
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def numbers_as_written(text: str) -> tuple[str, ...]:
    """Every number with its unit, letter case and all, in order of appearance.

    Case-folding makes "5 MW" and "5 mW" one key although they differ by nine orders of magnitude;
    this keeps them apart. Chinese numerals count as numbers.

    >>> numbers_as_written("Load 5 MW, v1.2")
    ('5 MW', 'v1.2')
    >>> numbers_as_written("每天喝三杯")
    ('三',)
    """
    text = unicodedata.normalize("NFC", text)
    spaced = [" ".join(m.group().split()).rstrip(".,:;") for m in _NUMBER.finditer(text)]
    return (*spaced, *(m.group() for m in _CJK_NUMBER.finditer(text)))


def is_blank(text: str | None) -> bool:
    """True for None, the empty string, and text of only white space or invisible characters."""
    if text is None:
        return True
    return all(ch.isspace() or unicodedata.category(ch) in ("Cf", "Cc") for ch in text)
