"""How far a move to another model is, as its ledger, its table and the file of its pace tell now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final

from mendory import pacing
from mendory.asking.move_answer import code_of_gate
from mendory.canarying import share_of
from mendory.clinic import Clinic
from mendory.filling import waiting
from mendory.gated import held_gate
from mendory.ledger.moves import Move
from mendory.looks import alarm_of
from mendory.migrating import pace_file, space_of
from mendory.migration.gate import Gate
from mendory.migration.kept import gate_of
from mendory.migration.stages import BOTH, SEARCHED, Stage
from mendory.retiring import left_to_soak

_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
JUDGED: Final = frozenset({Stage.GATING, Stage.APPROVED, Stage.CANARY})
"""The stages in which what the gate said is still to be looked at."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A move as it is now. `searched` names the model that recalls go to, `beside` the one that is kept beside it.

    `waiting` rows have no vector of the space beside for the text they have; `left_out` can't have one, by reason.
    `rate` is rows a second and `left` how long the rest takes at it; None where nobody is filling. `gate` is the one
    that stands; `share` what the canary answers from the new space; `soak` how long until it may be retired, where it
    soaks, and `alarm` which one the last look at it raised, empty where it raised none.
    """

    move: Move
    old: str
    new: str
    rows: int
    waiting: int = 0
    left_out: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    rate: float | None = None
    left: timedelta | None = None
    gate: Gate | None = None
    share: float | None = None
    soak: timedelta | None = None
    alarm: str = ""

    @property
    def code(self) -> str | None:
        """What is typed to mean the gate that stands."""
        return None if self.gate is None else code_of_gate(self.gate.digest)

    @property
    def searched(self) -> str:
        """The model whose space recalls search."""
        return self.new if self.move.stage in SEARCHED else self.old

    def as_json(self) -> dict[str, Any]:
        """The standing as `mendory migrate status --json` prints it."""
        return {
            **move_json(self.move),
            "old_model": self.old,
            "new_model": self.new,
            "searched_model": self.searched,
            "rows": self.rows,
            "waiting": self.waiting,
            "left_out": dict(self.left_out),
            "rows_per_second": None if self.rate is None else round(self.rate, 1),
            "seconds_left": None if self.left is None else round(self.left.total_seconds()),
            "gate": None if self.gate is None else {"code": self.code, **self.gate.as_json()},
            "canary_share": self.share,
            "soak_seconds_left": None if self.soak is None else max(0, round(self.soak.total_seconds())),
            "alarm": self.alarm,
        }


def standing(clinic: Clinic, move: Move) -> Standing:
    """The move as it is; reads which rows wait, and writes nothing but what is derived of them."""
    ledger = clinic.ledger
    old, new = (space_of(ledger, ident).name for ident in (move.old, move.new))
    clinic.reader.refresh()
    held = Standing(move, old, new, clinic.reader.count())
    if move.stage not in BOTH:
        return held
    filled = space_of(ledger, move.old if move.stage in SEARCHED else move.new)
    waits = waiting(clinic.beside, clinic.side_state_beside, clinic.most_chars(filled))
    pace, now = pacing.read(pace_file(clinic)), clinic.clock()
    gate, soaks, raised = held_gate(move), move.stage is Stage.SOAKING, alarm_of(move)
    return replace(
        held,
        waiting=len(waits.ids),
        left_out=waits.left_out,
        rate=pace.rate(now),
        left=pace.left(len(waits.ids), now) if waits.ids else None,
        gate=gate_of(gate) if gate and move.stage in JUDGED else None,
        share=share_of(move)[0] if move.stage is Stage.CANARY else None,
        soak=left_to_soak(clinic, move) if soaks else None,
        alarm=raised.name if soaks and raised else "",
    )


def move_json(move: Move) -> dict[str, Any]:
    """The move with every stage it passed, as plain values."""
    return {
        "move": move.id,
        "stage": move.stage.value,
        "column": move.column,
        "passed": [
            {"stage": one.stage.value, "by": one.by, "at": one.at.isoformat(), "told": _brief(one.told)}
            for one in move.passed
        ],
    }


def _brief(told: Mapping[str, Any]) -> dict[str, Any]:
    """What was known then, without the whole of a gate: that is what `mendory migrate gate --json` prints."""
    return {key: value for key, value in told.items() if not isinstance(value, list | dict)}
