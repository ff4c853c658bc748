"""A person looks at repaired memories, each original against result, and says of them that they are good, or wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mendory.clinic import Clinic
from mendory.deciding import check_name
from mendory.errors import EmptyTargetSet, InputInvalid
from mendory.ledger import Ledger
from mendory.ledger.plans import PlanState
from mendory.ledger.records import Part
from mendory.ledger.words import Said, Word
from mendory.plan.model import Plan
from mendory.proven import Repaired, repaired
from mendory.standing import settle, ticks
from mendory.text import shown


@dataclass(frozen=True, slots=True)
class Looked:
    """What there is to look at: the sample, of how many repaired memories, and what was said of any of them so far."""

    plan: Plan
    state: PlanState
    sample: tuple[Repaired, ...]
    rows: int
    words: Mapping[str, Word]


def look(clinic: Clinic, plan_id: str, rows: Collection[str] = ()) -> Looked:
    """The plan's sample, or these rows, as they are now; nothing is written.

    Raises InputInvalid when the plan repaired none of that name, NotReversible when the plan is past retention.
    """
    clinic.check_binding()
    ledger = clinic.ledger
    plan, parts = ledger.plans.load(plan_id), ledger.intents.standing(plan_id)
    _repaired(plan, parts, rows)
    sample = repaired(clinic, plan, parts, rows or None)
    words = ticks(ledger, plan_id, parts)
    return Looked(plan, ledger.plans.state(plan_id), sample, len({p.row_id for p in parts}), words)


def good(clinic: Clinic, plan_id: str, rows: Collection[str], because: str, by: str) -> Looked:
    """These rows (without any: the whole sample, but for what is not whole or was found wrong) are ticked as good.

    Raises InputInvalid for a row the plan did not repair or that is not whole, EmptyTargetSet when none is left.
    """
    check_name(by)
    looked = look(clinic, plan_id, rows)
    for one in looked.sample if rows else ():
        if not one.whole:
            why = "was written by others since its repair" if one.changed_since else "is not whole"
            raise InputInvalid(
                f"'{shown(one.row)}' {why}, so it can't be ticked as good. Nothing was recorded. "
                f"See what it lacks: mendory verify {plan_id[:8]}."
            )
    wrong = {row for row, word in looked.words.items() if word.said is Said.WRONG}
    found = {one.row: one.rid for one in looked.sample if one.whole and (rows or one.row not in wrong)}
    if not found:
        raise EmptyTargetSet(
            f"Plan {plan_id[:8]} has no repaired memory that can be ticked as good. Nothing was recorded. "
            f"See them: mendory verify {plan_id[:8]}."
        )
    return _said(clinic, plan_id, found, True, because, by, rows)


def wrong(clinic: Clinic, plan_id: str, row: str, because: str, by: str) -> Looked:
    """The row is on record as repaired wrongly: its steps have failed and its rollback is proposed.

    Raises InputInvalid when the plan did not repair it.
    """
    check_name(by)
    [one] = look(clinic, plan_id, (row,)).sample
    return _said(clinic, plan_id, {row: one.rid}, False, because, by, (row,))


def _said(
    clinic: Clinic, plan_id: str, found: Mapping[str, str], well: bool, because: str, by: str, rows: Collection[str]
) -> Looked:
    def record(ledger: Ledger) -> None:
        ledger.words.tick(plan_id, found, well, because, by)
        settle(ledger, plan_id)

    clinic.ledger.once(record)
    return look(clinic, plan_id, rows)


def _repaired(plan: Plan, parts: Collection[Part], rows: Collection[str]) -> None:
    """Return when a repair of the plan stands on each of the rows and can still be shown."""
    unknown = sorted(set(rows) - {p.row_id for p in parts if p.kept})
    if unknown:
        raise InputInvalid(
            f"Plan {plan.code} has no standing repair of '{shown(unknown[0])}' that can be shown. Nothing was "
            f"recorded. See what it repaired: mendory verify {plan.code}, mendory show {plan.code}."
        )
