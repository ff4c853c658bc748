"""Which language reads a text."""

from __future__ import annotations

from mendory.language.reading import Language


def language_of(text: str) -> Language | None:  # noqa: ARG001 - until the first language is there
    """The language that reads the text; None where no language does."""
    return None
