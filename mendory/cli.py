"""The command line: the library without Prefect. Reads by default; says what it wrote and what comes next.

Exit codes. `check`, `plan`: 0 nothing found or nothing to do, 2 something. `approve`, `reject`, `apply`,
`rollback`, `recover`, `import`: 0 done. All: 1 error or usage, 3 waits for a person, 4 refused, 5 unknown outcome.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

import mendory
from mendory import importer, treatment
from mendory.clinic import CheckUp, Clinic, Planned
from mendory.config import FILE_NAME, Config
from mendory.errors import InputInvalid, MendoryError, TableCorrupt, TableExists
from mendory.executor.owner import executing
from mendory.lance import Reader, Writer, create_table, table_exists, to_table
from mendory.plan.model import Plan
from mendory.policy import Verdict
from mendory.record import FIELD_NAMES
from mendory.report import build, markdown
from mendory.report.words import LANGUAGES
from mendory.text import shown
from mendory.treatment import Treated
from mendory.work import Outcome

OK, ERROR, FOUND, WAITS, REFUSED, UNKNOWN = range(6)


class _Group(click.Group):
    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Usage errors exit with 1, as every other error does."""
        kwargs["standalone_mode"] = False
        try:
            sys.exit(super().main(*args, **kwargs) or OK)
        except click.exceptions.Exit as error:
            sys.exit(error.exit_code)
        except click.ClickException as error:
            error.show()
            sys.exit(ERROR)
        except click.Abort:
            sys.exit(ERROR)
        except UnicodeEncodeError:
            click.echo("input_invalid: an argument is no text. Nothing was done. Write it in UTF-8.", err=True)
            sys.exit(ERROR)
        except MendoryError as error:
            click.echo(f"{error.name}: {shown(str(error), 2000)}", err=True)
            sys.exit(REFUSED if error.name in _REFUSALS else ERROR)


_REFUSALS = frozenset(
    {"ledger_mismatch", "ledger_corrupt", "table_went_back", "plan_closed", "rehearsal_failed", "not_reversible"}
)


@click.group(cls=_Group)
@click.version_option(mendory.__version__)
def main() -> None:
    """Examine, repair and undo: a clinic for an agent's memory in LanceDB."""
    os.environ.setdefault("RUST_LOG", "error")


def _with_clinic(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --config and hands the command its Clinic."""

    @click.option(
        "--config",
        "-c",
        type=click.Path(path_type=Path),
        default=FILE_NAME,
        envvar="MENDORY_CONFIG",
        show_default=True,
        help="The configuration file.",
    )
    @wraps(command)
    def wrapped(config: Path, *args: Any, **kwargs: Any) -> Any:
        return command(Clinic(Config.load(config)), *args, **kwargs)

    return wrapped


_as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
_as_name = click.option("--as", "by", required=True, metavar="NAME", help="Who decides.")


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))


def _table(rows: Sequence[Sequence[Any]], indent: str = "  ") -> None:
    widths = [max(len(str(r[i])) for r in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        click.echo((indent + "  ".join(str(v).ljust(w) for v, w in zip(row, widths, strict=True))).rstrip())


@main.command()
@click.argument("table", metavar="FOLDER#TABLE")
@click.option(
    "--config", "-c", type=click.Path(path_type=Path), default=FILE_NAME, show_default=True, help="File to write."
)
@click.option(
    "--dimension",
    type=click.IntRange(1, 65535),
    default=384,
    show_default=True,
    help="Vector length, should import create the table.",
)
def init(table: str, config: Path, dimension: int) -> None:
    """Write mendory.toml for a table; nothing else is written, no repair is switched on."""
    uri, sep, name = table.rpartition("#")
    if not sep or not uri or not name:
        raise InputInvalid(
            f"'{table}' is not FOLDER#TABLE. Nothing was written. Write e.g. ./assistant.lancedb#memories."
        )
    if config.exists():
        raise InputInvalid(f"{config} is there already. Nothing was written. Edit it, or name another with --config.")
    text = _TEMPLATE.format(uri=json.dumps(uri, ensure_ascii=False), name=json.dumps(name), dimension=dimension)
    made = Config.parse(text, config.resolve().parent)
    if table_exists(made.table_uri, name):
        reader = Reader(made.table_uri, name, made.record_mapping())
        click.echo(f"{name} v{reader.version} · {reader.count()} rows · the columns are those of our own table")
    else:
        click.echo(f"There is no table {name} yet; 'mendory import' will create it with vectors of {dimension}.")
    config.write_text(text, encoding="utf-8")
    click.echo(f"Wrote {config}. Nothing runs without a person until you add [limits]. next: mendory check")


_TEMPLATE = """\
# Mendory's configuration; every key is explained in docs/configuration.md.
[table]
uri = {uri}
name = {name}
dimension = {dimension}

# Without [limits] nothing is repaired unless a person approves it.
# [limits]
# rows_per_run = 500
# repairs_per_day = 2000
# zone = "UTC"

# Rules that may repair without asking, within the limits.
# [rules]
# confirmed = ["merge.exact"]
"""


@main.command()
@_with_clinic
@_as_json
def check(clinic: Clinic, as_json: bool) -> int:
    """Examine the table; nothing is written."""
    checked = clinic.check()
    if as_json:
        _print_json(_check_json(checked))
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
    _table(rows)
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
    more = f" (and {_many(len(counted) - 1, 'other reason')})" if len(counted) > 1 else ""
    return shown(counted[0][0], 70) + more


@main.command()
@_with_clinic
@_as_json
def plan(clinic: Clinic, as_json: bool) -> int:
    """Make, rehearse and store a plan; the table is not written."""
    planned = clinic.plan()
    if as_json:
        _print_json(_plan_json(clinic, planned))
    elif planned.plan is not None:
        code = planned.plan.code
        _show_plan(clinic, planned.plan)
        click.echo("rehearsed on a clone: apply, verify, rollback identical · the table was not written")
        click.echo(f"next: mendory show {code} · mendory approve {code} --as NAME · mendory apply {code}")
    else:
        click.echo(
            "Nothing to plan." if not planned.open_plans else "Everything that can be planned is in an open plan:"
        )
        for code in planned.open_plans:
            _show_plan(clinic, clinic.ledger.plans.load(code))
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


def _show_plan(clinic: Clinic, plan: Plan) -> None:
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
                _many(len(group.steps), "step"),
                _many(group.rows, "row"),
                hides,
                f"L{int(group.level)}",
                "; ".join(f"{n} {shown(t, 90)}" for t, n in said.items()),
            ]
        )
    _table(rows)
    hidden = sum(g.hides for g in plan.groups)
    click.echo(f"{_many(len(plan.changed_ids), 'row')} to change, {hidden} hidden, 0 deleted")


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@main.command()
@click.argument("code", required=False)
@_with_clinic
@_as_json
def show(clinic: Clinic, code: str | None, as_json: bool) -> int:
    """Show a plan step by step, or list all plans."""
    if clinic.known_ledger() is None and code is None:
        click.echo("[]" if as_json else "There is no plan yet. next: mendory plan")
        return OK
    ledger = clinic.ledger
    if code is None:
        plans = ledger.plans.all()
        if as_json:
            _print_json(plans)
        else:
            _table([[p["id"][:8], p["state"], f"v{p['base_version']}", p["made_at"][:19]] for p in plans])
        return OK
    plan = ledger.plans.load(ledger.plans.find(code))
    if as_json:
        _print_json(
            {**plan.as_json(), "state": ledger.plans.state(plan.id).value, "outcomes": ledger.plans.outcomes(plan.id)}
        )
        return OK
    _show_plan(clinic, plan)
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


def _groups(text: str | None) -> list[str] | None:
    return None if text is None else [g.strip() for g in text.split(",") if g.strip()]


@main.command()
@click.argument("code")
@click.option("--groups", help="Groups of the plan, e.g. G2,G3; all when left out.")
@click.option("--note", default="", help="Why, for the record.")
@_as_name
@_with_clinic
def approve(clinic: Clinic, code: str, groups: str | None, note: str, by: str) -> int:
    """Approve a plan or some of its groups; nothing is applied yet."""
    plan_id = clinic.ledger.plans.find(code)
    steps = treatment.approve(clinic, plan_id, _groups(groups), by, note)
    click.echo(
        f"Approved {_many(len(steps), 'step')} of plan {plan_id[:8]} as {shown(by)}. Nothing was applied. "
        f"next: mendory apply {plan_id[:8]}"
    )
    return OK


@main.command()
@click.argument("code")
@click.option("--groups", help="Groups of the plan, e.g. G2,G3; all when left out.")
@click.option("--because", default="", help="Why, for the record.")
@_as_name
@_with_clinic
def reject(clinic: Clinic, code: str, groups: str | None, because: str, by: str) -> int:
    """Reject a plan or some of its groups; their findings are dismissed."""
    plan_id = clinic.ledger.plans.find(code)
    steps = treatment.reject(clinic, plan_id, _groups(groups), by, because)
    click.echo(
        f"Rejected {_many(len(steps), 'step')} of plan {plan_id[:8]}. "
        "Their findings are not proposed again until a row changes."
    )
    return OK


@main.command()
@click.argument("code")
@click.option("--dry-run", is_flag=True, help="Say what would run; apply nothing.")
@_with_clinic
@_as_json
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
            _print_json({"plan": plan_id, "rulings": said})
        else:
            _show_plan(clinic, named)
            click.echo("Nothing was applied.")
        return OK
    done = treatment.apply(clinic, plan_id)
    if as_json:
        _print_json(
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
@_with_clinic
@_as_json
def rollback(
    clinic: Clinic, code: str, group: str | None, step: str | None, row: str | None, by: str, as_json: bool
) -> int:
    """Take back a plan, or a group, step or row of it."""
    plan_id = clinic.ledger.plans.find(code)
    undone = treatment.take_back(clinic, plan_id, by, group, step, row)
    refused = [s for s in undone.skipped if s[1] != "rolled back before"]
    if as_json:
        _print_json(
            {
                "plan": plan_id,
                "restored": list(undone.restored),
                "skipped": [{"id": i, "why": w} for i, w in undone.skipped],
            }
        )
    else:
        click.echo(f"  {_many(len(undone.restored), 'row')} restored byte for byte · {len(undone.skipped)} skipped")
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
@_with_clinic
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


@main.command()
@click.argument("code", required=False)
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="File to write instead of printing.")
@_with_clinic
def report(clinic: Clinic, code: str | None, form: str, lang: str, out: Path | None) -> int:
    """Write the case record of a plan; of the newest when none is named."""
    plans = clinic.ledger.plans
    if code is None:
        newest = plans.all()
        if not newest:
            raise InputInvalid("There is no plan yet. Nothing was written. Run 'mendory plan' first.")
        code = newest[0]["id"]
    record = build(clinic.ledger, plans.find(code))
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n" if form == "json" else markdown(record, lang)
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
        click.echo(f"Wrote {out}.")
    return OK


def _pairs(values: Sequence[str], option: str) -> dict[str, str]:
    pairs = dict(v.partition("=")[::2] for v in values)
    if any("=" not in v for v in values):
        raise InputInvalid(f"{option} is FIELD=VALUE. Nothing was imported.")
    importer.known_fields(pairs, option)
    return pairs


def _create_for_import(config: Config, dimension: int) -> None:
    """The table exists, made by us; raises TableExists when another made it since we looked."""
    try:
        create_table(config.table_uri, config.table.name, dimension)
    except (TableExists, TableCorrupt):
        if not table_exists(config.table_uri, config.table.name):
            raise
        raise TableExists(
            f"Table '{config.table.name}' was created by another just now. Nothing was imported. Run the import again."
        ) from None


@main.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--map",
    "keys",
    multiple=True,
    metavar="FIELD=KEY",
    help="Where a field stands in the file; a template such as {user}/{agent} may use {line}.",
)
@click.option("--set", "constants", multiple=True, metavar="FIELD=TEXT", help="The same value for every line.")
@click.option(
    "--time-format", help="How times read, for strptime; %a also takes Chinese weekdays. ISO 8601 when left out."
)
@click.option("--zone", default="UTC", show_default=True, help="Zone of times without one.")
@click.option(
    "--quarantine", type=click.Path(path_type=Path), help="Where refused lines go; FILE.quarantine.jsonl when left out."
)
@click.option("--dry-run", is_flag=True, help="Judge every line; write nothing.")
@_with_clinic
@_as_json
def import_(
    clinic: Clinic,
    file: Path,
    keys: Sequence[str],
    constants: Sequence[str],
    time_format: str | None,
    zone: str,
    quarantine: Path | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Import JSON Lines into our own table, created when missing; importing twice changes nothing."""
    try:
        shaping = importer.Shaping(_pairs(keys, "--map"), _pairs(constants, "--set"), time_format, ZoneInfo(zone))
    except (KeyError, ValueError, OSError):
        raise InputInvalid(f"'{zone}' is no time zone. Nothing was imported. Write e.g. Asia/Shanghai.") from None
    target = importer.quarantine_target(file, quarantine)
    config = clinic.config
    there = table_exists(config.table_uri, config.table.name)
    writer = Writer(config.table_uri, config.table.name, clinic.mapping) if there else None
    dimension = importer.dimension(writer.schema, clinic.mapping) if writer else config.table.dimension
    fields = [name for name in FIELD_NAMES if clinic.mapping.has(name)]
    judged = importer.judge(importer.lines(file), shaping, dimension, fields)
    if judged.read == 0:
        raise InputInvalid(f"{file} holds no line. Nothing was imported.")
    held = writer.rows([kept.record["id"] for kept in judged.kept]) if writer else None
    sorted_out = importer.against(judged, held, clinic.mapping)
    refused = sorted_out.quarantined
    if refused and not dry_run:
        importer.write_quarantine(target, refused)
    if sorted_out.fresh and not dry_run:
        if writer is None:
            _create_for_import(config, dimension)
            writer = Writer(config.table_uri, config.table.name, clinic.mapping)
        writer.append(to_table(sorted_out.fresh, writer.schema))
    counts: dict[str, Any] = {
        "read": judged.read,
        "ok": judged.read - len(refused),
        "imported": 0 if dry_run else len(sorted_out.fresh),
        "already_there": sorted_out.present,
        "duplicate_exact": sorted_out.doubled,
        "quarantined": len(refused),
        "rejected": 0,
        "reasons": importer.reasons(refused),
    }
    if as_json:
        _print_json(counts)
    else:
        click.echo(f"read {counts['read']} = ok {counts['ok']} + quarantined {counts['quarantined']} + rejected 0")
        click.echo(
            f"  imported {counts['imported']}, already there {counts['already_there']}, "
            f"equal lines {counts['duplicate_exact']}"
        )
        _table([[reason, number] for reason, number in counts["reasons"].items()], "  quarantined: ")
        if refused and not dry_run:
            click.echo(f"  refused lines with reasons and hints: {target}")
        click.echo("Nothing was written." if dry_run else "next: mendory check")
    return REFUSED if refused else OK
