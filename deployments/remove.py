"""Taking away what `apply` brought, and nothing else."""

from __future__ import annotations

from typing import Any, Final

from deployments.api import Api
from deployments.apply import Change
from deployments.objects import MADE, MARK, Order
from mendory.errors import InputInvalid

_UNDER_WAY: Final = ("PENDING", "RUNNING", "CANCELLING")


def remove(api: Api, order: Order) -> list[Change]:
    """Nothing with our mark and this prefix is left; the plans and case records in the ledger stay.

    The pool goes when we made it and nobody else deployed to it; a flow with its runs when no other deployment and no
    other run is under it. Raises InputInvalid while a run of ours is under way.
    """
    ours = api.all("/deployments/filter", {"deployments": {"tags": {"all_": order.tags}}})
    ids = [d["id"] for d in ours]
    _refuse_under_way(api, ids)
    changes = []
    for automation in api.all("/automations/filter", {"automations": {"tags": {"all_": order.tags}}}):
        api.delete(f"/automations/{automation['id']}")
        changes.append(Change("automation", automation["name"], "delete"))
    flows = {d["flow_id"]: api.get(f"/flows/{d['flow_id']}") for d in ours}
    ordered = sorted(ours, key=lambda d: flows[d["flow_id"]]["name"] == "treat")
    for left, deployment in zip(range(len(ordered), 0, -1), ordered, strict=True):
        # the turn carries no mark: it is known to be ours by a deployment that names it, so that goes last
        if left == 1 and any(d["parameters"].get("turn") == order.turn for d in ours):
            changes += _turn(api, order)
        _end_waiting(api, deployment["id"])
        api.delete(f"/deployments/{deployment['id']}")
        changes.append(Change("deployment", f"{flows[deployment['flow_id']]['name']}/{deployment['name']}", "delete"))
    changes += _queues_and_pool(api, order)
    return changes + [_flow(api, flow) for flow in flows.values()]


def _refuse_under_way(api: Api, ids: list[str]) -> None:
    if not ids:
        return
    running = _runs(api, ids, *_UNDER_WAY)
    if running:
        raise InputInvalid(
            f"{len(running)} runs are under way, first {running[0]['name']}. Nothing was removed. "
            "Wait until they ended, or cancel them on the server, and try again."
        )


def _runs(api: Api, ids: list[str], *states: str) -> list[dict[str, Any]]:
    wanted = {"deployments": {"id": {"any_": ids}}, "flow_runs": {"state": {"type": {"any_": list(states)}}}}
    return api.all("/flow_runs/filter", wanted)


def _end_waiting(api: Api, deployment: str) -> None:
    """Runs that wait for a person end; their plans stay open in the ledger."""
    state = {
        "type": "CANCELLED",
        "message": "Its deployment was removed. The plan waits in the ledger: mendory review.",
    }
    for run in _runs(api, [deployment], "PAUSED"):
        api.post(f"/flow_runs/{run['id']}/set_state", {"state": state})


def _turn(api: Api, order: Order) -> list[Change]:
    path = f"/v2/concurrency_limits/{order.turn}"
    if api.get(path) is None:
        return []
    api.delete(path)
    return [Change("concurrency limit", order.turn, "delete")]


def _queues_and_pool(api: Api, order: Order) -> list[Change]:
    pool = api.get(f"/work_pools/{order.pool}")
    if pool is None:
        return []
    if str(pool.get("description") or "").startswith(MADE):
        others = api.all("/deployments/filter", {"work_pools": {"name": {"any_": [order.pool]}}})
        if others:
            return [Change("work pool", order.pool, "keep", "others_deployed", {"number": len(others)})]
        api.delete(f"/work_pools/{order.pool}")
        return [Change("work pool", order.pool, "delete", "with_queues")]
    changes = [Change("work pool", order.pool, "keep", "not_ours")]
    for queue in api.all(f"/work_pools/{order.pool}/queues/filter", {}):
        named = queue["name"] in order.queues(False).values()
        if named and str(queue.get("description") or "").startswith(MADE):
            api.delete(f"/work_pools/{order.pool}/queues/{queue['name']}")
            changes.append(Change("work queue", queue["name"], "delete"))
    return changes


def _flow(api: Api, flow: dict[str, Any]) -> Change:
    """The flow's runs are history of the server's; they go with it when all of them were ours."""
    if not flow["labels"].get(f"{MARK}.made"):
        return Change("flow", flow["name"], "keep", "not_ours")
    under = {"flows": {"id": {"any_": [flow["id"]]}}}
    if others := api.all("/deployments/filter", under):
        return Change("flow", flow["name"], "keep", "others_deployed", {"number": len(others)})
    if others := [run for run in api.all("/flow_runs/filter", under) if MARK not in run["tags"]]:
        return Change("flow", flow["name"], "keep", "other_runs", {"number": len(others)})
    api.delete(f"/flows/{flow['id']}")
    return Change("flow", flow["name"], "delete", "with_runs")
