"""The index of a vector column: which one there is, one like it on another column, and bringing it up to the rows.

Rows that are written leave an index until it is brought up to them; a search looks at each of them one by one.
Needs pylance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mendory.errors import CommitConflict, SchemaMismatch
from mendory.lance.border import dataset, ours, table_folder
from mendory.lance.quoting import name

_TRIES: Final = 5
FEWEST: Final = 256
"""Rows with a vector below which no index is built: Lance trains codes on as many, and to look at each is faster."""
_PLAIN: Final = "IVF_FLAT"
_BY_EIGHT: Final = "IVF_RQ"
"""The one type that is for dimensions that 8 divides."""


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The index of one vector column: its name, type and metric, partitions, and how many rows it does not know.

    `extra` is what its type has besides, in Lance's words: the parts of a product quantiser, the degree of a graph.
    """

    name: str
    column: str
    dimension: int
    kind: str
    metric: str
    partitions: int
    extra: Mapping[str, int]
    indexed: int
    unindexed: int

    @property
    def behind(self) -> float:
        """The share of rows that it does not know."""
        rows = self.indexed + self.unindexed
        return self.unindexed / rows if rows else 0.0


def index_of(uri: str, table: str, column: str) -> VectorIndex | None:
    """The index of a vector column at the newest version, None where it has none. Reads no row."""
    with ours(f"Reading the index of '{column}'", table_folder(uri, table)):
        return _index_of(dataset(uri, table), column)


def build_like(uri: str, table: str, column: str, like: VectorIndex) -> VectorIndex | None:
    """The column has an index of the same type and metric, with what belongs to a dimension fitted to its own.

    None where fewer than 256 rows hold a vector of it: such an index can't be made, and none is needed. An index that
    the column has already is left as it is. A type that the dimension does not allow becomes IVF_FLAT, which is exact
    within its partitions. Others may write meanwhile. Raises CommitConflict when they overtake it five times, with
    nothing built; SchemaMismatch where the column holds no vectors.
    """
    for _ in range(_TRIES):
        with ours(f"Building the index of '{column}'", table_folder(uri, table)):
            ds = dataset(uri, table)
            held = _index_of(ds, column)
            if held is not None:
                return held
            filled = f"{name(column)} IS NOT NULL"
            if int(ds.count_rows(filled)) < FEWEST:
                return None
            kind, extra = _fitted(like, _dimension(ds, column))
            try:
                ds.create_index(
                    column, kind, f"{column}_idx", metric=like.metric, num_partitions=like.partitions, **extra
                )
            except Exception as error:
                if not overtaken(error):
                    raise
                continue
    held = index_of(uri, table, column)
    if held is None:
        raise CommitConflict(
            f"Building the index of '{column}': others committed first, {_TRIES} times. Nothing was built. It is "
            "tried again the next time."
        )
    return held


def bring_up(uri: str, table: str, beyond: float = 0.0) -> int:
    """The table's indexes know every row, those of vectors, words and keys alike; how many rows they learnt in all.

    Only those of which more than the share `beyond` of the rows is unknown are touched. Partitions stay as they are;
    nothing is trained anew. One that other writers overtake five times stays behind until the next call, which harms
    nobody: what an index does not know is looked at row by row.
    """
    learnt = 0
    with ours("Reading the table's indexes", table_folder(uri, table)):
        ds = dataset(uri, table)
        rows, behind = int(ds.count_rows()), _behind(ds)
    for name_, unknown in behind.items():
        if unknown > beyond * rows and _brought_up(uri, table, name_):
            learnt += unknown
    return learnt


def _behind(ds: Any) -> dict[str, int]:
    """Index → rows that it does not know."""
    rows = int(ds.count_rows())
    return {str(i.name): rows - int(i.num_rows_indexed) for i in ds.describe_indices()}


def _brought_up(uri: str, table: str, index: str) -> bool:
    for _ in range(_TRIES):
        with ours(f"Bringing index '{index}' up", table_folder(uri, table)):
            try:
                dataset(uri, table).optimize.optimize_indices(index_names=[index])
            except Exception as error:
                if not overtaken(error):
                    raise
                continue
            return True
    return False


def _index_of(ds: Any, column: str) -> VectorIndex | None:
    for listed in ds.describe_indices():
        if list(listed.field_names) != [column] or column not in ds.schema.names:
            continue
        told = ds.stats.index_stats(listed.name)
        first = told["indices"][0] if told["indices"] else {}
        if "num_partitions" not in first:
            continue  # of another kind than those of vectors
        return VectorIndex(
            str(listed.name),
            column,
            _dimension(ds, column),
            str(told["index_type"]),
            str(first["metric_type"]),
            int(first["num_partitions"]),
            _extra(first["sub_index"]),
            int(told["num_indexed_rows"]),
            int(told["num_unindexed_rows"]),
        )
    return None


def _extra(sub: Mapping[str, Any]) -> dict[str, int]:
    held = {"num_sub_vectors": sub.get("num_sub_vectors"), "num_bits": sub.get("num_bits", sub.get("nbits"))}
    graph = sub.get("params") or {}
    held |= {"m": graph.get("m"), "ef_construction": graph.get("ef_construction")}
    return {key: int(value) for key, value in held.items() if value is not None}


def _fitted(like: VectorIndex, dimension: int) -> tuple[str, dict[str, int]]:
    """The type, and what it has besides, for vectors of another dimension.

    The parts of a product quantiser keep about as many components each as they had; they must divide the dimension.
    """
    if like.kind == _BY_EIGHT and dimension % 8:
        return _PLAIN, {}
    extra = dict(like.extra)
    parts = extra.get("num_sub_vectors")
    if parts is not None:
        wanted = max(1.0, parts * dimension / like.dimension)
        extra["num_sub_vectors"] = min(
            (d for d in range(1, dimension + 1) if dimension % d == 0), key=lambda d: (abs(d - wanted), d)
        )
    return like.kind, extra


def _dimension(ds: Any, column: str) -> int:
    kind = ds.schema.field(column).type
    size = getattr(kind, "list_size", None)
    if size is None:
        raise SchemaMismatch(f"The column '{column}' is of type {kind}, not of vectors. Nothing was built.")
    return int(size)


def overtaken(error: Exception) -> bool:
    """True for what Lance says where another writer committed first."""
    return "conflict" in str(error).lower() or "incompatible transaction" in str(error).lower()
