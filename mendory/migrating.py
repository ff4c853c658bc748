"""Beginning a move to another space, filling it, and the way back; each may be asked again after a kill."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mendory import pacing
from mendory.clinic import Clinic
from mendory.embedding import Embedder, build
from mendory.errors import ConfigInvalid, MigrationRefused
from mendory.filling import Filling, Pass, waiting
from mendory.foreground import foreground
from mendory.lance import Writer, indexing, merging
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migration.stages import SEARCHED, Stage, said
from mendory.opened import unheard
from mendory.sidestate import SideState
from mendory.spaces import CanaryWatch, Fingerprint, Space, SpaceState, Verdict, compare, recognise
from mendory.spaces.pointer import COLUMN

_BEFORE_OURS: Final = 8
"""Characters of a space's id in the name of its column."""
BEHIND: Final = 0.1
"""The share of rows unknown to an index from which it is brought up while a space is filled (docs/migration.md)."""
_SETTLED: Final = 3
"""Passes after which what still waits is left to the next call: somebody writes as fast as we fill."""

Models = Callable[[Clinic, Space], Embedder]
"""Makes the model of a space."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What a call of `fill` did: the move, rows filled, rows that still wait, why others can't be filled.

    `late` are those that wait and did not when the last pass began: others write while we fill.
    """

    move: Move
    rows: int
    waiting: int
    left_out: dict[str, int]
    seconds: float
    embedding: float
    late: frozenset[str] = frozenset()

    def with_(self, other: Filled) -> Filled:
        """Both together: of two columns."""
        left_out = Counter(self.left_out) + Counter(other.left_out)
        return Filled(
            self.move,
            self.rows + other.rows,
            self.waiting + other.waiting,
            dict(left_out),
            self.seconds + other.seconds,
            self.embedding + other.embedding,
            self.late | other.late,
        )


def start(clinic: Clinic, by: str, same_width: bool = False) -> Move:
    """The configured model has a column of its own, and our writes carry its vectors from now on.

    Asked again while that move is under way it changes nothing. `same_width` confirms that readers of the table name
    the column they search: with two of one length LanceDB refuses a search that names none.

    Raises MigrationRefused where no space is known, the model is the table's already, the ledger does not know how the
    table's vectors are made, another move is under way, or `same_width` is needed and not said.
    """
    clinic.check_binding()
    section = clinic.config.embedder
    if section is None:
        raise ConfigInvalid("There is no [embedder] to move to. Nothing was begun. Configure the new model first.")
    ledger = clinic.ledger
    active = _active(ledger)
    fingerprint = Fingerprint.of(build(section, clinic.config.root))
    held = ledger.moves.current()
    if held is not None and compare(space_of(ledger, held.new).fingerprint, fingerprint).verdict is Verdict.SAME:
        return held
    if compare(active.fingerprint, fingerprint).verdict is Verdict.SAME:
        raise MigrationRefused(
            f"The configured model '{active.name}' is the one that the table's vectors are of. Nothing was begun. "
            "Configure the new model under [embedder]."
        )
    if active.embedder is None:
        raise MigrationRefused(
            f"The ledger does not know how the vectors of '{active.name}' are made, so nothing could write them "
            "meanwhile. Nothing was begun. Set [embedder] back to that model, run mendory spaces --adopt --as NAME, "
            "then configure the new one again."
        )
    if fingerprint.dimension == active.fingerprint.dimension and not same_width:
        raise MigrationRefused(
            f"Both models make vectors of {fingerprint.dimension} components, and of two such columns LanceDB answers "
            "no search that names none: readers that do not name the vector's column would fail. Nothing was begun. "
            "See that each names it, then say so: mendory migrate start --readers-name-the-column --as NAME."
        )
    column = f"{COLUMN}{fingerprint.id[:_BEFORE_OURS]}"
    clinic.writer.add_vectors(column, fingerprint.dimension)

    def begun(within: Ledger) -> Move:
        new = within.spaces.register(fingerprint, SpaceState.FILLING, by, column, section)
        move = within.moves.begin(active.id, new.id, column, by, {"version": clinic.writer.latest()})
        return within.moves.to(move.id, Stage.FILLING, by)

    move = ledger.once(begun)
    clinic.follow()
    return move


def fill(
    clinic: Clinic,
    monotonic: Callable[[], float] = time.monotonic,
    told: Callable[[int, int], None] | None = None,
    models: Models | None = None,
    again: bool = False,
    **bounds: Any,
) -> Filled:
    """Every row that waited has its vector of the space beside the searched one; what others write meanwhile too.

    Once the new space is searched it has them in both: other programs still write the old column alone. It goes over
    the table until nothing waits, some times at most, waits before a batch while recalls are slower than usual, and
    keeps the table's indexes up to its rows. `models` makes the embedder of a space. With `again` all rows wait, those
    too that have a vector already: what a gate refuses as not the new model's, no filling sees. Raises MigrationRefused
    where no move is under way, and for `again` in any stage but filling.
    """
    move = under_way(clinic.ledger)
    if again and move.stage is not Stage.FILLING:
        raise MigrationRefused(
            f"The move is {said(move.stage)}, and its vectors are made again only while it is filling. Nothing was "
            "embedded. See 'mendory migrate status'."
        )
    bounds = {"pause": foreground(clinic, move).pause, "models": models or embedder_of, **bounds}
    pointer = clinic.pointer
    assert pointer.searched is not None and pointer.beside is not None, "a move that is begun has both"  # noqa: PT018
    beside = space_of(clinic.ledger, pointer.beside.id)
    sides = (clinic.beside, clinic.side_state_beside)
    done = _filled(clinic, move, beside, *sides, monotonic, told, again=again, **bounds)
    if move.stage not in SEARCHED:
        return done
    searched = space_of(clinic.ledger, pointer.searched.id)
    return done.with_(_filled(clinic, move, searched, clinic.writer, clinic.side_state, monotonic, told, **bounds))


def catch_up(
    clinic: Clinic,
    monotonic: Callable[[], float] = time.monotonic,
    told: Callable[[int, int], None] | None = None,
    models: Models | None = None,
    **bounds: Any,
) -> Filled:
    """After the way back: every row has its vector of the space that is searched again, whoever wrote it meanwhile.

    Other programs that wrote while the new space was searched left the old vector empty, or that of an earlier text.
    It may be asked again after a kill. Raises MigrationRefused unless the last move was taken back.
    """
    moves = clinic.ledger.moves.all()
    if not moves or moves[-1].stage is not Stage.ROLLED_BACK:
        raise MigrationRefused(
            "The last move to another model was not taken back, so no row waits for that. Nothing was filled. "
            "See 'mendory migrate status'."
        )
    space, models = _active(clinic.ledger), models or embedder_of
    return _filled(clinic, moves[-1], space, clinic.writer, clinic.side_state, monotonic, told, models, **bounds)


def _filled(
    clinic: Clinic,
    move: Move,
    space: Space,
    table: Writer,
    side: SideState,
    monotonic: Callable[[], float],
    told: Callable[[int, int], None] | None,
    models: Models,
    again: bool = False,
    **bounds: Any,
) -> Filled:
    waits = waiting(table, side, clinic.most_chars(space), again)
    if not waits.ids:  # to load a model takes seconds
        return Filled(move, 0, 0, dict(waits.left_out), 0.0, 0.0)
    at = (clinic.config.table_uri, clinic.config.table.name)

    def upkeep(beyond: float = BEHIND) -> None:
        """Searches stay quick: our commits overtake the compactions of others, and push rows out of the indexes."""
        merging.merge_small(*at, merging.SMALL, merging.MANY)
        indexing.bring_up(*at, beyond)

    bounds = {"upkeep": upkeep, **bounds}
    filling = Filling(table, side, models(clinic, space), clinic.most_chars(space), monotonic, **bounds)
    place, before = pace_file(clinic), 0

    def hears(done: int, total: int) -> None:
        nonlocal before
        if done > before:
            pacing.note(place, clinic.clock(), done - before)
        before = done
        (told or unheard)(done, total)

    filling.told = hears
    rows, seconds, embedding, asked = 0, 0.0, 0.0, frozenset[str]()
    for _ in range(_SETTLED):
        before, asked = 0, frozenset(waits.ids)
        done: Pass = filling.run(waits)
        waits = filling.waiting()
        rows, seconds, embedding = rows + done.filled, seconds + done.seconds, embedding + done.embedding
        if not waits.ids or not (done.filled or done.again):
            break
    if rows:
        upkeep(0.0)
    late = frozenset(waits.ids) - asked
    return Filled(move, rows, len(waits.ids), dict(waits.left_out), seconds, embedding, late)


def pace_file(clinic: Clinic) -> Path:
    """Where it is noted how fast the space beside the searched one is being filled."""
    return clinic.config.root / ".mendory" / "filling.json"


def go_back(clinic: Clinic, by: str, because: str) -> Move:
    """The old space is searched, at once, and the move is over; raises MigrationRefused where none is under way.

    Rows that were written since have their old vectors too, where our door wrote them or the filling has passed; the
    others get them by `catch_up`.
    """
    move = under_way(clinic.ledger)
    back = clinic.ledger.moves.to(move.id, Stage.ROLLED_BACK, by, {"because": because, "from": said(move.stage)})
    clinic.follow()
    return back


def under_way(ledger: Ledger) -> Move:
    """The move under way; raises MigrationRefused where there is none."""
    move = ledger.moves.current()
    if move is None:
        raise MigrationRefused(
            "No move to another model is under way. Nothing was done. Configure the new model under [embedder], then "
            "mendory migrate start --as NAME."
        )
    return move


def _active(ledger: Ledger) -> Space:
    active = ledger.spaces.active()
    if active is None:
        raise MigrationRefused(
            "Nobody knows which model the table's vectors are of. Nothing was begun. Configure that model under "
            "[embedder] and run mendory spaces --adopt --as NAME first."
        )
    return active


def space_of(ledger: Ledger, ident: str) -> Space:
    """The space of that id, which the ledger knows."""
    return next(space for space in ledger.spaces.all() if space.id == ident)


def embedder_of(clinic: Clinic, space: Space) -> Embedder:
    """The model of the space, seen to be it and watched. Raises SpaceUnknown where it has become another."""
    section = space.embedder or clinic.config.embedder
    if section is None:
        raise ConfigInvalid(f"Nobody makes vectors of '{space.name}'. Nothing was filled. Configure [embedder].")
    made = build(section, clinic.config.root)
    recognise((space,), Fingerprint.of(made))
    return CanaryWatch(made, space.fingerprint)
