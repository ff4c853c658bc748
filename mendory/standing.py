"""What of a plan stands and what of that is in doubt: from there its steps' outcomes, what is asked, and its state."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from mendory.ledger import Ledger
from mendory.ledger.plans import FAILED, PlanState
from mendory.ledger.records import Part
from mendory.ledger.words import Said, Word
from mendory.verify import OUTSIDE
from mendory.work import Outcome

NOT_VERIFIED: Final = "it did not verify: "
FOUND_WRONG: Final = "a person found it wrong: "
_ENDED: Final = (PlanState.DONE, PlanState.FAILED, PlanState.CORRECTED)
_BACK: Final = ("rolled_back", "taken_back")


def settle(ledger: Ledger, plan_id: str) -> PlanState:
    """Outcomes, queue and state of the plan agree with what stands of it and what is in doubt; returns the state.

    What is in doubt has failed, and its rollback is proposed to a person; what is no longer in doubt is applied again.
    A plan closes when nothing of it waits: as done only when every check of every run passed and nobody found a row
    wrong. Done again, it changes nothing.
    """
    parts, runs = ledger.intents.standing(plan_id), _runs(ledger, plan_id)
    doubted = _doubts(parts, runs, ledger.words.ticks(plan_id))
    outcomes = ledger.plans.outcomes(plan_id)
    asked: dict[str, str] = {}
    for step, held in outcomes.items():
        if step in doubted and held["outcome"] in (Outcome.APPLIED.value, FAILED):
            why = asked[held["finding_id"]] = _proposal(plan_id, step, doubted[step], parts)
            ledger.plans.note(plan_id, step, FAILED, held["authority"], why, held["rid"])
        elif step not in doubted and held["outcome"] == FAILED:
            ledger.plans.note(plan_id, step, Outcome.APPLIED.value, held["authority"], "", held["rid"])
    ledger.findings.ask(asked)
    mine = {o["finding_id"] for o in outcomes.values()} - asked.keys()
    for entry in ledger.findings.queued():
        if entry["finding_id"] in mine and entry["reason"].startswith((NOT_VERIFIED, FOUND_WRONG)):
            ledger.findings.settle(entry["finding_id"])
    return _closed(ledger, plan_id, _ended(ledger, plan_id, parts, runs, doubted))


def ticks(ledger: Ledger, plan_id: str, parts: Sequence[Part]) -> dict[str, Word]:
    """Row id → the newest word on it, where that is about a repair of the row that stands."""
    stands = {(p.row_id, p.rid) for p in parts}
    return {row: w for row, w in ledger.words.ticks(plan_id).items() if (row, w.rows[row]) in stands}


def _runs(ledger: Ledger, plan_id: str) -> list[Mapping[str, Any]]:
    """What the runs say that applied something since the plan was last made."""
    made = next(p["made_at"] for p in ledger.plans.all() if p["id"] == plan_id)
    return [r for r in ledger.runs(plan_id) if r["kind"] == "apply" and r["at"] >= made]


def _doubts(
    parts: Sequence[Part], runs: Sequence[Mapping[str, Any]], words: Mapping[str, Word]
) -> dict[str, dict[str, str]]:
    """Step id → row id → why it is in doubt, for rows that stand."""
    failed = {(rid, *pair) for run in runs for rid in run.get("repairs", ()) for pair in _failed(run, parts)}
    wrong = {(row, w.rows[row]) for row, w in words.items() if w.said is Said.WRONG}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for part in parts:
        if (part.rid, part.step_id, part.row_id) in failed:
            found[part.step_id][part.row_id] = NOT_VERIFIED
        if (part.row_id, part.rid) in wrong:
            found[part.step_id][part.row_id] = FOUND_WRONG
    return dict(found)


def _failed(run: Mapping[str, Any], parts: Sequence[Part]) -> Collection[tuple[str, str]]:
    """The (step, row) that a run says failed; of a step of which it names no row, all."""
    verdict = run["verdict"]
    pairs = {(step, row) for step, row in verdict.get("failed_rows", ())}
    whole = set(verdict["failed_steps"]) - {step for step, _ in pairs}
    return pairs | {(p.step_id, p.row_id) for p in parts if p.step_id in whole}


def _proposal(plan_id: str, step: str, doubts: Mapping[str, str], parts: Sequence[Part]) -> str:
    """What a person is asked: why, and the command that takes back what is in doubt and no more."""
    why = FOUND_WRONG if FOUND_WRONG in doubts.values() else NOT_VERIFIED
    rows = {p.row_id for p in parts if p.step_id == step}
    [row, *others] = doubts
    # a later step on the row has to go first: all that the plan did to it does
    later = {p.step_id for p in parts if p.row_id == row} != {step}
    if not others and (later or len(rows) > 1 or why == FOUND_WRONG):
        return f"{why}mendory rollback {plan_id[:8]} --row {shlex.quote(row)}"
    return f"{why}mendory rollback {plan_id[:8]} --step {step[:8]}"


def _ended(
    ledger: Ledger,
    plan_id: str,
    parts: Sequence[Part],
    runs: Sequence[Mapping[str, Any]],
    doubted: Collection[str],
) -> PlanState:
    """The state of the plan when nothing of it waits."""
    stands = {p.rid for p in parts}
    loose = any(
        stands.intersection(r.get("repairs", ()))
        and any(c["failed"] and c["name"] == OUTSIDE for c in r["verdict"]["checks"])
        for r in runs
    )
    if doubted or loose:
        return PlanState.FAILED
    outcomes = {o["outcome"] for o in ledger.plans.outcomes(plan_id).values()}
    if not parts and outcomes.intersection(_BACK):
        return PlanState.ROLLED_BACK
    mended = any(w.said is Said.WRONG for w in ledger.words.ticks(plan_id).values())
    failed = any(not r["verdict"]["ok"] for r in runs)
    return PlanState.CORRECTED if mended or failed or "taken_back" in outcomes else PlanState.DONE


def _closed(ledger: Ledger, plan_id: str, ended: PlanState) -> PlanState:
    state = ledger.plans.close_if_settled(plan_id, ended)
    if state in _ENDED and state is not ended:
        ledger.plans.set_state(plan_id, ended)
        return ended
    return state
