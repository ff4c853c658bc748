"""The verb that writes a configuration: init."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import available_timezones

import click

from mendory.cli.shared import command, lang_option, main
from mendory.cli.words import many, say, wrapped
from mendory.config import FILE_NAME, Config
from mendory.errors import InputInvalid, SchemaMismatch
from mendory.guess import Evidence, Guess, Proof, guess, listed, prove, toml, vector_columns
from mendory.guess.zones import spoken
from mendory.lance import Survey, table_exists
from mendory.lance.survey import tables_in
from mendory.mapping import Mapping
from mendory.text import shown, text_of

ROWS = 100
"""How many rows a guess looks at and is proved on."""
_WIDTH = 110
_TABLES = 10


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
@click.option("--zone", metavar="ZONE", help="Zone of times stored without one, e.g. Asia/Shanghai.")
@lang_option
def init(table: str, config: Path, dimension: int, zone: str | None) -> None:
    """Guess where a table keeps what, prove it on rows, write mendory.toml; nothing else is written."""
    uri, sep, name = table.rpartition("#")
    if not sep or not uri or not name:
        raise InputInvalid(
            f"'{table}' is not FOLDER#TABLE. Nothing was written. Write e.g. ./assistant.lancedb#memories."
        )
    if config.exists():
        raise InputInvalid(f"{config} is there already. Nothing was written. Edit it, or name another with --config.")
    if zone is not None and zone not in available_timezones():
        raise InputInvalid(f"'{zone}' is no IANA time zone. Nothing was written. Write e.g. Asia/Shanghai.")
    root = config.resolve().parent
    if not root.is_dir():
        raise InputInvalid(f"There is no folder {root}. Nothing was written. Make it, or name another with --config.")
    text = _head(uri, name, dimension)
    made = Config.parse(text, root)
    if table_exists(made.table_uri, name):
        survey = Survey(made.table_uri, name)
        if _is_ours(survey):
            said = say("the columns are those of our own table")
            click.echo(f"{name} v{survey.version} · {many(survey.count(), 'row')} · {said}")
            text += _vectors(_evidence(survey, name, zone))
            made = Config.parse(text, root)
        else:
            concluded = guess(_evidence(survey, name, zone))
            text = f"{_head(uri, name, concluded.dimension or dimension)}\n{toml(concluded)}"
            made = Config.parse(text, root)
            _show(survey, concluded, made, prove(made.record_mapping(), survey.sample(ROWS)))
        following = command("check")
    else:
        _absent(made.table_uri, uri, name, dimension)
        following = command("import", "FILE")
    config.write_text(f"{text}\n{_TAIL}", encoding="utf-8")
    said = "Wrote {file}. Nothing runs without a person until you add [limits]. next: {command}"
    click.echo(say(said, file=config, command=following))


def _absent(where: str, uri: str, name: str, dimension: int) -> None:
    """Says that the table is not there, and which tables are: the name may be mistyped."""
    said = "There is no table {table} yet; 'mendory import' will create it with vectors of {dimension}."
    click.echo(say(said, table=name, dimension=dimension))
    tables = tables_in(where)
    if tables is None:
        _print(say("there is no folder {folder} either; if it should be there, mend table.uri", folder=shown(uri, 200)))
    elif tables:
        likest = (*difflib.get_close_matches(name, tables, n=_TABLES), *tables)
        listed = [shown(table, 80) for table in dict.fromkeys(likest)]
        more = f", … ({len(listed) - _TABLES})" if len(listed) > _TABLES else ""
        about = {"folder": shown(uri, 200), "tables": ", ".join(listed[:_TABLES]) + more}
        _print(say("in {folder} there is: {tables}; if you mean one of them, mend table.name", **about))


def _is_ours(survey: Survey) -> bool:
    """True when the table has every column of our own."""
    try:
        Mapping.identity().check(survey.schema)
    except SchemaMismatch:
        return False
    return True


def _vectors(evidence: Evidence) -> str:
    """The section that names the vectors our own table has beside the embedding; shown where there are any."""
    further = [column for column in vector_columns(evidence) if column != "embedding"]
    if not further:
        return ""
    _print(say("vectors {places}", places=shown(", ".join(further), 200)))
    return f"\n[mapping]\nvectors = {listed(further)}\n"


def _evidence(survey: Survey, name: str, zone: str | None) -> Evidence:
    return Evidence(
        name,
        survey.schema,
        survey.sample(ROWS),
        survey.count(),
        survey.newest_addition(),
        survey.largest,
        zone,
        datetime.now(UTC),
    )


def _show(survey: Survey, concluded: Guess, made: Config, proofs: Sequence[Proof]) -> None:
    """The mapping as one reads it, what it does, what of it was proved, and what a person should confirm."""
    whose = concluded.owner or say("a table of your own")
    click.echo(f"{made.table.name} v{survey.version} · {many(survey.count(), 'row')} · {whose} · {say('read-only')}")
    _print(_places(concluded, made))
    section = concluded.mapping
    hide = section["hide"]
    said = [say("volatile {places}", places=", ".join(section["volatile"]))] if "volatile" in section else []
    said += [say("vectors {places}", places=shown(", ".join(section["vectors"]), 200))] if "vectors" in section else []
    if hide == "none":
        said.append(say("hide none: {why}", why=say(concluded.hide_why)))
    else:
        marks = " ".join(f"{place}={text_of(value)}" for place, value in hide.items())
        said.append(say("hide {marks}" if concluded.owner else "hide {marks} (confirm)", marks=marks))
    said.append(say("absent {fields}", fields=", ".join(section.get("absent", ())) or "-"))
    _print(" · ".join(said))
    rows, hidden = proofs[0].rows, sum(proof.hidden for proof in proofs)
    read = [*map(_proof, proofs), *([say("hidden {some}/{all}", some=hidden, all=rows)] if hidden else [])]
    _print(say("readable of {rows}: {fields}", rows=many(rows, "row"), fields=" · ".join(read)))
    if hidden * 2 > rows:
        most = "{some} of {all} rows count as hidden, and no finding names them: is [mapping.hide] right?"
        _print(say("confirm: {what}", what=say(most, some=hidden, all=rows)))
    for question in concluded.questions:
        values = {key: shown(value, 200) for key, value in question.values.items()}
        _print(say("confirm: {what}", what=say(question.sentence, **values)))


def _proof(proof: Proof) -> str:
    span = f" ({proof.first:%Y-%m-%d} … {proof.last:%Y-%m-%d})" if proof.first and proof.last else ""
    unread = f" ({say('{rows} unreadable', rows=proof.unread)})" if proof.unread else ""
    return f"{proof.field} {proof.held}/{proof.rows}{span}{unread}"


def _print(text: str) -> None:
    for at, line in enumerate(wrapped(text, _WIDTH)):
        click.echo(f"{'    ' if at else '  '}{line}")


def _places(concluded: Guess, made: Config) -> str:
    """`id←mem_id scope←tenant+uid created_at←ts(ms, Asia/Shanghai)` and so on."""
    parts = []
    for field, place in concluded.mapping["columns"].items():
        where = "+".join(place.strip("{}").split("}/{"))
        if field == "embedding" and concluded.dimension:
            where += f"[{concluded.dimension}]"
        written = made.mapping.times.get(field)
        if written is not None:
            where += f"({', '.join(('+'.join(written.forms), *((spoken(written.zone),) if written.zone else ())))})"
        parts.append(f"{field}←{where}")
    return " ".join(parts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _head(uri: str, name: str, dimension: int) -> str:
    return (
        "# Mendory's configuration; every key is explained in docs/configuration.md.\n"
        f"[table]\nuri = {_quoted(uri)}\nname = {_quoted(name)}\ndimension = {dimension}\n"
    )


_TAIL = """\
# Without [limits] nothing is repaired unless a person approves it.
# [limits]
# rows_per_run = 500
# repairs_per_day = 2000
# zone = "UTC"

# Rules that may repair without asking, within the limits.
# [rules]
# confirmed = ["merge.exact"]
"""
