"""Chinese words by what they do, as `words.toml` lists them."""

from __future__ import annotations

import tomllib
from importlib import resources

_LISTS: dict[str, str] = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def words(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_LISTS[name].split())


def groups(name: str) -> list[list[str]]:
    """The words of a list line by line."""
    return [line.split() for line in _LISTS[name].strip().splitlines()]


def named(name: str) -> list[tuple[str, str]]:
    """The lines of a list whose lines begin with a name: the name and what stands behind its colon."""
    return [(key, rest) for line in _LISTS[name].strip().splitlines() for key, _, rest in [line.partition(": ")]]


SAME = {word: group[0] for name in ("same", "strength") for group in groups(name) for word in group}
"""Words of one meaning, with the form in which they are compared."""
TURNED = {word: other for pair in words("turned") for word, _, other in [pair.partition(":")]}
"""Words of stance that are another word turned round: 讨厌 is 喜欢, negated."""
FUNCTION = words("function")
"""Words that carry no meaning of their own for a comparison."""
_LEVELS = [group[0] for group in groups("strength")]
STRENGTH = {word: level for level, group in enumerate(groups("strength")) for word in group}
STRENGTH |= dict.fromkeys(words("little"), 2)
"""How often or how much, 0 never to 4 always."""
KIN = {word: group[0] for group in groups("kin") for word in group}
"""People by what they are to the user, each in one form."""

ASKS = {word: kind for kind, members in named("asks") for word in members.split()}
"""Question words with what they ask for."""

SOUNDS = {ch: sound.strip("-") for sound, characters in named("transliterated") for ch in characters}
"""The characters foreign names are written with, and the consonant each begins with."""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in (*groups("opposites"), _LEVELS):
        folded = {SAME.get(word, word) for word in group}
        for word in folded:
            found.setdefault(word, set()).update(folded - {word})
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _opposites()
"""Folded words with the folded words that say the opposite or exclude them."""
KINDS = dict.fromkeys(KIN.values(), "kin") | {
    SAME.get(word, word): kind for kind, members in reversed(named("kinds")) for word in members.split()
}
"""Folded words with the class whose members exclude one another: who means one of them does not mean another."""


def _contrary(name: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in words(name):
        for one in group:
            found.setdefault(one, set()).update(group)
    return {one: frozenset(others - {one}) for one, others in found.items()}


_FIRST, _LAST = _contrary("contrary"), _contrary("contrary_end")


def opposites(word: str) -> frozenset[str]:
    """Folded words that say the opposite of a folded word or exclude it, also those of another end: 左膝, 右膝."""
    listed = OPPOSITES.get(word, frozenset())
    if len(word) < 2 or word in KINDS:
        return listed
    first = {other + word[1:] for other in _FIRST.get(word[0], ())}
    last = {word[:-1] + other for other in _LAST.get(word[-1], ())}
    return listed | first | last
