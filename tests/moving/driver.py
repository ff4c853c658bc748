"""The driver: one act after the other, each killed at random times and begun again, the ledger verified after each."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from mendory.ledger import Ledger
from mendory.ledger.moves import Move
from mendory.migration.stages import FOLLOWS, Stage
from tests.moving.programs import Program

ONCE = (Stage.REGISTERED, Stage.SWITCHED, Stage.SOAKING, Stage.ROLLED_BACK)
"""Stages that a move passes once at most, however often the act that leads there dies and is begun again."""


@dataclass
class Driver:
    """Acts on one folder; `kills` counts those that died by our hand, by verb."""

    folder: Path
    url: str
    rng: random.Random
    kills: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    _took: dict[str, float] = field(default_factory=dict)

    def act(self, verb: str) -> dict[str, Any]:
        """What the act says, undisturbed."""
        program = Program(self.folder, "tests.moving.act", verb, self.folder)
        program.await_ready()
        began = time.monotonic()
        told = program.result()
        self._took[verb] = time.monotonic() - began
        self.verify()
        return told

    def killed(self, verb: str, times: int, guess: float, over: Stage | None = None) -> None:
        """The act was begun and killed so often; one that ended before counts as none, and none follows stage `over`.

        `guess` is about what it takes, in seconds.
        """
        for _ in range(times):
            if over is not None and self.move().stage is over:
                return
            program = Program(self.folder, "tests.moving.act", verb, self.folder)
            program.await_ready()
            if program.kill(self.rng.uniform(0, self._took.get(verb, guess))):
                self.kills[verb] = self.kills.get(verb, 0) + 1
            else:
                self._took[verb] = self._took.get(verb, guess) * 0.6
            self.verify()

    def verify(self) -> None:
        """What is wrong with the ledger is on record: its chain, two moves, a stage out of order or passed twice."""
        if not Ledger.exists(self.url):
            self.wrong.append("the ledger is gone")
            return
        ledger = Ledger.open(self.url)
        try:
            ledger.verify()
            self.wrong += out_of_order(ledger.moves.all())
        except Exception as error:  # noqa: BLE001 - the verdict tells it
            self.wrong.append(f"{type(error).__name__}: {error}"[:200])
        finally:
            ledger.close()

    def move(self) -> Move:
        """The move, as the ledger has it."""
        ledger = Ledger.open(self.url)
        try:
            return ledger.moves.all()[-1]
        finally:
            ledger.close()


def out_of_order(moves: tuple[Move, ...]) -> list[str]:
    """What can't be of one move that was begun once."""
    wrong = [f"{len(moves)} moves were begun"] if len(moves) > 1 else []
    for move in moves:
        stages = [passed.stage for passed in move.passed]
        pairs = [(one, other) for one, other in pairwise(stages) if one is not other]
        wrong += [f"{one.value} → {other.value}" for one, other in pairs if other not in FOLLOWS[one]]
        entered = [stages[0], *(other for _, other in pairs)]
        wrong += [f"{stage.value} {entered.count(stage)} times" for stage in ONCE if entered.count(stage) > 1]
    return wrong
