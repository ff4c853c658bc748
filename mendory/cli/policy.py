"""The verb that says what may run by itself on which record, proposes more or less of it, and takes a person's word."""

from __future__ import annotations

from typing import Any

import click

from mendory import confirming
from mendory.automation import NEVER, Advice, Change, Runs, Standing, standings
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
from mendory.errors import InputInvalid
from mendory.text import shown
from mendory.thresholds.found import Rate


@main.command()
@click.option("--apply", "applied", metavar="RULE", help="Apply what is proposed, or let run what stopped by itself.")
@click.option("--undo", "undone", metavar="RULE", help="Take the word on it back: the configuration alone counts.")
@click.option("--because", default="", help="Why, for the record.")
@click.option("--as", "by", metavar="NAME", help="Who decides; needed with --apply and --undo.")
@lang_option
@with_clinic
@json_option
def policy(clinic: Clinic, applied: str | None, undone: str | None, because: str, by: str | None, as_json: bool) -> int:
    """Show what may run by itself, on which record, and what that speaks for; a person applies it."""
    if applied is None and undone is None:
        _show(_standings(clinic), clinic.config.limits is not None, as_json)
        return OK
    if by is None or (applied is not None and undone is not None):
        raise InputInvalid(
            "A word needs one of --apply and --undo, and --as NAME. Nothing was recorded. "
            "For instance: mendory policy --apply merge.exact --as NAME."
        )
    if applied is not None:
        _applied(applied, confirming.apply_proposal(clinic, applied, because, by), as_json)
        return OK
    assert undone is not None
    confirming.take_back(clinic, undone, because, by)
    if as_json:
        print_json({"subject": undone, "runs": _standings(clinic)[undone].runs.value})
    else:
        click.echo(say("The configuration alone says again whether {subject} runs by itself.", subject=shown(undone)))
        print_next(command("policy"))
    return OK


def _standings(clinic: Clinic) -> dict[str, Standing]:
    confirmed, ledger = clinic.config.rules.confirmed, clinic.known_ledger()
    return ledger.evidence.standings(confirmed) if ledger else standings(confirmed, {}, (), (), clinic.clock())


def _applied(subject: str, runs: Runs, as_json: bool) -> None:
    if as_json:
        print_json({"subject": subject, "runs": runs.value})
        return
    if runs is Runs.ITSELF:
        click.echo(say("{subject} runs by itself from now on, within the limits.", subject=subject))
    else:
        click.echo(say("{subject} runs by itself no more; its steps wait for a person.", subject=subject))
    print_next(command("policy", "--undo", subject, "--as", "NAME"))


def _show(stands: dict[str, Standing], limited: bool, as_json: bool) -> None:
    if as_json:
        subjects = [_as_json(s) for s in stands.values()]
        print_json({"limits": limited, "subjects": subjects, "never": list(NEVER)})
        return
    if not limited:
        click.echo(say("No limits are configured, so nothing runs without a person."))
    known = [s for s in stands.values() if s.runs is not Runs.ASKS or s.record.repairs or s.record.agreed.of]
    heads = (
        *("rule or step", "runs", "plans for", "plans against", "approved at 95%"),
        *("repairs", "taken back", "came back", "bad at 95%"),
    )
    print_table([[say(h) for h in heads], *(_row(s) for s in known)])
    for s in known:
        if s.change is not None:
            _show_change(s)
        _show_advice(s)
    click.echo(say("never by itself: {kinds}", kinds=say(", ").join(say(k) for k in NEVER)))
    proposed = [s.subject for s in known if s.advice is not None or s.runs is Runs.STOPPED]
    print_next(*(command("policy", "--apply", name, "--as", "NAME") for name in proposed[:3]), command("plan"))


def _row(s: Standing) -> list[str]:
    r = s.record
    return [
        term(s.subject),
        say(s.runs.value),
        f"{r.approved:,}",
        f"{r.rejected:,}",
        _bounds(r.agreed),
        f"{r.repairs:,}",
        f"{r.taken_back:,}",
        f"{r.came_back:,}",
        _bounds(r.regretted),
    ]


def _show_change(s: Standing) -> None:
    assert s.change is not None
    sentence = (
        "  {subject}: {by} let it run by itself, {time} UTC; counted since then"
        if s.change.widens
        else "  {subject}: {by} ended that it runs by itself, {time} UTC; counted since then"
    )
    click.echo(say(sentence, subject=s.subject, by=shown(s.change.by), time=f"{s.change.at:%Y-%m-%d %H:%M}"))


def _show_advice(s: Standing) -> None:
    agreed, regretted = s.record.agreed, s.record.regretted
    values: dict[str, Any] = {
        "subject": s.subject,
        "plans": many(agreed.of, "plan"),
        "approved": agreed.hits,
        "repairs": many(regretted.of, "repair"),
        "bad": regretted.hits,
    }
    if s.runs is Runs.STOPPED:
        click.echo(
            say(
                "  {subject} stopped by itself: {risen} of its last {repairs} were taken back or did not verify, at "
                "least {share}; it runs again when a person says so",
                subject=s.subject,
                risen=s.record.risen,
                repairs=many(s.record.latest, "repair"),
                share=_percent(Rate(s.record.risen, s.record.latest).interval[0]),
            )
        )
    elif s.advice is Advice.WIDEN:
        click.echo(
            say(
                "  proposed: let {subject} run by itself: of {plans} people approved {approved}, at least {share}; of "
                "{repairs} of a week ago or more {bad} were taken back or came back, at most {most}",
                **values,
                share=_percent(agreed.interval[0]),
                most=_percent(regretted.interval[1]),
            )
        )
    elif s.advice is Advice.NARROW:
        click.echo(
            say(
                "  proposed: let {subject} run by itself no more: of {plans} people approved {approved}, at most "
                "{share}; of {repairs} {bad} were taken back or came back, at least {most}",
                **values,
                share=_percent(agreed.interval[1]),
                most=_percent(regretted.interval[0]),
            )
        )


def _bounds(rate: Rate) -> str:
    """Between which shares the true one lies; nothing where there is no evidence."""
    low, high = rate.interval
    return f"{low:.1%}–{high:.1%}" if rate.of else "-"


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _word(change: Change | None) -> dict[str, Any] | None:
    if change is None:
        return None
    return {"widens": change.widens, "by": change.by, "at": change.at.isoformat(), "because": change.because}


def _as_json(s: Standing) -> dict[str, Any]:
    """The standing as `mendory policy --json` prints it."""
    r = s.record
    return {
        "subject": s.subject,
        "runs": s.runs.value,
        "configured": s.configured,
        "word": _word(s.change),
        "plans_approved": r.approved,
        "plans_rejected": r.rejected,
        "approved_bounds": list(r.agreed.interval),
        "repairs": r.repairs,
        "taken_back": r.taken_back,
        "came_back": r.came_back,
        "settled": r.settled,
        "bad": r.bad,
        "bad_bounds": list(r.regretted.interval),
        "latest_by_itself": r.latest,
        "latest_taken_back": r.risen,
        "latest_bounds": list(Rate(r.risen, r.latest).interval),
        "proposal": s.advice and s.advice.value,
    }
