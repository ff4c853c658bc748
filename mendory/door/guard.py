"""The guard at the door: what a memory is to those of its scope, before it is written."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mendory.config import Config
from mendory.detect import Settings
from mendory.door.judging import Fault, refusal
from mendory.door.ledger import LedgerView
from mendory.door.shelf import Shelf
from mendory.door.verdict import WHOLLY, Around, Guarded, Unjudged, Verdict, judged, unjudged
from mendory.errors import (
    DependencyMissing,
    InputInvalid,
    LedgerCorrupt,
    SchemaMismatch,
    TableCorrupt,
    Unavailable,
    VersionUnreadable,
)
from mendory.lance.following import Following
from mendory.language import language_of
from mendory.mapping import RELATIONS
from mendory.mapping import Mapping as FieldMapping
from mendory.record import Memory
from mendory.side import overlaid
from mendory.telemetry import GuardNote, Telemetry
from mendory.thresholds import Threshold, Thresholds
from mendory.vectors import grid

_LOG: Final = logging.getLogger(__name__)
MOST: Final = 8
"""Rows with the same text, and rows with a near one, that are read for one memory, the nearest first: to judge a text
costs about half a millisecond, and a check has ten. More than three that a veto keeps apart are a series anyhow."""
_NOWHERE: Final = 2.0
"""A cosine that none reaches."""
_GIVEN: Final = frozenset(
    {
        *("id", "content", "scope", "source", "metadata", "kind", "claim", "status", "created_at", "batch_id"),
        *("related_ids", "related_notes", "embedding", "columns"),
    }
)
_UNREAD: Final = (TableCorrupt, VersionUnreadable, Unavailable, SchemaMismatch, LedgerCorrupt, DependencyMissing)


class Guard:
    """Compares a memory that is about to be written with the recallable ones of its scope. Threads take turns.

    The memories are held in this process, read once from the table and then followed: every verdict is about the
    newest version, whoever wrote it, and about rows as they were just read again. See `shelf.Shelf` for the memory.
    """

    def __init__(
        self,
        config: Config,
        mapping: FieldMapping,
        ledger: LedgerView,
        row: Callable[[Mapping[str, Any]], pa.Table],
    ) -> None:
        """`row` makes the row that the door would write for a memory."""
        self._config, self._mapping, self._ledger, self._row = config, mapping, ledger, row
        self._lock = Lock()
        self._shelf: Shelf | None = None
        self._thresholds: tuple[str | None, Thresholds] | None = None
        self._settings: Settings | None = None

    def check(self, memory: Mapping[str, Any] | Memory) -> Guarded:
        """What the memory is to those of its scope; nothing is written.

        Args:
            memory: What `add` takes, by name, or a `mendory.record.Memory`. Its text is embedded unless `embedding` is
                there.

        Raises:
            MemoryRefused, SpaceUnknown: What `add` would raise for it, but for a double write.
        """
        return self.judge(self._row(_given(memory)))

    def judge(self, row: pa.Table) -> Guarded:
        """What one row of the owner's table, which need not be in it, is to the others; its own id is left out.

        A table, ledger or language that can't be read makes no verdict: the memory is as good as new, and the log says
        what happened.
        """
        section = self._config.guard
        if not section.enabled:
            return Guarded(Verdict.NEW, unjudged=(Unjudged.OFF,))
        memory, vector = self._mapping.memories(row)[0], self._vector(row)
        try:
            with self._lock:
                return self._judged(memory, vector, section.max_memory_mb * 1_000_000)
        except _UNREAD as error:
            _LOG.warning("A memory was compared with no other one: %s.", error.name)
            return Guarded(Verdict.NEW, unjudged=(Unjudged.FAILED,))

    def _judged(self, memory: Memory, vector: npt.NDArray[np.float32] | None, most_bytes: int) -> Guarded:
        if self._settings is None:
            self._settings = Settings.of(self._config, self._mapping)
        language = language_of(memory.content or "")
        limit = self._limit(language.code) if language else None
        code = language.code if language else None
        why = unjudged(memory, self._settings, limit, code)
        if WHOLLY.intersection(why):
            return Guarded(Verdict.NEW, unjudged=why)
        shelf = self._held(len(vector) if vector is not None else None)
        if not shelf.bring_up(most_bytes):
            return Guarded(Verdict.NEW, unjudged=(Unjudged.SIZE,))
        alike = shelf.alike(memory, vector, limit.floor if limit else _NOWHERE, MOST)
        near = alike.near.rows.tolist() if limit else []
        held = {row: self._overlaid(m) for row, m in shelf.memories([*alike.equal, *near]).items() if m.id != memory.id}
        cosines = dict(zip(near, alike.near.cosine.tolist(), strict=False))
        around = Around(
            [held[row] for row in alike.equal if row in held],
            [(held[row], cosine) for row, cosine in cosines.items() if row in held],
        )
        return judged(memory, around, self._settings, limit, code)

    def _held(self, width: int | None) -> Shelf:
        """The shelf for vectors of that width; any will do for a memory without one."""
        if self._shelf is None or width not in (None, self._shelf.width):
            following = Following(self._config.table_uri, self._config.table.name)
            self._shelf = Shelf(following, self._mapping, width or self._width(following.schema))
        return self._shelf

    def _width(self, schema: pa.Schema) -> int:
        vector = self._mapping.column("embedding")
        kind = schema.field(vector).type if vector in schema.names else None
        return int(kind.list_size) if kind is not None and pa.types.is_fixed_size_list(kind) else 1

    def _vector(self, row: pa.Table) -> npt.NDArray[np.float32] | None:
        """The row's vector at length 1; None where it has none that can be compared."""
        name = self._mapping.column("embedding")
        if name is None:
            return None
        found: npt.NDArray[np.float32] = grid(pa.chunked_array(row.column(name).chunks, row.column(name).type))[0]
        return found if len(found) and np.isfinite(found).all() else None

    def _limit(self, language: str) -> Threshold | None:
        """The threshold of the language in the table's space; None where it would only be guessed."""
        if self._thresholds is None:
            searched, section = self._ledger.pointer().searched, self._config.embedder
            held = self._ledger.space(searched.id) if searched is not None else None
            said = json.loads(held[2])["model"] if held is not None else section.model_name if section else None
            self._thresholds = said or "unknown", Thresholds(self._ledger.thresholds())
        space, known = self._thresholds
        found = known.of(space, language)
        return None if found.for_people else found

    def _overlaid(self, memory: Memory) -> Memory:
        """The memory with what the ledger keeps aside of it."""
        if self._mapping.vocabulary.pending is not None and all(map(self._mapping.has, RELATIONS)):
            return memory
        return overlaid(memory, self._ledger.notes(str(memory.id)))


class Admitted:
    """One write of the door: its row was judged just before, and what there is to say of it is noted after."""

    def __init__(self, guard: Guard, telemetry: Telemetry, now: datetime, refuses: bool) -> None:
        """With `refuses`, an exact double write is not admitted."""
        self._guard, self._telemetry, self._now, self._refuses = guard, telemetry, now, refuses
        self._found = Guarded(Verdict.NEW)

    def row(self, ident: str, row: pa.Table) -> pa.Table:
        """The row, when it may be written; raises MemoryRefused for an exact double write that brings nothing new."""
        self._found = self._guard.judge(row)
        if self._refuses and self._found.covered:
            self._note(ident, None)
            raise refusal([Fault("duplicate_exact", _double(self._found.ids[0]))])
        return row

    def note(self, ident: str, version: int) -> None:
        """The verdict is noted, unless the memory was new."""
        if self._found.verdict is not Verdict.NEW:
            self._note(ident, version)

    def _note(self, ident: str, version: int | None) -> None:
        found = self._found
        vetoes = tuple(veto.value for veto in found.vetoes)
        self._telemetry.note_guard(
            GuardNote(self._now, ident, found.verdict.value, found.ids, found.score, vetoes, version)
        )


def _double(held: str) -> str:
    return (
        f"the memory {held!r} says exactly this and was written within duplicate.window, so nothing is lost: use it, "
        'or set guard.duplicate_exact = "note"'
    )


def _given(memory: Mapping[str, Any] | Memory) -> dict[str, Any]:
    if isinstance(memory, Memory):
        held = {f.name: getattr(memory, f.name) for f in fields(memory) if f.name in _GIVEN}
        return {name: value for name, value in held.items() if value is not None}
    if not isinstance(memory, Mapping):
        raise InputInvalid(
            f"The guard was given a {type(memory).__name__}. Nothing was read. Give what `add` takes, as a mapping."
        )
    unknown = sorted(str(name) for name in set(memory) - _GIVEN)
    if unknown:
        raise InputInvalid(
            f"The guard was given what `add` does not take: {', '.join(unknown)}. Nothing was read. Leave it out."
        )
    if "content" not in memory:
        raise InputInvalid("The guard was given no content. Nothing was read. Name it.")
    return dict(memory)
