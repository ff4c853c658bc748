"""What rows are compared by when a cause is looked for: where they came from, who wrote them, when. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from mendory.record import Memory

ATTRIBUTES: Final = ("batch", "writer", "space", "day", "since", "until", "source", "scope", "kind")
"""Every attribute a cause may name; of several that are as likely the first, which tells most of who did it. `since`
and `until` are a day on which something began or ended.
"""
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Names:
    """Under which metadata keys, or in which of the owner's further columns, a row names its writer and its space.

    The first that holds something counts.
    """

    writer: tuple[str, ...] = ("writer", "agent_id", "agent", "app")
    space: tuple[str, ...] = ("embedding_model", "embedding_space")

    @property
    def all(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.writer, *self.space)


@dataclass(frozen=True, slots=True)
class Traits:
    """What one row shares with others: attribute → value, and when it was created."""

    held: Mapping[str, str]
    created_at: datetime | None = None

    @classmethod
    def of(cls, memory: Memory, names: Names) -> Traits:
        """The traits of a memory.

        >>> Traits.of(Memory("a", "tea", {"app": "bot"}, batch_id="b7"), Names()).held
        {'batch': 'b7', 'writer': 'bot'}
        """
        return cls(dict(attributes(memory, names)), memory.created_at)

    def as_json(self) -> list[Any]:
        """What a checkpoint keeps."""
        return [self.created_at.isoformat() if self.created_at else None, dict(self.held)]

    @classmethod
    def from_json(cls, data: list[Any]) -> Traits:
        """The traits whose `as_json` is `data`."""
        moment, held = data
        return cls(held, datetime.fromisoformat(moment) if moment else None)


def attributes(memory: Memory, names: Names) -> list[tuple[str, str]]:
    """(attribute, value) of the row, for what it has."""
    day = memory.created_at.date().isoformat() if memory.created_at else None
    found = {
        "batch": memory.batch_id,
        "source": memory.source,
        "scope": memory.scope,
        "day": day,
        "kind": memory.kind,
        "writer": first_of(names.writer, memory.metadata, memory.others),
        "space": first_of(names.space, memory.metadata, memory.others),
    }
    return [(name, value) for name, value in found.items() if value]


def first_of(keys: Iterable[str], *places: Mapping[str, Any] | None) -> str | None:
    """The first text or whole number under one of the keys, in the first of the places that has one; else None.

    >>> first_of(("app",), {"app": ["x"]}, {"app": 7}), first_of(("app",), None, {})
    ('7', None)
    """
    for key in keys:
        for place in places:
            value = (place or {}).get(key)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return str(value)[:_MOST]
    return None
