"""The verb that goes on from an approval: the canary's shares, then the switch, one act a call."""

from __future__ import annotations

from typing import Final

import click

from mendory import foreground
from mendory.canarying import Act, Went, go_on
from mendory.cli.migrate import migrate
from mendory.cli.shared import (
    FOUND,
    OK,
    REFUSED,
    WAITS,
    command,
    json_option,
    lang_option,
    name_option,
    print_json,
    print_next,
    with_clinic,
)
from mendory.cli.words import language, reason, say
from mendory.clinic import Clinic
from mendory.migration import words
from mendory.migration.stages import Stage
from mendory.soaking import Looked, look

_SAID: Final = {
    Act.BEGAN: "The canary began: the new space answers {share} of the recalls.",
    Act.GREW: "The canary grew: the new space answers {share} of the recalls.",
    Act.WAITS: "The canary waits: {reason}. The new space answers {share} of the recalls, {recalls} of {wanted} came.",
    Act.SWITCHED: "Switched in {seconds} s: recalls search the new space from their next call on.",
    Act.SOAKS: "Recalls search the new space, and the old one is filled on, so that the way back loses nothing.",
    Act.ABORTED: "The canary ended itself: {reason}. Recalls search the old space alone, and the move is at the gate.",
    Act.VOID: "The approval counts no more: {reason}. The move is at the gate again.",
}


@migrate.command()
@name_option
@lang_option
@with_clinic
@json_option
def switch(clinic: Clinic, by: str, as_json: bool) -> int:
    """Go on from the approval: the canary's shares, then the switch; while the new space soaks, its daily look."""
    foreground.step_back(clinic.config.migration.niceness)
    move = clinic.ledger.moves.current()
    if move is not None and move.stage is Stage.SOAKING:
        return _look(clinic, by, as_json)
    went = go_on(clinic, by)
    if as_json:
        print_json(went.as_json())
    else:
        _show(went)
    return REFUSED if went.act in (Act.ABORTED, Act.VOID) else WAITS if went.act is Act.WAITS else OK


def _look(clinic: Clinic, by: str, as_json: bool) -> int:
    """The daily look; an alarm is a finding."""
    seen = look(clinic, by)
    if as_json:
        print_json(seen.as_json())
    else:
        click.echo(say(_SAID[Act.SOAKS]))
        _show_look(seen)
        print_next(command("migrate", "status"), command("migrate", "rollback", "--as", "NAME"))
    return FOUND if seen.alarm else OK


def _show_look(seen: Looked) -> None:
    if not seen.due:
        click.echo(say("No look is due: the last one, or the switch, is less than a day ago."))
        return
    numbers = {"found": f"{seen.found:.1%}", "gate": f"{seen.gate:.1%}", "queries": f"{seen.queries:,}"}
    click.echo(say("Looked: {found} of {queries} queries find their memory, {gate} did at the gate.", **numbers))
    rows = {"agreed": f"{seen.agreed:,}", "embedded": f"{seen.embedded:,}"}
    click.echo(say("{agreed} of {embedded} rows embed to the vector they hold.", **rows))
    if seen.alarm:
        click.echo(say("ALARM: {alarm}", alarm=words.alarm(seen.alarm, language())))


def _show(went: Went) -> None:
    values = {
        "reason": reason(went.reason),
        "share": f"{went.share:.0%}",
        "recalls": f"{went.recalls:,}",
        "wanted": f"{went.wanted:,}",
        "seconds": f"{went.seconds or 0:.2f}",
    }
    click.echo(say(_SAID[went.act], **values))
    back = command("migrate", "rollback", "--as", "NAME")
    if went.act in (Act.ABORTED, Act.VOID):
        print_next(command("migrate", "gate"), back)
    elif went.act in (Act.SWITCHED, Act.SOAKS):
        print_next(command("migrate", "status"), back)
    else:
        print_next(command("migrate", "switch", "--as", "NAME"), back)
