"""The shell around a check of what changed: where it begins, what it reads, and the checkpoint it leaves behind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import pyarrow as pa

from mendory import digest
from mendory.counts import Counts
from mendory.detect import Examination, Settings
from mendory.errors import DependencyMissing, VersionUnreadable
from mendory.facts import Changed, framed
from mendory.lance import Changes, Past, Reader, count_memories
from mendory.ledger import Ledger
from mendory.ledger.checkpoints import Checkpoint
from mendory.recheck import Alike, Earlier, Rechecked, Told, Unclear, recheck
from mendory.record import Memory
from mendory.side import Notes, View, overlaid
from mendory.sidestate import SideState
from mendory.traits import Traits

LAST: Final[Literal["last"]] = "last"
Since = int | Literal["last"]


@dataclass(frozen=True, slots=True)
class Basis:
    """How a check came to its findings: from every row, or from the rows that changed since a version.

    `why` says why every row was looked at though only changes were asked for. `standing` findings are earlier ones on
    rows that nothing touched.
    """

    since: int | None = None
    why: str = ""
    changed: int = 0
    looked_at: int = 0
    standing: int = 0

    def as_json(self) -> dict[str, Any]:
        """The shape `mendory check --json` prints."""
        return {
            "kind": "full" if self.since is None else "incremental",
            "since": self.since,
            "why": self.why,
            "changed": self.changed,
            "looked_at": self.looked_at,
            "standing": self.standing,
        }


class _Rows:
    """A table at one version, with what is kept aside of it laid over its rows."""

    def __init__(self, reader: Reader, notes: Notes, settings: Settings) -> None:
        self._reader, self._notes, self._settings = reader, notes, settings

    def of(self, ids: Collection[str]) -> Iterator[Memory]:
        """All rows with these ids, several of one id too."""
        for batch in self._reader.found(ids):
            yield from self._memories(batch)

    def told(self, ids: Collection[str]) -> Iterator[Told]:
        """The same rows in parts, as columns."""
        mapping, settings = self._reader.mapping, self._settings
        for batch in self._reader.found(ids):
            rows = Changed(framed(mapping, batch, settings, self._notes), mapping, settings)
            yield Told(rows, lambda mask, batch=batch: self._memories(batch.filter(pa.array(mask))))  # type: ignore[misc]

    def _memories(self, batch: pa.RecordBatch) -> list[Memory]:
        memories = self._reader.mapping.memories(batch)
        return [overlaid(memory, self._notes) for memory in memories] if self._notes else memories

    def count(self) -> int:
        """How many memories there are."""
        return count_memories(self._reader)


def changed(
    since: Since,
    about: str,
    reader: Reader,
    ledger: Ledger | None,
    index: SideState,
    settings: Settings,
    notes: Notes,
    neighbours: Alike | None = None,
) -> tuple[Rechecked | Unclear, Checkpoint | None]:
    """What a check of everything would find, from what changed since a checkpoint; and the checkpoint.

    Unclear, with the reason, where that can't be told. Nothing is written.
    """
    asked = None if since == LAST else int(since)
    held = ledger.checkpoints.newest(about, asked) if ledger else None
    if held is None or ledger is None:
        at = "" if asked is None else f" at version {asked}"
        return Unclear(
            f"there is no checkpoint{at} of this table as it is configured now: mendory plan leaves one"
        ), None
    if held.facts["notes"] != notes_mark(notes):
        return Unclear("what is kept aside of rows changed since the checkpoint"), held
    if held.version != reader.version and held.facts["spread"] != (neighbours.measured() if neighbours else None):
        return Unclear("the vectors say other things of their space than at the checkpoint"), held
    stands = index.tied()
    if stands is None or not held.version <= stands <= reader.version:
        return Unclear("the side state is gone or of another version: mendory plan brings it up"), held
    earlier = _earlier(held, ledger, settings)
    if earlier is None:
        return Unclear("the ledger no longer knows all findings of the checkpoint"), held
    try:
        change = Changes(held.version, held.version)
        if reader.version != held.version:
            change = reader.changed_since(held.version)
        view = View(reader, notes)
        rows = _Rows(reader, notes, settings)
        past = lambda: _Rows(Past(reader, held.version), notes, settings)  # noqa: E731
        return recheck(earlier, change, rows, past, view.fetch, index, settings, notes, neighbours), held
    except DependencyMissing:
        return Unclear("pylance is not installed, and only it can read a table's history"), held
    except VersionUnreadable:
        return Unclear(f"version {held.version} is gone"), held


def _earlier(held: Checkpoint, ledger: Ledger, settings: Settings) -> Earlier | None:
    findings = ledger.findings.known(held.findings)
    if len(findings) != len(held.findings):
        return None
    down = tuple((what, why) for what, why in held.facts["stands_down"])
    firsts = {tuple(key): tuple(ids) for key, ids in held.facts["firsts"]}
    return Earlier(held.version, findings, Counts.from_json(settings, held.facts["counts"]), down, firsts)


def notes_mark(notes: Notes) -> str:
    """A digest of what is kept aside of all rows."""
    return digest.of([[name, note.about, dict(note.fields)] for name, note in sorted(notes.items())])


def facts(counts: Counts, seen: Examination, notes: Notes, sick: Mapping[str, Traits], spread: Any) -> dict[str, Any]:
    """What a checkpoint keeps of a check beside its findings; `spread`: what bounds were guessed from."""
    return {
        "spread": spread,
        "counts": counts.as_json(),
        "stands_down": [list(line) for line in seen.stands_down],
        "firsts": [[list(key), list(ids)] for key, ids in seen.firsts.items()],
        "notes": notes_mark(notes),
        "sick": {name: row.as_json() for name, row in sick.items()},
    }


def sick_rows(held: Mapping[str, Any]) -> dict[str, Traits]:
    """The sick rows of a checkpoint, as a diagnosis compares them."""
    return {name: Traits.from_json(row) for name, row in held.get("sick", {}).items()}
