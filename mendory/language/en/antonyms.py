"""The antonyms of WordNet 3.0, as the file beside this module has them with their notice."""

from __future__ import annotations

from importlib.resources import files

_LINES = [
    line.split()
    for line in files("mendory.language.en").joinpath("antonyms.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]

FORMED = tuple((line[0], line[1]) for line in _LINES if len(line) == 2)
"""A word, and the word that a prefix or ending makes of it, which says that it is not so: accurate, inaccurate."""

OPPOSED = tuple((line[0], line[2]) for line in _LINES if len(line) == 3)
"""Two words that say the opposite of each other: hot, cold."""
