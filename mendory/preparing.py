"""What the new space of a move needs before it is judged and searched: its index, and thresholds of its own."""

from __future__ import annotations

from dataclasses import dataclass

from mendory.clinic import Clinic
from mendory.lance import indexing
from mendory.lance.indexing import VectorIndex
from mendory.ledger.moves import Move
from mendory.migrating import space_of, under_way
from mendory.thresholds import key


@dataclass(frozen=True, slots=True)
class Prepared:
    """The index of the new column, None where none is needed: `old` has none, or too few rows hold a vector.

    `learnt` is how many rows the table's indexes had to learn.
    """

    index: VectorIndex | None
    old: VectorIndex | None
    learnt: int


def prepare(clinic: Clinic) -> Prepared:
    """The new column has an index like the old one's, and both know every row; asked again it changes nothing.

    A table whose old column has no index needs none on the new one: it is searched row by row as before. Raises
    MigrationRefused where no move is under way.
    """
    move = under_way(clinic.ledger)
    at = (clinic.config.table_uri, clinic.config.table.name)
    like = indexing.index_of(*at, column_of(clinic, move.old))
    if like is None:
        return Prepared(indexing.index_of(*at, move.column), None, indexing.bring_up(*at))
    index = indexing.build_like(*at, move.column, like)
    learnt = indexing.bring_up(*at)
    return Prepared(index and indexing.index_of(*at, move.column), like, learnt)


def column_of(clinic: Clinic, space_id: str) -> str:
    """The column in which the vectors of a space lie."""
    own = clinic.config.record_mapping().column("embedding")
    return space_of(clinic.ledger, space_id).column or str(own)


def thresholds_missing(clinic: Clinic, move: Move) -> tuple[str, ...]:
    """The languages of which the owner has calibrated a threshold in the old space and none in the new one.

    Thresholds are filed under a model's name: of two spaces of one name those count for the new one that were
    calibrated since the move began.
    """
    old, new = (key(space_of(clinic.ledger, one).name) for one in (move.old, move.new))
    kept = clinic.ledger.thresholds.all()
    began = move.passed[0].at.isoformat()
    had = {k.threshold.language for k in kept if key(k.threshold.space) == old}
    have = {k.threshold.language for k in kept if key(k.threshold.space) == new and (old != new or k.at >= began)}
    return tuple(sorted(had - have))
