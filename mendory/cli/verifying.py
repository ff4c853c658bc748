"""The verb that shows repaired memories, original against result, and takes down what a person says of them."""

from __future__ import annotations

from typing import Any, Final

import click

from mendory import ticking
from mendory.cli.plans import value_shown
from mendory.cli.shared import (
    OK,
    REFUSED,
    WAITS,
    command,
    json_option,
    lang_option,
    main,
    print_json,
    print_next,
    with_clinic,
)
from mendory.cli.words import reason, say, term
from mendory.clinic import Clinic
from mendory.errors import InputInvalid
from mendory.ledger.words import Said, Word
from mendory.proven import Repaired
from mendory.text import shown
from mendory.ticking import Looked

_TEXT: Final = 120
"""Characters of a memory or value that are shown."""


@main.command()
@click.argument("code")
@click.option("--tick", "ticked", multiple=True, metavar="ID", help="This memory was repaired well; may be repeated.")
@click.option("--all-good", is_flag=True, help="All that are shown were, but what is not whole or was found wrong.")
@click.option("--wrong", "wrong", metavar="ID", help="This memory was repaired wrongly: its rollback is proposed.")
@click.option("--because", default="", help="Why, for the record.")
@click.option("--as", "by", metavar="NAME", help="Who looked; needed with the three before.")
@lang_option
@with_clinic
@json_option
def verify(
    clinic: Clinic,
    code: str,
    ticked: tuple[str, ...],
    all_good: bool,
    wrong: str | None,
    because: str,
    by: str | None,
    as_json: bool,
) -> int:
    """Show repaired memories, original against result, and take down whether they are good."""
    plan_id = clinic.ledger.plans.find(code)
    if bool(ticked) + all_good + (wrong is not None) > 1:
        raise InputInvalid("Several of --tick, --all-good, --wrong were given. Nothing was recorded. Give one.")
    if wrong is not None:
        looked = ticking.wrong(clinic, plan_id, wrong, because, by or "")
    elif ticked or all_good:
        looked = ticking.good(clinic, plan_id, ticked, because, by or "")
    else:
        looked = ticking.look(clinic, plan_id)
    asked = _asked(clinic, looked)
    if as_json:
        print_json(_as_json(looked, asked))
    else:
        _show(looked, asked)
    return _exit(looked)


def _asked(clinic: Clinic, looked: Looked) -> list[str]:
    """What is proposed about the plan's steps that are in doubt."""
    outcomes = clinic.ledger.plans.outcomes(looked.plan.id).values()
    return list(dict.fromkeys(str(o["reason"]) for o in outcomes if o["outcome"] == "failed"))


def _exit(looked: Looked) -> int:
    said = [looked.words.get(one.row) for one in looked.sample]
    doubted = any(not one.whole and not one.changed_since for one in looked.sample)
    if doubted or any(word and word.said is Said.WRONG for word in said):
        return REFUSED
    return WAITS if None in said else OK


def _as_json(looked: Looked, asked: list[str]) -> dict[str, Any]:
    return {
        "plan": looked.plan.id,
        "state": looked.state.value,
        "repaired": looked.rows,
        "memories": [
            one.as_json()
            | {
                "changes": [{"place": c.column, "old": c.old, "new": c.new} for c in one.changes],
                "original": one.original,
                "result": one.result,
                "word": _word_json(looked.words.get(one.row)),
            }
            for one in looked.sample
        ],
        "asked": asked,
    }


def _word_json(word: Word | None) -> dict[str, Any] | None:
    if word is None:
        return None
    return {"good": word.said is Said.GOOD, "because": word.because, "by": word.by, "at": word.at.isoformat()}


def _show(looked: Looked, asked: list[str]) -> None:
    code = looked.plan.code
    click.echo(
        say(
            "Plan {code} is {state}. {number} of {rows} repaired memories, original → result:",
            code=code,
            state=term(looked.state.value),
            number=len(looked.sample),
            rows=f"{looked.rows:,}",
        )
    )
    for one in looked.sample:
        click.echo(f"  {shown(one.row)}  {term(one.kind)}  {_proof(one)} · {_tick(looked.words.get(one.row))}")
        text = one.result if one.result is not None else one.original
        if text:
            click.echo(f"      {shown(text, _TEXT)}")
        for change in one.changes:
            old, new = (shown(value_shown(v), _TEXT) for v in (change.old, change.new))
            click.echo(f"      {shown(change.column)}: {old} → {new}")
    for why in asked:
        click.echo(f"  {shown(reason(why), 160)}")
    if not looked.sample:
        click.echo(say("Nothing of it stands that could be shown."))
        print_next(command("show", code))
    elif any(one.row not in looked.words for one in looked.sample):
        print_next(
            command("verify", code, "--all-good", "--as", "NAME"),
            command("verify", code, "--wrong", "ID", "--because", "TEXT", "--as", "NAME"),
        )
    else:
        print_next(command("report", code))


def _proof(one: Repaired) -> str:
    if one.changed_since:
        return say("written by others since")
    if one.whole:
        return say("whole")
    if one.proof.gone:
        return say("NOT THERE")
    lacks = [*map(shown, one.proof.strayed), *(say("names {id}, not there", id=shown(i)) for i in one.proof.dangling)]
    if one.proof.doubtful:
        lacks.append(say("its images are not those of the receipt"))
    return say("NOT WHOLE: {lacks}", lacks=", ".join(lacks))


def _tick(word: Word | None) -> str:
    if word is None:
        return say("not looked at yet")
    if word.said is Said.GOOD:
        return say("good, says {by}", by=shown(word.by))
    why = f": {shown(word.because, _TEXT)}" if word.because else ""
    return say("WRONG, says {by}{why}", by=shown(word.by), why=why)
