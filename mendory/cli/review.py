"""The verb for what waits for a person: review lists it, shows one finding whole, asks, and takes answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import click

from mendory.automation import Runs
from mendory.choices import Answer, Choice
from mendory.cli import answering
from mendory.cli.advice import next_step
from mendory.cli.plans import show_spared
from mendory.cli.shared import OK, WAITS, command, json_option, lang_option, main, print_json, print_next, with_clinic
from mendory.cli.words import age, language, many, reason, say, term
from mendory.clinic import Clinic
from mendory.deciding import rule, suspended
from mendory.errors import InputInvalid
from mendory.finding import Finding
from mendory.ledger.plans import PlanState
from mendory.ledger.records import Intent
from mendory.queued import Queued, overdue, queued
from mendory.report.conflicts import CODES, lines
from mendory.text import shown

_MOST_TEXT: Final = 60
_LATER: Final = timedelta(days=1)
"""For how long a finding is put off where no time is named."""


@main.command()
@click.argument("finding", required=False)
@click.option("--keep", metavar="ID", help="Of this finding's rows this one stays, the others are archived.")
@click.option("--both", is_flag=True, help="All its rows stay, and nobody is asked again until one changes.")
@click.option("--merge", is_flag=True, help="Its rows become one: that which says most, with notes of the others.")
@click.option("--later", is_flag=True, help="Ask again later: tomorrow, or when --until says.")
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]),
    help="With --later: when to ask again, in UTC.",
)
@click.option("--undo", is_flag=True, help="Take back what was answered to this finding.")
@click.option("--as", "by", metavar="NAME", help="Who answers; without a finding, be asked one after another.")
@click.option("--because", default="", help="Why, for the record.")
@click.option("--texts", is_flag=True, help="Show the beginning of each memory, read from the table.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many of each sort are listed; JSON lists all.",
)
@lang_option
@with_clinic
@json_option
def review(
    clinic: Clinic,
    finding: str | None,
    keep: str | None,
    both: bool,
    merge: bool,
    later: bool,
    until: datetime | None,
    undo: bool,
    by: str | None,
    because: str,
    texts: bool,
    limit: int,
    as_json: bool,
) -> int:
    """List what waits for a person, show one finding whole, or answer."""
    until = until and until.replace(tzinfo=UTC)
    asked = [
        *([Answer(Choice.KEEP, keep)] if keep is not None else ()),
        *([Answer(Choice.BOTH)] if both else ()),
        *([Answer(Choice.MERGE)] if merge else ()),
        *([Answer(Choice.LATER, until=until or clinic.clock() + _LATER)] if later else ()),
    ]
    _sensible(finding, len(asked) + undo, by, until is None or later)
    if finding is None:
        return _list(clinic, texts, limit, as_json) if by is None else answering.ask_all(clinic, by, because, _LATER)
    if by is None:
        return answering.show(clinic, finding, as_json)
    if undo:
        return answering.undo(clinic, finding, by, because, as_json)
    return answering.give(clinic, finding, asked[0], by, because, as_json)


def _sensible(finding: str | None, answers: int, by: str | None, timely: bool) -> None:
    """Return when the options go together; else raise InputInvalid saying what is missing."""
    if answers > 1:
        raise InputInvalid("One finding has one answer. Nothing was recorded. Name one of the options.")
    if answers and (finding is None or by is None):
        what = "a name (--as NAME)" if finding is not None else "a finding; their ids are in: mendory review"
        raise InputInvalid(f"An answer needs {what}. Nothing was recorded.")
    if finding is not None and by is not None and not answers:
        raise InputInvalid(
            "What is the answer? Nothing was recorded. Say --keep ID, --both, --merge or --later; to see them: "
            "mendory review FINDING."
        )
    if not timely:
        raise InputInvalid("--until goes with --later. Nothing was recorded.")


def _list(clinic: Clinic, texts: bool, limit: int, as_json: bool) -> int:
    """List what waits for a person; nothing is written."""
    ledger = clinic.known_ledger()
    everything = queued(ledger, clinic.clock()) if ledger else []
    waiting = [w for w in everything if w.later is None]
    plans = [p for p in ledger.plans.all() if p["state"] == PlanState.OPEN.value] if ledger else []
    held = {p["id"]: suspended(rule(clinic, clinic.ledger.plans.load(p["id"]))) for p in plans}
    unknown = ledger.intents.unresolved() if ledger else []
    contents = _contents(clinic, [i for w in everything for i in w.finding.ids]) if texts else {}
    late = overdue(everything, clinic.config.queue.alarm_after)
    stands = ledger.evidence.standings(clinic.config.rules.confirmed) if ledger else {}
    stopped = sorted(name for name, s in stands.items() if s.runs is Runs.STOPPED)
    if as_json:
        said = [w.as_json() | ({"texts": _of(w.finding, contents)} if texts else {}) for w in everything]
        print_json(
            {
                "waiting": said,
                "plans": [
                    {k: p[k] for k in ("id", "made_at", "expires_at")}
                    | {"suspended": [{"why": why, "steps": n} for why, n in held[p["id"]].items()]}
                    for p in plans
                ],
                "unknown": [{"repair": i.rid, "plan": i.plan_id} for i in unknown],
                "kept": [w.as_json() for w in ledger.words.kept().values()] if ledger else [],
                "dismissed": [w.as_json() for w in ledger.words.dismissed().values()] if ledger else [],
                "overdue": [w.finding.id for w in late],
                "stopped": stopped,
            }
        )
    else:
        if ledger:
            show_spared(ledger)
        for name in stopped:
            click.echo(say("  {subject} stopped running by itself: {command}", subject=name, command=command("policy")))
        _show_ages(late, len(everything) - len(waiting), clinic.config.queue.alarm_after)
        _show(waiting, plans, held, unknown, contents, limit)
    return WAITS if waiting or plans or unknown else OK


def _show_ages(late: Sequence[Queued], put_off: int, alarm_after: timedelta) -> None:
    if late:
        waits = many(len(late), "finding")
        click.echo(say("{findings} waited for longer than {time}", findings=waits, time=age(alarm_after)))
    if put_off:
        click.echo(say("{findings} put off, not listed", findings=many(put_off, "finding")))


def _contents(clinic: Clinic, ids: Sequence[str]) -> dict[str, str]:
    return {i: m.content or "" for i, m in clinic.reader.fetch(ids).items()}


def _of(finding: Finding, contents: Mapping[str, str]) -> dict[str, str]:
    return {i: shown(contents[i], _MOST_TEXT) for i in finding.ids if i in contents}


def _show(
    waiting: Sequence[Queued],
    plans: Sequence[Mapping[str, Any]],
    held: Mapping[str, Mapping[str, int]],
    unknown: Sequence[Intent],
    contents: Mapping[str, str],
    limit: int,
) -> None:
    for intent in unknown:
        click.echo(say("repair {rid}: nobody knows whether it was applied", rid=intent.rid[:8]))
    if unknown:
        click.echo(f"  {say('next: {commands}', commands=command('recover'))}")
    for plan in plans:
        code, expires = plan["id"][:8], plan["expires_at"][:16].replace("T", " ")
        click.echo(say("plan {code} is open and expires {time} UTC", code=code, time=expires))
        for why, steps in held[plan["id"]].items():
            click.echo(say("  {steps} suspended: {why}", steps=many(steps, "step"), why=shown(reason(why), 120)))
        ways = (("show", code), ("approve", code, "--as", "NAME"), ("reject", code, "--as", "NAME"))
        click.echo(f"  {say('next: {commands}', commands=' · '.join(command(*way) for way in ways))}")
    sorts: dict[tuple[str, str, str], list[Queued]] = {}
    for one in waiting:
        sorts.setdefault((one.finding.severity.value, one.finding.code.value, one.why), []).append(one)
    for (severity, code, why), alike in sorts.items():
        click.echo(
            say(
                "{severity} {code} × {number}: {why}",
                severity=say(severity.upper()),
                code=term(code),
                number=len(alike),
                why=shown(reason(why), 120),
            )
        )
        for one in alike[:limit]:
            _show_one(one, contents)
        if len(alike) > limit:
            click.echo(
                say(
                    "    and {findings} more; --limit or --json lists them",
                    findings=many(len(alike) - limit, "finding"),
                )
            )
        click.echo(f"  {next_step(code, why)}")
    if not (waiting or plans or unknown):
        click.echo(say("Nothing waits for a person."))
        print_next(command("check"))


def _show_one(one: Queued, contents: Mapping[str, str]) -> None:
    code = say("finding {id}", id=one.finding.id[:8])
    ids = ", ".join(shown(i) for i in one.finding.ids[:6]) + (" …" if len(one.finding.ids) > 6 else "")
    scope = say("scope {scope}", scope=shown(one.finding.scope, 40)) if one.finding.scope else ""
    since = say("since {time} UTC, {age}", time=f"{one.since:%Y-%m-%d %H:%M}", age=age(one.age))
    click.echo("    " + " · ".join(part for part in (ids, scope, since, code) if part))
    if one.finding.reason != one.why:
        click.echo(f"      {shown(reason(one.finding.reason), 120)}")
    if one.finding.code in CODES:
        for line in lines(one.finding, language()):
            click.echo(f"      {shown(line, 200)}")
    for name, text in _of(one.finding, contents).items():
        click.echo(f"      {shown(name)}: {text}")
