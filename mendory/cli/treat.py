"""The verbs that decide, repair and undo: approve, reject, apply, rollback."""

from __future__ import annotations

from collections import Counter
from typing import Final

import click

from mendory import treatment
from mendory.cli.plans import show_plan
from mendory.cli.progress import progress
from mendory.cli.shared import (
    OK,
    REFUSED,
    UNKNOWN,
    WAITS,
    command,
    json_option,
    lang_option,
    main,
    name_option,
    print_json,
    print_next,
    with_clinic,
)
from mendory.cli.words import many, reason, say, term
from mendory.clinic import Clinic
from mendory.executor.rollback import RolledBack
from mendory.plan.model import Group
from mendory.policy import Verdict
from mendory.text import shown
from mendory.treatment import Treated
from mendory.work import Outcome

_FINE: Final = (Outcome.APPLIED, Outcome.DONE)
_MOST_SHOWN: Final = 50
_NOBODY: Final = "command line"


_groups_option = click.option("--groups", help="Groups of the plan, e.g. G2,G3; all when left out.")


def _groups(text: str | None) -> list[str] | None:
    return None if text is None else [g.strip() for g in text.split(",") if g.strip()]


@main.command()
@click.argument("code")
@_groups_option
@click.option("--note", default="", help="Why, for the record.")
@name_option
@lang_option
@with_clinic
def approve(clinic: Clinic, code: str, groups: str | None, note: str, by: str) -> int:
    """Approve a plan or some of its groups; nothing is applied yet."""
    plan_id = clinic.ledger.plans.find(code)
    steps = treatment.approve(clinic, plan_id, _groups(groups), by, note)
    said = say(
        "Approved {steps} of plan {code} as {by}. Nothing was applied.",
        steps=many(len(steps), "step"),
        code=plan_id[:8],
        by=shown(by),
    )
    click.echo(f"{said} {say('next: {commands}', commands=command('apply', plan_id[:8]))}")
    return OK


@main.command()
@click.argument("code")
@_groups_option
@click.option("--because", default="", help="Why, for the record.")
@name_option
@lang_option
@with_clinic
def reject(clinic: Clinic, code: str, groups: str | None, because: str, by: str) -> int:
    """Reject a plan or some of its groups; their findings are dismissed."""
    plan_id = clinic.ledger.plans.find(code)
    steps = treatment.reject(clinic, plan_id, _groups(groups), by, because)
    click.echo(
        say(
            "Rejected {steps} of plan {code}. Their findings are not proposed again until a row changes.",
            steps=many(len(steps), "step"),
            code=plan_id[:8],
        )
    )
    print_next(command("show", plan_id[:8]))
    return OK


@main.command()
@click.argument("code")
@click.option("--dry-run", is_flag=True, help="Say what would run; apply nothing.")
@lang_option
@with_clinic
@json_option
def apply(clinic: Clinic, code: str, dry_run: bool, as_json: bool) -> int:
    """Apply what policy or a person lets run of a plan, and verify it."""
    plan_id = clinic.ledger.plans.find(code)
    if dry_run:
        _rehearse(clinic, plan_id, as_json)
        return OK
    with progress(as_json) as clinic.told:
        done = treatment.apply(clinic, plan_id)
    if as_json:
        print_json(
            {
                "plan": plan_id,
                "outcomes": done.outcomes(),
                "verdict": done.verdict.as_json(),
                "state": done.state.value,
                "taken_back": list(done.taken_back),
                "run": done.run,
            }
        )
    else:
        show_treated(done)
    return exit_of(done)


def _rehearse(clinic: Clinic, plan_id: str, as_json: bool) -> None:
    named = treatment.open_plan(clinic, plan_id)
    if as_json:
        rulings = treatment.rule(clinic, named)
        said = {
            s: {"verdict": r.verdict.value, "by": r.by and r.by.value, "reason": r.reason} for s, r in rulings.items()
        }
        print_json({"plan": plan_id, "rulings": said})
        return
    show_plan(clinic, named)
    click.echo(say("Nothing was applied."))
    print_next(command("approve", named.code, "--as", "NAME"), command("apply", named.code))


def show_treated(done: Treated) -> None:
    """What a run did, group by group, its verdict, and how it is undone."""
    if done.shape:
        click.echo(say("  since the plan {shape}", shape=shown(reason(done.shape), 140)))
    for group in done.plan.groups:
        _show_group(done, group)
    for found in done.verdict.checks:
        failed = ", ".join(map(shown, found.failed[:5]))
        said = say("ok") if found.ok else say("FAILED {ids}", ids=failed)
        click.echo(say("  verified {name}: {said} ({number})", name=term(found.name), said=said, number=found.checked))
    if done.verdict.changed_since:
        ids = ", ".join(map(shown, done.verdict.changed_since[:10]))
        click.echo(say("  changed by others meanwhile: {ids}", ids=ids))
    if done.taken_back:
        steps = many(len(done.taken_back), "step")
        click.echo(say("  taken back, since they did not verify: {steps}", steps=steps))
    for why in done.asked:
        click.echo(f"  {shown(reason(why), 160)}")
    code = done.plan.code
    values = {"code": code, "state": term(done.state.value), "report": command("report", code)}
    if any(r.outcome is Outcome.APPLIED for r in done.results):
        sentence = "Plan {code} is {state}. undo: {undo} · report: {report}"
        click.echo(say(sentence, undo=command("rollback", code), **values))
    else:
        click.echo(say("Plan {code} is {state}; nothing was applied. report: {report}", **values))
    if done.unknown:
        print_next(command("recover"))
    elif Outcome.DEFERRED in {r.outcome for r in done.results}:
        print_next(command("apply", code))
    elif any(r.verdict is Verdict.WAIT for r in done.rulings.values()):
        print_next(command("approve", code, "--as", "NAME"))
    elif Outcome.STALE in {r.outcome for r in done.results}:
        print_next(command("plan"))
    elif any(r.outcome is Outcome.APPLIED for r in done.results):
        print_next(command("verify", code))


def _show_group(done: Treated, group: Group) -> None:
    settled = {r.unit.step_id: r for r in done.results}
    mine = [settled[s.id] for s in group.steps if s.id in settled]
    applied = sum(r.outcome in _FINE for r in mine)
    found = sum(r.unit.step_id in done.earlier for r in mine)
    earlier = "" if not found else say("(found by recovery)") if found == applied else _some(found)
    click.echo(f"  {group.name} {term(group.kind.value)} {applied}/{len(group.steps)} {earlier}".rstrip())
    for result in mine:
        if result.outcome not in _FINE:
            why = shown(reason(result.reason), 140)
            click.echo(f"     {result.unit.step_id[:8]} {term(result.outcome.value)}: {why}")
    waiting = Counter(
        (ruling.verdict.value, ruling.reason)
        for step in group.steps
        if (ruling := done.rulings.get(step.id)) and ruling.verdict is not Verdict.RUN
    )
    for (verdict, why), number in waiting.items():
        click.echo(f"     {many(number, 'step')} {term(verdict)}: {shown(reason(why), 140)}")


def _some(found: int) -> str:
    return say("({number} found by recovery)", number=f"{found:,}")


def exit_of(done: Treated) -> int:
    """The exit code that says how a run ended."""
    outcomes = {r.outcome for r in done.results}
    # what recovery refused of another plan is told by that plan
    if done.unknown or Outcome.UNKNOWN in outcomes | {r.outcome for x in done.recovered for r in x.results}:
        return UNKNOWN
    suspended = any(r.verdict is Verdict.SUSPENDED for r in done.rulings.values())
    if not done.verdict.ok or suspended or outcomes - set(_FINE):
        return REFUSED
    waits = any(r.verdict is Verdict.WAIT for r in done.rulings.values())
    return WAITS if waits and not done.results else OK


@main.command()
@click.argument("code")
@click.option("--group", help="Only this group.")
@click.option("--step", help="Only this step, by the start of its id.")
@click.option("--row", help="Only this row.")
@click.option("--as", "by", default=_NOBODY, metavar="NAME", help="Who takes it back.")
@lang_option
@with_clinic
@json_option
def rollback(
    clinic: Clinic, code: str, group: str | None, step: str | None, row: str | None, by: str, as_json: bool
) -> int:
    """Take back a plan, or a group, step or row of it."""
    plan_id = clinic.ledger.plans.find(code)
    with progress(as_json) as clinic.told:
        undone = treatment.take_back(clinic, plan_id, by, group, step, row)
    chosen = (("--group", group), ("--step", step), ("--row", row), ("--as", None if by == _NOBODY else by))
    again = command("rollback", code, *(word for name, value in chosen if value for word in (name, value)))
    if as_json:
        skipped = [{"id": i, "why": w} for i, w in undone.skipped]
        print_json({"plan": plan_id, "restored": list(undone.restored), "skipped": skipped})
    else:
        _show_undone(clinic, undone, plan_id[:8], again)
    if any(r.outcome is Outcome.UNKNOWN for r in undone.results):
        return UNKNOWN
    return REFUSED if any(why != "rolled back before" for _, why in undone.skipped) else OK


def _show_undone(clinic: Clinic, undone: RolledBack, code: str, again: str) -> None:
    shape = treatment.shape(clinic, clinic.ledger.plans.load(clinic.ledger.plans.find(code)))
    if shape:
        click.echo(say("  since the plan {shape}", shape=shown(reason(shape), 140)))
    click.echo(
        say(
            "  {rows} restored byte for byte · {skipped} skipped",
            rows=many(len(undone.restored), "row"),
            skipped=len(undone.skipped),
        )
    )
    for name, why in undone.skipped[:_MOST_SHOWN]:
        click.echo(f"     {shown(name)}: {shown(reason(why), 120)}")
    more = len(undone.skipped) - _MOST_SHOWN
    if more > 0:
        click.echo(say("     and {rows} more; --json lists all", rows=many(more, "row")))
    click.echo(say("What was taken back is not proposed again until a row changes."))
    if Outcome.DEFERRED in {r.outcome for r in undone.results}:
        print_next(again)
    else:
        print_next(command("report", code), command("check"))
