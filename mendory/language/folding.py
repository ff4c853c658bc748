"""Texts folded until spellings of one thing look alike: for proposing pairs, never for deciding about one."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """The text case-folded, in full or half width the same.

    >>> fold("ＡＢＣ １２")
    'abc 12'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
