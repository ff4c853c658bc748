"""Words of WordNet 3.0, as the file beside this module has them with their notice."""

from __future__ import annotations

from importlib.resources import files


def sections(name: str) -> dict[str, list[list[str]]]:
    """The lines of a word list of this pack in words, by the section they stand in; what begins with # is no line."""
    found: dict[str, list[list[str]]] = {}
    section = ""
    for line in files("mendory.language.en").joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
            found[section] = []
        elif line and section and not line.startswith("#"):
            found[section].append(line.split())
    return found


_SECTIONS = sections("wordnet.txt")

FORMED = tuple((base, form) for base, form in _SECTIONS["not so"])
"""A word, and the word that a prefix or ending makes of it, which says that it is not so: accurate, inaccurate."""

OPPOSED = tuple((one, other) for one, other in _SECTIONS["opposite"])
"""Two words that say the opposite of each other: hot, cold."""

KNOWN = frozenset(word for line in _SECTIONS["known"] for word in line)
"""English words in small letters, in their dictionary form; proper names are not among them."""
