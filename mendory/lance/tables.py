"""Which tables there are, and making one of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import lancedb
import pyarrow as pa

from mendory.errors import TableExists
from mendory.lance.border import local_folder, ours, table_folder
from mendory.lance.faults import half_deleted
from mendory.record import arrow_schema


def create_table(uri: str, table: str, dimension: int) -> None:
    """An empty table of our own schema exists; raises TableExists when there is one already.

    Raises TableHalfDeleted over what is left of one: LanceDB itself would create it there.
    """
    folder = table_folder(uri, table)
    if folder is not None:
        half_deleted(folder)
    with ours(f"Creating table '{table}'"):
        db = lancedb.connect(uri)
        if table in table_names(db):
            raise TableExists(
                f"Table '{table}' is there already. Nothing was created. Import into it, or choose another name."
            )
        db.create_table(table, schema=arrow_schema(dimension))


def table_exists(uri: str, table: str) -> bool:
    """True when the folder holds a table of that name; nothing is created by asking."""
    path = local_folder(uri)
    if path is not None and not path.is_dir():
        return False
    with ours("Listing tables"):
        return table in table_names(lancedb.connect(uri))


def table_names(db: Any) -> set[str]:
    """The names of all tables."""
    found: set[str] = set()
    token = None
    while True:
        page = db.list_tables(page_token=token)
        found |= set(page.tables)
        token = page.page_token
        if not token:
            return found


def to_table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table of exactly that schema; a missing key is null."""
    return pa.Table.from_pylist([dict(r) for r in rows], schema=schema)
