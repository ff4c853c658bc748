"""Bringing a server to what the files say: what is there is compared, and only what differs is written.

Nothing without our mark is ever changed; a name that somebody else took is refused before anything is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any, Final

from prefect.events.schemas.automations import AutomationCore
from prefect.utilities.callables import parameter_schema
from prefect.workers.process import ProcessWorker

from deployments.api import Api
from deployments.objects import MADE, MARK, Order, automations, deployments
from mendory.errors import InputInvalid

LATE: Final = timedelta(minutes=1)
_UNKNOWN: Final = "00000000-0000-0000-0000-000000000000"
_AT_A_TIME: Final = 1


@dataclass(frozen=True)
class Change:
    """One object, and what is done with it: `create`, `update`, `same`, `keep` or `delete`.

    `why` is one word for what is worth saying about it; the command line has the sentence for it.
    """

    kind: str
    name: str
    action: str
    why: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def deploy(api: Api, order: Order, write: bool, now: datetime) -> list[Change]:
    """What had to be done, in order; with `write` it is done, and no scheduled run of ours waits from before `now`."""
    pool = api.get(f"/work_pools/{order.pool}")
    ours = pool is None or _made_by_us(pool)
    there = {d["name"]: d for d in _deployed(api, order)}
    _refuse_taken(api, order, ours, there)
    changes = [_pool(api, order, pool, write), *_queues(api, order, ours, write)]
    ids: dict[str, str] = {}
    for wanted in deployments(order, ours):
        change, ids[wanted["name"]] = _deployment(api, wanted, there.get(wanted["name"]), order.dry_run, write)
        changes.append(change)
        if wanted["flow_name"] == "treat":  # marked by a deployment that names it, since a limit can carry no mark
            changes.append(_turn(api, order, write))
    changes += _automations(api, order, ours, ids[f"{order.prefix}migrate"], write)
    if write:
        _cancel_late(api, list(ids.values()), now)
    return changes


def schema(entrypoint: str) -> dict[str, Any]:
    """The parameters of the flow, as the server's form shows and checks them."""
    module, _, name = entrypoint.rpartition(".")
    described: dict[str, Any] = parameter_schema(getattr(import_module(module), name)).model_dump_for_openapi()
    return described


def _made_by_us(thing: dict[str, Any]) -> bool:
    return str(thing.get("description") or "").startswith(MADE)


def _deployed(api: Api, order: Order) -> list[dict[str, Any]]:
    """The deployments there are under our flows with a name of ours, whoever made them."""
    wanted = deployments(order, True)
    names, flows = [d["name"] for d in wanted], sorted({d["flow_name"] for d in wanted})
    named = {"deployments": {"name": {"any_": names}}, "flows": {"name": {"any_": flows}}}
    return api.all("/deployments/filter", named)


def _refuse_taken(api: Api, order: Order, ours: bool, there: dict[str, Any]) -> None:
    """Raise InputInvalid when a name that is needed is somebody else's."""
    taken = [f"deployment {d['name']}" for d in there.values() if not set(order.tags) <= set(d["tags"])]
    if not there and api.get(f"/v2/concurrency_limits/{order.turn}"):
        taken.append(f"concurrency limit {order.turn}")
    names = [a["name"] for a in automations(order, ours, _UNKNOWN)]
    found = api.all("/automations/filter", {"automations": {"name": {"any_": names}}})
    taken += [f"automation {a['name']}" for a in found if not set(order.tags) <= set(a["tags"])]
    if not ours:
        queues = _queues_there(api, order)
        named = order.queues(ours).values()
        taken += [f"work queue {name}" for name in named if name in queues and not _made_by_us(queues[name])]
    if taken:
        raise InputInvalid(
            f"These names are taken by objects without our mark: {', '.join(taken)}. Nothing was written. "
            "Choose another --prefix."
        )


def _pool(api: Api, order: Order, pool: dict[str, Any] | None, write: bool) -> Change:
    if pool is not None:
        return Change("work pool", order.pool, "same" if _made_by_us(pool) else "keep", "type", {"type": pool["type"]})
    if write:
        body = {
            "name": order.pool,
            "type": ProcessWorker.type,
            "description": f"{MADE}: runs one at a time, what people answered first.",
            "concurrency_limit": _AT_A_TIME,
            "base_job_template": ProcessWorker.get_default_base_job_template(),
        }
        api.post("/work_pools/", body)
    return Change("work pool", order.pool, "create", "at_a_time", {"type": ProcessWorker.type, "runs": _AT_A_TIME})


def _queues_there(api: Api, order: Order) -> dict[str, dict[str, Any]]:
    return {q["name"]: q for q in api.all(f"/work_pools/{order.pool}/queues/filter", {})}


def _queues(api: Api, order: Order, ours: bool, write: bool) -> list[Change]:
    """In our own pool they come before all others; in somebody's behind them, so that no priority of theirs moves."""
    there = _queues_there(api, order) if write or api.get(f"/work_pools/{order.pool}") else {}
    changes = []
    for priority, (queue, name) in enumerate(order.queues(ours).items(), 1):
        if name in there:
            changes.append(Change("work queue", name, "same"))
            continue
        if write:
            body = {"name": name, "description": f"{MADE}: {queue}."} | ({"priority": priority} if ours else {})
            api.post(f"/work_pools/{order.pool}/queues", body)
        changes.append(Change("work queue", name, "create"))
    return changes


def _turn(api: Api, order: Order, write: bool) -> Change:
    there = api.get(f"/v2/concurrency_limits/{order.turn}")
    wanted = {"limit": 1, "active": True, "slot_decay_per_second": 0.0}
    if there is None:
        if write:
            api.post("/v2/concurrency_limits/", {"name": order.turn} | wanted)
        return Change("concurrency limit", order.turn, "create", "turn")
    differing = [key for key, value in wanted.items() if there[key] != value]
    if differing and write:
        api.patch(f"/v2/concurrency_limits/{order.turn}", wanted)
    return Change("concurrency limit", order.turn, *_compared(differing))


def _deployment(
    api: Api, wanted: dict[str, Any], there: dict[str, Any] | None, dry_run: bool | None, write: bool
) -> tuple[Change, str]:
    """The change and the deployment's id. Dry runs, pauses and schedules that were switched off are a person's word."""
    wanted = wanted | {"parameter_openapi_schema": schema(wanted["entrypoint"])}
    if "dry_run" in wanted["parameters"]:
        kept = there["parameters"].get("dry_run", True) if there else True
        wanted["parameters"] = wanted["parameters"] | {"dry_run": kept if dry_run is None else dry_run}
    name, flow = wanted["name"], wanted.pop("flow_name")
    if there is None:
        made = _UNKNOWN
        if write:
            labels = {f"{MARK}.made": True}
            wanted["flow_id"] = api.post("/flows/", {"name": flow, "tags": [MARK], "labels": labels})["id"]
            made = api.post("/deployments/", wanted)["id"]
        return Change("deployment", f"{flow}/{name}", "create", *_told(wanted)), made
    differing = _differing(wanted, there)
    if differing and write:
        api.patch(f"/deployments/{there['id']}", _patch(wanted, there))
    said = _compared(differing) if differing else ("same", *_told(wanted))
    return Change("deployment", f"{flow}/{name}", *said), there["id"]


def _compared(differing: list[str]) -> tuple[str, str, dict[str, Any]]:
    return ("update", "differs", {"fields": ", ".join(differing)}) if differing else ("same", "", {})


def _told(wanted: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    crons = ", ".join(f"{s['schedule']['cron']} {s['schedule']['timezone']}" for s in wanted["schedules"])
    if not crons:
        return "on_demand", {}
    return "dry" if wanted["parameters"]["dry_run"] else "repairs", {"cron": crons}


def _differing(wanted: dict[str, Any], there: dict[str, Any]) -> list[str]:
    """Names of the fields in which a deployment is not as it should be."""
    limit = there.get("global_concurrency_limit") or {}
    seen = there | {"concurrency_limit": limit.get("limit"), "schedules": _timed(there["schedules"])}
    compared = wanted | {"schedules": _timed(wanted["schedules"])}
    return [key for key, value in compared.items() if seen.get(key) != value]


def _timed(schedules: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        str(s["slug"]): {key: s["schedule"].get(key) for key in ("cron", "timezone", "day_or")}
        | {"parameters": s.get("parameters") or {}}
        for s in schedules
    }


def _patch(wanted: dict[str, Any], there: dict[str, Any]) -> dict[str, Any]:
    """What is sent to change a deployment; a schedule a person switched off stays off."""
    active = {s["slug"]: s["active"] for s in there["schedules"]}
    schedules = [s | {"active": active.get(s["slug"], s["active"])} for s in wanted["schedules"]]
    return {key: value for key, value in wanted.items() if key != "name"} | {"schedules": schedules}


def _automations(api: Api, order: Order, ours: bool, migrate: str, write: bool) -> list[Change]:
    wanted = automations(order, ours, migrate)
    found = api.all("/automations/filter", {"automations": {"name": {"any_": [a["name"] for a in wanted]}}})
    there = {a["name"]: a for a in found}
    changes = []
    for one in wanted:
        name = one["name"]
        if name not in there:
            if write:
                api.post("/automations/", one)
            changes.append(Change("automation", name, "create"))
            continue
        # whether it is switched on is a person's word
        one = one | {"enabled": there[name]["enabled"]}
        differing = [key for key, value in _normal(one).items() if _normal(there[name])[key] != value]
        if differing and write:
            api.put(f"/automations/{there[name]['id']}", one)
        changes.append(Change("automation", name, *_compared(differing)))
    return changes


def _normal(automation: dict[str, Any]) -> dict[str, Any]:
    """The automation with every default written out and sets in order, so that equal ones compare equal."""
    plain: dict[str, Any] = AutomationCore.model_validate(automation).model_dump(mode="json")
    plain["trigger"] = {k: sorted(v) if k in _SETS else v for k, v in plain["trigger"].items()}
    return plain


_SETS: Final = ("after", "expect", "for_each")


def _cancel_late(api: Api, ids: list[str], now: datetime) -> None:
    """No run that a schedule made waits from before: the next one finds what it would have found."""
    waiting = {
        "deployments": {"id": {"any_": ids}},
        "flow_runs": {
            "state": {"type": {"any_": ["SCHEDULED"]}},
            "tags": {"all_": ["auto-scheduled"]},
            "next_scheduled_start_time": {"before_": (now - LATE).isoformat()},
        },
    }
    state = {"type": "CANCELLED", "message": "No worker took it in time. The next run finds what it would have found."}
    for run in api.all("/flow_runs/filter", waiting):
        api.post(f"/flow_runs/{run['id']}/set_state", {"state": state})
