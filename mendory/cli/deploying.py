"""The verb that brings the flows to a Prefect server: deploy. What it does lies in the checkout, beside the library."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import mendory
from mendory.cli.shared import (
    command,
    config_option,
    json_option,
    lang_option,
    main,
    print_json,
    print_next,
    print_table,
)
from mendory.cli.words import say
from mendory.config import Config
from mendory.errors import DependencyMissing, InputInvalid

_ACTIONS = {"create": "create", "update": "update", "same": "same", "keep": "keep", "delete": "delete"}
_KINDS = {
    "work pool": "work pool",
    "work queue": "work queue",
    "deployment": "deployment",
    "concurrency limit": "concurrency limit",
    "automation": "automation",
    "flow": "flow",
}
_WHY = {
    "": "",
    "type": "of type {type}",
    "at_a_time": "of type {type}, runs at a time: {runs}",
    "turn": "one run at a time near the table",
    "differs": "differs in {fields}",
    "on_demand": "no times: another run starts it, or a person",
    "dry": "cron {cron}, dry run",
    "repairs": "cron {cron}, repairs",
    "not_ours": "not made by mendory deploy",
    "others_deployed": "other deployments use it: {number}",
    "other_runs": "other runs are under it: {number}",
    "with_queues": "with its queues",
    "with_runs": "with its runs",
}
"""Word → sentence of what is worth saying about an object."""


@main.command()
@click.option("--pool", required=True, metavar="POOL", help="Work pool to run in; made when there is none.")
@click.option(
    "--prefix",
    default="mendory-",
    show_default=True,
    metavar="P",
    help="What the names of all objects begin with; one for each table.",
)
@config_option("The configuration file, by the same path on every worker.")
@click.option(
    "--apply/--dry-run", "repairs", default=None, help="Let heal repair, or only look; as it is when left out."
)
@click.option("--print", "only_print", is_flag=True, help="Show every object and what would change; write nothing.")
@click.option("--delete", is_flag=True, help="Remove what deploy made under this prefix, nothing else.")
@lang_option
@json_option
def deploy(
    pool: str, prefix: str, config: Path, repairs: bool | None, only_print: bool, delete: bool, as_json: bool
) -> None:
    """Bring heal, treat and migrate to the Prefect server that PREFECT_API_URL names, or remove them from it."""
    if only_print and delete:
        raise InputInvalid("--print and --delete exclude each other. Nothing was done. Choose one.")
    objects = _part("objects")
    order = objects.Order(prefix, pool, str(config.resolve()), None if repairs is None else not repairs)
    refused = "" if delete else _refused(config)
    if refused and not only_print:
        raise InputInvalid(refused)
    with _part("api").configured() as api:
        if delete:
            changes = _part("remove").remove(api, order)
        else:
            changes = _part("apply").deploy(api, order, not only_print, datetime.now(UTC))
    if as_json:
        listed = [vars(change) for change in changes]
        print_json({"prefix": prefix, "pool": pool, "written": not only_print, "refused": refused, "changes": listed})
        return
    _show(changes, only_print, refused)
    if not only_print and not delete:
        print_next(command("deploy", "--pool", pool, "--prefix", prefix, "--print"))


def _show(changes: Iterable[Any], only_print: bool, refused: str) -> None:
    rows = [(say(_ACTIONS[c.action]), say(_KINDS[c.kind]), c.name, say(_WHY[c.why], **c.values)) for c in changes]
    print_table(rows)
    if not rows:
        click.echo(say("Nothing with our mark and this prefix is there."))
    if only_print:
        click.echo(say("Nothing was written."))
    if refused:
        click.echo(say("It would be refused: {why}", why=refused))


def _refused(config: Path) -> str:
    """Why the configuration can't be served by workers on several machines, or nothing."""
    if not Config.load(config).ledger_url.startswith("sqlite"):
        return ""
    return (
        f"{config} keeps its ledger in a SQLite file, and a worker of this server may run on another machine, where "
        "that file is not: two ledgers would repair one table. Nothing was written. Set ledger.url to PostgreSQL "
        "(docs/postgresql.md), or serve it on this machine alone: make serve."
    )


def _part(name: str) -> ModuleType:
    """A module of the deployments that lie beside this library in its checkout, never of another package so named."""
    root = Path(mendory.__file__).resolve().parents[1]
    where = root / "deployments"
    if not (where / "prefect.yaml").is_file():
        raise DependencyMissing(
            "The flows and their deployments are not part of the installed library. Nothing was written. "
            "Install it from a checkout, on every worker too: pip install -e '.[flows]'."
        )
    if str(root) not in sys.path:
        sys.path.append(str(root))
    found = find_spec("deployments")
    if found is None or Path(str(found.origin)).resolve().parent != where:
        raise DependencyMissing(
            f"Another package named deployments is in the way: {found and found.origin}. Nothing was written. "
            "Run mendory in an environment of its own."
        )
    try:
        return import_module(f"deployments.{name}")
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"'{error.name}' is not installed. Nothing was written. In the checkout: pip install -e '.[flows]'."
        ) from None
