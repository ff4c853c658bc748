"""The verbs that examine: check, plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from mendory.causes import UNKNOWN
from mendory.checkup import CheckUp
from mendory.cli.plans import show_plan
from mendory.cli.progress import progress
from mendory.cli.selection import SEVERITIES, Selection, at_least, with_selection
from mendory.cli.shared import (
    FOUND,
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
from mendory.cli.spaces import show_cost
from mendory.cli.words import language, many, reason, say, term
from mendory.clinic import Clinic, Planned
from mendory.errors import InputInvalid
from mendory.finding import Finding, Severity
from mendory.incremental import LAST, Since
from mendory.plan.waiting import NOT_ASKED
from mendory.record import FIELD_NAMES
from mendory.report.happened import happened
from mendory.telemetry import DoorWrites
from mendory.text import shown

NEVER: Final = "never"
MANY_SMALL: Final = 100
"""From so many small fragments on, the doctor warns too."""


@main.command()
@with_selection
@click.option(
    "--fail-on",
    type=click.Choice((*SEVERITIES, NEVER)),
    default="low",
    show_default=True,
    help="Exit with 2 only for a finding shown of this severity or worse.",
)
@click.option("--full", is_flag=True, help="Look at every row; so it is without --since.")
@click.option("--since", metavar="VERSION", help="Look at what changed since a checkpoint: its version, or 'last'.")
@lang_option
@with_clinic
@json_option
def check(clinic: Clinic, selection: Selection, fail_on: str, full: bool, since: str | None, as_json: bool) -> int:
    """Examine the table; nothing is written."""
    begin = _since(full, since)
    if clinic.config.judge is not None and clinic.config.judge.kind == "openai" and not as_json:
        clinic.consulted.told = show_cost
    with progress(as_json) as clinic.told:
        checked = clinic.check(mark=True, since=begin)
    selection.known(checked)
    wanted = [f for f in checked.findings if selection.wants(f)]
    if as_json:
        print_json(_check_json(checked, wanted))
    else:
        _show_check(clinic, checked, wanted, selection)
    fails = fail_on != NEVER and any(at_least(f.severity, Severity(fail_on)) for f in wanted)
    return FOUND if fails else OK


def _since(full: bool, since: str | None) -> Since | None:
    if since is None:
        return None
    if full:
        raise InputInvalid("--full and --since ask for different things. Nothing was read. Leave one out.")
    if since == LAST:
        return LAST
    if not (since.isascii() and since.isdigit() and len(since) <= 18):
        raise InputInvalid(
            f"--since {shown(since, 40)} is no version. Nothing was read. Write the number of a version, or 'last'."
        )
    return int(since)


def _check_json(checked: CheckUp, wanted: Sequence[Finding]) -> dict[str, Any]:
    return {
        "findings": [f.as_json() for f in wanted],
        "stands_down": [{"what": w, "reason": r} for w, r in checked.examination.stands_down],
        "read": checked.examination.read,
        "version": checked.version,
        "basis": checked.basis.as_json(),
        "small_fragments": checked.small_fragments,
        "dismissed": checked.dismissed,
        "not_asked": len(checked.findings) - len(wanted),
        "scripts": dict(checked.scripts),
        "causes": list(checked.causes),
        "door_writes": checked.door_writes.as_json(),
    }


def _show_check(clinic: Clinic, checked: CheckUp, wanted: Sequence[Finding], selection: Selection) -> None:
    click.echo(
        " · ".join(
            part
            for part in (
                f"{clinic.config.table.name} v{checked.version}",
                many(checked.rows, "row"),
                _scripts(checked.scripts),
                say("read-only"),
            )
            if part
        )
    )
    _show_basis(checked)
    if checked.hidden and 2 * checked.hidden > checked.rows:
        said = "  {hidden} of {rows} count as hidden: if that is wrong, mend [mapping.hide]"
        click.echo(say(said, hidden=f"{checked.hidden:,}", rows=many(checked.rows, "row")))
    print_table(list(_grouped(wanted)))
    codes = {f.code.value for f in wanted}
    for cause in checked.causes:
        if cause["cause"] != UNKNOWN and cause["code"] in codes:
            click.echo(_cause(cause))
            if cause["event"]:
                click.echo(say("    changed shortly before: {event}", event=happened(cause["event"], language())))
    for what, why in checked.examination.stands_down:
        click.echo(say("  stands down: {what} ({why})", what=_examined(what), why=shown(reason(why), 120)))
    _show_door_writes(checked.door_writes)
    if checked.dismissed:
        click.echo(say("  dismissed earlier: {findings}", findings=many(checked.dismissed, "finding")))
    left_out = len(checked.findings) - len(wanted)
    if left_out:
        click.echo(say("  not asked for: {findings}", findings=many(left_out, "finding")))
    if wanted:
        print_next(command("plan") + selection.options())
    else:
        click.echo(say("Nothing found.") if selection.everything else say("Nothing of what you asked for was found."))


def _show_basis(checked: CheckUp) -> None:
    basis = checked.basis
    if basis.since is None:
        if basis.why:
            click.echo(say("  every row was looked at: {why}", why=shown(reason(basis.why), 160)))
    elif not basis.changed and checked.version == basis.since:
        click.echo(say("  nothing changed since v{version}", version=basis.since))
    else:
        changed, looked_at = many(basis.changed, "row"), many(basis.looked_at, "row")
        stand = many(basis.standing, "finding")
        click.echo(
            say(
                "  since v{version}: changed {changed}, looked at {looked_at}; of before still stand {stand}",
                version=basis.since,
                changed=changed,
                looked_at=looked_at,
                stand=stand,
            )
        )
    if checked.small_fragments >= MANY_SMALL:
        number = checked.small_fragments
        click.echo(
            say("  {number} small fragments: compact when no repair runs: table.optimize() of LanceDB", number=number)
        )


def _examined(what: str) -> str:
    """A field keeps its name in any language; a kind of examination is said."""
    return what if what.partition(".")[0] in FIELD_NAMES else term(what)


def _show_door_writes(writes: DoorWrites) -> None:
    if writes.trouble:
        click.echo(say("  door writes since the last check: unknown ({why})", why=shown(writes.trouble, 120)))
    elif writes.total:
        verbs = ", ".join(f"{count} {verb}" for verb, count in sorted(writes.by_verb.items()))
        click.echo(say("  door writes since the last check: {number} ({verbs})", number=writes.total, verbs=verbs))
    if writes.guarded:
        kinds = ", ".join(f"{count} {term(kind)}" for kind, count in sorted(writes.guarded.items()))
        click.echo(say("  the guard at the door noted: {kinds}", kinds=kinds))


def _grouped(findings: Sequence[Finding]) -> list[list[str]]:
    grouped: dict[tuple[int, str], list[Finding]] = {}
    for one in findings:
        grouped.setdefault((-SEVERITIES.index(one.severity), one.code.value), []).append(one)
    return [
        [
            say(SEVERITIES[-rank].upper()),
            term(code),
            many(len(found), "finding"),
            many(len({i for f in found for i in f.ids}), "row"),
            _reasons([f.reason for f in found]),
        ]
        for (rank, code), found in sorted(grouped.items())
    ]


def _reasons(reasons: Sequence[str]) -> str:
    counted = Counter(reasons).most_common()
    more = say(" (and {reasons})", reasons=many(len(counted) - 1, "other reason")) if len(counted) > 1 else ""
    return shown(reason(counted[0][0]), 70) + more


def _scripts(scripts: Mapping[str, int]) -> str:
    """The share of each script among the contents, the largest first; a trace is shown as under one per cent."""
    total = sum(scripts.values())
    shares = sorted(scripts.items(), key=lambda i: (-i[1], i[0]))
    return " ".join(f"{say(name)} {_percent(n, total)}" for name, n in shares)


def _percent(part: int, whole: int) -> str:
    share = 100 * part / whole
    return "< 1 %" if share < 1 else "> 99 %" if 99 < share < 100 else f"{share:.0f} %"


def _cause(cause: Mapping[str, Any]) -> str:
    if cause["attribute"] is None:
        return say(
            "  cause: {code} ← {cause}, {explains} of {rows} show it",
            code=term(cause["code"]),
            cause=term(cause["cause"]),
            explains=cause["explains"],
            rows=many(cause["explains"] + cause["unexplained"], "row"),
        )
    return say(
        "  cause: {code} ← {cause}, {explains} of {rows} in {attribute} {value} (risk × {ratio:g})",
        code=term(cause["code"]),
        cause=term(cause["cause"]),
        explains=cause["explains"],
        rows=many(cause["explains"] + cause["unexplained"], "row"),
        attribute=term(cause["attribute"]),
        value=shown(cause["value"], 40),
        ratio=cause["risk_ratio"],
    )


@main.command()
@with_selection
@lang_option
@with_clinic
@json_option
def plan(clinic: Clinic, selection: Selection, as_json: bool) -> int:
    """Make, rehearse and store a plan; the table is not written."""
    with progress(as_json) as clinic.told:
        clinic.check_binding()
        checked = clinic.check(keep=True)
        selection.known(checked)
        planned = clinic.plan(checked, None if selection.everything else selection.wants)
    if as_json:
        print_json(_plan_json(clinic, planned))
    else:
        _show_planned(clinic, planned)
    return FOUND if planned.plan or planned.open_plans else OK


def _plan_json(clinic: Clinic, planned: Planned) -> dict[str, Any]:
    return {
        "plan": planned.plan.as_json() if planned.plan else None,
        "open_plans": list(planned.open_plans),
        "unplanned": [{**u.finding.as_json(), "why": u.reason} for u in planned.drafted.unplanned],
        "version": planned.version,
        "table": clinic.config.table.name,
    }


def _show_planned(clinic: Clinic, planned: Planned) -> None:
    codes = [planned.plan.code] if planned.plan else [p[:8] for p in planned.open_plans]
    if planned.plan is not None:
        show_plan(clinic, planned.plan)
        click.echo(say("rehearsed on a clone: apply, verify, rollback identical · the table was not written"))
    elif planned.open_plans:
        click.echo(say("Everything that can be planned is in an open plan:"))
        for one in planned.open_plans:
            show_plan(clinic, clinic.ledger.plans.load(one))
    else:
        click.echo(say("Nothing to plan."))
    _show_unplanned(planned)
    for code in codes:
        print_next(command("show", code), command("approve", code, "--as", "NAME"), command("apply", code))
    if not codes and clinic.ledger.findings.queued():
        print_next(command("review"))


def _show_unplanned(planned: Planned) -> None:
    counts: Counter[tuple[str, str]] = Counter(
        (one.finding.code.value, one.reason)
        for one in planned.drafted.unplanned
        if not one.reason.startswith("under open plan")
    )
    for (code, why), number in sorted(counts.items()):
        if why != NOT_ASKED:
            click.echo(say("  no step: {code} × {number} ({why})", code=term(code), number=number, why=_short(why)))
    left_out = sum(n for (_, why), n in counts.items() if why == NOT_ASKED)
    if left_out:
        click.echo(say("  not asked for: {findings}", findings=many(left_out, "finding")))


def _short(why: str) -> str:
    return shown(reason(why), 100)
