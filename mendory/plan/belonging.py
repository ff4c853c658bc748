"""Say whose a memory is, or who said it, where evidence points to exactly one: a person alone lets it run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mendory.catalogue import StepKind
from mendory.finding import Finding
from mendory.plan.draft import Draft, Situation, Unplanned
from mendory.plan.evidence import Evidence, owner
from mendory.record import Memory
from mendory.text import SCOPE_BARRED, is_blank

_SIBLINGS: Final = "siblings"


@dataclass(frozen=True, slots=True)
class _Told:
    """What one witness says of a row's scope: all that it may mean, whether it is sure, how many rows bear it out."""

    by: str
    scopes: frozenset[str]
    sure: bool
    rows: int


def set_scope(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """A step that writes the scope that all evidence points to; a person's where it points to none or to several.

    Evidence is what names the owner in the row's metadata, where that tells one scope in use, and the unanimous scope
    of at least `min_siblings` siblings of one batch. Unplanned too where a reference ties the row to another scope, and
    where the scope can't be written without overwriting what the row says.
    """
    assert at.evidence is not None
    [row] = finding.ids
    memory = at.look([row])[row]
    told = _told(memory, at.evidence, at.min_siblings)
    meant = frozenset[str]().union(*(t.scopes for t in told))
    if len(meant) > 1:
        return [Unplanned(finding, "what tells its scope points to several")]
    sure = [t for t in told if t.sure]
    if not sure:
        return [Unplanned(finding, "no scope is certain: its metadata names none in use, no unanimous siblings")]
    [scope] = meant
    if scope in at.evidence.doubtful.places:
        return [Unplanned(finding, "what tells its scope points to one that is in doubt itself")]
    if SCOPE_BARRED.search(scope):
        return [Unplanned(finding, "what tells its scope points to one that no scope should be like")]
    if refused := at.evidence.giving.refused(row, "scope", scope):
        return [Unplanned(finding, refused)]
    if _tied_elsewhere(memory, scope, at):
        return [Unplanned(finding, "what tells its scope points to one, its references to another")]
    detail = {"scope": scope, "evidence": [{"by": t.by, "rows": t.rows} for t in sure]}
    reason = f"set the scope to {scope}, told by {', '.join(_witness(t.by, t.rows) for t in sure)}"
    return [Draft(StepKind.SET_SCOPE, finding, reason, {row: {"scope": scope}}, detail)]


def set_source(finding: Finding, at: Situation) -> list[Draft | Unplanned]:
    """A step that writes the unanimous source of at least `min_siblings` siblings of one batch; else a person's."""
    assert at.evidence is not None
    [row] = finding.ids
    agreed = at.evidence.witnesses.siblings_agree("source", at.look([row])[row].batch_id, at.min_siblings)
    if agreed is None:
        return [Unplanned(finding, "no source is certain: no unanimous siblings")]
    source, rows = agreed
    if refused := at.evidence.giving.refused(row, "source", source):
        return [Unplanned(finding, refused)]
    detail = {"source": source, "evidence": [{"by": _SIBLINGS, "rows": rows}]}
    reason = f"set the source to {source}, told by {_witness(_SIBLINGS, rows)}"
    return [Draft(StepKind.SET_SOURCE, finding, reason, {row: {"source": source}}, detail)]


def _witness(by: str, rows: int) -> str:
    return f"{rows} siblings of one batch" if by == _SIBLINGS else f"its {by}"


def _told(memory: Memory, evidence: Evidence, at_least: int) -> list[_Told]:
    told = [_by_owner(str(memory.id), said, evidence, at_least) for said in owner(memory, evidence.owner_keys)]
    agreed = evidence.witnesses.siblings_agree("scope", memory.batch_id, at_least)
    if agreed:
        sure = agreed[0] not in evidence.doubtful.strays
        told.append(_Told(_SIBLINGS, frozenset({agreed[0]}), sure, agreed[1]))
    return told


def _by_owner(row: str, said: tuple[str, str], evidence: Evidence, at_least: int) -> _Told:
    """What a key of the metadata tells, sure where it means one scope and names it or enough live rows bear it out.

    Rows of another scope than the one it names make it unsure: in this table the key tells no scope. So do rows of
    others in that scope, unless the key names it.
    """
    by = f"metadata.{said[0]}"
    meant, named = evidence.meant(row, said)
    if len(meant) != 1:
        return _Told(by, meant, False, 0)
    [scope] = meant
    rows = evidence.witnesses.scopes[scope] if named else evidence.witnesses.named[said][scope]
    return _Told(by, meant, bool(named) or (rows >= at_least and scope not in evidence.doubtful.strays), rows)


def _tied_elsewhere(memory: Memory, scope: str, at: Situation) -> bool:
    """True when the row names a row of another scope, or is named by one."""
    names = {t for t in (memory.duplicate_of, memory.superseded_by, *memory.related_ids) if t}
    names |= {i for i, _ in at.referrers.of(str(memory.id))}
    return any(not is_blank(m.scope) and m.scope != scope for m in at.look(sorted(names)).values())
