"""Units whose digests cover columns that the table has lost since, fitted to the columns it still has. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from mendory import digest
from mendory.plan.model import Edit
from mendory.work import Unit

Images = Callable[[Unit], Mapping[str, tuple[pa.Table, pa.Table]]]
"""Row id → the row as a unit expects it and as it leaves it, one-row tables; empty where nobody knows any more."""


def fitted(
    units: Sequence[Unit], there: Collection[str], volatile: Collection[str], images: Images | None
) -> tuple[Unit, ...]:
    """The units; where one knows columns that are not `there`, its digests cover the others from now on.

    A unit whose images are gone, or are not what it was planned on, stays as it is.
    """
    if images is None:
        return tuple(units)
    return tuple(
        _fitted(u, frozenset(there), volatile, images) if (u.known or set()) - set(there) else u for u in units
    )


def _fitted(unit: Unit, there: frozenset[str], volatile: Collection[str], images: Images) -> Unit:
    assert unit.known is not None
    known, held = unit.known, images(unit)
    edits = []
    for edit in unit.edits:
        rows = held.get(edit.id)
        if rows is None or _digests(rows, known, volatile) != (edit.expects, edit.becomes):
            return unit
        expects, becomes = _digests(rows, known & there, volatile)
        edits.append(Edit(edit.id, expects, becomes, edit.columns, edit.aside))
    return replace(unit, edits=tuple(edits), known=known & there)


def _digests(rows: tuple[pa.Table, pa.Table], known: frozenset[str], volatile: Collection[str]) -> tuple[str, str]:
    expected, left = (digest.row_digests(r, {*volatile, *(set(r.column_names) - known)})[0] for r in rows)
    return expected, left
