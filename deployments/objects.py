"""What should be on a server, from the two YAML files: read, filled in and put in the words of Prefect's API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from mendory.errors import InputInvalid

HERE: Final = Path(__file__).resolve().parent
MARK: Final = "mendory"
"""The tag of everything of ours that can carry one; with the prefix it says whose it is."""
MADE: Final = "Made by mendory deploy"
"""How the description of a pool and of a queue begins, which can carry no tag."""
QUEUES: Final = ("high", "normal", "low")
"""The queues, the one served first in front: answers of people, what changed, whole tables."""
_PREFIX: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?-")
_PLACE: Final = re.compile(r"\{\{ \$(MENDORY_[A-Z]+) \}\}")


@dataclass(frozen=True)
class Order:
    """What a person ordered: where to, under which names, for which configuration.

    `dry_run` is None to keep what is there, and a new deployment begins dry.
    """

    prefix: str
    pool: str
    config: str = ""
    dry_run: bool | None = None

    def __post_init__(self) -> None:
        if not _PREFIX.fullmatch(self.prefix):
            raise InputInvalid(
                f"'{self.prefix}' is no prefix. Nothing was written. "
                "Write lower-case letters, digits and dashes, a dash at the end, at most 41 characters: team-a-."
            )
        if not self.pool.strip() or not self.pool.isprintable() or set(self.pool) & set("/%&><"):
            raise InputInvalid(
                f"'{self.pool}' is no name of a work pool. Nothing was written. Name the pool with --pool."
            )

    @property
    def tags(self) -> list[str]:
        """The tags of what belongs to this prefix."""
        return [MARK, f"{MARK}:{self.prefix}"]

    @property
    def turn(self) -> str:
        """The name of the limit that lets one run at a time near the table."""
        return f"{self.prefix}turn"

    def queues(self, ours: bool) -> dict[str, str]:
        """Queue → its name: short ones in a pool of ours, with the prefix in somebody's."""
        return {queue: queue if ours else f"{self.prefix}{queue}" for queue in QUEUES}

    def places(self, ours: bool) -> dict[str, str]:
        """What stands for which place in the files."""
        return {
            "MENDORY_PREFIX": self.prefix,
            "MENDORY_POOL": self.pool,
            "MENDORY_CONFIG": self.config,
            "MENDORY_QUEUES": "" if ours else self.prefix,
        }


def filled(value: Any, places: Mapping[str, str]) -> Any:
    """The value with each `{{ $MENDORY_… }}` in its texts replaced; a place nobody knows is a KeyError.

    >>> filled({"name": "{{ $MENDORY_PREFIX }}heal"}, {"MENDORY_PREFIX": "a-"})
    {'name': 'a-heal'}
    """
    if isinstance(value, str):
        return _PLACE.sub(lambda found: places[found[1]], value)
    if isinstance(value, dict):
        return {key: filled(item, places) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, places) for item in value]
    return value


def document(name: str) -> dict[str, Any]:
    """One of the two files, as it is written."""
    read: dict[str, Any] = yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
    return read


def deployments(order: Order, ours: bool) -> list[dict[str, Any]]:
    """The deployments as Prefect's API takes them, with `flow_name` in place of an id and no schema of parameters yet.

    Those without times come first: what others start must be there before they run.
    """
    made = [_deployment(filled(d, order.places(ours))) for d in document("prefect.yaml")["deployments"]]
    return sorted(made, key=lambda d: bool(d["schedules"]))


def _deployment(raw: dict[str, Any]) -> dict[str, Any]:
    limit = raw.get("concurrency_limit")
    pool = raw["work_pool"]
    return {
        "name": raw["name"],
        "flow_name": raw["flow_name"],
        "description": raw["description"].strip(),
        "entrypoint": raw["entrypoint"],
        "tags": raw["tags"],
        "parameters": raw["parameters"],
        "enforce_parameter_schema": True,
        "concurrency_limit": limit["limit"] if limit else None,
        "concurrency_options": {k: v for k, v in limit.items() if k != "limit"} if limit else None,
        "schedules": [_schedule(schedule) for schedule in raw["schedules"]],
        "work_pool_name": pool["name"],
        "work_queue_name": pool["work_queue_name"],
        "job_variables": pool["job_variables"],
    }


def _schedule(raw: dict[str, Any]) -> dict[str, Any]:
    timed = {"cron": raw["cron"], "timezone": raw["timezone"], "day_or": True}
    return {
        "slug": raw["slug"],
        "active": raw["active"],
        "schedule": timed,
        "parameters": raw.get("parameters", {}),
    }


def automations(order: Order, ours: bool, migrate: str) -> list[dict[str, Any]]:
    """The automations as Prefect's API takes them; `migrate` is the id of the deployment that looks at the model."""
    places = order.places(ours) | {"MENDORY_MIGRATE": migrate}
    made: list[dict[str, Any]] = filled(document("automations.yaml")["automations"], places)
    return made
