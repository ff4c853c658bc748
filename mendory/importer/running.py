"""An import in passes: judge and set aside, compare with the table, hand over what is new. No table is written."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mendory.detect.vectors import SAME
from mendory.errors import EmptyInput, InputInvalid, KeyNotUnique, Unavailable
from mendory.importer.against import against, dimension
from mendory.importer.files import Told
from mendory.importer.flags import BIT
from mendory.importer.judging import Judge
from mendory.importer.placing import State, empty_at, placed
from mendory.importer.quarantine import Quarantined
from mendory.importer.shaping import Shaping
from mendory.importer.sources import Source, expect_columns
from mendory.importer.staging import DIGEST, Batches, Stage, id_digest
from mendory.lance import Changes, Reader
from mendory.lance.live import live_rows_hold
from mendory.mapping import Mapping as FieldMapping
from mendory.mapping import Place
from mendory.record import FIELD_NAMES

_HINTS: Final = {
    State.EXISTS: ("id_exists", "the table has another record under this id; import it under a new id"),
    State.CONFLICT: ("conflicting_duplicate_id", "decide which record is right, or give them ids of their own"),
    State.NOT_SHOWN: (
        "not_shown",
        "live rows hold a value at a mark of mapping.hide and this one would hold none, so that the owner's reader may "
        "never return it: say under [mapping.show] what live rows hold",
    ),
    State.NO_WORD: (
        "illegal_status",
        "the owner's table can't say this status, or that there is none: name a word for it under [mapping.status] "
        "values, or give every record one with --set status=active",
    ),
    State.NO_FORM: (
        "scope_not_allowed",
        "the owner's table makes the scope of several places, and this one is not of that form: give it in that form",
    ),
    State.TAKEN: (
        "metadata_conflict",
        "its metadata has another value where the mapping keeps a field or a mark: rename that key",
    ),
    State.UNFIT: ("wrong_type", "a value does not fit the type of its place in the owner's table"),
}


class Import:
    """One import: `take` the records of the source, `settle` them against the table, then `refused` and `fresh`.

    `folder` is a temporary one, where everything waits; `schema` is that of the table, or of the one to be made.
    """

    def __init__(
        self, source: Source, shaping: Shaping, mapping: FieldMapping, schema: pa.Schema, now: datetime, folder: Path
    ) -> None:
        marked = mapping.can_hide and not mapping.has("status")
        fields = tuple(name for name in FIELD_NAMES if mapping.has(name) or (marked and name == "status"))
        expect_columns(source, shaping, fields)
        self._source, self._mapping, self._schema = source, mapping, schema.remove_metadata()
        self._judge = Judge(shaping, dimension(schema, mapping), now, fields, mapping.skip_ids, marked)
        self._early = folder / "refused"
        self.read = 0
        self._reasons: Counter[str] = Counter()
        with _room(folder):
            self._stage = Stage(folder / "records", dimension(schema, mapping))
            self._fresh = Batches(folder / "rows", self._schema)
        self._states = np.zeros(0, np.uint8)
        self._doubled = self._cut = np.zeros(0, bool)
        self._folder, self._stamp = folder, source.stamp()
        self._filled: dict[Place, bool] = {}

    def take(self, told: Told | None = None) -> None:
        """Every record of the source is judged, and set aside or refused.

        Raises EmptyInput when there is none.
        """
        with _room(self._folder), self._early.open("w", encoding="utf-8") as early:
            for one in self._source.records(told):
                self.read += 1
                found = self._judge.judge(one)
                if isinstance(found, Quarantined):
                    self._reasons[found.reason] += 1
                    early.write(found.entry())
                else:
                    self._stage.add(found)
            self._stage.close()
        if self.read == 0:
            raise EmptyInput(
                f"{self._source.name} holds no record. Nothing was imported, nothing was removed. Look at the file."
            )

    def settle(self, reader: Reader | None) -> None:
        """Of each record it is known what becomes of it; `reader` reads the table, None while there is none.

        May be called again when the table changed since. Raises KeyNotUnique for a table to import whose ids repeat.
        """
        with _room(self._folder):
            self._fresh, self._filled = Batches(self._folder / "rows", self._schema), {}
            leader, differs = self._stage.same_as_first()
            self._doubled = (leader != np.arange(len(leader))) & ~differs
            if self._source.keyed and (differs.any() or self._doubled.any()):
                several = int(np.unique(leader[differs | self._doubled]).size)
                raise KeyNotUnique(
                    f"{self._source.name}: {several} id(s) are held by several rows. Nothing was imported. Name a "
                    "column that is unique, or make one: --map 'id={id}-{line}'."
                )
            self._states = np.where(differs, State.CONFLICT, State.FRESH).astype(np.uint8)
            self._cut = np.zeros(len(leader), bool)
            there = _held(self._stage.ids, reader)
            for at, batch in self._stage.batches():
                self._settle(at, batch, there, reader)
            self._fresh.close()
            self._states = np.where(self._doubled, self._states[leader], self._states)
            self._cut = self._cut[leader]

    def _settle(self, at: int, batch: pa.RecordBatch, there: np.ndarray, reader: Reader | None) -> None:
        here = slice(at, at + batch.num_rows)
        alive = np.flatnonzero((self._states[here] == State.FRESH) & ~self._doubled[here])
        if not len(alive):
            return
        chosen = batch if len(alive) == batch.num_rows else batch.take(pa.array(alive))
        rows, states, cut = placed(chosen, self._mapping, self._schema)
        self._states[at + alive], self._cut[at + alive] = states, cut
        alive = alive[np.asarray(states) == State.FRESH]
        known = there[at + alive]
        if known.any() and reader is not None:
            offered = pa.Table.from_batches([rows.filter(pa.array(known))])
            held = reader.rows(offered.column(reader.id_column).to_pylist())
            self._states[at + alive[known]] = against(offered, held, self._mapping)
        fresh = self._states[at + alive] == State.FRESH
        if fresh.any():
            rows, alive = (rows, alive) if fresh.all() else (rows.filter(pa.array(fresh)), alive[fresh])
            if reader is not None and (unseen := self._unseen(rows, reader)).any():
                self._states[at + alive[unseen]] = State.NOT_SHOWN
                rows = rows.filter(pa.array(~unseen))
            self._fresh.write(rows)

    def _unseen(self, rows: pa.RecordBatch, reader: Reader) -> np.ndarray:
        """The rows that lie empty at a hiding mark where live rows hold something; an empty status is told as such."""
        unseen = np.zeros(rows.num_rows, bool)
        for place, value in self._mapping.vocabulary.hide or ():
            if place == self._mapping.place("status") or not (empty := empty_at(rows, place)).any():
                continue
            if place not in self._filled:  # read once, and only where it matters
                self._filled[place] = live_rows_hold(reader, place, value)
            if self._filled[place]:
                unseen |= empty
        return unseen

    def clashes(self, changes: Changes) -> bool:
        """True when one of the new rows' ids was written meanwhile, or nobody can tell: `settle` again."""
        if changes.full:
            return True
        came = np.frombuffer(b"".join(map(id_digest, changes.ids)), DIGEST)
        return bool(np.isin(self._stage.ids[self._new], came).any())

    def doubled(self, reader: Reader) -> int:
        """How many ids of the new rows the table has more than once."""
        held = np.concatenate([np.zeros(0, DIGEST), *_ids_of(reader)])
        new, count = np.unique(held[np.isin(held, self._stage.ids[self._new])], return_counts=True)
        return int((count > 1).sum()) if len(new) else 0

    @property
    def _new(self) -> Any:
        return (self._states == State.FRESH) & ~self._doubled

    # --- what came of it ------------------------------------------------------------------------

    @property
    def imported(self) -> int:
        """How many rows are new."""
        return self._fresh.rows

    def fresh(self) -> pa.RecordBatchReader:
        """The new rows, in the table's own shape."""
        return self._fresh.reader()

    def refused(self) -> Iterator[str]:
        """The entry of every refused record, in the order of the source; some are read there a second time.

        Raises InputInvalid when the source is no longer what it was.
        """
        early = ((_line(entry), entry) for entry in _entries(self._early))
        return (entry for _, entry in heapq.merge(early, self._late(), key=lambda pair: pair[0]))

    def _late(self) -> Iterator[tuple[int, str]]:
        positions = np.flatnonzero(self._states >= State.EXISTS)
        if not len(positions):
            return
        if self._source.stamp() != self._stamp:
            raise self._changed()
        at = 0
        for one in self._source.records(None):
            if one.number == self._stage.numbers[positions[at]]:
                reason, hint = _HINTS[State(self._states[positions[at]])]
                yield one.number, Quarantined(one.number, reason, hint, one.text).entry()
                at += 1
                if at == len(positions):
                    return
        raise self._changed()

    def _changed(self) -> InputInvalid:
        return InputInvalid(f"{self._source.name} was changed meanwhile. Nothing was imported. Import it again.")

    def counts(self, written: bool = True) -> dict[str, Any]:
        """The counts of a whole import; `written` is False where the new rows are not in the table."""
        reasons = self._reasons + Counter(_HINTS[State(s)][0] for s in self._states[self._states >= State.EXISTS])
        good = self._states < State.EXISTS
        refused = reasons.total()
        return {
            "read": self.read,
            "ok": self.read - refused,
            "imported": self.imported if written else 0,
            "already_there": int(((self._states == State.PRESENT) & ~self._doubled).sum()),
            "duplicate_exact": int((self._doubled & good).sum()),
            "quarantined": refused,
            "rejected": 0,
            "reasons": dict(sorted(reasons.items())),
            "flagged": self._flagged(good),
        }

    def _flagged(self, good: np.ndarray) -> dict[str, int]:
        held = np.frombuffer(self._stage.flags, np.uint32)[good]
        cut = np.where(self._cut, BIT["timestamp_precision"], 0).astype(np.uint32)[good]
        held = held | cut
        found = {name: int((held & bit != 0).sum()) for name, bit in BIT.items()}
        found |= dict.fromkeys(self._source.noted, 1)
        if self._stage.uniform and self._stage.vectors >= SAME:
            found["embedding_suspicious"] = self._stage.vectors
        return {name: number for name, number in sorted(found.items()) if number}


def rejected(read: int) -> dict[str, Any]:
    """The counts of an import that was refused as a whole."""
    names = ("ok", "imported", "already_there", "duplicate_exact", "quarantined")
    return {"read": read} | dict.fromkeys(names, 0) | {"rejected": read, "reasons": {}, "flagged": {}}


def _held(ids: np.ndarray, reader: Reader | None) -> np.ndarray:
    """True for each id that the table has; its ids are read once, alone."""
    if reader is None:
        return np.zeros(len(ids), bool)
    return np.isin(ids, np.concatenate([np.zeros(0, DIGEST), *_ids_of(reader)]))


def _ids_of(reader: Reader) -> Iterator[np.ndarray]:
    """The digests of all ids, batch by batch."""
    for batch in reader.batches([reader.id_column]):
        held = b"".join(id_digest(i) for i in batch.column(0).to_pylist() if i is not None)
        yield np.frombuffer(held, DIGEST)


def _entries(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        yield from file


def _line(entry: str) -> int:
    return int(entry[len('{"line": ') : entry.index(",")])


@contextmanager
def _room(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise Unavailable(
            f"The temporary folder {folder.parent} can't be used: {why}. Nothing was imported. Make room there, or "
            "name another one with TMPDIR."
        ) from None
