"""What a check and a heal did to planted conflicts, told by what was planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

from bench.quality.conflict_planting import Pair, Planted
from bench.quality.judging import Found

CONFLICT: Final = frozenset({"conflict", "conflict_buried"})
EXCEPTION: Final = "conflict_exception"
CANDIDATE: Final = "conflict_candidate"
_HIDDEN: Final = "archived"


@dataclass(slots=True)
class Judged:
    """Counts by what was planted and kind; pairs that are to be looked at, with the code that names them."""

    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    candidates: Counter[tuple[str, str]] = field(default_factory=Counter)
    healed: Counter[tuple[str, str]] = field(default_factory=Counter)
    undecided_hidden: int = 0
    alarms: list[tuple[str, str, str]] = field(default_factory=list)
    unplanted: list[tuple[str, str, str]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Figures by kind and over all."""
        against = [key for key in self.planted if key[0] in (Planted.DECIDED, Planted.UNDECIDED)]
        there = sum(self.planted[key] for key in against)
        return {
            "conflicts_planted": there,
            "conflicts_found": sum(self.found[key] for key in against),
            "conflicts_found_share": round(sum(self.found[key] for key in against) / there, 4) if there else 0.0,
            "undecided_hidden": self.undecided_hidden,
            "false_alarms": len(self.alarms),
            "conflicts_nobody_planted": len(self.unplanted),
            "kinds": [
                {
                    "planted": what,
                    "kind": kind,
                    "n": n,
                    "found": self.found[what, kind],
                    "candidates": self.candidates[what, kind],
                    "healed": self.healed[what, kind],
                }
                for (what, kind), n in sorted(self.planted.items())
            ],
        }


def judge(pairs: Iterable[Pair], findings: Iterable[Found], after: Mapping[str, Mapping[str, Any]]) -> Judged:
    """What was said of planted pairs and of others, and what became of their rows.

    Found: of a conflict a finding of one, of an exception one of that. Healed: of a decided one the older row is hidden
    behind the newer; of anything else neither row behind the other.
    """
    come = Judged()
    planted = {frozenset((pair.first.id, pair.second.id)): pair for pair in pairs}
    said: dict[frozenset[str], set[str]] = {}
    for code, ids in findings:
        if code in CONFLICT or code in (EXCEPTION, CANDIDATE):
            for two in combinations(ids, 2):
                said.setdefault(frozenset(two), set()).add(code)
    for two, pair in planted.items():
        _planted(come, pair, said.get(two, set()), after)
    for two, codes in said.items():
        for code in sorted(codes & CONFLICT):
            one, other = sorted(two)
            if two not in planted:
                come.unplanted.append((code, one, other))
            elif planted[two].what not in (Planted.DECIDED, Planted.UNDECIDED):
                come.alarms.append((code, one, other))
    return come


def _planted(come: Judged, pair: Pair, codes: set[str], after: Mapping[str, Mapping[str, Any]]) -> None:
    key = (pair.what.value, pair.kind)
    come.planted[key] += 1
    wanted = {EXCEPTION} if pair.what is Planted.EXCEPTION else CONFLICT
    come.found[key] += bool(codes & wanted)
    come.candidates[key] += CANDIDATE in codes
    first, second = after[pair.first.id], after[pair.second.id]
    hidden = [_behind(first, second), _behind(second, first)]
    come.healed[key] += hidden == [pair.what is Planted.DECIDED, False]
    come.undecided_hidden += pair.what is Planted.UNDECIDED and any(hidden)


def _behind(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the row is hidden for the sake of the other."""
    return row["status"] == _HIDDEN and other["id"] in (row["superseded_by"], row["duplicate_of"])
