"""What is read in a text for all the pairs it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mendory.language import Language, Reading, language_of
from mendory.sameness.features import Side


@dataclass(frozen=True, slots=True)
class Read:
    """A text as its language reads it; `content` are the folds of its words of content, each once, in order.

    `asks`: all of its sentences are questions, so it says nothing.
    """

    language: Language
    reading: Reading
    side: Side
    content: tuple[str, ...]
    folds: frozenset[str]
    asks: bool

    @property
    def denies(self) -> bool:
        """Whether it denies what it says; denied twice it does not."""
        return self.reading.negations % 2 == 1

    @property
    def denies_all(self) -> bool:
        """Whether all that it says is denied, as in "there is no …" and "nobody …": then details do not save it."""
        words = [word for word in self.reading.words if word.content]
        return self.denies and bool(words) and all(word.negated for word in words)


@lru_cache(maxsize=1 << 13)
def read(text: str) -> Read | None:
    """The text as its language reads it, None where no language does. It is read once."""
    language = language_of(text)
    if language is None:
        return None
    reading = language.read(text)
    content = tuple(dict.fromkeys(_content(reading)))
    asks = all(sentence.endswith(("?", "？")) for sentence in language.sentences(text))
    folds = frozenset(word.fold for word in reading.words)
    return Read(language, reading, Side.of(reading), content, folds, asks or bool(reading.asks))


def _content(reading: Reading) -> Iterator[str]:
    return (word.fold for word in reading.words if word.content)
