"""The side state: one SQLite file beside the ledger with what was derived of each row. Safe to delete.

It is brought up to the table's newest version by looking at the rows that changed since, and only at those; where the
history can't tell them, or the mapping is another, at all. Nothing in it is the only copy of anything but one: which
text a vector came from is what was seen, and after a loss every vector counts as its present text's.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from mendory.claims.attributes import Singles
from mendory.claimskept import KeptClaims
from mendory.derived import Derived, derive, vector_digests
from mendory.errors import Unavailable
from mendory.links import Above
from mendory.private import private_file
from mendory.record import Memory
from mendory.side import text_digest
from mendory.tying import AT_ONCE, Change, Source, looked_up, tie, untie

_SHAPE: Final = "8"
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS derived (
  id TEXT PRIMARY KEY, content TEXT NOT NULL, meaning TEXT NOT NULL, claim TEXT, vector TEXT, vector_text TEXT,
  vector_space TEXT, factor REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claimed (content TEXT PRIMARY KEY, claims TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS link (link TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (link, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS former (
  id TEXT NOT NULL, vector TEXT NOT NULL, vector_text TEXT NOT NULL, PRIMARY KEY (id, vector)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS content_of ON derived (content);
CREATE INDEX IF NOT EXISTS link_of ON link (id);
CREATE INDEX IF NOT EXISTS stale ON derived (id) WHERE vector IS NOT NULL AND vector_text != content;
"""
_FORMER: Final = "SELECT id, vector, vector_text FROM former WHERE id IN"
"""Vectors of earlier texts that were replaced: one that is given back is of the same text as before."""
_VERSION, _TIED = "version", "tied"
"""What is noted of the two parts: the version that the vectors are known of, and that of claims and links."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What bringing the side state up to a version took: rows looked at, rows dropped, whether it was all of them."""

    version: int
    looked_at: int
    dropped: int
    full: bool


class SideState:
    """The file. `key` says what it was derived from: the table, and how its rows and scopes are read.

    `above` tells which scopes a scope lies in, `singles` which attributes have one value at a time beside ours.
    """

    def __init__(self, path: Path, key: str, above: Above | None = None, singles: Singles = frozenset()) -> None:
        self._path, self._key, self._above, self._singles = path, f"{_SHAPE}:{key}", above, singles

    def exists(self) -> bool:
        """True when there is a file."""
        return self._path.exists()

    def bring_up(self, source: Source, spaces: Mapping[str, str] | None = None) -> Brought:
        """Every row at the source's version has what is derived of it, and no other row has.

        `spaces` says of which space the vectors of some rows were seen to be. Cost: proportional to the rows that
        changed; the first time one pass over the table with its vectors, memory flat.
        """
        with self._open() as conn:
            self._forget_another_reading(conn)
            change = self._change(conn, source, _TIED)
            untie(conn, change)
            if self._at(conn, _TIED) == self._at(conn, _VERSION):  # as ever, but while a filling goes on
                done = self._derive(conn, source, spaces or {}, lambda rows, at: self._tie(conn, rows, at))
            else:
                done = self._derive(conn, source, spaces or {})
                for memories, vectors in _rows(source, change):
                    self._tie(conn, memories, vectors)
            if change is None or change.ids or change.gone:
                conn.execute("DELETE FROM claimed WHERE content NOT IN (SELECT content FROM derived)")
            conn.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (_TIED, str(source.version)))
        return done

    def bring_up_vectors(self, source: Source) -> Brought:
        """The same, but for the claims and links of rows, which stay at the version they are of (`tied`).

        It is all that `stale` needs, and the first time a ninth of the cost (20,000 rows: 1.8 of 17 s).
        """
        with self._open() as conn:
            self._forget_another_reading(conn)
            return self._derive(conn, source, {})

    def _forget_another_reading(self, conn: sqlite3.Connection) -> None:
        """Of what was derived of rows read in another way, only which text a vector is of may be of use."""
        if self._at(conn, _VERSION) is None:
            for name in ("about", "claimed", "link"):
                conn.execute(f"DELETE FROM {name}")  # noqa: S608

    def _derive(
        self,
        conn: sqlite3.Connection,
        source: Source,
        spaces: Mapping[str, str],
        also: Callable[[list[Memory], pa.Array | None], None] = lambda _, __: None,
    ) -> Brought:
        change = self._change(conn, source, _VERSION)
        seen: set[str] = set()
        looked_at = 0
        for memories, vectors in _rows(source, change, spaces):
            looked_at += len(memories)
            self._write(conn, memories, vector_digests(vectors, len(memories)), spaces)
            also(memories, vectors)
            if change is None:
                seen.update(m.id for m in memories if m.id)
        stray = self._stray(conn, seen) if change is None else sorted(change.gone)
        for name in ("derived", "former"):
            conn.executemany(f"DELETE FROM {name} WHERE id = ?", [(i,) for i in stray])  # noqa: S608
        held = {"key": self._key, _VERSION: str(source.version)}
        conn.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", held.items())
        return Brought(source.version, looked_at, len(stray), change is None)

    def _tie(self, conn: sqlite3.Connection, memories: list[Memory], vectors: pa.Array | None) -> None:
        tie(conn, memories, vectors, self._above, self._singles)

    def _change(self, conn: sqlite3.Connection, source: Source, part: str) -> Change | None:
        """What changed since that part was brought up; None where it is all rows, or nobody knows."""
        since = self._at(conn, part)
        change = None if since is None else source.changed_since(since)
        return None if change is None or change.full else change

    def version(self) -> int | None:
        """The version that what it knows of vectors is of; None when it holds nothing of this table read this way."""
        return self._known(_VERSION)

    def tied(self) -> int | None:
        """The version that its claims and links are of; None where there are none."""
        return self._known(_TIED)

    def _known(self, part: str) -> int | None:
        if not self.exists():
            return None
        with self._open() as conn:
            return self._at(conn, part)

    def of_text(self, made: Iterable[tuple[str, str, str]]) -> None:
        """Where a row of that id holds the vector of that digest, it is of the text of that digest."""
        with self._open() as conn:
            conn.executemany("INSERT OR REPLACE INTO former VALUES (?, ?, ?)", list(made))

    def get(self, ids: Iterable[str]) -> dict[str, Derived]:
        """What is derived of these rows; rows nobody looked at are left out."""
        with self._open() as conn:
            return self._held(conn, ids)

    def stale(self, source: Source) -> frozenset[str]:
        """The rows whose vector came from another text than theirs, as they are in the table now.

        What changed since the side state was brought up is looked at as well; nothing is written.
        """
        since = self.version()
        if since is None:
            return frozenset()
        change = source.changed_since(since)
        columns = "SELECT id, vector, vector_text FROM derived WHERE vector IS NOT NULL"
        with self._open() as conn:
            if change.full:
                held = conn.execute(columns).fetchall()
            else:
                held = conn.execute(f"{columns} AND vector_text != content").fetchall()
                held += list(_of_ids(conn, columns, sorted(change.ids)))
            known = {row: {vector: came_from} for row, vector, came_from in held}
            for row, earlier, text in looked_up(conn, _FORMER, known):
                known[row].setdefault(earlier, text)
        found = set()
        for memories, vectors in source.with_vectors(sorted(known), texts_only=True) if known else ():
            for memory, mark in zip(memories, vector_digests(vectors, len(memories)), strict=True):
                came_from = known[str(memory.id)].get(str(mark))
                if came_from is not None and text_digest(memory) != came_from:
                    found.add(str(memory.id))
        return frozenset(found)

    def claims(self) -> KeptClaims:
        """What memories claim, where it was kept for the rules as they are now; else extracted."""
        return KeptClaims(self._path, self._key)

    def links(self, ids: Iterable[str]) -> set[str]:
        """The links of these rows; see `mendory.links`."""
        with self._open() as conn:
            return {link for (link,) in looked_up(conn, "SELECT link FROM link WHERE id IN", ids)}

    def linked(self, held: Iterable[str]) -> list[tuple[str, str]]:
        """(link, row) for each row that has one of these links."""
        with self._open() as conn:
            return [(link, row) for link, row in looked_up(conn, "SELECT link, id FROM link WHERE link IN", held)]

    def counts(self) -> dict[str, int]:
        """How many rows, how many with a vector of another text, and how many with a vector of a known space."""
        with self._open() as conn:
            query = (
                "SELECT count(*), coalesce(sum(vector IS NOT NULL AND vector_text != content), 0), "
                "count(vector_space) FROM derived"
            )
            rows, stale, spaces = conn.execute(query).fetchone()
        return {"rows": rows, "stale_vectors": stale, "known_space": spaces}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """One transaction on the file, made when it is not there, and made anew when it is no such file."""
        try:
            private_file(self._path)
            with closing(sqlite3.connect(self._path, timeout=30)) as conn, conn:
                try:
                    conn.executescript(_TABLES)
                except sqlite3.DatabaseError:
                    os.truncate(self._path, 0)  # derived: what can't be read is derived again
                    conn.executescript(_TABLES)
                yield conn
        except (OSError, sqlite3.OperationalError) as error:
            raise Unavailable(
                f"The side state {self._path.name} can't be used now: {error}. Nothing was derived; the table was not "
                "touched. Free the file or the disk, or delete it: it is derived again."
            ) from error

    def _at(self, conn: sqlite3.Connection, part: str) -> int | None:
        held = dict(conn.execute("SELECT key, value FROM about").fetchall())
        return int(held[part]) if held.get("key") == self._key and part in held else None

    def _held(self, conn: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Derived]:
        wanted, found = sorted(set(ids)), {}
        for at in range(0, len(wanted), AT_ONCE):
            part = wanted[at : at + AT_ONCE]
            marks = ", ".join("?" * len(part))
            columns = "id, content, meaning, claim, vector, vector_text, vector_space, factor"
            for row in conn.execute(f"SELECT {columns} FROM derived WHERE id IN ({marks})", part):  # noqa: S608
                found[row[0]] = Derived(row[1], row[2], None if row[3] is None else json.loads(row[3]), *row[4:])
        return found

    def _write(
        self, conn: sqlite3.Connection, memories: list[Memory], vectors: list[str | None], spaces: Mapping[str, str]
    ) -> None:
        before = self._held(conn, [m.id for m in memories if m.id])
        former = {(row, vector): text for row, vector, text in looked_up(conn, _FORMER, before)}
        rows, replaced = [], []
        for memory, vector in zip(memories, vectors, strict=True):
            if memory.id:
                held = before.get(memory.id)
                if held is not None and held.vector != vector:
                    if held.stale_vector:
                        replaced.append((memory.id, held.vector, held.vector_text))
                    if came_from := former.get((memory.id, str(vector))):  # it was given back
                        held = replace(held, vector=vector, vector_text=came_from, vector_space=None)
                d = derive(memory, vector, spaces.get(memory.id), held)
                claim = None if d.claim is None else json.dumps(d.claim, ensure_ascii=False)
                rows.append((memory.id, d.content, d.meaning, claim, d.vector, d.vector_text, d.vector_space, d.factor))
        conn.executemany("INSERT OR REPLACE INTO derived VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        conn.executemany("INSERT OR REPLACE INTO former VALUES (?, ?, ?)", replaced)

    @staticmethod
    def _stray(conn: sqlite3.Connection, seen: Collection[str]) -> list[str]:
        return [i for (i,) in conn.execute("SELECT id FROM derived") if i not in seen]


def _rows(
    source: Source, change: Change | None, more: Collection[str] = ()
) -> Iterable[tuple[list[Memory], pa.Array | None]]:
    """The rows that changed and these, with their vectors; all where nobody says which changed."""
    if change is None:
        return source.with_vectors(None)
    wanted = change.ids.union(more)
    return source.with_vectors(wanted) if wanted else ()


def _of_ids(conn: sqlite3.Connection, query: str, ids: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, which has a condition already, with these ids."""
    for at in range(0, len(ids), AT_ONCE):
        part = ids[at : at + AT_ONCE]
        yield from conn.execute(f"{query} AND id IN ({', '.join('?' * len(part))})", part)
