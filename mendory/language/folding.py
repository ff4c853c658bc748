"""Texts folded until spellings of one thing look alike: for proposing pairs, never for deciding about one."""

from __future__ import annotations

import re
import unicodedata

from mendory.language.writing import simplified


def fold(text: str) -> str:
    """The text in one width, one letter case and simplified characters, without punctuation and runs of space.

    Punctuation stays where it is part of a value: within a number and beside digits or letters ("1.5", "v2.3.1",
    "a/b", "-3", "c++", "#260"). Spaces between Chinese characters go. What folds alike is proposed as a pair, and
    decided about as written. Folding what is folded changes nothing.

    >>> fold("ＡＢＣ，１２！ 項目 甲"), fold("abc 12 项目甲")
    ('abc 12 项目甲', 'abc 12 项目甲')
    """
    text = unicodedata.normalize("NFKC", simplified(unicodedata.normalize("NFKC", text)).casefold())
    signs = {at for match in _VALUE.finditer(text) for at in range(*match.span())}
    kept = [ch if at in signs or _letter(ch) else " " for at, ch in enumerate(text)]
    return _joined("".join(kept))


_SIGN = r"[/\-+#%°$¥€£_@&*=<>~^]"
_VALUE = re.compile(
    r"(?<=[0-9a-z])\.(?=[0-9a-z])|(?<=[0-9])[,:](?=[0-9])"
    rf"|(?<=[0-9a-z]){_SIGN}++|(?<!{_SIGN}){_SIGN}++(?=[0-9a-z])"
)
"""Signs that are part of a value."""


def _letter(ch: str) -> bool:
    """A letter, a digit, a mark on one, or a picture."""
    return ch.isalnum() or unicodedata.category(ch) in ("Mn", "Mc", "So")


def _joined(text: str) -> str:
    """Words with one space between them, none between two Chinese characters."""
    return _BETWEEN.sub("", " ".join(text.split()))


_BETWEEN = re.compile("(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
