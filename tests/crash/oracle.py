"""The oracle: every row change of every version has exactly one explanation, and every record its change.

It shares no code with the executor: history is read with plain Lance, the ledger with plain SQL, rows are
compared bit by bit. Each rule belongs to one of four counts: `lost`, `doubled`, `false_records`,
`foreign_overwritten`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.crash.history import Change, History, Row, Version
from tests.crash.ledgerfile import Entry, Record, records

COUNTS = ("lost", "doubled", "false_records", "foreign_overwritten")
RULES: Mapping[str, str] = MappingProxyType(
    {
        "receipt_without_commit": "lost",
        "receipt_without_change": "lost",
        "promise_without_receipt": "lost",
        "refused_without_cause": "lost",
        "row_vanished": "lost",
        "index_disagrees": "lost",
        "one_repair_in_two_versions": "doubled",
        "unit_applied_twice": "doubled",
        "id_held_twice": "doubled",
        "write_seen_twice": "doubled",
        "commit_without_receipt": "false_records",
        "commit_without_intent": "false_records",
        "receipt_names_another_version": "false_records",
        "receipt_says_other_rows": "false_records",
        "before_image_is_not_what_was_there": "false_records",
        "after_image_is_not_what_was_written": "false_records",
        "rollback_is_not_the_inverse": "false_records",
        "change_without_explanation": "false_records",
        "intent_left_open": "false_records",
        "outcome_unknown_in_whole_history": "false_records",
        "chain_broken": "false_records",
        "recovery_failed": "false_records",
        "executor_failed": "false_records",
        "applied_and_not_verified": "false_records",
        "foreign_change_overwritten": "foreign_overwritten",
        "acknowledged_write_missing": "foreign_overwritten",
    }
)
"""Rule → the count it belongs to."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold, and where."""

    rule: str
    detail: str

    @property
    def count(self) -> str:
        """Which of the four counts it adds to."""
        return RULES[self.rule]


@dataclass(frozen=True, slots=True)
class Write:
    """A foreign write as LanceDB acknowledged it; `ids` None means rows chosen by another column."""

    op: str
    token: str
    ids: frozenset[str] | None
    rows: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What the oracle saw of one round."""

    broken: tuple[Broken, ...]
    versions: int
    repairs: int
    rollbacks: int
    foreign: int


def judge(folder: Path) -> Judged:
    """The round in `folder`, after everybody has ended."""
    oracle = Oracle(records(folder), foreign_writes(folder), promises(folder))
    history = History(folder)
    for version in history.walk():
        oracle.see(version)
    oracle.finish()
    wrong = history.check_last()
    if wrong:
        oracle.broken.append(Broken("index_disagrees", wrong))
    applied = [r.kind for r in oracle.records.values() if r.state == "applied"]
    return Judged(
        tuple(oracle.broken),
        history.last,
        applied.count("apply"),
        applied.count("rollback"),
        len(oracle.writes),
    )


def foreign_writes(folder: Path) -> list[Write]:
    """Every acknowledged write of every foreigner that changed rows."""
    lines = [json.loads(x) for path in sorted(folder.glob("foreign-*.jsonl")) for x in path.read_text().splitlines()]
    return [
        Write(x["op"], x["token"], None if x["ids"] is None else frozenset(x["ids"]), x["rows"])
        for x in lines
        if x["op"] != "failed" and x["rows"]
    ]


def promises(folder: Path) -> list[tuple[str, str, int]]:
    """(unit key, repair id, version) of every unit that the executor told its caller was applied."""
    path = folder / "acks.jsonl"
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        found += [(key, rid, version) for key, _, rid, version in json.loads(line)]
    return found


class Oracle:
    """Sees the versions in order, and then what is left unexplained."""

    def __init__(
        self, held: Mapping[str, Record], writes: Sequence[Write], told: Sequence[tuple[str, str, int]]
    ) -> None:
        self.records, self.writes, self.told = held, writes, told
        self.broken: list[Broken] = []
        self._by_token = {w.token: w for w in writes if w.op != "delete"}
        self._deletes = {i: w for w in writes if w.op == "delete" for i in w.ids or ()}
        self._rid_at: dict[str, int] = {}
        self._write_at: dict[str, int] = {}
        self._seen_rows: Counter[str] = Counter()
        self._changed_at: defaultdict[str, list[int]] = defaultdict(list)

    def see(self, version: Version) -> None:
        """One version's changes are explained, or a rule is broken."""
        for change in version.changes:
            self._changed_at[change.row_id].append(version.number)
        for row in sorted(version.shared):
            self._break("id_held_twice", f"{row} in version {version.number}")
        if version.rid is not None:
            self._see_repair(version, version.rid)
        elif version.changes and not (version.operation in ("Overwrite", "Append") and _initial(version)):
            self._see_foreign(version)

    def finish(self) -> None:
        """The records and acknowledgements that history should have borne out."""
        for record in self.records.values():
            self._check_record(record)
        self._check_units()
        for key, rid, version in self.told:
            held = self.records.get(rid)
            if held is None or held.state != "applied" or held.version != version:
                self._break("promise_without_receipt", f"unit {key[:8]} of repair {rid[:8]} at version {version}")
        for write in self.writes:
            if write.token not in self._write_at:
                self._break("acknowledged_write_missing", f"{write.op} {write.token}")
            elif self._seen_rows[write.token] != write.rows:
                seen = self._seen_rows[write.token]
                self._break("acknowledged_write_missing", f"{write.op} {write.token}: {seen} of {write.rows} rows")

    def _break(self, rule: str, detail: str) -> None:
        self.broken.append(Broken(rule, detail))

    # --- our own commits --------------------------------------------------------------------------

    def _see_repair(self, version: Version, rid: str) -> None:
        where = f"repair {rid[:8]} in version {version.number}"
        if rid in self._rid_at:
            self._break("one_repair_in_two_versions", f"{where} and {self._rid_at[rid]}")
        self._rid_at[rid] = version.number
        record = self.records.get(rid)
        if record is None:
            self._break("commit_without_intent", where)
            return
        if record.state != "applied":
            self._break("commit_without_receipt", f"{where}, which the ledger calls {record.state}")
        elif record.version != version.number:
            self._break("receipt_names_another_version", f"{where}; the receipt says {record.version}")
        self._compare(version, record, where)

    def _compare(self, version: Version, record: Record, where: str) -> None:
        changes = {c.row_id: c for c in version.changes}
        entries: dict[str, list[Entry]] = {}
        for entry in record.entries:
            entries.setdefault(entry.row_id, []).append(entry)
        for row in sorted(changes.keys() - entries.keys()):
            rule = "row_vanished" if changes[row].after is None else "receipt_says_other_rows"
            self._break(rule, f"{row} by {where}")
        for row, chain in entries.items():
            change = changes.get(row)
            if change is None:
                self._break("receipt_without_change", f"{row} by {where}")
            else:
                self._compare_row(change, chain, where)

    def _compare_row(self, change: Change, chain: Sequence[Entry], where: str) -> None:
        at = f"{change.row_id} by {where}"
        if change.before is None or change.after is None:
            self._break("row_vanished" if change.after is None else "receipt_says_other_rows", at)
            return
        first, last = chain[0], chain[-1]
        if any(a.after != b.before for a, b in pairwise(chain)):
            self._break("before_image_is_not_what_was_there", f"{at}, between its own steps")
        if first.before != change.before:
            theirs = _differing(first.before, change.before)
            undone = theirs & _differing(change.before, change.after)
            rule = "foreign_change_overwritten" if undone else "before_image_is_not_what_was_there"
            self._break(rule, f"{', '.join(sorted(theirs))} of {at}")
        if last.after != change.after:
            self._break("after_image_is_not_what_was_written", at)
        if not change.columns() <= frozenset().union(*(e.columns for e in chain)):
            self._break("receipt_says_other_rows", f"{', '.join(sorted(change.columns()))} of {at}")

    def _check_record(self, record: Record) -> None:
        where = f"repair {record.rid[:8]} ({record.kind})"
        if record.state == "open":
            self._break("intent_left_open", where)
        elif record.state == "unknown":
            self._break("outcome_unknown_in_whole_history", where)
        elif record.state == "applied" and record.rid not in self._rid_at:
            self._break("receipt_without_commit", f"{where} at version {record.version}")
        elif record.state == "refused" and not any(self._changed_after(e.row_id, record) for e in record.entries):
            self._break("refused_without_cause", f"{where}: no row of it changed after {record.base_version}")

    def _changed_after(self, row: str, record: Record) -> bool:
        at = self._changed_at[row]
        return bisect_right(at, record.base_version) < len(at)

    def _check_units(self) -> None:
        applied: defaultdict[str, list[Record]] = defaultdict(list)
        for record in self.records.values():
            if record.state == "applied":
                for key in {e.key for e in record.entries}:
                    applied[key].append(record)
        for key, by in applied.items():
            self._check_unit(key, sorted(by, key=lambda r: r.version or 0))
        for record in self.records.values():
            for entry in record.entries if record.state == "applied" and record.kind == "rollback" else ():
                self._check_inverse(record, entry)

    def _check_unit(self, key: str, by: Sequence[Record]) -> None:
        for earlier, later in pairwise(by):
            ends = [e.undone_by for e in earlier.entries if e.key == key]
            undone = [self.records[u].version or 0 for u in ends if u is not None and u in self.records]
            if not undone or min(undone) > (later.version or 0):
                self._break("unit_applied_twice", f"unit {key[:12]} by {earlier.rid[:8]} and {later.rid[:8]}")

    def _check_inverse(self, record: Record, entry: Entry) -> None:
        _, rid, seq = entry.key.split(":")
        origin = self.records.get(rid)
        undone = [e for e in origin.entries if e.seq == int(seq)] if origin else []
        where = f"{entry.row_id} by repair {record.rid[:8]} (rollback of {rid[:8]})"
        if not undone or undone[0].undone_by != record.rid:
            self._break("rollback_is_not_the_inverse", f"{where}: the repair does not know of it")
        elif _without_bookkeeping(undone[0].before) != _without_bookkeeping(entry.after):
            self._break("rollback_is_not_the_inverse", f"{where}: the row is not as before")

    # --- other writers' commits -------------------------------------------------------------------

    def _see_foreign(self, version: Version) -> None:
        tokens: set[str] = set()
        for change in version.changes:
            write = self._explain(change)
            if write is None:
                rule = "row_vanished" if change.after is None else "change_without_explanation"
                self._break(rule, f"{change.row_id} in version {version.number} ({version.operation})")
                continue
            tokens.add(write.token)
            self._seen_rows[write.token] += 1
        if len(tokens) > 1:
            self._break("change_without_explanation", f"version {version.number} holds {len(tokens)} foreign writes")
        for token in sorted(tokens):
            if token in self._write_at:
                self._break("write_seen_twice", f"{token} in versions {self._write_at[token]} and {version.number}")
            self._write_at[token] = version.number

    def _explain(self, change: Change) -> Write | None:
        if change.after is None:
            return self._deletes.get(change.row_id)
        after = dict(change.after)
        if change.before is None:
            return self._match(after["source"], "append", change.row_id)
        columns = change.columns()
        if columns == {"source"}:
            return self._match(after["source"], "update", change.row_id)
        if columns == {"batch_id"}:
            return self._match(after["batch_id"], "merge", change.row_id)
        return None

    def _match(self, token: Any, op: str, row: str) -> Write | None:
        write = self._by_token.get(token)
        return write if write and write.op == op and (write.ids is None or row in write.ids) else None


def _initial(version: Version) -> bool:
    """True for the versions that built the table: rows of its own names, which nobody had before."""
    return all(c.before is None and c.row_id.startswith("m") for c in version.changes)


def _differing(one: Row, other: Row) -> frozenset[str]:
    return frozenset(a[0] for a, b in zip(one, other, strict=True) if a != b)


def _without_bookkeeping(row: Row) -> Row:
    """The row without what a mere read of a memory changes."""
    return tuple(cell for cell in row if cell[0] != "last_accessed_at")


def totals(broken: Iterable[Broken]) -> dict[str, int]:
    """How often each of the four counts was added to."""
    counts = Counter(b.count for b in broken)
    return {name: counts[name] for name in COUNTS}
