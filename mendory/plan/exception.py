"""Link what holds in a narrower scope or scene to the general memory, so that recall can prefer it there."""

from __future__ import annotations

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.plan.merge import hidden_meanwhile


def link_exception(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """One step that keeps beside the narrower row of which general ones it is an exception; no row is changed.

    The general row is relied upon where it is of the same scope; one of a scope above is only named, since no step
    holds rows of two scopes. Unplanned when it is linked already, or another step hides one of them.
    """
    specific, general = str(finding.evidence["narrower"]), str(finding.evidence["general"])
    rows = at.look(finding.ids)
    if why := hidden_meanwhile(finding, list(rows.values()), at):
        return [Unplanned(finding, why)]
    known = rows[specific].kept.exception_of
    if general in known:
        return [Unplanned(finding, "report only")]
    holds = (general,) if rows[general].scope == rows[specific].scope else ()
    reason = f"link {specific} as an exception of {general}; both stay"
    detail = {"exception_id": specific, "general_id": general, "rollback": [{"id": specific, "exception_of": [*known]}]}
    changes = {specific: {"exception_of": (*known, general)}}
    return [Draft(StepKind.LINK_EXCEPTION, finding, reason, changes, detail, holds=holds)]
