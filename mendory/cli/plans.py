"""The verb that shows plans, and how a plan is printed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

import click

from mendory import treatment
from mendory.catalogue import StepKind
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
from mendory.cli.words import language, many, reason, say, term
from mendory.clinic import Clinic
from mendory.ledger import Ledger
from mendory.ledger.plans import PlanState
from mendory.plan.model import Group, Plan
from mendory.policy import Ruling, Verdict
from mendory.report.conflicts import CODES, lines
from mendory.text import shown

_READ: Final = 4000
"""Characters of a summary: a person reads it before they accept it."""
_KEPT: Final = 6
_TEXT: Final = 120
"""Characters of a memory that can't hold beside another."""


def show_plan(clinic: Clinic, plan: Plan) -> None:
    """The plan by groups: steps, rows, level, and what becomes of each."""
    rulings = treatment.rule(clinic, plan)
    outcomes = clinic.ledger.plans.outcomes(plan.id)
    click.echo(
        say(
            "Plan {code} on v{version}, {state}, expires {time} UTC",
            code=plan.code,
            version=plan.base_version,
            state=term(clinic.ledger.plans.state(plan.id).value),
            time=f"{plan.expires_at:%Y-%m-%d %H:%M}",
        )
    )
    show_spared(clinic.ledger)
    print_table(
        [
            [
                group.name,
                term(group.kind.value),
                many(len(group.steps), "step"),
                many(group.rows, "row"),
                say("hides {number}", number=group.hides) if group.hides else "",
                f"L{int(group.level)}",
                _becomes(group, {s.id: _said(outcomes[s.id]["outcome"], rulings.get(s.id)) for s in group.steps}),
            ]
            for group in plan.groups
        ]
    )
    hidden = sum(g.hides for g in plan.groups)
    click.echo(
        say("{rows} to change, {hidden} hidden, 0 deleted", rows=many(len(plan.changed_ids), "row"), hidden=hidden)
    )


def show_spared(ledger: Ledger) -> None:
    """What people let be: the rows they keep, and how many findings they dismissed."""
    kept, dismissed = sorted(ledger.words.kept()), len(ledger.findings.dismissed())
    if kept:
        names = ", ".join(map(shown, kept[:_KEPT])) + (" …" if len(kept) > _KEPT else "")
        click.echo(say("  kept as they are: {rows}: {ids}", rows=many(len(kept), "row"), ids=names))
    if dismissed:
        click.echo(say("  dismissed earlier: {findings}", findings=many(dismissed, "finding")))


def _said(outcome: str | None, ruling: Ruling | None) -> str:
    if outcome is not None:
        return term(outcome)
    if ruling is None:
        return term("waits")
    if ruling.by:
        return say("runs ({authority})", authority=term(ruling.by.value))
    why = reason(ruling.reason)
    return say("suspended: {why}", why=why) if ruling.verdict is Verdict.SUSPENDED else why


def _becomes(group: Group, said: dict[str, str]) -> str:
    counted = Counter(said[s.id] for s in group.steps)
    if len(counted) == 1:
        return shown(next(iter(counted)), 90)
    return "; ".join(f"{n} {shown(text, 90)}" for text, n in counted.items())


def value_shown(value: Any) -> str:
    """A value as JSON; a vector as the number of its components."""
    if isinstance(value, list) and len(value) > 1 and all(isinstance(v, float) for v in value):
        return say("{number} numbers", number=len(value))
    return json.dumps(value, ensure_ascii=False)


@main.command()
@click.argument("code", required=False)
@click.option("--texts", is_flag=True, help="Show the beginning of memories that can't both hold, read from the table.")
@lang_option
@with_clinic
@json_option
def show(clinic: Clinic, code: str | None, texts: bool, as_json: bool) -> int:
    """Show a plan step by step, or list all plans."""
    if clinic.known_ledger() is None and code is None:
        if as_json:
            print_json([])
        else:
            click.echo(say("There is no plan yet."))
            print_next(command("plan"))
        return OK
    ledger = clinic.ledger
    if code is None:
        _show_all(clinic, as_json)
        return OK
    plan = ledger.plans.load(ledger.plans.find(code))
    if as_json:
        state, outcomes = ledger.plans.state(plan.id).value, ledger.plans.outcomes(plan.id)
        print_json({**plan.as_json(), "state": state, "outcomes": outcomes})
    else:
        show_plan(clinic, plan)
        _show_steps(clinic, plan, texts)
    return OK


def _show_all(clinic: Clinic, as_json: bool) -> None:
    ledger = clinic.ledger
    plans = ledger.plans.all()
    if as_json:
        print_json(plans)
        return
    print_table(
        [
            [p["id"][:8], term(p["state"]), f"v{p['base_version']}", f"{p['made_at'][:16].replace('T', ' ')} UTC"]
            for p in plans
        ]
    )
    waiting = Counter(q["reason"] for q in ledger.findings.queued())
    for why, number in sorted(waiting.items()):
        click.echo(say("  waits for a person: {number} × {why}", number=number, why=shown(reason(why), 100)))
    ways = [command("show", "CODE")] if plans else [command("plan")]
    print_next(*ways, *([command("review")] if waiting else []))


def _show_steps(clinic: Clinic, plan: Plan, texts: bool) -> None:
    outcomes = clinic.ledger.plans.outcomes(plan.id)
    known = clinic.ledger.findings.known({s.finding_id for s in plan.steps()})
    disputed = sorted({i for f in known.values() if f.code in CODES for i in f.ids}) if texts else []
    contents = {i: m.content or "" for i, m in clinic.reader.fetch(disputed).items()} if disputed else {}
    for group in plan.groups:
        rule = say(", rule {rule}", rule=group.rule) if group.rule else ""
        click.echo(
            say("{name} {kind}, level {level}", name=group.name, kind=term(group.kind), level=int(group.level)) + rule
        )
        for step in group.steps:
            held = outcomes[step.id]
            why = f": {shown(reason(held['reason']), 120)}" if held["reason"] else ""
            said = f" [{term(held['outcome'])}{why}]" if held["outcome"] else ""
            click.echo(f"  {step.id[:8]}  {shown(reason(step.reason), 140)}{said}")
            if (finding := known.get(step.finding_id)) is not None and finding.code in CODES:
                for line in lines(finding, language()):
                    click.echo(f"      {shown(line, 200)}")
                for name in finding.ids:
                    if name in contents:
                        click.echo(f"      {shown(name)}: {shown(contents[name], _TEXT)}")
            for edit in step.edits:
                for change in edit.aside.changes if edit.aside else ():
                    old, new = (shown(value_shown(v), 160) for v in (change.old, change.new))
                    click.echo(f"      {shown(edit.id)}.{change.column} ({say('kept in the ledger')}): {old} → {new}")
                for change in edit.columns:
                    most = _READ if step.kind is StepKind.SUMMARISE else 160
                    old, new = (shown(value_shown(v), most) for v in (change.old, change.new))
                    click.echo(f"      {shown(edit.id)}.{change.column}: {old} → {new}")
    click.echo(
        say(
            "if wrong: {rollback} · if nobody answers: it expires, nothing more runs",
            rollback=command("rollback", plan.code),
        )
    )
    if clinic.ledger.plans.state(plan.id) is PlanState.OPEN:
        print_next(command("approve", plan.code, "--as", "NAME"), command("apply", plan.code))
