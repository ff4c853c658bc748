"""What the verbs share: exit codes, the command group, options, printing."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

import mendory
from mendory.cli.words import LANGUAGES, VARIABLE, failure, padded, say, speak, width
from mendory.clinic import Clinic
from mendory.config import FILE_NAME, Config
from mendory.errors import MendoryError
from mendory.text import shown

OK, ERROR, FOUND, WAITS, REFUSED, UNKNOWN = range(6)


class _Group(click.Group):
    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Usage errors exit with 1, as every other error does."""
        kwargs["standalone_mode"] = False
        speak("en")
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
            click.echo(f"{failure(error.name)}: {shown(str(error), 2000)}", err=True)
            sys.exit(REFUSED if error.name in _REFUSALS else ERROR)


_REFUSALS = frozenset(
    {
        "ledger_mismatch",
        "ledger_corrupt",
        "table_went_back",
        "plan_closed",
        "rehearsal_failed",
        "not_reversible",
        "budget_exceeded",
        "space_unknown",
        "space_moved",
        "witness_disagrees",
        "migration_refused",
    }
)


@click.group(cls=_Group)
@click.version_option(mendory.__version__)
def main() -> None:
    """Examine, repair and undo: a clinic for an agent's memory in LanceDB.

    Begin with: init, check, plan, show, approve, apply. What was applied: rollback, report. What waits: review.
    When something is odd: doctor.
    """
    os.environ.setdefault("RUST_LOG", "error")


def config_option(told: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds --config, with `told` as its help; the command gets the path, whether a file is there or not."""
    return click.option(
        "--config",
        "-c",
        type=click.Path(path_type=Path),
        default=FILE_NAME,
        envvar="MENDORY_CONFIG",
        show_envvar=True,
        show_default=True,
        help=told,
    )


def with_clinic(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --config and hands the command its Clinic."""

    @config_option("The configuration file.")
    @wraps(command)
    def wrapped(config: Path, *args: Any, **kwargs: Any) -> Any:
        return command(Clinic(Config.load(config)), *args, **kwargs)

    return wrapped


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
name_option = click.option("--as", "by", required=True, metavar="NAME", help="Who decides.")
lang_option = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    default="en",
    envvar=VARIABLE,
    show_envvar=True,
    show_default=True,
    expose_value=False,
    is_eager=True,
    callback=lambda _ctx, _param, value: speak(value),
    help="Language of what is printed; JSON stays the same.",
)


def command(*words: str) -> str:
    """The command line a person types next, with the configuration file they named on this one."""
    context = click.get_current_context(silent=True)
    named: tuple[str, ...] = ()
    if context is not None and context.get_parameter_source("config") is click.core.ParameterSource.COMMANDLINE:
        named = ("--config", str(context.params["config"]))
    return " ".join(("mendory", *(w if w.isupper() else shlex.quote(w) for w in (*words, *named))))


def print_json(value: Any) -> None:
    """One JSON object on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def print_table(rows: Sequence[Sequence[Any]], indent: str = "  ") -> None:
    """Rows in aligned columns, also where Chinese characters take two of them."""
    widths = [max(width(str(r[i])) for r in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        click.echo((indent + "  ".join(padded(str(v), w) for v, w in zip(row, widths, strict=True))).rstrip())


def print_next(*commands: str) -> None:
    """The line that names what may be typed next."""
    click.echo(say("next: {commands}", commands=" · ".join(commands)))
