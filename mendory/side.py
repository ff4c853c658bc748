"""What Mendory keeps aside of an owner's rows: relations his table has no place for, marks, factors (`record.Kept`).

It lives in the ledger, says which text it was written for, and is laid over the row when it is read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from mendory import digest
from mendory.record import BY_NAME, KEPT, Kept, Memory, Shape, Status

_MARKS: Final = ("disputed_with", "marked")
"""What stands until somebody lifts it, though the row's text is another by now: else nobody would."""


@dataclass(frozen=True, slots=True)
class Note:
    """What is kept aside of one row: field → value, and the digest of the text it was written for."""

    about: str
    fields: Mapping[str, Any]


Notes = Mapping[str, Note]
"""Row id → what is kept aside of it."""


class Table(Protocol):
    """What can be read of a table."""

    def scan(self) -> Iterator[Memory]:
        """Every memory."""

    def fetch(self, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids."""


def text_digest(memory: Memory) -> str:
    """The digest of a memory's text, by which a note tells whether it is still about it."""
    return digest.of(memory.content)


def overlaid(memory: Memory, notes: Notes) -> Memory:
    """The memory with what is kept aside of it; as it is when there is nothing.

    Of a row whose text is another by now only the marks are, which somebody has to lift. A dispute is laid over the
    status of active rows only: who archived a row since has settled it.
    """
    note = notes.get(memory.id or "")
    if note is None:
        return memory
    held = note.fields
    if note.about != text_digest(memory):
        held = {name: value for name, value in held.items() if name in _MARKS}
    fields: dict[str, Any] = {
        name: tuple(value) if BY_NAME[name].shape is Shape.TEXTS else value
        for name, value in held.items()
        if name in BY_NAME and (name != "status" or memory.status in (Status.ACTIVE, None))
    }
    return dataclasses.replace(memory, **fields, kept=with_kept(memory.kept, held))


def with_kept(kept: Kept, changes: Mapping[str, Any]) -> Kept:
    """What is kept after those of the `changes` that are about it; None is as if nothing were kept."""
    told = {name: changes[name] for name in KEPT if name in changes}
    return dataclasses.replace(kept, **{name: _kept(name, value) for name, value in told.items()}) if told else kept


def _kept(name: str, value: Any) -> Any:
    if value is None:
        return getattr(Kept(), name)
    return tuple(value) if isinstance(value, list) else value


class View:
    """A table as its owner sees it, with what is kept aside laid over it."""

    def __init__(self, table: Table, notes: Notes) -> None:
        self._table, self._notes = table, notes

    def scan(self) -> Iterator[Memory]:
        """Every memory."""
        return self._over(self._table.scan()) if self._notes else self._table.scan()

    def fetch(self, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids; absent ids are left out."""
        return {i: overlaid(m, self._notes) for i, m in self._table.fetch(ids).items()}

    def _over(self, memories: Iterable[Memory]) -> Iterator[Memory]:
        return (overlaid(memory, self._notes) for memory in memories)
