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
    units: Sequence[Unit], there: pa.Schema, volatile: Collection[str], images: Images | None
) -> tuple[Unit, ...]:
    """The units; where one knows columns that are not `there`, its digests cover the others from now on.

    So it is where another column of vectors was searched when it was made: then vectors are in no digest of it any
    more, and stay as they are. A unit whose images are gone, or are not what it was planned on, stays as it is.
    """
    if images is None:
        return tuple(units)
    names = frozenset(there.names)
    beside = any(name in volatile for name in _vectors(there))
    return tuple(_fitted(u, names, volatile, images) if beside or (u.known or set()) - names else u for u in units)


def _fitted(unit: Unit, there: frozenset[str], volatile: Collection[str], images: Images) -> Unit:
    held = images(unit)
    edits = []
    left = unit.known
    for edit in unit.edits:
        rows = held.get(edit.id)
        if rows is None:
            return unit
        known = unit.known if unit.known is not None else frozenset(rows[0].column_names)
        basis = _basis(edit, rows, known, volatile)
        if basis is None:
            return unit
        left = basis & there
        expects, becomes = _digests(rows, left, volatile)
        edits.append(Edit(edit.id, expects, becomes, edit.columns, edit.aside))
    return replace(unit, edits=tuple(edits), known=left)


def _basis(
    edit: Edit, rows: tuple[pa.Table, pa.Table], known: frozenset[str], volatile: Collection[str]
) -> frozenset[str] | None:
    """The columns by which the edit's rows are told from now on; None where the images are not those of its digests."""
    vectors = _vectors(rows[0].schema)
    # a null is in no digest: of a column that was not filled yet they say nothing
    empty = {c for c in vectors & known - set(volatile) if all(image.column(c).null_count for image in rows)}
    if not empty and _digests(rows, known, volatile) == (edit.expects, edit.becomes):
        return known
    for searched in sorted(vectors):
        then = {*volatile, *vectors} - {searched}
        if _digests(rows, known, then) == (edit.expects, edit.becomes):
            return known - vectors
    return None


def _vectors(schema: pa.Schema) -> frozenset[str]:
    return frozenset(f.name for f in schema if pa.types.is_fixed_size_list(f.type))


def _digests(rows: tuple[pa.Table, pa.Table], known: frozenset[str], volatile: Collection[str]) -> tuple[str, str]:
    expected, left = (digest.row_digests(r, {*volatile, *(set(r.column_names) - known)})[0] for r in rows)
    return expected, left
