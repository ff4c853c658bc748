"""A small SQLite file of notes that an agent's process writes: cheap, private, and made again when it is deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from mendory.private import private_file

PATIENCE: Final = 2.0
"""Seconds to wait for another process that writes the file."""


class NoteFile:
    """The file, for one process. Nothing is made before it is opened. Not for threads: who shares it has a lock."""

    def __init__(
        self,
        path: Path,
        tables: Sequence[str],
        prune: Callable[[sqlite3.Connection, datetime], None],
        patience: float = PATIENCE,
    ) -> None:
        """`tables` are made where they are not there; `prune` drops what is too old whenever the file is opened."""
        self._path, self._tables, self._prune, self._patience = path, tables, prune, patience
        self._held: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def open(self, now: datetime) -> sqlite3.Connection:
        """The connection; made again when somebody deleted or replaced the file under it.

        Raises sqlite3.Error, OSError.
        """
        if self._held is not None and self._file == _identity(self._path):
            return self._held
        self.close()
        private_file(self._path)
        connection = sqlite3.connect(self._path, timeout=self._patience, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            with connection:
                for statement in self._tables:
                    connection.execute(statement)
                self._prune(connection, now)
        except sqlite3.Error:
            connection.close()
            raise
        self._held, self._file = connection, _identity(self._path)
        return connection

    def close(self) -> None:
        """The connection is closed; the next `open` makes it again."""
        if self._held is not None:
            with suppress(sqlite3.Error):
                self._held.close()
        self._held = self._file = None


def moment(at: datetime) -> str:
    """The time as the file has it: in UTC, so that its order as text is that in time."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
