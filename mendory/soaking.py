"""The daily look at a new space while it soaks: do queries still find their memories, are vectors still its own.

The old space is filled meanwhile, so that the way back loses nothing.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np

from mendory.clinic import Clinic
from mendory.embedding import Embedder
from mendory.gated import newest_gate
from mendory.gating import Timed, items_of
from mendory.ledger import Ledger
from mendory.ledger.moves import Move, Passed
from mendory.looks import last_look
from mendory.migrating import Models, embedder_of, fill, space_of, under_way
from mendory.migration.gate import QUERIES, asked
from mendory.migration.quality import MARGIN, changed, scored
from mendory.migration.queries import known_items
from mendory.migration.stages import Stage
from mendory.spaces import draw, rows_for, witness

EVERY: Final = timedelta(days=1)
"""How often it is looked: the gate's known-item part once a day (docs/migration.md)."""
EARLY: Final = timedelta(hours=1)
"""By so much a look may come early: a schedule is not exact."""
EMBEDDED: Final = rows_for(0.05)
"""Rows embedded again at a look: they show damage to a twentieth of the table at 95 %."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look saw; `queries` is 0 where none was due, or the table gave too few to say anything.

    `found` is the share of queries whose memory is among the first ten, `upper` the bound it is below at 95 %, `gate`
    the same share at the gate. `agreed` of `embedded` rows embed again to what they hold. `filled` rows had waited for
    a vector. `alarm` says why a person should look, empty where nothing is wrong.
    """

    move: Move
    due: bool
    filled: int = 0
    queries: int = 0
    found: float = 0.0
    upper: float = 1.0
    gate: float = 0.0
    embedded: int = 0
    agreed: int = 0
    alarm: str = ""

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values: numbers, no text."""
        return {
            "move": self.move.id,
            "stage": self.move.stage.value,
            "due": self.due,
            "filled": self.filled,
            "queries": self.queries,
            "found": round(self.found, 4),
            "upper": round(self.upper, 4),
            "at_gate": round(self.gate, 4),
            "embedded": self.embedded,
            "agreed": self.agreed,
            "alarm": self.alarm,
        }


def look(clinic: Clinic, by: str, models: Models = embedder_of) -> Looked:
    """Rows that wait in either space have their vectors; once a day it is on record how the new space does.

    As many known-item queries as a gate needs are asked of it, and 59 rows embedded again. An alarm is raised where the
    share found among ten is certainly more than .02 below the gate's (upper 95 % bound), or a row embeds to something
    else. In any other stage nothing is done. Raises what the models raise, and MigrationRefused where no move is under
    way.
    """
    move = under_way(clinic.ledger)
    if move.stage is not Stage.SOAKING:
        return Looked(move, due=False)
    filled = fill(clinic, models=models).rows
    if not due(move, clinic.clock()):
        return Looked(move, due=False, filled=filled)
    seen = replace(_looked(clinic, move, models(clinic, space_of(clinic.ledger, move.new))), filled=filled)

    def noted(ledger: Ledger) -> Move:
        now = under_way(ledger)
        return ledger.moves.note(move.id, by, _told(seen)) if len(now.passed) == len(move.passed) else now

    return replace(seen, move=clinic.ledger.once(noted))


def due(move: Move, now: datetime) -> bool:
    """True where a soaking move was not looked at for a day."""
    last: Passed | None = last_look(move) or move.last(Stage.SOAKING)
    return last is not None and now - last.at >= EVERY - EARLY


def _looked(clinic: Clinic, move: Move, model: Embedder) -> Looked:
    reader = clinic.reader
    reader.refresh()
    seed = random.Random(f"{move.id}/{clinic.clock().date()}").getrandbits(32)  # noqa: S311  # a sample, not a secret
    most = clinic.most_chars(space_of(clinic.ledger, move.new))
    queries = known_items(list(items_of(reader)), random.Random(seed), QUERIES, most).queries  # noqa: S311
    scores = scored(queries, asked(queries, model, Timed(clinic, reader, time.monotonic)))
    gate = _at_the_gate(move)
    change = changed(np.full(len(queries), gate), scores.recall, [query.of for query in queries])
    again = witness(model, draw(reader, seed, EMBEDDED, most))
    alarm = ""
    if again.rows and not again.whole:
        alarm = "vectors_differ"
    elif change.upper < -MARGIN:
        alarm = "found_less"
    return Looked(move, True, 0, len(queries), change.new, gate + change.upper, gate, again.rows, again.agreed, alarm)


def _at_the_gate(move: Move) -> float:
    """The share of known-item queries whose memory the new space had among its first ten at the gate."""
    gate = newest_gate(move)
    assert gate is not None, "no move soaks without one"
    part = next(one for one in gate["parts"] if one["part"] == "self_retrieval")
    return float(part["numbers"]["among_ten"]["new"])


def _told(seen: Looked) -> dict[str, Any]:
    held = seen.as_json()
    return {
        name: held[name] for name in ("queries", "found", "upper", "at_gate", "embedded", "agreed", "filled", "alarm")
    }
