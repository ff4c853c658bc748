"""The guess: a mapping as data, with the reason for each field and what a person should confirm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mendory.guess import finish
from mendory.guess.draft import Draft
from mendory.guess.evidence import Evidence
from mendory.guess.hiding import hiding
from mendory.guess.remark import Remark
from mendory.guess.rules import drafted
from mendory.guess.shapes import recognised
from mendory.guess.times import Written
from mendory.record import FIELD_NAMES


@dataclass(frozen=True, slots=True)
class Guess:
    """What was concluded about a table.

    `mapping` is the section `[mapping]` as data, `required` the key `metadata.required`,
    `incidental` the key `duplicate.incidental`. `owner` is the name
    of a known owner, None for others. `reasons` has one line a field, for absent ones too where there is a
    reason; `questions` is what a person should confirm. `hide_why` says why that hides, or why nothing does.
    `unsaid` tells that part of the rows hold no status and that nobody has said what that means.
    """

    owner: str | None
    mapping: Mapping[str, Any]
    required: tuple[str, ...]
    incidental: tuple[str, ...]
    dimension: int | None
    reasons: Mapping[str, str]
    questions: tuple[Remark, ...]
    hide_why: str
    unsaid: bool

    @property
    def confirmed(self) -> bool:
        """True when what hides a row is known of this owner and no guess."""
        return self.owner is not None


def guess(evidence: Evidence) -> Guess:
    """The mapping that fits the evidence best. Raises SchemaMismatch, naming the columns, without an id or content."""
    draft = recognised(evidence) or drafted(evidence)
    finish.times(draft, evidence)
    if draft.owner is None:
        hiding(draft, evidence)
    finish.volatile(draft, evidence)
    finish.placeholders(draft, evidence)
    finish.optional(draft, evidence)
    finish.vectors(draft, evidence)
    finish.shown(draft, evidence)
    return Guess(
        draft.owner,
        _section(draft),
        finish.required(draft, evidence),
        tuple(draft.incidental),
        _dimension(draft, evidence),
        dict(draft.reasons),
        tuple(draft.questions),
        draft.hide_why,
        draft.empty,
    )


def _section(draft: Draft) -> dict[str, Any]:
    """The section as `mendory.toml` has it; what has its default is left out."""
    places = {name: draft.places[name] for name in FIELD_NAMES if name in draft.places}
    section: dict[str, Any] = {
        "columns": places,
        "absent": [name for name in FIELD_NAMES if name not in places],
        "optional": draft.optional,
        "volatile": draft.volatile,
        "skip_ids": draft.skip_ids,
        "vectors": draft.vectors,
    }
    zone = _zone(draft)
    if zone is not None:
        section["zone"] = zone
    forms = {name: _times(written, zone) for name, written in draft.times.items() if written.forms}
    if forms:
        section["times"] = forms
    if draft.words or draft.missing:
        section["status"] = {"values": draft.words} | ({"missing": draft.missing} if draft.missing else {})
    section["hide"] = draft.hide or "none"
    if draft.show:
        section["show"] = draft.show
    return {key: value for key, value in section.items() if value != []}


def _zone(draft: Draft) -> str | None:
    """The zone of the mapping: that of timestamps without one, else of the marks of time; None for UTC."""
    arrow = {w.zone for w in draft.times.values() if not w.forms and w.naive and w.zone}
    if len(arrow) == 1:
        return arrow.pop()
    return draft.zone if draft.zone != "UTC" and not arrow else None


def _times(written: Written, zone: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"forms": list(written.forms)}
    own = written.zone or ("UTC" if zone and not written.numbers else None)
    if own and (own != "UTC" or (zone or "UTC") != "UTC"):
        found["zone"] = own
    return found


def _dimension(draft: Draft, evidence: Evidence) -> int | None:
    column = draft.places.get("embedding")
    size = getattr(evidence.schema.field(column).type, "list_size", None) if column else None
    return int(size) if size else None
