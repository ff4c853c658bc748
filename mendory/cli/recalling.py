"""The verb that recalls memories as an agent would, each with why it stands where it does."""

from __future__ import annotations

import click

from mendory.cli.shared import OK, command, json_option, lang_option, main, print_json, print_next, with_clinic
from mendory.cli.words import say, term
from mendory.clinic import Clinic
from mendory.door import open_door
from mendory.ranking import Recall, Recalled
from mendory.text import shown

_MOST = 2000


@main.command()
@click.argument("query", metavar="QUERY")
@click.option("--scope", help="Whose memories; those of the scopes that contain it count too.")
@click.option("-k", "most", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many at most.")
@lang_option
@with_clinic
@json_option
def recall(clinic: Clinic, query: str, scope: str | None, most: int, as_json: bool) -> int:
    """Recall the memories of a scope that are worth most for a query, each with why."""
    with open_door(clinic.config, clock=clinic.clock) as door:
        found = door.recall(query, scope, most)
    if as_json:
        print_json(found.as_json())
        return OK
    for place, one in enumerate(found, 1):
        _show(place, one)
    _remark(found)
    print_next(*([command("get", found[0].id)] if len(found) else []), command("check"))
    return OK


def _show(place: int, one: Recalled) -> None:
    numbers = {"score": f"{one.score:.3f}", "similarity": f"{one.similarity:.3f}", "weight": f"{one.weight:.3f}"}
    click.echo(say("{place}. {id}  {score} = {similarity} × {weight}", place=place, id=shown(one.id), **numbers))
    click.echo(f"   {shown(one.content, _MOST)}")
    told = [term(str(one.memory.kind or "other"))]
    if "age_days" in one.numbers:
        told.append(say("{days} days old", days=round(one.numbers["age_days"])))
    told += [say(_WHY[word]) for word in one.why if word in _WHY]
    if one.numbers["factor"] != 1:
        told.append(say("weighed by {factor}", factor=f"{one.numbers['factor']:g}"))
    if one.disputed_with:
        told.append(say("disputed with {ids}", ids=shown(", ".join(one.disputed_with))))
    elif one.disputed:
        told.append(say("disputed"))
    if one.exception_of:
        told.append(say("an exception of {ids}", ids=shown(", ".join(one.exception_of))))
    if one.superseded_by:
        told.append(say("names {id}, which is not there, as its successor", id=shown(one.superseded_by)))
    if "inherited" in one.why:
        told.append(say("of {scope}", scope=shown(one.memory.scope)))
    click.echo("   " + say(", ").join(told))


def _remark(found: Recall) -> None:
    for said in found.fewer:
        word, _, number = said.partition(":")
        click.echo(say(_FEWER[word], number=number))
    for word in found.remarks:
        click.echo(say(_REMARKS[word]))


_WHY = {
    "lasting": "hardly ages",
    "age_unknown": "its age is not known",
    "scene": "before its general memory: the query speaks of its scene",
    "inner": "before its general memory: it holds in the scope asked for",
    "general": "behind its general memory: the query does not speak of its scene",
}
_FEWER = {
    "scope_holds": "the scope holds {number} that can be recalled",
    "without_vector": "left out: {number} without a vector",
    "superseded": "left out: {number} with a successor",
    "status_unknown": "left out: {number} whose status nobody knows",
}
_REMARKS = {"nothing_hides": "nothing makes the owner's reader stop returning a row, so none was left out as archived"}
