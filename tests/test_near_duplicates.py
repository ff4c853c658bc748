"""Near duplicates: what is one memory in other words, and what only looks so. Languages are real, cosines are given."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mendory.candidates import Pairs
from mendory.detect import Settings, examine
from mendory.detect.neighbours import Observed
from mendory.finding import Code
from mendory.mapping import Mapping
from mendory.record import Memory
from mendory.thresholds import Threshold, Thresholds
from tests.conftest import arrow, memory

CASES = Path(__file__).parent / "cases" / "near"
CODES = (Code.DUPLICATE_NEAR, Code.CONFLICT_CANDIDATE, Code.CONFLICT)
SPACE = "universal-sentence-encoder-multilingual"


class Given:
    """Vectors whose cosines are as a case says: one for all pairs, others by "id id"."""

    def __init__(self, cosine: float, cosines: dict[str, float] | None = None, space: str = SPACE) -> None:
        self._cosine, self._cosines, self._space = cosine, cosines or {}, space

    def basis(self) -> list[Any]:
        """What the thresholds rest on."""
        return [self._space]

    def threshold(self, language: str) -> Threshold | None:
        """The threshold that comes with Mendory for the space."""
        return Thresholds().of(self._space, language)

    def floor(self) -> float | None:
        """The least cosine of any."""
        return 0.6

    def near(self, seen: Observed, floor: float) -> Pairs:
        """All pairs of one scope that are near enough."""
        found = [
            (i, j, cosine)
            for i, a in enumerate(seen.ids)
            for j, b in enumerate(seen.ids)
            if i < j and seen.scopes[i] == seen.scopes[j]
            for cosine in [self._cosines.get(" ".join(sorted((a, b))), self._cosine)]
            if cosine >= floor
        ]
        columns = list(zip(*found, strict=True)) or [(), (), ()]
        return Pairs(np.array(columns[0], int), np.array(columns[1], int), np.array(columns[2], np.float32))


def memories(rows: Iterable[dict[str, Any]]) -> list[Memory]:
    """The rows of a case as memories."""
    return Mapping.identity().memories(arrow([memory(**row) for row in rows]))


def found(case: dict[str, Any], held: list[Memory]) -> dict[str, list[list[str]]]:
    """Code → ids of each finding that rests on the vectors; a conflict is a candidate of which more is known."""
    by_id = {m.id: m for m in held}
    given = Given(case["cosine"], case.get("cosines"))
    seen = examine(held, lambda ids: {i: by_id[i] for i in ids if i in by_id}, Settings(), given)
    told = {code: [list(f.ids) for f in seen.findings if f.code is code] for code in CODES}
    more = [ids for ids in told[Code.CONFLICT] if ids in case["conflict_candidate"]]
    return {
        "duplicate_near": told[Code.DUPLICATE_NEAR],
        "conflict_candidate": sorted([*told[Code.CONFLICT_CANDIDATE], *more]),
    }


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda p: p.stem)
def test_near(path: Path) -> None:
    """A case has exactly the findings it says, whatever the order of its rows."""
    case = json.loads(path.read_text("utf-8"))
    held = memories(case["memories"])
    expected = {code: case[code] for code in ("duplicate_near", "conflict_candidate")}

    assert expected == found(case, held)
    assert expected == found(case, held[::-1])
