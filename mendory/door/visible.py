"""Whether the owner's reader will return a new row: at the hiding marks it must hold what live rows hold there."""

from __future__ import annotations

from threading import Lock
from typing import Any

import pyarrow as pa

from mendory.door.judging import Fault, refuse
from mendory.lance import Reader
from mendory.lance.live import live_rows_hold
from mendory.mapping import Mapping as FieldMapping
from mendory.mapping import Place
from mendory.mapping.places import held_at
from mendory.rows import Present


class Visible:
    """What live rows of a table hold at each hiding mark for which the mapping says nothing. Looked up once a mark."""

    def __init__(self, mapping: FieldMapping) -> None:
        self._mapping = mapping
        self._lock = Lock()
        self._filled: dict[Place, bool] = {}

    def require(self, row: pa.Table, reader: Reader) -> None:
        """Return unless the new row lies empty at a mark where live rows hold something; else raise MemoryRefused.

        An owner's `is_deleted = false` does not return a row that holds nothing there.
        """
        cells = Present(row)
        marks = [(p, v) for p, v in self._mapping.vocabulary.hide or () if held_at(cells, p) is None]
        refuse([_fault(place) for place, value in marks if self._is_filled(place, value, reader)])

    def _is_filled(self, place: Place, value: Any, reader: Reader) -> bool:
        with self._lock:
            if place not in self._filled:
                reader.refresh()
                self._filled[place] = live_rows_hold(reader, place, value)
            return self._filled[place]


def _fault(place: Place) -> Fault:
    why = (
        f"live rows hold a value at '{place}', which hides a row; this one would hold none there, and the owner's "
        "reader may never return it: say under [mapping.show] what live rows hold"
    )
    return Fault("not_shown", why)
