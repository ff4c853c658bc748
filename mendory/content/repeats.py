"""The same thing said several times within one text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from mendory.text import exact_key

SHARE: Final = 0.3
"""How much of a text must be repetition: a refrain or a closing formula stays below."""
_STRONG: Final = re.compile(r"[;；。！？\n]+|[.!?]+(?:\s+|$)")
_WEAK: Final = re.compile(r"[,，、;；。！？\n/|]+|[.!?]+(?:\s+|$)|\s+and\s+")
_MARK: Final = re.compile(r"^[\s\-*•·>]+|^\d{1,3}[.)、]\s*|[\s\"'“”‘’「」.。!！?？,，;；]+$")
_CUT: Final = str.maketrans(dict.fromkeys(",，、;；。.！!？?\n/|", "\n"))
_BLANKS: Final = re.compile(r"[^\S\n]+")
_AROUND: Final = " \r-*•·>\"'“”‘’「」()（）0123456789"
_WORD: Final = re.compile(r"[^\W\d_]+")
_HAN: Final = re.compile("[\u3400-\u9fff\u3041-\u30ff]")
_TABLE: Final = re.compile(r"```|^\s*\|.*\|\s*$|\t", re.MULTILINE)
_READS: Final = 20_000
_LINES_OF_A_VERSE: Final = 4
_LINE_OF_A_VERSE: Final = 60


@dataclass(frozen=True, slots=True)
class Repeated:
    """In how many parts a text is, how many of them were said before in it, and which share of it those are."""

    parts: int
    again: int
    share: float


def repeated(text: str) -> Repeated | None:
    """How a text repeats itself; None where it does not, or only words, refrains, table cells or numbers.

    A part counts from two words or four Chinese characters on; between commas or nothing from three words on.

    >>> repeated("Lives in Oslo; Lives in Oslo; Lives in Oslo")
    Repeated(parts=3, again=2, share=0.67)
    >>> repeated("No, no, no"), repeated("Room 3; Room 4")
    (None, None)
    """
    text = text[:_READS]
    lines = text.casefold()
    key = " ".join(lines.split())
    if len(key) < 8:
        return None
    if "  " in lines or "\t" in lines:
        lines = _BLANKS.sub(" ", lines)
    # what is said again between separators is said again between these; spares nearly every text the expressions
    cut = [one for part in lines.replace(" and ", "\n").translate(_CUT).split("\n") if (one := part.strip(_AROUND))]
    told = _in_parts(text) if len(set(cut)) < len(cut) else None
    told = told or _in_a_row(key)
    return None if told is None or _TABLE.search(text) else told


def _in_parts(text: str) -> Repeated | None:
    parts = _parts(_STRONG, text)
    if len(parts) > 1 and len(set(parts)) < len(parts):
        return _strong(text, parts)
    # between weaker separators all must be one: a list may well name a thing twice
    parts = _parts(_WEAK, text)
    one = len(parts) > 1 and len(set(parts)) == 1
    return _told(parts) if one and _states(parts[0], 3, 5 if len(parts) == 2 else 4) else None


def _strong(text: str, parts: list[str]) -> Repeated | None:
    said = [part for part in parts if _states(part, 2, 4)]
    if len(set(said)) == len(said):
        return None
    told = _told(parts)
    return told if told.share >= SHARE and not (len(set(parts)) > 1 and _verse(text)) else None


def _told(parts: list[str]) -> Repeated:
    counts = Counter(parts)
    again = [(part, n - 1) for part, n in counts.items() if n > 1 and _states(part, 2, 4)]
    longer = sum(len(part) * n for part, n in again)
    return Repeated(len(parts), sum(n for _, n in again), round(longer / max(sum(map(len, parts)), 1), 2))


def _in_a_row(key: str) -> Repeated | None:
    """A text that is one and the same text several times with nothing but blanks between."""
    key = key.strip(" .。")
    spaced = f"{key} "
    period = (spaced + spaced).find(spaced, 1)
    if period == len(spaced):
        spaced, period = key, (key + key).find(key, 1)
    if period >= len(spaced) or not _states(spaced[:period], 3, 4):
        return None
    times = len(spaced) // period
    return Repeated(times, times - 1, round((times - 1) / times, 2))


def _parts(split: re.Pattern[str], text: str) -> list[str]:
    cut = split.split(text)
    if len(cut) < 2:
        return []
    return [part for one in cut if (part := _MARK.sub("", exact_key(one)))]


def _states(part: str, words: int, characters: int) -> bool:
    """Whether a part is more than a word."""
    return (len(_WORD.findall(part)) >= words and len(part) >= 6) or len(_HAN.findall(part)) >= characters


def _verse(text: str) -> bool:
    """Short lines that end like those of a song or poem."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    short = all(len(line) <= _LINE_OF_A_VERSE and not line.endswith((".", "。", ";", "；")) for line in lines)
    return len(lines) >= _LINES_OF_A_VERSE and short
