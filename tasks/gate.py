"""Asking a person about the gate of a move: a run of its own for each gate, its form, its answer. The ledger counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun
from prefect.flow_runs import suspend_flow_run
from prefect.runtime import flow_run
from prefect.states import Cancelled

from mendory import gated
from mendory.asking.answer import Answer
from mendory.asking.move_answer import BEGINS, is_of_gate, move_round
from mendory.asking.move_page import asked_move, fields, page, summary
from mendory.clinic import Clinic
from mendory.ledger.moves import Move
from mendory.migrating import under_way
from mendory.migration.stages import Stage
from tasks.approve import form_of, rounds
from tasks.people import PAGES, begun, clear, forget, known_by, runs_of
from tasks.shared import OPTIONS, clinic, key


def move_tag(move: Move) -> str:
    """What all runs that ask about the move are found by."""
    return f"mendory-move-{move.id[:8]}"


def asks(config: str, gate: str) -> bool:
    """True while the gate of that digest stands, and a person's word on it is missing."""
    move, digest = _waits(clinic(config))
    return bool(gate) and move is not None and digest == gate


def ask_about(config: str, gate: str) -> Answer:
    """The answer about the gate that nobody judged; the run is suspended until it is given."""
    open_clinic = clinic(config)
    move = under_way(open_clinic.ledger)
    for given in rounds(
        f"{BEGINS}{move.id[:8]}-",
        lambda name: is_of_gate(name, move.id, gate),
        open_clinic.ledger.move_answers.get,
        lambda number: move_round(move.id, gate, number, str(flow_run.id)),
    ):
        if isinstance(given, Answer):
            return given
        question, lang = asked_move(open_clinic), open_clinic.config.report.lang
        known_by(move_tag(move), summary(question, lang))
        bare = page(replace(question, excerpts=False), lang)
        create_markdown_artifact(bare, key=key("gate", gate[:8]), description=summary(question, lang))
        form = form_of(fields(question, lang)).with_initial_data(description=page(question, lang))
        suspend_flow_run(wait_for_input=form, timeout=None, key=given)
    raise AssertionError("rounds do not end")


@task(**OPTIONS)
def answer_by(config: str, given: Answer) -> dict[str, Any]:
    """The answer stands in the ledger, or why it does not; its page is gone from the server's database."""
    open_clinic = clinic(config)
    move = under_way(open_clinic.ledger)
    became = gated.answer(open_clinic, move.id, given)
    with get_client(sync_client=True) as client:
        forget(client, flow_run.id, f"suspended-{given.round}-")
    return {"stands": became.stands, "verdict": became.verdict, "why": became.why.value if became.why else None}


@task(**OPTIONS)
def gather(config: str, ask: str, turn: str) -> dict[str, Any]:
    """The gate that waits for a person has one run that asks; runs about any other are over, their pages gone.

    Returns the gate, the run and whether it is new. Without the name of a deployment nobody is asked here.
    """
    told: dict[str, Any] = {"gate": "", "run": "", "new": False}
    if not ask:
        return told
    open_clinic = clinic(config)
    with get_client(sync_client=True) as client:
        deployment = client.read_deployment_by_name(ask).id
        runs = runs_of(client, deployment, PAGES, config)
        move, digest = _waits(open_clinic)  # after the runs: theirs is among what they ask about
        asking = [run for run in runs if _goes_on(client, run, digest)]
        if move is None:
            return told
        run = asking[0].id if asking else _started(client, deployment, open_clinic, config, ask, turn, move, digest)
    return {"gate": digest, "run": str(run), "new": not asking}


def _goes_on(client: SyncPrefectClient, run: FlowRun, digest: str) -> bool:
    """True for a run that asks about that gate or has its answer; any other is over, and its pages are gone."""
    other = run.parameters.get("gate") != digest
    if not run.state.is_final() and not (other and run.state.is_paused()):
        return not other
    if not run.state.is_final():
        said = "Its gate stands no more, or a person's word is on it; nobody is asked any more."
        client.set_flow_run_state(run.id, Cancelled(message=said), force=True)
    clear(client, run)
    return False


def _started(
    client: SyncPrefectClient,
    deployment: UUID,
    clinic: Clinic,
    config: str,
    ask: str,
    turn: str,
    move: Move,
    digest: str,
) -> UUID:
    former = len(runs_of(client, deployment, move_tag(move), config))
    name = summary(asked_move(clinic, excerpts=False), clinic.config.report.lang)
    parameters = {"config": config, "gate": digest, "turn": turn, "dry_run": False}
    return begun(ask, parameters, name, f"{move.id}-{digest}-{former}", move_tag(move))


def _waits(clinic: Clinic) -> tuple[Move | None, str]:
    """The move whose gate waits for a person's word, and that gate's digest."""
    ledger = clinic.known_ledger()
    move = ledger.moves.current() if ledger else None
    held = gated.held_gate(move) if move is not None and move.stage is Stage.GATING else None
    return (None, "") if held is None else (move, str(held["digest"]))
