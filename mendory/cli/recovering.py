"""The verb that recovers: what a crash left open, what nobody can know, a table that went back."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mendory import treatment
from mendory.cli.shared import OK, UNKNOWN, command, lang_option, main, print_next, with_clinic
from mendory.cli.words import many, reason, say, term
from mendory.clinic import Clinic
from mendory.errors import InputInvalid
from mendory.executor.owner import executing
from mendory.text import shown


@main.command()
@click.option("--resolve", metavar="RID", help="A repair whose outcome is unknown.")
@click.option("--applied/--not-applied", default=None, help="What a person found out about it.")
@click.option("--adopt", is_flag=True, help="Accept the table as it is now: restored, gone back, or of another ledger.")
@click.option("--as", "by", metavar="NAME", help="Who found it out, or accepts.")
@lang_option
@with_clinic
def recover(clinic: Clinic, resolve: str | None, applied: bool | None, adopt: bool, by: str | None) -> int:
    """Finish what a crash left open; list what nobody can know; record what a person found out."""
    if adopt:
        _adopt(clinic, by)
        return OK
    if resolve is not None:
        _resolve(clinic, resolve, applied, by)
        return OK
    clinic.check_binding()
    with executing() as context:
        recovered = treatment.recover_all(clinic, context)
        waiting = treatment.unjudged(clinic, context)
    for one in recovered:
        for result in one.results:
            said = f"{term(result.outcome.value)} {shown(reason(result.reason), 120)}".rstrip()
            repair, step = one.intent.rid[:8], result.unit.step_id[:8]
            click.echo(say("  {repair} step {step}: {said}", repair=repair, step=step, said=said))
    unknown = clinic.ledger.intents.unresolved()
    for intent in unknown:
        rid = intent.rid[:8]
        look = command("show", intent.plan_id[:8]) if intent.plan_id else command("show")
        then = command("recover", "--resolve", rid)
        click.echo(
            say(
                "  {rid}: unknown; look at its rows ({look}), then: {then} --applied|--not-applied --as NAME",
                rid=rid,
                look=look,
                then=then,
            )
        )
    click.echo(say("{repairs} settled, {number} unknown.", repairs=many(len(recovered), "repair"), number=len(unknown)))
    if not unknown:
        print_next(*(command("apply", code) for code in waiting), command("check"))
    return UNKNOWN if unknown else OK


def _adopt(clinic: Clinic, by: str | None) -> None:
    if not by:
        raise InputInvalid(
            "Accepting a table needs the name of who accepts it. Nothing was recorded. "
            "Write: mendory recover --adopt --as NAME."
        )
    treatment.adopt(clinic, by)
    click.echo(say("Recorded: the table is accepted as it is; earlier repairs bind nothing any more."))
    print_next(command("check"))


def _resolve(clinic: Clinic, resolve: str, applied: bool | None, by: str | None) -> None:
    if applied is None or not by:
        raise InputInvalid(
            "A resolution needs what was found out, and by whom. Nothing was recorded. "
            f"Write: mendory recover --resolve {resolve} --applied --as NAME, or with --not-applied."
        )
    intents = clinic.ledger.intents
    rid = _only([i.rid for i in intents.unresolved() if i.rid.startswith(resolve)], resolve)
    intents.resolve(rid, applied, by)
    click.echo(
        say("Recorded for repair {rid}: applied.", rid=rid[:8])
        if applied
        else say("Recorded for repair {rid}: not applied.", rid=rid[:8])
    )
    print_next(command("recover") if intents.unresolved() else command("check"))


def _only(found: Sequence[str], name: str) -> str:
    if len(found) != 1:
        raise InputInvalid(
            f"{len(found)} repairs of unknown outcome start with '{name}'. Nothing was recorded. "
            "Run 'mendory recover' for a list."
        )
    return found[0]
