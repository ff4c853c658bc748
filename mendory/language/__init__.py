"""Languages: what rules can read in a text of one of them, for whoever compares two texts.

A language is a small object (`Language`); Chinese and English come with Mendory, others by the entry point group
`mendory.languages`. Where no language reads a text, nothing about its meaning is known: no veto, and so no merge.
"""

from __future__ import annotations

from mendory.language.choose import language_of, languages
from mendory.language.folding import fold
from mendory.language.reading import Language, Quantity, Reading, Word

__all__ = ["Language", "Quantity", "Reading", "Word", "fold", "language_of", "languages"]
