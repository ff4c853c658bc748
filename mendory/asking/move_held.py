"""The gate of a move that stands, what changed in the table since, and whether a person's word on it still holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mendory.clinic import Clinic
from mendory.errors import TableCorrupt, VersionUnreadable
from mendory.lance import Past, Reader, count_memories
from mendory.ledger.moves import Move, Passed
from mendory.migration.kept import gate_of
from mendory.migration.stages import Stage
from mendory.migration.void import Void
from mendory.side import text_digest


@dataclass(frozen=True, slots=True)
class MovedOn:
    """How many of the table's rows have another text than when the gate saw them, came, or went.

    `rows` are those that the gate saw. `known` is False where the history does not tell: then all may have.
    """

    rows_changed: int
    rows: int
    known: bool = True

    @property
    def share(self) -> float:
        """The share of the rows that the gate saw; 1 where nobody knows."""
        return self.rows_changed / max(1, self.rows) if self.known else 1.0


def gate_passed(move: Move) -> Passed | None:
    """When the gate that stands was recorded; None where none stands.

    It is the newest one. It stands when it passed, nobody rejected it, and the move did not go back to filling since.
    """
    for passed in reversed(move.passed):
        if "gate" in passed.told and passed.stage is Stage.GATING:
            return passed if passed.told["gate"]["passed"] else None
        if "rejected" in passed.told or passed.stage is Stage.FILLING:
            return None
    return None


def held_gate(move: Move) -> Mapping[str, Any] | None:
    """The gate that stands, as `Gate.as_json` told it; None where none stands."""
    passed = gate_passed(move)
    return None if passed is None else passed.told["gate"]


def newest_gate(move: Move) -> Mapping[str, Any] | None:
    """The newest gate there is, one that refused too."""
    return next((p.told["gate"] for p in reversed(move.passed) if "gate" in p.told and p.stage is Stage.GATING), None)


def approval(move: Move) -> Passed | None:
    """The newest word of a person by which the move was approved."""
    return next((p for p in reversed(move.passed) if "gate" in p.told and p.stage is Stage.APPROVED), None)


def moved_on(clinic: Clinic, move: Move) -> MovedOn:
    """What changed since the gate that stands; nothing where none does.

    Who wrote does not matter, the text does: a vector filled or embedded anew is no change, nor is a row that was
    rewritten with the text it had. Cost: the rows written since, read at both versions.
    """
    held = held_gate(move)
    return MovedOn(0, 0) if held is None else _since(clinic, int(held["version"]))


def _since(clinic: Clinic, version: int) -> MovedOn:
    clinic.reader.refresh()
    change = clinic.reader.changed_since(version)
    try:
        past = Past(clinic.reader, version)
        rows = count_memories(past)
        if change.full:
            return MovedOn(rows, rows, known=False)
        touched = change.ids | change.gone
        before, after = _texts(past, touched), _texts(clinic.reader, touched)
    except (VersionUnreadable, TableCorrupt):
        rows = count_memories(clinic.reader)
        return MovedOn(rows, rows, known=False)
    return MovedOn(sum(before.get(ident) != after.get(ident) for ident in before.keys() | after.keys()), rows)


def _texts(reader: Reader, ids: Collection[str]) -> dict[str, list[str]]:
    """Id → the digests of the texts of its rows."""
    found: dict[str, list[str]] = defaultdict(list)
    said = {reader.id_column, reader.mapping.column("content")}
    for batch in reader.found(ids, [c for c in reader.mapping.scan_columns(reader.schema) if c in said]):
        for memory in reader.mapping.memories(batch):
            found[str(memory.id)].append(text_digest(memory))
    return {ident: sorted(texts) for ident, texts in found.items()}


def still_stands(clinic: Clinic, move: Move) -> Void | None:
    """Why the gate, and where the move is approved the word on it, holds no more; None where it does.

    In the stage `approved` the word must be of the gate that stands and no older than `approval.window`; a canary that
    began in time is not ended by that. Raises LedgerCorrupt when somebody wrote the ledger who is not Mendory.
    """
    clinic.ledger.verify()
    held, word = held_gate(move), approval(move)
    if held is None:
        return Void.NO_GATE
    if move.stage is not Stage.GATING:
        if word is None or word.told["gate"] != gate_of(held).digest:
            return Void.OTHER_GATE
        if move.stage is Stage.APPROVED and clinic.clock() - word.at > clinic.config.approval.window:
            return Void.EXPIRED
    return too_far(clinic, moved_on(clinic, move))


def too_far(clinic: Clinic, moved: MovedOn) -> Void | None:
    """Why so much has changed that no word on the gate counts; None where it has not."""
    if not moved.known:
        return Void.UNKNOWN
    return Void.ROWS_CHANGED if moved.share > clinic.config.migration.void_share else None
