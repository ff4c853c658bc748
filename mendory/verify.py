"""Verification: what was promised against what is there. Decides on data, touches nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from mendory.catalogue import StepKind
from mendory.choices import COMPARED
from mendory.finding import Code, Finding
from mendory.plan.model import Step
from mendory.side import Notes


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: how many were, and what failed."""

    name: str
    checked: int
    failed: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when nothing failed."""
        return not self.failed


OUTSIDE: Final = "rows_outside_the_plan_unchanged"
"""The check that no step can be blamed for: what it finds, taking a step back does not mend."""
_ROW_BY_ROW: Final = frozenset(
    {StepKind.FILL, StepKind.NORMALISE_STATUS, StepKind.REPOINT, StepKind.SET_SCOPE, StepKind.SET_SOURCE}
)
"""Kinds of which each row is a repair of its own; of the others a part alone would leave rows that fit nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of a run, the steps that failed, rows that others changed meanwhile, and where each step failed.

    `failed_rows` are (step, row); a failed step that has none there failed in all its rows.
    """

    checks: tuple[Check, ...]
    failed_steps: tuple[str, ...] = ()
    changed_since: tuple[str, ...] = ()
    failed_rows: tuple[tuple[str, str], ...] = ()

    @property
    def ok(self) -> bool:
        """True when every check passed."""
        return all(c.ok for c in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The verdict as the report holds it."""
        return {
            "ok": self.ok,
            "checks": [{"name": c.name, "checked": c.checked, "failed": list(c.failed)} for c in self.checks],
            "failed_steps": list(self.failed_steps),
            "changed_since": list(self.changed_since),
            "failed_rows": [list(pair) for pair in self.failed_rows],
        }

    def with_check(self, check: Check, blamed: Collection[tuple[str, str]]) -> Verdict:
        """The verdict with one check more, whose failures are those rows of those steps."""
        rows = tuple(sorted({*self.failed_rows, *blamed}))
        steps = tuple(sorted({*self.failed_steps, *(step for step, _ in blamed)}))
        return Verdict((*self.checks, check), steps, self.changed_since, rows)


def verify(
    applied: Sequence[Step],
    digests: Mapping[str, str],
    foreign: Collection[str],
    findings: Collection[Finding],
    outside: Collection[str] | None,
    notes: Notes = MappingProxyType({}),
    noted_since: Collection[str] = (),
) -> Verdict:
    """The verdict on applied steps, given each row's digest now, rows others wrote since, findings now.

    `outside` are rows that our commits changed and no plan names; None when history can't tell. `notes` is what is kept
    aside of rows now; of those `noted_since` another repair may have changed it.
    Checks: each touched row is what was planned (unless others changed it since: then it is listed), so is what is
    kept aside of it, each problem is gone, nothing outside the plan changed. A mark of a dispute ends no problem: it
    is there, and that is what was promised.
    """
    final: dict[str, tuple[str, str]] = {}
    for step in applied:
        for edit in step.edits:
            final[edit.id] = edit.becomes, step.id
    changed = tuple(sorted(i for i in final if i in foreign))
    wrong = sorted(i for i, (becomes, _) in final.items() if i not in foreign and digests.get(i) != becomes)
    theirs, by_row = frozenset(foreign), _by_row(findings)
    remaining = [s for s in applied if theirs.isdisjoint(s.row_ids) and _remains(s, by_row)]
    unseen = ["history can't tell"] if outside is None else sorted(outside)
    kept = _kept(applied)
    spared = {*noted_since, *foreign}
    told = {row: notes[row].fields for row in notes}
    astray = {
        row: step
        for (row, name), (value, step) in kept.items()
        if row not in spared and told.get(row, {}).get(name) != value
    }
    checks = [
        Check("rows_as_planned", len(final), tuple(wrong)),
        Check("problems_gone", len(applied), tuple(s.id[:8] for s in remaining)),
        Check(OUTSIDE, len(final), tuple(unseen)),
    ]
    if kept:
        checks.append(Check("kept_aside_as_planned", len({row for row, _ in kept}), tuple(sorted(astray))))
    wrong_at = {(final[i][1], i) for i in wrong} | {(step, row) for row, step in astray.items()}
    again = {s.id for s in remaining}
    failed = again | {step for step, _ in wrong_at}
    rows = wrong_at | {(s.id, i) for s in applied if s.id in failed for i in _rows_of(s, by_row, s.id in again)}
    return Verdict(tuple(checks), tuple(sorted(failed)), changed, tuple(sorted(rows)))


def _rows_of(step: Step, by_row: Mapping[str, Sequence[Finding]], remains: bool) -> Collection[str]:
    """The rows in which a failed step failed: all it changed, but for kinds of which each row stands by itself."""
    if step.kind not in _ROW_BY_ROW:
        return step.changed_ids
    named = [i for i in step.changed_ids if any(f.code == step.code for f in by_row.get(i, ()))]
    return (named or step.changed_ids) if remains else ()


def _kept(applied: Sequence[Step]) -> dict[tuple[str, str], tuple[Any, str]]:
    """(row, name) → what is to be kept of the row aside, and the step that said so last."""
    found: dict[tuple[str, str], tuple[Any, str]] = {}
    for step in applied:
        for edit in step.edits:
            for change in edit.aside.changes if edit.aside else ():
                found[edit.id, change.column] = change.new, step.id
    return found


def _by_row(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    held: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for ident in finding.ids:
            held[ident].append(finding)
    return held


def _remains(step: Step, by_row: Mapping[str, Sequence[Finding]]) -> bool:
    rows = set(step.row_ids)
    about = {*rows, step.detail.get("primary_id"), *step.detail.get("merged_ids", ())}
    for finding in {f.id: f for i in about for f in by_row.get(i, ())}.values():
        mine = rows & set(finding.ids)
        match step.kind, finding.code:
            case StepKind.FILL, Code.METADATA_MISSING_FIELD if mine:
                if set(finding.evidence["keys"]) & set(step.detail["origins"]):
                    return True
            case (
                (StepKind.NORMALISE_STATUS, Code.ILLEGAL_STATUS)
                | (StepKind.SET_SCOPE, Code.MISSING_SCOPE)
                | (StepKind.SET_SOURCE, Code.MISSING_SOURCE)
                | (StepKind.REEMBED, Code.EMBEDDING_STALE_TEXT)
            ) if mine:
                return True
            case (
                (StepKind.MERGE_EXACT, Code.DUPLICATE_EXACT)
                | (StepKind.MERGE_NEAR, Code.DUPLICATE_NEAR | Code.RECALL_ECHO)
                | (StepKind.SUMMARISE, Code.FRAGMENTS)
            ):
                if len({*rows, step.detail.get("primary_id"), *step.detail["merged_ids"]} & set(finding.ids)) > 1:
                    return True
            case StepKind.SUPERSEDE | StepKind.MERGE_NEAR, code if code in COMPARED and code == step.code:
                if set(step.hidden_ids) & set(finding.ids):
                    return True
            case StepKind.LIFT_MARK, Code.DISPUTE_OVER if set(step.row_ids) & set(finding.ids):
                return True
            case StepKind.WEIGH, Code.STALE_CONTEXT | Code.TASK_RESIDUE if mine - {step.detail.get("switch")}:
                if step.detail["factor"] == finding.evidence["factor"]:
                    return True
            case StepKind.REPOINT, Code.REFERENCE_DANGLING if mine:
                if {m["id"] for m in finding.evidence["missing"]} & set(step.detail["repointed"]):
                    return True
    return False
