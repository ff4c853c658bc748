"""The verbs of a move to another model: begin it, see how far it is, go on, go back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import click

from mendory import foreground, migrating, upgrading
from mendory.asking.move_asked import worst_texts
from mendory.cli.progress import progress
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
from mendory.cli.words import age, language, many, reason, say, term
from mendory.clinic import Clinic
from mendory.ledger.moves import Move
from mendory.migration import words
from mendory.migration.stages import BOTH, Stage
from mendory.migration.void import Void
from mendory.migration_status import Standing, move_json, standing
from mendory.text import shown

_NEXT: Final = {
    Stage.REGISTERED: ("start",),
    Stage.FILLING: ("start",),
    Stage.GATING: ("gate",),
    Stage.APPROVED: ("switch",),
    Stage.CANARY: ("switch",),
    Stage.SWITCHED: ("switch",),
    Stage.SOAKING: ("retire",),
}
"""What is typed after `mendory migrate` to go on from a stage."""
_NONE: Final = timedelta(0)


@main.group()
def migrate() -> None:
    """Move the table to another embedding model: both spaces side by side, a gate, a person's word, a way back."""


@migrate.command()
@click.option(
    "--readers-name-the-column",
    "same_width",
    is_flag=True,
    help="Confirm that every reader names the vector's column: needed where both models have one dimension.",
)
@click.option("--again", is_flag=True, help="Embed every row anew, those too that have a vector of the new space.")
@name_option
@lang_option
@with_clinic
@json_option
def start(clinic: Clinic, same_width: bool, again: bool, by: str, as_json: bool) -> int:
    """Begin the move to the configured model, or go on with it: fill the new space's vectors."""
    foreground.step_back(clinic.config.migration.niceness)
    change = upgrading.changed(clinic, probe=False)
    looked = upgrading.check(clinic, change) if change and change.differs and not change.checked else None
    move = migrating.start(clinic, by, same_width)
    with progress(as_json, say("rows filled")) as told:
        filled = migrating.fill(clinic, told=told, again=again)
    rate = filled.rows / filled.seconds if filled.seconds > 0 else 0.0
    if as_json:
        print_json(
            {
                **move_json(filled.move),
                "drift": looked and looked.get("found"),
                "filled": filled.rows,
                "waiting": filled.waiting,
                "left_out": filled.left_out,
                "seconds": round(filled.seconds, 3),
                "seconds_embedding": round(filled.embedding, 3),
            }
        )
        return OK
    for damage, rows in (looked or {}).get("found", {}).items():
        said = "  before the move {rows} had a vector that is not of their text: {damage}"
        click.echo(say(said, rows=many(rows, "row"), damage=term(damage)))
    sentence = "{move} {stage}: {rows} filled in {time} ({rate} a second), {waiting} wait"
    values = {"rows": many(filled.rows, "row"), "time": age(timedelta(seconds=filled.seconds)), "rate": f"{rate:,.0f}"}
    click.echo(say(sentence, **named(move), waiting=f"{filled.waiting:,}", **values))
    _show_left_out(filled.left_out)
    print_next(_command("gate" if not filled.waiting else "start"), _command("status"))
    return OK


@migrate.command()
@click.option("--texts", is_flag=True, help="Add the queries that lose most, with what each space finds.")
@lang_option
@with_clinic
@json_option
def status(clinic: Clinic, texts: bool, as_json: bool) -> int:
    """Show the move under way, or the last one: its stages, what waits, how fast it goes, what the gate said."""
    ledger = clinic.known_ledger()
    moves = ledger.moves.all() if ledger else ()
    if not moves:
        if as_json:
            print_json({"move": None})
        else:
            click.echo(say("No move to another model was ever begun."))
            print_next(command("migrate", "start", "--as", "NAME"))
        return OK
    held = standing(clinic, moves[-1])
    if as_json:
        print_json(held.as_json())
        return OK
    _show(held)
    if texts and held.gate is not None:
        queries, memories = worst_texts(clinic, held.gate)
        for line in words.side_by_side(held.gate, queries, memories, language(), most=1):
            click.echo(f"  {line}")
    _show_next(held)
    return OK


def _show(held: Standing) -> None:
    move = held.move
    sentence = "{move} {stage}: {old} → {new}, recalls search {searched}"
    names = {"old": shown(held.old), "new": shown(held.new), "searched": shown(held.searched)}
    click.echo(say(sentence, **named(move), **names))
    if move.stage in BOTH:
        done = held.rows - held.waiting - sum(held.left_out.values())
        counted = say(
            "{done} of {rows} filled, {waiting} wait",
            done=f"{done:,}",
            rows=many(held.rows, "row"),
            waiting=f"{held.waiting:,}",
        )
        click.echo(f"  {counted}")
        _show_pace(held)
        _show_left_out(held.left_out)
    for one in move.passed:
        line = say(
            "  {time} UTC  {stage}  by {by}", time=f"{one.at:%Y-%m-%d %H:%M}", stage=_stage(one.stage), by=shown(one.by)
        )
        click.echo(line)
        if why := _why(one.told):
            click.echo(f"    {why}")
    if held.share is not None:
        click.echo(f"  {say('the new space answers {share} of the recalls', share=f'{held.share:.0%}')}")
    if held.soak is not None:
        over = held.soak <= _NONE
        click.echo(f"  {say('its soak is over') if over else say('it soaks for another {left}', left=age(held.soak))}")
    if held.alarm:
        click.echo(f"  {say('ALARM: {alarm}', alarm=words.alarm(held.alarm, language()))}")
    if held.gate is not None:
        for line in words.table(held.gate, language()):
            click.echo(f"  {line}")


def _why(told: Mapping[str, Any]) -> str:
    """Why a stage came that is no step forward, as the record has it; empty where it says nothing."""
    if "aborted" in told:
        return reason(told["aborted"])
    if "void" in told:
        return reason(words.VOIDS[Void(told["void"])][0])
    if "refused" in told:
        return words.reasons(told["refused"], language())
    return shown(told.get("because", ""))


def _show_next(held: Standing) -> None:
    move = held.move
    if not move.open:
        print_next(_command("start"))
        return
    steps: tuple[str, ...] = _NEXT[move.stage]
    if move.stage is Stage.FILLING and not held.waiting:
        steps = ("gate",)
    elif move.stage is Stage.GATING:
        steps = ("approve", str(held.code)) if held.code else ("gate",)
    elif held.alarm or (held.soak or _NONE) > _NONE:  # too early to retire: the daily look
        steps = ("switch",)
    print_next(_command(*steps), _command("rollback"))


def _show_pace(held: Standing) -> None:
    if not held.waiting:
        return
    if held.rate is None or held.left is None:
        click.echo(f"  {say('nobody is filling at the moment')}")
        return
    told = say("{rate} rows a second, {left} left", rate=f"{held.rate:,.0f}", left=age(held.left))
    click.echo(f"  {told}")


def _show_left_out(left_out: Mapping[str, int]) -> None:
    for why, count in sorted(left_out.items()):
        click.echo(f"  {say('left out')}: {many(count, 'row')}, {reason(why)}")


@migrate.command()
@click.option("--because", default="", help="Why, for the record.")
@name_option
@lang_option
@with_clinic
@json_option
def rollback(clinic: Clinic, because: str, by: str, as_json: bool) -> int:
    """Go back to the old model, from any stage of the move: recalls follow at once, nothing written since is lost.

    Asked again it gives the rows that still wait their old vector.
    """
    moves = clinic.ledger.moves.all()
    again = bool(moves) and moves[-1].stage is Stage.ROLLED_BACK
    move = moves[-1] if again else migrating.go_back(clinic, by, because)
    if not as_json:  # at once: what follows takes its time
        sentence = "{move} {stage}. Recalls search the old space again, from their next call on."
        click.echo(say(sentence, **named(move)))
    with progress(as_json, say("rows filled")) as told:
        caught = migrating.catch_up(clinic, told=told)
    otherwise = upgrading.configured_otherwise(clinic)
    if as_json:
        given = {"filled": caught.rows, "waiting": caught.waiting, "configured_otherwise": otherwise}
        print_json({**move_json(move), **given})
        return OK
    if caught.rows or caught.waiting:
        numbers = {"rows": many(caught.rows, "row"), "waiting": many(caught.waiting, "row")}
        click.echo(say("{rows} written since got their old vector; {waiting} wait.", **numbers))
    if otherwise:  # a program that is running goes on, so nothing else would say it
        advice = "set [embedder] back to the old model: a program started anew is refused its recalls until then"
        click.echo(f"→ {say(advice)}")
    print_next(command("check"), _command("status"))
    return OK


def named(move: Move) -> dict[str, str]:
    """How sentences name a move and its stage."""
    return {"move": say("Move {code}", code=move.id[:8]), "stage": _stage(move.stage)}


def _stage(stage: Stage) -> str:
    return words.stage(stage.value, language())


def _command(*words: str) -> str:
    """What is typed next of this group; a verb that decides takes a name."""
    named = () if words[0] in {"status", "gate"} else ("--as", "NAME")
    return command("migrate", *words, *named)
