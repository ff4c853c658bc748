"""An English text in tokens: words, numbers, names that hold more than letters, and marks."""

from __future__ import annotations

import re
from typing import NamedTuple


class Token(NamedTuple):
    """One token: as written, in small letters, what it is, and where it stands."""

    text: str
    low: str
    kind: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    (?P<plain>[A-Za-z]+(?=[ ,;?!]|\.?$|\.[ ]))
    |(?P<name>https?://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]*\w
        |(?<!\w)(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)+|[A-Za-z_]\w*(?:[/\\][\w.-]+)*[/\\][\w-]+\.[A-Za-z]\w*|[A-Za-z]:\\\S+
        |[A-Za-z_]\w*(?:\.[a-z_]\w*)+|[A-Za-z]\w*(?:_\w+)+|\#\w+)
    |(?P<day>\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})(?!\d)|\d{4}-(?:0[1-9]|1[0-2])(?![\d-]))
    |(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?!\d))
    |(?P<version>v\d+(?:\.\d+)*|\d+\.\d+\.\d+(?:\.\d+)*)(?![\w])
    |(?P<code>\d+(?:[ABDENPQRSTXYZ](?![A-Za-z])|[A-Za-z]{1,3}\d\w*))
    |(?P<number>(?:(?:US|AU|A|C|NZ|HK)?[$](?:US)?|[€£¥])?(?:(?<![\w.)])-)?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[$€£¥]?\.\d+)
    |(?P<initials>(?:[A-Za-z]\.){2,})
    |(?P<coded>(?!(?:to|and|or|in|the|mid|under|over|top|post|pre|of|by|at|from)-)[A-Za-z]{1,12}-?\d[\w-]*)
    |(?P<prefixed>(?:non|un|anti|ex|pre|co|e|step|half|great|god)-[A-Za-z]+|[A-Za-z]+-in-law)
    |(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*|')
    |(?P<dots>\.{2,}|…)
    |(?P<mark>[.,;:!?()—–%°/&+"-])
    """,
    re.VERBOSE,
)
_TAG = re.compile(
    r",\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|wo|ca)(?:n't)?"
    r"\s+(?:it|he|she|they|you|we|i|there|that)\s*\?\s*$",
    re.IGNORECASE,
)
_CONTRACTED = {"cannot": ("can", "not"), "wont": ("will", "not"), "cant": ("can", "not")}
_CUT = frozenset(
    ("don", "doesn", "didn", "isn", "aren", "wasn", "weren", "hasn", "haven", "hadn", "won", "wouldn", "couldn", "can")
    + ("shouldn",)
)
_NOT = re.compile(r"(?:do|does|did|is|are|was|were|has|have|had|could|would|should|must|need)(?=nt$)")


def tokens(text: str) -> list[Token]:
    """The tokens in order. "can't", "cannot" and "dont" are two words each; a possessive 's is a token of its own.

    A question that only asks for assent ("isn't it?") is left out: it negates nothing.
    """
    found: list[Token] = []
    plain = text.replace("\u2019", "'")
    if plain.rstrip().endswith("?"):
        plain = _TAG.sub("?", plain)
    for match in _TOKEN.finditer(plain):
        kind, said, start, end = match.lastgroup or "", match.group(), match.start(), match.end()
        low = said.lower()
        kind = {"plain": "word", "code": "coded"}.get(kind, kind)
        if kind == "prefixed":
            found.append(Token(said.replace("-", ""), low.replace("-", ""), "word", start, end))
        elif kind == "initials" and low not in ("a.m.", "p.m."):
            found.append(Token(said.replace(".", ""), low.replace(".", ""), "word", start, end))
        elif kind == "word" and ("'" in said or low in _CONTRACTED or low.endswith("nt")):
            found.extend(_parted(said, low, start, end))
        elif low == "t" and found and found[-1].low in _CUT:  # "don t", as some tokenisers leave it
            found.append(Token("not", "not", "word", start, end))
        else:
            found.append(Token(said, low, kind, start, end))
    return found


def _parted(said: str, low: str, start: int, end: int) -> list[Token]:
    if low in _CONTRACTED:
        return [Token(part, part, "word", start, end) for part in _CONTRACTED[low]]
    stem = _NOT.match(low)
    if stem:
        return [Token(said[: stem.end()], stem.group(), "word", start, end), Token("not", "not", "word", start, end)]
    if low.endswith("n't"):
        verb = {"ca": "can", "wo": "will", "ai": "is", "sha": "shall", "": "do"}.get(low[:-3], low[:-3])
        return [Token(said[:-3] or verb, verb, "word", start, end), Token("not", "not", "word", start, end)]
    if low.endswith("'s"):
        middle = end - 2
        return [
            Token(said[:-2], low[:-2], "word", start, middle),
            Token(said[-2:], "'s", "word", middle, end),
        ]
    head, _, tail = low.partition("'")
    if tail in ("m", "re", "ve", "ll", "d"):
        return [Token(said[: len(head)], head, "word", start, end), Token(tail, tail, "word", start, end)]
    if said == "'":
        return [Token('"', '"', "mark", start, end)]
    return [Token(said, low, "word", start, end)]
