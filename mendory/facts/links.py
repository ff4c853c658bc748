"""Facts about references: which lead nowhere, to their own row, in a circle, along a chain, into another scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mendory.detect.references import _chains, _circles
from mendory.facts.rows import Chunk, column
from mendory.text import is_blank

KINDS: Final = ("dangling", "self", "cycle", "chain", "crossing")


@dataclass(frozen=True, slots=True)
class Row:
    """A row that refers to others: its number in the table, its id, (field, id) of each reference."""

    at: int
    id: str
    targets: tuple[tuple[str, str], ...]

    @property
    def after(self) -> list[str]:
        """The ids of what replaces it."""
        return [target for name, target in self.targets if name != "related_ids" and target != self.id]


def referring(chunk: Chunk) -> list[Row]:
    """The chunk's rows that have an id and refer to others."""
    frame, ids = chunk.frame, chunk.ids
    some = np.zeros(len(ids), bool)
    for name in ("duplicate_of", "superseded_by"):
        if name in frame.column_names and (values := column(frame, name)).null_count < len(values):
            some |= np.asarray(pc.not_equal(values, "").fill_null(False))
    if "related_ids" in frame.column_names and (values := column(frame, "related_ids")).null_count < len(values):
        some |= np.asarray(pc.greater(pc.list_value_length(values), 0).fill_null(False))
    at = np.flatnonzero(some & np.asarray(pc.not_equal(ids, "")))
    if not len(at):
        return []
    names = [n for n in ("duplicate_of", "superseded_by", "related_ids") if n in frame.column_names]
    rows = frame.select(["id", *names]).take(pa.array(at)).to_pylist()
    made = (Row(chunk.start + int(n), row["id"], tuple(_targets(row))) for n, row in zip(at, rows, strict=True))
    return [row for row in made if row.targets]


def _targets(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("duplicate_of", "superseded_by"):
        if row.get(name):
            yield name, row[name]
    yield from (("related_ids", target) for target in row.get("related_ids") or () if target)


def judged(
    rows: Sequence[Row], known: Mapping[str, str | None], scope_of: Callable[[int], str | None]
) -> Iterator[tuple[str, int, int]]:
    """(kind, row, how many) for every fault; `known` has the scope of each id that rows hold among the targets."""
    for row in rows:
        scope = scope_of(row.at)
        dangling = sum(target not in known for _, target in row.targets)
        own = sum(target == row.id for _, target in row.targets)
        others = [known[target] for _, target in row.targets if target in known]
        crossing = 0 if is_blank(scope) else sum(not is_blank(other) and other != scope for other in others)
        yield from ((k, row.at, n) for k, n in zip(("dangling", "self", "crossing"), (dangling, own, crossing)) if n)  # noqa: B905
    held = Counter(row.id for row in rows)
    by_id = {row.id: row for row in rows if held[row.id] == 1}
    after = {name: row.after for name, row in by_id.items()}
    for circle in _circles(after):
        yield from (("cycle", by_id[name].at, len(circle)) for name in circle)
    yield from (("chain", by_id[name].at, length) for name, length in _chains(after).items())
