"""What the tasks have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar, final

from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.runtime import flow_run, task_run
from prefect.states import State
from prefect.tasks import Task

from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import Unavailable
from mendory.ledger import Clock, utc_now

RETRIES: dict[str, Any] = {"retries": 2, "retry_delay_seconds": [1, 5]}


clock: Clock = utc_now
"""The time of everything that tasks do."""


def clinic(config: str) -> Clinic:
    """The clinic of a configuration file."""
    return Clinic(Config.load(Path(config)), lambda: clock())


def transient(_: Task[..., Any], __: TaskRun, state: State[Any]) -> bool:
    """True when storage did not answer: nothing else gets better by trying again."""
    try:
        state.result()
    except Unavailable:
        return True
    except Exception:  # noqa: BLE001 - whatever it is, Prefect raises it; here we only say "do not retry"
        return False
    return False


OPTIONS: dict[str, Any] = {
    "cache_policy": NO_CACHE,
    "persist_result": False,
    "retry_condition_fn": transient,
    **RETRIES,
}
"""Nothing is cached or persisted: the ledger remembers, and a result must not outlive the run."""


T = TypeVar("T")


@final
class Held(Generic[T]):
    """A value of this process that goes from task to task unseen: what Prefect knows, it visits element by element."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value


def named(verb: str) -> Callable[[], str]:
    """A task run's name: the verb and the plan's code, as people say it."""
    return lambda: f"{verb}-{task_run.parameters['plan_id'][:8]}"


def key(*parts: str) -> str:
    """An artifact key: lower case letters, digits and dashes."""
    text = "-".join(parts).lower()
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in text).strip("-")


def heal_name() -> str:
    """A heal's name: whether it looks at every row, and whether it may repair."""
    words = ["heal", "everything" if flow_run.parameters["full"] else "changes"]
    return " ".join([*words, "dry-run"] if flow_run.parameters["dry_run"] else words)
