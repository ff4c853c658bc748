"""The port through which the executor reaches a table; `mendory.lance.Writer` and the fake implement it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from mendory.work import Rows


@dataclass(frozen=True, slots=True)
class Found:
    """The commit carrying a repair id is this version."""

    version: int


@dataclass(frozen=True, slots=True)
class Absent:
    """No version up to `through` carries it."""

    through: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A version that might carry it can't be read."""

    version: int


class Store(Protocol):
    """A table that commits optimistically and keeps its transaction history."""

    @property
    def id_column(self) -> str:
        """The column that holds ids."""

    @property
    def volatile(self) -> Collection[str]:
        """Columns that a mere read changes."""

    def latest(self) -> int:
        """The newest version."""

    def read_rows(self, ids: Sequence[str]) -> Rows:
        """The rows with these ids at the newest version, all columns; absent ids are left out."""

    def commit(self, rows: pa.Table, base: int, rid: str) -> int:
        """The rows replace those of the same ids; returns the new version, which carries `rid`.

        Raises CommitConflict, with nothing written, when anything touched their fragments since `base`.
        """

    def find_commit(self, rid: str, after: int, through: int | None = None) -> Found | Absent | Unreadable:
        """Which version in (after, through] carries `rid`; through the newest when not given."""

    def sync(self, version: int) -> None:
        """Everything version `version` consists of is on disk."""

    def ledger_id(self) -> str | None:
        """The id of the ledger the table is bound to, None when it is bound to none."""

    def bind_ledger(self, ledger_id: str, held: str | None) -> None:
        """The table is bound to this ledger, where it was bound to `held` before.

        Raises LedgerMismatch when it was bound to another one meanwhile.
        """
