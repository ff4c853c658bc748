"""What every draft gets, whoever the owner is: times, what a read changes, rows that are none, what may be empty."""

from __future__ import annotations

import math
import re
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from mendory.guess.draft import Draft
from mendory.guess.evidence import Evidence, Place
from mendory.guess.forms import doubtful
from mendory.guess.names import NAMES, VOLATILE, plain, rank
from mendory.guess.times import Written, written
from mendory.mapping.status import held
from mendory.record import BY_NAME, FIELDS, Shape
from mendory.text import valueless

_PLACEHOLDER = re.compile(r"__\w+__")
_KEYS: Final = ("topic", "entities", "scene")
_MOSTLY: Final = 0.9


def times(draft: Draft, evidence: Evidence) -> None:
    """Every time's unit, formats and zone are in the draft; a place that holds no times is no place for one."""
    unheeded = []
    for field in FIELDS:
        path = draft.places.get(field.name)
        if field.shape is not Shape.TIME or path is None:
            continue
        place = evidence.places.get(path)
        # a known program is known to write UTC
        utc = draft.owner is not None and not evidence.zone
        found = None if place is None else written(place, evidence, utc=utc)
        if found is None and (place is None or not place.held or not any(place.held)):
            found = _assumed(draft, place)
            if not draft.owner:
                draft.ask(
                    "{place} holds no value to tell its form by: {form} is assumed", place=path, form=found.forms[0]
                )
        if found is None:
            draft.drop(field.name, f"{path} holds no times that can be read")
            if place is not None:
                _unreadable(draft, field.name, place)
            continue
        draft.times[field.name] = found
        if not draft.owner and found.numbers and found.zone is None:
            why = ", as nothing tells otherwise" if found.doubt is None else ""
            draft.reasons[field.name] += f"; counted as UTC{why}"
        if found.doubt:
            draft.ask(found.doubt)
        if found.unheeded:
            unheeded.append(path)
    if unheeded and evidence.zone:
        draft.ask(_UNHEEDED, places=", ".join(unheeded), zone=evidence.zone)
    if not draft.owner:
        _days(draft, evidence)


_UNHEEDED: Final = (
    "--zone {zone} says nothing of {places}: numbers count from UTC, unless a zone stands under [mapping.times]"
)


def _unreadable(draft: Draft, name: str, place: Place) -> None:
    """A place that is named like a time and holds none is asked about, with a form that would read it."""
    cells = [str(v).strip() for v in place.held]
    if place.kind == "number":
        draft.ask(_NO_UNIT, place=place.path, field=name)
    elif any(c.isdecimal() for text in cells for c in text):
        draft.ask(_NO_FORM, place=place.path, field=name, form=doubtful(cells) or "%d.%m.%Y %H:%M")


_NO_UNIT: Final = "{place} holds numbers that count no time in any unit: {field} has no place"
_NO_FORM: Final = (
    '{place} holds times in a form that is not sure: name {field} under [mapping.columns] and forms = ["{form}"] '
    "under [mapping.times.{field}], if that is how they are written"
)


def _days(draft: Draft, evidence: Evidence) -> None:
    """A date column that is named like a time without a place is told."""
    for place in evidence.of(("other",), ("column",)):
        kind = evidence.schema.field(place.path).type
        if not pa.types.is_date(kind):
            continue
        named = [n for n in NAMES if n not in draft.places and BY_NAME[n].shape is Shape.TIME]
        name = next((n for n in named if rank(place.name, NAMES[n]) is not None), None)
        if name is not None:
            draft.ask(
                "{place} holds dates without a time, which can't be mapped: {field} has no place",
                place=place.path,
                field=name,
            )


def _assumed(draft: Draft, place: Place | None) -> Written:
    """How a time without one value is written: as the time of creation, if that is of its kind."""
    unit = place is None or place.kind != "text"
    created = draft.times.get("created_at")
    if created and created.forms and created.numbers == unit:
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


def vectors(draft: Draft, evidence: Evidence) -> None:
    """The draft names the vectors beside the embedding; lists of floats of any length may be something else."""
    if "embedding" in draft.places:
        draft.vectors += [name for name in vector_columns(evidence) if name != draft.places["embedding"]]


def vector_columns(evidence: Evidence) -> list[str]:
    """The columns whose lists of floats are of one length, by their type or as far as the sample shows."""
    return [p.path for p in evidence.of(("vector",), ("column",)) if _of_one_length(evidence, p.path)]


def _of_one_length(evidence: Evidence, name: str) -> bool:
    if pa.types.is_fixed_size_list(evidence.schema.field(name).type):
        return True
    lengths = pc.unique(pc.list_value_length(evidence.sample.column(name)).drop_null())
    return len(lengths) == 1 and lengths[0].as_py() > 1


_SOME: Final = 0.05
_OPTIONAL: Final = ("source", "updated_at")


def optional(draft: Draft, evidence: Evidence) -> None:
    """A source or time of change that part of the rows leave empty is taken for empty on purpose, and asked."""
    for name in _OPTIONAL:
        place = evidence.places.get(draft.places.get(name, ""))
        if draft.owner or place is None or 1 - place.share < _SOME:
            continue
        draft.optional.append(name)
        draft.ask(_ON_PURPOSE, place=place.path, field=name, **place.counted)


_ON_PURPOSE: Final = (
    "{place} is empty in {some} of {all} rows: left empty on purpose? If not, take {field} out of mapping.optional"
)


def shown(draft: Draft, evidence: Evidence) -> None:
    """The draft says what live rows hold where a mark hides the others, if they all hold the same."""
    marks = {path: value for path, value in draft.hide.items() if path in evidence.places}
    ids = evidence.places[draft.places["id"]].values
    gone = [name in draft.skip_ids for name in ids]
    for path, value in marks.items():
        gone = [g or held(value, cell) for g, cell in zip(gone, evidence.places[path].values, strict=True)]
    for path, value in marks.items():
        if path == draft.places.get("status") and "pending_review" in draft.words.values():
            continue  # the status of a new row says it, and not every live row has the same
        live = [cell for cell, g in zip(evidence.places[path].values, gone, strict=True) if not g]
        if not str(value).startswith("now:"):
            live = [cell for cell in live if cell is not None]  # where a flag is empty, its no says the same
        if live and _plain(live[0]) and all(type(cell) is type(live[0]) and cell == live[0] for cell in live):
            draft.show[path] = live[0]


def _plain(cell: Any) -> bool:
    """True for a value that a configuration can hold."""
    match cell:
        case bool():
            return True
        case int():
            return abs(cell) < 2**63
        case float():
            return math.isfinite(cell)
        case str():
            return len(cell) <= _LONGEST
    return False


_LONGEST: Final = 40
