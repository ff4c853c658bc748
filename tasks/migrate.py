"""A move to another embedding model as tasks, each of one stage: without a move in that stage it does nothing."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, Final

from prefect import task
from prefect.client.schemas.objects import State
from prefect.runtime import deployment, flow_run
from prefect.states import Completed

from mendory import canarying, foreground, gated, migrating, soaking, upgrading
from mendory.clinic import Clinic
from mendory.errors import MigrationRefused
from mendory.events import OWN
from mendory.ledger.moves import Move
from mendory.migration.stages import Stage
from mendory.migration.void import Void
from mendory.upgrading import Changed, Why
from tasks.shared import OPTIONS, Held, clinic
from tasks.show import progress

SLICE: Final = 720.0
"""Seconds that one run fills: what people answered and repairs run in between, and the next run goes on within the
quarter of an hour."""
AGAIN: Final = timedelta(days=1)
"""After a gate refused it is examined again by itself; sooner where only rows lacked their vectors, or by a person."""
_ON_ITS_WAY: Final = (Stage.APPROVED, Stage.CANARY, Stage.SWITCHED)
_LACKING: Final = ["half_migrated"]
_Looked = tuple[Changed | None, dict[str, Any]]


def step_back(config: str) -> None:
    """This run leaves the processor to others, where its process is its own: one that a worker began."""
    if deployment.id:
        foreground.step_back(clinic(config).config.migration.niceness)


@task(**OPTIONS)
def look_at(config: str, event: str, model: str, probe: bool) -> Held[_Looked]:
    """What says that the model changed, and the drift check that it forced; both are on record.

    `event` and `model` are what an event's sender wrote, and are believed only to be an id and a name.
    """
    open_clinic = clinic(config)
    said: dict[str, Any] = {}
    if ident := upgrading.event_id(event):
        noted = upgrading.note(open_clinic, OWN, upgrading.named(model), ident)
        said = {"event": ident, "named": str(noted.about.get("model", ""))}
    change = upgrading.changed(open_clinic, probe)
    if change is None:
        return Held((None, said))
    said |= {"why": change.why.value, "model": change.model, "differs": change.differs}
    if change.why is Why.UNKNOWN:
        return Held((None, {**said, "failed": change.failed}))
    if not change.checked:
        with progress(open_clinic, "drift"):
            said["drift"] = upgrading.check(open_clinic, change)
    return Held((change if change.differs else None, said))


@task(**OPTIONS)
def begin(config: str, looked: Held[_Looked]) -> dict[str, Any]:
    """The move to the configured model is under way where it changed; else what a person has to say first."""
    change, _ = looked.value
    if change is None:
        return {}
    begun = upgrading.begin(clinic(config), change)
    return {"move": begun.id} if isinstance(begun, Move) else {"refused": begun}


@task(**OPTIONS)
def fill(config: str) -> dict[str, Any]:
    """Rows that waited have their vectors of the new space, as many as a run has time for.

    Without the table's turn: it would keep repairs away for hours, and both write what the other doesn't, by
    optimistic commits.
    """
    open_clinic = clinic(config)
    if not _in(open_clinic, Stage.FILLING):
        return {}
    until = time.monotonic() + SLICE
    with progress(open_clinic, "fill"):
        done = migrating.fill(
            open_clinic,
            told=lambda rows, of: open_clinic.told(rows, of),
            stop=lambda: time.monotonic() >= until,
        )
    return {"rows": done.rows, "waiting": done.waiting, "left_out": done.left_out}


@task(**OPTIONS)
def examine(config: str, filled: dict[str, Any]) -> dict[str, Any]:
    """The gate is on record where it is due: nothing waits to be filled, and no gate stands or refused just now."""
    open_clinic = clinic(config)
    move = open_clinic.ledger.moves.current()
    if move is None or not _due(open_clinic, move, filled):
        return {}
    with progress(open_clinic, "gate"):
        _, found = gated.examine_move(open_clinic, open_clinic.writer.latest())
    return {"gate": found.digest, "passed": found.passed, "reasons": list(found.reasons)}


def _due(clinic: Clinic, move: Move, filled: dict[str, Any]) -> bool:
    """True when the gate is to be examined now; one that a person rejected is not examined again by itself."""
    if move.stage is Stage.GATING:
        return gated.still_stands(clinic, move) in (Void.ROWS_CHANGED, Void.UNKNOWN)
    if move.stage is not Stage.FILLING or filled.get("waiting", 1):
        return False
    last = next((p for p in reversed(move.passed) if "refused" in p.told), None)
    return last is None or last.told["refused"] == _LACKING or clinic.clock() - last.at >= AGAIN


def waits_to_go_on(config: str) -> bool:
    """True while a move is on its way from its approval to its soak."""
    return _in(clinic(config), *_ON_ITS_WAY)


@task(**OPTIONS)
def go_on(config: str) -> dict[str, Any]:
    """One act of what follows the approval: the canary's next share, the switch, the day's look while it soaks."""
    open_clinic = clinic(config)
    if _in(open_clinic, *_ON_ITS_WAY):
        try:
            return canarying.go_on(open_clinic, OWN).as_json()
        except MigrationRefused as error:
            return {"refused": str(error)}
    if _in(open_clinic, Stage.SOAKING):
        return soaking.look(open_clinic, OWN).as_json()
    return {}


def told_of(
    config: str,
    looked: Held[_Looked],
    answers: list[dict[str, Any]],
    asking: dict[str, Any] | None = None,
    **done: dict[str, Any],
) -> dict[str, Any] | State[Any]:
    """What a run came to, in ids and counts; a state that says so by its name where there was nothing to do."""
    ledger = clinic(config).known_ledger()
    move = ledger.moves.current() if ledger else None
    acts = {name: told for name, told in {"looked": looked.value[1], **done}.items() if told}
    if not acts and not answers:
        if move is None:
            return Completed(name="Unchanged", message="Nothing says that the model changed, and no move is under way.")
        if asking and asking["gate"] and not asking["new"]:
            return Completed(name="Skipped", message=f"Gate {asking['gate']} waits for a person: {asking['run']}.")
    stage = {"move": move.id, "stage": move.stage.value} if move else {}
    return {**stage, **acts, "answers": answers, "asking": asking or {}}


def move_name() -> str:
    """A run's name: whether it asks about a gate, and whether it may move anything."""
    parameters = flow_run.parameters
    if parameters["gate"]:
        return f"migrate gate {parameters['gate'][:8]}"
    return "migrate dry-run" if parameters["dry_run"] else "migrate"


def _in(clinic: Clinic, *stages: Stage) -> bool:
    ledger = clinic.known_ledger()
    move = ledger.moves.current() if ledger else None
    return move is not None and move.stage in stages
