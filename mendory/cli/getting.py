"""The verb that shows one memory, archived or not, with what it was merged into."""

from __future__ import annotations

import json
from typing import Any

import click

from mendory.cli.shared import OK, command, json_option, lang_option, main, print_json, print_next, with_clinic
from mendory.cli.words import say, term
from mendory.clinic import Clinic
from mendory.door import open_door
from mendory.door.held import Held
from mendory.text import shown

_MOST = 2000


@main.command()
@click.argument("ident", metavar="ID")
@lang_option
@with_clinic
@json_option
def get(clinic: Clinic, ident: str, as_json: bool) -> int:
    """Show one memory, archived or not; a merged one names the memory it was merged into."""
    with open_door(clinic.config) as door:
        held = door.get(ident)
    if as_json:
        print_json(_as_json(held))
        return OK
    _show(held)
    further = held.merged_into or held.superseded_by
    print_next(*([command("get", further)] if further else []), command("check"))
    return OK


def _as_json(held: Held) -> dict[str, Any]:
    names = ("id", "content", "status", "scope", "source", "kind", "claim", "merged_into", "superseded_by", "version")
    kept = {name: list(getattr(held, name)) for name in ("disputed_with", "exception_of")}
    times = {name: getattr(held, name) for name in ("created_at", "updated_at")}
    return {
        **{name: getattr(held, name) for name in names},
        "metadata": dict(held.metadata),
        **kept,
        "factor": held.factor,
        "related_ids": list(held.related_ids),
        "related_notes": list(held.related_notes),
        **{name: None if time is None else time.isoformat() for name, time in times.items()},
    }


def _show(held: Held) -> None:
    click.echo(f"{shown(held.id)}  {term(held.status or 'unknown')}")
    click.echo(f"  {shown(held.content, _MOST)}")
    if held.merged_into:
        click.echo(say("  merged into {id}", id=shown(held.merged_into)))
    if held.superseded_by:
        click.echo(say("  superseded by {id}", id=shown(held.superseded_by)))
    if held.disputed_with:
        click.echo(say("  disputed with {ids}", ids=", ".join(map(shown, held.disputed_with))))
    if held.exception_of:
        click.echo(say("  exception of {ids}", ids=", ".join(map(shown, held.exception_of))))
    if held.factor != 1:
        click.echo(say("  weighed by {factor} at recall", factor=f"{held.factor:g}"))
    told = [("scope", held.scope), ("source", held.source), ("kind", held.kind)]
    told += [("created_at", f"{held.created_at:%Y-%m-%d %H:%M} UTC" if held.created_at else None)]
    told += [("metadata", json.dumps(dict(held.metadata), ensure_ascii=False) if held.metadata else None)]
    told += [("related_ids", ", ".join(held.related_ids))]
    for name, value in told:
        if value:
            click.echo(f"  {term(name)}: {shown(value, _MOST)}")
    for note in held.related_notes:
        click.echo(f"  {term('related_notes')}: {shown(note, _MOST)}")
