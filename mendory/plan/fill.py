"""Fill required metadata, only from what is certain; normalise the spelling of a status."""

from __future__ import annotations

from typing import Any

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.plan.draft import SPELLING, Draft, Situation, Unplanned
from mendory.record import Memory
from mendory.text import is_blank, valueless

_FROM_CLAIM = {"scene": "scene", "entities": "entity"}


def fill(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """A step for the keys whose value is certain; the others are left to a person.

    Certain are, in this order: the memory's own claim, the unanimous value of at least
    `min_siblings` siblings of one batch and scope, a configured default.
    """
    [row] = finding.ids
    memory = at.look([row])[row]
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for key in finding.evidence["keys"]:
        known = _certain(memory, key, at)
        if known:
            values[f"metadata.{key}"], origins[key] = known
    if not values:
        return [Unplanned(finding, "no value is certain: no claim, no unanimous siblings, no default")]
    reason = "fill " + ", ".join(f"{key} from {origin}" for key, origin in origins.items())
    return [Draft(StepKind.FILL, finding, reason, {row: values}, {"origins": origins})]


def _certain(memory: Memory, key: str, at: Situation) -> tuple[Any, str] | None:
    said = (memory.claim or {}).get(_FROM_CLAIM.get(key, ""))
    if isinstance(said, str) and not is_blank(said):
        return ([said] if key == "entities" else said), "its claim"
    if memory.scope and memory.batch_id:
        agreed = at.batches.agreed(memory.scope, memory.batch_id, key, at.min_siblings)
        if agreed:
            return agreed[0], f"{agreed[1]} siblings of one batch"
    if not valueless(at.defaults.get(key)):
        return at.defaults[key], "the configured default"
    return None


def normalise_status(finding: Finding, _: Situation) -> list[Draft | Unplanned]:
    """A step that writes the status that is meant; an unknown one is a person's."""
    [row] = finding.ids
    known = finding.evidence.get("meant")
    if known is None:
        return [Unplanned(finding, "nobody knows which status is meant; it is never made active by itself")]
    reason = f"write the status as {known}"
    return [Draft(StepKind.NORMALISE_STATUS, finding, reason, {row: {SPELLING: known}}, {"status": known})]
