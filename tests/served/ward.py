"""A sick table, its deployments on a real server, and a hand that runs what a worker would, in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from prefect.client.orchestration import get_client
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow
from prefect.settings import (
    PREFECT_API_AUTH_STRING,
    PREFECT_API_URL,
    PREFECT_CLIENT_CSRF_SUPPORT_ENABLED,
    PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
    PREFECT_HOME,
    PREFECT_SERVER_ALLOW_EPHEMERAL_MODE,
    PREFECT_UI_URL,
    temporary_settings,
)

from deployments.api import configured
from deployments.apply import deploy
from deployments.objects import Order
from mendory.asking.answer import round_of
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.lance import Reader
from mendory.mapping import Mapping as FieldMapping
from tests.conftest import make_table, memory
from tests.served.kit import Served

TOML = """
[table]
uri = "db"
name = "memories"
[limits]
rows_per_run = 1000
repairs_per_day = 1000
scope_share = 1.0
sick_share_scope = 1.0
sick_share_table = 1.0
[approval]
approvers = ["anna", "李雷"]
"""
SICK = (
    ("a1", "用户不吃香菜", {"batch_id": "b1"}),
    ("a2", "用户不吃香菜", {"batch_id": "b1"}),
    ("d1", "Prefers a window seat", {"batch_id": "b1", "scope": "u2"}),
    ("d2", "Prefers a window seat", {"batch_id": "b1", "scope": "u2"}),
    ("n1", "Lives in Oslo", {"status": " ACTIVE"}),
    ("h1", "住在上海", {}),
)
"""Two double writes that wait for a person, a status that is put right alone, a row that is well."""


@dataclass
class Ward:
    """The table in `folder`; runs of its flows are the server's, their code runs here."""

    served: Served
    folder: Path
    prefix: str
    pool: str = ""

    def __post_init__(self) -> None:
        self.pool = self.pool or f"{self.prefix}pool"

    @property
    def config(self) -> str:
        """The configuration, as the deployments name it."""
        return str((self.folder / "mendory.toml").resolve())

    @property
    def clinic(self) -> Clinic:
        """The table's clinic, opened anew."""
        return Clinic(Config.load(Path(self.config)))

    def deploy(self, dry_run: bool = False) -> None:
        """Its deployments are on the server."""
        with configured() as api:
            list(deploy(api, Order(self.prefix, self.pool, self.config, dry_run), write=True, now=datetime.now(UTC)))

    def heal(self, full: bool = True, dry_run: bool = False, **more: Any) -> Any:
        """What a heal comes to."""
        from flows.heal import heal

        names = {"treat": f"treat/{self.prefix}treat", "turn": f"{self.prefix}turn"}
        return heal(self.config, full=full, dry_run=dry_run, **names, **more)

    def asking(self, deployment: str = "treat") -> list[dict[str, Any]]:
        """The runs of this table that ask a person, those of treat or of another deployment, oldest first."""
        body = {"deployments": {"name": {"any_": [f"{self.prefix}{deployment}"]}}, "sort": "START_TIME_ASC"}
        found = self.served.post("/flow_runs/filter", body)
        return sorted(found, key=lambda run: str(run["created"]))

    def carry_on(self, run_id: str, flow: Any = None) -> str:
        """A worker took the run up: its flow, treat, ran as far as it goes. The name of the state it is in now."""
        from flows.treat import treat

        with get_client(sync_client=True) as client:
            run = client.read_flow_run(run_id)
        assert "SCHEDULED" == run.state.type.value, run.state
        with suppress(Pause):
            run_flow(flow or treat, flow_run=run, parameters=run.parameters, return_type="state")
        return str(self.served.run_of(run_id)["state"]["name"])

    def answer(self, run_id: str, **values: Any) -> dict[str, Any]:
        """What the server says of an answer put into the form of the run."""
        told: dict[str, Any] = self.served.post(f"/flow_runs/{run_id}/resume", {"run_input": values})
        return told

    def round(self, plan_id: str, run_id: str) -> str:
        """The name of the run's round that the ledger knows no answer of."""
        ledger, number = self.clinic.ledger, 1
        while ledger.answers.get(name := round_of(ledger.plans.load(plan_id), number, run_id)):
            number += 1
        return name

    def forge(self, run_id: str, name: str, value: str, state: str = "SCHEDULED") -> None:
        """Past the form: the text stands where the server keeps the answer of that round, and the run goes on."""
        self.served.post(f"/flow_runs/{run_id}/input", {"key": f"suspended-{name}-response", "value": value})
        self.force(run_id, state)

    def force(self, run_id: str, state: str) -> None:
        """The run is in that state, whatever it was in."""
        self.served.post(f"/flow_runs/{run_id}/set_state", {"state": {"type": state}, "force": True})

    def said(self, run_id: str) -> str:
        """What the page says that the run shows now."""
        pages = [one for one in self.inputs(run_id) if one["key"].endswith("-description")]
        newest = max(pages, key=lambda one: str(one["created"]))
        return str(json.loads(newest["value"]))

    def inputs(self, run_id: str) -> list[dict[str, Any]]:
        """What the server keeps of the run's rounds."""
        found: list[dict[str, Any]] = self.served.post(
            f"/flow_runs/{run_id}/input/filter", {"prefix": "", "limit": 200}
        )
        return found

    def statuses(self) -> dict[str, str | None]:
        """Id → status, read anew."""
        rows = Reader(str(self.folder / "db"), "memories", FieldMapping.identity()).scan()
        return {str(m.id): m.status for m in rows}

    @property
    def version(self) -> int:
        """The newest version of the table."""
        return Reader(str(self.folder / "db"), "memories", FieldMapping.identity()).version


def admit(folder: Path, toml: str = TOML, rows: Sequence[tuple[str, str, Mapping[str, Any]]] = SICK) -> Path:
    """A sick table and its configuration are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    make_table(folder / "db", [memory(name, content=text, **more) for name, text, more in rows])
    (folder / "mendory.toml").write_text(toml, encoding="utf-8")
    return folder


@contextmanager
def client_of(served: Served) -> Iterator[None]:
    """Inside, Prefect in this process is a client of that server."""
    with temporary_settings(
        {
            PREFECT_HOME: served.home,
            PREFECT_API_URL: f"{served.url}/api",
            PREFECT_UI_URL: f"{served.url}/v2",
            PREFECT_API_AUTH_STRING: served.auth,
            PREFECT_CLIENT_CSRF_SUPPORT_ENABLED: True,
            PREFECT_SERVER_ALLOW_EPHEMERAL_MODE: False,
            PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
        }
    ):
        yield
