"""What judges have said, kept by digests of the texts: a pair that did not change is asked about once.

One SQLite file beside the side state, without a text in it. Safe to delete: the pairs are asked again.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from mendory.errors import Unavailable
from mendory.judge.model import Opinion, Pair, Verdict
from mendory.private import private_file

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS opinion (
  judge TEXT NOT NULL, pair TEXT NOT NULL, verdict TEXT NOT NULL, confidence REAL NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (judge, pair)
) WITHOUT ROWID;
"""
_AT_ONCE: Final = 500


class Opinions:
    """The file at `path`, made when something is kept."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def known(self, judge: str, pairs: Iterable[Pair]) -> dict[Pair, Opinion]:
        """What the judge of that name has said of these pairs, in either order; the others are left out."""
        wanted = {pair: digest(pair) for pair in pairs}
        if not wanted or not self._path.exists():
            return {}
        marks, held = sorted(set(wanted.values())), {}
        with self._open() as conn:
            for at in range(0, len(marks), _AT_ONCE):
                part = marks[at : at + _AT_ONCE]
                places = ", ".join("?" * len(part))
                query = f"SELECT pair, verdict, confidence FROM opinion WHERE judge = ? AND pair IN ({places})"  # noqa: S608
                for pair, verdict, confidence in conn.execute(query, [judge, *part]):
                    held[pair] = Opinion(Verdict(verdict), confidence)
        return {pair: held[mark] for pair, mark in wanted.items() if mark in held}

    def keep(self, judge: str, given: Mapping[Pair, Opinion], at: datetime) -> None:
        """These opinions are known from now on."""
        rows = [(judge, digest(pair), one.verdict.value, one.confidence, at.isoformat()) for pair, one in given.items()]
        with self._open() as conn:
            conn.executemany("INSERT OR REPLACE INTO opinion VALUES (?, ?, ?, ?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """One transaction on the file, made when it is not there, and made anew when it is no such file."""
        try:
            private_file(self._path)
            with closing(sqlite3.connect(self._path, timeout=30)) as conn, conn:
                try:
                    conn.executescript(_TABLE)
                except sqlite3.DatabaseError:
                    os.truncate(self._path, 0)
                    conn.executescript(_TABLE)
                yield conn
        except (OSError, sqlite3.OperationalError) as error:
            raise Unavailable(
                f"The opinions in {self._path.name} can't be used now: {error}. Nothing was judged; the table was not "
                "touched. Free the file or the disk, or delete it: the pairs are asked about again."
            ) from error


def digest(pair: Pair) -> str:
    """One digest for two texts in either order."""
    both = sorted(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in pair)
    return hashlib.sha256(b"".join(both)).hexdigest()
