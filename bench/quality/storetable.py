"""What came of planted stores, as tables in Markdown."""

from __future__ import annotations

from typing import Any

from bench.quality.table import table


def tables(stores: dict[str, dict[str, Any]]) -> str:
    """One line a store, then one line a kind of what was planted."""
    whole = [
        (
            name,
            f"{held['rows']:,}",
            _of(held["duplicates_found"], held["planted"]),
            _of(held["duplicates_merged"], held["planted"]),
            _of(held["contradictions_handed_on"], held["planted"]),
            str(held["contradictions_called_duplicate"]),
            str(held["contradictions_merged"]),
            str(held["rows_of_another_scope_touched"]),
            str(held["unnamed_rows_changed"]),
            ", ".join(f"{code} {n:,}" for code, n in held["not_planted"].items()) or "0",
        )
        for name, held in stores.items()
    ]
    kinds = [
        (name, kind, f"{held[what][kind]:,} of {held['planted'][kind]:,}")
        for name, held in stores.items()
        for what in ("duplicates_found", "contradictions_handed_on")
        for kind in held[what]
    ]
    head = (
        "store",
        "rows",
        "duplicates found",
        "merged",
        "contradictions handed on",
        "called duplicate",
        "merged",
        "rows of another scope touched",
        "rows changed that no plan names",
        "pairs nobody planted",
    )
    return f"{table(head, whole)}\n{table(('store', 'planted', 'found'), kinds)}"


def _of(found: dict[str, int], planted: dict[str, int]) -> str:
    return f"{sum(found.values()):,} of {sum(planted[kind] for kind in found):,}"
