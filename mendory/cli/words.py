"""What the command line says, in the language asked for: `say` for its own sentences, `reason` for the ledger's."""

from __future__ import annotations

import unicodedata
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, Final

from mendory.cli.chinese import FAILURES, NOUNS, SENTENCES
from mendory.report import words

LANGUAGES: Final = words.LANGUAGES
VARIABLE: Final = "MENDORY_LANG"
_language: ContextVar[str] = ContextVar("mendory_language", default="en")


def language() -> str:
    """The language of this call, en or zh."""
    return _language.get()


def speak(lang: str) -> None:
    """From now on the command line speaks `lang`."""
    _language.set(lang)


def say(sentence: str, **values: Any) -> str:
    """The sentence in the language asked for, with its values put in.

    The English sentence is the key, so that the code reads as what is printed; a test holds that each has
    its Chinese with the same values.
    """
    said = SENTENCES.get(sentence, sentence) if language() == "zh" else sentence
    return said.format(**values) if values else said


def many(number: int, noun: str) -> str:
    """The number with its noun, one or several.

    >>> many(1, "row"), many(2_000, "row")
    ('1 row', '2,000 rows')
    """
    if language() == "zh":
        return NOUNS[noun].format(f"{number:,}")
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def age(passed: timedelta) -> str:
    """How long it was, in the largest unit of which there were two.

    >>> age(timedelta(hours=50)), age(timedelta(seconds=1))
    ('2 days', '1 second')
    """
    seconds = int(passed.total_seconds())
    for noun, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length:
            return many(seconds // length, noun)
    return many(seconds, "second")


def term(name: str) -> str:
    """A code, step, state or outcome as people say it, its stable name kept."""
    return words.term(name, language())


def failure(name: str) -> str:
    """An error's stable name, in Chinese with what it means; the message behind it is English."""
    return f"{name}（{FAILURES[name]}）" if language() == "zh" and name in FAILURES else name


def reason(text: str) -> str:
    """A reason in the language; one without a translation stays as it is."""
    if language() != "zh":
        return text
    head, colon, rest = text.partition(": ")
    if colon and head in _HEADS:
        return f"{words.term(head, 'zh')}：{reason(rest)}"
    return words.reason(text, "zh")


_HEADS: Final = frozenset({"waits", "suspended"})


def width(text: str) -> int:
    """How many columns of a terminal the text takes: Chinese characters two, combining marks none.

    >>> width("重复 dup"), width("e\u0301")
    (8, 1)
    """
    wide = sum(unicodedata.east_asian_width(ch) in "WF" for ch in text)
    return len(text) + wide - sum(unicodedata.combining(ch) != 0 for ch in text)


def padded(text: str, columns: int) -> str:
    """The text followed by blanks up to that many columns."""
    return text + " " * max(columns - width(text), 0)


def wrapped(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many columns, broken at blanks.

    >>> wrapped("id, content, scope", 12)
    ['id, content,', 'scope']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width(f"{lines[-1]} {word}") <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
