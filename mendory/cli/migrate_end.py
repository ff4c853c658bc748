"""The verbs that end a move: retire the old space, and purge the column that nobody needs any more."""

from __future__ import annotations

import click

from mendory import retiring
from mendory.cli.migrate import migrate, named
from mendory.cli.shared import OK, command, json_option, lang_option, name_option, print_json, print_next, with_clinic
from mendory.cli.words import many, say
from mendory.clinic import Clinic
from mendory.migration_status import move_json
from mendory.text import shown


@migrate.command()
@name_option
@lang_option
@with_clinic
@json_option
def retire(clinic: Clinic, by: str, as_json: bool) -> int:
    """End the move after its soak: the old space is history, its column stays as it is."""
    move = retiring.retire(clinic, by)
    if as_json:
        print_json(move_json(move))
        return OK
    click.echo(say("{move} {stage}. Nothing was deleted: the old column stays until it is purged.", **named(move)))
    print_next(command("migrate", "purge", move.id[:8], "--as", "NAME"), command("check"))
    return OK


@migrate.command()
@click.argument("code")
@name_option
@lang_option
@with_clinic
@json_option
def purge(clinic: Clinic, code: str, by: str, as_json: bool) -> int:
    """Drop the column that the finished move of that code left behind, for good, with the table's earlier versions."""
    done = retiring.purge(clinic, code, by)
    if as_json:
        print_json(done.as_json())
        return OK
    said = "The column {column} is gone; {rows} compared before and after, each as it was."
    click.echo(say(said, column=shown(done.column), rows=many(done.rows, "row")))
    if done.bytes_before is not None and done.bytes_after is not None:
        sizes = {"before": _size(done.bytes_before), "after": _size(done.bytes_after)}
        click.echo(say("{before} on disk before, {after} now.", **sizes))
    print_next(command("check"))
    return OK


def _size(count: int) -> str:
    """Bytes as people say them.

    >>> _size(1_500_000), _size(999)
    ('1.5 MB', '0.0 MB')
    """
    return f"{count / 1_000_000:,.1f} MB"
