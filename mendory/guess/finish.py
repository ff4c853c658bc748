"""What every draft gets, whoever the owner is: times, what a read changes, rows that are none, metadata keys."""

from __future__ import annotations

import re
from typing import Final

from mendory.guess.draft import Draft
from mendory.guess.evidence import Evidence, Place
from mendory.guess.names import VOLATILE, plain
from mendory.guess.times import Written, written
from mendory.mapping.times import UNITS
from mendory.record import FIELDS, Shape
from mendory.text import valueless

_PLACEHOLDER = re.compile(r"__\w+__")
_KEYS: Final = ("topic", "entities", "scene")
_MOSTLY: Final = 0.9


def times(draft: Draft, evidence: Evidence) -> None:
    """Every time's unit, formats and zone are in the draft; a place that holds no times is no place for one."""
    for field in FIELDS:
        path = draft.places.get(field.name)
        if field.shape is not Shape.TIME or path is None:
            continue
        place = evidence.places.get(path)
        found = None if place is None else written(place, evidence)
        if found is None and (place is None or not place.held or not any(place.held)):
            found = _assumed(draft, place)
            if not draft.owner:
                draft.ask(
                    "{place} holds no value to tell its form by: {form} is assumed", place=path, form=found.forms[0]
                )
        if found is None:
            draft.drop(field.name, f"{path} holds no times that can be read")
            continue
        if draft.owner and not evidence.zone:
            found = Written(found.forms, found.naive)  # its program is known to write UTC
        draft.times[field.name] = found
        if not draft.owner and found.forms and found.forms[0] in UNITS and found.zone is None:
            draft.reasons[field.name] += "; counted as UTC, as nothing tells otherwise"
        if found.doubt:
            draft.ask(found.doubt)


def _assumed(draft: Draft, place: Place | None) -> Written:
    """How a time without one value is written: as the time of creation, if that is of its kind."""
    unit = place is None or place.kind != "text"
    created = draft.times.get("created_at")
    if created and created.forms and (created.forms[0] in UNITS) == unit:
        return Written(created.forms[:1], created.naive, created.zone)
    return Written(("ms",) if unit else ("iso",), False)


def volatile(draft: Draft, evidence: Evidence) -> None:
    """The draft names what a mere read changes, by its name; the content never is."""
    kept = {draft.places.get(name) for name in ("id", "content", "embedding", "status", "created_at")}
    for place in evidence.of(("number", "time", "text")):
        if plain(place.name) in VOLATILE and place.path not in kept and place.path not in draft.volatile:
            draft.volatile.append(place.path)


def placeholders(draft: Draft, evidence: Evidence) -> None:
    """Rows that a program writes to make its table are no memories."""
    ids = evidence.places[draft.places["id"]].held
    for name in ids:
        if isinstance(name, str) and _PLACEHOLDER.fullmatch(name) and name not in draft.skip_ids:
            draft.skip_ids.append(name)


def required(draft: Draft, evidence: Evidence) -> tuple[str, ...]:
    """The keys of our own that nine of ten rows hold: only where they are the rule is a row without one at fault."""
    column = draft.places.get("metadata")
    if column is None:
        return ()
    held = [key for key in _KEYS if (p := evidence.places.get(f"{column}.{key}")) and _filled(p) >= _MOSTLY]
    return tuple(held)


def _filled(place: Place) -> float:
    return sum(not valueless(v) for v in place.values) / len(place.values) if place.values else 0.0
