"""What the door hands back: one memory, as it is in the table, whatever its status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mendory.record import Memory, Status


@dataclass(frozen=True, slots=True)
class Held:
    """A memory as it was read, with what it is related to; nothing done to it changes the table.

    `digest` is that of the row, all of it but what a mere read changes; `version` the table's.
    """

    memory: Memory
    version: int
    digest: str

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.memory.id)

    @property
    def content(self) -> str | None:
        """Its text."""
        return self.memory.content

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Its metadata; empty where it has none or none that can be read (`memory.metadata_error` says why)."""
        return self.memory.metadata or {}

    @property
    def claim(self) -> Mapping[str, Any] | None:
        """What it claims, where that is told."""
        return self.memory.claim

    @property
    def scope(self) -> str | None:
        """Whose memory it is."""
        return self.memory.scope

    @property
    def source(self) -> str | None:
        """Who said it."""
        return self.memory.source

    @property
    def kind(self) -> str | None:
        """What sort of memory it is."""
        return self.memory.kind

    @property
    def status(self) -> str | None:
        """`active`, `pending_review` or `archived`; None where the table tells nothing of it."""
        return self.memory.status

    @property
    def archived(self) -> bool:
        """True when recall does not return it."""
        return self.memory.status == Status.ARCHIVED

    @property
    def created_at(self) -> datetime | None:
        """When it was first stored, UTC."""
        return self.memory.created_at

    @property
    def updated_at(self) -> datetime | None:
        """When its owner last changed it, UTC."""
        return self.memory.updated_at

    @property
    def merged_into(self) -> str | None:
        """The memory it was merged into, and is hidden in favour of."""
        return self.memory.duplicate_of

    @property
    def superseded_by(self) -> str | None:
        """The newer memory that replaces it."""
        return self.memory.superseded_by

    @property
    def disputed_with(self) -> tuple[str, ...]:
        """Ids of the memories that it can't hold beside, until somebody has decided."""
        return self.memory.kept.disputed_with

    @property
    def exception_of(self) -> tuple[str, ...]:
        """Ids of the general memories that it is an exception of."""
        return self.memory.kept.exception_of

    @property
    def factor(self) -> float:
        """What its weight at recall is multiplied by."""
        return self.memory.kept.factor

    @property
    def related_ids(self) -> tuple[str, ...]:
        """Ids of related memories."""
        return self.memory.related_ids

    @property
    def related_notes(self) -> tuple[str, ...]:
        """What only memories that were merged into it knew."""
        return self.memory.related_notes
