"""Beginning a move to another space, filling it, and the way back; each may be asked again after a kill."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mendory import pacing
from mendory.clinic import Clinic, unheard
from mendory.embedding import Embedder, build
from mendory.errors import ConfigInvalid, MigrationRefused
from mendory.filling import Filling, Pass
from mendory.foreground import foreground
from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migration.stages import Stage, said
from mendory.spaces import CanaryWatch, Fingerprint, Space, SpaceState, Verdict, compare, recognise

_BEFORE_OURS: Final = 8
"""Characters of a space's id in the name of its column."""
_SETTLED: Final = 3
"""Passes after which what still waits is left to the next call: somebody writes as fast as we fill."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What a call of `fill` did: the move, rows filled, rows that still wait, why others can't be filled."""

    move: Move
    rows: int
    waiting: int
    left_out: dict[str, int]
    seconds: float
    embedding: float


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
    column = f"embedding__{fingerprint.id[:_BEFORE_OURS]}"
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
    **bounds: Any,
) -> Filled:
    """Every row that waited has its vector of the space beside the searched one; what others write meanwhile too.

    It goes over the table until nothing waits, some times at most, and waits before a batch while recalls are slower
    than usual. Raises MigrationRefused where no move is under way.
    """
    move = under_way(clinic.ledger)
    bounds = {"pause": foreground(clinic, move).pause, **bounds}
    space = space_of(clinic.ledger, str(clinic.pointer.beside and clinic.pointer.beside.id))
    filling = Filling(
        clinic.beside, clinic.side_state_beside, embedder_of(clinic, space), most_of(clinic, space), monotonic, **bounds
    )
    place, before = pace_file(clinic), 0

    def hears(done: int, total: int) -> None:
        nonlocal before
        if done > before:
            pacing.note(place, clinic.clock(), done - before)
        before = done
        (told or unheard)(done, total)

    filling.told = hears
    rows, seconds, embedding, passes = 0, 0.0, 0.0, 0
    while passes < _SETTLED:
        before = 0
        done: Pass = filling.run()
        rows, seconds, embedding = rows + done.filled, seconds + done.seconds, embedding + done.embedding
        passes += 1
        if not done.filled and not done.again:
            break
    waits = filling.waiting()
    return Filled(move, rows, len(waits.ids), dict(waits.left_out), seconds, embedding)


def pace_file(clinic: Clinic) -> Path:
    """Where it is noted how fast the space beside the searched one is being filled."""
    return clinic.config.root / ".mendory" / "filling.json"


def go_back(clinic: Clinic, by: str, because: str) -> Move:
    """The old space is searched, at once, and the move is over; raises MigrationRefused where none is under way.

    Rows that were written since have their old vectors too, where our door wrote them or the filling has passed.
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


def most_of(clinic: Clinic, space: Space) -> int:
    """The most characters of a text that the model of the space takes."""
    section = space.embedder or clinic.config.embedder
    return section.max_chars if section else 0
