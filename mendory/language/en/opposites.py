"""Words that say the opposite of one another, and classes whose members exclude one another."""

from __future__ import annotations

from collections import defaultdict

from mendory.language.en.forms import folded
from mendory.language.en.lists import FUNCTION
from mendory.language.en.wordnet import OPPOSED, sections

_SECTIONS = sections("opposites.txt")


def _opposites() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    sides = [[side.split() for side in " ".join(line).split("|")] for line in _SECTIONS["opposite"]]
    pairs = [(a, b) for left, right in sides for a in left for b in right]
    for a, b in (*pairs, *OPPOSED):
        (one, turned), (other, other_turned) = ((w, False) if w in FUNCTION else folded(w) for w in (a, b))
        if one != other and turned == other_turned:
            found[one].add(other)
            found[other].add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _kinds() -> dict[str, str]:
    kinds: dict[str, str] = {}
    for kind, *members in _SECTIONS["kind"]:
        for member in members:
            kinds.setdefault(folded(member)[0], kind.rstrip(":"))
    return kinds


OPPOSITES = _opposites()
"""By fold: folds that say the opposite."""
KINDS = _kinds()
"""By fold: the class whose other members it excludes."""
