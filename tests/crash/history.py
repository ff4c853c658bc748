"""The table's history as the oracle reads it: plain Lance, every version, every row by its exact bits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa

from tests.crash import table

# pylance 13.0.0 can't read a transaction that rewrote an index: three of its own arguments have no default
lance.LanceOperation.RewrittenIndex.__init__.__defaults__ = ("", b"", 0)

RID = "mendory.rid"
Row = tuple[tuple[str, Any], ...]
"""A row as (column, value) in order of columns; vectors as their bytes and null masks, so NaN equals itself."""


@dataclass(frozen=True, slots=True)
class Change:
    """One row of one version that is not as in the version before; None where there is none."""

    row_id: str
    before: Row | None
    after: Row | None

    def columns(self) -> frozenset[str]:
        """The columns that differ."""
        assert self.before is not None
        assert self.after is not None
        return frozenset(a[0] for a, b in zip(self.before, self.after, strict=True) if a != b)


@dataclass(frozen=True, slots=True)
class Version:
    """One version: the repair id it carries, its operation, what changed, and ids that several rows hold."""

    number: int
    rid: str | None
    operation: str
    changes: tuple[Change, ...]
    shared: frozenset[str]


def open_table(folder: Path, version: int | None = None) -> Any:
    """The table as plain Lance opens it."""
    return lance.dataset(str(folder / f"{table.NAME}.lance"), version=version)


def carries(folder: Path, rid: str, after: int) -> bool:
    """True when a version after `after` carries the repair id."""
    ds = open_table(folder)
    return any(_rid(ds.read_transaction(v)) == rid for v in range(after + 1, int(ds.version) + 1))


def _rid(transaction: Any) -> str | None:
    found: str | None = (transaction.transaction_properties or {}).get(RID)
    return found


class History:
    """Walks the versions in order, keeping the rows of the last one.

    Data files are immutable, so a fragment whose description is the same holds the same rows and is read once;
    `check_last` reads the last version whole and by its index all the same.
    """

    def __init__(self, folder: Path) -> None:
        self._ds = open_table(folder)
        self._read: dict[str, list[tuple[str, Row]]] = {}
        self.rows: dict[str, Row] = {}
        self._count: Counter[str] = Counter()
        self.last = int(self._ds.version)

    def walk(self) -> Iterator[Version]:
        """Every version from the first to the newest."""
        earlier: dict[str, list[tuple[str, Row]]] = {}
        for number in range(1, self.last + 1):
            ds = self._ds.checkout_version(number)
            transaction = self._ds.read_transaction(number)
            now = dict(map(self._fragment, ds.get_fragments()))
            changes = self._difference(earlier, now)
            shared = frozenset(c.row_id for c in changes if self._count[c.row_id] > 1)
            yield Version(number, _rid(transaction), type(transaction.operation).__name__, tuple(changes), shared)
            self._apply(changes)
            earlier = now
            self._read = dict(now)

    def check_last(self) -> str | None:
        """None when the newest version, read whole and looked up by id, is what the walk arrived at."""
        whole = dict(rows_of(self._ds.to_table()))
        if whole != self.rows:
            return f"{len(set(whole.items()) ^ set(self.rows.items()))} rows read otherwise in a scan"
        names = sorted(self.rows)
        for at in range(0, len(names), 500):
            part = names[at : at + 500]
            found = self._ds.to_table(filter="id IN (" + ", ".join(f"'{n}'" for n in part) + ")")
            if dict(rows_of(found)) != {n: self.rows[n] for n in part} or found.num_rows != len(part):
                return f"rows {part[0]} to {part[-1]} read otherwise by the index on id"
        return None

    def _fragment(self, fragment: Any) -> tuple[str, list[tuple[str, Row]]]:
        key = json.dumps(fragment.metadata.to_json(), sort_keys=True, default=str)
        if key not in self._read:
            self._read[key] = rows_of(fragment.to_table())
        return key, self._read[key]

    def _difference(
        self, earlier: dict[str, list[tuple[str, Row]]], now: dict[str, list[tuple[str, Row]]]
    ) -> list[Change]:
        old = Counter(row for key in earlier.keys() - now.keys() for row in earlier[key])
        new = Counter(row for key in now.keys() - earlier.keys() for row in now[key])
        gone, come = old - new, new - old
        for name, _ in gone.elements():
            self._count[name] -= 1
        for name, _ in come.elements():
            self._count[name] += 1
        before, after = dict(gone.keys()), dict(come.keys())
        return [
            Change(n, before.get(n, self.rows.get(n) if n in after else None), after.get(n))
            for n in sorted(before.keys() | after.keys())
        ]

    def _apply(self, changes: list[Change]) -> None:
        for change in changes:
            if change.after is not None:
                self.rows[change.row_id] = change.after
            elif not self._count[change.row_id]:
                self.rows.pop(change.row_id, None)


def rows_of(rows: pa.Table) -> list[tuple[str, Row]]:
    """(id, row) of every row, values exact."""
    columns = [[(name, cell) for cell in _cells(rows.column(name).combine_chunks())] for name in rows.column_names]
    return list(zip(rows.column("id").to_pylist(), zip(*columns, strict=True), strict=True))


def _cells(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if pa.types.is_timestamp(array.type):
        return list(array.cast(pa.int64()).to_pylist())
    if pa.types.is_fixed_size_list(array.type):
        return _vectors(array)
    if pa.types.is_list(array.type):
        return [None if v is None else tuple(v) for v in array.to_pylist()]
    return list(array.to_pylist())


def _vectors(array: pa.FixedSizeListArray) -> list[tuple[bytes, bytes] | None]:
    size = array.type.list_size
    values = array.values.slice(array.offset * size, len(array) * size)
    known = values.is_valid().to_numpy(zero_copy_only=False)
    bits = np.frombuffer(values.buffers()[1], dtype=np.uint32, count=len(values), offset=values.offset * 4).copy()
    bits[~known] = 0
    bits, known = bits.reshape(-1, size), known.reshape(-1, size)
    valid = array.is_valid().to_pylist()
    return [(bits[i].tobytes(), known[i].tobytes()) if valid[i] else None for i in range(len(array))]
