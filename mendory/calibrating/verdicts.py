"""What people have said about merges: an approved one joins rows that say the same, a refused one did not.

Nor do two near duplicates whose finding was dismissed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from mendory.errors import NotReversible
from mendory.finding import Code
from mendory.ledger import Ledger
from mendory.plan.model import Step

_OPPOSED: Final = frozenset({Code.CONFLICT, Code.CONFLICT_BURIED, Code.CONFLICT_CANDIDATE, Code.CONFLICT_EXCEPTION})


@dataclass(frozen=True, slots=True)
class Verdict:
    """Two rows a person has judged, and the digests with which their texts are still those that were judged."""

    a: str
    b: str
    same: bool
    digests: Mapping[str, frozenset[str]]


def verdicts(ledger: Ledger) -> tuple[Verdict, ...]:
    """A pair for each row that a merge joins to its primary, where a person approved, refused or took it back.

    Of a refused merge of more than two rows nobody knows which pair was wrong: it says nothing. Neither does one that
    a rule let run, one that waits, or one whose plan is past retention.
    """
    planned = (_of_plan(ledger, str(plan["id"])) for plan in reversed(ledger.plans.all()))
    return (*chain.from_iterable(planned), *_dismissed(ledger))


def _dismissed(ledger: Ledger) -> Iterator[Verdict]:
    """A pair for each finding of two near duplicates that a person dismissed; of more nobody knows which was wrong."""
    words = ledger.words.dismissed()
    for finding in ledger.findings.known(words).values():
        if finding.code is Code.DUPLICATE_NEAR and len(finding.ids) == 2:
            one, other = finding.ids
            digests = {row: frozenset({held}) for row, held in words[finding.id].rows.items()}
            if digests.keys() == {one, other}:
                yield Verdict(one, other, False, digests)


def _of_plan(ledger: Ledger, plan_id: str) -> list[Verdict]:
    try:
        plan = ledger.plans.load(plan_id)
    except NotReversible:
        return []
    outcomes = ledger.plans.outcomes(plan_id)
    steps = [s for s in plan.steps() if _joins(s)]
    if not steps:
        return []
    words = ledger.decisions.of_plan(plan_id)
    approved = {step for word in words if word["verdict"] == "approve" for step in _steps(word)}
    undone = {(i.step_id, i.row_id) for i in ledger.intents.items(plan_id) if i.undone_by is not None}
    return [one for s in steps for one in _of_step(s, outcomes[s.id]["outcome"], s.id in approved, undone)]


def _joins(step: Step) -> bool:
    """Whether the step merges rows that say the same: who makes one of two that can't both hold says no such thing."""
    return bool(step.detail.get("primary_id") and step.detail.get("merged_ids")) and step.code not in _OPPOSED


def _steps(word: Mapping[str, Any]) -> list[str]:
    return list(word["steps"])


def _of_step(step: Step, outcome: str | None, approved: bool, undone: set[tuple[str, str]]) -> list[Verdict]:
    primary, merged = str(step.detail["primary_id"]), [str(m) for m in step.detail["merged_ids"]]
    digests = {e.id: frozenset({e.expects, e.becomes}) for e in step.edits}
    if outcome == "rejected":
        return [Verdict(primary, merged[0], False, digests)] if len(merged) == 1 else []
    taken_back = [m for m in merged if (step.id, m) in undone]
    if taken_back:
        whole = len(taken_back) == len(merged) > 1
        return [] if whole else [Verdict(primary, m, False, digests) for m in taken_back]
    return [Verdict(primary, m, True, digests) for m in merged] if approved and outcome == "applied" else []
