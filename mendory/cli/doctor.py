"""The verb that looks whether everything is in place: doctor."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import click

from mendory import doctor as clinic_doctor
from mendory.cli.shared import FOUND, OK, command, json_option, lang_option, main, print_json, print_next, with_clinic
from mendory.cli.words import age, failure, padded, say, width, wrapped
from mendory.clinic import Clinic
from mendory.doctor import Line, Machine, State
from mendory.text import shown

_STATE, _CHECK, _WIDE = 4, 10, 96


@main.command()
@click.option("--witness/--no-witness", default=True, help="Embed sixteen rows again, when an embedder is configured.")
@lang_option
@with_clinic
@json_option
def doctor(clinic: Clinic, witness: bool, as_json: bool) -> int:
    """Look whether everything is in place; nothing is written."""
    found: list[Line] = []
    for line in clinic_doctor.examine(clinic, Machine(), witness):
        found.append(line)
        if not as_json:
            _show(line)
    attend = [line for line in found if line.state is not State.OK]
    if as_json:
        print_json({"lines": [line.as_json() for line in found], "attend": len(attend)})
    elif attend:
        click.echo(say("{number} of {lines} want attention.", number=len(attend), lines=len(found)))
    else:
        print_next(command("check"))
    return FOUND if attend else OK


def _show(line: Line) -> None:
    values = {name: _shown(name, value) for name, value in line.values.items()}
    if "seconds" in line.values:
        values["ago"] = age(timedelta(seconds=line.values["seconds"]))
    head = f"  {padded(say(line.state.value), _STATE)}  {padded(say(line.check), _CHECK)}  "
    said = wrapped(say(line.said, **values), _WIDE)
    todo = [f"→ {say(line.todo, **values)}"] if line.todo else []
    for number, part in enumerate([*said, *todo]):
        click.echo(f"{' ' * width(head) if number else head}{part}")


def _shown(name: str, value: Any) -> Any:
    if name == "error":
        return failure(value)
    return shown(value, 300) if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else value
