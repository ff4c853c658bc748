"""The verb that imports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from mendory import importer
from mendory.cli.shared import (
    OK,
    REFUSED,
    json_option,
    main,
    print_json,
    print_table,
    with_clinic,
)
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import InputInvalid, TableCorrupt, TableExists
from mendory.lance import Writer, create_table, table_exists, to_table
from mendory.record import FIELD_NAMES


def _pairs(values: Sequence[str], option: str) -> dict[str, str]:
    pairs = dict(v.partition("=")[::2] for v in values)
    if any("=" not in v for v in values):
        raise InputInvalid(f"{option} is FIELD=VALUE. Nothing was imported.")
    importer.known_fields(pairs, option)
    return pairs


def _create_for_import(config: Config, dimension: int) -> None:
    """The table exists, made by us; raises TableExists when another made it since we looked."""
    try:
        create_table(config.table_uri, config.table.name, dimension)
    except (TableExists, TableCorrupt):
        if not table_exists(config.table_uri, config.table.name):
            raise
        raise TableExists(
            f"Table '{config.table.name}' was created by another just now. Nothing was imported. Run the import again."
        ) from None


@main.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--map",
    "keys",
    multiple=True,
    metavar="FIELD=KEY",
    help="Where a field stands in the file; a template such as {user}/{agent} may use {line}.",
)
@click.option("--set", "constants", multiple=True, metavar="FIELD=TEXT", help="The same value for every line.")
@click.option(
    "--time-format", help="How times read, for strptime; %a also takes Chinese weekdays. ISO 8601 when left out."
)
@click.option("--zone", default="UTC", show_default=True, help="Zone of times without one.")
@click.option(
    "--quarantine", type=click.Path(path_type=Path), help="Where refused lines go; FILE.quarantine.jsonl when left out."
)
@click.option("--dry-run", is_flag=True, help="Judge every line; write nothing.")
@with_clinic
@json_option
def import_(
    clinic: Clinic,
    file: Path,
    keys: Sequence[str],
    constants: Sequence[str],
    time_format: str | None,
    zone: str,
    quarantine: Path | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Import JSON Lines into our own table, created when missing; importing twice changes nothing."""
    try:
        shaping = importer.Shaping(_pairs(keys, "--map"), _pairs(constants, "--set"), time_format, ZoneInfo(zone))
    except (KeyError, ValueError, OSError):
        raise InputInvalid(f"'{zone}' is no time zone. Nothing was imported. Write e.g. Asia/Shanghai.") from None
    target = importer.quarantine_target(file, quarantine)
    config = clinic.config
    there = table_exists(config.table_uri, config.table.name)
    writer = Writer(config.table_uri, config.table.name, clinic.mapping) if there else None
    dimension = importer.dimension(writer.schema, clinic.mapping) if writer else config.table.dimension
    fields = [name for name in FIELD_NAMES if clinic.mapping.has(name)]
    judged = importer.judge(importer.lines(file), shaping, dimension, fields)
    if judged.read == 0:
        raise InputInvalid(f"{file} holds no line. Nothing was imported.")
    held = writer.rows([kept.record["id"] for kept in judged.kept]) if writer else None
    sorted_out = importer.against(judged, held, clinic.mapping)
    refused = sorted_out.quarantined
    if refused and not dry_run:
        importer.write_quarantine(target, refused)
    if sorted_out.fresh and not dry_run:
        if writer is None:
            _create_for_import(config, dimension)
            writer = Writer(config.table_uri, config.table.name, clinic.mapping)
        writer.append(to_table(sorted_out.fresh, writer.schema))
    counts: dict[str, Any] = {
        "read": judged.read,
        "ok": judged.read - len(refused),
        "imported": 0 if dry_run else len(sorted_out.fresh),
        "already_there": sorted_out.present,
        "duplicate_exact": sorted_out.doubled,
        "quarantined": len(refused),
        "rejected": 0,
        "reasons": importer.reasons(refused),
    }
    if as_json:
        print_json(counts)
    else:
        click.echo(f"read {counts['read']} = ok {counts['ok']} + quarantined {counts['quarantined']} + rejected 0")
        click.echo(
            f"  imported {counts['imported']}, already there {counts['already_there']}, "
            f"equal lines {counts['duplicate_exact']}"
        )
        print_table([[reason, number] for reason, number in counts["reasons"].items()], "  quarantined: ")
        if refused and not dry_run:
            click.echo(f"  refused lines with reasons and hints: {target}")
        click.echo("Nothing was written." if dry_run else "next: mendory check")
    return REFUSED if refused else OK
