"""Executors that are wrong on purpose: each replaces one function of the shipped one.

The oracle must refute every one of them; an oracle that passes a mutant proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from mendory import digest
from mendory.errors import CommitConflict
from mendory.executor import execute, recover
from mendory.executor.execute import Context, Result
from mendory.executor.store import Absent, Found, Store, Unreadable
from mendory.lance import RID, Writer
from mendory.ledger import Ledger
from mendory.ledger.records import Intent, IntentState
from mendory.work import Outcome, Settled, Unit


def no_conflict_check(ledger: Ledger) -> None:
    """`Writer.commit` lays the rows it was given over whatever the newest version holds."""

    def commit(self: Writer, rows: pa.Table, base: int, rid: str) -> int:
        """The stale rows replace those of the newest version; it never conflicts."""
        import lance

        while True:
            ds = lance.dataset(f"{self.uri}/{self.table_name}.lance")
            transaction, _ = ds.merge_insert(self.id_column).when_matched_update_all().execute_uncommitted(rows)
            transaction.transaction_properties = {RID: rid}
            try:
                return int(lance.LanceDataset.commit(ds, transaction).version)
            except OSError as error:
                if "conflict" not in str(error).lower():
                    raise

    Writer.commit = commit  # type: ignore[method-assign]


def content_only_recovery(ledger: Ledger) -> None:
    """`recover.outcome_in_history` looks at what the rows hold now, never at the repair ids in history."""

    def outcome_in_history(intent: Intent, through: int, store: Store) -> Found | Absent | Unreadable:
        """Applied when the rows hold what the intent meant to write; at the first version that held it."""
        want = {e.id: e.becomes for u in ledger.intents.units(intent.rid) for e in u.edits}
        assert isinstance(store, Writer)
        found: Found | Absent = Absent(through)
        for version in range(through, intent.base_version, -1):
            if _digests(store, sorted(want), version) != want:
                break
            found = Found(version)
        return found

    recover.outcome_in_history = outcome_in_history


def _digests(store: Writer, ids: Sequence[str], version: int) -> dict[str, str]:
    import lance

    ds = lance.dataset(f"{store.uri}/{store.table_name}.lance", version=version)
    rows = ds.to_table(filter=f"id IN ({', '.join(repr(i) for i in ids)})")
    names = rows.column("id").to_pylist()
    return dict(zip(names, digest.row_digests(rows, store.volatile), strict=True))


def no_intent(ledger: Ledger) -> None:
    """`execute.open_intent` lets everything pass and records nothing."""

    def open_intent(*_: Any) -> dict[str, Any]:
        """Nothing is refused and nothing recorded."""
        return {}

    execute.open_intent = open_intent  # type: ignore[assignment]


def receipt_before_commit(ledger: Ledger) -> None:
    """`execute.commit_and_seal` writes the receipt first, for the version it expects, and commits then."""

    def commit_and_seal(
        rid: str, epoch: int, version: int, settled: Settled, store: Store, ledger: Ledger
    ) -> list[Result]:
        """Sealed at the version that ought to come, then committed."""
        ledger.intents.close(rid, epoch, IntentState.APPLIED, version + 1)
        assert settled.after is not None
        at = store.commit(settled.after, version, rid)
        store.sync(at)
        return [Result(u, Outcome.APPLIED, "", rid, at) for u in settled.units]

    execute.commit_and_seal = commit_and_seal


def double_redo(ledger: Ledger) -> None:
    """`recover.redo` applies the intent twice, asking history no further question."""

    def redo(
        intent: Intent,
        version: int,
        settled: Settled,
        units: Sequence[Unit],
        store: Store,
        ledger: Ledger,
        context: Context,
    ) -> list[Result]:
        """Committed, and committed once more."""
        if settled.after is None:
            ledger.intents.close(intent.rid, intent.epoch, IntentState.REFUSED)
            return []
        ledger.intents.record_try(intent.rid, intent.epoch, None, settled.items)
        for _ in range(2):
            version = _insist(store, settled.after, intent.rid)
        return execute.seal(intent.rid, intent.epoch, settled.items, version, store, ledger)

    recover.redo = redo


def _insist(store: Store, rows: pa.Table, rid: str) -> int:
    while True:
        try:
            return store.commit(rows, store.latest(), rid)
        except CommitConflict:
            continue


ALL: dict[str, Callable[[Ledger], None]] = {
    f.__name__: f for f in (no_conflict_check, content_only_recovery, no_intent, receipt_before_commit, double_redo)
}
"""Name → what puts the wrong function in the right one's place."""


def install(name: str, ledger: Ledger) -> None:
    """This process's executor is that mutant from now on."""
    ALL[name](ledger)
