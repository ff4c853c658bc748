"""Facts about the table that planning needs and one pass can gather."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from mendory.jsontext import dumps
from mendory.record import Memory
from mendory.text import is_blank, valueless


class BatchFacts:
    """What the memories of one import batch and scope agree on, per required metadata key."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys)
        self._values: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self._written: dict[str, Any] = {}

    def observe(self, memory: Memory) -> None:
        """Count the memory's values."""
        if not is_blank(memory.batch_id) and not is_blank(memory.scope) and memory.metadata:
            for key in self._keys:
                if not valueless(memory.metadata.get(key)):
                    value = dumps(memory.metadata[key])
                    self._written[value] = memory.metadata[key]
                    self._values[str(memory.scope), str(memory.batch_id), key][value] += 1

    def agreed(self, scope: str, batch_id: str, key: str, at_least: int) -> tuple[Any, int] | None:
        """(value, how many say so) when at least that many siblings hold `key` and all say the same."""
        counts = self._values.get((scope, batch_id, key))
        if counts is None or len(counts) != 1:
            return None
        [(value, support)] = counts.items()
        return (self._written[value], support) if support >= at_least else None


class Referrers:
    """Which memories point at a given id, and through which field."""

    def __init__(self) -> None:
        self._by_target: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def observe(self, memory: Memory) -> None:
        """Note the memory's references."""
        if memory.id is None:
            return
        for name, target in references(memory):
            self._by_target[target].append((memory.id, name))

    def of(self, target: str) -> list[tuple[str, str]]:
        """(id, field) of every reference to `target`, sorted."""
        return sorted(set(self._by_target.get(target, ())))


def references(memory: Memory) -> list[tuple[str, str]]:
    """(field, target id) of every reference the memory holds."""
    found = [("duplicate_of", memory.duplicate_of), ("superseded_by", memory.superseded_by)]
    found += [("related_ids", target) for target in memory.related_ids]
    return [(name, target) for name, target in found if target]
