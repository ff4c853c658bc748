"""Runs that ask people: one of `treat` for each plan that waits, none for a plan that ended; and who is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from prefect import task
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    FlowRunFilter,
    FlowRunFilterTags,
)
from prefect.client.schemas.objects import FlowRun, State
from prefect.deployments import run_deployment
from prefect.runtime import flow_run
from prefect.states import Cancelled
from prefect.utilities.urls import url_for

from mendory import due
from mendory.asking.answer import is_of
from mendory.asking.ask import asked
from mendory.asking.page import summary
from mendory.clinic import Clinic
from mendory.ledger.plans import PlanState
from mendory.notify import notify
from tasks.shared import OPTIONS, clinic

OURS = "mendory"
PAGES = "mendory-pages"
"""A run with this tag has pages in the server's database; without it they were taken away."""
REVIEWS = "mendory-review"
"""A run with this tag asks about findings one after another."""
_PAGE = 100


def plan_tag(plan_id: str) -> str:
    """What all runs that ask about the plan are found by."""
    return f"mendory-plan-{plan_id[:8]}"


@task(**OPTIONS)
def gather(config: str, treat: str, turn: str, ask: bool) -> dict[str, Any]:
    """Runs of plans that ended are over, their pages gone; with `ask` every plan that waits has a run that asks.

    Returns the ids of the plans that ended meanwhile, and plan id → run id of those that ask. Without the name of a
    deployment nobody is asked here.
    """
    if not treat:
        return {"ended": [], "asking": {}}
    open_clinic = clinic(config)
    with get_client(sync_client=True) as client:
        deployment = client.read_deployment_by_name(treat).id
        asking: dict[str, str] = {}
        ended: list[str] = []
        runs = runs_of(client, deployment, PAGES, config)
        states = {p["id"]: p["state"] for p in open_clinic.ledger.plans.all()}  # after the runs: theirs are among them
        for run in runs:
            plan_id = str(run.parameters.get("plan_id"))
            said = over(open_clinic, plan_id, states.get(plan_id), run.state) if run.state.is_paused() else ""
            if not run.state.is_final() and not said:
                asking[plan_id] = str(run.id)
                continue
            if said:
                client.set_flow_run_state(run.id, Cancelled(message=said), force=True)
                ended += [plan_id] if plan_id in states else []
            clear(client, run)
        _end_reviews(client, open_clinic, config)
        for plan_id in due.waiting(open_clinic) if ask else ():
            if plan_id not in asking:
                former = len(runs_of(client, deployment, plan_tag(plan_id), config))
                asking[plan_id] = str(_started(open_clinic, config, treat, turn, plan_id, former))
    return {"ended": sorted(set(ended)), "asking": asking}


def _end_reviews(client: SyncPrefectClient, clinic: Clinic, config: str) -> None:
    """Runs that ask about a finding which waits no more are over, their pages gone."""
    waiting = {w["finding_id"][:8] for w in clinic.ledger.findings.queued()}
    tags = FlowRunFilter(tags=FlowRunFilterTags(all_=[REVIEWS, PAGES]))
    for run in client.read_flow_runs(flow_run_filter=tags, limit=_PAGE):
        shown = (run.state.state_details.pause_key or "") if run.state.is_paused() else ""
        if same(run.parameters.get("config"), config) and shown and shown.split("-")[1] not in waiting:
            client.set_flow_run_state(run.id, Cancelled(message="Its finding waits no more."), force=True)
            clear(client, run)


def known_by(tag: str, name: str) -> None:
    """The run that asks has that name and tag and is known as one with pages, also where somebody started it by hand.

    What it was called when it began does not tell what was decided since.
    """
    with get_client(sync_client=True) as client:
        run = client.read_flow_run(flow_run.id)
        tags = list(dict.fromkeys([*run.tags, OURS, PAGES, tag]))
        client.update_flow_run(run.id, name=name, tags=tags)


def over(clinic: Clinic, plan_id: str, state: str | None, paused: State[Any]) -> str:
    """Why the run that is paused so has nothing to ask any more of a plan in that state; empty while it has."""
    if state != PlanState.OPEN.value:
        return f"Plan {plan_id[:8]} is {state or 'unknown'}; nobody is asked any more."
    shown = paused.state_details.pause_key or ""
    if shown and not is_of(shown, clinic.ledger.plans.load(plan_id)):
        return f"Plan {plan_id[:8]} was made again since this page was shown; another run asks."
    return ""


def runs_of(client: SyncPrefectClient, deployment: UUID, tag: str, config: str) -> list[FlowRun]:
    """Every run of the deployment with that tag about the table of this configuration."""
    found: list[FlowRun] = []
    while True:
        batch = client.read_flow_runs(
            deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment])),
            flow_run_filter=FlowRunFilter(tags=FlowRunFilterTags(all_=[tag])),
            limit=_PAGE,
            offset=len(found),
        )
        found += batch
        if len(batch) < _PAGE:
            return [run for run in found if same(run.parameters.get("config"), config)]


def same(one: Any, other: str) -> bool:
    """True when both name one file; a person may write it shorter than a deployment does."""
    return isinstance(one, str) and Path(one).resolve() == Path(other).resolve()


def _started(clinic: Clinic, config: str, treat: str, turn: str, plan_id: str, former: int) -> UUID:
    question = asked(clinic, plan_id)
    return begun(
        treat,
        {"config": config, "plan_id": plan_id, "turn": turn},
        summary(question, clinic.config.report.lang),
        f"{plan_id}-{question.made_at.isoformat()}-{former}",
        plan_tag(plan_id),
    )


def begun(deployment: str, parameters: dict[str, Any], name: str, once: str, tag: str) -> UUID:
    """The id of a run that asks; of all that are begun with the same `once` there is one."""
    run = run_deployment(
        deployment,
        parameters=parameters,
        flow_run_name=name,
        idempotency_key=once,
        tags=[OURS, PAGES, tag],
        timeout=0,
        as_subflow=False,
    )
    return run.id


def clear(client: SyncPrefectClient, run: FlowRun) -> None:
    """No page of the run is left in the server's database: form, text, answers."""
    forget(client, run.id, "suspended-")
    client.update_flow_run(run.id, tags=[tag for tag in run.tags if tag != PAGES])


def forget(client: SyncPrefectClient, run: UUID, prefix: str) -> None:
    """Everything kept of rounds whose key begins so is deleted from the server's database."""
    while held := client.filter_flow_run_input(run, prefix, _PAGE, set()):
        for one in held:
            client.delete_flow_run_input(run, one.key)


@task(**OPTIONS)
def tell(config: str, asking: dict[str, str]) -> dict[str, int]:
    """Who is to be told was told, with the way to the run that asks; how many were told, put off and not reached."""
    open_clinic = clinic(config)
    links = {plan_id: url_for("flow-run", run) or "" for plan_id, run in asking.items()}
    return notify(open_clinic, links).as_json()
