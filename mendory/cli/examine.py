"""The verbs that read the table: check, plan, show."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from mendory import treatment
from mendory.cli.shared import (
    FOUND,
    OK,
    json_option,
    main,
    many,
    print_json,
    print_table,
    with_clinic,
)
from mendory.clinic import CheckUp, Clinic, Planned
from mendory.plan.model import Plan
from mendory.text import shown


@main.command()
@with_clinic
@json_option
def check(clinic: Clinic, as_json: bool) -> int:
    """Examine the table; nothing is written."""
    checked = clinic.check()
    if as_json:
        print_json(_check_json(checked))
    else:
        _show_check(clinic, checked)
    return FOUND if checked.findings else OK


def _check_json(checked: CheckUp) -> dict[str, Any]:
    return {
        "findings": [f.as_json() for f in checked.findings],
        "stands_down": [{"what": w, "reason": r} for w, r in checked.examination.stands_down],
        "read": checked.examination.read,
        "version": checked.version,
        "dismissed": checked.dismissed,
    }


def _show_check(clinic: Clinic, checked: CheckUp) -> None:
    click.echo(f"{clinic.config.table.name} v{checked.version} · {checked.examination.read:,} rows · read-only")
    grouped: dict[tuple[str, str], list[Any]] = {}
    for one in checked.findings:
        grouped.setdefault((one.severity.value, one.code.value), []).append(one)
    order = {"high": 0, "medium": 1, "low": 2}
    rows = [
        [severity.upper(), code, len(found), _reasons([f.reason for f in found])]
        for (severity, code), found in sorted(grouped.items(), key=lambda i: (order[i[0][0]], i[0][1]))
    ]
    print_table(rows)
    for cause in checked.causes:
        if cause["attribute"]:
            what = f"{cause['attribute']} {shown(cause['value'], 40)}"
            click.echo(
                f"  cause: {cause['code']} ← {cause['cause']}, {cause['explains']} of "
                f"{cause['explains'] + cause['unexplained']} rows in {what} (risk × {cause['risk_ratio']:g})"
            )
    for what, reason in checked.examination.stands_down:
        click.echo(f"  stands down: {what} ({reason})")
    if checked.dismissed:
        click.echo(f"  dismissed earlier: {checked.dismissed}")
    click.echo("next: mendory plan" if checked.findings else "Nothing found.")


def _reasons(reasons: Sequence[str]) -> str:
    counted = Counter(reasons).most_common()
    more = f" (and {many(len(counted) - 1, 'other reason')})" if len(counted) > 1 else ""
    return shown(counted[0][0], 70) + more


@main.command()
@with_clinic
@json_option
def plan(clinic: Clinic, as_json: bool) -> int:
    """Make, rehearse and store a plan; the table is not written."""
    planned = clinic.plan()
    if as_json:
        print_json(_plan_json(clinic, planned))
    elif planned.plan is not None:
        code = planned.plan.code
        show_plan(clinic, planned.plan)
        click.echo("rehearsed on a clone: apply, verify, rollback identical · the table was not written")
        click.echo(f"next: mendory show {code} · mendory approve {code} --as NAME · mendory apply {code}")
    else:
        click.echo(
            "Nothing to plan." if not planned.open_plans else "Everything that can be planned is in an open plan:"
        )
        for code in planned.open_plans:
            show_plan(clinic, clinic.ledger.plans.load(code))
    if not as_json:
        _show_unplanned(planned)
    return FOUND if planned.plan or planned.open_plans else OK


def _plan_json(clinic: Clinic, planned: Planned) -> dict[str, Any]:
    return {
        "plan": planned.plan.as_json() if planned.plan else None,
        "open_plans": list(planned.open_plans),
        "unplanned": [{**u.finding.as_json(), "why": u.reason} for u in planned.drafted.unplanned],
        "version": planned.version,
        "table": clinic.config.table.name,
    }


def _show_unplanned(planned: Planned) -> None:
    counts: dict[tuple[str, str], int] = {}
    for one in planned.drafted.unplanned:
        key = one.finding.code.value, one.reason
        if not one.reason.startswith("under open plan"):
            counts[key] = counts.get(key, 0) + 1
    for (code, why), number in sorted(counts.items()):
        click.echo(f"  no step: {code} × {number} ({shown(why, 100)})")


def show_plan(clinic: Clinic, plan: Plan) -> None:
    """The plan by groups: steps, rows, level, and what becomes of each."""
    rulings = treatment.rule(clinic, plan)
    outcomes = clinic.ledger.plans.outcomes(plan.id)
    state = clinic.ledger.plans.state(plan.id).value
    click.echo(f"Plan {plan.code} on v{plan.base_version}, {state}, expires {plan.expires_at:%Y-%m-%d %H:%M} UTC")
    rows = []
    for group in plan.groups:
        said: dict[str, int] = {}
        for step in group.steps:
            ruling = rulings.get(step.id)
            text = outcomes[step.id]["outcome"] or (
                f"runs ({ruling.by.value})" if ruling and ruling.by else ruling.reason if ruling else "waits"
            )
            said[text] = said.get(text, 0) + 1
        hides = f"hides {group.hides}" if group.hides else ""
        rows.append(
            [
                group.name,
                group.kind.value,
                many(len(group.steps), "step"),
                many(group.rows, "row"),
                hides,
                f"L{int(group.level)}",
                "; ".join(f"{n} {shown(t, 90)}" for t, n in said.items()),
            ]
        )
    print_table(rows)
    hidden = sum(g.hides for g in plan.groups)
    click.echo(f"{many(len(plan.changed_ids), 'row')} to change, {hidden} hidden, 0 deleted")


@main.command()
@click.argument("code", required=False)
@with_clinic
@json_option
def show(clinic: Clinic, code: str | None, as_json: bool) -> int:
    """Show a plan step by step, or list all plans."""
    if clinic.known_ledger() is None and code is None:
        click.echo("[]" if as_json else "There is no plan yet. next: mendory plan")
        return OK
    ledger = clinic.ledger
    if code is None:
        plans = ledger.plans.all()
        if as_json:
            print_json(plans)
        else:
            print_table([[p["id"][:8], p["state"], f"v{p['base_version']}", p["made_at"][:19]] for p in plans])
            waiting = Counter(q["reason"] for q in ledger.findings.queued())
            for why, number in sorted(waiting.items()):
                click.echo(f"  waits for a person: {number} × {shown(why, 100)}")
        return OK
    plan = ledger.plans.load(ledger.plans.find(code))
    if as_json:
        print_json(
            {**plan.as_json(), "state": ledger.plans.state(plan.id).value, "outcomes": ledger.plans.outcomes(plan.id)}
        )
        return OK
    show_plan(clinic, plan)
    outcomes = ledger.plans.outcomes(plan.id)
    for group in plan.groups:
        click.echo(
            f"{group.name} {group.kind.value}, level {int(group.level)}"
            + (f", rule {group.rule}" if group.rule else "")
        )
        for step in group.steps:
            held = outcomes[step.id]
            said = (
                f" [{held['outcome']}{': ' + shown(held['reason'], 120) if held['reason'] else ''}]"
                if held["outcome"]
                else ""
            )
            click.echo(f"  {step.id[:8]}  {shown(step.reason, 140)}{said}")
            for edit in step.edits:
                for change in edit.columns:
                    old, new = (shown(json.dumps(v, ensure_ascii=False), 160) for v in (change.old, change.new))
                    click.echo(f"      {shown(edit.id)}.{change.column}: {old} → {new}")
    click.echo(f"if wrong: mendory rollback {plan.code} · if nobody answers: it expires, nothing more runs")
    return OK
