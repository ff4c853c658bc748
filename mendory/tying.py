"""The claims and links of rows in the side state's file, brought up to a version of the table."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import Final, Protocol

import pyarrow as pa

from mendory.claims import claims_in
from mendory.claims.attributes import Singles
from mendory.claims.plain import dumps
from mendory.links import Above, links
from mendory.record import Memory
from mendory.side import text_digest
from mendory.vectors import facts

AT_ONCE: Final = 2000
"""Keys of one query."""


class Change(Protocol):
    """Which rows changed between two versions; `full` when nobody knows."""

    @property
    def ids(self) -> frozenset[str]:
        """The rows that were written or may have been."""

    @property
    def gone(self) -> frozenset[str]:
        """The rows that were deleted."""

    @property
    def full(self) -> bool:
        """True when it can't be told by rows."""


class Source(Protocol):
    """The table, at one version."""

    @property
    def version(self) -> int:
        """The version read."""

    def changed_since(self, version: int) -> Change:
        """Which rows changed after that version."""

    def with_vectors(
        self, ids: Collection[str] | None, texts_only: bool = False
    ) -> Iterator[tuple[list[Memory], pa.Array | None]]:
        """Batches of the rows with these ids, all when None, each with its vectors; at will only ids and texts."""


def untie(conn: sqlite3.Connection, change: Change | None) -> None:
    """The rows that changed or went have no links; no row has, where nobody says which did."""
    if change is None:
        conn.execute("DELETE FROM link")
    else:
        conn.executemany("DELETE FROM link WHERE id = ?", [(i,) for i in sorted(change.ids | change.gone)])


def tie(
    conn: sqlite3.Connection, memories: list[Memory], vectors: pa.Array | None, above: Above | None, singles: Singles
) -> None:
    """Each of these rows, with its vector, has its links, and its text its claims.

    `above` and `singles` are those of `mendory.links`. Cost: some .6 ms for a text whose claims are not there, and as
    much for the links of a row.
    """
    _keep_claims(conn, memories)
    tied = zip(memories, _marks(vectors, len(memories)), strict=True)
    rows = [(link, memory.id) for memory, mark in tied if memory.id for link in links(memory, mark, above, singles)]
    conn.executemany("INSERT OR IGNORE INTO link VALUES (?, ?)", rows)


def _keep_claims(conn: sqlite3.Connection, memories: list[Memory]) -> None:
    texts = {text_digest(memory): memory.content for memory in memories if memory.id and memory.content}
    known = {content for (content,) in looked_up(conn, "SELECT content FROM claimed WHERE content IN", texts)}
    said = [(key, dumps(claims_in(text))) for key, text in texts.items() if key not in known]
    conn.executemany("INSERT INTO claimed VALUES (?, ?)", said)


def _marks(vectors: pa.Array | None, size: int) -> list[int | None]:
    return [None] * size if vectors is None else facts(vectors).field("mark").to_pylist()


def looked_up(conn: sqlite3.Connection, query: str, wanted: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The rows of a query that ends with `IN`, for each of these keys that is there."""
    keys = sorted(set(wanted))
    for at in range(0, len(keys), AT_ONCE):
        part = keys[at : at + AT_ONCE]
        marks = ", ".join("?" * len(part))
        yield from conn.execute(f"{query} ({marks})", part)
