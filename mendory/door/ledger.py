"""What an agent's process reads of the ledger, and never writes: what is kept aside of a row, and the active space.

A SQLite ledger is read with Python's own driver, read-only, so that neither SQLAlchemy nor a migration is loaded.
One on a server is read in a connection of its own that can't write, so a role that may only select is enough.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from mendory.errors import LedgerCorrupt, Unavailable
from mendory.side import Note, Notes
from mendory.spaces.pointer import Pointed, Pointer
from mendory.thresholds import Threshold

_SQLITE: Final = re.compile(r"sqlite(?:\+pysqlite)?:///")
_PATIENCE: Final = 5.0
_NOTES: Final = "SELECT row_id, field, about, value FROM aside"
_NOTES_OF: Final = _NOTES + " WHERE row_id = ?"
_EXCEPTIONS: Final = _NOTES + " WHERE field = 'exception_of'"
_THRESHOLDS: Final = "SELECT body FROM threshold"
_LIVE: Final = "SELECT id, state, NULL FROM space WHERE state <> 'retired'"
# one statement: a switch between two would give one space's id with the other's column
_POINTED: Final = """SELECT id, state, "column" FROM space WHERE state <> 'retired'"""
_STAGE: Final = """
SELECT stage, told FROM move_stage JOIN move ON move.id = move_stage.move_id WHERE move.open
ORDER BY move_stage.seq DESC LIMIT 1
"""
_SPACE: Final = 'SELECT id, state, identity, dimension, canaries, "by", since FROM space WHERE id = ?'
_MADE_BY: Final = "SELECT embedder FROM space WHERE id = ?"
_CANARY: Final = "canary"


class LedgerView:
    """The ledger at a URL, if there is one; asking makes none and changes nothing in one."""

    def __init__(self, url: str) -> None:
        self._url = url

    def notes(self, row_id: str | None = None) -> Notes:
        """What is kept aside, of one row or of all; empty without a ledger."""
        rows = self._rows(_NOTES, ()) if row_id is None else self._rows(_NOTES_OF, (row_id,))
        return _noted(rows)

    def notes_of(self, ids: Sequence[str]) -> tuple[Notes, Mapping[str, frozenset[str]]]:
        """(what is kept aside of these rows, id of a general memory → ids of all that is kept as an exception of it).

        Empty without a ledger. Cost: one question, the first part by key.
        """
        marks = ", ".join("?" * len(ids))
        rows = self._rows(f"{_NOTES} WHERE row_id IN ({marks}) UNION {_EXCEPTIONS}", ids) if ids else []
        linked: dict[str, set[str]] = {}
        for row, field, _, value in rows:
            for general in json.loads(value) if field == "exception_of" else ():
                linked.setdefault(general, set()).add(row)
        return _noted(rows), {general: frozenset(rows) for general, rows in linked.items()}

    def pointer(self) -> Pointer:
        """Which space is searched, which is kept beside it, and the canary's share.

        The share is 0 where the stages of a move can't be read: of two spaces the searched one always answers.
        """
        rows = self._rows(_POINTED, ()) or self._rows(_LIVE, ())  # of an older ledger the first gives nothing
        live = {state: Pointed(ident, column) for ident, state, column in rows}
        return Pointer(live.get("active"), live.get("filling"), self._share() if "filling" in live else 0.0)

    def _share(self) -> float:
        try:
            rows = self._rows(_STAGE, ())
        except Unavailable:
            return 0.0
        return next((float(json.loads(told).get("share", 0.0)) for stage, told in rows if stage == _CANARY), 0.0)

    def space(self, ident: str) -> Sequence[Any] | None:
        """Id, state, identity, dimension, canary vectors, by and since of a space; None when it is not known."""
        return next(iter(self._rows(_SPACE, (ident,))), None)

    def made_by(self, ident: str) -> str | None:
        """The section of the configuration that makes a space's vectors, as JSON; None while none is known."""
        return next((held for (held,) in self._rows(_MADE_BY, (ident,))), None)

    def thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds that the table's owner has calibrated."""
        return tuple(Threshold.from_json(json.loads(body)) for (body,) in self._rows(_THRESHOLDS, ()))

    def _rows(self, query: str, about: Sequence[str]) -> list[Sequence[Any]]:
        file = _SQLITE.match(self._url)
        return self._of_file(self._url[file.end() :], query, about) if file else self._of_server(query, about)

    def _of_file(self, name: str, query: str, about: Sequence[str]) -> list[Sequence[Any]]:
        path = Path(name)
        if not path.exists():
            return []
        try:
            with closing(
                sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)
            ) as connection:
                return connection.execute(query, about).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error) or "no such column" in str(error):
                return []  # an older ledger: it keeps none of this yet
            raise Unavailable(
                f"The ledger can't be read now: {error}. Nothing was written. Free the lock or the folder; try again."
            ) from None
        except sqlite3.DatabaseError as error:
            raise LedgerCorrupt(
                f"The ledger at {path.name} can't be read: {error}. Nothing was written. Restore it from a backup."
            ) from None

    def _of_server(self, query: str, about: Sequence[str]) -> list[Sequence[Any]]:
        from mendory.ledger import database, texts

        rows = database.fetched(self._url, query.replace("?", "%s"), tuple(texts.stored(a) for a in about))
        return [tuple(texts.told(v) if isinstance(v, str) else v for v in row) for row in rows]


def _noted(rows: Sequence[Sequence[Any]]) -> Notes:
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for row, field, about, value in rows:
        found.setdefault(row, (about, {}))[1][field] = json.loads(value)
    return {row: Note(about, fields) for row, (about, fields) in found.items()}
