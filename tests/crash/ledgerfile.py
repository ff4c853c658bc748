"""The ledger as the oracle reads it: plain SQL on the file or the server, none of the executor's code."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.crash.history import Row, rows_of
from tests.crash.places import FILE, ledger_url


@dataclass(frozen=True, slots=True)
class Entry:
    """One row's part of an intent: its unit, the images before and after, and who took it back."""

    seq: int
    key: str
    row_id: str
    columns: frozenset[str]
    before: Row
    after: Row
    undone_by: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """An intent with what its receipt says."""

    rid: str
    kind: str
    state: str
    base_version: int
    version: int | None
    owner: str
    entries: tuple[Entry, ...] = ()


def open_intents(folder: Path, process: int) -> list[Record]:
    """The intents that were open when the process died and were its own, begun or taken over."""
    if not _made(folder):
        return []
    with closing(_connect(folder)) as db:
        rows = db.execute("SELECT rid, kind, state, base_version, version, owner FROM intent WHERE state = 'open'")
        found = [Record(*r) for r in rows]
    return [r for r in found if r.owner.split("|")[1] == str(process)]


def records(folder: Path) -> dict[str, Record]:
    """Every intent by its repair id, with its rows and their images."""
    if not _made(folder):
        return {}
    with closing(_connect(folder)) as db:
        schemas = {d: pa.ipc.read_schema(pa.py_buffer(b)) for d, b in db.execute("SELECT digest, body FROM row_schema")}
        entries: dict[str, list[Entry]] = {}
        for rid, seq, key, row_id, columns, before, after, schema, undone_by in db.execute(
            "SELECT rid, seq, key, row_id, columns, before_image, after_image, schema_digest, undone_by"
            " FROM item ORDER BY rid, seq"
        ):
            old, new = (_image(image, schemas[schema]) for image in (before, after))
            names = frozenset(c[0] for c in json.loads(columns))
            entries.setdefault(rid, []).append(Entry(seq, key, row_id, names, old, new, undone_by))
        rows = db.execute("SELECT rid, kind, state, base_version, version, owner FROM intent")
        found = [Record(*r) for r in rows]
    return {r.rid: replace(r, entries=tuple(entries.get(r.rid, ()))) for r in found}


def _made(folder: Path) -> bool:
    server = not ledger_url(folder).startswith("sqlite")
    if not server and not (folder / FILE).exists():
        return False
    with closing(_connect(folder)) as db:
        query = "SELECT to_regclass('intent')" if server else "SELECT max(1) FROM sqlite_master WHERE name = 'intent'"
        return db.execute(query).fetchone()[0] is not None


def _connect(folder: Path) -> Any:
    url = ledger_url(folder)
    if url.startswith("sqlite"):
        return sqlite3.connect(folder / FILE, timeout=30)
    import psycopg

    return psycopg.connect(url)


def _image(image: bytes, schema: pa.Schema) -> Row:
    batch = pa.ipc.read_record_batch(pa.py_buffer(image), schema)
    [(_, row)] = rows_of(pa.Table.from_batches([batch]))
    return row
