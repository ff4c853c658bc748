"""Embed a row's changed text anew: its vector column is written, and nothing else of the row."""

from __future__ import annotations

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.plan.draft import Draft, NoVector, Situation, Unplanned
from mendory.side import text_digest


def reembed(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """A step that writes the vector of the row's text as it is now.

    Where more rows wait than `limits.reembed_rows` a person alone lets it run. Unplanned when nobody makes a vector
    that is proven to be of the table's space, when a person must first decide on another step of the row, and when the
    vector it holds can't be written down, and so not given back.
    """
    [row] = finding.ids
    memory = at.look([row])[row]
    if row in at.undecided:
        why = "a person must first decide on another step of the plan that changes one of these rows"
        return [Unplanned(finding, why)]
    if memory.vector is None or not memory.vector.finite:
        return [Unplanned(finding, "the vector it holds can't be written down, and so not given back")]
    vector = at.renewal.vector_of(memory)
    if isinstance(vector, NoVector):
        return [Unplanned(finding, vector.why)]
    detail = {"text": text_digest(memory), "many": at.renewal.many}
    return [
        Draft(StepKind.REEMBED, finding, "embed the changed text anew", {row: {"embedding": tuple(vector)}}, detail)
    ]
