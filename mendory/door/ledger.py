"""What an agent's process reads of the ledger, and never writes: what is kept aside of a row, and the active space.

A SQLite ledger is read with Python's own driver, read-only, so that neither SQLAlchemy nor a migration is loaded.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from mendory.errors import LedgerCorrupt, Unavailable
from mendory.side import Note, Notes

_SQLITE: Final = "sqlite:///"
_PATIENCE: Final = 5.0
_NOTES: Final = "SELECT row_id, field, about, value FROM aside"
_NOTES_OF: Final = _NOTES + " WHERE row_id = ?"
_SPACE: Final = "SELECT id, state, identity, dimension, canaries, \"by\", since FROM space WHERE state = 'active'"


class LedgerView:
    """The ledger at a URL, if there is one; asking makes none and changes nothing in one."""

    def __init__(self, url: str) -> None:
        self._url = url

    def notes(self, row_id: str | None = None) -> Notes:
        """What is kept aside, of one row or of all; empty without a ledger."""
        rows = self._rows(_NOTES, ()) if row_id is None else self._rows(_NOTES_OF, (row_id,))
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        for row, field, about, value in rows:
            found.setdefault(row, (about, {}))[1][field] = json.loads(value)
        return {row: Note(about, fields) for row, (about, fields) in found.items()}

    def active_space(self) -> Sequence[Any] | None:
        """Id, state, identity, dimension, canary vectors, by and since of the active space; None when none is known."""
        return next(iter(self._rows(_SPACE, ())), None)

    def _rows(self, query: str, about: Sequence[str]) -> list[Sequence[Any]]:
        return self._of_file(query, about) if self._url.startswith(_SQLITE) else self._of_server(query, about)

    def _of_file(self, query: str, about: Sequence[str]) -> list[Sequence[Any]]:
        path = Path(self._url.removeprefix(_SQLITE))
        if not path.exists():
            return []
        try:
            with closing(
                sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)
            ) as connection:
                return connection.execute(query, about).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []  # an older ledger: it keeps none of this yet
            raise Unavailable(
                f"The ledger can't be read now: {error}. Nothing was written. Free the lock or the folder; try again."
            ) from None
        except sqlite3.DatabaseError as error:
            raise LedgerCorrupt(
                f"The ledger at {path.name} can't be read: {error}. Nothing was written. Restore it from a backup."
            ) from None

    def _of_server(self, query: str, about: Sequence[str]) -> list[Sequence[Any]]:
        import sqlalchemy as sa

        engine = sa.create_engine(self._url)
        try:
            with engine.connect() as connection:
                if not sa.inspect(connection).has_table(query.partition(" FROM ")[2].split()[0]):
                    return []  # an older ledger: it keeps none of this yet
                named = sa.text(query.replace("?", ":row"))
                return [tuple(row) for row in connection.execute(named, {"row": about[0]} if about else {})]
        except sa.exc.OperationalError as error:
            raise Unavailable(
                f"The ledger can't be reached: {error.orig}. Nothing was written. Try again when it answers."
            ) from None
        finally:
            engine.dispose()
