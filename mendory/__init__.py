"""Mendory: a clinic for the long-term memory of AI agents kept in LanceDB."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from mendory.config import Config
    from mendory.door import Door, Embeds
    from mendory.events import Event
    from mendory.ranking import Recall

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`mendory.guard`, loaded when it is first used: `import mendory` alone loads nothing."""
    if name == "guard":
        return import_module("mendory.guard")
    raise AttributeError(f"module 'mendory' has no attribute {name!r}")


def open(  # noqa: A001 - it is read as mendory.open
    config: Config | Path | str = "mendory.toml",
    *,
    embedder: Embeds | Sequence[Embeds] | None = None,
    clock: Callable[[], datetime] | None = None,
    new_id: Callable[[], str] | None = None,
) -> Door:
    """The table that a configuration names, open for an agent's own code.

    Args:
        config: A configuration, or the path of the file that holds it.
        embedder: Whatever has `embed(texts)`; by default the embedder that the configuration names. While the table
            moves to another space there may be one for each.
        clock: Gives the time, with its zone; by default the system's.
        new_id: Gives the ids of new memories; by default random UUIDs.

    Raises:
        ConfigInvalid: The configuration can't be used.
        TableNotFound: There is no such table; none is made.
        SchemaMismatch: The table does not fit the mapping.
    """
    from mendory.door import open_door

    own: dict[str, Any] = {"clock": clock, "new_id": new_id}
    return open_door(config, embedder=embedder, **{name: value for name, value in own.items() if value is not None})


def recall(
    query: str, scope: str | None = None, k: int = 10, *, table: Door | Config | Path | str = "mendory.toml"
) -> Recall:
    """The memories of a scope that are worth most for a query, best first; see `mendory.door.Door.recall`.

    Args:
        query: The text.
        scope: Whose memories; required where the table has a place for it.
        k: How many at most.
        table: The table's open door, or its configuration or the file that holds it. For those the table and its
            embedder are opened for this one query: who asks more than once opens the door and keeps it.
    """
    from mendory.door import Door, open_door

    if isinstance(table, Door):
        return table.recall(query, scope, k)
    with open_door(table) as door:
        return door.recall(query, scope, k)


def model_changed(by: str, model: str = "", table: Config | Path | str = "mendory.toml") -> Event:
    """The event `embedding-model.changed` is on record; the served flow `migrate` looks at the model at its next run.

    Args:
        by: Who says so.
        model: The name of the new model; by default the configured one's.
        table: The table's configuration, or the file that holds it.

    Raises:
        InputInvalid: The name is none that a model has.
    """
    from mendory.upgrading import model_changed as said

    return said(by, model, table)
