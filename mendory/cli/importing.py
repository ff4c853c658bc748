"""The verb that imports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from mendory import importer
from mendory.cli.progress import progress
from mendory.cli.shared import (
    OK,
    REFUSED,
    command,
    json_option,
    lang_option,
    main,
    print_json,
    print_next,
    print_table,
    with_clinic,
)
from mendory.cli.words import say
from mendory.clinic import Clinic
from mendory.config import Config
from mendory.errors import InputInvalid, TableCorrupt, TableExists
from mendory.lance import Writer, create_table, table_exists, to_table
from mendory.record import FIELD_NAMES


def _pairs(values: Sequence[str], option: str) -> dict[str, str]:
    pairs = dict(v.partition("=")[::2] for v in values)
    if any("=" not in v for v in values):
        raise InputInvalid(f"{option} is FIELD=VALUE. Nothing was imported. Write e.g. {option} scope=u1.")
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
@lang_option
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
    """Import JSON Lines; our own table is made when there is none, importing twice changes nothing."""
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
    with progress(as_json, say("reading the file")) as told:
        judged = importer.judge(_told(importer.lines(file), file, told), shaping, dimension, fields)
    if judged.read == 0:
        raise InputInvalid(f"{file} holds no line. Nothing was imported. Name a JSON Lines file.")
    held = writer.rows([kept.record["id"] for kept in judged.kept]) if writer else None
    sorted_out = importer.against(judged, held, clinic.mapping, writer.schema if writer else None)
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
        _show_counts(counts, target if refused and not dry_run else None, dry_run)
    return REFUSED if refused else OK


def _show_counts(counts: dict[str, Any], written: Path | None, dry_run: bool) -> None:
    click.echo(say("read {read} = ok {ok} + quarantined {quarantined} + rejected 0", **counts))
    click.echo(say("  imported {imported}, already there {already_there}, equal lines {duplicate_exact}", **counts))
    print_table([[reason, number] for reason, number in counts["reasons"].items()], say("  quarantined: "))
    if written is not None:
        click.echo(say("  refused lines with reasons and hints: {file}", file=written))
    if dry_run:
        click.echo(say("Nothing was written."))
    else:
        print_next(command("check"))


def _told(
    lines: Iterator[tuple[int, bytes]], file: Path, told: Callable[[int, int], None]
) -> Iterator[tuple[int, bytes]]:
    """The lines; `told` hears how many bytes of the file they were. Of a packed file nobody knows."""
    size = 0 if file.suffix.lower() == ".gz" or not file.is_file() else file.stat().st_size
    done = told_at = 0
    for number, line in lines:
        yield number, line
        done += len(line) + 1
        if done - told_at > 2**20 and done < size:
            told(done, size)
            told_at = done
