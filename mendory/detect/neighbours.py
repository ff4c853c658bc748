"""What a detector of meaning needs of the table's vectors, without ever seeing one."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mendory.candidates import Pairs
from mendory.language import fold
from mendory.record import Memory
from mendory.text import is_blank
from mendory.thresholds import Threshold


class Neighbours(Protocol):
    """The table's vectors at one version."""

    def basis(self) -> list[Any]:
        """What the thresholds rest on beside the vectors themselves, as plain values."""

    def measured(self) -> dict[str, Any] | None:
        """What thresholds were guessed from, as plain values; None where none was guessed."""

    def threshold(self, language: str) -> Threshold | None:
        """The bound for two texts of a language in the space of the vectors; None where nobody knows one."""

    def near(self, seen: Observed, floor: float) -> Pairs:
        """The pairs of rows of one scope whose vectors are alike by `floor` or whose folded texts are the same."""

    def floor(self) -> float | None:
        """The least cosine that any bound asks for; None where no bound is known."""


@dataclass(slots=True)
class Observed:
    """Recallable rows as numbers: their scope, what they are about, and their folded text; about 150 bytes a row."""

    ids: list[str] = field(default_factory=list)
    _scopes: array[int] = field(default_factory=lambda: array("q"))
    _blocks: array[int] = field(default_factory=lambda: array("q"))
    _keys: array[int] = field(default_factory=lambda: array("Q"))

    def add(self, memory: Memory) -> None:
        """Note a row with an id, a scope and a text."""
        scope = str(memory.scope)
        self.ids.append(str(memory.id))
        self._scopes.append(scope_number(scope))
        self._blocks.append(numbered(f"{scope}\0{_subject(memory)}"))
        self._keys.append(numbered(fold(memory.content or "")))

    @property
    def scopes(self) -> npt.NDArray[np.int64]:
        """A number for each row's scope, shape (rows,)."""
        return np.array(self._scopes, np.int64)

    @property
    def blocks(self) -> npt.NDArray[np.int64]:
        """A number for each row's scope and subject, shape (rows,)."""
        return np.array(self._blocks, np.int64)

    @property
    def keys(self) -> npt.NDArray[np.uint64]:
        """A number for each row's folded text, shape (rows,)."""
        return np.array(self._keys, np.uint64)


def _subject(memory: Memory) -> str:
    """What a memory is about as its writer says: the entity of its claim, else the first entity, else the topic."""
    held: dict[str, Any] = {**(memory.metadata or {}), **(memory.claim or {})}
    entities = held.get("entities")
    first = entities[0] if isinstance(entities, list) and entities else ""
    for told in (held.get("entity"), held.get("object"), first):
        if isinstance(told, str) and not is_blank(told):
            return fold(told)
    topic = held.get("topic")
    return fold(topic) if isinstance(topic, str) else ""


def numbered(text: str) -> int:
    """A number of 63 bits, never negative, that stands for a text."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1


@lru_cache(maxsize=65_536)
def scope_number(scope: str) -> int:
    """The number of a scope, of which a table has few."""
    return numbered(scope)
