"""Places by name: towns, states and countries, and what each lies in."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from mendory.language.claim import Value, ValueKind

_SAME = {
    "us": "usa", "u s": "usa", "america": "usa", "united states": "usa", "the states": "usa", "states": "usa",
    "united states of america": "usa", "united state": "usa", "uk": "britain", "u k": "britain",
    "united kingdom": "britain", "great britain": "britain", "nyc": "new york", "new york city": "new york",
    "manhattan": "new york", "brooklyn": "new york", "sf": "san francisco", "la": "los angeles",
    "washington dc": "washington", "washington d c": "washington", "dc": "washington", "holland": "netherlands",
    "st louis": "saint louis", "munchen": "munich", "koln": "cologne", "bombay": "mumbai",
    "peking": "beijing", "saigon": "ho chi minh",
}  # fmt: skip
_STOP = re.compile(
    r"\s*\b(?:with|but|where|because|since|for|so|and|who|which|that|right|not|when|while|after|before|now|until|all"
    r"|by|near|from|to|as|also|these|again|instead|full|alone|most|every|just|last|this|next|yesterday|today"
    r"|permanently)\b"
    r".*"
)
_LEAD = re.compile(
    r"^(?:the|an|a|sunny|upstate|urban|suburban|downtown|central|northern|southern|eastern|western|beautiful|rural"
    r"|good old) "
)
_BEHIND = frozenset(("area", "the", "region", "city", "right", "it", "i", "we", "so", "too", "myself", "here", "there"))


@cache
def _gazetteer() -> dict[str, tuple[str, ...]]:
    """By name, what a place lies in, narrow to wide."""
    found: dict[str, tuple[str, ...]] = {}
    section, held = "", ""
    lines = files("mendory.language.en.claims").joinpath("places.txt").read_text(encoding="utf-8").splitlines()
    for line in (*lines, "[end]"):
        if line.startswith("  "):
            held = f"{held} {line.strip()}"
            continue
        where, _, names = held.rpartition("|")
        above = tuple(part.strip() for part in where.split(",") if part.strip())
        for name in names.split(","):
            if name.strip():
                found[name.strip()] = tuple(dict.fromkeys((*found.get(name.strip(), ()), *above)))
        held = "" if line.startswith(("#", "[")) else line
        section = line if line.startswith("[") else section
    return found


def known_place(name: str) -> Value | None:
    """A place by its name in small letters; None of one that is not in the list."""
    name = _SAME.get(name, name)
    above = _gazetteer().get(name)
    return None if above is None else Value(ValueKind.PLACE, name, within=above)


def place(text: str, capitals: frozenset[str]) -> tuple[Value, float] | None:
    """The place that words in small letters name, and how sure that is; None where none is named.

    `capitals` are the words written like names: a place nobody listed is one only if it is written so.
    """
    parts = [_bare(part) for part in re.split(r"\s*,\s*|\s+\b(?:in|at|on|outside of|outside)\b\s+", _cut(text)) if part]
    known = [found for found in (known_place(part) or _begins(part, capitals) for part in parts) if found is not None]
    named = [part for part in parts if part and all(word in capitals for word in part.split())]
    if parts and parts[0] and known and parts[0] in named and known_place(parts[0]) is None:
        wide = known[0]
        return Value(ValueKind.PLACE, parts[0], within=(wide.text, *wide.within)), 0.85
    if known:
        first = known[0]
        wider = [one for one in known[1:] if one.text in first.within]
        chosen = tuple(x for x in first.within if not wider or x in (wider[0].text, *wider[0].within))
        return Value(ValueKind.PLACE, first.text, within=chosen or first.within), 0.92
    if named and named[0] == parts[0]:
        return Value(ValueKind.PLACE, parts[0]), 0.7
    return None


def _begins(part: str, capitals: frozenset[str]) -> Value | None:
    """The known place that some words begin with, where what follows is no part of its name."""
    words = part.split()
    for size in (3, 2, 1):
        if size < len(words) and words[size] not in capitals and words[size] in _BEHIND:
            found = known_place(" ".join(words[:size]))
            if found:
                return found
    return None


def _cut(text: str) -> str:
    return _STOP.sub("", f" {text}").strip()


def _bare(part: str) -> str:
    part = part.strip(" ,.")
    while (cut := _LEAD.sub("", part)) != part:
        part = cut
    return part
