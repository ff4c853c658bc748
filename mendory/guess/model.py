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
    """

    owner: str | None
    mapping: Mapping[str, Any]
    required: tuple[str, ...]
    incidental: tuple[str, ...]
    dimension: int | None
    reasons: Mapping[str, str]
    questions: tuple[Remark, ...]
    hide_why: str

    @property
    def confirmed(self) -> bool:
        """True when what hides a row is known of this owner and no guess."""
        return self.owner is not None


def guess(evidence: Evidence) -> Guess:
    """The mapping that fits the evidence best. Raises SchemaMismatch, naming the columns, without an id or content."""
    draft = recognised(evidence)
    if draft is None:
        draft = drafted(evidence)
        hiding(draft, evidence)
    finish.times(draft, evidence)
    finish.volatile(draft, evidence)
    finish.placeholders(draft, evidence)
    return Guess(
        draft.owner,
        _section(draft),
        finish.required(draft, evidence),
        tuple(draft.incidental),
        _dimension(draft, evidence),
        dict(draft.reasons),
        tuple(draft.questions),
        draft.hide_why,
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
    }
    arrow = {w.zone for w in draft.times.values() if not w.forms and w.naive and w.zone}
    if len(arrow) == 1:
        section["zone"] = arrow.pop()
    forms = {name: _times(written) for name, written in draft.times.items() if written.forms}
    if forms:
        section["times"] = forms
    if draft.words or draft.missing:
        section["status"] = {"values": draft.words} | ({"missing": draft.missing} if draft.missing else {})
    section["hide"] = draft.hide or "none"
    return {key: value for key, value in section.items() if value != []}


def _times(written: Written) -> dict[str, Any]:
    found: dict[str, Any] = {"forms": list(written.forms)}
    if written.zone and written.zone != "UTC":
        found["zone"] = written.zone
    return found


def _dimension(draft: Draft, evidence: Evidence) -> int | None:
    column = draft.places.get("embedding")
    size = getattr(evidence.schema.field(column).type, "list_size", None) if column else None
    return int(size) if size else None
