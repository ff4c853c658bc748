"""A column of times that says by its name when a row was deleted: a mark, unless its values say otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from mendory.guess import forms
from mendory.guess.draft import Draft
from mendory.guess.evidence import Evidence, Place
from mendory.guess.forms import FIRST, LAST, moment
from mendory.guess.times import UNTOLD
from mendory.guess.zones import always, spoken
from mendory.mapping.places import Place as Where
from mendory.mapping.places import leaf_type
from mendory.mapping.status import NOW, TIMESTAMP, held
from mendory.text import text_of

_MOST: Final = 0.5
_FARTHEST: Final = timedelta(hours=14)
"""A wall clock is no farther ahead of UTC; what lies farther ahead of the present is to come in every zone."""


def by_time(draft: Draft, evidence: Evidence, place: Place) -> None:
    """The place is a mark that hides rows, to be confirmed; or it is asked about, where its values are not of deletion.

    A zero date, -1, a year 9999, an expiry to come, or a value in most rows would make live rows count as archived.
    """
    marked = [v for v in place.values if held(f"{NOW}iso", v)]
    about = {"place": place.path, "all": str(len(place.values))}
    times = [at for v in marked if (at := moment(v)) is not None and FIRST <= at < LAST]
    odd = len(marked) - len(times) + _outside(place, evidence)
    if odd:
        draft.ask(_NO_TIMES, **about, some=str(odd))
    elif evidence.now and (ahead := sum(at > evidence.now + _FARTHEST for at in times)):
        draft.ask(_TO_COME, **about, some=str(ahead))
    elif len(marked) > len(place.values) * _MOST:
        draft.ask(_FILLED, **about, some=str(len(marked)))
    else:
        zone, told = _zone(draft, evidence)
        form = _form(draft, evidence, place, marked, zone)
        confirm(draft, {place.path: f"{NOW}{form}"}, f"a time by its name {place.path}")
        if _naive(form, place, evidence):
            draft.zone = zone
            if not told:
                draft.ask(UNTOLD, place=place.path)
        counted = [(n, w.zone) for n, w in draft.times.items() if w.numbers and w.zone and w.zone != "UTC"]
        if place.kind == "number" and counted:
            name, wall = counted[0]
            draft.ask(_WALL, place=place.path, other=draft.places[name], zone=spoken(str(wall)))


_WALL: Final = (
    "{place} will be written as a count from UTC, though {other} counts from the wall clock of {zone}: name another "
    "mark under [mapping.hide], if its hour matters"
)
_NO_TIMES: Final = (
    "{place} is named like a time of deletion and holds what is no such time in {some} of {all} rows: it is no mark, "
    "and rows deleted by it count as live"
)
_TO_COME: Final = (
    "{place} is named like a time of deletion and holds times to come in {some} of {all} rows: taken for an expiry, "
    "it is no mark"
)
_FILLED: Final = (
    "{place} is named like a time of deletion and is filled in {some} of {all} rows: it is no mark, unless "
    "[mapping.hide] names it"
)


def confirm(draft: Draft, marks: Mapping[str, Any], why: str) -> None:
    """The marks hide a row, and a person is asked whether they do."""
    draft.hide |= marks
    draft.hide_why = f"{draft.hide_why}; {why}" if draft.hide_why else why
    said = " ".join(f"{place}={text_of(value)}" for place, value in marks.items())
    draft.ask("hide {marks}: make sure that the reader skips such rows", marks=said)


def _zone(draft: Draft, evidence: Evidence) -> tuple[str, bool]:
    """(the zone that marks of time are written in, whether anything tells it): of the table's times, if they agree."""
    zones = {w.zone or "UTC" for w in draft.times.values() if w.naive}
    if len(zones) != 1:
        zones = {w.zone for w in draft.times.values() if w.zone}
    return (zones.pop(), True) if len(zones) == 1 else (evidence.zone or "UTC", evidence.zone is not None)


def _outside(place: Place, evidence: Evidence) -> int:
    """How many timestamps lie outside the calendar, such as an infinite one; they are None among the values."""
    if place.kind != "time" or place.within != "column":
        return 0
    return place.values.count(None) - int(evidence.sample.column(place.path).null_count)


def _naive(form: str, place: Place, evidence: Evidence) -> bool:
    """True when what is written in that form is a wall clock of no said zone."""
    if form == TIMESTAMP:
        kind = leaf_type(evidence.schema, Where.of(place.path))
        return kind is not None and kind.tz is None
    return "%" in form and "%z" not in form and forms.offset(form) is None


def _form(draft: Draft, evidence: Evidence, place: Place, marked: list[Any], zone: str) -> str:
    """How the place writes its times; where it holds none, as the time of creation, if that is of its kind."""
    created = draft.times.get("created_at")
    if place.kind == "time":
        return TIMESTAMP
    if place.kind == "number":
        return forms.recent(marked) or (created.forms[0] if created and created.numbers else "ms")
    known = forms.recent(marked)
    if not known and created and created.forms and not created.numbers:
        known = created.forms[0]
    ahead = forms.offset(known)
    fits = ahead is None or always(zone, ahead, evidence)
    return known if known and fits else "iso"
