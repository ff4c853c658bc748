"""What the rules of a conflict go by, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from mendory.catalogue import CAREFUL
from mendory.claims.attributes import Singles
from mendory.scopes import Ancestors, without_parents

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Abstention(StrEnum):
    """Why a rule does not decide."""

    NONE_NARROWER = "none_narrower"
    OTHER_SCOPE = "other_scope"
    USER_AGAINST_AUTHORITY = "user_against_authority"
    NO_TIME = "no_time"
    AHEAD_OF_CLOCK = "ahead_of_clock"
    SAME_TIME = "same_time"
    CHANGED_SINCE = "changed_since"
    CONFIRMED_SINCE = "confirmed_since"
    ONE_BATCH = "one_batch"
    UNKNOWN_SOURCE = "unknown_source"
    LESS_SURE = "less_sure"
    EQUALLY_SURE = "equally_sure"
    NOT_THE_USER = "not_the_user"
    NO_AUTHORITY = "no_authority"
    BOTH_AUTHORITIES = "both_authorities"


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """The owner's wishes: which rules in which order, and what they go by (design §7).

    Times that differ by no more than `tie_window` are one; `authorities` are the sources that stand over anything
    extracted. `ancestors` tells what a scope lies in, `now` the time, without which nothing is ahead of the clock.
    `singles` are attributes that hold one value at a time beside those that are declared so.
    """

    rules: tuple[str, ...] = CAREFUL
    tie_window: timedelta = timedelta(minutes=5)
    authorities: tuple[str, ...] = ("config", "manual")
    ancestors: Ancestors = without_parents
    now: datetime | None = None
    singles: Singles = frozenset()


@dataclass(frozen=True, slots=True)
class Ruling:
    """What became of a pair: the rule that decided, who stays and who goes, or that both stay; or nothing.

    `specific` is, where both stay, the one that holds in the narrower scope or scene. `abstained` names for each rule
    asked before why it did not decide (`Abstention`), `difference` what the deciding one went by: `seconds` between
    them, their `sources` (of who stays, of who goes), or `in` which of scope and scene one is narrower.
    """

    rule: str | None = None
    keep: str | None = None
    lose: str | None = None
    both: bool = False
    specific: str | None = None
    abstained: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    difference: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def evidence(self) -> dict[str, Any]:
        """It as part of a finding's evidence: names, ids and numbers."""
        return {
            "rule": self.rule,
            "keep": self.keep,
            "lose": self.lose,
            "abstained": dict(self.abstained),
            "difference": dict(self.difference),
        }
