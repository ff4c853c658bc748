"""What is noted of every recall: from which space it was answered and how long it took. No query, no memory, no id.

The notes lie in the telemetry file. A recall is noted in one write of its own as soon as it is answered, so another
process sees it at once, however long the agent is idle then. A failure to write breaks no recall: what could not be
noted is kept and tried again with the next one.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from mendory.notefile import PATIENCE, NoteFile

FAILED: Final = 3_600_000.0
"""Milliseconds that an answer counts that never came: slower than any."""
MOST: Final = 200_000
"""Notes the file holds at most, however young: some 60 MB. The newest stay."""
NEWEST: Final = 10_000
"""So many of a space are read at most, the newest: a percentile of more says the same."""
_OFTEN: Final = 10_000
"""Notes of one process between two looks at how many the file holds."""
_MOMENT: Final = 0.05
"""Seconds a recall waits for another process that writes the file; else its note waits for the next recall."""
_KEPT_BACK: Final = 1000
_LOG: Final = logging.getLogger(__name__)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS recall_note (n INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,"
    " place TEXT NOT NULL, space TEXT NOT NULL, ms REAL NOT NULL, returned INTEGER NOT NULL, scope TEXT,"
    " usual INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS recall_note_of ON recall_note (place, space, at)",
)

_TIMES: Final = (
    "SELECT ms FROM recall_note WHERE place = ? AND at >= ? AND at < ? AND space = ? {} ORDER BY at DESC LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class RecallNote:
    """One recall: when it was answered, from which space, in how many milliseconds, with how many memories.

    `space` is None where none is known, `scope` a digest. `usual` is False where the time is not to be compared: the
    caller brought the vector, or the model was loaded for this very query.
    """

    at: datetime
    space: str | None
    milliseconds: float
    returned: int
    scope: str | None
    usual: bool = True


class Recalls:
    """The notes, for the process that recalls. Nothing is made before the first one. Threads may share it."""

    def __init__(self, path: Path, place: str, keep: timedelta) -> None:
        self._name, self._place, self._keep = path.name, place, keep
        self._lock = threading.Lock()
        self._file = NoteFile(path, _TABLES, self._prune, _MOMENT)
        self._waiting: deque[RecallNote] = deque(maxlen=_KEPT_BACK)
        self._since, self._told = 0, False

    def note(self, recall: RecallNote) -> None:
        """The recall is in the file; or it waits for the next call, and the log says so once."""
        with self._lock:
            self._waiting.append(recall)
            try:
                self._store(recall.at)
                self._told = False
            except (sqlite3.Error, OSError) as error:
                self._file.close()
                if not self._told:  # a folder that can't be written stays so for every recall
                    _LOG.warning("A recall was answered, but is not in %s: %s.", self._name, type(error).__name__)
                self._told = True

    def _store(self, now: datetime) -> None:
        connection = self._file.open(now)
        with connection:
            connection.executemany(
                "INSERT INTO recall_note (at, place, space, ms, returned, scope, usual) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (_micro(r.at), self._place, r.space or "", r.milliseconds, r.returned, r.scope, r.usual)
                    for r in self._waiting
                ],
            )
            self._since += len(self._waiting)
            if self._since >= _OFTEN:
                self._prune(connection, now)
        self._waiting.clear()

    def _prune(self, connection: sqlite3.Connection, now: datetime) -> None:
        """What is older than it is kept goes, and what is more than the file holds."""
        self._since = 0
        connection.execute("DELETE FROM recall_note WHERE at < ?", (_micro(now - self._keep),))
        connection.execute("DELETE FROM recall_note WHERE n <= (SELECT max(n) FROM recall_note) - ?", (MOST,))

    def close(self) -> None:
        """The file is closed; the next note opens it again."""
        with self._lock:
            self._file.close()


def seen(
    path: Path, place: str, since: datetime, until: datetime, usual: bool = True
) -> Mapping[str | None, Sequence[float]]:
    """Space → the milliseconds of its recalls from `since` up to `until`, the newest 10,000 of each.

    None stands for recalls of no known space. With `usual` only those whose times can be compared: whose query was
    embedded, by a model that was loaded before. Empty where there is no file, or it can't be read.
    """
    if not path.exists():
        return {}
    bounds = (place, _micro(since), _micro(until))
    kinds = "AND usual" if usual else ""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)) as connection:
            found = {
                space or None: [ms for (ms,) in connection.execute(_TIMES.format(kinds), (*bounds, space, NEWEST))]
                for space in _spaces(connection, place)
            }
    except sqlite3.Error:
        return {}
    return {space: times for space, times in found.items() if times}


def _spaces(connection: sqlite3.Connection, place: str) -> Iterator[str]:
    """Every space of which a recall is noted: one look into the index each, however many notes there are."""
    query, space = "SELECT min(space) FROM recall_note WHERE place = ? AND space {} ?", None
    while True:
        query_of = query.format(">=" if space is None else ">")
        (space,) = connection.execute(query_of, (place, space or "")).fetchone()
        if space is None:
            return
        yield space


def _micro(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)
