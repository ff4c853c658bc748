"""The gate of a move on record, and a person's word on it: examined, approved, rejected, answered on the page.

A word is bound to the digest of the gate it was given on, and counts no more once too much of the table has changed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mendory.asking.answer import MOST_NOTE, Answer, Refusal, Word, note_of
from mendory.asking.move_answer import BEGINS, WORDS, code_of_gate, judge_move
from mendory.asking.move_asked import worst_texts
from mendory.asking.move_held import (
    MovedOn,
    approval,
    gate_passed,
    held_gate,
    moved_on,
    newest_gate,
    still_stands,
    too_far,
)
from mendory.clinic import Clinic
from mendory.deciding import Answered, check_name, sender
from mendory.embedding import Embedder
from mendory.errors import InputInvalid, MigrationRefused, SpaceUnknown
from mendory.gating import gate
from mendory.ledger import Ledger
from mendory.ledger.answers import STANDS
from mendory.ledger.move_answers import MoveAnswer
from mendory.ledger.moves import Move
from mendory.migrating import embedder_of, fill, space_of, under_way
from mendory.migration.gate import Gate
from mendory.migration.kept import gate_of
from mendory.migration.stages import Stage, require
from mendory.migration.void import Void
from mendory.migration.words import VOIDS
from mendory.preparing import prepare
from mendory.spaces import Space
from mendory.text import shown

__all__ = [
    "MovedOn",
    "answer",
    "approval",
    "approve",
    "examine_move",
    "held_gate",
    "moved_on",
    "newest_gate",
    "reject",
    "still_stands",
    "worst_texts",
]
_OURS: Final = "mendory"
"""Who examined, where nobody says a name."""
_SHORTEST: Final = 8
"""Characters of a gate's digest that must be typed."""


def examine_move(
    clinic: Clinic,
    seed: int,
    judged: Path | None = None,
    by: str = _OURS,
    monotonic: Callable[[], float] = time.monotonic,
) -> tuple[Move, Gate]:
    """The gate of the move under way is on record, whatever it says; returns both.

    What others wrote is filled first, and the new column has an index like the old one's.

    One that passed is what the move waits on from now on: it is in the stage gating, and a word on an earlier gate
    counts no more. One that refused sends it back to filling. Raises MigrationRefused where no move is under way, or
    its canary has begun; and what the models raise, with nothing recorded.
    """
    check_name(by)
    ledger = clinic.ledger
    move = under_way(ledger)
    _may_be_examined(move)
    old, new = (space_of(ledger, one) for one in (move.old, move.new))
    models = [_old_model(clinic, old), embedder_of(clinic, new)]
    filled = fill(clinic, monotonic)
    prepare(clinic)  # else recalls by the old column's index are timed against a look at every row
    found, _ = gate(clinic, (old, models[0]), (new, models[1]), seed, judged, monotonic, filled.late)
    return ledger.once(lambda within: _recorded(within, move.id, found, by)), found


def _old_model(clinic: Clinic, old: Space) -> Embedder:
    """What makes the vectors of the old space. Raises SpaceUnknown with the way out where it has become another."""
    try:
        return embedder_of(clinic, old)
    except SpaceUnknown as gone:
        raise SpaceUnknown(
            f"The model of the old space '{old.name}' makes other vectors than the table's, so the new space can be "
            "compared with nothing. No gate was examined; recalls stay refused. Bring the old model back; where it is "
            "gone, see docs/migration.md, 'When nobody makes the old vectors any more'."
        ) from gone


def _may_be_examined(move: Move) -> None:
    if move.stage is Stage.CANARY:
        raise MigrationRefused(
            f"The canary of move {move.id[:8]} runs, on a gate that was approved. Nothing was examined. Wait for it, "
            "or go back: mendory migrate rollback --as NAME."
        )
    if move.stage is not Stage.GATING:
        require(move.stage, Stage.GATING)


def _recorded(ledger: Ledger, ident: str, found: Gate, by: str) -> Move:
    move, told = _one(ledger, ident), {"gate": found.as_json()}
    _may_be_examined(move)
    if move.stage is Stage.GATING:
        move = ledger.moves.note(ident, by, told)
    else:
        move = ledger.moves.to(ident, Stage.GATING, by, told)
    if not found.passed:
        move = ledger.moves.to(ident, Stage.FILLING, by, {"refused": list(found.reasons), "by_gate": found.digest})
    return move


def approve(clinic: Clinic, code: str, by: str, note: str = "") -> Move:
    """A person's word stands in the ledger: the move is approved, on the gate of that code and on no other.

    Raises MigrationRefused, with nothing recorded, where no move waits for it, no gate stands, the code is another's,
    or more of the table has changed since than `migration.void_share`.
    """
    check_name(by)
    note = " ".join(note.split())
    if len(note) > MOST_NOTE or (note and not note.isprintable()):
        raise InputInvalid(f"The note is no plain line of {MOST_NOTE} characters. Nothing was recorded. Shorten it.")
    moved = moved_on(clinic, under_way(clinic.ledger))
    why = too_far(clinic, moved)

    def work(ledger: Ledger) -> Move:
        ledger.verify()
        move = under_way(ledger)
        require(move.stage, Stage.APPROVED)
        named = _named(move, code)
        if why is not None:
            raise MigrationRefused(_void(why, moved, clinic))
        return _approved(ledger, move, named, by, note)

    return clinic.ledger.once(work)


def reject(clinic: Clinic, code: str, by: str, because: str) -> Move:
    """The gate of that code stands no more: the move waits in the stage gating for another one, or for its way back.

    Raises MigrationRefused, with nothing recorded, where no move waits for a word or the code is another gate's.
    """
    check_name(by)

    def work(ledger: Ledger) -> Move:
        move = under_way(ledger)
        require(move.stage, Stage.APPROVED)
        return ledger.moves.note(move.id, by, {"rejected": _named(move, code).digest, "because": because})

    return clinic.ledger.once(work)


def answer(clinic: Clinic, move_id: str, given: Answer) -> Answered:
    """The answer of this round is recorded, once, and what it decides stands in the ledger.

    A refused answer changes nothing but its own record, and the code it held is taken all the same. Raises
    LedgerCorrupt, with nothing recorded, when somebody wrote the ledger who is not Mendory; InputInvalid for a round
    that is none of a move.
    """
    if not given.round.startswith(BEGINS):
        raise InputInvalid(f"'{shown(given.round)}' is no round about a move. Nothing was recorded. Ask again.")
    move = _one(clinic.ledger, move_id)
    far = move.stage is Stage.GATING and too_far(clinic, moved_on(clinic, move)) is not None
    return clinic.ledger.once(lambda ledger: _answer(clinic, ledger, move_id, given, far))


def _answer(clinic: Clinic, ledger: Ledger, move_id: str, given: Answer, far: bool) -> Answered:
    ledger.verify()
    before = ledger.move_answers.get(given.round)
    if before is not None:
        refused = None if before.stands else Refusal(before.outcome)
        return Answered(before.stands, before.verdict, refused, (), replayed=True)
    move, now = _one(ledger, move_id), ledger.clock()
    who = sender(ledger, clinic.config.approval, given, now)
    stood = gate_passed(move) if move.stage is Stage.GATING else None
    held = None if stood is None else gate_of(stood.told["gate"])
    why: Refusal | None = Refusal.PLAN_ENDED
    if stood is not None and held is not None:
        locked = who.until is not None
        why = judge_move(
            given, move_id, held.digest, stood.at, who.known, who.enrolled, now, who.code, locked, too_far=far
        )
        if why is None:
            _decided(ledger, move, held, given)
    ledger.move_answers.record(
        MoveAnswer(
            given.round,
            move_id,
            held.digest if held else None,
            given.verdict if given.verdict in WORDS else "unknown",
            who.name,
            why.value if why else STANDS,
            "" if why else note_of(given),
            given.given_at,
            now,
        ),
        who.used,
    )
    return Answered(why is None, given.verdict, why, (), False, who.until if why is Refusal.LOCKED else None)


def _decided(ledger: Ledger, move: Move, held: Gate, given: Answer) -> None:
    if given.verdict == Word.APPROVE:
        _approved(ledger, move, held, given.by, note_of(given), given.round)
    elif given.verdict == Word.REJECT:
        told = {"rejected": held.digest, "because": note_of(given), "round": given.round}
        ledger.moves.note(move.id, given.by, told)


def _approved(ledger: Ledger, move: Move, held: Gate, by: str, note: str, name: str | None = None) -> Move:
    told = {"gate": held.digest, "version": held.version, "note": note, **({"round": name} if name else {})}
    return ledger.moves.to(move.id, Stage.APPROVED, by, told)


def _named(move: Move, code: str) -> Gate:
    """The gate that stands, when it has that code; raises MigrationRefused otherwise."""
    held = held_gate(move)
    if held is None:
        raise MigrationRefused(f"{VOIDS[Void.NO_GATE][0]}. Nothing was recorded. Run: mendory migrate gate.")
    found, said = gate_of(held), code.strip().lower()
    if len(said) < _SHORTEST or not found.digest.startswith(said):
        raise MigrationRefused(
            f"The gate that stands is {code_of_gate(found.digest)}, and '{shown(code)}' names another. Nothing was "
            "recorded. Read it again: mendory migrate status."
        )
    return found


def _void(why: Void, moved: MovedOn, clinic: Clinic) -> str:
    counted = f" ({moved.rows_changed:,} of {moved.rows:,} rows)" if moved.known else ""
    return (
        f"{VOIDS[why][0]}{counted}, more than migration.void_share = {clinic.config.migration.void_share:g} allows. "
        "Nothing was recorded. Fill what waits and examine it again: mendory migrate start, then mendory migrate gate."
    )


def _one(ledger: Ledger, ident: str) -> Move:
    move = next((one for one in ledger.moves.all() if one.id == ident), None)
    if move is None:
        raise MigrationRefused(f"There is no move {shown(ident[:8])}. Nothing was done. See 'mendory migrate status'.")
    return move
