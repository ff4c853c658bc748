"""Automation by evidence: what may run without a person, by what people said of it and by what came of it.

Pure. A subject is a rule of `rules.confirmed`, or a kind of step where no rule confirms such steps. Bounds are Wilson's
at 95 %.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from mendory.catalogue import AUTOMATIC_KINDS, RULES
from mendory.thresholds.found import Rate

AGREED: Final = 0.80
"""A proposal to widen wants the lower bound of people's agreement there: sixteen plans with no word against it. One
word on a group of three hundred is one word, so plans are counted and not steps."""
REGRETTED: Final = 0.05
"""And the upper bound of what was taken back or came back there: 73 repairs with none of it. It is the error that a
calibrated threshold is usually allowed (`calibrate --precision 0.95`). Above it for sure, a rule is narrowed."""
LATEST: Final = 73
"""A rise is looked for in so many of the latest repairs: as many as a widening needs, so that a long good past hides
nothing."""
RISE: Final = 3
"""Fewer than so many are single cases; as with attempts, the third is one too many."""
SETTLED: Final = timedelta(days=7)
"""A repair counts as good when its problem has not come back after so long (design §12)."""
NEVER: Final = ("deletion", "bulk re-embedding", "changes of scope", "undecided conflicts")
"""What no evidence widens: no rule is of such a step (`catalogue.NEVER_CONFIRMED`), and none deletes or embeds."""


class Runs(StrEnum):
    """Whether what a subject names runs without a person."""

    ITSELF = "by_itself"
    ASKS = "asks"
    STOPPED = "stopped"
    ENDED = "ended"


class Advice(StrEnum):
    """What the evidence speaks for; a person applies it."""

    WIDEN = "widen"
    NARROW = "narrow"


@dataclass(frozen=True, slots=True)
class Repair:
    """A step that was applied: whether without a person, taken back or found not to hold, its problem found again.

    `seq` is its place in the ledger's chain.
    """

    subject: str
    seq: int
    at: datetime
    by_itself: bool
    taken_back: bool
    came_back: bool


@dataclass(frozen=True, slots=True)
class Vote:
    """What people said in one plan of the subject's steps: both may be true."""

    subject: str
    seq: int
    approved: bool
    rejected: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A person's word on a subject, at its place in the ledger's chain: it may run by itself, or may not."""

    widens: bool
    by: str
    at: datetime
    because: str
    seq: int


@dataclass(frozen=True, slots=True)
class Record:
    """What the ledger knows of a subject since the last word on it.

    `settled` are the repairs old enough to count as good, and those known to be bad; `latest` are the latest that ran
    without a person, `risen` those of them that were taken back or did not verify.
    """

    approved: int = 0
    rejected: int = 0
    repairs: int = 0
    settled: int = 0
    taken_back: int = 0
    came_back: int = 0
    bad: int = 0
    latest: int = 0
    risen: int = 0

    @property
    def agreed(self) -> Rate:
        """The share of plans in which people approved it."""
        return Rate(self.approved, self.approved + self.rejected)

    @property
    def regretted(self) -> Rate:
        """The share of settled repairs that were taken back, or whose problem came back."""
        return Rate(self.bad, self.settled)

    @property
    def rise(self) -> bool:
        """True when so many of the latest were taken back that the share is above `REGRETTED` for sure."""
        return self.risen >= RISE and Rate(self.risen, self.latest).interval[0] > REGRETTED


@dataclass(frozen=True, slots=True)
class Standing:
    """A subject: whether it runs by itself, by whose word, on what record, and what that speaks for."""

    subject: str
    configured: bool
    change: Change | None
    record: Record

    @property
    def runs(self) -> Runs:
        """Whether it runs without a person: by the newest word on it, else the configuration, unless it stopped."""
        if self.change is not None and not self.change.widens:
            return Runs.ENDED
        if not may_run(self.subject) or not (self.configured or self.change is not None):
            return Runs.ASKS
        return Runs.STOPPED if self.record.rise else Runs.ITSELF

    @property
    def advice(self) -> Advice | None:
        """What the evidence speaks for; None where it does not suffice. Nothing widens that no rule confirms."""
        record = self.record
        if self.runs in (Runs.ASKS, Runs.ENDED):
            widen = record.agreed.interval[0] >= AGREED and record.regretted.interval[1] <= REGRETTED
            return Advice.WIDEN if widen and may_widen(self.subject) else None
        if self.runs is Runs.STOPPED:
            return None
        refused = record.rejected >= RISE and record.agreed.interval[1] < AGREED
        regretted = record.bad >= RISE and record.regretted.interval[0] > REGRETTED
        return Advice.NARROW if refused or regretted else None


def subject_of(kind: str, rule: str | None) -> str:
    """What a step of that kind and rule is filed under."""
    return rule or kind


def may_widen(subject: str) -> bool:
    """True for a rule that may be confirmed: deletion, bulk re-embedding, scopes and undecided conflicts have none."""
    return subject in RULES


def may_run(subject: str) -> bool:
    """True for what can run without a person at all: a rule that may be confirmed, or a kind of level 1."""
    return may_widen(subject) or subject in AUTOMATIC_KINDS


def record_of(subject: str, repairs: Iterable[Repair], votes: Iterable[Vote], since: int, now: datetime) -> Record:
    """The subject's record from what came after link `since` of the chain."""
    mine = sorted((r for r in repairs if r.subject == subject and r.seq > since), key=lambda r: r.seq)
    said = [v for v in votes if v.subject == subject and v.seq > since]
    bad = [r for r in mine if r.taken_back or r.came_back]
    good = sum(1 for r in mine if r.at + SETTLED <= now and not (r.taken_back or r.came_back))
    latest = [r for r in mine if r.by_itself][-LATEST:]
    return Record(
        approved=sum(v.approved for v in said),
        rejected=sum(v.rejected for v in said),
        repairs=len(mine),
        settled=good + len(bad),
        taken_back=sum(r.taken_back for r in mine),
        came_back=sum(r.came_back for r in mine),
        bad=len(bad),
        latest=len(latest),
        risen=sum(r.taken_back for r in latest),
    )


def standings(
    configured: Collection[str],
    changes: Mapping[str, Change],
    repairs: Collection[Repair],
    votes: Collection[Vote],
    now: datetime,
) -> dict[str, Standing]:
    """Subject → its standing: for all that may run without a person, and whatever else the ledger knows of."""
    subjects = {*RULES, *AUTOMATIC_KINDS, *(r.subject for r in repairs), *(v.subject for v in votes)}
    made = {}
    for subject in sorted(subjects):
        change = changes.get(subject)
        record = record_of(subject, repairs, votes, change.seq if change else 0, now)
        made[subject] = Standing(subject, subject in configured or subject in AUTOMATIC_KINDS, change, record)
    return made


def confirmed(stands: Mapping[str, Standing]) -> frozenset[str]:
    """The rules that may let a step run, by the configuration or by a person's word."""
    return frozenset(name for name, s in stands.items() if name in RULES and s.runs is Runs.ITSELF)


def halted(stands: Mapping[str, Standing]) -> dict[str, str]:
    """Subject → why what the configuration lets run does not run without a person."""
    stopped = {}
    for name, s in stands.items():
        if s.runs is Runs.ENDED:
            stopped[name] = f"{name} does not run by itself any more: a person ended that; a person may approve it"
        elif s.runs is Runs.STOPPED:
            stopped[name] = (
                f"{name} stopped running by itself: {s.record.risen} of its last {s.record.latest} repairs were "
                "taken back or did not verify; a person may approve it"
            )
    return stopped
