"""What live rows of a table hold where a mark would hide them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import pyarrow as pa

from mendory.lance.door import filled_otherwise
from mendory.lance.reader import Reader
from mendory.mapping import Place
from mendory.mapping.places import held_at
from mendory.mapping.status import NOW
from mendory.record import Status
from mendory.rows import Present

_BATCHES: Final = 3
"""So many batches of rows that hold something at a mark are looked through for a live one."""


def live_rows_hold(reader: Reader, place: Place, value: Any) -> bool:
    """True when a row that is not hidden holds something at the place, which `value` marks as hidden."""
    return any(_filled_and_live(reader, place, value))


def _filled_and_live(reader: Reader, place: Place, value: Any) -> Iterator[bool]:
    timed = isinstance(value, str) and value.startswith(NOW)
    where = filled_otherwise(reader.schema, str(place), None if timed else value)
    if where is None:
        return
    for batch in islice(reader.batches(reader.mapping.scan_columns(reader.schema), where), _BATCHES):
        one = pa.Table.from_batches([batch])
        for at, memory in enumerate(reader.mapping.memories(batch)):
            yield memory.status != Status.ARCHIVED and held_at(Present(one.slice(at, 1)), place) is not None
