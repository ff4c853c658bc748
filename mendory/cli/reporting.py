"""The verb that writes the case record: report."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mendory.cli.shared import OK, main, with_clinic
from mendory.clinic import Clinic
from mendory.errors import InputInvalid
from mendory.report import build, markdown
from mendory.report.words import LANGUAGES


@main.command()
@click.argument("code", required=False)
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="File to write instead of printing.")
@with_clinic
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
