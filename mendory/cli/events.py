"""The verb of change events: a person's own, and the list of all."""

from __future__ import annotations

from typing import Final

import click

from mendory import upgrading
from mendory.cli.shared import (
    OK,
    command,
    json_option,
    lang_option,
    main,
    print_json,
    print_next,
    print_table,
    with_clinic,
)
from mendory.cli.words import many, say, term
from mendory.clinic import Clinic
from mendory.deciding import check_name
from mendory.errors import InputInvalid
from mendory.events import MOST, Event, Happened, checked_time, checked_words
from mendory.text import shown

_LISTED: Final = 20


@main.command()
@click.argument("words", required=False)
@click.option("--at", metavar="TIME", help="When it was, ISO 8601 with its zone; now when left out.")
@click.option("--as", "by", metavar="NAME", help="Who says so; needed with words.")
@click.option("--list", "listed", is_flag=True, help="List the events, newest first.")
@lang_option
@with_clinic
@json_option
def event(clinic: Clinic, words: str | None, at: str | None, by: str | None, listed: bool, as_json: bool) -> int:
    """Note what changed elsewhere, such as a new release of a writer or embedding-model.changed; or list all."""
    if listed or (words is None and as_json):
        if words is not None or at is not None or by is not None:
            raise InputInvalid("--list takes no words, --at or --as. Nothing was recorded. List with: event --list.")
        _show(clinic, as_json)
        return OK
    if words is None or by is None:
        raise InputInvalid(
            "An event needs what changed, and --as NAME. Nothing was recorded. "
            'For instance: mendory event "deployed v2 of the importer" --as NAME; or mendory event --list.'
        )
    check_name(by)
    moment = checked_time(at, clinic.clock()) if at is not None else None
    if words.strip() == Happened.EMBEDDING_MODEL_CHANGED:
        _model_changed(upgrading.note(clinic, by, at=moment), as_json)
        return OK
    said = checked_words(words)
    noted = clinic.ledger.events.note(Happened.OTHER, by, {"words": said}, moment)
    if as_json:
        print_json(noted.as_json())
        return OK
    click.echo(say("Noted for {time} UTC: {words}", time=f"{noted.at:%Y-%m-%d %H:%M}", words=shown(said, MOST)))
    print_next(command("event", "--list"), command("check"))
    return OK


def _model_changed(noted: Event, as_json: bool) -> None:
    if as_json:
        print_json(noted.as_json())
        return
    click.echo(say("Noted for {time} UTC: {words}", time=f"{noted.at:%Y-%m-%d %H:%M}", words=_what(noted)))
    click.echo(f"  {say('a served clinic looks at the model within a quarter of an hour; else:')}")
    print_next(command("drift"), command("migrate", "start", "--as", "NAME"))


def _show(clinic: Clinic, as_json: bool) -> None:
    ledger = clinic.known_ledger()
    events = sorted(ledger.events.all() if ledger else (), key=lambda e: e.at, reverse=True)
    if as_json:
        print_json({"events": [e.as_json() for e in events]})
        return
    if not events:
        click.echo(say("No change is known."))
    print_table([_row(e) for e in events[:_LISTED]])
    if len(events) > _LISTED:
        more = many(len(events) - _LISTED, "event")
        click.echo(say("  and {events} more; --json lists all", events=more))
    print_next(command("check"))


def _row(event: Event) -> list[str]:
    return [f"{event.at:%Y-%m-%d %H:%M}", term(event.kind.value), shown(event.by, 40), _what(event)]


def _what(event: Event) -> str:
    """What the event was about, on one line."""
    about = event.about
    names = [
        event.words,
        str(about.get("plan", ""))[:8],
        *(about.get(key, "") for key in ("subject", "space", "model")),
    ]
    counts = [many(about[f"{noun}s"], noun) for noun in ("row", "step") if f"{noun}s" in about]
    return " ".join([*(shown(n, MOST) for n in (*names, *about.get("languages", ())) if n), *counts])
