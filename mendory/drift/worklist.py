"""The worklist: rows whose text changed since their vector was made. They wait to be embedded anew. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mendory.record import Memory
from mendory.side import text_digest


@dataclass(frozen=True, slots=True)
class Dirty:
    """A row that waits: its id, the digest of the text it has now, its scope, whether recall returns it."""

    id: str
    text: str
    scope: str | None
    recallable: bool

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        return {"id": self.id, "text": self.text, "scope": self.scope, "recallable": self.recallable}


def worklist(stale: Iterable[Memory]) -> tuple[Dirty, ...]:
    """The rows in the order they are best embedded: what recall returns first, then by id."""
    waiting = [Dirty(m.id, text_digest(m), m.scope, m.recallable) for m in stale if m.id]
    return tuple(sorted(waiting, key=lambda row: (not row.recallable, row.id)))
