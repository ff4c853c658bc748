"""An answer about a move given on the server's page: whether it may stand. Decides on data alone."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from mendory.asking.answer import Answer, CodeState, Refusal, Word, about, by_code, from_whom, named

WORDS: Final = (Word.APPROVE, Word.REJECT, Word.LATER)
"""What an answer about a move may say; it has no parts."""
BEGINS: Final = "move-"
"""How the names of its rounds begin: no round of a plan does."""


def code_of_gate(digest: str) -> str:
    """What people call the gate, and type to say that they mean it."""
    return digest[:8]


def move_round(move_id: str, gate: str, number: int, run: str = "") -> str:
    """The name of a round of asking about a move, on the gate of that digest and on no other; asked by that run.

    Letters, digits and dashes, so that it can be the key under which the server keeps the answer.
    """
    asker = f"-{run.replace('-', '')[-12:]}" if run else ""
    return f"{BEGINS}{move_id[:8]}-{code_of_gate(gate)}-{number}{asker}"


def is_of_gate(name: str, move_id: str, gate: str) -> bool:
    """True for the name of a round about this move on this gate."""
    return name.startswith(move_round(move_id, gate, 0)[:-1])


def judge_move(
    answer: Answer,
    move_id: str,
    gate: str,
    since: datetime,
    approvers: Collection[str],
    enrolled: Collection[str],
    now: datetime,
    code: CodeState,
    locked: bool,
    too_far: bool,
) -> Refusal | None:
    """Why the answer does not stand; None when it does.

    `gate` is the digest of the gate that stands, recorded at `since`; `too_far`: more of the table changed than may.
    Approving is of level 3: only an enrolled approver with a code may. The rest is as `answer.judge` has it.
    """
    return (
        about(answer, WORDS, code_of_gate(gate), is_of_gate(answer.round, move_id, gate), since, now)
        or from_whom(answer, approvers, enrolled)
        or by_code(answer, enrolled, now, code, locked)
        or _for_what(answer, code, too_far)
    )


def _for_what(answer: Answer, code: CodeState, too_far: bool) -> Refusal | None:
    if named(answer):
        return Refusal.UNKNOWN_GROUP
    if answer.verdict != Word.APPROVE:
        return None
    if too_far:
        return Refusal.ROWS_CHANGED
    return Refusal.CODE_NEEDED if code is CodeState.NONE else None
