"""An answer given on the server's page: whether it may stand, and which steps it covers. Decides on data alone.

Nothing that arrives from the page is believed: not who sent it, not when, not what it says it is about.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from mendory.catalogue import Level
from mendory.plan.model import Plan, Step

CODE_AGE: Final = timedelta(minutes=10)
"""How long after the answer its one-time code may still be looked at."""
CLOCK_SKEW: Final = timedelta(minutes=2)
"""How far the server's clock may be from the ledger's."""
MOST_NOTE: Final = 500
MOST_NAME: Final = 64
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TEMPLATE: Final = re.compile(r"\{\{|\}\}|\{%|%\}|\{#|#\}|__prefect_kind")
_CODE_LIKE: Final = re.compile(r"\d(?:[\s-]?\d){5,}")
_CODE: Final = re.compile(r"[0-9]{6}")


class Word(StrEnum):
    """What an answer may say."""

    APPROVE = "approve"
    PART = "part"
    REJECT = "reject"
    LATER = "later"


class CodeState(StrEnum):
    """What became of the one-time code of an answer."""

    NONE = "none"
    RIGHT = "right"
    WRONG = "wrong"
    USED = "used"


class Refusal(StrEnum):
    """Why an answer does not stand."""

    PLAN_ENDED = "plan_ended"
    UNKNOWN_VERDICT = "unknown_verdict"
    WRONG_PLAN = "wrong_plan"
    MADE_AGAIN = "made_again"
    CLOCK = "clock"
    ANONYMOUS = "anonymous"
    UNKNOWN_APPROVER = "unknown_approver"
    NOTE_UNFIT = "note_unfit"
    NOT_ENROLLED = "not_enrolled"
    TOO_LATE = "too_late"
    LOCKED = "locked"
    CODE_WRONG = "code_wrong"
    CODE_USED = "code_used"
    NO_GROUPS = "no_groups"
    NOT_ALL = "not_all"
    UNKNOWN_GROUP = "unknown_group"
    NOTHING_WAITS = "nothing_waits"
    CODE_NEEDED = "code_needed"
    ROWS_CHANGED = "rows_changed"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from one round of asking, as it was given.

    `round` is the name of the round, of `round_of`; `groups` are names or the labels that begin with them; `given_at`
    is the server's time of the answer, never that of the one who gave it.
    """

    round: str
    verdict: str
    groups: tuple[str, ...]
    by: str
    plan_code: str
    note: str
    one_time_code: str = field(repr=False)
    given_at: datetime


def round_of(plan: Plan, number: int, run: str = "") -> str:
    """The name of a round of asking: of this plan, as it was made at that time, and no other; asked by that run.

    Letters, digits and dashes, so that it can be the key under which the server keeps the answer. Each run has rounds
    of its own, or an answer to one would be taken for a repetition of another's.
    """
    asker = f"-{run.replace('-', '')[-12:]}" if run else ""
    return f"approval-{plan.code}-{(plan.made_at - _EPOCH) // timedelta(microseconds=1)}-{number}{asker}"


def is_of(name: str, plan: Plan) -> bool:
    """True for the name of a round of this plan as it was made then."""
    return name.startswith(round_of(plan, 0)[:-1])


def valid_name(name: str) -> bool:
    r"""True for 1 to 64 printable characters, composed, not blank at either end: nothing hides in a name.

    >>> valid_name("李伟"), valid_name("Ann O'Neil"), valid_name("ann\u202e"), valid_name(" ann"), valid_name("")
    (True, True, False, False, False)
    """
    return 0 < len(name) <= MOST_NAME and name.isprintable() and name == name.strip() == plain(name)


def plain(text: str) -> str:
    """The text composed, as names are compared."""
    return unicodedata.normalize("NFC", text)


def code_of(answer: Answer) -> str:
    """The one-time code as typed, without blanks and in plain digits; empty when none was given.

    >>> code_of(Answer("", "", (), "", "", "", "１２３ 456", _EPOCH))
    '123456'
    """
    return "".join(unicodedata.normalize("NFKC", answer.one_time_code).split())


def note_of(answer: Answer) -> str:
    """The note as one line."""
    return " ".join(answer.note.split())


def named(answer: Answer) -> tuple[str, ...]:
    """The names of the groups the answer names: of a label, what stands before its first blank."""
    return tuple(dict.fromkeys(words[0] for label in answer.groups if (words := label.split())))


def concealed(text: str) -> str:
    """The text without what may be a one-time code that somebody typed into the wrong field.

    >>> concealed("ann 123 456"), concealed("ann 12")
    ('ann ······', 'ann 12')
    """
    return _CODE_LIKE.sub("······", text)


def judge(
    answer: Answer,
    plan: Plan,
    waiting: Collection[str],
    approvers: Collection[str],
    enrolled: Collection[str],
    now: datetime,
    code: CodeState = CodeState.NONE,
    locked: bool = False,
) -> Refusal | None:
    """Why the answer does not stand; None when it does.

    `waiting` are the ids of the plan's steps without an outcome, `approvers` the names that the configuration lets
    answer up to level 2, `enrolled` those with one-time codes, `code` what became of the answer's, and `locked` whether
    too many codes of this approver were wrong. What a code could tell is told only to who names plan and approver.
    """
    return (
        about(answer, list(Word), plan.code, is_of(answer.round, plan), plan.made_at, now)
        or from_whom(answer, approvers, enrolled)
        or by_code(answer, enrolled, now, code, locked)
        or _for_what(answer, plan, waiting, code)
    )


def covered(answer: Answer, plan: Plan, waiting: Collection[str]) -> tuple[Step, ...]:
    """The waiting steps that an answer which stands decides on, in the plan's order; none for `later`."""
    if answer.verdict == Word.LATER:
        return ()
    groups = named(answer)
    whole = answer.verdict == Word.APPROVE or (answer.verdict == Word.REJECT and not groups)
    return tuple(s for g in plan.groups if whole or g.name in groups for s in g.steps if s.id in waiting)


def about(
    answer: Answer, words: Collection[str], code: str, mine: bool, since: datetime, now: datetime
) -> Refusal | None:
    """Why the answer is not about what there is; None when it is, and the clocks agree.

    It may say one of `words`, must name `code`, its round must be `mine`: of what there is since that time.
    """
    if answer.verdict not in words:
        return Refusal.UNKNOWN_VERDICT
    if unicodedata.normalize("NFKC", answer.plan_code).strip().lower() != code:
        return Refusal.WRONG_PLAN
    if not mine:
        return Refusal.MADE_AGAIN
    if answer.given_at > now + CLOCK_SKEW or answer.given_at < since - CLOCK_SKEW or now < since:
        return Refusal.CLOCK
    return None


def from_whom(answer: Answer, approvers: Collection[str], enrolled: Collection[str]) -> Refusal | None:
    """Why the name or the note on the answer cannot stand; None when both can."""
    if not answer.by.strip():
        return Refusal.ANONYMOUS
    if not valid_name(answer.by) or (answer.by not in approvers and answer.by not in enrolled):
        return Refusal.UNKNOWN_APPROVER
    note, code = note_of(answer), code_of(answer)
    hidden = bool(note) and not note.isprintable()
    told = _CODE.fullmatch(code) is not None and code in "".join(unicodedata.normalize("NFKC", note).split())
    if len(note) > MOST_NOTE or hidden or told or _TEMPLATE.search(note):
        return Refusal.NOTE_UNFIT
    return None


def by_code(answer: Answer, enrolled: Collection[str], now: datetime, code: CodeState, locked: bool) -> Refusal | None:
    """A code that was given must hold, also where none was needed: a wrong one is a sign that something is."""
    if code is CodeState.NONE:
        return None
    if answer.by not in enrolled:
        return Refusal.NOT_ENROLLED
    if now - answer.given_at > CODE_AGE:
        return Refusal.TOO_LATE
    if locked:
        return Refusal.LOCKED
    return {CodeState.WRONG: Refusal.CODE_WRONG, CodeState.USED: Refusal.CODE_USED}.get(code)


def _for_what(answer: Answer, plan: Plan, waiting: Collection[str], code: CodeState) -> Refusal | None:
    if answer.verdict == Word.LATER:
        return None
    groups = named(answer)
    if set(groups) - {g.name for g in plan.groups}:
        return Refusal.UNKNOWN_GROUP
    if answer.verdict == Word.PART and not groups:
        return Refusal.NO_GROUPS
    steps = covered(answer, plan, waiting)
    if not steps:
        return Refusal.NOTHING_WAITS
    if (
        answer.verdict == Word.APPROVE
        and groups
        and {g.name for g in plan.groups if _waits(g.steps, waiting)} - set(groups)
    ):
        return Refusal.NOT_ALL  # somebody who ticks some and approves means those, and approves all
    a_persons = any(s.level is Level.PERSON for s in steps)
    if answer.verdict != Word.REJECT and a_persons and code is CodeState.NONE:
        return Refusal.CODE_NEEDED
    return None


def _waits(steps: Collection[Step], waiting: Collection[str]) -> bool:
    return any(s.id in waiting for s in steps)
