"""Words of WordNet 3.0, as the file beside this module has them with their notice."""

from __future__ import annotations

from importlib.resources import files


def _sections() -> dict[str, list[list[str]]]:
    sections: dict[str, list[list[str]]] = {}
    name = ""
    for line in files("mendory.language.en").joinpath("wordnet.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            sections[name] = []
        elif line and name:
            sections[name].append(line.split())
    return sections


_SECTIONS = _sections()

FORMED = tuple((base, form) for base, form in _SECTIONS["not so"])
"""A word, and the word that a prefix or ending makes of it, which says that it is not so: accurate, inaccurate."""

OPPOSED = tuple((one, other) for one, other in _SECTIONS["opposite"])
"""Two words that say the opposite of each other: hot, cold."""

KNOWN = frozenset(word for line in _SECTIONS["known"] for word in line)
"""English words in small letters, in their dictionary form; proper names are not among them."""
