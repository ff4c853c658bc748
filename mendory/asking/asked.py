"""What a person is asked about a plan, as a value: no memory text but where privacy allows its beginnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from mendory.finding import Finding

MOST_GROUPS: Final = 12
"""Groups that are shown, and can be picked, one by one; more are summed in one line."""
MOST_PAIRS: Final = 6
"""Pairs of what can't both hold that are shown with their sides, of each code."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A group of the plan of which something has no outcome yet; every number is of those steps alone.

    `whys` are the reasons of policy with how many steps have each; `runs` of them need nobody's word any more.
    """

    name: str
    kind: str
    level: int
    steps: int
    rows: int
    hides: int
    whys: tuple[tuple[str, int], ...]
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found that the plan answers: code, severity, findings, rows, and the detector's reason for one.

    `pairs` are the first findings of what can't both hold, each of which is shown with its sides and who decided.
    """

    code: str
    severity: str
    findings: int
    rows: int
    reason: str
    pairs: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer of the last round, which did not count: why, whose name stood on it, when it was given."""

    why: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """All that the page, the form and a notice say of an open plan.

    `groups` are all that wait, in the order they run. `rows`, `hides`, `rescoped` and `scopes` are what would be
    changed, leave recall and come under another scope if all of them ran: the worst case. `held` are reasons why
    limits would hold steps back although everything was approved at once. `named` may answer for level 2, `enrolled`
    with a one-time code for all levels. `excerpts` are ids with the beginnings of memories, where privacy allows them.
    """

    plan_id: str
    code: str
    table: str
    table_rows: int
    made_at: datetime
    expires_at: datetime
    zone: str
    groups: tuple[Waiting, ...]
    rows: int
    hides: int
    rescoped: int
    scopes: tuple[tuple[str | None, int], ...]
    held: tuple[tuple[str, int], ...]
    limits: tuple[int, int] | None
    undo_days: int
    severity: str
    evidence: tuple[Evidence, ...]
    causes: tuple[Mapping[str, Any], ...]
    named: tuple[str, ...]
    enrolled: tuple[str, ...]
    refused: Refused | None = None
    excerpts: tuple[tuple[str, str], ...] = ()
    report_url: str = ""

    @property
    def waits(self) -> bool:
        """True when something runs only by a person's word."""
        return any(g.whys for g in self.groups)

    @property
    def shown(self) -> tuple[Waiting, ...]:
        """At most twelve groups, in the order they run; of more those of the highest level that change most."""
        weighty = sorted(self.groups, key=lambda g: (-g.level, -g.hides, -g.rows))[:MOST_GROUPS]
        return tuple(g for g in self.groups if g in weighty)

    @property
    def only_people(self) -> tuple[str, ...]:
        """The groups of level 3 that wait."""
        return tuple(g.name for g in self.groups if g.level == 3)

    @property
    def undo(self) -> str:
        """The command that takes all of it back."""
        return f"mendory rollback {self.code}"
