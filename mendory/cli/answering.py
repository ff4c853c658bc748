"""How a person answers what waits for them: one finding shown whole, asked about, answered, taken back."""

from __future__ import annotations

from datetime import timedelta
from string import ascii_lowercase
from typing import Final

import click

from mendory import resolving, treatment
from mendory.choices import Answer, Choice, choices
from mendory.cli.advice import next_step
from mendory.cli.plans import show_plan
from mendory.cli.progress import progress
from mendory.cli.shared import OK, REFUSED, command, print_json, print_next
from mendory.cli.treat import exit_of, show_treated
from mendory.cli.words import age, language, many, reason, say, term
from mendory.clinic import Clinic
from mendory.errors import InputInvalid
from mendory.finding import Finding
from mendory.plan.model import Plan
from mendory.queued import Queued, queued
from mendory.record import Memory
from mendory.report.choosing import effects, gone, sides
from mendory.report.conflicts import CODES, decided
from mendory.resolving import Settled
from mendory.text import shown

_MOST_TEXT: Final = 2000
_MOST_ROWS: Final = len(ascii_lowercase)
_SKIP: Final = "skip"
_QUIT: Final = "quit"


def show(clinic: Clinic, name: str, as_json: bool) -> int:
    """Print one finding whole: its rows, where they come from, why it waits, what each answer will do."""
    finding = resolving.finding_of(clinic, name)
    waits = next((w for w in queued(clinic.ledger, clinic.clock()) if w.finding.id == finding.id), None)
    held = _rows(clinic, finding)
    if as_json:
        answers = clinic.ledger.choices.standing()
        chosen = answers[finding.id].as_json() if finding.id in answers else None
        told = [{"choice": c.value, "keep": k, "does": what} for c, k, what in effects(finding, held, "en")]
        rows = [side.as_json() for side in sides(finding, held, _kept(clinic), "en")]
        body = waits.as_json() if waits else finding.as_json()
        print_json({"finding": body, "sides": rows, "answers": told, "answered": chosen})
        return OK
    _show_case(clinic, finding, waits)
    for choice, keep, what in effects(finding, held, language()):
        option = ("--keep", keep) if keep is not None else (f"--{choice.value}",)
        click.echo(f"  {command('review', finding.id[:8], *option, '--as', 'NAME')}: {what}")
    if waits:
        click.echo(f"  {next_step(finding.code, waits.why)}")
    return OK


def ask_all(clinic: Clinic, by: str, because: str, later: timedelta) -> int:
    """Ask about everything that waits and was not put off, plan what was answered, and offer to apply it."""
    waiting = [w for w in queued(clinic.ledger, clinic.clock()) if w.later is None]
    if not waiting:
        click.echo(say("Nothing waits for a person."))
        print_next(command("check"))
        return OK
    given: list[Finding] = []
    for number, one in enumerate(waiting, 1):
        click.echo(say("{number} of {all}", number=number, all=len(waiting)))
        _show_case(clinic, one.finding, one)
        try:
            answer = _asked(clinic, one.finding, later)
            if answer is None:
                continue
            why = because or (click.prompt(say("why"), default="", show_default=False) if answer.decides else "")
            given.append(resolving.answer(clinic, one.finding.id, answer, by, why))
        except click.Abort:
            break
        except InputInvalid as told:  # somebody was faster, or a plan asks already
            click.echo(f"  {shown(str(told), 400)}")
    settled = resolving.settle(clinic, given, by, because)
    _show_settled(clinic, settled, by)
    return _offer(clinic, settled.plan) if settled.plan else OK


def give(clinic: Clinic, name: str, answer: Answer, by: str, because: str, as_json: bool) -> int:
    """Take one answer; plan what it says, with its steps approved by that person."""
    finding = resolving.answer(clinic, name, answer, by, because)
    with progress(as_json) as clinic.told:
        settled = resolving.settle(clinic, [finding], by, because)
    why = settled.refused.get(finding.id)
    if as_json:
        plan = settled.plan.id if settled.plan else None
        until = answer.until.isoformat() if answer.until else None
        said = {"finding": finding.id, "choice": answer.choice.value, "keep": answer.keep, "until": until}
        print_json({**said, "plan": plan, "approved": len(settled.steps), "refused": why})
        return REFUSED if why else OK
    if answer.until:
        time = f"{answer.until:%Y-%m-%d %H:%M}"
        click.echo(say("Finding {id} is asked about again at {time} UTC.", id=finding.id[:8], time=time))
    elif not why:
        click.echo(say("Answered finding {id} as {by}.", id=finding.id[:8], by=shown(by)))
    _show_settled(clinic, settled, by)
    again = command("review", finding.id[:8], "--undo", "--as", "NAME")
    print_next(*([command("apply", settled.plan.code)] if settled.plan else []), *([] if why else [again]))
    return REFUSED if why else OK


def undo(clinic: Clinic, name: str, by: str, because: str, as_json: bool) -> int:
    """Take back what was answered to a finding."""
    held = resolving.take_back(clinic, name, by, because)
    if as_json:
        print_json({"finding": held.finding_id, "taken_back": held.as_json()})
        return OK
    click.echo(say("The answer of {by} to finding {id} was taken back.", id=held.finding_id[:8], by=shown(held.by)))
    print_next(command("review", held.finding_id[:8]))
    return OK


def _asked(clinic: Clinic, finding: Finding, later: timedelta) -> Answer | None:
    """The person's answer, None when they skip it; raises Abort when they want to be asked nothing more."""
    keeps = dict(zip(ascii_lowercase, finding.ids, strict=False)) if Choice.KEEP in choices(finding) else {}
    letters = {row: letter for letter, row in keeps.items()}
    may: list[str] = []
    for choice, keep, what in effects(finding, _rows(clinic, finding), language()):
        word = choice.value if keep is None else letters.get(keep, "")
        if word:
            may.append(word)
            name = f"{word} {shown(keep)}" if keep is not None else word
            click.echo(f"  {name}: {what}")
    may += [_SKIP, _QUIT]
    said = click.prompt(say("answer"), type=click.Choice(may, case_sensitive=False))
    if said == _QUIT:
        raise click.Abort
    if said == _SKIP:
        return None
    if said in keeps:
        return Answer(Choice.KEEP, keeps[said])
    return Answer(Choice(said), until=clinic.clock() + later if said == Choice.LATER else None)


def _show_case(clinic: Clinic, finding: Finding, waits: Queued | None) -> None:
    parts = [say("finding {id}", id=finding.id[:8]), term(finding.code), say(finding.severity.upper())]
    if finding.scope:
        parts.append(say("scope {scope}", scope=shown(finding.scope, 40)))
    if waits:
        parts.append(say("since {time} UTC, {age}", time=f"{waits.since:%Y-%m-%d %H:%M}", age=age(waits.age)))
    click.echo(" · ".join(parts))
    click.echo(f"  {shown(reason(finding.reason), 200)}")
    if waits and waits.why != finding.reason:
        click.echo(f"  {shown(reason(waits.why), 400)}")
    if finding.code in CODES:
        for line in decided(finding, language()):
            click.echo(f"  {shown(line, 200)}")
    held = _rows(clinic, finding)
    for side in sides(finding, held, _kept(clinic), language())[:_MOST_ROWS]:
        click.echo(f"  {shown(side.id)}")
        click.echo(f"    {shown(side.text, _MOST_TEXT) if side.id in held else gone(language())}")
        if side.id in held:
            click.echo(f"    {side.told(language())}")
    more = len(finding.ids) - _MOST_ROWS
    if more > 0:
        click.echo(say("     and {rows} more; --json lists all", rows=many(more, "row")))


def _show_settled(clinic: Clinic, settled: Settled, by: str) -> None:
    for finding, why in settled.refused.items():
        text = shown(reason(why), 200)
        click.echo(say("Nothing follows from the answer to finding {id}: {why}", id=finding[:8], why=text))
    plan = settled.plan
    if plan is None:
        return
    show_plan(clinic, plan)
    for step in plan.steps():
        click.echo(f"  {step.id[:8]}  {shown(reason(step.reason), 140)}")
    number = many(len(settled.steps), "step")
    sentence = "Approved {steps} of plan {code} as {by}. Nothing was applied."
    click.echo(say(sentence, steps=number, code=plan.code, by=shown(by)))


def _offer(clinic: Clinic, plan: Plan) -> int:
    try:
        now = click.confirm(say("apply now?"))
    except click.Abort:
        now = False
    if not now:
        print_next(command("apply", plan.code))
        return OK
    with progress(False) as clinic.told:
        done = treatment.apply(clinic, plan.id)
    show_treated(done)
    return exit_of(done)


def _rows(clinic: Clinic, finding: Finding) -> dict[str, Memory]:
    clinic.reader.refresh()
    return dict(clinic.view(clinic.reader).fetch(list(finding.ids)))


def _kept(clinic: Clinic) -> dict[str, str]:
    return {row: word.by for row, word in clinic.ledger.words.kept().items()}
