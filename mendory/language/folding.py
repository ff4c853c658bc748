"""Texts folded until spellings of one thing look alike: for proposing pairs, never for deciding about one."""

from __future__ import annotations

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
    text = simplified(unicodedata.normalize("NFKC", text)).casefold()
    kept = [ch if _kept(text, at) else " " for at, ch in enumerate(text)]
    return _joined("".join(kept))


_VALUE = frozenset("./:-+#%°$¥€£_@&*=<>~^²³")


def _kept(text: str, at: int) -> bool:
    """Whether the character belongs to what is said: a letter, a mark on one, a digit, or a sign that touches one."""
    ch = text[at]
    if ch.isalnum() or unicodedata.category(ch) in ("Mn", "Mc", "So"):
        return True
    if ch not in _VALUE and ch != ",":
        return False
    before, behind = text[at - 1 : at], text[at + 1 : at + 2]
    if ch in ",.:":  # "1,000", "3:00", "app.users"; at the end of a sentence it ends it
        return (before.isdigit() or ch == ".") and _plain(before) and _plain(behind) and (ch == "." or behind.isdigit())
    return _plain(before) or _plain(behind) or before in _VALUE - {""} or behind in _VALUE - {""}


def _plain(ch: str) -> bool:
    return ch.isascii() and ch.isalnum()


def _joined(text: str) -> str:
    """Words with one space between them, none between two Chinese characters."""
    parts = text.split()
    out: list[str] = []
    for part in parts:
        out.append(part if not out or (_chinese(out[-1][-1]) and _chinese(part[0])) else f" {part}")
    return "".join(out)


def _chinese(ch: str) -> bool:
    return "\u4e00" <= ch <= "\u9fff"
