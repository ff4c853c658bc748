"""What a door finds wrong with the memories of the table, or with some of them. Nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from mendory.config import Config
from mendory.detect import Settings, examine
from mendory.detect.context import references
from mendory.door.ledger import LedgerView
from mendory.door.opened import Opened
from mendory.errors import InputInvalid
from mendory.finding import Finding
from mendory.lance import Reader, any_of
from mendory.mapping import RELATIONS
from mendory.mapping import Mapping as FieldMapping
from mendory.record import Memory
from mendory.side import View, overlaid

_FETCHED: Final = 2000


def wanted_ids(ids: Sequence[str] | None) -> frozenset[str] | None:
    """The ids, None for all rows; raises InputInvalid where they are no list of ids."""
    if ids is None:
        return None
    if not isinstance(ids, Collection) or isinstance(ids, str) or not all(isinstance(one, str) for one in ids):
        raise InputInvalid("'check' takes a list of ids. Nothing was read. Give a list, even for one id.")
    return frozenset(ids)


def checked(config: Config, at: Opened, ledger: LedgerView, wanted: frozenset[str] | None) -> tuple[Finding, ...]:
    """What is wrong with these rows, or with any where None are named, as the table is now."""
    settings, reader = Settings.of(config, at.mapping), at.reader
    notes = ledger.notes() if _keeps_aside(at.mapping) else {}
    reader.refresh()
    at.mapping.check(reader.schema)
    view = View(reader, notes)
    if wanted is None:
        return examine(view.scan(), view.fetch, settings).findings
    rows = [overlaid(memory, notes) for memory in _of(reader, at.mapping, sorted(wanted))]
    around = sorted({target for memory in rows for _, target in references(memory)} - wanted)
    found = examine([*rows, *view.fetch(around).values()], view.fetch, settings).findings
    return tuple(f for f in found if wanted & set(f.ids))


def _of(reader: Reader, mapping: FieldMapping, ids: Sequence[str]) -> Iterator[Memory]:
    for start in range(0, len(ids), _FETCHED):
        for batch in reader.batches(where=any_of(reader.id_column, ids[start : start + _FETCHED])):
            yield from mapping.memories(batch)


def _keeps_aside(mapping: FieldMapping) -> bool:
    """True when Mendory may keep something aside of the rows: the table has no place for all of it."""
    return mapping.vocabulary.pending is None or not all(map(mapping.has, RELATIONS))
