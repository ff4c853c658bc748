"""The verb of drift. One of its own: `spaces` compares models and records one, this reads every row and judges it."""

from __future__ import annotations

import click

from mendory import drifting
from mendory.cli.shared import (
    ERROR,
    FOUND,
    OK,
    command,
    json_option,
    lang_option,
    main,
    print_json,
    print_next,
    with_clinic,
)
from mendory.cli.spaces import show_cost
from mendory.cli.words import failure, many, reason, say, term
from mendory.clinic import Clinic
from mendory.drift import REASONS, SHARES, Damage, Drift, Found
from mendory.text import shown


@main.command()
@click.option(
    "--share",
    type=click.Choice([f"{share:g}"[1:] for share in SHARES]),
    default=f"{SHARES[0]:g}"[1:],
    show_default=True,
    help="The damaged share of the table that is to show at 95 %: 59, 299 or 1,497 rows are embedded again.",
)
@click.option("--witness/--no-witness", default=True, help="Embed rows again, when an embedder is configured.")
@lang_option
@with_clinic
@json_option
def drift(clinic: Clinic, share: str, witness: bool, as_json: bool) -> int:
    """Look whether the vectors are those of their texts, and tell what is wrong by name; nothing is written."""
    section = clinic.config.embedder
    paid = section is not None and section.kind == "openai" and not as_json
    checked = drifting.check(clinic, float(share), witness, show_cost if paid else None)
    if as_json:
        print_json(checked.as_json())
    else:
        _show(checked)
    return FOUND if checked.drift.found else ERROR if checked.failed else OK


def _show(checked: drifting.Checked) -> None:
    found = checked.drift
    click.echo(f"{say('drift')} v{checked.version}  {say('read-only')}")
    counts = say("{rows}, {number} with a usable vector", rows=many(found.rows, "row"), number=f"{found.vectors:,}")
    click.echo(f"  {counts}")
    _show_witness(checked)
    for one in found.found:
        _show_found(one, found)
    for far in found.hints:
        axis, value, out = term(far.axis), shown(far.value), far.damaged
        sentence = "  hint: {out} of {rows} in {axis} {value} lie far out; new topics do too, so it is no finding"
        click.echo(say(sentence, out=out, rows=many(far.rows, "row"), axis=axis, value=value))
    if not found.found:
        click.echo(f"  {say('No vector is seen to be wrong.')}")
        return
    stale = [one for one in found.found if one.damage is Damage.STALE]
    other = len(stale) < len(found.found)
    steps = [*([command("spaces", "--worklist")] if stale else []), *([command("migrate", "start")] if other else [])]
    print_next(*steps)


def _show_witness(checked: drifting.Checked) -> None:
    found = checked.drift
    if checked.failed is not None:
        said = "the witness could not be asked, so nothing is concluded from it: {error}: {problem}"
        problem = shown(str(checked.failed), 300)
        click.echo(f"  {say(said, error=failure(checked.failed.name), problem=problem)}")
    elif checked.model is None:
        click.echo(f"  {say('no row was embedded again: what only a witness sees was not looked for')}")
    else:
        said = (
            "{model}: {agreed} of {rows} rows embed again to what they hold; damage to {share} of the table would show"
        )
        values = {"agreed": found.agreed, "rows": found.sampled, "share": f"{found.shows:.1%}"}
        click.echo(f"  {say(said, model=shown(checked.model), **values)}")
    for why, count in sorted(found.left_out.items()):
        click.echo(f"  {say('left out')}: {many(count, 'row')}, {reason(why)}")


def _show_found(one: Found, found: Drift) -> None:
    told = say("seen in all rows" if one.proven else "not proven")
    if one.sampled:
        told = say("{hit} of {rows} sampled", hit=one.sampled, rows=found.sampled)
    values = {"rows": many(one.rows, "row"), "told": told, "reason": reason(REASONS[one.damage])}
    click.echo(say("  {damage}  {rows} ({told})  {reason}", damage=term(one.damage.value), **values))
    for cohort in one.cohorts:
        where = {"axis": term(cohort.axis), "value": shown(cohort.value), "hit": cohort.damaged}
        click.echo(say("      {axis} {value}: {hit} of {rows}", rows=many(cohort.rows, "row"), **where))
