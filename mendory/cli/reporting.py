"""The verb that writes the case record: report."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from mendory.cli.shared import OK, lang_option, main, with_clinic
from mendory.cli.words import language, say
from mendory.clinic import Clinic
from mendory.deciding import waits_for
from mendory.errors import InputInvalid
from mendory.private import private_folder
from mendory.report import build
from mendory.report.files import Form, text


@main.command()
@click.argument("code", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json", "html"]),
    help="markdown when left out, html with --open.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write instead of printing.")
@click.option("--open", "opens", is_flag=True, help="Write the page and show it in the browser.")
@lang_option
@with_clinic
def report(clinic: Clinic, code: str | None, form: Form | None, out: Path | None, opens: bool) -> int:
    """Write the case record of a plan; of the newest when none is named."""
    lang = language()
    form = form or ("html" if opens else "markdown")
    if opens and form != "html":
        raise InputInvalid(f"--open shows a page, and --format is {form}. Nothing was written. Use --format html.")
    plan_id = _plan(clinic, code)
    record = build(clinic.ledger, plan_id, waits_for(clinic, plan_id))
    if opens and out is None:
        private_folder(clinic.config.reports_path)
        out = clinic.config.reports_path / f"{record['code']}.{lang}.html"
    written = text(record, form, lang)
    if out is None:
        click.echo(written, nl=False)
        return OK
    try:
        out.write_text(written, encoding="utf-8")
    except OSError as error:
        raise InputInvalid(f"{out} can't be written: {error.strerror}. Name another file with --out.") from error
    click.echo(say("Wrote {file}.", file=out))
    if opens and not webbrowser.open(out.resolve().as_uri()):
        click.echo(say("No browser was found. Open the file yourself."))
    return OK


def _plan(clinic: Clinic, code: str | None) -> str:
    plans = clinic.ledger.plans
    if code is None:
        newest = plans.all()
        if not newest:
            raise InputInvalid("There is no plan yet. Nothing was written. Run 'mendory plan' first.")
        code = str(newest[0]["id"])
    return plans.find(code)
