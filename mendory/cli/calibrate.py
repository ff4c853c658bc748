"""The verb that calibrates: from which score on two memories say the same, by the owner's own word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from mendory.calibrating import Calibrated, Calibration, Labelled, TooFew, read_labels, run
from mendory.cli.shared import OK, REFUSED, command, json_option, lang_option, main, print_json, print_next, with_clinic
from mendory.cli.spaces import show_cost
from mendory.cli.words import many, say
from mendory.clinic import Clinic
from mendory.embedding import Estimate
from mendory.errors import BadEncoding, InputInvalid
from mendory.events import Happened
from mendory.ledger import Ledger
from mendory.text import shown
from mendory.thresholds import LEAST, Rate

_RATES: Final = {
    "found": "on these pairs: precision {precision}, recall {recall}, false alarms {alarms}",
    "apart": "on pairs it was not chosen on: precision {precision}, recall {recall}, false alarms {alarms}",
    "before": "the threshold until now: precision {precision}, recall {recall}, false alarms {alarms}",
}


@main.command()
@click.option(
    "--pairs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Labelled pairs, one a line: {"a", "b", "label"} or {"a_id", "b_id", "label"}.',
)
@click.option(
    "--precision", type=click.FloatRange(0.5, 1), default=0.95, show_default=True, help="Wanted share of right merges."
)
@click.option("--language", metavar="CODE", help="Only pairs in this language.")
@click.option("--space", metavar="MODEL", help="The model whose threshold it is; '' for words alone.")
@click.option("--save", is_flag=True, help="Let the thresholds hold from now on.")
@click.option("--as", "by", metavar="NAME", help="Who says so; needed with --save.")
@lang_option
@with_clinic
@json_option
def calibrate(
    clinic: Clinic,
    pairs: Path | None,
    precision: float,
    language: str | None,
    space: str | None,
    save: bool,
    by: str | None,
    as_json: bool,
) -> int:
    """Find the threshold of near duplicates from labelled pairs and from your verdicts; stored only with --save."""
    if save and not (by or "").strip():
        raise InputInvalid("--save needs a name. Nothing was calibrated. Say who calibrates: --save --as NAME.")

    def asking(costs: Sequence[Estimate]) -> None:
        if clinic.config.embedder is not None and clinic.config.embedder.kind == "openai" and not as_json:
            show_cost(*costs)

    found = run(clinic, _read(pairs) if pairs else (), precision, language, space, asking)
    saved = save and bool(found.found)
    if saved:
        clinic.ledger.once(lambda ledger: _keep(ledger, found, str(by)))
    if as_json:
        print_json(found.as_json() | {"saved": saved})
    else:
        _show(found, saved)
    return OK if found.found else REFUSED


def _keep(ledger: Ledger, found: Calibrated, by: str) -> None:
    for one in found.found:
        ledger.thresholds.keep(one.threshold, by)
    languages = sorted({one.threshold.language for one in found.found})
    ledger.events.note(Happened.THRESHOLDS_CALIBRATED, by, {"space": found.space, "languages": languages})


def _read(path: Path) -> Sequence[Labelled]:
    try:
        with path.open(encoding="utf-8") as lines:
            return read_labels(lines, path.name)
    except UnicodeDecodeError:
        raise BadEncoding(f"{path.name} is no UTF-8. Nothing was calibrated. Write it as UTF-8.") from None


def _show(found: Calibrated, saved: bool) -> None:
    values = {"labelled": many(found.labelled, "labelled pair"), "verdicts": many(found.verdicts, "verdict")}
    click.echo(say("space {space}: {labelled}, {verdicts} of people", space=_name(found.space), **values))
    for why, number in found.left_out.items():
        click.echo(f"  {say('left out')}: {many(number, 'pair')}, {say(why)}")
    for one in found.results:
        if isinstance(one, TooFew):
            _show_too_few(one)
        else:
            _show_one(one)
    if not found.results:
        click.echo(say("No pair is left to calibrate with."))
    if saved:
        click.echo(say("Saved: the next check uses it."))
        print_next(command("check"))
    elif found.found:
        click.echo(say("Nothing was saved; with --save --as NAME the next check uses it."))


def _name(space: str) -> str:
    return shown(space) if space else say("words alone")


def _show_too_few(one: TooFew) -> None:
    line = "{language}: no threshold; {same} labelled the same, {different} labelled different: {reason}"
    values = {"language": one.language, "same": one.same, "different": one.different}
    click.echo(say(line, reason=_why(one), **values))


def _why(one: TooFew) -> str:
    if one.few:
        return say("at least {least} of each label are needed", least=LEAST)
    return say("no threshold has that precision on them")


def _show_one(one: Calibration) -> None:
    head = say(
        "{language}: same from {value} on, until now {before}; {number}",
        language=one.threshold.language,
        value=f"{one.threshold.value:.3f}",
        before=f"{one.before.value:.3f}",
        number=many(one.threshold.n, "pair"),
    )
    click.echo(head)
    for name, held in (("found", one.found), ("apart", one.apart), ("before", one.before)):
        rates = {"precision": _rate(held.precision), "recall": _rate(held.recall), "alarms": _rate(held.false_alarms)}
        click.echo(f"  {say(_RATES[name], **rates)}")
    if one.vetoed:
        line = say("labelled the same, but something speaks against it: {number}", number=many(one.vetoed, "pair"))
        click.echo(f"  {line}")


def _rate(rate: Rate) -> str:
    low, high = rate.interval
    return f"{rate.share:.3f} ({low:.3f}–{high:.3f})"
