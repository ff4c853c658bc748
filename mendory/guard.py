"""The guard of writes: what a memory is to those of its scope, before an agent writes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mendory.config import FILE_NAME, Config
from mendory.door import Door, open_door
from mendory.door.verdict import Guarded, Unjudged, Verdict
from mendory.record import Memory

__all__ = ["Guarded", "Unjudged", "Verdict", "check"]


def check(memory: Mapping[str, Any] | Memory, table: Door | Config | Path | str = FILE_NAME) -> Guarded:
    """What the memory is to those of its scope in the table; nothing is written.

    Args:
        memory: What `Door.add` takes, by name, or a `mendory.record.Memory`.
        table: The table's open door, or its configuration or the file that holds it. For those the whole table is
            read for this one memory: who asks more than once opens the door and keeps it.

    Raises:
        MemoryRefused, SpaceUnknown: What `Door.add` would raise for it, but for a double write.
    """
    if isinstance(table, Door):
        return table.guard.check(memory)
    with open_door(table) as door:
        return door.guard.check(memory)
