"""The verb of spaces: which model the table's vectors are of, and a person's word for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

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
from mendory.cli.words import many, say
from mendory.clinic import Clinic
from mendory.drift import worklist
from mendory.embedder_section import EmbedderSection
from mendory.embedding import Estimate, build
from mendory.errors import ConfigInvalid, InputInvalid
from mendory.events import Happened
from mendory.finding import Code
from mendory.judge import Estimate as Judging
from mendory.ledger import Ledger
from mendory.spaces import (
    CANARIES,
    Agreement,
    Fingerprint,
    Space,
    SpaceState,
    Verdict,
    compare,
    draw,
    enough,
    require,
    rows_for,
    witness,
)
from mendory.text import shown

PROOF = rows_for(0.05)
"""Rows a space is adopted on: they show damage to a twentieth of the table at 95 %."""
_LISTED: Final = 20
_VERDICTS: Final = {Verdict.SAME: "as configured", Verdict.OTHER: "another model", Verdict.UNSURE: "can't be told"}


@main.command()
@click.option("--adopt", is_flag=True, help="Record the configured model as the table's, once sampled rows re-embed.")
@click.option("--as", "by", metavar="NAME", help="Who says so; needed with --adopt.")
@click.option("--rows", type=click.IntRange(1, 100_000), default=PROOF, show_default=True, help="Rows embedded again.")
@click.option("--worklist", "dirty", is_flag=True, help="List rows whose text changed since their vector was made.")
@lang_option
@with_clinic
@json_option
def spaces(clinic: Clinic, adopt: bool, by: str | None, rows: int, dirty: bool, as_json: bool) -> int:
    """Show the spaces of the table, embed some rows again, and compare; nothing is written without --adopt."""
    if dirty:
        return _worklist(clinic, as_json)
    if adopt and not (by or "").strip():
        raise InputInvalid("--adopt needs a name. Nothing was recorded. Say who adopts: --adopt --as NAME.")
    section = clinic.config.embedder
    if section is None and adopt:
        raise ConfigInvalid("There is no [embedder] to adopt. Nothing was recorded. Configure the table's model first.")
    ledger = clinic.known_ledger()
    known = ledger.spaces.all() if ledger else ()
    if section is None:
        if as_json:
            print_json({"spaces": _spaces_json(known, None), "embedder": None, "witness": None})
        else:
            _show_spaces(known, None)
            click.echo(say("no embedder is configured"))
        return OK
    embedder = build(section, clinic.config.root)
    sample = draw(clinic.reader, clinic.reader.version, rows, section.max_chars)
    costs = [embedder.estimate(len(text) for text in CANARIES), embedder.estimate(len(r.text) for r in sample.rows)]
    if section.kind == "openai" and not as_json:
        show_cost(*costs)
    embedder.allow(sum(cost.calls for cost in costs))
    mine = Fingerprint.of(embedder)
    found = witness(embedder, sample)
    name = embedder.identity.model
    if adopt:
        clinic.check_binding()
        require(found, name)
        space = clinic.ledger.once(lambda ledger: _adopted(ledger, mine, str(by), section))
        # of these rows it was seen; of the others nobody knows
        agreed = {row.id for row in sample.rows} - set(found.differing)
        clinic.side_state.bring_up(clinic.reader, dict.fromkeys(agreed, space.id))
        known = clinic.ledger.spaces.all()
    live = any(
        s.state is not SpaceState.RETIRED and compare(s.fingerprint, mine).verdict is Verdict.SAME for s in known
    )
    sound = live and found.whole
    if as_json:
        identity = mine.identity.as_json()
        print_json({"spaces": _spaces_json(known, mine), "embedder": identity, "witness": found.as_json()})
        return OK if sound else FOUND
    _show_spaces(known, mine)
    _show_witness(found, name)
    if found.rows and not found.whole and not (live and enough(found)):
        click.echo(f"→ {say('set [embedder] to the model, prefix and normalisation the table was embedded with')}")
    elif found.rows:
        print_next(command("check") if live else command("spaces", "--adopt", "--as", "NAME"))
    return OK if sound else FOUND


def _adopted(ledger: Ledger, mine: Fingerprint, by: str, section: EmbedderSection | None) -> Space:
    """The space is adopted, and that is a change event unless it was the active one already."""
    was = ledger.spaces.active()
    space = ledger.spaces.adopt(mine, by, section)
    if was is None or was.id != space.id:
        ledger.events.note(Happened.SPACE_ADOPTED, by, {"space": space.name})
    return space


def _worklist(clinic: Clinic, as_json: bool) -> int:
    """The rows that wait to be embedded anew; nothing is embedded."""
    known = clinic.side_state.version() is not None
    stale = sorted(clinic.side_state.stale(clinic.reader))
    rows = worklist(clinic.reader.fetch(stale).values() if stale else ())
    if as_json:
        print_json({"known": known, "rows": [row.as_json() for row in rows]})
        return FOUND if rows else OK
    if not known:
        click.echo(say("nobody has noted yet which texts the vectors came from; a plan notes it"))
        print_next(command("plan"))
        return OK
    active = sum(row.recallable for row in rows)
    sentence = "{rows} changed since their vector was made, {active} of them in recall"
    click.echo(say(sentence, rows=many(len(rows), "row"), active=active))
    for row in rows[:_LISTED]:
        click.echo(f"  {shown(row.id)}  {row.text[:8]}  {shown(row.scope or '-')}")
    if rows:
        print_next(command("plan", "--only", Code.EMBEDDING_STALE_TEXT.value))
    return FOUND if rows else OK


def show_cost(*estimates: Estimate | Judging) -> None:
    """What the service is about to be asked, before it is."""
    calls, characters = sum(e.calls for e in estimates), sum(e.characters for e in estimates)
    costs = [e.cost for e in estimates if e.cost is not None]
    line = say("asking the service: {calls} requests, {characters} characters", calls=calls, characters=characters)
    click.echo(f"{line}, {say('about {cost}', cost=f'{sum(costs):.6f}')}" if costs else line)


def _spaces_json(known: Sequence[Space], mine: Fingerprint | None) -> list[dict[str, Any]]:
    return [
        {
            "id": s.id,
            "state": s.state.value,
            "identity": s.fingerprint.identity.as_json(),
            "dimension": s.fingerprint.dimension,
            "by": s.by,
            "since": s.since,
            "configured": compare(s.fingerprint, mine).verdict.value if mine else None,
        }
        for s in known
    ]


def _show_spaces(known: Sequence[Space], mine: Fingerprint | None) -> None:
    if not known:
        click.echo(say("No space is known yet."))
    print_table([_row(space, mine) for space in known])


def _row(space: Space, mine: Fingerprint | None) -> tuple[str, ...]:
    """One line of the list; its last two columns compare the space with the configured embedder."""
    found = compare(space.fingerprint, mine) if mine else None
    return (
        space.id[:8],
        say(space.state.value),
        shown(space.name),
        f"{space.fingerprint.dimension}-d",
        space.since[:10],
        shown(space.by),
        say(_VERDICTS[found.verdict]) if found else "",
        f"{found.lowest:.3f}" if found and found.lowest is not None else "",
    )


def _show_witness(found: Agreement, model: str) -> None:
    values = {"model": shown(model), "agreed": found.agreed, "rows": found.rows}
    if found.dimensions:
        stored, made = found.dimensions
        sentence = "the table holds vectors of {stored} dimensions, {model} makes {made}"
        click.echo(say(sentence, stored=stored, made=made, **values))
    elif not found.rows:
        click.echo(say("space {model}: no row could be embedded again and compared", **values))
    elif found.whole:
        click.echo(say("space {model}: {agreed} of {rows} rows embed again to what they hold", **values))
    else:
        sentence = (
            "space {model}: only {agreed} of {rows} rows embed again as they are; median cosine {median}, lowest {low}"
        )
        click.echo(say(sentence, median=f"{found.median:.3f}", low=f"{found.lowest:.3f}", **values))
        for part in found.slices:
            line = say("{script}: {agreed} of {rows}", script=say(part.script), agreed=part.agreed, rows=part.rows)
            click.echo(f"  {line}")
    for why, count in sorted(found.left_out.items()):
        click.echo(f"  {say('left out')}: {many(count, 'row')}, {say(why)}")
