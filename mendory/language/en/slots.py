"""Places in an English sentence that a word and its preposition open: works in …, Redis for …, allergic to …."""

from __future__ import annotations

import itertools

from mendory.language.en.forms import folded
from mendory.language.en.lists import listed
from mendory.language.reading import Word

_PREPOSITIONS = listed("in of for at with from about by as on into against than")
_BEFORE_TO = frozenset(
    folded(word)[0]
    for word in listed(
        "allergic moved report belong connected related subscribed deploy migrate switch refer travel fly"
    )
)
_PASSED = listed("a an the his her their its my your our some any both and or")
_MOST = 8


def slots(words: tuple[Word, ...], scenes: frozenset[str]) -> tuple[tuple[str, frozenset[str]], ...]:
    """What fills each place: the words of content behind a preposition, up to the next word without content.

    A scene fills none: it is compared as one.
    """
    apart = {part for scene in scenes for part in scene.split()}
    found: list[tuple[str, frozenset[str]]] = []
    for at, (before, word) in enumerate(itertools.pairwise(words), start=1):
        opens = word.fold in _PREPOSITIONS or (word.fold == "to" and before.fold in _BEFORE_TO)
        if before.content and not word.content and opens:
            filler: set[str] = set()
            for other in words[at + 1 : at + 1 + _MOST]:
                if other.content:
                    filler.add(other.fold)
                elif other.fold not in _PASSED:
                    break
            if not filler <= apart:
                found.append((f"{before.fold} {word.fold}", frozenset(filler)))
    return tuple(found)
