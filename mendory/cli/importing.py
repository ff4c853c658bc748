"""The verb that imports."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
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
from mendory.errors import CommitConflict, InputInvalid, LedgerCorrupt, MendoryError, TableCorrupt, TableExists
from mendory.events import OWN, Happened
from mendory.lance import Writer, create_table, table_exists
from mendory.mapping import Mapping
from mendory.record import arrow_schema
from mendory.spaces.pointer import COLUMN
from mendory.text import shown

_TRIES: Final = 5


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
@click.argument("source", metavar="FILE")
@click.option(
    "--from",
    "form",
    type=click.Choice(importer.FORMS),
    help="What FILE is; told by its name and first bytes when left out. A LanceDB table is FOLDER#TABLE.",
)
@click.option(
    "--map",
    "keys",
    multiple=True,
    metavar="FIELD=KEY",
    help="Where a field stands in the file; a template such as {user}/{agent} may use {line}.",
)
@click.option("--set", "constants", multiple=True, metavar="FIELD=TEXT", help="The same value for every record.")
@click.option(
    "--time-format",
    help="How times read, for strptime; %a also takes Chinese weekdays. s, ms, us or ns for numbers since 1970. "
    "ISO 8601 when left out.",
)
@click.option("--zone", default="UTC", show_default=True, help="Zone of times without one.")
@click.option(
    "--quarantine",
    type=click.Path(path_type=Path),
    help="Where refused records go; FILE.quarantine.jsonl when left out.",
)
@click.option("--dry-run", is_flag=True, help="Judge every record; write nothing.")
@lang_option
@with_clinic
@json_option
def import_(
    clinic: Clinic,
    source: str,
    form: str | None,
    keys: Sequence[str],
    constants: Sequence[str],
    time_format: str | None,
    zone: str,
    quarantine: Path | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Import JSON Lines, Parquet, a LanceDB table or mem0's JSON; importing twice changes nothing.

    Our own table is made when there is none. All new rows come in one commit, once every record is judged.
    """
    named, fixed = _pairs(keys, "--map"), _pairs(constants, "--set")
    shaping = importer.Shaping(named, fixed, time_format, _zone(zone))
    config = clinic.config
    held = importer.source(source, form)
    target = importer.quarantine_target(Path(source), quarantine)
    shaping = dataclasses.replace(shaping, reads=held.reads)
    there = table_exists(config.table_uri, config.table.name)
    if there:
        clinic.sound()
    mapping = _mapping(clinic, there)
    writer = Writer(config.table_uri, config.table.name, mapping) if there else None
    schema = writer.schema if writer else arrow_schema(config.table.dimension)
    if writer is None:
        mapping.check(schema)  # of the table that would be made
    begun = datetime.now(UTC)
    with importer.waiting_room() as folder:
        job = importer.Import(held, shaping, mapping, schema, begun, folder)
        try:
            with progress(as_json, say("reading the file")) as told:
                job.take(told)
            counts = _publish(job, writer, clinic, None if dry_run else target)
        except MendoryError:
            if job.read:
                _show(importer.rejected(job.read), as_json)
            raise
    stale = not (counts["quarantined"] or quarantine or dry_run) and importer.drop_quarantine(target)
    _show(counts, as_json)
    if counts["imported"] and not dry_run:
        _note(clinic, counts["imported"], begun)
    if not as_json:
        if counts["quarantined"] and not dry_run:
            click.echo(say("  refused records with reasons and hints: {file}", file=target))
        if stale:
            click.echo(say("  no record is refused any more; removed: {file}", file=target))
        if dry_run:
            click.echo(say("Nothing was written."))
        else:
            print_next(command("check"))
    return REFUSED if counts["quarantined"] else OK


def _publish(job: importer.Import, writer: Writer | None, clinic: Clinic, target: Path | None) -> dict[str, Any]:
    """The counts of an import whose new rows are in the table and whose refused records are in the file `target`.

    Nothing is written without `target`. When somebody writes one of the ids first, all is compared anew.
    """
    config = clinic.config
    for _ in range(_TRIES):
        if writer:
            writer.refresh()  # reading may have taken long
        job.settle(writer)
        counts = job.counts(written=target is not None)
        if target is None:
            return counts
        if counts["quarantined"]:
            importer.write_quarantine(target, job.refused())
        if not job.imported:
            return counts
        if writer is None:
            _create_for_import(config, config.table.dimension)
            writer = Writer(config.table_uri, config.table.name, _mapping(clinic, there=True))
            if writer.count():
                continue
        done = writer.append_unless(job.fresh(), writer.version, job.clashes)
        if done is None:
            continue
        if not done.alone:
            writer.refresh()
            if doubled := job.doubled(writer):
                counts["flagged"] = dict(sorted({**counts["flagged"], "duplicate_id": doubled}.items()))
        return counts
    raise CommitConflict(
        f"Others wrote the ids of this import first, {_TRIES} times. Nothing was imported. Import it again later."
    )


def _mapping(clinic: Clinic, there: bool) -> Mapping:
    """Where each field lies, by the pointer of spaces; as configured where no ledger tells and no move was ever begun.

    Raises LedgerCorrupt where the table has a column of another space: nobody knows then which one is searched.
    """
    config = clinic.config
    try:
        return clinic.mapping
    except LedgerCorrupt:
        plain = config.record_mapping()
        columns = Writer(config.table_uri, config.table.name, plain).schema.names if there else []
        if any(name.startswith(COLUMN) for name in columns):
            raise
        return plain


def _note(clinic: Clinic, rows: int, begun: datetime) -> None:
    """The import is a change event of the ledger, if there is one; the rows are in the table either way."""
    try:
        ledger = clinic.known_ledger()
        if ledger is not None:
            ledger.events.note(Happened.IMPORT, OWN, {"rows": rows}, begun)
    except MendoryError as error:
        said = say("  the rows are imported, but the ledger could not note it: {error}", error=shown(str(error), 300))
        click.echo(said, err=True)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InputInvalid(f"'{name}' is no time zone. Nothing was imported. Write e.g. Asia/Shanghai.") from None


def _show(counts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(counts)
        return
    click.echo(say("read {read} = ok {ok} + quarantined {quarantined} + rejected {rejected}", **counts))
    click.echo(say("  imported {imported}, already there {already_there}, equal records {duplicate_exact}", **counts))
    print_table([[reason, number] for reason, number in counts["reasons"].items()], say("  quarantined: "))
    print_table([[reason, number] for reason, number in counts["flagged"].items()], say("  taken, but odd: "))
