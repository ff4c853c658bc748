"""The verbs of a move's gate: examine it, and a person's word on what it said."""

from __future__ import annotations

from pathlib import Path

import click

from mendory import foreground, gated
from mendory.cli.migrate import migrate
from mendory.cli.shared import (
    OK,
    REFUSED,
    command,
    json_option,
    lang_option,
    name_option,
    print_json,
    print_next,
    with_clinic,
)
from mendory.cli.words import language, say
from mendory.clinic import Clinic
from mendory.migration.gate import Gate
from mendory.migration.purity import REMADE
from mendory.migration.words import table
from mendory.text import shown


@migrate.command()
@click.option(
    "--judged",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Queries that people judged, one a line: {"query", "scope", "relevant": [ids]}.',
)
@lang_option
@with_clinic
@json_option
def gate(clinic: Clinic, judged: Path | None, as_json: bool) -> int:
    """Examine the new space at the table's newest version: five parts, none can be left out; kept for the record."""
    foreground.step_back(clinic.config.migration.niceness)
    _, found = gated.examine_move(clinic, clinic.writer.latest(), judged)
    if as_json:
        print_json(found.as_json())
        return OK if found.passed else REFUSED
    for line in table(found, language()):
        click.echo(line)
    if found.passed:
        click.echo(say("The gate {code} passed. Nothing goes on without a person's word on it.", code=code_of(found)))
        print_next(
            command("migrate", "status", "--texts"),
            command("migrate", "approve", code_of(found), "--as", "NAME"),
            command("migrate", "reject", code_of(found), "--as", "NAME"),
        )
        return OK
    click.echo(say("The gate {code} refused. Recalls go on in the old space.", code=code_of(found)))
    again = ("--again",) if REMADE & set(found.reasons) else ()
    print_next(command("migrate", "start", *again, "--as", "NAME"), command("migrate", "rollback", "--as", "NAME"))
    return REFUSED


@migrate.command()
@click.argument("code")
@click.option("--note", default="", help="Why, for the record.")
@name_option
@lang_option
@with_clinic
def approve(clinic: Clinic, code: str, note: str, by: str) -> int:
    """Approve the move on the gate of that code and on no other; recalls change with 'mendory migrate switch'."""
    gated.approve(clinic, code, by, note)
    click.echo(say("Approved on the gate {code} as {by}. Recalls go on in the old space.", code=code[:8], by=shown(by)))
    print_next(command("migrate", "switch", "--as", "NAME"), command("migrate", "rollback", "--as", "NAME"))
    return OK


@migrate.command()
@click.argument("code")
@click.option("--because", default="", help="Why, for the record.")
@name_option
@lang_option
@with_clinic
def reject(clinic: Clinic, code: str, because: str, by: str) -> int:
    """Reject what the gate of that code says: it stands no more, and the move waits for another or its way back."""
    gated.reject(clinic, code, by, because)
    click.echo(say("The gate {code} stands no more.", code=code[:8]))
    print_next(command("migrate", "gate"), command("migrate", "rollback", "--as", "NAME"))
    return OK


def code_of(found: Gate) -> str:
    """What a person types to mean this gate."""
    return found.digest[:8]
