"""Whether an exception holds for a query: the query speaks of its scene, or it is of a scope inside the other's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from mendory.claims import scenes_given
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

    def stands(self, exception: Memory, general: Iterable[Memory]) -> str:
        """Where an exception stands to the general memories it is linked to, by why.

        `scene`, before them, where the query speaks of a scene it holds in: one that its text, its writer's claim or
        its metadata names. `inner`, before them too, where it names none and they are of another scope: then the scope
        asked for lies in its own, and all of it is its scene. Else `general`, behind them.
        """
        held = {*_scenes(exception.content or ""), *scenes_given(exception)}
        if held:
            return "scene" if held & self.scenes or any(self._says(scene) for scene in held) else "general"
        return "inner" if any(other.scope != exception.scope for other in general) else "general"

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
