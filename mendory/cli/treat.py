"""The verbs that decide, repair and undo: approve, reject, apply, rollback, recover, report."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mendory import treatment
from mendory.cli.examine import show_plan
from mendory.cli.shared import (
    OK,
    REFUSED,
    UNKNOWN,
    WAITS,
    json_option,
    main,
    many,
    name_option,
    print_json,
    with_clinic,
)
from mendory.clinic import Clinic
from mendory.errors import InputInvalid
from mendory.executor.owner import executing
from mendory.policy import Verdict
from mendory.text import shown
from mendory.treatment import Treated
from mendory.work import Outcome


def _groups(text: str | None) -> list[str] | None:
    return None if text is None else [g.strip() for g in text.split(",") if g.strip()]


@main.command()
@click.argument("code")
@click.option("--groups", help="Groups of the plan, e.g. G2,G3; all when left out.")
@click.option("--note", default="", help="Why, for the record.")
@name_option
@with_clinic
def approve(clinic: Clinic, code: str, groups: str | None, note: str, by: str) -> int:
    """Approve a plan or some of its groups; nothing is applied yet."""
    plan_id = clinic.ledger.plans.find(code)
    steps = treatment.approve(clinic, plan_id, _groups(groups), by, note)
    click.echo(
        f"Approved {many(len(steps), 'step')} of plan {plan_id[:8]} as {shown(by)}. Nothing was applied. "
        f"next: mendory apply {plan_id[:8]}"
    )
    return OK


@main.command()
@click.argument("code")
@click.option("--groups", help="Groups of the plan, e.g. G2,G3; all when left out.")
@click.option("--because", default="", help="Why, for the record.")
@name_option
@with_clinic
def reject(clinic: Clinic, code: str, groups: str | None, because: str, by: str) -> int:
    """Reject a plan or some of its groups; their findings are dismissed."""
    plan_id = clinic.ledger.plans.find(code)
    steps = treatment.reject(clinic, plan_id, _groups(groups), by, because)
    click.echo(
        f"Rejected {many(len(steps), 'step')} of plan {plan_id[:8]}. "
        "Their findings are not proposed again until a row changes."
    )
    return OK


@main.command()
@click.argument("code")
@click.option("--dry-run", is_flag=True, help="Say what would run; apply nothing.")
@with_clinic
@json_option
def apply(clinic: Clinic, code: str, dry_run: bool, as_json: bool) -> int:
    """Apply what policy or a person lets run of a plan, and verify it."""
    plan_id = clinic.ledger.plans.find(code)
    if dry_run:
        named = treatment.open_plan(clinic, plan_id)
        if as_json:
            rulings = treatment.rule(clinic, named)
            said = {
                s: {"verdict": r.verdict.value, "by": r.by and r.by.value, "reason": r.reason}
                for s, r in rulings.items()
            }
            print_json({"plan": plan_id, "rulings": said})
        else:
            show_plan(clinic, named)
            click.echo("Nothing was applied.")
        return OK
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
        _show_treated(done)
    return _exit(done)


def _show_treated(done: Treated) -> None:
    settled = {r.unit.step_id: r for r in done.results}
    for group in done.plan.groups:
        mine = [settled[s.id] for s in group.steps if s.id in settled]
        applied = sum(r.outcome in (Outcome.APPLIED, Outcome.DONE) for r in mine)
        click.echo(f"  {group.name} {group.kind.value} {applied}/{len(group.steps)}")
        for result in mine:
            if result.outcome not in (Outcome.APPLIED, Outcome.DONE):
                click.echo(f"     {result.unit.step_id[:8]} {result.outcome.value}: {shown(result.reason, 140)}")
        waiting: dict[str, int] = {}
        for step in group.steps:
            ruling = done.rulings.get(step.id)
            if ruling and ruling.verdict is not Verdict.RUN:
                why = f"{ruling.verdict.value}: {ruling.reason}"
                waiting[why] = waiting.get(why, 0) + 1
        for why, number in waiting.items():
            click.echo(f"     {number} {shown(why, 140)}")
    for found in done.verdict.checks:
        said = "ok" if found.ok else f"FAILED {', '.join(map(shown, found.failed[:5]))}"
        click.echo(f"  verified {found.name}: {said} ({found.checked})")
    if done.verdict.changed_since:
        click.echo(f"  changed by others meanwhile: {', '.join(map(shown, done.verdict.changed_since[:10]))}")
    if done.taken_back:
        click.echo(f"  taken back, since they did not verify: {len(done.taken_back)} steps")
    code = done.plan.code
    click.echo(f"Plan {code} is {done.state.value}. undo: mendory rollback {code} · report: mendory report {code}")


def _exit(done: Treated) -> int:
    outcomes = {r.outcome for r in done.results} | {r.outcome for x in done.recovered for r in x.results}
    if Outcome.UNKNOWN in outcomes or done.unknown:
        return UNKNOWN
    suspended = any(r.verdict is Verdict.SUSPENDED for r in done.rulings.values())
    if not done.verdict.ok or suspended or outcomes - {Outcome.APPLIED, Outcome.DONE}:
        return REFUSED
    waits = any(r.verdict is Verdict.WAIT for r in done.rulings.values())
    return WAITS if waits and not done.results else OK


@main.command()
@click.argument("code")
@click.option("--group", help="Only this group.")
@click.option("--step", help="Only this step, by the start of its id.")
@click.option("--row", help="Only this row.")
@click.option("--as", "by", default="command line", metavar="NAME", help="Who takes it back.")
@with_clinic
@json_option
def rollback(
    clinic: Clinic, code: str, group: str | None, step: str | None, row: str | None, by: str, as_json: bool
) -> int:
    """Take back a plan, or a group, step or row of it."""
    plan_id = clinic.ledger.plans.find(code)
    undone = treatment.take_back(clinic, plan_id, by, group, step, row)
    refused = [s for s in undone.skipped if s[1] != "rolled back before"]
    if as_json:
        print_json(
            {
                "plan": plan_id,
                "restored": list(undone.restored),
                "skipped": [{"id": i, "why": w} for i, w in undone.skipped],
            }
        )
    else:
        click.echo(f"  {many(len(undone.restored), 'row')} restored byte for byte · {len(undone.skipped)} skipped")
        for name, why in undone.skipped[:50]:
            click.echo(f"     {shown(name)}: {shown(why, 120)}")
        click.echo("What was taken back is not proposed again until a row changes.")
    if any(r.outcome is Outcome.UNKNOWN for r in undone.results):
        return UNKNOWN
    return REFUSED if refused else OK


@main.command()
@click.option("--resolve", metavar="RID", help="A repair whose outcome is unknown.")
@click.option("--applied/--not-applied", default=None, help="What a person found out about it.")
@click.option("--adopt", is_flag=True, help="Accept the table as it is now: restored, gone back, or of another ledger.")
@click.option("--as", "by", metavar="NAME", help="Who found it out, or accepts.")
@with_clinic
def recover(clinic: Clinic, resolve: str | None, applied: bool | None, adopt: bool, by: str | None) -> int:
    """Finish what a crash left open; list what nobody can know; record what a person found out."""
    ledger = clinic.ledger
    if adopt:
        if not by:
            raise InputInvalid("Accepting a table needs --as NAME. Nothing was recorded.")
        treatment.adopt(clinic, by)
        click.echo("Recorded: the table is accepted as it is; earlier repairs bind nothing any more.")
        return OK
    if resolve is not None:
        if applied is None or not by:
            raise InputInvalid("A resolution needs --applied or --not-applied, and --as. Nothing was recorded.")
        rid = _only([i.rid for i in ledger.intents.unresolved() if i.rid.startswith(resolve)], resolve)
        ledger.intents.resolve(rid, applied, by)
        click.echo(f"Recorded for repair {rid[:8]}: {'applied' if applied else 'not applied'}.")
        return OK
    clinic.check_binding()
    with executing() as context:
        recovered = treatment.recover_all(clinic, context)
    for one in recovered:
        for result in one.results:
            said = f"{result.outcome.value} {shown(result.reason, 120)}".rstrip()
            click.echo(f"  {one.intent.rid[:8]} step {result.unit.step_id[:8]}: {said}")
    unknown = ledger.intents.unresolved()
    for intent in unknown:
        rid = intent.rid[:8]
        click.echo(
            f"  {rid}: unknown; look at its rows, then: recover --resolve {rid} --applied|--not-applied --as NAME"
        )
    click.echo(f"{len(recovered)} repairs settled, {len(unknown)} unknown.")
    return UNKNOWN if unknown else OK


def _only(found: Sequence[str], name: str) -> str:
    if len(found) != 1:
        raise InputInvalid(f"{len(found)} repairs of unknown outcome start with '{name}'. Nothing was recorded.")
    return found[0]
