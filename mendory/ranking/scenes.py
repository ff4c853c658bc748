"""Whether a query speaks of the scene in which a memory holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from mendory.language import fold, language_of
from mendory.record import Memory


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query says of scenes: those its language reads in it, its folded words, and its folded text."""

    scenes: frozenset[str]
    words: frozenset[str]
    text: str

    @classmethod
    def of(cls, query: str) -> Self:
        """What the query says; nothing but its text where no language reads it."""
        return cls(_scenes(query), _words(query), fold(query))

    def speaks_of(self, memory: Memory) -> bool:
        """Whether the query speaks of a scene of the memory: one its text names, or its metadata."""
        text = memory.content or ""
        told = (memory.metadata or {}).get("scene")
        held = set(_scenes(text)) | ({fold(told)} if isinstance(told, str) and told.strip() else set())
        return bool(held & self.scenes) or any(self._says(scene) for scene in held)

    def _says(self, scene: str) -> bool:
        parts = scene.split()
        return bool(parts) and (all(part in self.words for part in parts) or fold(scene) in self.text)


@lru_cache(maxsize=4096)
def _scenes(text: str) -> frozenset[str]:
    language = language_of(text)
    return frozenset() if language is None else language.read(text).scenes


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    language = language_of(text)
    return frozenset() if language is None else frozenset(word.fold for word in language.read(text).words)
