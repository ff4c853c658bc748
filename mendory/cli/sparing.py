"""The verbs that let things be: dismiss a finding, keep a row as it is, and take that back."""

from __future__ import annotations

import click

from mendory import sparing
from mendory.cli.shared import (
    OK,
    command,
    json_option,
    lang_option,
    main,
    name_option,
    print_json,
    print_next,
    with_clinic,
)
from mendory.cli.words import say
from mendory.clinic import Clinic
from mendory.text import shown

_because = click.option("--because", default="", help="Why, for the record.")
_undo = click.option("--undo", is_flag=True, help="Take it back.")


@main.command()
@click.argument("finding")
@_because
@_undo
@name_option
@lang_option
@with_clinic
@json_option
def dismiss(clinic: Clinic, finding: str, because: str, undo: bool, by: str, as_json: bool) -> int:
    """Dismiss a finding: it is not proposed again until one of its rows changes."""
    named = (sparing.take_up if undo else sparing.dismiss)(clinic, finding, because, by)
    if as_json:
        print_json({"finding": named, "dismissed": not undo})
        return OK
    if undo:
        click.echo(say("Finding {id} may be planned again.", id=named[:8]))
    else:
        click.echo(say("Dismissed finding {id}. It is not proposed again until a row changes.", id=named[:8]))
    print_next(command("plan") if undo else command("dismiss", named[:8], "--undo", "--as", "NAME"))
    return OK


@main.command()
@click.argument("ident", metavar="ID")
@_because
@_undo
@name_option
@lang_option
@with_clinic
@json_option
def keep(clinic: Clinic, ident: str, because: str, undo: bool, by: str, as_json: bool) -> int:
    """Keep a memory as it is: no step changes its row until that is taken back."""
    (sparing.release if undo else sparing.keep)(clinic, ident, because, by)
    if as_json:
        print_json({"id": ident, "kept": not undo})
        return OK
    if undo:
        click.echo(say("Steps may change {id} again.", id=shown(ident)))
    else:
        click.echo(say("{id} is kept as it is: no step changes it.", id=shown(ident)))
    print_next(command("plan") if undo else command("keep", ident, "--undo", "--as", "NAME"))
    return OK
