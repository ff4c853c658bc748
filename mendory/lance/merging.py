"""Small fragments of a table become one: every commit leaves one, and a search opens each. Needs pylance."""

from __future__ import annotations

from typing import Any, Final

from mendory.lance.border import dataset, ours, table_folder
from mendory.lance.indexing import overtaken

SMALL: Final = 4096
"""Rows below which a fragment is small: the most that one batch of a filling writes."""
MANY: Final = 32
"""Small fragments from which they are merged: each costs a search .1 to .3 ms (docs/migration.md)."""


def merge_small(uri: str, table: str, below: int | None = None, many: int = 2) -> int:
    """Small fragments that lie side by side are one, where nobody else writes them just now; how many went.

    Without `below` every fragment counts as small, and deleted rows go. With it small are those of fewer rows, and
    nothing is done where there are fewer than `many`; a large fragment is left as it is, deleted rows and all, so that
    the cost is that of the rows that were written since, not of the table.
    """
    with ours("Compacting the table", table_folder(uri, table)):
        ds = dataset(uri, table)
        if below is not None and sum(_rows(f) < below for f in ds.get_fragments()) < many:
            return 0
        options = {} if below is None else {"target_rows_per_fragment": below, "materialize_deletions": False}
        try:
            return int(ds.optimize.compact_files(**options).fragments_removed)
        except Exception as error:
            if not overtaken(error):
                raise
            return 0  # who writes them has them, and the next time does it


def _rows(fragment: Any) -> int:
    return int(fragment.metadata.physical_rows)
