"""What a person may answer to a finding that waits for them, and what an answer must name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from mendory.errors import InputInvalid
from mendory.finding import Code, Finding


class Choice(StrEnum):
    """One row stays, all stay, they become one, or it is asked again later."""

    KEEP = "keep"
    BOTH = "both"
    MERGE = "merge"
    LATER = "later"


COMPARED: Final = frozenset(
    {
        Code.CONFLICT,
        Code.CONFLICT_CANDIDATE,
        Code.CONFLICT_BURIED,
        Code.CONFLICT_EXCEPTION,
        Code.DUPLICATE_EXACT,
        Code.DUPLICATE_NEAR,
        Code.DUPLICATE_RESTATED,
        Code.RECALL_ECHO,
    }
)
"""Codes of findings that set rows side by side, so that a person can say which of them stays."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A choice with the row it keeps, or the time until which nobody is asked again."""

    choice: Choice
    keep: str | None = None
    until: datetime | None = None

    @property
    def decides(self) -> bool:
        """True when nothing is left to answer."""
        return self.choice is not Choice.LATER


def choices(finding: Finding) -> tuple[Choice, ...]:
    """What may be answered: everything where rows stand side by side, else only that it is asked again later."""
    return tuple(Choice) if finding.code in COMPARED and len(finding.ids) > 1 else (Choice.LATER,)


def check_answer(finding: Finding, answer: Answer, now: datetime) -> None:
    """Return when the answer fits the finding; else raise InputInvalid saying what would."""
    what = finding.id[:8]
    if answer.choice not in choices(finding):
        raise InputInvalid(
            f"Finding {what} ({finding.code.value}) is about no rows of which one could stay for another. Nothing was "
            f"recorded. Put it off (--later), or dismiss it: mendory dismiss {what} --as NAME."
        )
    if answer.choice is Choice.KEEP and answer.keep not in finding.ids:
        raise InputInvalid(
            f"Finding {what} is not about '{answer.keep}'. Nothing was recorded. Its rows: {', '.join(finding.ids)}."
        )
    if answer.choice is Choice.LATER and (answer.until is None or answer.until <= now):
        raise InputInvalid("The time until which to wait is over. Nothing was recorded. Name one to come: --until.")
