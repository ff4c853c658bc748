"""What a language can say in other words: the pieces of a text, and questions that ask for what it says."""

from __future__ import annotations

from typing import Protocol, cast

from mendory.language.reading import Language


class Rewording(Protocol):
    """A language that also takes texts apart and asks for them. Of one that does not, no query can be made."""

    def pieces(self, text: str) -> tuple[str, ...]:
        """The text in words, each with the marks and blanks behind it; joined they are the text, stripped."""

    def rewordings(self, text: str) -> tuple[str, ...]:
        """The text as questions: other function words, words of one meaning exchanged, nothing turned round."""


def rewording(language: Language | None) -> Rewording | None:
    """The language as one that rewords; None where it does not."""
    told = language is not None and all(hasattr(language, name) for name in ("pieces", "rewordings"))
    return cast(Rewording, language) if told else None
