"""What an agent's own code wrote through the door, kept in a small SQLite file apart from the ledger.

The file is cheap and droppable. Losing it loses the list of door writes, never a memory, and a
failure to write it never breaks an agent's write: what could not be noted is kept and tried again
with the next one, and counted in `Telemetry.unwritten`.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from mendory.notefile import PATIENCE, NoteFile
from mendory.notefile import moment as _text

_LOG: Final = logging.getLogger(__name__)
_KEPT_BACK: Final = 1000
_LISTED: Final = 1000
_PATIENCE: Final = PATIENCE
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS door_write (n INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL,"
    " place TEXT NOT NULL, verb TEXT NOT NULL, id TEXT NOT NULL, scope TEXT, before TEXT, after TEXT,"
    " version INTEGER, fields TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS guard_note (n INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL,"
    " place TEXT NOT NULL, id TEXT NOT NULL, verdict TEXT NOT NULL, about TEXT NOT NULL, score REAL,"
    " vetoes TEXT NOT NULL, version INTEGER)",
    "CREATE TABLE IF NOT EXISTS mark (place TEXT PRIMARY KEY, n INTEGER NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class DoorWrite:
    """One write of an agent's own code: what it did to which row, in digests; no text of a memory.

    `before` is None for an added row. `scope` is a digest. `version` is the table's version that
    holds the write. A digest is None where the row could not be read again.
    """

    at: datetime
    verb: str
    id: str
    scope: str | None
    before: str | None
    after: str | None
    version: int | None
    fields: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The write as plain values."""
        return {**asdict(self), "at": _text(self.at), "fields": list(self.fields)}


@dataclass(frozen=True, slots=True)
class GuardNote:
    """What the guard said of a memory that was not new to its scope: ids, numbers and words of its own, no text.

    `about` are the memories it is like, `version` the table's that holds it; None when it was refused.
    """

    at: datetime
    id: str
    verdict: str
    about: tuple[str, ...]
    score: float | None
    vetoes: tuple[str, ...]
    version: int | None

    @property
    def refused(self) -> bool:
        """True when the memory was not written."""
        return self.version is None

    def as_json(self) -> dict[str, Any]:
        """The note as plain values."""
        return {**asdict(self), "at": _text(self.at), "about": list(self.about), "vetoes": list(self.vetoes)}


@dataclass(frozen=True, slots=True)
class DoorWrites:
    """The door writes since the last check: how many of each verb, and the newest 1,000 of them, oldest first.

    `guarded` counts what the guard said of them and of those it refused, `notes` are the newest 1,000 of that.
    `trouble` says why they can't be told, when the file is there and can't be read.
    """

    by_verb: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    writes: tuple[DoorWrite, ...] = ()
    until: int = 0
    trouble: str | None = None
    guarded: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[GuardNote, ...] = ()
    guarded_until: int = 0

    @property
    def total(self) -> int:
        """How many there were."""
        return sum(self.by_verb.values())

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory check --json` prints."""
        return {
            "by_verb": dict(self.by_verb),
            "writes": [w.as_json() for w in self.writes],
            "guarded": dict(self.guarded),
            "notes": [n.as_json() for n in self.notes],
            "trouble": self.trouble,
        }

    def line(self) -> str | None:
        """One line for a terminal; None when nothing was written.

        >>> DoorWrites({"add": 2, "archive": 1}).line()
        'door writes since the last check: 3 (2 add, 1 archive)'
        """
        if self.trouble:
            return f"door writes since the last check: unknown ({self.trouble})"
        if not self.total:
            return None
        parts = ", ".join(f"{count} {verb}" for verb, count in sorted(self.by_verb.items()))
        return f"door writes since the last check: {self.total} ({parts})"


class Telemetry:
    """The file, for the process that writes memories. Nothing is made before the first note."""

    def __init__(self, path: Path, place: str, keep: timedelta) -> None:
        self._path, self._place, self._keep = path, place, keep
        self._lock = threading.Lock()
        self._file = NoteFile(path, _TABLES, self._prune, _PATIENCE)
        self._waiting: deque[DoorWrite] = deque()
        self._lost = 0

    @property
    def unwritten(self) -> int:
        """Door writes that are in the table and not in the file: those that wait, and those given up."""
        return len(self._waiting) + self._lost

    def note(self, write: DoorWrite) -> None:
        """The write is in the file; or it waits for the next call, and the log says so."""
        with self._lock:
            self._waiting.append(write)
            if len(self._waiting) > _KEPT_BACK:
                self._waiting.popleft()
                self._lost += 1
            try:
                self._store(write.at)
            except (sqlite3.Error, OSError) as error:
                self._file.close()
                _LOG.warning(
                    "A memory was written, but not its line in %s: %s. %d line(s) wait for the next write.",
                    self._path.name,
                    type(error).__name__,
                    len(self._waiting),
                )

    def note_guard(self, said: GuardNote) -> None:
        """What the guard said is in the file; where it can't be, the log says so, and it is not tried again."""
        with self._lock:
            try:
                connection = self._file.open(said.at)
                with connection:
                    connection.execute(
                        "INSERT INTO guard_note (at, place, id, verdict, about, score, vetoes, version)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        (_text(said.at), self._place, *_said(said)),
                    )
            except (sqlite3.Error, OSError) as error:
                self._file.close()
                _LOG.warning("What the guard said is not in %s: %s.", self._path.name, type(error).__name__)

    def _store(self, now: datetime) -> None:
        connection = self._file.open(now)
        rows = [(*_row(w)[:1], self._place, *_row(w)[1:]) for w in self._waiting]
        with connection:
            connection.executemany(
                "INSERT INTO door_write (at, place, verb, id, scope, before, after, version, fields)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
        self._waiting.clear()

    def _prune(self, connection: sqlite3.Connection, now: datetime) -> None:
        for table in ("door_write", "guard_note"):
            connection.execute(f"DELETE FROM {table} WHERE at < ?", (_text(now - self._keep),))  # noqa: S608

    def close(self) -> None:
        """The file is closed; what waited and could not be written is counted in `unwritten`."""
        with self._lock:
            self._file.close()


def since_mark(path: Path, place: str) -> DoorWrites:
    """The door writes to the table `place` that no check has shown yet; none when there is no file."""
    if not path.exists():
        return DoorWrites()
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)) as connection:
            return _unseen(connection, place) if _has_writes(connection) else DoorWrites()
    except sqlite3.Error as error:
        return DoorWrites(trouble=f"{path.name} can't be read: {error}; it may be deleted")


def _has_writes(connection: sqlite3.Connection) -> bool:
    """False for a file in which recalls alone were ever noted."""
    kinds = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return "mark" in kinds or "recall_note" not in kinds


def _unseen(connection: sqlite3.Connection, place: str) -> DoorWrites:
    seen = connection.execute("SELECT n FROM mark WHERE place = ?", (place,)).fetchone()
    about = (place, seen[0] if seen else 0)
    connection.execute("BEGIN")  # the counts and the list are of one moment
    counts = connection.execute(
        "SELECT verb, count(*), max(n) FROM door_write WHERE place = ? AND n > ? GROUP BY verb ORDER BY verb", about
    ).fetchall()
    rows = connection.execute(
        "SELECT at, verb, id, scope, before, after, version, fields FROM door_write"
        " WHERE place = ? AND n > ? ORDER BY n DESC LIMIT ?",
        (*about, _LISTED),
    ).fetchall()
    said, notes, guarded_until = _unseen_notes(connection, place)
    return DoorWrites(
        MappingProxyType({verb: count for verb, count, _ in counts}),
        tuple(_write(row) for row in reversed(rows)),
        max((last for _, _, last in counts), default=about[1]),
        guarded=said,
        notes=notes,
        guarded_until=guarded_until,
    )


def _unseen_notes(connection: sqlite3.Connection, place: str) -> tuple[Mapping[str, int], tuple[GuardNote, ...], int]:
    """(how many of each kind, the newest of them, the number of the last) of what the guard said and no check showed.

    Kinds are the verdicts, and `refused` for memories that were not written.
    """
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'guard_note'").fetchone() is None:
        return MappingProxyType({}), (), 0  # a file of an older release
    seen = connection.execute("SELECT n FROM mark WHERE place = ?", (_guard_mark(place),)).fetchone()
    about = (place, seen[0] if seen else 0)
    counts = connection.execute(
        "SELECT CASE WHEN version IS NULL THEN 'refused' ELSE verdict END AS kind, count(*), max(n) FROM guard_note"
        " WHERE place = ? AND n > ? GROUP BY kind ORDER BY kind",
        about,
    ).fetchall()
    rows = connection.execute(
        "SELECT at, id, verdict, about, score, vetoes, version FROM guard_note"
        " WHERE place = ? AND n > ? ORDER BY n DESC LIMIT ?",
        (*about, _LISTED),
    ).fetchall()
    return (
        MappingProxyType({kind: count for kind, count, _ in counts}),
        tuple(_guard_note(row) for row in reversed(rows)),
        max((last for _, _, last in counts), default=about[1]),
    )


def _guard_mark(place: str) -> str:
    """The name under which it is marked what of the guard's notes on a table was shown."""
    return f"guard of {place}"


def mark_shown(path: Path, place: str, seen: DoorWrites) -> bool:
    """The next `since_mark` begins after `seen`; False when the file could not be written, so they are shown again."""
    if not seen.total and not seen.guarded:
        return True
    marks = [(place, seen.until), (_guard_mark(place), seen.guarded_until)]
    try:
        with (
            closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=_PATIENCE)) as connection,
            connection,
        ):
            connection.executemany(
                "INSERT INTO mark (place, n) VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET n = max(n, excluded.n)",
                marks,
            )
    except sqlite3.Error:
        return False
    return True


def _row(write: DoorWrite) -> tuple[str | int | None, ...]:
    fields = json.dumps(list(write.fields), ensure_ascii=False)
    return _text(write.at), write.verb, write.id, write.scope, write.before, write.after, write.version, fields


def _write(row: Sequence[str | int | None]) -> DoorWrite:
    at, verb, name, scope, before, after, version, fields = row
    return DoorWrite(
        datetime.fromisoformat(str(at)),
        str(verb),
        str(name),
        None if scope is None else str(scope),
        None if before is None else str(before),
        None if after is None else str(after),
        None if version is None else int(version),
        tuple(json.loads(str(fields))),
    )


def _said(note: GuardNote) -> tuple[str | float | None, ...]:
    about, vetoes = (json.dumps(list(one), ensure_ascii=False) for one in (note.about, note.vetoes))
    return note.id, note.verdict, about, note.score, vetoes, note.version


def _guard_note(row: Sequence[Any]) -> GuardNote:
    at, name, verdict, about, score, vetoes, version = row
    return GuardNote(
        datetime.fromisoformat(at), name, verdict, tuple(json.loads(about)), score, tuple(json.loads(vetoes)), version
    )
