"""The verb that writes a configuration: init."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mendory.cli.shared import main
from mendory.config import FILE_NAME, Config
from mendory.errors import InputInvalid
from mendory.lance import Reader, table_exists


@main.command()
@click.argument("table", metavar="FOLDER#TABLE")
@click.option(
    "--config", "-c", type=click.Path(path_type=Path), default=FILE_NAME, show_default=True, help="File to write."
)
@click.option(
    "--dimension",
    type=click.IntRange(1, 65535),
    default=384,
    show_default=True,
    help="Vector length, should import create the table.",
)
def init(table: str, config: Path, dimension: int) -> None:
    """Write mendory.toml for a table; nothing else is written, no repair is switched on."""
    uri, sep, name = table.rpartition("#")
    if not sep or not uri or not name:
        raise InputInvalid(
            f"'{table}' is not FOLDER#TABLE. Nothing was written. Write e.g. ./assistant.lancedb#memories."
        )
    if config.exists():
        raise InputInvalid(f"{config} is there already. Nothing was written. Edit it, or name another with --config.")
    text = _TEMPLATE.format(uri=json.dumps(uri, ensure_ascii=False), name=json.dumps(name), dimension=dimension)
    made = Config.parse(text, config.resolve().parent)
    if table_exists(made.table_uri, name):
        reader = Reader(made.table_uri, name, made.record_mapping())
        click.echo(f"{name} v{reader.version} · {reader.count()} rows · the columns are those of our own table")
    else:
        click.echo(f"There is no table {name} yet; 'mendory import' will create it with vectors of {dimension}.")
    config.write_text(text, encoding="utf-8")
    click.echo(f"Wrote {config}. Nothing runs without a person until you add [limits]. next: mendory check")


_TEMPLATE = """\
# Mendory's configuration; every key is explained in docs/configuration.md.
[table]
uri = {uri}
name = {name}
dimension = {dimension}

# Without [limits] nothing is repaired unless a person approves it.
# [limits]
# rows_per_run = 500
# repairs_per_day = 2000
# zone = "UTC"

# Rules that may repair without asking, within the limits.
# [rules]
# confirmed = ["merge.exact"]
"""
