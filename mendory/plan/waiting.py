"""What of a plan's findings waits for a person, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from mendory.catalogue import StepKind, remedy_of
from mendory.finding import Finding
from mendory.plan.dispute import undecided
from mendory.plan.draft import Unplanned

NOT_ASKED: Final = "not asked for"
"""Why a finding outside what a plan was asked for is not in it."""


def waiting_for_a_person(
    unplanned: Sequence[Unplanned], under: Collection[str], answered: Collection[str] = ()
) -> dict[str, str]:
    """Finding id → why it waits; `under` are those that an open plan answers.

    A conflict that no rule decides waits whatever plan marks it: a mark decides nothing. One that a person has
    `answered` waits only where no plan does what they said.
    """
    waits: dict[str, str] = {}
    for one in unplanned:
        if one.reason.startswith("dismissed") or one.reason in ("report only", NOT_ASKED):
            continue
        if one.finding.id in answered:
            waits |= {} if one.finding.id in under else {one.finding.id: one.reason}
        elif remedy_of(one.finding).step is StepKind.MARK_DISPUTED:
            waits[one.finding.id] = undecided(one.finding)
        elif one.finding.id not in under:
            waits[one.finding.id] = one.reason
    return waits


def asked_for(unplanned: Sequence[Unplanned], wanted: Callable[[Finding], bool]) -> tuple[Unplanned, ...]:
    """The same with one reason for every finding outside what was asked for."""
    return tuple(u if wanted(u.finding) else Unplanned(u.finding, NOT_ASKED) for u in unplanned)
